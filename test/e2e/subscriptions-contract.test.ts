/** Subscriptions that are billed while the clock is moved: what their orders, rebills and records say. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, PLAN, startTimedHost, type Timed } from './contract-host.ts';
import { newEmail } from './customer-requests.ts';
import {
  CARDS,
  CART,
  CHECKOUT,
  card,
  expectRefusal,
  type Json,
  openAccount,
  openTenant,
} from './running-host.ts';

const TENANT = 61;
let timed: Timed;

beforeAll(async () => {
  timed = await startTimedHost({ tenantId: TENANT });
});

afterAll(() => timed.close());

async function detailed(id: string): Promise<Json> {
  const flags = { getSubscription: true, getSearchData: true };
  const { status, text, body } = await timed.caller.detail(id, flags);
  expect(status, text).toBe(200);
  return body;
}

describe('the Subscription table', () => {
  test('the merchant account is the one that took the first payment', async () => {
    const tenantId = 62;
    const caller = await openTenant(timed.running, tenantId);
    await openAccount(timed.running, tenantId, 629, { title: 'Second', mid: '999' });
    await timed.running.host.readSide.caughtUp(tenantId as never);
    const payment = await caller.paid({ subscription: PLAN, merchantAccountId: 629 });
    const { body } = await caller.detail(payment.id, { getSubscription: true });
    expect(body.subscriptions).toMatchObject([
      { parentCompanyId: tenantId, merchantAccountId: 629, midName: 'Second', mid: '999' },
    ]);
  });

  test('a description is optional, and then empty', async () => {
    const { description: _, ...plan } = PLAN;
    const id = await timed.subscribed({ email: newEmail(), subscription: plan });
    expect(await timed.subscription(id)).toMatchObject({ subscriptionDescription: '' });
  });
});

describe('how a subscription starts', () => {
  test('a trial may be free: nothing is charged before it is over', async () => {
    const trial = { ...PLAN, trialDays: 7 };
    const begin = { email: newEmail(), amount: 0, subscription: trial };
    const { payment, ids } = await timed.subscribe(begin);
    expect(payment).toMatchObject({ status: 'Captured', amount: 0, capturedAmount: 0 });
    expect(payment).toMatchObject({ refundableAmount: 0, success: true });
    const [id] = ids as [number];
    const { subDate, realStartDate, rebillDate } = await timed.subscription(id);
    expect(Date.parse(realStartDate) - Date.parse(subDate)).toBe(7 * DAY_MS);
    expect(rebillDate).toBe(realStartDate);
    const { transaction } = await detailed(payment.id);
    expect(transaction).toMatchObject({ priceVal: 0, refundable: false, refunded: false });
    expectRefusal(await timed.caller.refund(payment.id), 400, 'not_refundable');
    await timed.moveDays(7.5);
    expect((await timed.rebills(id)).map(({ amount }) => amount)).toEqual([PLAN.rebillAmount]);

    const stolen = await timed.caller.pay({
      ...begin,
      email: newEmail(),
      card: card(CARDS.stolen),
    });
    expect(stolen.status, stolen.text).toBe(402);
    for (const change of [
      { capture: false },
      { subscription: PLAN },
      { subscription: undefined },
      { items: [{ ...CART[0], subscription: PLAN }] },
    ]) {
      const refused = await timed.caller.pay({ ...begin, email: newEmail(), ...change });
      expectRefusal(refused, 400, 'amount_not_positive');
    }
  });

  test('money that is given back does not end it', async () => {
    const { payment, ids } = await timed.subscribe({ email: newEmail() });
    expect((await timed.caller.refund(payment.id)).status).toBe(200);
    const voided = await timed.subscribe({ email: newEmail() });
    const gone = await timed.caller.post('/v1/payments/{id}/void', {
      path: { id: voided.payment.id },
      body: {},
    });
    expect(gone.body.status, gone.text).toBe('Voided');
    for (const id of [...ids, ...voided.ids]) {
      expect(await timed.subscription(id)).toMatchObject({ active: true, frozen: false });
    }
  });

  test('two plans of one order are two subscriptions, each billed by its own dates', async () => {
    const items = CART.map((item, index) => {
      if (index > 1) return item;
      const plan = { ...PLAN, name: `Club ${index}`, rebillAmount: 5 + index };
      return { ...item, subscription: { ...plan, frequency: 7 + 3 * index } };
    });
    const { payment, ids } = await timed.subscribe({
      email: newEmail(),
      items,
      subscription: undefined,
    });
    const { subscriptions } = await detailed(payment.id);
    expect(subscriptions.map(({ id }: Json) => id).sort()).toEqual([...ids].sort());
    expect(subscriptions).toMatchObject([
      { subscription: 'Club 0', rebillAmount: 5, frequency: 7, orderId: payment.orderId },
      { subscription: 'Club 1', rebillAmount: 6, frequency: 10, orderId: payment.orderId },
    ]);

    await timed.moveDays(21.5);
    const amounts = async (id: number) => (await timed.rebills(id)).map(({ amount }) => amount);
    expect(await amounts(ids[0] as number)).toEqual([5, 5, 5]);
    expect(await amounts(ids[1] as number)).toEqual([6, 6]);
  });
});

describe('money of other currencies', () => {
  test.each([
    ['JPY', 1_500, '1500 JPY', 10.5],
    ['KWD', 1.234, '1.234 KWD', 1.2345],
  ])(
    '%s is billed to the last decimal that it has',
    async (currency, rebillAmount, shown, over) => {
      const plan = { ...PLAN, rebillAmount };
      const changes = { email: newEmail(), currency, amount: 3 };
      const id = await timed.subscribed({ ...changes, subscription: plan });
      expect(await timed.subscription(id)).toMatchObject({ rebillAmount, currency });

      await timed.moveDays(61);
      const rebills = await timed.rebills(id);
      expect(rebills.map((each) => [each.amount, each.currency])).toEqual(
        [2, 3].map(() => [rebillAmount, currency]),
      );
      const { transaction } = await detailed(rebills[0].transactionId);
      expect(transaction).toMatchObject({ priceVal: rebillAmount, pricePoint: shown, currency });
      const { currencies } = await timed.recurring(`currency=${currency}`);
      const { totals } = currencies.find((each: Json) => each.currency === currency);
      expect(totals.revenue).toBeCloseTo(2 * rebillAmount, 6);

      const finer = await timed.caller.pay({
        ...changes,
        email: newEmail(),
        subscription: { ...plan, rebillAmount: over },
      });
      expectRefusal(finer, 400, 'amount_precision');
      expectRefusal(await timed.act(id, 'plan', { rebillAmount: over }), 400, 'amount_precision');
    },
  );
});

describe('search', () => {
  test('subscriptionIds finds all payments of the subscription, which name it as subId', async () => {
    const email = newEmail();
    const { payment, ids } = await timed.subscribe({ email });
    const other = await timed.subscribed({ email });
    await timed.moveDays(61);
    const id = ids[0] as number;
    const records = await timed.records(id);
    expect(records.map(({ subId }) => subId)).toEqual([id, id, id]);
    expect(records[0].transactionId).toBe(payment.id);
    expect(records.map((each) => [each.applicationId, each.application])).toEqual([
      [CHECKOUT, 'Checkout page'],
      [3, 'Rebill'],
      [3, 'Rebill'],
    ]);
    for (const each of records) expect(each.customerId).toBe(payment.customerId);
    const listed = await timed.caller.get('/v1/payments', { query: { subscriptionIds: [id] } });
    expect(listed.body.data.map((each: Json) => each.id)).toEqual(
      records.map(({ transactionId }) => transactionId).reverse(),
    );
    const both = await timed.caller.found({ subscriptionIds: [id, other] });
    expect(both).toHaveLength(6);
    expect(await timed.caller.found({ subscriptionIds: [id], applicationIds: [3] })).toHaveLength(
      2,
    );
    expect(await timed.caller.found({ subscriptionIds: [id], emails: ['no@example.com'] })).toEqual(
      [],
    );
    expect(await timed.caller.found({ subscriptionIds: [987_654] })).toEqual([]);
  });

  test('the detail of a rebill has the subscription, as the detail of its start does', async () => {
    const { payment, ids } = await timed.subscribe({ email: newEmail() });
    await timed.moveDays(31);
    const [rebill] = await timed.rebills(ids[0] as number);
    const { subscriptions } = await detailed(rebill.transactionId);
    expect(subscriptions).toEqual((await detailed(payment.id)).subscriptions);
  });
});
