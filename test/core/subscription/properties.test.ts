/** What holds in every life of a subscription, whatever comes and in whatever order. */
import { fold, Subscription, Tenant, type TransactionId } from '@counterfoil/core';
import {
  type SubscriptionHistory,
  type SubscriptionStep,
  startSubscription,
  subscriptionHistory,
} from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, card, tryId } from './story.ts';

type Event = Subscription.Event;
type State = Subscription.Subscription;

const { DAY_MS, INTERVALS } = Subscription;
const { dunning } = Tenant.DEFAULT_SETTINGS;
const RETRIES = dunning.retryAfterDays.length;

function daily(intervalCount: number): Subscription.Plan {
  return { ...ask.start().plan, interval: 'day', intervalCount };
}

function eventsOfType<Type extends Event['type']>(events: readonly Event[], type: Type) {
  return events.filter((event): event is Subscription.EventOf<Type> => event.type === type);
}

/** Every step that a history took, with the subscription as it stood after it. */
function afterEach(
  { steps }: SubscriptionHistory,
  check: (after: State, step: SubscriptionStep) => void,
): void {
  for (const step of steps) if (step.after !== null) check(step.after, step);
}

function always(check: (history: SubscriptionHistory) => void): void {
  fc.assert(fc.property(subscriptionHistory(), check));
}

describe('in every history', () => {
  it('a cycle is paid at most once, and a later one never before', () => {
    always(({ events }) => {
      const cycles = eventsOfType(events, 'SubscriptionRenewed').map(({ cycle }) => cycle);
      expect(cycles).toEqual([...new Set(cycles)].sort((a, b) => a - b));
    });
  });

  it('it is active exactly until it is ended', () => {
    always((history) => {
      let ended = false;
      afterEach(history, (after, { events }) => {
        ended ||= eventsOfType(events, 'SubscriptionUnsubscribed').length > 0;
        expect(Subscription.isActive(after)).toBe(!ended);
        expect(after.unsubscribedAt !== null).toBe(ended);
        expect(after.unsubscribeReason !== null).toBe(ended);
      });
      expect(eventsOfType(history.events, 'SubscriptionUnsubscribed').length).toBeLessThan(2);
    });
  });

  it('what is inactive or frozen has no date, and is not billed', () => {
    always((history) => {
      afterEach(history, (after, { command }) => {
        const open = Subscription.isActive(after) && !Subscription.isFrozen(after);
        expect(after.rebillAt !== null).toBe(open);
        expect(after.freezeReason !== null).toBe(Subscription.isFrozen(after));
        if (open) return;
        const { cycle, attempt } = after;
        const next = { cycle, attempt: attempt + 1, transactionId: tryId(cycle, attempt + 1) };
        const decided = Subscription.decide(after, ask.begin({ ...next, at: command.at }));
        expect(decided).toMatchObject({ _tag: 'Left' });
      });
    });
  });

  it('one try is under way at a time, begun when it was due', () => {
    always(({ steps }) => {
      for (const { before, events } of steps) {
        for (const due of eventsOfType(events, 'RebillDue')) {
          expect(before?.pending).toBeNull();
          expect(before?.rebillAt !== null && (before?.rebillAt ?? '') <= due.at).toBe(true);
        }
      }
    });
  });

  it('tries are numbered one by one: within their cycle, and over all', () => {
    always((history) => {
      const dues = eventsOfType(history.events, 'RebillDue');
      expect(dues.map(({ totalAttempt }) => totalAttempt)).toEqual(dues.map((_, n) => n + 2));
      for (const cycle of new Set(dues.map((due) => due.cycle))) {
        const attempts = dues.filter((due) => due.cycle === cycle).map(({ attempt }) => attempt);
        expect(attempts).toEqual(attempts.map((_, n) => n + 1));
      }
      afterEach(history, (after) => {
        expect(after.totalAttempt).toBeGreaterThan(after.attempt);
        expect(after.renewals).toBeLessThan(after.totalAttempt);
      });
    });
  });

  it('retries and new cards bound the tries of a cycle', () => {
    always(({ events }) => {
      let cycle = 0;
      let allowed = 0;
      for (const event of events) {
        if (event.type === 'CardChanged') allowed += 1;
        if (event.type !== 'RebillDue') continue;
        if (event.cycle !== cycle) allowed = 1 + RETRIES;
        cycle = event.cycle;
        expect(event.attempt).toBeLessThanOrEqual(allowed);
      }
    });
  });

  it('repeated commands change nothing, in any order', () => {
    fc.assert(
      fc.property(subscriptionHistory(), fc.func(fc.nat()), ({ steps, state, events }, order) => {
        const reported = steps
          .filter(({ rejection }) => rejection === undefined)
          .map(({ command }) => command)
          .filter(({ type }) => ONCE.has(type))
          .sort((a, b) => order(a.at) - order(b.at));
        // Both outcomes of every try that is settled: the other one comes too late.
        const settled = eventsOfType(events, 'RebillDue')
          .filter(({ transactionId }) => transactionId !== state?.pending?.transactionId)
          .flatMap(({ type: _, totalAttempt: __, ...one }) => [ask.renewed(one), ask.failed(one)]);
        for (const command of [...reported.filter((each) => isSettled(each, state)), ...settled]) {
          expect(Subscription.decide(state, command)).toEqual({ _tag: 'Right', right: [] });
        }
      }),
    );
  });

  it('folds the same, all at once or one by one', () => {
    always(({ events, state }) => {
      expect(fold(Subscription, events)).toStrictEqual(state);
    });
  });
});

