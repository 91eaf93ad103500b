/** Finishes what was begun: asks gateways about intents whose outcome is not on record. */
import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import { type OpenIntent, openIntents, type ReadModelStore } from '@counterfoil/projections';
import type { RequestLogger } from '../http/endpoint.ts';
import { type Ledger, SYSTEM } from '../operations/ledger.ts';
import type { GatewayReactor } from './gateway-reactor.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** When an unknown outcome is asked about, counted from the moment it became unknown. */
const ASK_AFTER_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  HOUR_MS,
  ...[1, 2, 3, 4, 5].map((days) => days * DAY_MS),
];

const ASKING = { caller: SYSTEM, sentBefore: true };

const INTERVAL_MS = SECOND_MS;
const PAGE = 200;
/** Of one round; the rest waits for the next. */
const MAX_PAGES = 50;

export interface SweeperOptions {
  readonly ledger: Ledger;
  readonly reactor: GatewayReactor;
  readonly store: ReadModelStore;
  readonly logger: RequestLogger;
  /** An intent younger than this may still be in the hands of the request that made it. */
  readonly graceMs: number;
}

/** Looks once a second. What was open before this process began has nobody else to finish it. */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #startedAtMs: number;
  /** When each open payment was last asked about; forgotten with the process, then asked anew. */
  readonly #askedAtMs = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #stopped = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#startedAtMs = Date.parse(options.ledger.clock.now());
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#round = this.sweep()
        .catch((error: unknown) => {
          this.#options.logger.error({ err: error }, 'sweeping for open intents failed');
        })
        .finally(() => {
          if (!this.#stopped) this.start();
        });
    }, INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** One round over everything that is open. */
  async sweep(): Promise<void> {
    const { store } = this.#options;
    const open = new Set<string>();
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES && !this.#stopped; page += 1) {
      const query = { limit: PAGE, ...(after !== undefined && { after }) };
      const { work, next } = await openIntents(store, query);
      for (const intent of work) {
        open.add(intent.transactionId);
        if (this.#isDue(intent)) await this.#settle(intent);
      }
      if (next === undefined) break;
      after = next;
    }
    for (const id of this.#askedAtMs.keys()) if (!open.has(id)) this.#askedAtMs.delete(id);
  }

  #isDue({ status, reasons, changedAt, transactionId }: OpenIntent): boolean {
    if (reasons.every((reason) => reason === 'action')) return false;
    const nowMs = Date.parse(this.#options.ledger.clock.now());
    const openSinceMs = Date.parse(changedAt);
    const askedAtMs = this.#askedAtMs.get(transactionId);
    if (status !== 'Unknown' && askedAtMs === undefined) {
      return openSinceMs < this.#startedAtMs || nowMs - openSinceMs >= this.#options.graceMs;
    }
    const lastLookMs = askedAtMs ?? openSinceMs;
    return ASK_AFTER_MS.some(
      (afterMs) => lastLookMs < openSinceMs + afterMs && openSinceMs + afterMs <= nowMs,
    );
  }

  async #settle(intent: OpenIntent): Promise<void> {
    const { ledger, logger } = this.#options;
    const { transactionId } = intent;
    this.#askedAtMs.set(transactionId, Date.parse(ledger.clock.now()));
    try {
      await this.#finish(intent);
    } catch (error) {
      // One payment that cannot be finished must not keep the others waiting.
      logger.error({ err: error, transactionId }, 'an open intent could not be settled');
    }
  }

  async #finish(intent: OpenIntent): Promise<void> {
    const { ledger, reactor } = this.#options;
    const tenantId = intent.tenantId as TenantId;
    const transactionId = intent.transactionId as TransactionId;
    const stream = Transaction.streamOf({ tenantId, transactionId });
    let payment = await ledger.stateOf(Transaction, stream);
    if (payment === null) return;
    if (payment.status === 'Processing' || payment.status === 'Unknown') {
      payment = await reactor.resolveCharge(tenantId, payment);
    }
    if (payment.pendingCapture !== null) {
      payment = await reactor.capture(tenantId, payment, ASKING);
    }
    if (payment.pendingVoidId !== null) payment = await reactor.void(tenantId, payment, ASKING);
    for (const { refundId, status } of payment.refunds) {
      if (status !== 'RefundPending') continue;
      await reactor.refund(tenantId, payment, refundId, ASKING);
    }
  }
}
