/** A person is erased over HTTP: from every response and every byte of the files; amounts stay. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type EventStore, type TenantId, Transaction } from '@counterfoil/core';
import { openKeysToRead } from '@counterfoil/engine';
import { examine } from '@counterfoil/engine/doctor';
import { openKeptAnswers } from '@counterfoil/engine/storage';
import { readConfig } from '@counterfoil/http-host/config';
import {
  openSqliteReadModelStore,
  rebuild,
  rollBack,
  swap,
  transactions,
} from '@counterfoil/projections';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { appendUnknown } from '../http-host/unknown-event.ts';
import { customersOf } from './customer-requests.ts';
import {
  type Answer,
  CARDS,
  type Caller,
  card,
  eventually,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';
import { CLUB, startedBy, subscriptionOf } from './subscribers.ts';
import { atHost } from './two-hosts.ts';

vi.setConfig({ testTimeout: 120_000 });

const TENANT = 21;
const EMAIL = 'countess@analytical.example';

/** The personal data, with unique texts. */
const PERSON = {
  email: EMAIL,
  customer: { firstName: 'Augusta', lastName: 'Byron-King' },
  addresses: [
    {
      addressType: 'DEFAULT' as const,
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

/** No server listens there: mails stay queued. */
const ENV = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'receipts@crockery.example',
  GATEWAY_TIMEOUT_MS: '500',
};

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
  running = await startHost({ onDisk: true, env: { ...ENV, DATA_DIR: folder } });
}

/** The same caller after a restart. */
async function restart(): Promise<void> {
  await running.host.close();
  await start();
  caller = atHost(running, caller);
  await vi.waitUntil(async () => (await fetch(`${running.url}/readyz`)).status === 200, {
    timeout: 20_000,
    interval: 20,
  });
}

const file = (name: string) => join(folder, name);

/** The socket of the running host holds nothing. */
const files = () => readdirSync(folder).filter((name) => !name.endsWith('.sock'));

function bytesOf(pattern: RegExp): string {
  return files()
    .filter((name) => pattern.test(name))
    .map((name) => readFileSync(file(name), 'latin1'))
    .join();
}

function tracesIn(text: string): string[] {
  return TRACES.filter((trace) => text.includes(trace));
}

/** The payments of the person: an order with a subscription that was refunded in part, and an authorization. */
async function live(): Promise<{ order: Json; held: Json; id: number }> {
  const order = await caller.paid({ ...PERSON, subscription: CLUB });
  const refund = await caller.post('/v1/payments/{id}/refund', {
    path: { id: order.id },
    body: { amount: 10 },
  });
  expect(refund.status, refund.text).toBe(201);
  const held = await caller.paid({ ...PERSON, capture: false });
  const id = order.customerId;
  expect((await registered(id)).body.email).toBe(EMAIL);
  return { order, held, id };
}

/** The customer of a payment is registered shortly after it. */
function registered(id: number): Promise<Answer> {
  return eventually(
    () => caller.get('/customers/{id}', { path: { id } }),
    ({ status }) => status === 200,
  );
}

async function erase(id: number): Promise<void> {
  const answer = await customersOf(() => caller).erase(id);
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
    texts.push((await caller.get('/v1/payments/{id}', { path: { id: payment } })).text);
  }
  texts.push((await caller.get('/v1/payments')).text);
  texts.push((await caller.search({ limit: 100 })).text);
  texts.push((await caller.get('/customers/{id}', { path: { id } })).text);
  texts.push((await caller.get('/customers/{id}/subscriptions', { path: { id } })).text);
  texts.push((await caller.get('/v1/subscriptions')).text);
  texts.push((await caller.get('/customers')).text);
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
  const { body } = await caller.get('/customers/{id}', { path: { id } });
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
    body: {
      email: 'babbage@analytical.example',
      firstName: 'Augusta',
      addresses: PERSON.addresses,
    },
  });
  const log = bytesOf(/^events\.db/);
  expect(log).toContain(order.id);
  expect(log).toContain(held.id);
  expect([...tracesIn(log), log.includes('babbage@'), log.includes(token)]).toEqual([false, false]);
});

it('settles a payment whose answer was lost', async () => {
  const { id } = await live();
  const lost = await caller.pay({ ...PERSON, card: card(CARDS.timeoutApprove) });
  expect(lost.status, lost.text).toBe(202);
  await erase(id);
  await restart();
  const settled = await eventually(
    () => caller.get('/v1/payments/{id}', { path: { id: lost.body.id } }),
    ({ body }) => body.status === 'Captured',
  );
  expect(tracesIn(settled.text)).toEqual([]);
});

/** The person's key as stored, and the texts of their requests. */
function tracesOf(customerId: number): readonly Buffer[] {
  const keys = new DatabaseSync(file('keys.db'), { readOnly: true });
  const row = keys.prepare('SELECT wrapped FROM personal_key WHERE customer = ?').get(customerId);
  keys.close();
  const wrapped = Buffer.from(row?.['wrapped'] as Uint8Array);
  const texts = [...TRACES, wrapped.toString('hex'), wrapped.toString('base64')];
  return [wrapped, ...texts.map((text) => Buffer.from(text))];
}

