/** Idempotency-Key over HTTP: a request that is repeated happens once. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CALLER,
  CARDS,
  type Caller,
  CHECKOUT,
  callerWith,
  card,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
  USER_EMAIL,
} from './running-host.ts';

// One test starts two hosts on files one after the other.
vi.setConfig({ testTimeout: 60_000 });

let now = Date.now();
let running: Running;
let caller: Caller;
let count = 0;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
  caller = await openTenant(running, 11);
});
afterAll(async () => running.close());

function named(): { readonly 'Idempotency-Key': string } {
  count += 1;
  return { 'Idempotency-Key': `order-${count}` };
}

async function paymentsOf(who: Caller, email: string): Promise<Json[]> {
  const { body } = await who.wire.get(`/v1/payments?limit=100&emails=${email}`);
  return body.data;
}

describe('a payment', () => {
  it.each([
    ['taken', card(), 201],
    ['declined', card(CARDS.stolen), 402],
  ])('that is %s is replayed with status and body', async (_what, given, status) => {
    const key = named();
    const email = `replay${count}@example.com`;
    const first = await caller.pay({ card: given, email }, key);
    const second = await caller.pay({ card: given, email }, key);
    expect(first.status).toBe(status);
    expect(second.status).toBe(status);
    expect(second.text).toBe(first.text);
    expect(await paymentsOf(caller, email)).toHaveLength(1);
  });

  it('that waits for the customer is answered from the present state', async () => {
    const key = named();
    const asked = { card: card(CARDS.actionApprove) };
    const first = await caller.pay(asked, key);
    expect([first.status, first.body.status]).toEqual([201, 'RequiresAction']);
    expect((await caller.pay({ ...asked, amount: 1 }, key)).status).toBe(422);
    const confirming = named();
    const confirm = () => caller.wire.post(`/v1/payments/${first.body.id}/confirm`, {}, confirming);
    expect((await confirm()).body.status).toBe('Captured');
    const again = await caller.pay(asked, key);
    expect(again.body).toMatchObject({ id: first.body.id, status: 'Captured' });
  });

  it('is recognised after its card has expired', async () => {
    const key = named();
    const at = new Date(now);
    const expiring = {
      ...card(CARDS.approve),
      expMonth: at.getUTCMonth() + 1,
      expYear: at.getUTCFullYear(),
    };
    const asked = { card: expiring, email: `expired${count}@example.com` };
    const { body } = await caller.pay(asked, key);
    expect(body.status).toBe('Captured');
    const subscription = { name: 'Club', rebillAmount: 5, frequency: 90 };
    const { subscriptionId } = await caller.paid({ subscription, email: asked.email });
    const { body: customer } = await caller.wire.post('/customers', {
      email: `own-${asked.email}`,
    });
    const keep = (path: string) => caller.wire.post(path, { card: expiring }, key);
    const kept = [
      `/customers/${customer.id}/payment-methods`,
      `/v1/subscriptions/${subscriptionId}/card`,
    ];
    for (const path of kept) expect((await keep(path)).status, path).toBeLessThan(300);
    now += 40 * 24 * 60 * 60 * 1_000;
    const again = await caller.pay(asked, key);
    expect([again.status, again.body.id]).toEqual([201, body.id]);
    expectRefusal(await caller.pay({ ...asked, amount: 101 }, key), 422, 'idempotency_key_reused');
    expectRefusal(await caller.pay(asked, named()), 400, 'card_invalid');
    for (const path of kept) {
      const repeated = await keep(path);
      expect(repeated.status, repeated.text).toBeLessThan(300);
      expectRefusal(await caller.wire.post(path, { card: expiring }, named()), 400, 'card_invalid');
    }
  });

  it('with another body under the same key is 422', async () => {
    const key = named();
    const email = `other${count}@example.com`;
    expect((await caller.pay({ email }, key)).status).toBe(201);
    expectRefusal(await caller.pay({ email, amount: 101 }, key), 422, 'idempotency_key_reused');
    expectRefusal(await caller.pay({ email, card: card(CARDS.networkB) }, key), 422);
    expect(await paymentsOf(caller, email)).toHaveLength(1);
  });

  it('asked for 20 times at once exists once', async () => {
    const key = named();
    const email = `race${count}@example.com`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => caller.pay({ email, card: card(CARDS.slow) }, key)),
    );
    const taken = answers.filter(({ status }) => status === 201);
    expect(taken.length).toBeGreaterThanOrEqual(1);
    expect(new Set(taken.map(({ body }) => body.id)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectRefusal(answer, 409, 'idempotency_in_flight');
    }
    expect(await paymentsOf(caller, email)).toHaveLength(1);
  });

  it('without a key happens as often as it is asked for', async () => {
    const email = 'twice@example.com';
    await caller.pay({ email });
    await caller.pay({ email });
    expect(await paymentsOf(caller, email)).toHaveLength(2);
  });
});

describe('a key', () => {
  it('is the tenant’s own', async () => {
    const other = await openTenant(running, 12);
    const key = named();
    const mine = await caller.pay({}, key);
    const theirs = await other.pay({ amount: 7 }, key);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(mine.body.id).not.toBe(theirs.body.id);
    expect((await other.pay({ amount: 7 }, key)).body.id).toBe(theirs.body.id);
  });

  it('is the environment’s own', async () => {
    const tester = await callerWith(running, 11, { environment: 'test' });
    const key = named();
    const live = await caller.pay({}, key);
    const test = await tester.pay({}, key);
    expect([live.status, test.status]).toEqual([201, 201]);
    expect(test.body).toMatchObject({ sandbox: true });
    expect(test.body.id).not.toBe(live.body.id);
  });

  it('is shared by the keys of a tenant', async () => {
    const colleague = await callerWith(running, 11, {});
    const key = named();
    const first = await caller.pay({ amount: 9 }, key);
    const second = await colleague.pay({ amount: 9 }, key);
    expect(second.body.id).toBe(first.body.id);
  });

  it('used for another operation names another request, but for the two paths of a payment', async () => {
    const key = named();
    const { body } = await caller.pay({}, key);
    const refunded = await caller.refund(body.id, { amount: 10 }, key);
    expect(refunded.status).toBe(200);
    const email = `submit${count}@example.com`;
    const purchase = {
      amount: 3,
      currency: 'GBP',
      card: card(),
      email,
      applicationId: CHECKOUT,
      companyId: 5,
    };
    const again = named();
    const one = await caller.wire.post('/v1/payments', purchase, again);
    const two = await caller.wire.post('/v1/card/submit', purchase, again);
    expect([one.status, two.status]).toEqual([201, 201]);
    // Two paths of one command.
    expect(two.body.id).toBe(one.body.id);
  });

  it.each([23, 25, 24 * 400])('moves no money twice, even after %d hours', async (hours) => {
    const key = named();
    const email = `ever${count}@example.com`;
    const first = await caller.pay({ email }, key);
    const refundKey = named();
    const back = await caller.refund(first.body.id, { amount: 10 }, refundKey);
    const later = Date.now() + hours * 3_600_000;
    vi.useFakeTimers({ toFake: ['Date'], now: later });
    now = later;
    const second = await caller.pay({ email }, key);
    const other = await caller.pay({ email, amount: 1 }, key);
    const again = await caller.refund(first.body.id, { amount: 10 }, refundKey);
    const listed = await caller.wire.get(
      `/v1/payments?emails=${email}&limit=100&dateFrom=2020-01-01`,
    );
    vi.useRealTimers();
    now = Date.now();
    expect(second.body.id).toBe(first.body.id);
    expect(other.status).toBeGreaterThanOrEqual(400);
    expect(again.body.refundId).toBe(back.body.refundId);
    expect(listed.body.data).toHaveLength(1);
    expect(listed.body.data[0].refundedAmount).toBe(10);
  });
});

describe('a refund, a capture and a void', () => {
  const claims = { parentCompanyId: 11, userEmail: USER_EMAIL };
  const SERVICE = '/customerapi/refund';

  it.each<[string, Json, (id: string) => [path: string, body: Json], number]>([
    ['a refund in part', {}, (id) => [SERVICE, { ...claims, messageId: id, amount: 30 }], 200],
    ['a full refund', {}, (id) => [SERVICE, { ...claims, messageId: id }], 200],
    [
      'a refund that failed',
      { card: card(CARDS.refundFails) },
      (id) => [SERVICE, { ...claims, messageId: id }],
      402,
    ],
    ['a refund of the card API', {}, (id) => [`/v1/payments/${id}/refund`, { amount: 30 }], 201],
    ['a capture', { capture: false }, (id) => [`/v1/payments/${id}/capture`, {}], 200],
    ['a void', { capture: false }, (id) => [`/v1/payments/${id}/void`, {}], 200],
  ])('%s is made once, and replayed', async (_what, changes, request, status) => {
    const { id } = await caller.paid(changes);
    const key = named();
    const [path, body] = request(id);
    const first = await caller.wire.post(path, body, key);
    const second = await caller.wire.post(path, body, key);
    expect([first.status, second.status], first.text).toEqual([status, status]);
    expect({ ...second.body, requestId: '' }).toEqual({ ...first.body, requestId: '' });
    const { childTransactions } = await caller.transaction(id);
    expect(childTransactions).toHaveLength(path.endsWith('capture') ? 0 : 1);
  });

  it('refunds asked for 10 times at once are one', async () => {
    const { id } = await caller.paid();
    const key = named();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => caller.refund(id, { amount: 10 }, key)),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ body }) => body.refundId)).size).toBe(1);
    expect(answers.every(({ status }) => [200, 409].includes(status))).toBe(true);
    expectRefusal(await caller.refund(id, { amount: 11 }, key), 422);
    expect((await caller.wire.get(`/v1/payments/${id}`)).body.refundedAmount).toBe(10);
  });

  it('the same key at both endpoints is two refunds: a key belongs to one operation', async () => {
    const { id } = await caller.paid();
    const key = named();
    const one = await caller.wire.post(`/v1/payments/${id}/refund`, { amount: 30 }, key);
    const two = await caller.refund(id, { amount: 30 }, key);
    expect([one.status, two.status]).toEqual([201, 200]);
    expect(two.body.refundId).not.toBe(one.body.refundId);
    expect((await caller.wire.get(`/v1/payments/${id}`)).body.refundedAmount).toBe(60);
  });

  it('the same key for two payments is another request', async () => {
    const one = await caller.paid();
    const two = await caller.paid();
    const key = named();
    await caller.wire.post(`/v1/payments/${one.id}/refund`, { amount: 30 }, key);
    const second = await caller.wire.post(`/v1/payments/${two.id}/refund`, { amount: 30 }, key);
    expectRefusal(second, 422);
    expect((await caller.wire.get(`/v1/payments/${two.id}`)).body.refundedAmount).toBe(0);
  });
});

it('survives a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-e2e-'));
  const env = { DATA_DIR: folder };
  const before = await startHost({ onDisk: true, env });
  const first = await openTenant(before, 11);
  const key = named();
  const taken = await first.pay({}, key);
  const declined = await first.pay({ card: card(CARDS.stolen) }, { 'Idempotency-Key': 'declined' });
  const refunded = await first.refund(taken.body.id, { amount: 1 }, { 'Idempotency-Key': 'back' });
  await before.close();

  const after = await startHost({ onDisk: true, env });
  const again = await callerWith(after, 11, {});
  const replays = [
    await again.pay({}, key),
    await again.pay({ card: card(CARDS.stolen) }, { 'Idempotency-Key': 'declined' }),
    await again.refund(taken.body.id, { amount: 1 }, { 'Idempotency-Key': 'back' }),
  ];
  const books = await again.balances();
  await after.close();
  rmSync(folder, { recursive: true, force: true });
  expect(replays.map(({ status, text }) => [status, text])).toEqual(
    [taken, declined, refunded].map(({ status, text }) => [status, text]),
  );
  expect(books).toEqual({ 'acquirer-receivable': 99, refunds: 1, sales: -100 });
});

describe('a key over HTTP and in process', () => {
  const shop = () => running.host.engine.as({ tenantId: caller.tenantId, actor: 'shop' });
  const order = { currency: 'GBP', card: card(), applicationId: CHECKOUT, companyId: 5 } as const;

  it('names the same payment', async () => {
    const key = named();
    const idempotencyKey = key['Idempotency-Key'];
    const email = `both${count}@example.com`;
    const items = [{ storefrontVariantId: 1, storefrontProductId: 2, quantity: 3 }];
    const made = await shop().payments.submit({
      ...order,
      idempotencyKey,
      email,
      amount: '20.00',
      items: items.map((item) => ({ ...item, unitPriceMinor: 150n, discountMinor: 50n })),
      addresses: [{ city: 'Oslo' }],
      plans: [{ name: 'Tea', rebillAmount: '9.99', frequencyDays: 30 }],
    });
    const body = {
      email,
      amount: 20,
      items: [
        {
          StorefrontVariantId: 1,
          StorefrontProductId: 2,
          Quantity: 3,
          UnitPrice: 1.5,
          DiscountAmount: 0.5,
        },
      ],
      addresses: [{ city: 'Oslo' }],
      subscription: { name: 'Tea', rebillAmount: 9.99, frequency: 30 },
    };
    const again = await caller.pay(body, key);
    expect([again.status, again.body.id]).toEqual([201, made.id]);
    const other = shop().payments.submit({ ...order, idempotencyKey, email, amount: '20.00' });
    await expect(other).rejects.toMatchObject({ code: 'IdempotencyKeyReused' });
  });

  it('names the same refund and the same capture', async () => {
    const held = await shop().payments.submit({
      ...order,
      email: 'both@example.com',
      amount: '20',
      capture: false,
    });
    const key = named();
    const idempotencyKey = key['Idempotency-Key'];
    const path = `/v1/payments/${held.id}`;
    await shop().payments.capture(held.id, { idempotencyKey, amount: '12.00' });
    expect((await caller.wire.post(`${path}/capture`, { amount: 12 }, key)).status).toBe(200);
    const back = await shop().payments.refund(held.id, { idempotencyKey, amount: '5.00' });
    const refunded = await caller.wire.post(`${path}/refund`, { amount: 5 }, key);
    expect(refunded.body.id).toBe(back.id);
    expect((await shop().payments.get(held.id)).refundedAmount).toBe('5.00');
  });

  it('names the same customer', async () => {
    const key = named();
    const email = `customer${count}@example.com`;
    const idempotencyKey = key['Idempotency-Key'];
    const { customerId } = await shop().customers.register({ idempotencyKey, email });
    const again = await caller.wire.post('/customers', { email }, key);
    expect(again.body.id).toBe(customerId);
  });
});

describe('a payment whose stored response is lost', () => {
  const submit = (given: {
    id: string;
    content: string;
    email: string;
    account?: number;
    customer?: number;
  }) =>
    running.host.payments.submit(
      {
        tenantId: caller.tenantId as TenantId,
        transactionId: given.id as TransactionId,
        content: given.content,
        order: Transaction.orderOf({
          orderId: 1,
          customerId: 1,
          email: given.email,
          amountMinor: 1_000n,
          currency: 'GBP',
          companyId: 5,
        }),
        companyId: 5,
        instrument: { card: card() },
        ...(given.account !== undefined && { merchantAccountId: given.account }),
        ...(given.customer !== undefined && { customerId: given.customer }),
      },
      CALLER,
    );

  async function customersIdentified(): Promise<number> {
    let count = 0;
    for await (const batch of running.host.events.subscribe({ untilHead: true })) {
      count += batch.filter(({ type }) => type === 'CustomerIdentified').length;
    }
    return count;
  }

  it.each([
    ['as it was', {}],
    ['though it would be refused by now', { account: 999_999 }],
    ['though its customer would not be by now', { customer: 4_713 }],
  ])('is known again, %s', async (_what, change) => {
    const payment = { id: randomUUID(), content: 'a', email: 'again@example.com' };
    const first = await submit(payment);
    expect(first.status).toBe('Captured');
    expect(await submit({ ...payment, ...change })).toEqual(first);
    await expect(submit({ ...payment, id: randomUUID(), account: 999_999 })).rejects.toMatchObject({
      code: 'ReferenceUnknown',
    });
  });

  it('is not taken for another one, which leaves no trace', async () => {
    const payment = { id: randomUUID(), content: 'a', email: 'first@example.com' };
    await submit(payment);
    const before = await customersIdentified();
    for (const other of [{}, { email: 'second@example.com' }, { account: 999_999 }]) {
      const reused = submit({ ...payment, ...other, content: 'b' });
      await expect(reused).rejects.toMatchObject({ code: 'IdempotencyKeyReused' });
    }
    expect(await customersIdentified()).toBe(before);
  });
});
