/** Billing over months of clock time: by the worker, within the limits of the networks, and as the report and the books say. */

import { afterEach, describe, expect, test } from 'vitest';
import { present } from './api.ts';
import {
  DAY_MS,
  MINUTE_MS,
  PLAN,
  REBILL_CARDS,
  startTimedHost,
  Timed,
  type TimedOptions,
} from './contract-host.ts';
import { CARDS, card, eventually, type Json, openTenant, startHost } from './running-host.ts';

let timed: Timed;

async function started(options?: TimedOptions): Promise<Timed> {
  timed = await startTimedHost(options);
  return timed;
}

afterEach(() => timed.close());

/** A member whose first payment was approved and whose every rebill is declined softly. */
async function unlucky(changes: Json = {}): Promise<number> {
  const id = await timed.subscribed(changes);
  const { status, text } = await timed.act(id, 'card', { card: card(CARDS.doNotHonour) });
  expect(status, text).toBe(200);
  return id;
}

const days = (from: string | number, to: string | number): number =>
  (new Date(to).getTime() - new Date(from).getTime()) / DAY_MS;

/** The try of a cycle, its application, and whether it succeeded. */
const triesOf = (rebills: readonly Json[]): unknown[] =>
  rebills.map((each) => [each.paymentNumber, each.attempt, each.application, each.success]);

const FIVE_FAILED = [
  [2, 1, 'Rebill', false],
  [2, 2, 'Rebill retry', false],
  [2, 3, 'Rebill retry', false],
  [2, 4, 'Rebill retry', false],
  [2, 5, 'Rebill retry', false],
];

/** What must hold of every subscription's rebills, whatever was declined. */
function expectSoundRebills(rebills: readonly Json[]): void {
  const paid = rebills.filter(({ success }) => success).map((each) => each.paymentNumber);
  expect(new Set(paid).size, 'a cycle is paid once').toBe(paid.length);
  let [cycle, attempt] = [1, 1];
  for (const each of rebills) {
    const isRetry = each.paymentNumber === cycle;
    attempt = isRetry ? attempt + 1 : 1;
    expect(each.paymentNumber).toBeGreaterThanOrEqual(cycle);
    cycle = each.paymentNumber;
    expect(each.attempt).toBe(attempt);
    expect(each.applicationId).toBe(isRetry ? 4 : 3);
    expect(each.application).toBe(isRetry ? 'Rebill retry' : 'Rebill');
    expect(each.applicationId2).toBe(each.applicationId);
    expect(each.application2).toBe(each.application);
  }
}

describe('dates', () => {
  test('the worker bills without a move of the clock past the date', async () => {
    await started();
    const id = await timed.subscribed();
    const { rebillDate } = await timed.subscription(id);
    await timed.moveTo(Date.parse(rebillDate) - 1_000);
    const [rebill] = await eventually(
      () => timed.rebills(id),
      (rebills) => rebills.some(({ success }) => success),
    );
    expect(Date.parse(rebill.sent)).toBeGreaterThanOrEqual(Date.parse(rebillDate));
    expect(days(rebillDate, (await timed.subscription(id)).rebillDate)).toBe(30);
  });

  test('while many move the clock over it, a cycle is charged once', async () => {
    await started();
    const ids = [await timed.subscribed(), await unlucky({ email: 'unlucky@example.com' })];
    await timed.moveDays(29.9);
    await Promise.all(Array.from({ length: 6 }, () => timed.moveDays(2)));
    expect(triesOf(await timed.rebills(ids[0] as number))).toEqual([[2, 1, 'Rebill', true]]);
    expect(triesOf(await timed.rebills(ids[1] as number))).toEqual(FIVE_FAILED);
  });
});

describe('what is declined', () => {
  test('the days of retries are those of the tenant', async () => {
    await started({
      settings: { dunning: { retryAfterDays: [2, 9], mails: [] } },
    });
    const id = await unlucky();
    const { rebillDate } = await timed.subscription(id);
    const { ifDeclined } = await timed.schedule(id);
    await timed.moveDays(60);
    const rebills = await timed.rebills(id);
    expect(rebills.map(({ sent }) => Math.round(days(rebillDate, sent)))).toEqual([0, 2, 9]);
    expect(ifDeclined.map(({ action, mail }: Json) => [action, mail])).toEqual([
      ['retry', null],
      ['retry', null],
      ['freeze', null],
    ]);
    expect(await timed.subscription(id)).toMatchObject({ frozen: true });
  });
});

describe('the schedule', () => {
  const short = (each: Json): unknown[] => [each.paymentNumber, each.attempt, each.amount];

  test('predicts the charges of a year', async () => {
    await started();
    const id = await timed.subscribed({ subscription: { ...PLAN, trialDays: 10 } });
    const { charges } = await timed.schedule(id, 12);
    expect(charges).toHaveLength(12);
    for (const { date } of charges) await timed.moveJustPast(date);
    const rebills = await timed.rebills(id);
    expect(rebills.map(short)).toEqual(charges.map(short));
    for (const [index, { sent }] of rebills.entries()) {
      expect(Math.abs(days(present(charges[index]).date, sent)) * DAY_MS).toBeLessThan(MINUTE_MS);
    }
  });
});

