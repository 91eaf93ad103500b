/** What erasing a customer takes away and what it leaves: in every answer, and in the books. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONTACT, startTimedHost, type Timed } from './contract-host.ts';
import { customersOf, newEmail } from './customer-requests.ts';
import { type Answer, CARDS, card, eventually, expectRefusal, type Json } from './running-host.ts';

const TENANT = 68;
let timed: Timed;

beforeAll(async () => {
  timed = await startTimedHost({ tenantId: TENANT });
});

afterAll(() => timed.close());

const { erase } = customersOf(() => timed.caller);

async function erased({ payment }: Person): Promise<Answer> {
  const answer = await erase(payment.customerId);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** Texts that must not be found after the erasure. */
const TRACES = ['Zebedee', 'Quuxley', 'Hollyhock', 'Netherwallop', 'SO20', '7946', '203.0.113.77'];
const FLAGS = {
  getSearchData: true,
  getAddressData: true,
  getSubscription: true,
  getSessionData: true,
};

interface Person {
  readonly email: string;
  readonly payment: Json;
  readonly id: number;
}

async function person(email = newEmail()): Promise<Person> {
  const { payment, ids } = await timed.subscribe({
    email,
    customer: { firstName: CONTACT.firstName, lastName: CONTACT.lastName },
    card: { ...card(CARDS.networkB), holder: 'Zebedee Quuxley' },
    addresses: CONTACT.addresses,
    session: {
      id: 'visit-1',
      ip: '203.0.113.77',
      useragent: 'Zebedee/1',
      url: 'https://shop.example',
    },
  });
  return { email, payment, id: ids[0] as number };
}

/** All that can be asked about the person, as text and without what differs by request. */
async function everything({ payment, id }: Person): Promise<string[]> {
  const records = await timed.records(id);
  const details = records.map(({ transactionId }) => timed.caller.detail(transactionId, FLAGS));
  const payments = records.map(({ transactionId }) =>
    timed.caller.get('/v1/payments/{id}', { path: { id: transactionId } }),
  );
  const path = { id: payment.customerId };
  const others = [
    timed.caller.get('/customers/{id}', { path }),
    timed.caller.get('/customers/{id}/subscriptions', { path }),
    timed.caller.get('/v1/subscriptions/{id}', { path: { id } }),
    timed.caller.get('/v1/payments', { query: { subscriptionIds: [id] } }),
  ];
  const answers = await Promise.all([...details, ...payments, ...others]);
  for (const { status, text } of answers) expect(status, text).toBe(200);
  return [JSON.stringify(records), ...answers.map(({ text }) => text)];
}

test('takes the person out of every answer, and leaves every amount and the books', async () => {
  const who = await person();
  await timed.moveDays(61);
  const before = await timed.records(who.id);
  expect(before).toHaveLength(3);
  const known = (await everything(who)).join('\n');
  for (const trace of [...TRACES, who.email]) expect(known).toContain(trace);
  const books = await timed.caller.balances();
  const { totals } = (await timed.recurring()).currencies[0];

  const answer = await erased(who);
  for (const text of [answer.text, ...(await everything(who))]) {
    for (const trace of [...TRACES, who.email]) expect(text).not.toContain(trace);
    // Ids and times have digits as well.
    expect(text).not.toMatch(/(?<![\w.-])555555(?![\w.-])/);
  }
  const after = await timed.records(who.id);
  const money = ({ transactionId, amount, currency, status, sent, orderId }: Json) => ({
    ...{ transactionId, amount, currency, status, sent, orderId },
  });
  expect(after.map(money)).toEqual(before.map(money));
  expect(await timed.caller.balances()).toEqual(books);
  const report = (await timed.recurring()).currencies[0].totals;
  expect(report).toMatchObject({ renewed: totals.renewed, revenue: totals.revenue });
  expect(report.left).toBe(totals.left + 1);
});

test('no search finds the person, and the same person may come back as somebody new', async () => {
  const who = await person();
  const byPerson = [
    { emails: [who.email] },
    { firstName: 'Zebedee' },
    { lastName: 'Quuxley' },
    { bin: '555555', last4: '4444' },
  ];
  for (const filter of byPerson) {
    expect(await timed.caller.found(filter)).toContain(who.payment.id);
  }
  await erased(who);
  for (const filter of byPerson) {
    expect(await timed.caller.found(filter)).not.toContain(who.payment.id);
  }
  expect(await timed.caller.found({ subscriptionIds: [who.id] })).toEqual([who.payment.id]);

  const again = await timed.caller.paid({ email: who.email });
  expect(again.customerId).not.toBe(who.payment.customerId);
  expect(await timed.caller.found({ emails: [who.email] })).toEqual([again.id]);
});

test('ends the subscriptions: nothing is billed, unfrozen or ended again', async () => {
  const who = await person();
  await erased(who);
  const gone = await timed.subscription(who.id);
  expect(gone).toMatchObject({ active: false, rebillDate: null, unsubscribeReason: 'erasure' });
  await timed.moveDays(61);
  expect(await timed.rebills(who.id)).toEqual([]);
  expectRefusal(await timed.act(who.id, 'card', { card: card() }), 400, 'subscription_state');
  expect((await timed.unsubscribe({ email: who.email })).body).toMatchObject({ unsubscribes: 0 });
});

test('leaves the money movable: a refund still works, and is in the books', async () => {
  const who = await person();
  const { sales, refunds = 0 } = await timed.caller.balances();
  await erased(who);
  const refund = await timed.caller.refund(who.payment.id, { amount: 30 });
  expect(refund.status, refund.text).toBe(200);
  const after = await timed.caller.balances();
  expect(after['sales']).toBe(sales);
  expect(after['refunds']).toBeCloseTo(refunds + 30, 6);
  const held = await timed.caller.paid({ email: newEmail(), capture: false });
  await timed.caller.post('/customers', { body: { email: held.email } });
  expect((await erase(held.customerId)).status).toBe(200);
  const voided = await timed.caller.post('/v1/payments/{id}/void', {
    path: { id: held.id },
    body: {},
  });
  expect(voided.body, voided.text).toMatchObject({ status: 'Voided' });
});

test('leaves everybody else as they are, at the same address too', async () => {
  const [who, other] = [await person(), await person()];
  await erased(who);
  const { body } = await timed.caller.detail(other.payment.id, FLAGS);
  expect(body.transaction).toMatchObject({ email: other.email, name: 'Zebedee Quuxley' });
  expect(body.addressData).toMatchObject({ address: '17 Hollyhock Mews' });
  expect(body.subscriptions).toMatchObject([{ active: true }]);
});

test('ends what an authorization of before starts when it is captured later', async () => {
  const email = newEmail();
  const { payment, ids } = await timed.subscribe({ email, capture: false });
  const { body } = await timed.caller.post('/customers', { body: { email } });
  expect((await erase(body.id)).status).toBe(200);
  const captured = await timed.caller.post('/v1/payments/{id}/capture', {
    path: { id: payment.id },
    body: {},
  });
  expect(captured.status, captured.text).toBe(200);
  const gone = await eventually(
    () => timed.subscription(ids[0] as number),
    ({ active }) => !active,
  );
  expect(gone).toMatchObject({ unsubscribeReason: 'erasure' });
  await timed.moveDays(31);
  expect(await timed.rebills(gone.id)).toEqual([]);
});
