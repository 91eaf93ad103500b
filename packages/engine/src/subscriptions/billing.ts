/** Bills subscriptions: begins the tries that are due, and takes up again what was left half done. */

import { Subscription, type TenantId } from '@counterfoil/core';
import {
  type DueRebill,
  dueRebills,
  type PendingRebill,
  pendingRebills,
  type ReadModelStore,
} from '@counterfoil/projections';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import type { Figures } from '../figures.ts';
import { uuidV7 } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { Refused } from '../refusal.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import { Lease, type LeaseStore, SHARED_LEASE_TTL_MS } from '../runtime/lease.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import { type Rebills, rebillId } from './rebills.ts';

/** Of one reading of the list; what is done leaves it. */
const PAGE = 500;
/** Of one round; the next one finds the rest. */
const MAX_PAGES = 50;
/** Subscriptions that are billed at the same time: their appends share commits, and gateways take time. */
export const CONCURRENCY = 64;

/** How long a subscription is left alone that could not be billed: doubled each time, up to the last. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** So many failures of gateways in a row, and nothing more is begun for a while: then one tries again. */
const MOST_FAILURES = CONCURRENCY;
const REST_MS = 30_000;
/** Later than any instant that a subscription waits for. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

const MS_PER_SECOND = 1_000;

export interface BillingOptions {
  readonly ledger: CommandRunner;
  readonly rebills: Rebills;
  readonly store: ReadModelStore;
  readonly readSide: Pick<ReadSide, 'caughtUp'>;
  readonly leases: LeaseStore;
  /** Names this host among those that share a log. */
  readonly holder: string;
  readonly logger: Logger;
}

/** A subscription that is looked at again when its time has come. */
interface Pause {
  readonly times: number;
  readonly untilMs: number;
}

/** A try that is to be made, or is under way. */
interface Named {
  readonly tenantId: number;
  readonly subscriptionId: number;
  readonly cycle: number;
  readonly attempt: number;
}

/**
 * The subscription itself sees to it that a cycle is charged once, whoever asks and however often. The
 * lease only keeps two hosts from doing the same work twice.
 */
export class Billing implements TimedWork {
  readonly name = 'billing';
  readonly #options: BillingOptions;
  readonly #pauses = new Map<string, Pause>();
  readonly #figures = { renewed: 0, failed: 0, frozen: 0 };
  #failuresInARow = 0;
  /** Gateways failed until now: what would be begun meanwhile could only fail as well. */
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  /** Of what was due at the last look; undefined when nothing was. */
  #oldestDueAt: string | undefined;
  /** Of the tries without an outcome, at the last look. */
  #oldestOpenAt: string | undefined;

  constructor(options: BillingOptions) {
    this.#options = options;
  }

  async nextDueAt(): Promise<string | undefined> {
    const pending = await this.#firstOf(
      (query) => pendingRebills(this.#options.store, query),
      ({ begunAt }) => begunAt,
    );
    const due = await this.#firstOf(
      (query) => dueRebills(this.#options.store, { ...query, now: END_OF_TIME }),
      ({ rebillAt }) => rebillAt,
    );
    const [first] = [pending, due].filter((at) => at !== undefined).sort();
    if (first === undefined || !this.#rests()) return first;
    const restsUntil = new Date(this.#restsUntilMs).toISOString();
    return [first, restsUntil].sort().at(-1);
  }

  /** The first of a list that is in order of its instants, if those that pause come when they may. */
  async #firstOf<Work extends Named>(
    list: (query: { limit: number; after?: string }) => Promise<Page<Work>>,
    instantOf: (work: Work) => string,
  ): Promise<string | undefined> {
    let first: string | undefined;
    for await (const work of this.#pagesOf(list, this.#pauses.size === 0 ? 1 : PAGE)) {
      for (const each of work) {
        const at = instantOf(each);
        if (first !== undefined && first <= at) return first;
        const pause = this.#pauses.get(nameOf(each));
        if (pause === undefined || !this.#isPaused(each)) return at;
        const mayAt = new Date(pause.untilMs).toISOString();
        if (first === undefined || mayAt < first) first = mayAt;
      }
    }
    return first;
  }

  async *#pagesOf<Work extends Named>(
    list: (query: { limit: number; after?: string }) => Promise<Page<Work>>,
    limit: number,
  ): AsyncGenerator<readonly Work[]> {
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { work, next } = await list({ limit, ...(after !== undefined && { after }) });
      yield work;
      if (next === undefined) return;
      after = next;
    }
  }

