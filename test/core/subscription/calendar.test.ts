/** Calendar plans: the dates of months and years, counted from the anchor. */
import { fold, Subscription } from '@counterfoil/core';
import { arbitraries, cadence } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, tryId } from './story.ts';

type State = Subscription.Subscription;
type Cadence = Subscription.Cadence;

const { cycleAt, DAY_MS, dueAt, gridFrom } = Subscription;

const dayOf = (at: string) => at.slice(0, 10);

function datesOf(first: string, every: Cadence, count: number): string[] {
  const grid = gridFrom(every, `${first}T10:00:00.000Z`);
  return Array.from({ length: count }, (_, index) => dayOf(dueAt(grid, index + 1)));
}

const every = (interval: Subscription.Interval, intervalCount = 1): Cadence => ({
  interval,
  intervalCount,
});

/** Dates without their year, which the first gives. */
const GOLDEN: readonly (readonly [string, Cadence, string])[] = [
  [
    '2026-01-31',
    every('month'),
    '01-31 02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31 01-31',
  ],
  ['2024-01-31', every('month'), '01-31 02-29 03-31 04-30 05-31 06-30 07-31'],
  ['2000-01-30', every('month'), '01-30 02-29 03-30 04-30'],
  ['1900-01-30', every('month'), '01-30 02-28 03-30 04-30'],
  ['2025-12-29', every('month'), '12-29 01-29 02-28 03-29'],
  ['2027-12-29', every('month'), '12-29 01-29 02-29 03-29'],
  ['2026-01-15', every('month'), '01-15 02-15 03-15 04-15'],
  ['2026-02-28', every('month'), '02-28 03-28 04-28'],
  ['2026-08-31', every('month', 3), '08-31 11-30 02-28 05-31 08-31'],
  ['2026-08-31', every('month', 6), '08-31 02-28 08-31 02-29 08-31'],
  ['2024-02-29', every('year'), '02-29 02-28 02-28 02-28 02-29 02-28'],
  ['2024-02-29', every('year', 4), '02-29 02-29 02-29'],
  ['2096-02-29', every('year', 4), '02-29 02-28 02-29'],
  ['2024-02-29', every('month', 12), '02-29 02-28 02-28 02-28 02-29'],
  ['2026-12-31', every('week'), '12-31 01-07 01-14 01-21'],
  ['2024-02-28', every('day', 2), '02-28 03-01 03-03'],
];

describe('the dates of a plan', () => {
  it.each(GOLDEN)('from %s, every %o', (first, how, expected) => {
    const dates = datesOf(first, how, expected.split(' ').length);
    expect(dates.map((date) => date.slice(5)).join(' ')).toBe(expected);
  });

  it('keep their time of the day', () => {
    const grid = gridFrom(every('month'), '2026-01-31T23:59:59.999Z');
    expect(dueAt(grid, 2)).toBe('2026-02-28T23:59:59.999Z');
    expect(cycleAt(grid, '2026-02-28T23:59:59.998Z')).toBe(1);
    expect(cycleAt(grid, '2026-02-28T23:59:59.999Z')).toBe(2);
  });
});

describe('for every anchor and plan', () => {
  const cycles = fc.integer({ min: -50, max: 500 });

  it('dates ascend, and each is the same however it is reached', () => {
    fc.assert(
      fc.property(arbitraries.instant(), cadence(), cycles, (anchorAt, how, cycle) => {
        const grid = gridFrom(how, anchorAt);
        const due = dueAt(grid, cycle);
        expect(due < dueAt(grid, cycle + 1)).toBe(true);
        expect(cycleAt(grid, due)).toBe(cycle);
        const justBefore = new Date(Date.parse(due) - 1).toISOString();
        expect(cycleAt(grid, justBefore)).toBe(cycle - 1);
        // Counted from any other of its dates, by the same day of the month.
        const moved = { ...grid, anchorCycle: cycle, anchorAt: due };
        expect(dueAt(moved, cycle + 7)).toBe(dueAt(grid, cycle + 7));
      }),
    );
  });

  it('months and years fall on the day of the anchor, or on the last of a shorter month', () => {
    const calendar = cadence().filter(Subscription.isOfCalendar);
    fc.assert(
      fc.property(arbitraries.instant(), calendar, cycles, (anchorAt, how, cycle) => {
        const [year = 0, month = 0, day = 0] = dayOf(anchorAt).split('-').map(Number);
        const passed = (cycle - 1) * how.intervalCount * (how.interval === 'year' ? 12 : 1);
        const index = year * 12 + month - 1 + passed;
        const due = new Date(dueAt(gridFrom(how, anchorAt), cycle));
        expect(due.getUTCFullYear() * 12 + due.getUTCMonth()).toBe(index);
        const isLastDay = new Date(due.getTime() + DAY_MS).getUTCDate() === 1;
        expect(due.getUTCDate() === day || (isLastDay && due.getUTCDate() < day)).toBe(true);
        expect(due.toISOString().slice(10)).toBe(anchorAt.slice(10));
      }),
    );
  });

  it('days and weeks are so many times 24 hours', () => {
    fc.assert(
      fc.property(
        arbitraries.instant(),
        fc.integer({ min: 1, max: 500 }),
        cycles,
        (anchorAt, count, cycle) => {
          const passed = (how: Cadence) =>
            Date.parse(dueAt(gridFrom(how, anchorAt), cycle)) - Date.parse(anchorAt);
          expect(passed(every('day', count))).toBe((cycle - 1) * count * DAY_MS);
          expect(passed(every('week', count))).toBe(passed(every('day', 7 * count)));
        },
      ),
    );
  });
});

