/** The contract of billing: dates, retries, freezing and unfreezing, over months of clock time. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  DAY_MS,
  MINUTE_MS,
  PLAN,
  REBILL_CARDS,
  startTimedHost,
  type Timed,
  type TimedOptions,
} from './contract-host.ts';
import { CARDS, card, eventually, expectRefusal, type Json } from './running-host.ts';

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

/** The details of the records, with `totalAttempt`, which the search does not have. */
async function totalAttempts(records: readonly Json[]): Promise<number[]> {
  const details = await Promise.all(
    records.map(({ transactionId }) => timed.caller.transaction(transactionId)),
  );
  return details.map((each, index) => {
    expect(each.paymentNumber).toBe(records[index].paymentNumber);
    expect(each.attempt).toBe(records[index].attempt);
    expect(each.applicationID).toBe(records[index].applicationId);
    return each.totalAttempt;
  });
}

describe('dates', () => {
  test.each([
    [30, '01-31T10:00:00.000Z'],
    [31, '02-28T23:59:59.500Z'],
    [1, '12-31T23:30:00.000Z'],
  ])('120 cycles of %d days from %s never drift', async (frequency, at) => {
    await started({ at });
    const id = await timed.subscribed({ subscription: { ...PLAN, frequency } });
    const { realStartDate, rebillDate } = await timed.subscription(id);
    expect(days(realStartDate, rebillDate)).toBe(frequency);
    for (let moved = 0; moved < 4; moved += 1) await timed.moveDays(30 * frequency);

    const rebills = await timed.rebills(id);
    expect(rebills).toHaveLength(120);
    for (const [index, rebill] of rebills.entries()) {
      expect(rebill).toMatchObject({ paymentNumber: index + 2, attempt: 1, success: true });
      const late = days(realStartDate, rebill.sent) - (index + 1) * frequency;
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(1);
    }
    const after = await timed.subscription(id);
    expect(days(realStartDate, after.rebillDate)).toBe(121 * frequency);
    expect(after).toMatchObject({ cycle: 122, totalAttempt: 121 });
  });

  test('a rebill happens on its date and not before', async () => {
    await started();
    const id = await timed.subscribed();
    const { rebillDate } = await timed.subscription(id);
    await timed.moveTo(Date.parse(rebillDate) - MINUTE_MS);
    expect(await timed.rebills(id)).toEqual([]);
    await timed.moveJustPast(rebillDate);
    const [rebill] = await timed.rebills(id);
    expect(Date.parse(rebill.sent)).toBeGreaterThanOrEqual(Date.parse(rebillDate));
    expect(Date.parse(rebill.sent)).toBeLessThan(Date.parse(rebillDate) + MINUTE_MS);
  });

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

  test('a retry that succeeds days later leaves the next date where it was', async () => {
    await started();
    const id = await unlucky();
    const { rebillDate } = await timed.subscription(id);
    await timed.moveTo(Date.parse(rebillDate) + 3.5 * DAY_MS);
    expect(await timed.rebills(id)).toHaveLength(3);
    await timed.act(id, 'card', { card: card() });
    await timed.moveTo(Date.parse(rebillDate) + 6 * DAY_MS);
    expect(triesOf(await timed.rebills(id))).toEqual([
      ...FIVE_FAILED.slice(0, 3),
      [2, 4, 'Rebill retry', true],
    ]);
    const after = await timed.subscription(id);
    expect(days(rebillDate, after.rebillDate)).toBe(30);
    await timed.moveJustPast(after.rebillDate);
    expect(triesOf((await timed.rebills(id)).slice(4))).toEqual([[3, 1, 'Rebill', true]]);
  });

  test('with a cycle shorter than its retries no cycle is paid twice', async () => {
    await started();
    const id = await unlucky({ subscription: { ...PLAN, frequency: 2 } });
    const { realStartDate } = await timed.subscription(id);
    await timed.moveTo(Date.parse(realStartDate) + 6 * DAY_MS);
    await timed.act(id, 'card', { card: card() });
    await timed.moveDays(20);
    const rebills = await timed.rebills(id);
    expectSoundRebills(rebills);
    for (const { sent, paymentNumber } of rebills) {
      expect(days(realStartDate, sent)).toBeGreaterThanOrEqual((paymentNumber - 1) * 2);
    }
    const { rebillDate } = await timed.subscription(id);
    expect(days(realStartDate, rebillDate) % 2).toBe(0);
    expect(Date.parse(rebillDate)).toBeGreaterThan(await timed.now());
  });
});

