/** What erasing a customer takes away and what it leaves: in every answer, in the books and on disk. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTACT, startTimedHost, type Timed } from './contract-host.ts';
import {
  type Answer,
  CARDS,
  Caller,
  callerWith,
  card,
  eventually,
  expectRefusal,
  type Json,
} from './running-host.ts';

const TENANT = 68;
const UNKNOWN = 999_999;
let timed: Timed;

beforeAll(async () => {
  timed = await startTimedHost({ tenantId: TENANT });
});

afterAll(() => timed.close());

let people = 0;
const someone = (): string => `person-${++people}@example.com`;

async function put(id: number, body: Json): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  return timed.caller.send('PUT', `/customers/${id}`, JSON.stringify(body), headers);
}

async function read(id: number): Promise<Json> {
  const { status, text, body } = await timed.caller.get(`/customers/${id}`);
  expect(status, text).toBe(200);
  return body;
}

const erase = (id: number, caller = timed.caller): Promise<Answer> =>
  caller.send('DELETE', `/customers/${id}`, undefined);

async function erased({ payment }: Person, caller = timed.caller): Promise<Answer> {
  const answer = await erase(payment.customerId, caller);
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

async function person(host: Timed, email: string): Promise<Person> {
  const { payment, ids } = await host.subscribe({
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

describe('erasing', () => {
  /** All that can be asked about the person, as text and without what differs by request. */
  async function everything({ payment, id }: Person): Promise<string[]> {
    const records = await timed.records(id);
    const details = records.map(({ transactionId }) => timed.caller.detail(transactionId, FLAGS));
    const payments = records.map(({ transactionId }) =>
      timed.caller.get(`/v1/payments/${transactionId}`),
    );
    const customer = `/customers/${payment.customerId}`;
    const others = [
      timed.caller.get(customer),
      timed.caller.get(`${customer}/subscriptions`),
      timed.caller.get(`/v1/subscriptions/${id}`),
      timed.caller.get(`/v1/payments?subscriptionIds=${id}`),
    ];
    const answers = await Promise.all([...details, ...payments, ...others]);
    for (const { status, text } of answers) expect(status, text).toBe(200);
    return [JSON.stringify(records), ...answers.map(({ text }) => text)];
  }

  test('takes the person out of every answer, and leaves every amount and the books', async () => {
    const who = await person(timed, someone());
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
    const who = await person(timed, someone());
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
    const who = await person(timed, someone());
    await erased(who);
    const gone = await timed.subscription(who.id);
    expect(gone).toMatchObject({ active: false, rebillDate: null, unsubscribeReason: 'erasure' });
    await timed.moveDays(61);
    expect(await timed.rebills(who.id)).toEqual([]);
    expectRefusal(await timed.act(who.id, 'card', { card: card() }), 400, 'subscription_state');
    expect((await timed.unsubscribe({ email: who.email })).body).toMatchObject({ unsubscribes: 0 });
  });

  test('is done once: again it changes nothing, and nothing can be written to the erased', async () => {
    const who = await person(timed, someone());
    const { customerId } = who.payment;
    await erased(who);
    const left = await read(customerId);
    expect(left).toMatchObject({ erased: true, email: '', addresses: [], paymentMethods: [] });
    expect((await erase(customerId)).status).toBe(200);
    expect(await read(customerId)).toEqual(left);
    const back = await put(customerId, { email: who.email, rowVersion: left.rowVersion });
    expectRefusal(back, 409, 'customer_erased');
    const kept = await timed.caller.post(`/customers/${customerId}/payment-methods`, {
      card: card(),
    });
    expectRefusal(kept, 409, 'customer_erased');
    expectRefusal(await erase(UNKNOWN), 404, 'not_found');
  });

  test('leaves the money movable: a refund still works, and is in the books', async () => {
    const who = await person(timed, someone());
    const { sales, refunds = 0 } = await timed.caller.balances();
    await erased(who);
    const refund = await timed.caller.refund(who.payment.id, { amount: 30 });
    expect(refund.status, refund.text).toBe(200);
    const after = await timed.caller.balances();
    expect(after['sales']).toBe(sales);
    expect(after['refunds']).toBeCloseTo(refunds + 30, 6);
  });

  test('leaves everybody else as they are, at the same address too', async () => {
    const [who, other] = [await person(timed, someone()), await person(timed, someone())];
    await erased(who);
    const { body } = await timed.caller.detail(other.payment.id, FLAGS);
    expect(body.transaction).toMatchObject({ email: other.email, name: 'Zebedee Quuxley' });
    expect(body.addressData).toMatchObject({ address: '17 Hollyhock Mews' });
    expect(body.subscriptions).toMatchObject([{ active: true }]);
  });

  test('includes registered customers who never paid', async () => {
    const email = someone();
    const declined = await timed.caller.pay({
      email,
      card: { ...card(CARDS.doNotHonour), holder: 'Zebedee Quuxley' },
      addresses: CONTACT.addresses,
    });
    expect(declined.status).toBe(402);
    const { body } = await timed.caller.post('/customers', { email });
    expect(body.id).toBe(declined.body.customerId);
    expect((await erase(body.id)).status).toBe(200);
    const { text } = await timed.caller.detail(declined.body.id, FLAGS);
    for (const trace of [...TRACES, email]) expect(text).not.toContain(trace);
    expect(await timed.caller.found({ emails: [email] })).toEqual([]);
  });

  test('reaches the answers that were kept for a repetition', async () => {
    const [email, headers] = [someone(), { 'Idempotency-Key': 'paid-before-erasure' }];
    const customer = { firstName: 'Zebedee', lastName: 'Quuxley' };
    const first = await timed.caller.pay({ email, customer }, headers);
    expect(first.text).toContain(email);
    expect((await erase(first.body.customerId)).status).toBe(200);
    const again = await timed.caller.pay({ email, customer }, headers);
    expect(again.status, again.text).toBe(201);
    expect(again.body).toMatchObject({ id: first.body.id, amount: 100, email: '', card: null });
    expect(again.text).not.toContain('Zebedee');
  });

  test('ends what an authorization of before starts when it is captured later', async () => {
    const email = someone();
    const { payment, ids } = await timed.subscribe({ email, capture: false });
    const { body } = await timed.caller.post('/customers', { email });
    expect((await erase(body.id)).status).toBe(200);
    const captured = await timed.caller.post(`/v1/payments/${payment.id}/capture`, {});
    expect(captured.status, captured.text).toBe(200);
    const gone = await eventually(
      () => timed.subscription(ids[0] as number),
      ({ active }) => !active,
    );
    expect(gone).toMatchObject({ unsubscribeReason: 'erasure' });
    await timed.moveDays(31);
    expect(await timed.rebills(gone.id)).toEqual([]);
  });

  test('needs its own scope', async () => {
    const who = await person(timed, someone());
    const writer = await callerWith(timed.running, TENANT, { scopes: ['customers:write'] });
    expectRefusal(await erase(who.payment.customerId, writer), 403, 'insufficient_scope');
  });
});

