/** The contract of a subscription's record: every field, its start, and access. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, expectConsistent, PLAN, startTimedHost, type Timed } from './contract-host.ts';
import {
  CARDS,
  CART,
  CHECKOUT,
  callerWith,
  card,
  expectRefusal,
  type Json,
  openAccount,
  openTenant,
} from './running-host.ts';

const TENANT = 61;
const FIELDS = [
  'active',
  'company',
  'companyId',
  'customerID',
  'frequency',
  'frozen',
  'id',
  'merchantAccountId',
  'mid',
  'midName',
  'orderId',
  'parentCompanyId',
  'realStartDate',
  'rebillAmount',
  'rebillDate',
  'subDate',
  'subscription',
  'subscriptionDescription',
  'unsubDate',
];

let timed: Timed;

beforeAll(async () => {
  timed = await startTimedHost({ tenantId: TENANT });
});

afterAll(() => timed.close());

let people = 0;
const someone = (): string => `person-${++people}@example.com`;

async function detailed(id: string): Promise<Json> {
  const flags = { getSubscription: true, getAddressData: true, getSearchData: true };
  const { status, text, body } = await timed.caller.detail(id, flags);
  expect(status, text).toBe(200);
  return body;
}

const plus = (instant: string, days: number): string =>
  new Date(Date.parse(instant) + days * DAY_MS).toISOString();

describe('the Subscription table', () => {
  test('each field comes from the payment and its merchant account', async () => {
    const before = await timed.now();
    const orderId = 7_712;
    const { payment, ids } = await timed.subscribe({ email: someone(), orderId });
    const after = await timed.now();
    const { subscriptions } = await detailed(payment.id);

    expect(subscriptions).toHaveLength(1);
    const [subscription] = subscriptions;
    expect(Object.keys(subscription).sort()).toEqual(FIELDS);
    expect(subscription).toMatchObject({
      parentCompanyId: TENANT,
      companyId: 5,
      company: 'Crockery Ltd',
      id: ids[0],
      customerID: payment.customerId,
      orderId,
      active: true,
      unsubDate: null,
      subscription: PLAN.name,
      subscriptionDescription: PLAN.description,
      rebillAmount: 19.95,
      frequency: 30,
      merchantAccountId: TENANT * 10 + 1,
      midName: `Account ${TENANT}1`,
      mid: `7000000${TENANT}1`,
      frozen: false,
    });
    expectConsistent(subscription);
    const start = Date.parse(subscription.subDate);
    expect(start).toBeGreaterThanOrEqual(before);
    expect(start).toBeLessThanOrEqual(after);
    expect(subscription.realStartDate).toBe(subscription.subDate);
    expect(subscription.rebillDate).toBe(plus(subscription.subDate, 30));
  });

  test('the detail has subscriptions only when it is asked for them, and none of a plain payment', async () => {
    const { payment } = await timed.subscribe({ email: someone() });
    const { body } = await timed.caller.detail(payment.id);
    expect(body).not.toHaveProperty('subscriptions');

    const plain = await timed.caller.paid({ email: someone() });
    expect((await detailed(plain.id)).subscriptions).toEqual([]);
  });

  test('detail, the list of the customer and the subscription itself say the same', async () => {
    const { payment, ids } = await timed.subscribe({ email: someone() });
    const alone = await timed.subscription(ids[0] as number);
    const list = await timed.caller.get(`/customers/${payment.customerId}/subscriptions`);
    expect(list.body.subscriptions).toEqual((await detailed(payment.id)).subscriptions);
    expect(alone).toMatchObject(list.body.subscriptions[0]);
    expect(alone).toMatchObject({ messageID: payment.id, currency: 'GBP', sandbox: false });
  });

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
    const id = await timed.subscribed({ email: someone(), subscription: plan });
    expect(await timed.subscription(id)).toMatchObject({ subscriptionDescription: '' });
  });
});

describe('the Address table', () => {
  const given = {
    firstName: 'Ann',
    lastName: 'Lee',
    address: '12 Long Lane',
    city: 'Leeds',
    postalCode: 'LS1 4AP',
    state: 'West Yorkshire',
    countryCode: 'GB',
    phone: '+44 20 7946 0000',
  };

  test('both addresses come back field by field, with order and transaction', async () => {
    const email = someone();
    const other = { ...given, email: 'gift@example.com', addressType: 'SHIPPING', city: 'York' };
    const { payment } = await timed.subscribe({
      email,
      addresses: [{ ...given, addressType: 'DEFAULT' }, other],
    });
    const frame = { orderId: payment.orderId, messageId: payment.id };
    const first = { ...given, ...frame, addressType: 'DEFAULT', email };
    const body = await detailed(payment.id);
    expect(body.addressData).toEqual(first);
    expect(body.addresses).toEqual([first, { ...other, ...frame }]);
  });

  test('addresses are returned on request, null when none was entered', async () => {
    const payment = await timed.caller.paid({ email: someone() });
    const { body } = await timed.caller.detail(payment.id);
    expect(body).not.toHaveProperty('addressData');
    expect(await detailed(payment.id)).toMatchObject({ addressData: null, addresses: [] });
  });
});

describe('how a subscription starts', () => {
  test('with a trial the plan starts after it, and the first rebill is on that day', async () => {
    const subscription = { ...PLAN, trialDays: 14 };
    const id = await timed.subscribed({ email: someone(), amount: 1, subscription });
    const begun = await timed.subscription(id);
    expect(begun.realStartDate).toBe(plus(begun.subDate, 14));
    expect(begun.rebillDate).toBe(begun.realStartDate);

    await timed.moveJustPast(begun.realStartDate);
    const renewed = await timed.subscription(id);
    expect(renewed).toMatchObject({
      subDate: begun.subDate,
      realStartDate: begun.realStartDate,
      rebillDate: plus(begun.realStartDate, 30),
    });
    const [rebill, ...more] = await timed.rebills(id);
    expect(more).toEqual([]);
    expect(rebill).toMatchObject({ amount: 19.95, paymentNumber: 2, attempt: 1, success: true });
  });

  test('an authorization starts nothing; its capture does, from that day on', async () => {
    const { payment, ids } = await timed.subscribe({ email: someone(), capture: false });
    const id = ids[0] as number;
    expect(payment.subscriptions[0].started).toBe(false);
    expectRefusal(await timed.caller.get(`/v1/subscriptions/${id}`), 404, 'not_found');
    expect((await detailed(payment.id)).subscriptions).toEqual([]);

    await timed.moveDays(2);
    const before = await timed.now();
    const captured = await timed.caller.post(`/v1/payments/${payment.id}/capture`, {});
    expect(captured.status, captured.text).toBe(200);
    const started = await timed.subscription(id);
    expect(Date.parse(started.subDate)).toBeGreaterThanOrEqual(before);
    expect(started.rebillDate).toBe(plus(started.subDate, 30));
  });

  test('a declined, a voided and an expired payment start none', async () => {
    const declined = await timed.caller.pay({
      email: someone(),
      subscription: PLAN,
      card: card(CARDS.doNotHonour),
    });
    expect(declined.status).toBe(402);
    const voided = await timed.subscribe({ email: someone(), capture: false });
    const gone = await timed.caller.post(`/v1/payments/${voided.payment.id}/void`, {});
    expect(gone.status, gone.text).toBe(200);
    const expired = await timed.subscribe({ email: someone(), capture: false });
    await timed.moveDays(31);
    const expiry = await timed.caller.get(`/v1/payments/${expired.payment.id}`);
    expect(expiry.body.status).toBe('Expired');

    for (const payment of [declined.body, voided.payment, expired.payment]) {
      const [{ id }] = payment.subscriptions;
      expectRefusal(await timed.caller.get(`/v1/subscriptions/${id}`), 404, 'not_found');
      expect(await timed.rebills(id)).toEqual([]);
    }
  });

  test('a trial may be free: nothing is charged before it is over', async () => {
    const trial = { ...PLAN, trialDays: 7 };
    const begin = { email: someone(), amount: 0, subscription: trial };
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

    const stolen = await timed.caller.pay({ ...begin, email: someone(), card: card(CARDS.stolen) });
    expect(stolen.status, stolen.text).toBe(402);
    for (const change of [
      { capture: false },
      { subscription: PLAN },
      { subscription: undefined },
      { items: [{ ...CART[0], subscription: PLAN }] },
    ]) {
      const refused = await timed.caller.pay({ ...begin, email: someone(), ...change });
      expectRefusal(refused, 400, 'amount_not_positive');
    }
  });

  test('money that is given back does not end it', async () => {
    const { payment, ids } = await timed.subscribe({ email: someone() });
    expect((await timed.caller.refund(payment.id)).status).toBe(200);
    const voided = await timed.subscribe({ email: someone() });
    const gone = await timed.caller.post(`/v1/payments/${voided.payment.id}/void`, {});
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
      email: someone(),
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

  test('a payment that is sent many times under one key starts one', async () => {
    const email = someone();
    const pay = () =>
      timed.caller.pay({ email, subscription: PLAN }, { 'Idempotency-Key': 'join-once' });
    const answers = await Promise.all(Array.from({ length: 6 }, pay));
    for (const { status, text } of answers) expect([201, 409], text).toContain(status);
    const { body } = await pay();
    const list = await timed.caller.get(`/customers/${body.customerId}/subscriptions`);
    expect(list.body.subscriptions).toMatchObject([{ id: body.subscriptions[0].id }]);
    expect(await timed.caller.found({ emails: [email] })).toEqual([body.id]);
  });

  test('a third plan is refused, and the payment with it', async () => {
    const email = someone();
    const items = CART.map((item) => ({ ...item, subscription: PLAN }));
    expectRefusal(await timed.caller.pay({ email, items }), 400);
    expect(await timed.caller.found({ emails: [email] })).toEqual([]);
  });

  test.each([
    ['a frequency of nothing', { frequency: 0 }],
    ['half a day', { frequency: 0.5 }],
    ['an amount of nothing', { rebillAmount: 0 }],
    ['a negative amount', { rebillAmount: -1 }],
    ['parts of a penny', { rebillAmount: 1.005 }],
    ['a name that is empty', { name: '' }],
    ['a negative trial', { trialDays: -1 }],
  ])('a plan with %s is refused', async (_, wrong) => {
    const email = someone();
    expectRefusal(await timed.caller.pay({ email, subscription: { ...PLAN, ...wrong } }), 400);
    expect(await timed.caller.found({ emails: [email] })).toEqual([]);
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
      const changes = { email: someone(), currency, amount: 3 };
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
        email: someone(),
        subscription: { ...plan, rebillAmount: over },
      });
      expectRefusal(finer, 400, 'amount_precision');
      expectRefusal(await timed.act(id, 'plan', { rebillAmount: over }), 400, 'amount_precision');
    },
  );
});

describe('search', () => {
  test('subscriptionIds finds all payments of the subscription, which name it as subId', async () => {
    const email = someone();
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
    const { payment, ids } = await timed.subscribe({ email: someone() });
    await timed.moveDays(31);
    const [rebill] = await timed.rebills(ids[0] as number);
    const { subscriptions } = await detailed(rebill.transactionId);
    expect(subscriptions).toEqual((await detailed(payment.id)).subscriptions);
  });
});

describe('access to a subscription', () => {
  test('to another tenant it does not exist', async () => {
    const { payment, ids } = await timed.subscribe({ email: someone() });
    const stranger = await openTenant(timed.running, 63);
    const paths = (id: number, customer: number): [string, string][] => [
      ['GET', `/v1/subscriptions/${id}`],
      ['GET', `/v1/subscriptions/${id}/schedule`],
      ['POST', `/v1/subscriptions/${id}/freeze`],
      ['POST', `/v1/subscriptions/${id}/unfreeze`],
      ['POST', `/v1/subscriptions/${id}/unsubscribe`],
      ['GET', `/customers/${customer}/subscriptions`],
      ['GET', `/customers/${customer}`],
      ['DELETE', `/customers/${customer}`],
    ];
    const theirs = paths(ids[0] as number, payment.customerId);
    const nobodys = paths(999_999, 999_999);
    for (const [index, [method, path]] of theirs.entries()) {
      const headers = method === 'POST' ? { 'Content-Type': 'application/json' } : {};
      const body = method === 'POST' ? '{}' : undefined;
      const found = await stranger.send(method, path, body, headers);
      const missing = await stranger.send(method, nobodys[index]?.[1] ?? '', body, headers);
      expectRefusal(found, 404, 'not_found');
      expect({ ...found.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    }
    expect(await timed.subscription(ids[0] as number)).toMatchObject({ active: true });
  });

  test('a test key sees no live subscription, and its own stay out of live answers', async () => {
    const email = someone();
    const { ids } = await timed.subscribe({ email });
    const tester = await callerWith(timed.running, TENANT, { environment: 'test' });
    expectRefusal(await tester.get(`/v1/subscriptions/${ids[0]}`), 404, 'not_found');

    const trial = await tester.paid({ email, subscription: PLAN });
    const testId = trial.subscriptions[0].id;
    expect(trial.sandbox).toBe(true);
    const before = await timed.caller.balances();
    const report = JSON.stringify((await timed.recurring()).currencies);
    await tester.post(`/v1/subscriptions/${testId}/plan`, { rebillAmount: 77 });
    expect(await timed.records(testId)).toEqual([]);
    expect(await timed.records(testId, { sandbox: true })).toHaveLength(1);
    expect(await timed.caller.balances()).toEqual(before);
    expect(JSON.stringify((await timed.recurring()).currencies)).toBe(report);
    const own = await tester.get(`/customers/${trial.customerId}/subscriptions`);
    expect(own.body.subscriptions.map(({ id }: Json) => id)).toEqual([testId]);
  });

  test('each operation asks for its scope', async () => {
    const id = await timed.subscribed({ email: someone() });
    const reader = await callerWith(timed.running, TENANT, { scopes: ['subscriptions:read'] });
    expect((await reader.get(`/v1/subscriptions/${id}`)).status).toBe(200);
    for (const what of ['freeze', 'unfreeze', 'unsubscribe', 'plan']) {
      const refused = await reader.post(`/v1/subscriptions/${id}/${what}`, {});
      expectRefusal(refused, 403, 'insufficient_scope');
    }
    const seller = await callerWith(timed.running, TENANT, { scopes: ['payments:write'] });
    expectRefusal(await seller.get(`/v1/subscriptions/${id}`), 403, 'insufficient_scope');
  });
});
