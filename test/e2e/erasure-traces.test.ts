/** A person is erased in every state that a host may be in: then every byte of its folder is searched. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EventStore, TenantId } from '@counterfoil/core';
import { openKeysToRead } from '@counterfoil/engine';
import { openKeptAnswers } from '@counterfoil/engine/storage';
import { readConfig } from '@counterfoil/http-host/config';
import {
  openSqliteReadModelStore,
  type ReadModelStore,
  rebuild,
  rollBack,
  swap,
  transactions,
} from '@counterfoil/projections';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { appendUnknown } from '../http-host/unknown-event.ts';
import {
  type Caller,
  eventually,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';
import { CLUB } from './subscribers.ts';

vi.setConfig({ testTimeout: 120_000 });

const TENANT = 22;
const EMAIL = 'countess@analytical.example';
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
  session: { id: 'visit-8c1f27aa', ip: '203.0.113.77', useragent: 'Difference Engine/2' },
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
];
/** No server listens there: mails stay queued. */
const ENV = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'receipts@crockery.example' };

let folder: string;
let running: Running;
let caller: Caller;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-traces-'));
  await start();
  caller = await openTenant(running, TENANT);
});
afterEach(async () => {
  await running.host.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  running = await startHost({ onDisk: true, env: { ...ENV, DATA_DIR: folder } });
  if (caller === undefined) return;
  const { key } = caller;
  caller = new (caller.constructor as typeof Caller)(running.url, TENANT, key);
}

const file = (name: string) => join(folder, name);

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
  return readdirSync(folder).flatMap((name) => {
    const bytes = readFileSync(file(name));
    return traces.flatMap((trace) =>
      bytes.includes(trace) ? [`${name}: ${trace.toString('latin1')}`] : [],
    );
  });
}

/** What the person left: kept answers, one of them swept, mails, books of the gateway, a parked stream. */
async function live(): Promise<{ order: Json; id: number }> {
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
  const id = order.customerId;
  await eventually(
    () => caller.get(`/customers/${id}`),
    ({ status }) => status === 200,
  );
  await eventually(metrics, (text) => /^mails_queued [1-9]/m.test(text));
  await eventually(metrics, (text) => /^projection_parked_streams{.*} [1-9]/m.test(text));
  return { order, id };
}

async function metrics(): Promise<string> {
  return (await caller.get('/metrics')).text;
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
  const store: ReadModelStore = openSqliteReadModelStore({
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

async function erase(id: number): Promise<void> {
  const answer = await caller.send('DELETE', `/customers/${id}`, undefined);
  expect(answer.status, answer.text).toBe(200);
}

async function nothingPending(): Promise<void> {
  await eventually(metrics, (text) => /^erasure_pending_files 0$/m.test(text));
  await running.host.readSide.caughtUp(TENANT as TenantId);
}

it('leaves nothing in answers, mails, books, parked streams and builds', async () => {
  const { id } = await live();
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
  const { id } = await live();
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
  await running.host.close();
  await start();
  await eventually(metrics, (text) => /^erasure_pending_files [1-9]/m.test(text));
  close();
  await nothingPending();
  expect(found(traces)).toEqual([]);
});