const ONCE: ReadonlySet<string> = new Set([
  'StartSubscription',
  'BeginRebill',
  'RecordRenewal',
  'RecordRebillFailure',
  'Unsubscribe',
]);

/** Everything but the outcome that is still waited for, and an end that has not come. */
function isSettled(command: Subscription.Command, state: Subscription.State): boolean {
  if (command.type !== 'BeginRebill') return true;
  // A try that was not begun, for want of a card, may be asked for once more.
  return state !== null && isBehind(state, command);
}

function isBehind(state: State, { cycle, attempt }: Subscription.CommandOf<'BeginRebill'>) {
  return cycle < state.cycle || (cycle === state.cycle && attempt <= state.attempt);
}

/** Starts about the days that calendars are unsure of: leap days, ends of months, changes of the clock. */
const awkwardStart = fc
  .tuple(
    fc.constantFrom(
      '2024-02-28T23:30:00.000Z',
      '2024-02-29T00:00:00.000Z',
      '2023-12-31T23:59:59.999Z',
      '2025-01-31T12:00:00.000Z',
      '2025-03-30T00:59:59.000Z',
      '2025-10-26T01:00:00.000Z',
      '1999-12-31T00:00:00.000Z',
      '2100-02-28T06:00:00.000Z',
    ),
    fc.integer({ min: -DAY_MS, max: DAY_MS }),
  )
  .map(([about, offMs]) => new Date(Date.parse(about) + offMs).toISOString());

const CYCLES = 120;

describe('the dates', () => {
  /** Longer than all retries together, so that no cycle is skipped. */
  const frequency = fc.oneof(fc.constantFrom(30, 31, 28, 365, 8), fc.integer({ min: 8, max: 400 }));

  it('never drift in 120 cycles, however late a retry succeeds', () => {
    fc.assert(
      fc.property(
        awkwardStart,
        frequency,
        fc.nat(60),
        fc.array(fc.nat(RETRIES), { minLength: CYCLES, maxLength: CYCLES }),
        fc.array(fc.nat(DAY_MS - 1), { minLength: CYCLES, maxLength: CYCLES }),
        (at, frequencyDays, trialDays, declines, delays) => {
          const plan = { ...daily(frequencyDays), trialDays };
          let state = decidedOn(null, ask.start({ at, plan }));
          const first = Date.parse(at) + (trialDays || frequencyDays) * DAY_MS;
          for (let n = 0; n < CYCLES; n += 1) {
            const due = new Date(first + n * frequencyDays * DAY_MS).toISOString();
            expect(state).toMatchObject({ cycle: n + 2, attempt: 0, rebillAt: due });
            state = billed(state, { declines: declines[n] ?? 0, delayMs: delays[n] ?? 0 });
          }
          expect(state.renewals).toBe(CYCLES);
          const tries = declines.reduce((sum, each) => sum + each, 0) + CYCLES;
          expect(state.totalAttempt).toBe(1 + tries);
        },
      ),
    );
  });

  it('stay on the grid of the plan, whatever happens', () => {
    always((history) => {
      afterEach(history, (after) => {
        const { rebillAt, cycle, attempt, pending } = after;
        if (rebillAt === null || attempt > 0 || pending !== null) return;
        const due = Subscription.dueAt(after, cycle);
        // A new card pays the running cycle at once; all else waits for its date.
        const running = Subscription.cycleAt(after, rebillAt) === cycle;
        expect(rebillAt === due || (rebillAt > due && running)).toBe(true);
      });
    });
  });
});

