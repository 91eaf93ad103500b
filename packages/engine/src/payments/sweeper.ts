/** Settles open intents by querying the gateways. */

import type { TenantId, TransactionId } from '@counterfoil/core';
import { type OpenIntent, openIntents, type ReadModelStore } from '@counterfoil/projections';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import type { Logger } from '../logger.ts';
import { atDueTime } from '../runtime/clock.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import { areRefused } from './gateway-accounts.ts';
import type { GatewayReactor } from './gateway-reactor.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The query schedule: for a charge from the moment its outcome became unknown, for a capture, void or
 * refund from its request.
 */
const ASK_AFTER_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  HOUR_MS,
  ...[1, 2, 3, 4, 5].map((days) => days * DAY_MS),
];

/** Older intents are not queried. */
export const LAST_ASK_MS = 5 * DAY_MS;

/** After this time "not found" means never received: no request is in transit for so long. */
const NOT_FOUND_IS_FINAL_MS = 2 * MINUTE_MS;

const PAGE = 200;
/** Per round; the next one continues after it. */
const MAX_PAGES = 50;
/** Intents settled concurrently: one slow gateway must not delay the others. */
const CONCURRENCY = 8;

export interface SweeperOptions {
  readonly commands: CommandRunner;
  readonly reactor: GatewayReactor;
  readonly store: ReadModelStore;
  readonly logger: Logger;
  /** How long a new charge, on all its accounts, is left to its request. */
  readonly graceMs: number;
}

/** What the sweeper remembers of a payment with open intents; kept in this process only. */
interface Watch {
  /** The payment's last event: a new one may belong to another intent, with its own schedule. */
  readonly changedAt: string;
  readonly firstSeenMs: number;
  /** The remaining query times, in order. */
  dueMs: readonly number[];
}

/** An intent, and the earliest of its query times that have elapsed. */
interface DueIntent {
  readonly intent: OpenIntent;
  readonly dueAt: string;
}