describe('what is declined', () => {
  test('softly: tried again after 1, 3, 5 and 7 days, then frozen', async () => {
    await started();
    const id = await unlucky();
    const { rebillDate } = await timed.subscription(id);
    await timed.moveJustPast(rebillDate);
    for (const [index, day] of [1, 3, 5, 7].entries()) {
      const waiting = await timed.subscription(id);
      expect(waiting).toMatchObject({ active: true, frozen: false });
      expect(days(rebillDate, waiting.rebillDate)).toBeCloseTo(day, 2);
      expect(await timed.rebills(id)).toHaveLength(index + 1);
      await timed.moveTo(Date.parse(waiting.rebillDate) - MINUTE_MS);
      expect(await timed.rebills(id)).toHaveLength(index + 1);
      await timed.moveJustPast(waiting.rebillDate);
    }
    const rebills = await timed.rebills(id);
    expect(triesOf(rebills)).toEqual(FIVE_FAILED);
    expect(rebills.map(({ status }) => status)).toEqual(Array(5).fill('Declined'));
    expect(await totalAttempts(rebills)).toEqual([2, 3, 4, 5, 6]);
    const frozen = await timed.subscription(id);
    expect(frozen).toMatchObject({ active: true, frozen: true, rebillDate: null, unsubDate: null });
    expect(frozen.freezeReason).toBe('retries-exhausted');

    await timed.moveDays(100);
    expect(await timed.rebills(id)).toHaveLength(5);
    expect((await timed.schedule(id)).charges).toEqual([]);
  });

  test.each([
    ['a stolen card', REBILL_CARDS.stolen],
    ['3-D Secure, without a customer present', REBILL_CARDS.action],
    ['insufficient funds', REBILL_CARDS.insufficientFunds],
  ])('%s: frozen at once, and never tried again', async (_, number) => {
    await started();
    const id = await timed.subscribed({}, number);
    const { rebillDate } = await timed.subscription(id);
    await timed.moveJustPast(rebillDate);
    const frozen = await timed.subscription(id);
    expect(frozen).toMatchObject({ active: true, frozen: true, rebillDate: null });
    await timed.moveDays(60);
    const rebills = await timed.rebills(id);
    expect(triesOf(rebills)).toEqual([[2, 1, 'Rebill', false]]);
    expect(await totalAttempts(rebills)).toEqual([2]);
  });

  test('insufficient funds, where the account allows it: tried again, then frozen', async () => {
    await started({ account: { allowInsufficientFundsRetries: true } });
    const id = await timed.subscribed({}, REBILL_CARDS.insufficientFunds);
    const { rebillDate } = await timed.subscription(id);
    await timed.moveDays(60);
    const rebills = await timed.rebills(id);
    expect(triesOf(rebills)).toEqual(FIVE_FAILED);
    const after = rebills.map(({ sent }) => Math.round(days(rebillDate, sent)));
    expect(after).toEqual([0, 1, 3, 5, 7]);
    expect(await timed.subscription(id)).toMatchObject({ frozen: true, rebillDate: null });
  });

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

  test('without an answer it is one try, found approved when the gateway is asked', async () => {
    await started({ env: { GATEWAY_TIMEOUT_MS: '50' } });
    const id = await timed.subscribed();
    await timed.act(id, 'card', { card: card(CARDS.timeoutApprove) });
    const { rebillDate } = await timed.subscription(id);
    await timed.moveTo(Date.parse(rebillDate) + DAY_MS);
    expect(triesOf(await timed.rebills(id))).toEqual([[2, 1, 'Rebill', true]]);
    const after = await timed.subscription(id);
    expect(days(rebillDate, after.rebillDate)).toBe(30);
    expect((await timed.caller.balances())['sales']).toBe(-119.95);
  });

  test('without an answer and found declined, it is tried again like any other', async () => {
    await started({ env: { GATEWAY_TIMEOUT_MS: '50' } });
    const id = await timed.subscribed();
    await timed.act(id, 'card', { card: card(CARDS.timeoutDecline) });
    await timed.moveDays(60);
    const rebills = await timed.rebills(id);
    expectSoundRebills(rebills);
    expect(rebills.filter(({ success }) => success)).toEqual([]);
    expect(await timed.subscription(id)).toMatchObject({ frozen: true, rebillDate: null });
  });
});