/** Bills the next cycle: so many declines, each try late by less than a day, then success. */
function billed(state: State, { declines, delayMs }: { declines: number; delayMs: number }): State {
  let present = state;
  for (let n = 0; n <= declines; n += 1) {
    const { cycle, attempt, rebillAt } = present;
    // Only the last try comes late: a late one moves the retries behind it.
    const late = n === declines ? delayMs : 0;
    const at = new Date(Date.parse(rebillAt ?? '') + late).toISOString();
    const one = { cycle, attempt: attempt + 1, transactionId: tryId(cycle, attempt + 1), at };
    present = decidedOn(present, ask.begin(one));
    present = decidedOn(present, n === declines ? ask.renewed(one) : ask.failed(one));
  }
  return present;
}

function decidedOn(state: Subscription.State, command: Subscription.Command): State {
  const decision = Subscription.decide(state, command);
  if (decision._tag === 'Left') throw new Error(decision.left.type);
  const next = decision.right.reduce(Subscription.evolve, state);
  if (next === null) throw new Error('there is no subscription');
  return next;
}

/** What a worker, a gateway or a person does next. Workers may look at a past that is gone. */
interface Move {
  readonly kind: 'begin' | 'begin' | 'report' | 'report' | 'again' | 'person' | 'clock';
  readonly pick: number;
  readonly staleBy: number;
  readonly clockMs: number;
}

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('begin', 'begin', 'report', 'report', 'again', 'person', 'clock'),
  pick: fc.nat(999),
  staleBy: fc.nat(3),
  clockMs: fc.oneof(
    { weight: 8, arbitrary: fc.nat(20 * DAY_MS) },
    { weight: 1, arbitrary: fc.constant(366 * DAY_MS) },
    { weight: 1, arbitrary: fc.integer({ min: -400 * DAY_MS, max: 0 }) },
  ),
});

/** One subscription in the hands of several workers, a gateway that answers when it likes, and people. */
class Billing {
  readonly states: State[];
  readonly events: Event[] = [];
  /** What the gateway made of each try that was begun; it is asked once for each. */
  readonly outcomes = new Map<TransactionId, { one: Try; approved: boolean }>();
  now: number;

  constructor(start: Subscription.CommandOf<'StartSubscription'>) {
    this.states = [decidedOn(null, start)];
    this.now = Date.parse(start.at);
  }

  get state(): State {
    return this.states.at(-1) as State;
  }