/** Each file with the traces in it. */
function found(traces: readonly Buffer[]): string[] {
  return files().flatMap((name) => {
    const bytes = readFileSync(file(name));
    return traces.flatMap((trace) =>
      bytes.includes(trace) ? [`${name}: ${trace.toString('latin1')}`] : [],
    );
  });
}

/** Stored responses, one of them swept, mails, gateway books, a parked stream; answers the customer id. */
async function leaveTraces(): Promise<number> {
  const pay = async (key: string, more: Json = {}) => {
    const answer = await caller.pay({ ...PERSON, ...more }, { 'Idempotency-Key': key });
    expect(answer.status, answer.text).toBe(201);
    return answer;
  };
  await pay('swept');
  const answers = openKeptAnswers(file('idempotency.db'));
  expect(await answers.sweep(Number.MAX_SAFE_INTEGER, 10)).toBe(1);
  await answers.close();
  const { body: order } = await pay('fresh', { subscription: CLUB });
  const refunded = await caller.refund(order.id, { amount: 1, sendUserCommunication: true });
  expect(refunded.status, refunded.text).toBe(200);
  const { body: parked } = await pay('parked');
  const { events } = running.host;
  const open = { append: events.append.bind(events), close: async () => undefined };
  await appendUnknown(open as unknown as EventStore, TENANT as TenantId, parked.id);
  await registered(order.customerId);
  await eventually(metrics, (text) => /^mails_queued [1-9]/m.test(text));
  await eventually(metrics, (text) => /^projection_parked_streams{.*} [1-9]/m.test(text));
  return order.customerId;
}

async function metrics(): Promise<string> {
  return (await caller.wire.get('/metrics')).text;
}

/** Builds beside the live one: rolled back from, kept, and of a rebuild that was killed. */
async function leaveBuilds(): Promise<number> {
  const config = readConfig({ DATA_DIR: folder });
  const vault = await openKeysToRead(config);
  const store = openSqliteReadModelStore({ path: file('read-models.db') });
  const shared = { store, vault, events: running.host.events, now: Date.now };
  const rebuilt = (more: Json = {}) =>
    rebuild({ ...shared, projection: transactions, holder: 'rebuild', ...more });
  const first = (await store.live(transactions.name))?.info.build;
  await swap(store, await rebuilt());
  expect(await rollBack(store, transactions)).toBe(first);
  await rebuilt();
  const die = ({ phase }: { phase: string }) => {
    if (phase === 'indexing') throw new Error('killed');
  };
  await expect(rebuilt({ onProgress: die })).rejects.toThrow('killed');
  const { pid } = spawnSync(process.execPath, ['--version']);
  const holder = `process-${pid}-${hostname()}`;
  const lease = { name: `rebuild-${transactions.name}`, holder };
  await store.acquireLease({ ...lease, nowMs: Date.now(), ttlMs: 600_000 });
  const { length } = await store.builds(transactions.name);
  await store.close();
  await vault?.close();
  return length;
}

async function builds(): Promise<number> {
  const store = openSqliteReadModelStore({
    path: file('read-models.db'),
    readOnly: true,
  });
  const { length } = await store.builds(transactions.name);
  await store.close();
  return length;
}

/** The persons of the stored responses; null for those about none. */
function subjectsOfAnswers(): unknown[] {
  const answers = new DatabaseSync(file('idempotency.db'), { readOnly: true });
  const rows = answers.prepare('SELECT DISTINCT subject FROM answer').all();
  answers.close();
  return rows.map(({ subject }) => subject);
}

async function nothingPending(): Promise<void> {
  await eventually(metrics, (text) => /^erasure_pending_files 0$/m.test(text));
  await running.host.readSide.caughtUp(TENANT as TenantId);
}

it('leaves nothing in answers, mails, books, parked streams and builds', async () => {
  const id = await leaveTraces();
  expect(await leaveBuilds()).toBe(4);
  const traces = tracesOf(id);
  const before = found(traces).join();
  for (const name of ['keys.db', 'idempotency.db', 'read-models.db-transactions-4']) {
    expect(before).toContain(name);
  }
  expect(readdirSync(folder)).toContain('mails.db');
  expect(subjectsOfAnswers()).toEqual([expect.stringMatching(`^${TENANT}/(live|test)/${id}$`)]);
  await erase(id);
  await eventually(builds, (count) => count === 1);
  await nothingPending();
  expect(found(traces)).toEqual([]);
});

it('leaves nothing once concurrent readers of the files are done, also across a restart', async () => {
  const id = await leaveTraces();
  const traces = tracesOf(id);
  const readers = readdirSync(folder)
    .filter((name) => /^(keys|idempotency|read-models)\.db(-[a-z]+-\d+)?$/.test(name))
    .map((name) => {
      const reader = new DatabaseSync(file(name), { readOnly: true });
      reader.exec('BEGIN; SELECT * FROM sqlite_schema');
      return reader;
    });
  const close = () => {
    for (const reader of readers) if (reader.isOpen) reader.close();
  };
  onTestFinished(close);
  await erase(id);
  await eventually(metrics, (text) => /^erasure_pending_files [1-9]/m.test(text));
  expect(found(traces).join()).toMatch(/keys\.db-wal/);
  await restart();
  await eventually(metrics, (text) => /^erasure_pending_files [1-9]/m.test(text));
  close();
  await nothingPending();
  expect(found(traces)).toEqual([]);
});