describe('on disk', () => {
  /** Names of the files that contain any of the texts. */
  function filesWith(folder: string, texts: readonly string[]): string[] {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    return files
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .filter((path) => {
        const content = readFileSync(path);
        return texts.some((text) => content.includes(text));
      })
      .map((path) => path.slice(folder.length + 1));
  }

  test('the log never contains plain personal data, and no store does after erasure and restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-erasure-'));
    const env = {
      DATA_DIR: folder,
      EVENT_STORE_URL: '',
      EVENT_STORE_PREFIX: '',
      READ_MODEL_URL: '',
    };
    try {
      const host = await startTimedHost({ tenantId: TENANT, env });
      const who = await person(host, 'zq@hollyhock.example');
      const traces = [...TRACES.slice(0, 4), who.email];
      await host.moveDays(31);
      expect(filesWith(folder, traces).filter((name) => name.startsWith('events.db'))).toEqual([]);
      const before = await host.records(who.id);
      await erased(who, host.caller);
      await host.close();

      const again = await startTimedHost({ tenantId: TENANT + 9, env, at: null });
      const caller = new Caller(again.running.url, TENANT, host.caller.key);
      const { body } = await caller.search({ subscriptionIds: [who.id] });
      expect(body.transactions.map(({ amount }: Json) => amount)).toEqual(
        before.map(({ amount }) => amount).reverse(),
      );
      for (const trace of traces) expect(JSON.stringify(body)).not.toContain(trace);
      const detail = await caller.detail(who.payment.id, FLAGS);
      expect(detail.body.transaction).toMatchObject({ priceVal: 100, email: '', name: '' });
      await again.close();
      expect(filesWith(folder, traces)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
