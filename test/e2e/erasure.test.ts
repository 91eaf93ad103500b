/** A person is erased over HTTP: from every response and every file; amounts stay. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TenantId, Transaction } from '@counterfoil/core';
import { examine } from '@counterfoil/engine/doctor';
import { readConfig } from '@counterfoil/http-host/config';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  CARDS,
  type Caller,
  callerWith,
  card,
  eventually,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';
import { CLUB, startedBy, subscriptionOf } from './subscribers.ts';

vi.setConfig({ testTimeout: 60_000 });

const TENANT = 21;
const EMAIL = 'countess@analytical.example';

/** The personal data, with unique texts. */
const PERSON = {
  email: EMAIL,
  customer: { firstName: 'Augusta', lastName: 'Byron-King' },
  addresses: [
    {
      addressType: 'DEFAULT',
      address: '12 Ockham Park Road',
      city: 'Ockham',
      postalCode: 'GU23 6NQ',
      countryCode: 'GB',
      phone: '+44 1483 555 019',
    },
  ],
  session: {
    id: 'visit-8c1f27aa',
    ip: '203.0.113.77',
    useragent: 'Difference Engine/2',
    url: 'https://shop.example/engine',
    ipCity: 'Guildford',
    ipCountryCode: 'GB',
  },
  partnerSession: 'click-5521-ada',
};
const TRACES = [
  EMAIL,
  'Augusta',
  'Byron-King',
  'Ockham',
  'GU23',
  '555 019',
  'visit-8c1f27aa',
  '203.0.113.77',
  'Difference Engine',
  'Guildford',
  'click-5521-ada',
];

