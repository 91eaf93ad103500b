/** A start with the customers' keys in the database that hosts share: those of this log, or none at all. */
import {
  createMemoryEventStore,
  decodeEvent,
  type EventStore,
  encodeEvent,
  openerOf,
  type Position,
  type StreamName,
  type SubscribeOptions,
  sealerOf,
  type TenantId,
} from '@counterfoil/core';
import { type CustomerVault, openKeysToRead, openPersonalKeys } from '@counterfoil/engine';
import { openHostDatabase } from '@counterfoil/engine/storage';
import { readConfig } from '@counterfoil/http-host/config';
import pg from 'pg';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { newDatabase } from '../setup/databases.ts';

const TENANT = 1 as TenantId;
const WHO = { tenantId: TENANT, sandbox: false, customerId: 1 };
const masterKey = Buffer.alloc(32, 1);
const at = '2026-01-01T00:00:00.000Z';
const identifiedAs = (customerId: number) => ({
  type: 'CustomerIdentified' as const,
  ...{ sandbox: false, customerId, email: 'ada@example.com', at },
});

let url: string;
let log: EventStore;
let appended = 0;
beforeEach(async () => {
  url = await newDatabase();
  log = createMemoryEventStore();
});

function locatedAt(readModelUrl: string) {
  return { dataDir: '/nowhere', eventStoreUrl: 'sqlite:/nowhere/events.db', readModelUrl };
}

async function start(events: EventStore = log): Promise<CustomerVault> {
  const keys = await openPersonalKeys({ located: locatedAt(url), masterKey, events });
  onTestFinished(async () => {
    await keys.close();
  });
  return keys;
}

async function append(keys?: CustomerVault, customerId = 1): Promise<void> {
  appended += 1;
  const identified = identifiedAs(customerId);
  const vault = await sealerOf(keys, { tenantId: TENANT, events: [identified] });
  const encoded = encodeEvent(identified, vault && { tenantId: TENANT, vault });
  const id = `0195a000-0000-8000-8000-${String(appended).padStart(12, '0')}`;
  await log.append({
    stream: `customer-1-live-${appended}` as StreamName,
    expected: { kind: 'any' },
    command: { id: id as never, fingerprint: '' },
    events: [{ ...encoded, id, tenantId: TENANT, time: at, metadata: '{"actor":"a"}' }],
  });
}

async function inDatabase(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

it('makes the table for an empty log, and finds what is in it again', async () => {
  await append(await start());
  expect(await (await start()).stateOf(WHO)).toBe('kept');
});

it('uses the connections of a host that has some, and leaves them open', async () => {
  const database = await openHostDatabase(url);
  onTestFinished(() => database.close());
  const keys = await openPersonalKeys({
    ...{ located: locatedAt(url), masterKey, events: log, database },
  });
  await append(keys);
  await keys.close();
  const { rows } = await database.pool.query('SELECT customer FROM counterfoil_host.personal_keys');
  expect(rows).toEqual([{ customer: '1' }]);
});

it('gives a log of an earlier version its first keys', async () => {
  await append();
  await start();
  expect(await (await start()).firstEvent()).toMatch(/^0195a000/);
});

it.each([
  ['all of them', 'TRUNCATE counterfoil_host.personal_keys, counterfoil_host.personal_keys_of_log'],
  ['the keys alone', 'TRUNCATE counterfoil_host.personal_keys'],
])('refuses a sealed log whose keys are gone, %s', async (_, statement) => {
  const keys = await start();
  await append();
  await append(keys);
  await start();
  await inDatabase(statement);
  for (let time = 0; time < 2; time += 1) {
    await expect(start()).rejects.toThrow(
      /personal_keys has no keys.*at position 0*2.*from a backup/,
    );
  }
});

it.each([
  ['some of them', 'DELETE FROM counterfoil_host.personal_keys WHERE customer = 1'],
  [
    'some of them, with the mark of before',
    `DELETE FROM counterfoil_host.personal_keys WHERE customer = 1;
     UPDATE counterfoil_host.personal_keys_of_log SET whole_keys = 0`,
  ],
])('refuses a sealed log that has lost %s, and makes none in their place', async (_, statement) => {
  const keys = await start();
  for (const customerId of [7, 9, 1]) await append(keys, customerId);
  const [, second, third] = await allOf(log);
  const mark = { after: second?.position as Position, eventId: third?.id ?? '', keys: 3 };
  await (await start()).setMark(mark);
  await inDatabase(statement);
  for (let time = 0; time < 2; time += 1) {
    await expect(start()).rejects.toThrow(
      /personal_keys .*(key of customer 1\/live\/1,|keys of 2 customers).*Lost keys/,
    );
  }
});

it('refuses the keys of another log', async () => {
  await append(await start());
  await start();
  log = createMemoryEventStore();
  await append();
  await expect(start()).rejects.toThrow('of another log');
  log = createMemoryEventStore();
  await expect(start()).rejects.toThrow('of another log');
});

it('is not refused because another host has begun to seal in the meantime', async () => {
  const other = await start();
  let looks = 0;
  const events: EventStore = Object.assign(Object.create(log) as EventStore, {
    async *subscribe(options: SubscribeOptions) {
      looks += 1;
      // It has found no keys, and looks for what is sealed.
      if (looks === 1) await append(other);
      yield* log.subscribe(options);
    },
  });
  expect(await (await start(events)).stateOf(WHO)).toBe('kept');
});

it('of several hosts at once says the same', async () => {
  await append();
  const started = await Promise.all([start(), start(), start(), start()]);
  const said = await Promise.all(started.map((keys) => keys.firstEvent()));
  expect(new Set(said).size).toBe(1);
});

it('allows concurrent readers, which create nothing', async () => {
  const keys = await start();
  await append(keys);
  const config = readConfig({
    DATA_DIR: '/nowhere',
    READ_MODEL_URL: url,
    MASTER_KEY: masterKey.toString('base64'),
  });
  const reader = await openKeysToRead(config);
  onTestFinished(async () => {
    await reader?.close();
  });
  const stored = await allOf(log);
  const opener = await openerOf(reader, stored);
  expect(stored.map((event) => decodeEvent(event, opener))).toEqual([identifiedAs(1)]);
  await expect(append(reader)).rejects.toThrow('for reading');
});

async function allOf(events: EventStore) {
  for await (const batch of events.subscribe({ untilHead: true })) return batch;
  return [];
}