describe('the limit of the networks', () => {
  const bring = (id: number, number: string) => timed.act(id, 'card', { card: card(number) });

  /** No 30 days may hold more failed tries of one card than the limit. */
  function expectWithinLimit(rebills: readonly Json[]): void {
    for (const tries of Map.groupBy(rebills, ({ last4 }) => last4).values()) {
      const at = tries.filter(({ success }) => !success).map(({ sent }) => Date.parse(sent));
      for (const from of at) {
        const within = at.filter((each) => each >= from && each < from + 30 * DAY_MS);
        expect(within.length).toBeLessThanOrEqual(15);
      }
    }
  }

  test('holds within one hour, too, when two cards are brought to and fro', async () => {
    await started();
    const id = await unlucky();
    await timed.moveDays(40);
    for (let turn = 0; turn < 40; turn += 1) {
      expect(
        (await bring(id, turn % 2 === 0 ? CARDS.insufficientFunds : CARDS.doNotHonour)).status,
      ).toBe(200);
      await timed.moveTo((await timed.now()) + 90_000);
    }
    expectWithinLimit(await timed.rebills(id));
    expect(await timed.subscription(id)).toMatchObject({ freezeReason: 'network-limit' });
  });
});

describe('a clock that jumps', () => {
  const billed = (id: number, count: number) =>
    eventually(
      () => timed.rebills(id),
      (rebills) => rebills.filter(({ success }) => success).length >= count,
    );

  test('back and ahead again does not charge twice', async () => {
    // Set by hand, as a machine's may be, and not moved step by step.
    let now = Date.parse('2031-01-31T10:00:00.000Z');
    const jump = (by: number) => {
      now += by * DAY_MS;
    };
    const running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
    timed = new Timed(running, await openTenant(running, 70));
    const [id, witness] = [await timed.subscribed(), await timed.subscribed()];
    await timed.act(witness, 'plan', { frequency: 10 });
    jump(31);
    await billed(id, 1);
    await billed(witness, 1);
    jump(-31);
    jump(31);
    jump(-20);
    jump(30);
    // The witness is due again, so that the worker is known to have looked.
    await billed(witness, 2);
    expect(await timed.rebills(id)).toMatchObject([{ paymentNumber: 2, success: true }]);
    expect((await timed.caller.balances())['sales']).toBeCloseTo(-200 - 3 * 19.95, 6);
  });
});

const cents = (amount: number): number => Math.round(amount * 100);
const sumOf = (records: readonly Json[]): number =>
  records.reduce((sum, { amount }) => sum + cents(amount), 0);
const successful = (records: readonly Json[]): Json[] => records.filter(({ success }) => success);
const monthOf = (instant: string): string => instant.slice(0, 7);

/** The sum of the rows must be the totals, and each month must begin where the last one ended. */
function expectSoundReport({ months, totals }: Json): void {
  for (const name of ['joined', 'renewed', 'frozen', 'unfrozen', 'left']) {
    const sum = months.reduce((all: number, each: Json) => all + each[name], 0);
    expect(totals[name], name).toBe(sum);
  }
  const revenue = months.reduce((all: number, each: Json) => all + cents(each.revenue), 0);
  expect(cents(totals.revenue)).toBe(revenue);
  let before = months[0].activeAtStart;
  for (const each of months) {
    expect(each.activeAtStart).toBe(before);
    expect(each.activeAtEnd).toBe(each.activeAtStart + each.joined - each.left);
    expect(each.churnRate).toEqual(
      each.activeAtStart === 0 ? null : expect.closeTo(each.left / each.activeAtStart, 6),
    );
    expect(each.frozenAtEnd).toBeLessThanOrEqual(each.activeAtEnd);
    before = each.activeAtEnd;
  }
}

/** Joins, stays, is declined, freezes and leaves over a year; the ids of all members. */
async function liveAYear(): Promise<number[]> {
  const ids: number[] = [];
  const join = async (number: string, plan: Json = {}) => {
    const email = `member-${ids.length}@example.com`;
    ids.push(await timed.subscribed({ email, subscription: { ...PLAN, ...plan } }, number));
  };
  for (let each = 0; each < 4; each += 1) await join(REBILL_CARDS.oneInFour);
  await join(CARDS.approve, { frequency: 7, rebillAmount: 3.33 });
  await join(CARDS.approve, { trialDays: 45 });
  await join(REBILL_CARDS.stolen);
  await timed.moveDays(100);
  await join(REBILL_CARDS.insufficientFunds);
  await join(CARDS.approve);
  await timed.unsubscribe({ email: 'member-1@example.com' });
  await timed.moveDays(100);
  await timed.act(ids[6] as number, 'card', { card: card() });
  await timed.unsubscribe({ email: 'member-7@example.com' });
  await timed.moveDays(165);
  return ids;
}