  take({ kind, pick, staleBy, clockMs }: Move): void {
    const at = new Date(this.now).toISOString();
    switch (kind) {
      case 'begin': {
        const seen = this.states.at(-1 - staleBy) ?? this.state;
        const { cycle, attempt } = seen;
        const one = { cycle, attempt: attempt + 1, transactionId: tryId(cycle, attempt + 1) };
        const begun = this.#decide(ask.begin({ ...one, at }));
        // The process that began it submits the payment; so does one that finds it begun.
        if (begun && this.state.pending?.transactionId === one.transactionId) {
          const charged = this.outcomes.get(one.transactionId);
          if (charged === undefined) {
            this.outcomes.set(one.transactionId, { one, approved: pick % 3 > 0 });
          }
        }
        return;
      }
      case 'report':
      case 'again': {
        const known = [...this.outcomes.values()];
        const reported =
          known[kind === 'report' ? known.length - 1 : pick % Math.max(1, known.length)];
        if (reported === undefined) return;
        const { one, approved } = reported;
        const failure = { ...one, at, hard: pick % 11 === 0, retryInsufficientFunds: true };
        this.#decide(approved ? ask.renewed({ ...one, at }) : ask.failed(failure));
        return;
      }
      case 'person':
        this.#decide(personal(pick, at));
        return;
      case 'clock':
        this.now += clockMs;
        return;
    }
  }

  #decide(command: Subscription.Command): boolean {
    const decision = Subscription.decide(this.state, command);
    if (decision._tag === 'Left') return false;
    this.events.push(...decision.right);
    const next = decision.right.reduce<Subscription.State>(Subscription.evolve, this.state);
    if (next !== null) this.states.push(next);
    return true;
  }
}

type Try = { cycle: number; attempt: number; transactionId: TransactionId };

function personal(pick: number, at: string): Subscription.Command {
  const fingerprint = String(pick % 4);
  switch (pick % 6) {
    case 0:
      return ask.freeze({ at });
    case 1:
    case 2:
      return ask.unfreeze(at);
    case 3:
      return ask.changePlan(
        { interval: INTERVALS[pick % INTERVALS.length] ?? 'day', intervalCount: 1 + (pick % 40) },
        at,
      );
    case 4:
      return ask.changeCard({ ...card, token: `tok_${pick % 9}`, fingerprint }, at);
    default:
      return pick % 5 === 0 ? ask.unsubscribe({ at }) : ask.unfreeze(at);
  }
}

describe('under any interleaving of workers, outcomes, people and clock jumps', () => {
  const start = startSubscription().map((command) => ({ ...command, card: ask.start().card }));
  const moves = fc.array(move, { maxLength: 120, size: 'max' });

  it('a cycle is charged at most once, and what was charged is on record', () => {
    fc.assert(
      fc.property(start, moves, (command, drawn) => {
        const billing = new Billing({ ...command, tenantId: ask.start().tenantId });
        for (const each of drawn) billing.take(each);
        const approved = [...billing.outcomes.values()].filter((each) => each.approved);
        const charged = approved.map(({ one }) => one.cycle);
        expect(charged).toEqual([...new Set(charged)]);
        const renewals = eventsOfType(billing.events, 'SubscriptionRenewed');
        const recorded = renewals.map(({ cycle }) => cycle);
        expect(recorded).toEqual([...new Set(recorded)]);
        const awaited = billing.state.pending?.transactionId;
        const known = charged.filter(
          (cycle, n) => approved[n]?.one.transactionId !== awaited || recorded.includes(cycle),
        );
        expect(new Set(recorded)).toEqual(new Set(known));
      }),
    );
  });

  it('a jump of the clock by a year leads to one charge, and a jump back to none', () => {
    fc.assert(
      fc.property(start, fc.integer({ min: 1, max: 400 }), (command, frequencyDays) => {
        const plan = { ...command.plan, ...daily(frequencyDays), trialDays: 0 };
        const started = decidedOn(null, { ...command, plan });
        const jumped = new Date(Date.parse(command.at) + 401 * DAY_MS).toISOString();
        const one = { cycle: 2, attempt: 1, transactionId: tryId(2), at: jumped };
        const paid = decidedOn(decidedOn(started, ask.begin(one)), ask.renewed(one));
        expect(paid.rebillAt !== null && paid.rebillAt > jumped).toBe(true);
        const next = { cycle: paid.cycle, attempt: 1, transactionId: tryId(paid.cycle) };
        for (const at of [jumped, command.at]) {
          const decided = Subscription.decide(paid, ask.begin({ ...next, at }));
          expect(decided).toMatchObject({ _tag: 'Left', left: { type: 'RebillNotDue' } });
        }
      }),
    );
  });
});