  /** What was left half done comes first: whoever began it is gone. */
  async runDue(stopping: AbortSignal): Promise<void> {
    this.#forgetOldPauses();
    if (!(await this.#hasWork())) return;
    const { leases, holder } = this.#options;
    const lease = await Lease.take(leases, { name: this.name, holder, ttlMs: SHARED_LEASE_TTL_MS });
    if (lease === undefined) return;
    const ending = AbortSignal.any([stopping, lease.lost]);
    try {
      await this.#takeUpPending(ending);
      await this.#billDue(ending);
    } finally {
      await lease.release();
    }
  }

  /** Whether anything is to be done now: a host with nothing to do writes nothing. */
  async #hasWork(): Promise<boolean> {
    const { store, ledger } = this.#options;
    const { work } = await dueRebills(store, { limit: 1, now: ledger.clock.now() });
    this.#oldestDueAt = work[0]?.rebillAt;
    this.#oldestOpenAt = (await pendingRebills(store, { limit: 1 })).work[0]?.begunAt;
    const nextAt = await this.nextDueAt();
    return nextAt !== undefined && nextAt <= ledger.clock.now();
  }

  async #takeUpPending(ending: AbortSignal): Promise<void> {
    const list = (query: { limit: number; after?: string }) =>
      pendingRebills(this.#options.store, query);
    for await (const work of this.#pagesOf(list, PAGE)) {
      if (ending.aborted) return;
      await this.#each(work, ending, (pending) => this.#takeUp(pending));
    }
  }

  async #billDue(ending: AbortSignal): Promise<void> {
    const { store, ledger } = this.#options;
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES && !ending.aborted; page += 1) {
      const query = { limit: PAGE, ...(after !== undefined && { after }) };
      const { work, next } = await dueRebills(store, { ...query, now: ledger.clock.now() });
      this.#oldestDueAt = work[0]?.rebillAt ?? this.#oldestDueAt;
      const done = await this.#each(work, ending, (due) => this.#bill(due));
      if (this.#rests() || (done === 0 && next === undefined)) break;
      // What has been billed leaves the list; behind those that pause there may be others.
      if (done === 0) after = next;
      if (!(await this.#seen(work))) break;
    }
    const { work } = await dueRebills(store, { limit: 1, now: ledger.clock.now() });
    this.#oldestDueAt = work[0]?.rebillAt;
  }

  /** Waits until the list shows what was done to these; false when that takes too long. */
  async #seen(work: readonly Named[]): Promise<boolean> {
    try {
      for (const tenantId of new Set(work.map((each) => each.tenantId))) {
        await this.#options.readSide.caughtUp(tenantId);
      }
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  }

  /** Works on those that do not pause, so many at a time; answers how many there were. */
  async #each<Work extends Named>(
    work: readonly Work[],
    ending: AbortSignal,
    act: (work: Work) => Promise<boolean>,
  ): Promise<number> {
    const awake = work.filter((each) => !this.#isPaused(each));
    await inParallel({
      items: awake,
      atOnce: Math.min(CONCURRENCY, MOST_FAILURES - this.#failuresInARow),
      stops: () => ending.aborted || this.#rests(),
      act: (each) => this.#guarded(each, act),
    });
    return awake.length;
  }

  #rests(): boolean {
    return this.#isAhead(this.#restsUntilMs, REST_MS);
  }

  /** What lies further ahead than it can have been put was put there by a clock that was set back since. */
  #isAhead(untilMs: number, atMostMs: number): boolean {
    const leftMs = untilMs - this.#nowMs();
    return leftMs > 0 && leftMs <= atMostMs;
  }

  /** Counts what gateways do: one that is down would leave every subscription with a try half done. */
  #note(failed: boolean): void {
    this.#failuresInARow = failed ? this.#failuresInARow + 1 : 0;
    if (this.#failuresInARow < MOST_FAILURES) return;
    this.#failuresInARow = MOST_FAILURES - 1;
    this.#restsUntilMs = this.#nowMs() + REST_MS;
    this.#options.logger.error({ failures: MOST_FAILURES }, 'gateways keep failing: billing rests');
  }

  /** One subscription that cannot be billed must not keep the others waiting. */
  async #guarded<Work extends Named>(
    work: Work,
    act: (work: Work) => Promise<boolean>,
  ): Promise<void> {
    const { tenantId, subscriptionId } = work;
    try {
      if (await act(work)) this.#pauses.delete(nameOf(work));
      else this.#pause(work);
      this.#note(false);
    } catch (error) {
      this.#pause(work);
      this.#note(error instanceof Refused && error.code === 'GatewayFailed');
      const facts = { tenantId, subscriptionId };
      const { logger } = this.#options;
      // Nothing is wrong with it: an answer is late, or another was faster than the read model.
      if (error instanceof Refused) {
        logger.warn({ ...facts, code: error.code }, 'a subscription could not be billed yet');
      } else {
        logger.error({ ...facts, err: error }, 'a subscription could not be billed');
      }
    }
  }