/** Intents that were open before this process began are finished here only. */
export class Sweeper implements TimedWork {
  readonly name = 'open-intents';
  readonly #options: SweeperOptions;
  #watches = new Map<string, Watch>();
  /** Watches seen in the current pass over all pages. */
  #seen = new Map<string, Watch>();
  #after: string | undefined;
  readonly #startedAtMs: number;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#startedAtMs = Date.parse(options.commands.clock.now());
  }

  /**
   * Looks at all that is open, for what was not looked at before has no schedule. Of more than a round
   * can take it knows those that have waited longest.
   */
  async nextDueAt(): Promise<string | undefined> {
    const nowMs = this.#nowMs();
    let nextMs = Number.POSITIVE_INFINITY;
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { work, next } = await this.#page(after);
      for (const intent of work) {
        if (waitsForCustomer(intent)) continue;
        const watch = this.#watchOf(intent, nowMs);
        this.#watches.set(nameOf(intent), watch);
        nextMs = Math.min(nextMs, watch.dueMs[0] ?? nextMs);
      }
      after = next;
      if (next === undefined) break;
    }
    return Number.isFinite(nextMs) ? new Date(nextMs).toISOString() : undefined;
  }

  /** One round over open intents; a long list takes several. */
  async runDue(stopping: AbortSignal): Promise<void> {
    for (let page = 0; page < MAX_PAGES && !stopping.aborted; page += 1) {
      const { work, next } = await this.#page(this.#after);
      await this.#settleAll(this.#dueOf(work), stopping);
      this.#after = next;
      if (next === undefined) {
        // Intents that were not seen again are settled.
        this.#watches = this.#seen;
        this.#seen = new Map();
        return;
      }
    }
  }

  #nowMs(): number {
    return Date.parse(this.#options.commands.clock.now());
  }

  #page(after: string | undefined) {
    return openIntents(this.#options.store, { limit: PAGE, ...(after !== undefined && { after }) });
  }

  #dueOf(intents: readonly OpenIntent[]): readonly DueIntent[] {
    const nowMs = this.#nowMs();
    return intents.flatMap((intent) => {
      if (waitsForCustomer(intent)) return [];
      const watch = this.#watchOf(intent, nowMs);
      this.#seen.set(nameOf(intent), watch);
      const [firstMs] = watch.dueMs;
      if (firstMs === undefined || firstMs > nowMs) return [];
      const dueAt = new Date(firstMs).toISOString();
      // One query covers several elapsed times.
      const askedMs = this.#msAsOf(dueAt);
      watch.dueMs = watch.dueMs.filter((dueMs) => dueMs > askedMs);
      return [{ intent, dueAt }];
    });
  }

  #msAsOf(dueAt: string): number {
    return atDueTime(this.#options.commands.clock, dueAt, () => this.#nowMs());
  }

  /** The existing watch of an intent, unless the payment has changed since. */
  #watchOf(intent: OpenIntent, nowMs: number): Watch {
    const name = nameOf(intent);
    const known = this.#seen.get(name) ?? this.#watches.get(name);
    const isKnown = known?.changedAt === intent.changedAt;
    return isKnown ? known : this.#watch(intent, { before: known, nowMs });
  }

  #watch(
    { status, changedAt, reasons }: OpenIntent,
    { before, nowMs }: { before: Watch | undefined; nowMs: number },
  ): Watch {
    const changedMs = Date.parse(changedAt);
    // Business time may be long ago, or in the future after the clock was set back.
    const age = nowMs - changedMs;
    const fromMs = age >= 0 && age <= LAST_ASK_MS ? changedMs : nowMs;
    const wasOpenAtStart = changedMs < this.#startedAtMs || age < 0;
    // Intents open at the start are queried at once, and soon again on failure.
    const firstAskMs = wasOpenAtStart ? nowMs : fromMs + this.#options.graceMs;
    // A running request for a capture, void or refund holds the mutex, so the sweeper waits for it.
    const dueMs =
      status !== 'Unknown' && (wasOpenAtStart || reasons.includes('payment'))
        ? [0, ...ASK_AFTER_MS].map((afterMs) => firstAskMs + afterMs)
        : ASK_AFTER_MS.map((afterMs) => fromMs + afterMs);
    // One query covers all times before a process took over: it is asked soon again on failure.
    const isLate = before === undefined && age > NOT_FOUND_IS_FINAL_MS;
    if (isLate) dueMs.push(...ASK_AFTER_MS.map((afterMs) => nowMs + afterMs));
    dueMs.sort((one, other) => one - other);
    // A payment that keeps changing must not postpone its other intents without end.
    const nextMs = before?.dueMs[0];
    const isSooner = nextMs !== undefined && nextMs < (dueMs[0] ?? nextMs);
    const firstSeenMs = this.#msAsOf(changedAt);
    return { changedAt, firstSeenMs, dueMs: isSooner ? [nextMs, ...dueMs] : dueMs };
  }

  async #settleAll(due: readonly DueIntent[], stopping: AbortSignal): Promise<void> {
    const { clock } = this.#options.commands;
    await inParallel({
      items: due,
      atOnce: CONCURRENCY,
      stops: () => stopping.aborted,
      act: ({ intent, dueAt }) => atDueTime(clock, dueAt, () => this.#settle(intent)),
    });
  }

  async #settle(intent: OpenIntent): Promise<void> {
    const { transactionId } = intent;
    try {
      await this.#finish(intent);
    } catch (error) {
      // The account rests, which was logged.
      if (areRefused(error)) return;
      // One payment that fails must not delay the others.
      const facts = { err: error, transactionId };
      this.#options.logger.error(facts, 'an open intent could not be settled');
    }
  }

  async #finish(intent: OpenIntent): Promise<void> {
    const { commands, reactor } = this.#options;
    const tenantId = intent.tenantId as TenantId;
    const transactionId = intent.transactionId as TransactionId;
    const nowMs = Date.parse(commands.clock.now());
    const watchedForMs = nowMs - (this.#seen.get(nameOf(intent))?.firstSeenMs ?? nowMs);
    const notFound = watchedForMs >= NOT_FOUND_IS_FINAL_MS ? 'failed' : 'unknown';
    await reactor.resolveCharge(tenantId, transactionId, { notFound });
    const asking = { caller: SYSTEM, sentBefore: true, notFound } as const;
    await reactor.capture(tenantId, transactionId, asking);
    const payment = await reactor.void(tenantId, transactionId, asking);
    for (const { refundId, status } of payment.refunds) {
      if (status !== 'RefundPending') continue;
      await reactor.refund(tenantId, transactionId, refundId, asking);
    }
  }
}

/** What to do is up to the customer: the gateway need not be asked. */
function waitsForCustomer({ reasons }: OpenIntent): boolean {
  return reasons.every((reason) => reason === 'action');
}

function nameOf({ tenantId, transactionId }: OpenIntent): string {
  return `${tenantId}/${transactionId}`;
}
