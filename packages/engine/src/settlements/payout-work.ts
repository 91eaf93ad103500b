/** Settles the payouts of every account that has a gateway which says them. */
import type { TenantId } from '@counterfoil/core';
import { merchantAccountsOf, type ReadModelStore } from '@counterfoil/projections';
import { SYSTEM } from '../command-runner.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../runtime/clock.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { Payouts } from './payouts.ts';

const HOUR_MS = 3_600_000;
/** Gateways pay out once a day at most. */
const EVERY_MS = 6 * HOUR_MS;

export interface PayoutWorkOptions {
  readonly payouts: Payouts;
  readonly store: ReadModelStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class PayoutWork implements TimedWork {
  readonly name = 'payouts';
  readonly #options: PayoutWorkOptions;
  /** Of this process. */
  #lastRoundMs = 0;

  constructor(options: PayoutWorkOptions) {
    this.#options = options;
  }

  async nextDueAt(): Promise<string> {
    return new Date(this.#lastRoundMs + EVERY_MS).toISOString();
  }

  /** An account that fails is asked again in the next round, from where it was. */
  async runDue(stopping: AbortSignal): Promise<void> {
    const { payouts, store, clock, logger } = this.#options;
    const nowMs = Date.parse(clock.now());
    if (nowMs < this.#lastRoundMs + EVERY_MS) return;
    for await (const { tenantId, ...account } of merchantAccountsOf(store)) {
      if (stopping.aborted) return;
      try {
        await payouts.settleNew(tenantId as TenantId, account, SYSTEM, stopping);
      } catch (error) {
        const facts = { err: error, tenantId, merchantAccountId: account.merchantAccountId };
        logger.warn(facts, 'payouts of a gateway could not be settled');
      }
    }
    this.#lastRoundMs = nowMs;
  }
}