  #isPaused(work: Named): boolean {
    const pause = this.#pauses.get(nameOf(work));
    return pause !== undefined && this.#isAhead(pause.untilMs, LONGEST_PAUSE_MS);
  }

  #pause(work: Named): void {
    const times = (this.#pauses.get(nameOf(work))?.times ?? 0) + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LONGEST_PAUSE_MS);
    this.#pauses.set(nameOf(work), { times, untilMs: this.#nowMs() + pauseMs });
  }

  /** Of those that somebody else has settled meanwhile. */
  #forgetOldPauses(): void {
    const longAgoMs = this.#nowMs() - LONGEST_PAUSE_MS;
    for (const [name, { untilMs }] of this.#pauses) {
      if (untilMs < longAgoMs) this.#pauses.delete(name);
    }
  }

  #nowMs(): number {
    return Date.parse(this.#options.ledger.clock.now());
  }

  /** Answers whether the list has nothing more to say of it. */
  async #bill({ tenantId: tenant, subscriptionId, cycle, attempt }: DueRebill): Promise<boolean> {
    const { ledger } = this.#options;
    const tenantId = tenant as TenantId;
    const named = { tenantId, subscriptionId, cycle, attempt };
    const { state, events } = await ledger.carryOut(
      Subscription,
      { type: 'BeginRebill', ...named, transactionId: rebillId(named), at: ledger.clock.now() },
      // The subscription knows a try that was begun: the same one may be due again with a new card.
      { commandId: uuidV7() },
      SYSTEM,
    );
    if (state === null) return false;
    if (state.pending !== null) return this.#settle(tenantId, state);
    // It was frozen for want of a card; or nothing happened, and the list is not to be believed.
    if (events.length === 0) return false;
    this.#figures.frozen += 1;
    return true;
  }

  async #takeUp({ tenantId: tenant, subscriptionId }: PendingRebill): Promise<boolean> {
    const tenantId = tenant as TenantId;
    const stream = Subscription.streamOf({ tenantId, subscriptionId });
    const state = await this.#options.ledger.stateOf(Subscription, stream);
    return state === null || state.pending === null || this.#settle(tenantId, state);
  }

  /** Charges the try that is under way; answers whether its outcome is on record. */
  async #settle(tenantId: TenantId, before: Subscription.Subscription): Promise<boolean> {
    const { ledger, rebills } = this.#options;
    await rebills.charge(tenantId, before);
    const stream = Subscription.streamOf({ tenantId, subscriptionId: before.subscriptionId });
    const after = await ledger.stateOf(Subscription, stream);
    if (after?.pending?.transactionId === before.pending?.transactionId) return false;
    if (after === null) return true;
    if (after.renewals > before.renewals) this.#figures.renewed += 1;
    else this.#figures.failed += 1;
    if (Subscription.isFrozen(after) && !Subscription.isFrozen(before)) this.#figures.frozen += 1;
    return true;
  }

  #secondsSince(at: string | undefined): number {
    return at === undefined ? 0 : Math.max(0, this.#nowMs() - Date.parse(at)) / MS_PER_SECOND;
  }

  /** What this host has billed since it began, and how late it is. */
  watch(figures: Figures): void {
    const counts = this.#figures;
    figures.gauge(
      'billing_overdue_seconds',
      'Since the oldest rebill that is due and not made became due, at the last look; 0 when all are made',
      () => this.#secondsSince(this.#oldestDueAt),
    );
    figures.gauge(
      'billing_open_try_seconds',
      'Since the oldest try without an outcome was begun, at the last look; 0 when there is none',
      () => this.#secondsSince(this.#oldestOpenAt),
    );
    figures.gauge(
      'billing_paused_subscriptions',
      'Subscriptions that could not be billed, and are tried again later',
      () =>
        [...this.#pauses.values()].filter(({ untilMs }) => this.#isAhead(untilMs, LONGEST_PAUSE_MS))
          .length,
    );
    figures.counter('billing_renewed_total', 'Rebills that were paid', () => counts.renewed);
    figures.counter(
      'billing_failed_total',
      'Rebills that were declined or failed',
      () => counts.failed,
    );
    figures.counter(
      'billing_frozen_total',
      'Subscriptions that billing froze',
      () => counts.frozen,
    );
  }
}

interface Page<Work> {
  readonly work: readonly Work[];
  readonly next: string | undefined;
}

/** The next try of a subscription has nothing to do with what held up the one before. */
function nameOf({ tenantId, subscriptionId, cycle, attempt }: Named): string {
  return `${tenantId}/${subscriptionId}/${cycle}/${attempt}`;
}