describe('a year', () => {
  test('of the club: what was charged is what is reported and what is in the books', async () => {
    await started({ at: '01-05T00:30:00.000Z' });
    const begun = monthOf(new Date(await timed.now()).toISOString());
    const ids = await liveAYear();
    const now = monthOf(new Date(await timed.now()).toISOString());
    const records = (await Promise.all(ids.map((id) => timed.records(id)))).flat();
    const rebillsOfEach = await Promise.all(ids.map((id) => timed.rebills(id)));
    for (const each of rebillsOfEach) expectSoundRebills(each);
    const rebills = rebillsOfEach.flat();
    const paid = successful(rebills);
    expect(paid.length).toBeGreaterThan(80);
    expect(rebills.length).toBeGreaterThan(paid.length);

    const { currencies } = await timed.recurring(`from=${begun}&to=${now}`);
    expect(currencies).toHaveLength(1);
    const [{ currency, months, totals }] = currencies;
    expect(currency).toBe('GBP');
    expectSoundReport({ months, totals });
    expect(cents(totals.revenue)).toBe(sumOf(paid));
    expect(totals).toMatchObject({ joined: ids.length, renewed: paid.length, left: 2 });
    for (const { month, renewed, revenue } of months) {
      const ofMonth = paid.filter(({ completed }) => monthOf(completed) === month);
      expect([month, renewed, cents(revenue)]).toEqual([month, ofMonth.length, sumOf(ofMonth)]);
    }

    const books = await timed.caller.balances();
    expect(cents(-(books['sales'] ?? 0))).toBe(sumOf(successful(records)));
    expect(cents(-(books['sales'] ?? 0)) - cents(totals.revenue)).toBe(ids.length * 10_000);
    expect(books['acquirer-receivable']).toBeCloseTo(-(books['sales'] ?? 0), 6);
  });

  test('in which members change and leave while time passes: each cycle once, and the sums agree', async () => {
    await started();
    const plan = { ...PLAN, frequency: 1, rebillAmount: 1 };
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        timed.subscribed({ email: `member-${index}@example.com`, amount: 1, subscription: plan }),
      ),
    );
    await Promise.all([
      timed.moveDays(10),
      ...ids.slice(0, 20).map((id) => timed.act(id, 'plan', { rebillAmount: 2 })),
      ...ids.slice(20, 30).map((id) => timed.act(id, 'unsubscribe')),
      ...ids.slice(30).map((id) => timed.act(id, 'card', { card: card(CARDS.networkB) })),
    ]);
    const rebills = await Promise.all(ids.map((id) => timed.rebills(id)));
    for (const each of rebills) {
      const cycles = each.map(({ paymentNumber }) => paymentNumber);
      expect(cycles).toEqual(cycles.map((_, index) => index + 2));
      expect(successful(each)).toHaveLength(each.length);
    }
    const counts = rebills.map(({ length }) => length);
    expect([...counts.slice(0, 20), ...counts.slice(30)]).toEqual(Array(30).fill(10));
    const { totals } = (await timed.recurring()).currencies[0];
    expect(totals).toMatchObject({ joined: 40, left: 10, renewed: rebills.flat().length });
    expect(cents(totals.revenue)).toBe(sumOf(rebills.flat()));
    const { sales = 0 } = await timed.caller.balances();
    expect(cents(-sales)).toBe(sumOf(rebills.flat()) + 40 * 100);
  });

  test('refunds and chargebacks of renewals do not change the report', async () => {
    await started();
    const id = await timed.subscribed();
    await timed.moveDays(61);
    const [first, second] = await timed.rebills(id);
    const before = (await timed.recurring()).currencies[0].totals;
    expect((await timed.caller.refund(first.transactionId)).status).toBe(200);
    expect((await timed.caller.refund(second.transactionId, { amount: 1 })).status).toBe(200);
    const after = (await timed.recurring()).currencies[0].totals;
    expect(after).toEqual(before);
    expect(await timed.caller.balances()).toMatchObject({ refunds: 20.95, sales: -139.9 });
  });
});

test('a dispute of a renewal ends the subscription, and another of the same customer goes on', async () => {
  await started();
  const email = 'member@example.com';
  const [id, other] = [await timed.subscribed({ email }), await timed.subscribed({ email })];
  await timed.act(id, 'card', { card: card(CARDS.chargeback) });
  await timed.moveDays(31);
  const gone = await eventually(
    () => timed.subscription(id),
    ({ active }) => !active,
  );
  expect(gone).toMatchObject({ unsubscribeReason: 'chargeback' });
  expect((await timed.rebills(id)).map(({ chargedBack }) => chargedBack)).toEqual([true]);
  expect(await timed.subscription(other)).toMatchObject({ active: true });
});