describe('what is frozen', () => {
  test('resumes at its next regular date when an admin unfreezes it', async () => {
    await started();
    const id = await timed.subscribed({}, REBILL_CARDS.stolen);
    const { realStartDate } = await timed.subscription(id);
    await timed.moveDays(75);
    const thawed = await timed.act(id, 'unfreeze');
    expect(thawed.status, thawed.text).toBe(200);
    const after = await timed.subscription(id);
    expect(after).toMatchObject({ frozen: false, active: true });
    expect(days(realStartDate, after.rebillDate)).toBe(90);
    expect(await timed.rebills(id)).toHaveLength(1);

    await timed.act(id, 'card', { card: card() });
    await timed.moveJustPast(after.rebillDate);
    const rebills = await timed.rebills(id);
    expect(rebills).toHaveLength(2);
    expect(rebills[1]).toMatchObject({ success: true, application: 'Rebill', attempt: 1 });
    const { rebillDate } = await timed.subscription(id);
    expect(days(realStartDate, rebillDate)).toBe(120);
  });

  test('is taken up by a new card, which pays the cycle that was declined', async () => {
    await started();
    const id = await unlucky();
    const { realStartDate } = await timed.subscription(id);
    await timed.moveDays(45);
    expect(await timed.subscription(id)).toMatchObject({ frozen: true });
    const carded = await timed.act(id, 'card', { card: card() });
    expect(carded.status, carded.text).toBe(200);
    expect(carded.body.frozen).toBe(false);
    await timed.moveTo((await timed.now()) + MINUTE_MS);
    const rebills = await timed.rebills(id);
    expect(triesOf(rebills)).toEqual([...FIVE_FAILED, [2, 6, 'Rebill retry', true]]);
    expect(await totalAttempts(rebills)).toEqual([2, 3, 4, 5, 6, 7]);
    const after = await timed.subscription(id);
    expect(after.frozen).toBe(false);
    expect(days(realStartDate, after.rebillDate)).toBe(60);
    await timed.moveJustPast(after.rebillDate);
    expect((await timed.rebills(id)).at(-1)).toMatchObject({ paymentNumber: 3, attempt: 1 });
  });

  test('by an admin, is not billed, whatever its card, until an admin unfreezes it', async () => {
    await started();
    const id = await timed.subscribed();
    const frozen = await timed.act(id, 'freeze', { note: 'the customer is away' });
    expect(frozen.body).toMatchObject({ frozen: true, rebillDate: null, freezeReason: 'admin' });
    const again = await timed.act(id, 'freeze');
    expect(again.status).toBe(200);
    expect(again.body.frozenDate).toBe(frozen.body.frozenDate);
    await timed.act(id, 'card', { card: card(CARDS.networkB) });
    await timed.moveDays(100);
    expect(await timed.subscription(id)).toMatchObject({ frozen: true });
    expect(await timed.rebills(id)).toEqual([]);
    await timed.act(id, 'unfreeze');
    const twice = await timed.act(id, 'unfreeze');
    expect(twice.status, twice.text).toBe(200);
    await timed.moveDays(21);
    const [rebill, ...more] = await timed.rebills(id);
    expect(rebill).toMatchObject({ success: true, attempt: 1, bin: '555555' });
    expect(more).toEqual([]);
  });

  test('an invalid card changes nothing', async () => {
    await started();
    const id = await timed.subscribed({}, REBILL_CARDS.stolen);
    await timed.moveDays(31);
    const before = await timed.subscription(id);
    const wrong = { ...card(), number: '4242424242424241' };
    expectRefusal(await timed.act(id, 'card', { card: wrong }), 400);
    expectRefusal(await timed.act(id, 'card', { card: { ...card(), expYear: 2020 } }), 400);
    expectRefusal(await timed.act(id, 'card', {}), 400);
    expect(await timed.subscription(id)).toEqual(before);
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
      expect(Math.abs(days(charges[index].date, sent)) * DAY_MS).toBeLessThan(MINUTE_MS);
    }
  });

  test('predicts what a decline leads to, before it and after each retry', async () => {
    await started();
    const id = await unlucky();
    const first = await timed.schedule(id);
    expect(first.ifDeclined.map(({ attempt, action }: Json) => [attempt, action])).toEqual([
      [1, 'retry'],
      [2, 'retry'],
      [3, 'retry'],
      [4, 'retry'],
      [5, 'freeze'],
    ]);
    for (const [index, step] of first.ifDeclined.entries()) {
      const { charges, ifDeclined } = await timed.schedule(id, 3);
      expect(short(charges[0])).toEqual([2, index + 1, 19.95]);
      expect(charges[0].date).toBe((await timed.subscription(id)).rebillDate);
      expect(days(step.date, charges[0].date)).toBeCloseTo(0, 3);
      expect(days(first.charges[1].date, charges[1].date)).toBe(0);
      expect(ifDeclined).toHaveLength(5 - index);
      await timed.moveJustPast(charges[0].date);
      expect(await timed.rebills(id)).toHaveLength(index + 1);
      expect((await timed.subscription(id)).frozen).toBe(step.action === 'freeze');
    }
    expect(await timed.schedule(id)).toMatchObject({ charges: [], ifDeclined: [] });
  });

  test('follows a change of plan: the next date stays, amount and later dates are new', async () => {
    await started();
    const id = await timed.subscribed();
    const { rebillDate } = await timed.subscription(id);
    const plan = { name: 'Big club', description: 'Two', rebillAmount: 30, frequency: 7 };
    const changed = await timed.act(id, 'plan', plan);
    expect(changed.body).toMatchObject({
      subscription: 'Big club',
      subscriptionDescription: 'Two',
      rebillAmount: 30,
      frequency: 7,
      rebillDate,
    });
    const { charges } = await timed.schedule(id, 3);
    expect(charges.map(({ date }: Json) => days(rebillDate, date))).toEqual([0, 7, 14]);
    for (const { date } of charges) await timed.moveJustPast(date);
    const rebills = await timed.rebills(id);
    expect(rebills.map(({ amount, paymentNumber }) => [amount, paymentNumber])).toEqual([
      [30, 2],
      [30, 3],
      [30, 4],
    ]);
  });
});
