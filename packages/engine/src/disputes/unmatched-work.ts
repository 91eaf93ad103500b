/** Looks again for the payments of reports that matched none. */
import type { TenantId, TransactionId } from '@counterfoil/core';
import {
  type ReadModelStore,
  type UnmatchedDispute,
  unmatchedDisputes,
} from '@counterfoil/projections';
import type { Clock } from '../runtime/clock.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { DisputeIntake } from './intake.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PAGE = 200;
/** Reports that are looked at in a round; the others wait for the next one. */
const MAX_PAGES = 10;
/** A report is for a payment of before: one that has none after so long is left to the queue. */
const DAYS = 30;

/** After the report. */
const TRY_AFTER_MS = [
  MINUTE_MS,
  10 * MINUTE_MS,
  60 * MINUTE_MS,
  ...Array.from({ length: DAYS }, (_, day) => (day + 1) * DAY_MS),
];

export interface UnmatchedWorkOptions {
  readonly intake: DisputeIntake;
  readonly store: ReadModelStore;
  readonly clock: Clock;
}

export class UnmatchedWork implements TimedWork {
  readonly name = 'unmatched-disputes';
  readonly #options: UnmatchedWorkOptions;
  /** Of this process; one before it may have ended before its round did. */
  #lastRoundMs = 0;

  constructor(options: UnmatchedWorkOptions) {
    this.#options = options;
  }

  async nextDueAt(): Promise<string | undefined> {
    const due = (await this.#waiting()).map((each) => this.#dueMs(each));
    const next = Math.min(...due);
    return Number.isFinite(next) ? new Date(next).toISOString() : undefined;
  }

  async runDue(stopping: AbortSignal): Promise<void> {
    const nowMs = this.#nowMs();
    const due = (await this.#waiting()).filter((each) => this.#dueMs(each) <= nowMs);
    for (const { tenantId, disputeId } of due) {
      if (stopping.aborted) return;
      await this.#options.intake.settleLater(tenantId as TenantId, disputeId as TransactionId);
    }
    this.#lastRoundMs = nowMs;
  }

  /** The first try after the last round; infinite when there is none left. */
  #dueMs({ reportedAt }: UnmatchedDispute): number {
    const reportedMs = Date.parse(reportedAt);
    const after = TRY_AFTER_MS.find((each) => reportedMs + each > this.#lastRoundMs);
    return after === undefined ? Number.POSITIVE_INFINITY : reportedMs + after;
  }

  async #waiting(): Promise<readonly UnmatchedDispute[]> {
    const { store } = this.#options;
    const waiting: UnmatchedDispute[] = [];
    // Those that are given up stay in the list.
    let after: string | undefined = new Date(this.#nowMs() - (DAYS + 1) * DAY_MS).toISOString();
    for (let page = 0; page < MAX_PAGES && after !== undefined; page += 1) {
      const { work, next } = await unmatchedDisputes(store, { limit: PAGE, after });
      waiting.push(...work);
      after = next;
    }
    return waiting;
  }

  #nowMs(): number {
    return Date.parse(this.#options.clock.now());
  }
}
