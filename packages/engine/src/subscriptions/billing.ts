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
import { GatewayRests } from './gateway-rests.ts';
import { type Asked, type Rebills, rebillId } from './rebills.ts';

/** Of one reading of the list; what is done leaves it. */
const PAGE = 500;
/** Of one round; the next one finds the rest. */
const MAX_PAGES = 50;
/** Subscriptions that are billed at the same time: their appends share commits, and gateways take time. */
export const CONCURRENCY = 64;

/** How long a subscription is left alone that could not be billed: doubled each time, up to the last. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** So many failures of a gateway in a row, and nothing more is begun there for a while: then one tries again. */
const MOST_FAILURES = CONCURRENCY;
/** Later than any instant that a subscription waits for. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

const MS_PER_SECOND = 1_000;

export interface BillingOptions {
  readonly commands: CommandRunner;
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
  /** It also waits while this gateway rests. */
  readonly gatewayId: number;
}

/** How far a try has come. */
interface Progress {
  /** The list has nothing more to say of it. */
  readonly isSettled: boolean;
  readonly gateway: Asked['gateway'];
}

const UNTOUCHED: Progress = { isSettled: false, gateway: 'not asked' };
const SETTLED: Progress = { isSettled: true, gateway: 'not asked' };

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
  readonly #rests: GatewayRests;
  /** Gateways that subscriptions name and the ledger was opened without, as far as they were met. */
  readonly #absent = new Set<number>();
  /** Of what was due at the last look; undefined when nothing was. */
  #oldestDueAt: string | undefined;
  /** Of the tries without an outcome, at the last look. */
  #oldestOpenAt: string | undefined;

  constructor(options: BillingOptions) {
    this.#options = options;
    this.#rests = new GatewayRests({
      mostFailures: MOST_FAILURES,
      nowMs: () => this.#nowMs(),
      onRest: (gatewayId) => {
        const facts = { gatewayId, failures: MOST_FAILURES };
        options.logger.error(facts, 'a gateway keeps failing: its billing rests');
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
        // Its gateway is not back before the next start.
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
    const { store, commands } = this.#options;
    const { work } = await dueRebills(store, { limit: 1, now: commands.clock.now() });
    this.#oldestDueAt = work[0]?.rebillAt;
    this.#oldestOpenAt = (await pendingRebills(store, { limit: 1 })).work[0]?.begunAt;
    const nextAt = await this.nextDueAt();
    return nextAt !== undefined && nextAt <= commands.clock.now();
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
    const { store, commands } = this.#options;
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES && !ending.aborted; page += 1) {
      const query = { limit: PAGE, ...(after !== undefined && { after }) };
      const { work, next } = await dueRebills(store, { ...query, now: commands.clock.now() });
      this.#oldestDueAt = work[0]?.rebillAt ?? this.#oldestDueAt;
      const done = await this.#each(work, ending, (due) => this.#bill(due));
      if (done === 0 && next === undefined) break;
      // What has been billed leaves the list; behind those that pause there may be others.
      if (done === 0) after = next;
      if (!(await this.#seen(work))) break;
    }
    const { work } = await dueRebills(store, { limit: 1, now: commands.clock.now() });
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

  /** Works on those that do not pause, so many of each gateway at a time; answers how many there were. */
  async #each<Work extends Named>(
    work: readonly Work[],
    ending: AbortSignal,
    act: (work: Work) => Promise<Progress>,
  ): Promise<number> {
    const awake = work.filter((each) => !this.#isPaused(each));
    let begun = 0;
    await Promise.all(
      [...(await this.#byGateway(awake))].map(([gatewayId, items]) => {
        if (this.#isAbsent(gatewayId) || this.#rests.restsUntilMs(gatewayId) !== undefined) {
          // They need not be looked up again before the gateway may be asked.
          for (const each of items) this.#pauses.set(nameOf(each), this.#restOf(gatewayId, each));
          return undefined;
        }
        begun += items.length;
        return inParallel({
          items,
          atOnce: this.#rests.roomAt(gatewayId),
          stops: () => ending.aborted || this.#rests.restsUntilMs(gatewayId) !== undefined,
          act: (each) => this.#guarded(each, gatewayId, act),
        });
      }),
    );
    return begun;
  }

  /** By the gateway that charges them: one that is down must not hold up those of another. */
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
      this.#options.logger.warn({ gatewayId }, 'a gateway is absent: its billing waits for it');
    }
    return true;
  }

  /** What lies further ahead than it can have been put was put there by a clock that was set back since. */
  #isAhead(untilMs: number, atMostMs: number): boolean {
    const leftMs = untilMs - this.#nowMs();
    return leftMs > 0 && leftMs <= atMostMs;
  }

  /** One subscription that cannot be billed must not keep the others waiting. */
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
      if (gateway !== 'not asked') this.#rests.note(gatewayId, { failed: gateway === 'silent' });
    } catch (error) {
      this.#pause(work, gatewayId);
      if (error instanceof Refused && error.code === 'GatewayFailed') {
        this.#rests.note(gatewayId, { failed: true });
      }
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
    if (pause === undefined) return false;
    return (
      this.#absent.has(pause.gatewayId) ||
      this.#isAhead(pause.untilMs, LONGEST_PAUSE_MS) ||
      this.#rests.restsUntilMs(pause.gatewayId) !== undefined
    );
  }

  #mayAtMs({ untilMs, gatewayId }: Pause): number {
    return Math.max(untilMs, this.#rests.restsUntilMs(gatewayId) ?? untilMs);
  }

  #pause(work: Named, gatewayId: number): void {
    const times = (this.#pauses.get(nameOf(work))?.times ?? 0) + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LONGEST_PAUSE_MS);
    this.#pauses.set(nameOf(work), { times, untilMs: this.#nowMs() + pauseMs, gatewayId });
  }

  /** A pause for the rest of a gateway; the work itself has not failed once more. */
  #restOf(gatewayId: number, work: Named): Pause {
    const times = this.#pauses.get(nameOf(work))?.times ?? 0;
    return { times, untilMs: this.#nowMs(), gatewayId };
  }

  /** Of those that somebody else has settled meanwhile. */
  #forgetOldPauses(): void {
    const longAgoMs = this.#nowMs() - LONGEST_PAUSE_MS;
    for (const [name, { untilMs }] of this.#pauses) {
      if (untilMs < longAgoMs) this.#pauses.delete(name);
    }
  }

  #nowMs(): number {
    return Date.parse(this.#options.commands.clock.now());
  }

  async #bill({ tenantId: tenant, subscriptionId, cycle, attempt }: DueRebill): Promise<Progress> {
    const { commands } = this.#options;
    const tenantId = tenant as TenantId;
    const named = { tenantId, subscriptionId, cycle, attempt };
    const { state, events } = await commands.execute(
      Subscription,
      { type: 'BeginRebill', ...named, transactionId: rebillId(named), at: commands.clock.now() },
      // The subscription knows a try that was begun: the same one may be due again with a new card.
      { commandId: uuidV7() },
      SYSTEM,
    );
    if (state === null) return UNTOUCHED;
    if (state.pending !== null) return this.#settle(tenantId, state);
    // It was frozen for want of a card; or nothing happened, and the list is not to be believed.
    if (events.length === 0) return UNTOUCHED;
    this.#figures.frozen += 1;
    return SETTLED;
  }

  async #takeUp({ tenantId: tenant, subscriptionId }: PendingRebill): Promise<Progress> {
    const tenantId = tenant as TenantId;
    const stream = Subscription.streamOf({ tenantId, subscriptionId });
    const state = await this.#options.commands.stateOf(Subscription, stream);
    return state === null || state.pending === null ? SETTLED : this.#settle(tenantId, state);
  }

  /** Charges the try that is under way, until its outcome is on record. */
  async #settle(tenantId: TenantId, before: Subscription.Subscription): Promise<Progress> {
    const { commands, rebills } = this.#options;
    const { gateway } = await rebills.charge(tenantId, before);
    const stream = Subscription.streamOf({ tenantId, subscriptionId: before.subscriptionId });
    const after = await commands.stateOf(Subscription, stream);
    const isSettled = after?.pending?.transactionId !== before.pending?.transactionId;
    if (!isSettled || after === null) return { isSettled, gateway };
    if (after.renewals > before.renewals) this.#figures.renewed += 1;
    else this.#figures.failed += 1;
    if (Subscription.isFrozen(after) && !Subscription.isFrozen(before)) this.#figures.frozen += 1;
    return { isSettled, gateway };
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
        [...this.#pauses.values()].filter(
          (pause) =>
            this.#absent.has(pause.gatewayId) ||
            this.#isAhead(this.#mayAtMs(pause), LONGEST_PAUSE_MS),
        ).length,
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
