/** A year of members with payments, declines, disputes and ends: records, report and books agree. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  DAY_MS,
  PLAN,
  REBILL_CARDS,
  startTimedHost,
  type Timed,
  type TimedOptions,
} from './contract-host.ts';
import { CARDS, card, eventually, expectRefusal, type Json, openTenant } from './running-host.ts';

let timed: Timed;

async function started(options?: TimedOptions): Promise<Timed> {
  timed = await startTimedHost(options);
  return timed;
}

afterEach(() => timed.close());

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
    const rebills = records.filter(({ applicationId2 }) => [3, 4].includes(applicationId2));
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

  test('of the club: no cycle is paid twice, and every record says which try it is', async () => {
    await started({ at: '01-05T00:30:00.000Z' });
    for (const id of await liveAYear()) {
      const rebills = await timed.rebills(id);
      let expected = { cycle: 1, attempt: 1, total: 1 };
      let isPaid = true;
      for (const each of rebills) {
        const isRetry = each.paymentNumber === expected.cycle;
        if (isRetry) expect(isPaid, 'a paid cycle is not tried again').toBe(false);
        expected = {
          cycle: isRetry ? expected.cycle : expected.cycle + 1,
          attempt: isRetry ? expected.attempt + 1 : 1,
          total: expected.total + 1,
        };
        expect(each.attempt).toBe(expected.attempt);
        expect(each.application).toBe(isRetry ? 'Rebill retry' : 'Rebill');
        expect(each.applicationId).toBe(isRetry ? 4 : 3);
        const { totalAttempt } = await timed.caller.transaction(each.transactionId);
        expect(totalAttempt).toBe(expected.total);
        // A cycle that is given up is passed over; only what a freeze left behind may be missing.
        expect(each.paymentNumber).toBeGreaterThanOrEqual(expected.cycle);
        expected.cycle = each.paymentNumber;
        isPaid = each.success;
      }
      const { totalAttempt } = await timed.subscription(id);
      expect(totalAttempt).toBe(expected.total);
    }
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

describe('the report', () => {
  test('is of one tenant, and of live data unless asked', async () => {
    await started();
    await timed.subscribed();
    const sandboxed = await timed.caller.paid({ subscription: PLAN, sandbox: true });
    const neighbour = await openTenant(timed.running, 69);
    await timed.moveDays(31);
    const live = (await timed.recurring()).currencies[0].totals;
    expect(live).toMatchObject({ joined: 1, renewed: 1, revenue: 19.95 });
    const test = (await timed.recurring('sandbox=true')).currencies[0].totals;
    expect(test).toMatchObject({ joined: 1, renewed: 1, revenue: 19.95 });
    expect(await timed.rebills(sandboxed.subscriptions[0].id, { sandbox: true })).toHaveLength(1);
    const other = await neighbour.get('/api/ledger/recurring');
    const counts = other.body.currencies.flatMap(({ totals }: Json) => [totals.joined]);
    expect(counts.every((joined: number) => joined === 0)).toBe(true);
  });

  test.each(['from=2027-13', 'to=2027', 'from=2027-06&to=2027-05', 'currency=pound'])(
    '%s is refused',
    async (query) => {
      await started({ at: null });
      expectRefusal(await timed.caller.get(`/api/ledger/recurring?${query}`), 400);
    },
  );
});

describe('a dispute', () => {
  const ended = (id: number) =>
    eventually(
      () => timed.subscription(id),
      ({ active }) => !active,
    );

  test('ends the subscription of the payment, and nothing is billed again', async () => {
    await started();
    const { payment, ids } = await timed.subscribe({}, CARDS.chargeback);
    const id = ids[0] as number;
    const gone = await ended(id);
    expect(gone).toMatchObject({ rebillDate: null, unsubscribeReason: 'chargeback' });
    expect(await timed.caller.transaction(payment.id)).toMatchObject({ chargedBack: true });
    await timed.moveDays(61);
    expect(await timed.rebills(id)).toEqual([]);
    expect((await timed.recurring()).currencies[0].totals).toMatchObject({ joined: 1, left: 1 });
  });

  test('of a renewal ends it too, but not another one of the same customer', async () => {
    await started();
    const email = 'member@example.com';
    const [id, other] = [await timed.subscribed({ email }), await timed.subscribed({ email })];
    await timed.act(id, 'card', { card: card(CARDS.chargeback) });
    await timed.moveDays(31);
    expect(await ended(id)).toMatchObject({ unsubscribeReason: 'chargeback' });
    expect((await timed.rebills(id)).map(({ chargedBack }) => chargedBack)).toEqual([true]);
    expect(await timed.subscription(other)).toMatchObject({ active: true });
  });

  test('keeps it where the tenant disabled that', async () => {
    await started({ settings: { unsubscribeOnDispute: false } });
    const { payment, ids } = await timed.subscribe({}, CARDS.chargeback);
    await timed.moveDays(31);
    expect(await timed.caller.transaction(payment.id)).toMatchObject({ chargedBack: true });
    const kept = await timed.subscription(ids[0] as number);
    expect(kept).toMatchObject({ active: true, unsubDate: null });
    expect(Date.parse(kept.rebillDate)).toBeGreaterThan((await timed.now()) - DAY_MS);
  });

  test('an alert that is no confirmed fraud does not end it', async () => {
    await started();
    const { payment, ids } = await timed.subscribe({}, CARDS.alert);
    await timed.moveDays(5);
    const { hasAlert, childTransactions } = await timed.caller.transaction(payment.id);
    expect(hasAlert).toBe(true);
    expect(childTransactions[0].alertTypeName).not.toBe('ConfirmedFraud');
    expect(await timed.subscription(ids[0] as number)).toMatchObject({ active: true });
  });
});
