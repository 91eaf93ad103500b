/** Bills subscriptions: begins the attempts that are due and resumes unfinished ones. */

import { Subscription, type TenantId } from '@counterfoil/core';
import {
  type DueRebill,
  dueRebills,
  type PendingRebill,
  pendingRebills,
  type ReadModelStore,
} from '@counterfoil/projections';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import type { Logger } from '../logger.ts';
import type { MetricsRegistry } from '../metrics-registry.ts';
import { areRefused } from '../payments/index.ts';
import { Refused } from '../refusal.ts';
import { atDueTime } from '../runtime/clock.ts';
import { waitAfter } from '../runtime/growing-wait.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import { Lease, type LeaseStore, SHARED_LEASE_TTL_MS } from '../runtime/lease.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import { CircuitBreakers } from './circuit-breakers.ts';
import { type ChargeResult, type Rebills, rebillId } from './rebills.ts';

/** Rows of one query. Finished work leaves the list. */
const PAGE = 500;
/** Per round. */
const MAX_PAGES = 50;
/** Subscriptions billed concurrently: their appends share commits, and gateway calls are slow. */
export const CONCURRENCY = 64;

/** Exponential backoff of a subscription that could not be billed. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** Between two looks at an account that rests. */
const RESTING_PAUSE_MS = 60_000;
/** Consecutive failures of a gateway that open its circuit breaker. */
const MAX_FAILURES = CONCURRENCY;
/** Longer than a request that submits a payment takes. */
const CUSTOMER_GRACE_MS = 600_000;
/** Later than any instant that a subscription waits for. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

const MS_PER_SECOND = 1_000;

export interface BillingOptions {
  readonly commands: CommandRunner;
  readonly rebills: Rebills;
  readonly store: ReadModelStore;
  readonly readSide: Pick<ReadSide, 'caughtUp'>;
  readonly leases: LeaseStore;
  /** Identifies this host among those that share a log. */
  readonly holder: string;
  /** Rows of one query for what is due; 500 when absent. */
  readonly pageSize?: number;
  readonly logger: Logger;
}

/** The backoff of an attempt. */
interface Pause {
  readonly times: number;
  readonly untilMs: number;
  /** The attempt also waits while the circuit of this gateway is open. */
  readonly gatewayId: number;
}

/** The progress of an attempt. */
interface Progress {
  /** The attempt is no longer in the list. */
  readonly isSettled: boolean;
  readonly gateway: ChargeResult['gateway'];
}

const UNTOUCHED: Progress = { isSettled: false, gateway: 'not-called' };
const SETTLED: Progress = { isSettled: true, gateway: 'not-called' };

/** A due or pending attempt. */
interface Named {
  readonly tenantId: number;
  readonly subscriptionId: number;
  readonly cycle: number;
  readonly attempt: number;
}

/**
 * The subscription's decider ensures that a cycle is charged once. The lease only avoids that two hosts
 * do the same work.
 */
export class Billing implements TimedWork {
  readonly name = 'billing';
  readonly #options: BillingOptions;
  readonly #pauses = new Map<string, Pause>();
  readonly #counts = { renewed: 0, failed: 0, frozen: 0 };
  readonly #breakers: CircuitBreakers;
  /** Gateways named by subscriptions but missing in the registry, as found so far. */
  readonly #absent = new Set<number>();
  /** Due date of the oldest due rebill at the last query; undefined when none was due. */
  #oldestDueAt: string | undefined;
  /** Start of the oldest attempt without an outcome at the last query. */
  #oldestOpenAt: string | undefined;