let folder: string;
let running: Running;
let caller: Caller;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-erasure-'));
  await start();
  caller = await openTenant(running, TENANT);
});
afterEach(async () => {
  await running.host.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  running = await startHost({ onDisk: true, env: { DATA_DIR: folder } });
}

/** The same caller after a restart. */
async function restart(): Promise<void> {
  await running.host.close();
  await start();
  const { key } = caller;
  caller = new (caller.constructor as typeof Caller)(running.url, TENANT, key);
  await vi.waitUntil(async () => (await fetch(`${running.url}/readyz`)).status === 200, {
    timeout: 20_000,
    interval: 20,
  });
}

function bytesOf(pattern: RegExp): string {
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join();
}

function tracesIn(text: string): string[] {
  return TRACES.filter((trace) => text.includes(trace));
}

/** The payments of the person: an order with a subscription that was refunded in part, and an authorization. */
async function live(): Promise<{ order: Json; held: Json; id: number }> {
  const order = await caller.paid({ ...PERSON, subscription: CLUB });
  const refund = await caller.post(`/v1/payments/${order.id}/refund`, { amount: 10 });
  expect(refund.status, refund.text).toBe(201);
  const held = await caller.paid({ ...PERSON, capture: false });
  const id = order.customerId;
  const known = await eventually(
    () => caller.get(`/customers/${id}`),
    ({ status }) => status === 200,
  );
  expect(known.body.email).toBe(EMAIL);
  return { order, held, id };
}

async function erase(id: number): Promise<void> {
  const answer = await caller.send('DELETE', `/customers/${id}`, undefined);
  expect(answer.status, answer.text).toBe(200);
}

/** Whatever the host answers about the person's payments. */
async function answers(order: Json, held: Json, id: number): Promise<string> {
  const flags = {
    getSearchData: true,
    getAddressData: true,
    getAddress: true,
    getSessionData: true,
    getCartData: true,
    getSubscription: true,
  };
  const texts: string[] = [];
  for (const { id: payment } of [order, held]) {
    texts.push((await caller.detail(payment, flags)).text);
    texts.push((await caller.get(`/v1/payments/${payment}`)).text);
  }
  texts.push((await caller.get('/v1/payments')).text);
  texts.push((await caller.search({ limit: 100 })).text);
  texts.push((await caller.get(`/customers/${id}`)).text);
  texts.push((await caller.get(`/customers/${id}/subscriptions`)).text);
  return texts.join();
}

async function expectGone({ order, held, id }: { order: Json; held: Json; id: number }) {
  expect(tracesIn(await answers(order, held, id))).toEqual([]);
  for (const filter of [
    { emails: [EMAIL] },
    { firstName: 'augusta' },
    { lastName: 'byron-king' },
    { last4: '4242' },
    { bin: '424242' },
  ]) {
    expect(await caller.found(filter), JSON.stringify(filter)).toEqual([]);
  }
  expect(await caller.found({ transactionIds: [order.id, held.id] })).toHaveLength(2);
  const { body } = await caller.get(`/customers/${id}`);
  expect(body).toMatchObject({ id, erased: true, email: '', firstName: '', addresses: [] });
}

const amountsOf = async (id: string): Promise<Json> => {
  const { priceVal, status, refunded, childTransactions } = await caller.transaction(id);
  const children = childTransactions.map((child: Json) => [child.priceVal, child.status]);
  return { priceVal, status, refunded, children };
};

it('takes the person out of every answer and every file, and moves no amount', async () => {
  const lived = await live();
  const { order, held, id } = lived;
  const before = await Promise.all([order.id, held.id].map(amountsOf));
  const books = await caller.balances();
  expect(tracesIn(await answers(order, held, id))).toContain(EMAIL);
  await erase(id);
  await expectGone(lived);
  expect(await Promise.all([order.id, held.id].map(amountsOf))).toEqual(before);
  expect(await caller.balances()).toEqual(books);
  const [subscriptionId = 0] = startedBy(order);
  expect(await subscriptionOf(running, TENANT, subscriptionId)).toMatchObject({
    unsubscribeReason: 'erasure',
    rebillAt: null,
    email: '',
    card: null,
  });
  await restart();
  await expectGone(lived);
  expect(await caller.balances()).toEqual(books);
  await running.host.close();
  const examination = await examine(readConfig({ DATA_DIR: folder }), {
    quick: false,
    now: Date.now,
    scratch: folder,
    onProgress: () => {},
    onChecked: () => {},
  });
  expect(examination.checks.flatMap(({ findings }) => findings)).toEqual([]);
  expect(tracesIn(bytesOf(/./))).toEqual([]);
  await start();
});

it('shows nothing of anybody in the log without the keys', async () => {
  const { order, held } = await live();
  const stream = Transaction.streamOf({ tenantId: TENANT as TenantId, transactionId: order.id });
  const payment = await running.host.commands.stateOf(Transaction, stream);
  const token = payment?.card?.token ?? 'no token';
  await caller.post('/customers', {
    email: 'babbage@analytical.example',
    firstName: 'Augusta',
    addresses: PERSON.addresses,
  });
  const log = bytesOf(/^events\.db/);
  expect(log).toContain(order.id);
  expect(log).toContain(held.id);
  expect([...tracesIn(log), log.includes('babbage@'), log.includes(token)]).toEqual([false, false]);
});

it('leaves the payments to be refunded, captured and voided', async () => {
  const { order, held, id } = await live();
  const voided = await caller.paid({ ...PERSON, capture: false });
  await erase(id);
  expect((await caller.refund(order.id)).body).toMatchObject({ success: true });
  const captured = await caller.post(`/v1/payments/${held.id}/capture`, {});
  expect(captured.status, captured.text).toBe(200);
  const undone = await caller.post(`/v1/payments/${voided.id}/void`, {});
  expect(undone.status, undone.text).toBe(200);
  await restart();
  expect(await amountsOf(held.id)).toMatchObject({ status: 'Captured' });
  expect(await amountsOf(order.id)).toMatchObject({ refunded: true });
});

it('frees the email for a new customer', async () => {
  const { order, id } = await live();
  await erase(id);
  const again = await caller.paid(PERSON);
  expect(again.customerId).not.toBe(id);
  expect(await caller.found({ emails: [EMAIL] })).toEqual([again.id]);
  expect(await caller.transaction(order.id)).toMatchObject({ email: '' });
});

it('can be repeated, and is refused for an unknown or another tenant’s customer', async () => {
  const { id } = await live();
  const stranger = await openTenant(running, TENANT + 1);
  const tester = await callerWith(running, TENANT, { environment: 'test' });
  for (const by of [stranger, tester]) {
    expect((await by.send('DELETE', `/customers/${id}`, undefined)).status).toBe(404);
  }
  expect((await caller.get(`/customers/${id}`)).body.erased).toBe(false);
  await erase(id);
  await erase(id);
  const events = await running.host.events.read(`customer_account-${TENANT}-live-${id}` as never);
  expect(events.filter(({ type }) => type === 'CustomerErased')).toHaveLength(1);
});

it('settles a payment whose answer was lost', async () => {
  const { id } = await live();
  const lost = await caller.pay({ ...PERSON, card: card(CARDS.timeoutApprove) });
  expect(lost.status, lost.text).toBe(202);
  await erase(id);
  await restart();
  const settled = await eventually(
    () => caller.get(`/v1/payments/${lost.body.id}`),
    ({ body }) => body.status === 'Captured',
  );
  expect(tracesIn(settled.text)).toEqual([]);
});