const MONTHLY = { ...ask.start().plan, ...every('month') };

function started(at: string, plan: Partial<Subscription.Plan> = {}): State {
  return carriedOut(null, ask.start({ at, plan: { ...MONTHLY, ...plan } }));
}

function carriedOut(state: Subscription.State, command: Subscription.Command): State {
  const decision = Subscription.decide(state, command);
  if (decision._tag === 'Left') throw new Error(decision.left.type);
  return fold({ ...Subscription, initial: state }, decision.right) as State;
}

/** Pays the cycle that is next, late by some hours. */
function paid(state: State, lateHours = 0): State {
  const { cycle, attempt, rebillAt } = state;
  const at = Subscription.later(rebillAt ?? '', lateHours / 24);
  const one = { cycle, attempt: attempt + 1, transactionId: tryId(cycle), at };
  return carriedOut(carriedOut(state, ask.begin(one)), ask.renewed(one));
}

describe('a subscription by the month', () => {
  it('does not drift over years of late charges', () => {
    let state = started('2026-01-31T10:00:00.000Z');
    const dates: string[] = [];
    for (let n = 0; n < 26; n += 1) {
      dates.push(dayOf(state.rebillAt ?? ''));
      state = paid(state, 100);
    }
    expect(dates).toEqual(datesOf('2026-01-31', every('month'), 27).slice(1));
  });

  it('is counted from the end of its trial', () => {
    const state = started('2026-01-17T10:00:00.000Z', { trialDays: 14 });
    expect(state.rebillAt).toBe('2026-01-31T10:00:00.000Z');
    expect(paid(state).rebillAt).toBe('2026-02-28T10:00:00.000Z');
    expect(paid(paid(state)).rebillAt).toBe('2026-03-31T10:00:00.000Z');
  });

  it('shows the days of the present cycle as its frequency', () => {
    let state = started('2026-01-31T10:00:00.000Z');
    const days: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      days.push(Subscription.frequencyOf(state));
      state = paid(state);
    }
    expect(days).toEqual([28, 31, 30, 31]);
    const inTrial = started('2026-01-17T10:00:00.000Z', { trialDays: 14 });
    expect(Subscription.frequencyOf(inTrial)).toBe(28);
    expect(Subscription.frequencyOf(paid(inTrial))).toBe(28);
  });

  it('keeps its day when the amount or the months change in a short month', () => {
    const inFebruary = started('2026-01-31T10:00:00.000Z');
    const at = '2026-02-10T00:00:00.000Z';
    const dearer = carriedOut(inFebruary, ask.changePlan({ rebillAmountMinor: 1n }, at));
    expect(dearer.rebillAt).toBe('2026-02-28T10:00:00.000Z');
    expect(paid(dearer).rebillAt).toBe('2026-03-31T10:00:00.000Z');
    const rarer = carriedOut(inFebruary, ask.changePlan(every('month', 3), at));
    expect(paid(rarer).rebillAt).toBe('2026-05-31T10:00:00.000Z');
    const yearly = carriedOut(rarer, ask.changePlan(every('year'), at));
    expect(paid(paid(yearly)).rebillAt).toBe('2028-02-29T10:00:00.000Z');
  });

  it('takes the day of its next charge when it was counted in days before', () => {
    const daily = started('2026-01-01T10:00:00.000Z', every('day', 30));
    const monthly = carriedOut(daily, ask.changePlan(every('month'), '2026-01-10T00:00:00.000Z'));
    expect(monthly.rebillAt).toBe('2026-01-31T10:00:00.000Z');
    expect(paid(monthly).rebillAt).toBe('2026-02-28T10:00:00.000Z');
    expect(paid(paid(monthly)).rebillAt).toBe('2026-03-31T10:00:00.000Z');
  });

  it('skips the months that passed while it was frozen', () => {
    const state = started('2026-01-31T10:00:00.000Z');
    const frozen = carriedOut(state, ask.freeze({ at: '2026-02-01T00:00:00.000Z' }));
    const billed = carriedOut(frozen, ask.unfreeze('2026-06-15T00:00:00.000Z'));
    expect(billed).toMatchObject({ cycle: 6, rebillAt: '2026-06-30T10:00:00.000Z' });
  });

  it('has its coming dates in the schedule', () => {
    const { dunning } = ask.failed();
    const { charges } = Subscription.scheduleOf(started('2027-10-31T10:00:00.000Z'), dunning, 6);
    const dates = charges.map(({ at }) => dayOf(at)).join(' ');
    expect(dates).toBe('2027-11-30 2027-12-31 2028-01-31 2028-02-29 2028-03-31 2028-04-30');
  });
});

describe('the monthly amount of a plan', () => {
  it.each([
    [every('month'), 1_000n, 1_000n],
    [every('month', 3), 1_000n, 333n],
    [every('month', 8), 1_004n, 126n],
    [every('month', 8), 1_020n, 128n],
    [every('year'), 12_000n, 1_000n],
    [every('year', 2), 12_000n, 500n],
    [every('day', 30), 1_000n, 1_015n],
    [every('day'), 1_000n, 30_437n],
    [every('week'), 1_000n, 4_348n],
  ])('every %o for %s is %s', (how, amountMinor, expected) => {
    expect(Subscription.monthlyMinor(how, amountMinor)).toBe(expected);
  });
});