  constructor(options: BillingOptions) {
    this.#options = options;
    this.#breakers = new CircuitBreakers({
      maxFailures: MAX_FAILURES,
      nowMs: () => this.#nowMs(),
      onOpen: (gatewayId) => {
        const facts = { gatewayId, failures: MAX_FAILURES };
        options.logger.error(
          facts,
          'the circuit breaker of a gateway opened: its billing is suspended',
        );
      },
    });
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
    return first;
  }

  /** The earliest instant of a list in order of instants, with the backoffs applied. */
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
        // The registry of gateways only changes at a restart.
        if (this.#absent.has(pause.gatewayId)) continue;
        const mayAt = new Date(this.#mayAtMs(pause)).toISOString();
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

  /** Unfinished attempts come first: the host that began them has stopped. */
  async runDue(stopping: AbortSignal): Promise<void> {
    this.#removeOldPauses();
    if (!(await this.#hasWork())) return;
    const { leases, holder } = this.#options;
    const lease = await Lease.take(leases, { name: this.name, holder, ttlMs: SHARED_LEASE_TTL_MS });
    if (lease === undefined) return;
    const ending = AbortSignal.any([stopping, lease.lost]);
    try {
      await this.#resumePending(ending);
      await this.#billDue(ending);
    } finally {
      await lease.release();
    }
  }

  /** Whether any work is due: an idle host does not write a lease. */
  async #hasWork(): Promise<boolean> {
    const { store, commands } = this.#options;
    const { work } = await dueRebills(store, { limit: 1, now: commands.clock.now() });
    this.#oldestDueAt = work[0]?.rebillAt;
    this.#oldestOpenAt = (await pendingRebills(store, { limit: 1 })).work[0]?.begunAt;
    const nextAt = await this.nextDueAt();
    return nextAt !== undefined && nextAt <= commands.clock.now();
  }

  async #resumePending(ending: AbortSignal): Promise<void> {
    const list = (query: { limit: number; after?: string }) =>
      pendingRebills(this.#options.store, query);
    for await (const work of this.#pagesOf(list, PAGE)) {
      if (ending.aborted) return;
      await this.#each(work, ending, (pending) => this.#resume(pending));
    }
  }

  /**
   * Goes through the list without waiting for the read models, and again when they have applied it: what
   * was billed has left the list then, and what has become due since stands in it.
   */
  async #billDue(ending: AbortSignal): Promise<void> {
    const { store, commands, pageSize = PAGE } = this.#options;
    const billed = new Set<number>();
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES && !ending.aborted; page += 1) {
      const query = { limit: pageSize, ...(after !== undefined && { after }) };
      const { work, next } = await dueRebills(store, { ...query, now: commands.clock.now() });
      this.#oldestDueAt = work[0]?.rebillAt ?? this.#oldestDueAt;
      const done = await this.#each(work, ending, (due) =>
        atDueTime(commands.clock, this.#dueAt(due), () => this.#bill(due)),
      );
      if (done > 0) for (const { tenantId } of work) billed.add(tenantId);
      after = next;
      if (next !== undefined) continue;
      if (billed.size === 0) break;
      const isApplied = await this.#isApplied(billed);
      billed.clear();
      if (!isApplied) break;
    }
    // The next round does not meet what this one has billed.
    await this.#isApplied(billed);
    const { work } = await dueRebills(store, { limit: 1, now: commands.clock.now() });
    this.#oldestDueAt = work[0]?.rebillAt;
  }

  /** Waits until the read models have applied what was billed of these tenants; false on timeout. */
  async #isApplied(tenantIds: ReadonlySet<number>): Promise<boolean> {
    try {
      for (const tenantId of tenantIds) {
        await this.#options.readSide.caughtUp(tenantId);
      }
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  }

  /** Runs the work that does not back off, with a limit per gateway; returns how much was started. */
  async #each<Work extends Named>(
    work: readonly Work[],
    ending: AbortSignal,
    act: (work: Work) => Promise<Progress>,
  ): Promise<number> {
    const awake = work.filter((each) => !this.#isPaused(each));
    let begun = 0;
    await Promise.all(
      [...(await this.#byGateway(awake))].map(([gatewayId, items]) => {
        if (this.#isAbsent(gatewayId) || this.#breakers.openUntilMs(gatewayId) !== undefined) {
          // Not queried again before the circuit closes.
          for (const each of items)
            this.#pauses.set(nameOf(each), this.#waitForCircuit(gatewayId, each));
          return undefined;
        }
        begun += items.length;
        return inParallel({
          items,
          atOnce: this.#breakers.concurrencyAt(gatewayId),
          stops: () => ending.aborted || this.#breakers.openUntilMs(gatewayId) !== undefined,
          act: (each) => this.#guarded(each, gatewayId, act),
        });
      }),
    );
    return begun;
  }

  /** Groups work by gateway: an outage of one must not delay the others. */
  async #byGateway<Work extends Named>(
    work: readonly Work[],
  ): Promise<ReadonlyMap<number, readonly Work[]>> {
    const found: [number, Work][] = [];
    await inParallel({
      items: work,
      atOnce: CONCURRENCY,
      act: async (each) => {
        found.push([await this.#options.rebills.gatewayOf(each), each]);
      },
    });
    const groups = Map.groupBy(found, ([gatewayId]) => gatewayId);
    return new Map([...groups].map(([id, items]) => [id, items.map(([, each]) => each)]));
  }

  #isAbsent(gatewayId: number): boolean {
    if (!this.#options.rebills.isAbsent(gatewayId)) return false;
    if (!this.#absent.has(gatewayId)) {
      this.#absent.add(gatewayId);
      this.#options.logger.warn(
        { gatewayId },
        'a gateway is not registered: its billing is suspended',
      );
    }
    return true;
  }

  /** An instant further ahead than `atMostMs` was set before the clock was set back: it is ignored. */
  #isAhead(untilMs: number, atMostMs: number): boolean {
    const leftMs = untilMs - this.#nowMs();
    return leftMs > 0 && leftMs <= atMostMs;
  }

  /** Isolates failures: one subscription must not delay the others. */
  async #guarded<Work extends Named>(
    work: Work,
    gatewayId: number,
    act: (work: Work) => Promise<Progress>,
  ): Promise<void> {
    const { tenantId, subscriptionId } = work;
    try {
      const { isSettled, gateway } = await act(work);
      if (isSettled) this.#pauses.delete(nameOf(work));
      else this.#pause(work, gatewayId);
      if (gateway !== 'not-called')
        this.#breakers.note(gatewayId, { failed: gateway === 'timeout' });
    } catch (error) {
      if (areRefused(error)) return this.#waitForAccount(work, gatewayId);
      this.#pause(work, gatewayId);
      if (error instanceof Refused && error.code === 'GatewayFailed') {
        this.#breakers.note(gatewayId, { failed: true });
      }
      const facts = { tenantId, subscriptionId };
      const { logger } = this.#options;
      // Expected: a late gateway answer, or a read model that is behind.
      if (error instanceof Refused) {
        logger.warn({ ...facts, code: error.code }, 'a subscription could not be billed yet');
      } else {
        logger.error({ ...facts, err: error }, 'a subscription could not be billed');
      }
    }
  }

  #isPaused(work: Named): boolean {
    const pause = this.#pauses.get(nameOf(work));
    if (pause === undefined) return false;
    return (
      this.#absent.has(pause.gatewayId) ||
      this.#isAhead(pause.untilMs, LONGEST_PAUSE_MS) ||
      this.#breakers.openUntilMs(pause.gatewayId) !== undefined
    );
  }

  #mayAtMs({ untilMs, gatewayId }: Pause): number {
    return Math.max(untilMs, this.#breakers.openUntilMs(gatewayId) ?? untilMs);
  }

  #pause(work: Named, gatewayId: number): void {
    const times = (this.#pauses.get(nameOf(work))?.times ?? 0) + 1;
    const pauseMs = waitAfter(times, { firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS });
    this.#pauses.set(nameOf(work), { times, untilMs: this.#nowMs() + pauseMs, gatewayId });
  }

  /** Waits for an account that rests. Changed credentials are seen at the next look. */
  #waitForAccount(work: Named, gatewayId: number): void {
    const times = this.#pauses.get(nameOf(work))?.times ?? 0;
    this.#pauses.set(nameOf(work), { times, untilMs: this.#nowMs() + RESTING_PAUSE_MS, gatewayId });
  }

  /** Waits for an open circuit. Does not count as a failure of the work. */
  #waitForCircuit(gatewayId: number, work: Named): Pause {
    const times = this.#pauses.get(nameOf(work))?.times ?? 0;
    return { times, untilMs: this.#nowMs(), gatewayId };
  }

  /** Removes backoffs of attempts that another host has settled. */
  #removeOldPauses(): void {
    const longAgoMs = this.#nowMs() - LONGEST_PAUSE_MS;
    for (const [name, { untilMs }] of this.#pauses) {
      if (untilMs < longAgoMs) this.#pauses.delete(name);
    }
  }

  #nowMs(): number {
    return Date.parse(this.#options.commands.clock.now());
  }

  /** The end of its backoff for an attempt that could not be made when it was due. */
  #dueAt(due: DueRebill): string {
    const pause = this.#pauses.get(nameOf(due));
    const triedMs = pause === undefined ? 0 : this.#mayAtMs(pause);
    return triedMs > Date.parse(due.rebillAt) ? new Date(triedMs).toISOString() : due.rebillAt;
  }

  async #bill({ tenantId: tenant, subscriptionId, cycle, attempt }: DueRebill): Promise<Progress> {
    const { commands, rebills } = this.#options;
    const tenantId = tenant as TenantId;
    const attempted = { tenantId, subscriptionId, cycle, attempt };
    const transactionId = rebillId(attempted);
    const at = commands.clock.now();
    const command = { type: 'BeginRebill', ...attempted, transactionId, at } as const;
    // A random id: the subscription recognises a started attempt, and the same one may be due again with a new card.
    const begin = { aggregate: Subscription, command, name: { commandId: uuidV7() } };
    const begun = await commands.foreseen(Subscription, command);
    if (begun !== undefined && begun.state !== null && begun.events.length > 0) {
      // A plan or a card that is changed meanwhile is to be billed as it is then.
      const foreseen = { ...begin, revision: begun.revision };
      const charged = await rebills.begin(tenantId, foreseen, begun.state);
      if (charged !== undefined) return this.#settled(tenantId, begun.state, charged);
    }
    const { state, events } = await commands.execute(Subscription, command, begin.name, SYSTEM);
    if (state === null) return UNTOUCHED;
    if (state.pending !== null) return this.#settle(tenantId, state);
    // Either the subscription was frozen because its card is gone, or the list was stale.
    if (events.length === 0) return UNTOUCHED;
    this.#counts.frozen += 1;
    return SETTLED;
  }

  async #resume({ tenantId: tenant, subscriptionId }: PendingRebill): Promise<Progress> {
    const tenantId = tenant as TenantId;
    const stream = Subscription.streamOf({ tenantId, subscriptionId });
    const state = await this.#options.commands.stateOf(Subscription, stream);
    if (state === null || state.pending === null) return SETTLED;
    const isBegunAgoMs = this.#nowMs() - Date.parse(state.pending.begunAt);
    // The request of the customer who is there submits it.
    const isAwaited = Subscription.awaitsCustomer(state) && isBegunAgoMs < CUSTOMER_GRACE_MS;
    return isAwaited ? UNTOUCHED : this.#settle(tenantId, state);
  }

  /** Charges the pending attempt. */
  async #settle(tenantId: TenantId, before: Subscription.Subscription): Promise<Progress> {
    const charged = await this.#options.rebills.charge(tenantId, before);
    return this.#settled(tenantId, before, charged);
  }

  /** Checks whether the outcome of the pending attempt was recorded. */
  async #settled(
    tenantId: TenantId,
    before: Subscription.Subscription,
    { gateway }: ChargeResult,
  ): Promise<Progress> {
    const { commands } = this.#options;
    const stream = Subscription.streamOf({ tenantId, subscriptionId: before.subscriptionId });
    const after = await commands.stateOf(Subscription, stream);
    const isSettled = after?.pending?.transactionId !== before.pending?.transactionId;
    if (!isSettled || after === null) return { isSettled, gateway };
    if (after.renewals > before.renewals) this.#counts.renewed += 1;
    else this.#counts.failed += 1;
    if (Subscription.isFrozen(after) && !Subscription.isFrozen(before)) this.#counts.frozen += 1;
    return { isSettled, gateway };
  }

  #secondsSince(at: string | undefined): number {
    return at === undefined ? 0 : Math.max(0, this.#nowMs() - Date.parse(at)) / MS_PER_SECOND;
  }

  /** Metrics of this host since its start. */
  registerMetrics(metrics: MetricsRegistry): void {
    const counts = this.#counts;
    metrics.gauge(
      'billing_overdue_seconds',
      'Age of the oldest due rebill, at the last query; 0 when there is none',
      () => this.#secondsSince(this.#oldestDueAt),
    );
    metrics.gauge(
      'billing_open_try_seconds',
      'Age of the oldest attempt without an outcome, at the last query; 0 when there is none',
      () => this.#secondsSince(this.#oldestOpenAt),
    );
    metrics.gauge(
      'billing_paused_subscriptions',
      'Subscriptions that could not be billed and wait for a retry',
      () =>
        [...this.#pauses.values()].filter(
          (pause) =>
            this.#absent.has(pause.gatewayId) ||
            this.#isAhead(this.#mayAtMs(pause), LONGEST_PAUSE_MS),
        ).length,
    );
    metrics.counter('billing_renewed_total', 'Rebills that were paid', () => counts.renewed);
    metrics.counter(
      'billing_failed_total',
      'Rebills that were declined or failed',
      () => counts.failed,
    );
    metrics.counter(
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

/** Per attempt: the next attempt of a subscription starts without a backoff. */
function nameOf({ tenantId, subscriptionId, cycle, attempt }: Named): string {
  return `${tenantId}/${subscriptionId}/${cycle}/${attempt}`;
}
