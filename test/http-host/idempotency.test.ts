/** The kept answers: one contract for both stores, and what a caller sees of them. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Subject, TenantId } from '@counterfoil/core';
import { deterministicUuid, keyDigest, uuidV7 } from '@counterfoil/engine';
import {
  answersAbout,
  type KeptAnswers,
  type KeptEntry,
  openHostDatabase,
  openKeptAnswers,
  openSharedAnswers,
} from '@counterfoil/engine/storage';
import { Idempotency } from '@counterfoil/http-host/http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newDatabase } from '../setup/databases.ts';
import { casesOfProject } from '../setup/stores.ts';
import { API_KEY, type Bench, type ErrorBody, JSON_HEADERS, startBench } from './listening-host.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-answers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'idempotency.db');
}

function openSqlite(path: string): KeptAnswers {
  const store = openKeptAnswers(path);
  onTestFinished(() => store.close());
  return store;
}

function entry(fingerprint: string, recordedAtMs: number, body: string | Buffer = '{}'): KeptEntry {
  return {
    fingerprint,
    answer: { status: 201, contentType: 'application/json', body, headers: { Location: '/1' } },
    recordedAtMs,
    expiresAtMs: recordedAtMs + 100,
  };
}

async function openPostgres(): Promise<KeptAnswers> {
  const database = await openHostDatabase(await newDatabase());
  const store = openSharedAnswers(database);
  onTestFinished(async () => {
    await store.close();
    await database.close();
  });
  return store;
}

const stores = casesOfProject<[string, () => KeptAnswers | Promise<KeptAnswers>]>({
  embedded: [
    ['memory', () => openSqlite(':memory:')],
    ['sqlite', () => openSqlite(temporaryFile())],
  ],
  postgres: [['postgres', openPostgres]],
});

describe.each(stores)('the %s store', (_name, open) => {
  it('finds what was put, and nothing else', async () => {
    const store = await open();
    await store.put('a', entry('one', 0));
    expect(await store.find('a', 99)).toEqual(entry('one', 0));
    expect(await store.find('b', 99)).toBeUndefined();
  });

  it('keeps bytes and text as they are, and answers without headers', async () => {
    const store = await open();
    const bytes = entry('one', 0, Buffer.from([0, 255, 1]));
    await store.put('bytes', bytes);
    expect(await store.find('bytes', 0)).toEqual(bytes);
    const bare = {
      ...entry('one', 0, 'é'),
      answer: { ...entry('one', 0, 'é').answer, headers: undefined },
    };
    await store.put('bare', bare);
    expect(await store.find('bare', 0)).toEqual(bare);
  });

  it('keeps the first entry until it expires', async () => {
    const store = await open();
    await store.put('a', entry('one', 0));
    await store.put('a', entry('two', 99));
    expect((await store.find('a', 99))?.fingerprint).toBe('one');
    expect(await store.find('a', 100)).toBeUndefined();
    await store.put('a', entry('three', 100));
    expect((await store.find('a', 100))?.fingerprint).toBe('three');
  });

  it('holds a key for its request until there is a final answer', async () => {
    const store = await open();
    const onStoreFailure = vi.fn();
    const host = () => new Idempotency({ store, secret: Buffer.alloc(32), onStoreFailure });
    const asked = (fingerprint: string, body: string, isFinal?: boolean) => {
      const request = { scope: ['7', 'live', 'refund', 'k'], fingerprint };
      const answer = { status: 202, contentType: 'text/plain', headers: undefined, isFinal, body };
      return host().run(request, async () => answer);
    };
    expect((await asked('one', 'pending', false)).body).toBe('pending');
    const stillOpen = await asked('one', 'pending since then', false);
    expect([stillOpen.body, stillOpen.headers]).toEqual(['pending since then', undefined]);
    await expect(asked('two', 'of another request')).rejects.toThrow('used with another request');
    expect((await asked('one', 'done')).body).toBe('done');
    const replayed = await asked('one', 'done again');
    expect([replayed.body, replayed.headers]).toEqual(['done', { 'Idempotency-Replayed': 'true' }]);
    await expect(asked('two', 'of another request')).rejects.toThrow('used with another request');
    expect(onStoreFailure).not.toHaveBeenCalled();
  });

  it('keeps the first of two that race', async () => {
    const store = await open();
    const racing = ['one', 'two'].map((fingerprint) => store.put('a', entry(fingerprint, 0)));
    await Promise.all([...racing, store.put('b', entry('three', 0))]);
    expect((await store.find('a', 0))?.fingerprint).toBe('one');
    expect((await store.find('b', 0))?.fingerprint).toBe('three');
  });

  it('forgets the data of a person by subject, or by text without one', async () => {
    const store = await open();
    const person = { tenantId: 7 as TenantId, sandbox: false, customerId: 5 };
    const put = (key: string, body: string | Buffer, subject?: Subject) => {
      const { answer, ...rest } = entry('one', 0, body);
      return store.put(key, { ...rest, answer: { ...answer, ...(subject && { subject }) } });
    };
    const named = '{"id":5}';
    const others = ['["70","live"]', '["6","live"]', '["8","live"]', '["7"]', '', '\u{10ffff}'];
    for (const key of others) await put(key, named);
    await put('["7","live","other"]', '{"id":6}');
    // The id is that of another person's payment.
    await put('["7","live","payment"]', named, { ...person, customerId: 6 });
    await put('["7","test","sandbox"]', named, { ...person, sandbox: true });
    // More than are looked at together.
    const keys = Array.from({ length: 1_100 }, (_, n) => `["7","live","createCustomer","${n}"]`);
    await Promise.all(keys.map((key, n) => put(key, named, n % 2 === 0 ? person : undefined)));
    await put('["7","live","unnamed"]', '{"amount":1}', person);
    await put('["7","live","bytes"]', Buffer.from(named));
    const late = put('["7","test","late"]', named);
    await store.forget(answersAbout(person));
    await late;
    const gone = ['unnamed', 'bytes'].map((each) => `["7","live","${each}"]`);
    for (const key of [...keys, ...gone, '["7","test","late"]']) {
      expect(await store.find(key, 0), key).toBeUndefined();
    }
    const kept = ['["7","live","other"]', '["7","live","payment"]', '["7","test","sandbox"]'];
    for (const key of [...others, ...kept]) {
      expect(await store.find(key, 0), key).toBeDefined();
    }
    await store.put('["7","live","bytes"]', entry('two', 0));
    expect(await store.find('["7","live","bytes"]', 0)).toEqual(entry('two', 0));
  });

  it('sweeps what has expired, in bounded portions', async () => {
    const store = await open();
    for (const [index, key] of ['a', 'b', 'c'].entries()) await store.put(key, entry(key, index));
    expect(await store.sweep(99, 10)).toBe(0);
    expect(await store.sweep(101, 1)).toBe(1);
    expect(await store.sweep(101, 10)).toBe(1);
    expect((await store.find('c', 101))?.fingerprint).toBe('c');
  });
});

it('the sqlite store leaves nothing on the disk of what it forgets', async () => {
  const path = temporaryFile();
  const store = openSqlite(path);
  await store.put('["7","live"]', entry('one', 0, '{"id":5,"email":"ada@example.com"}'));
  await store.put('["8","live"]', entry('one', 0, '{"email":"eve@example.com"}'));
  expect(onDisk(path)).toContain('ada@example.com');
  await store.forget(answersAbout({ tenantId: 7 as TenantId, sandbox: false, customerId: 5 }));
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN; SELECT * FROM answer');
  expect([await store.scrub(), onDisk(path).includes('ada@example.com')]).toEqual([false, true]);
  reader.close();
  expect([await store.scrub(), onDisk(path).includes('ada@example.com')]).toEqual([true, false]);
  expect(onDisk(path)).toContain('eve@example.com');
});

/** Longer than a page: what is removed leaves whole pages free. */
const LONG = JSON.stringify({ email: 'ada@example.com', text: 'long '.repeat(5_000) });

it('the sqlite store leaves nothing on the disk of what it sweeps', async () => {
  const path = temporaryFile();
  const store = openSqlite(path);
  await store.put('["7","live"]', entry('one', 0, LONG));
  await store.scrub();
  expect(await store.sweep(Number.MAX_SAFE_INTEGER, 10)).toBe(1);
  await store.scrub();
  expect(onDisk(path)).not.toMatch(/ada@example|long long/);
});

it('the sqlite store takes out of a file what a host of before had swept', async () => {
  const path = temporaryFile();
  const store = openKeptAnswers(path);
  await store.put('["7","live"]', entry('one', 0, LONG));
  await store.put('["8","live"]', entry('one', 0, '{"email":"eve@example.com"}'));
  await store.close();
  const before = new DatabaseSync(path);
  before.exec(`PRAGMA secure_delete = OFF; PRAGMA user_version = 0;
    DELETE FROM answer WHERE key LIKE '%7%'`);
  before.close();
  expect(onDisk(path)).toMatch(/long long/);
  const again = openSqlite(path);
  await again.scrub();
  expect(onDisk(path)).not.toMatch(/ada@example|long long/);
  expect(onDisk(path)).toContain('eve@example.com');
});

it('the sqlite store keeps the answers of an earlier version, and an erasure finds them', async () => {
  const path = temporaryFile();
  const earlier = new DatabaseSync(path);
  earlier.exec(`
    CREATE TABLE answer (
      key TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL, status INTEGER NOT NULL,
      content_type TEXT NOT NULL, body ANY NOT NULL, headers TEXT, recorded_at_ms INTEGER NOT NULL,
      expires_at_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX answer_by_expiry ON answer (expires_at_ms);
    INSERT INTO answer VALUES
      ('["7","live","a"]', 'one', 201, 'application/json', '{"id":5}', '{"Location":"/1"}', 0, 100),
      ('["7","live","b"]', 'one', 201, 'application/json', '{"id":6}', '{"Location":"/1"}', 0, 100);
  `);
  earlier.close();
  const store = openSqlite(path);
  expect(await store.find('["7","live","a"]', 0)).toEqual(entry('one', 0, '{"id":5}'));
  await store.forget(answersAbout({ tenantId: 7 as TenantId, sandbox: false, customerId: 5 }));
  expect(await store.find('["7","live","a"]', 0)).toBeUndefined();
  expect(await store.find('["7","live","b"]', 0)).toEqual(entry('one', 0, '{"id":6}'));
});

/** The file, and what stands beside it. */
function onDisk(path: string): string {
  const files = [path, `${path}-wal`].filter((file) => existsSync(file));
  return files.map((file) => readFileSync(file, 'latin1')).join();
}

it('the sqlite store outlives its process', async () => {
  const path = temporaryFile();
  const first = openKeptAnswers(path);
  await first.put('a', entry('one', 0));
  await first.close();
  expect(await openSqlite(path).find('a', 0)).toEqual(entry('one', 0));
});

it('the sqlite store says so when it cannot keep an answer, and writes what waits when closed', async () => {
  const path = temporaryFile();
  const store = openKeptAnswers(path);
  const waiting = store.put('a', entry('one', 0));
  await store.close();
  await waiting;
  expect(await openSqlite(path).find('a', 0)).toEqual(entry('one', 0));
  await expect(store.put('b', entry('two', 0))).rejects.toThrow(/not open|finalized/);
});

interface Move {
  readonly key?: string;
  readonly body?: string;
  readonly path?: string;
}

function move(
  { url }: Bench,
  { key = 'k', body = '{"amount":1}', path = '/things/1/money' }: Move,
) {
  const headers = { ...JSON_HEADERS, 'Idempotency-Key': key };
  return fetch(url + path, { method: 'POST', headers, body });
}

const codeOf = async (response: Response) => ((await response.json()) as ErrorBody).code;

describe('an erased person', () => {
  const CUSTOMER = 1000000005;
  const answerAbout = (customerId: number) => ({
    ...entry('one', 0, JSON.stringify({ customerId, email: 'ann@shop.example' })).answer,
  });

  it.each([
    ['the person', '7', CUSTOMER, false],
    ['somebody else', '7', CUSTOMER + 1, true],
    ['a customer of another tenant', '77', CUSTOMER, true],
  ])('keeps no answer that is under way about %s', async (_whom, tenant, customerId, isKept) => {
    const store = openSqlite(':memory:');
    const idempotency = new Idempotency({
      store,
      secret: Buffer.alloc(32),
      onStoreFailure: (error) => expect.unreachable(String(error)),
    });
    const request = { scope: [tenant, 'live', 'createPayment', 'k'], fingerprint: 'one' };
    const first = await idempotency.run(request, async () => {
      const about = answersAbout({ tenantId: 7 as TenantId, sandbox: false, customerId: CUSTOMER });
      idempotency.forget(about);
      await store.forget(about);
      return answerAbout(customerId);
    });
    expect(first).toEqual(answerAbout(customerId));
    const again = await idempotency.run(request, async () => answerAbout(0));
    expect(again.headers?.['Idempotency-Replayed']).toBe(isKept ? 'true' : undefined);
  });
});

describe('repetitions that come together', () => {
  it('are all answered from what is kept, or refused as another request', async () => {
    const idempotency = new Idempotency({
      store: openSqlite(':memory:'),
      secret: Buffer.alloc(32),
      onStoreFailure: (error) => expect.unreachable(String(error)),
    });
    const scope = ['7', 'live', 'createPayment', 'k'];
    const ask = (fingerprint: string) =>
      idempotency.run({ scope, fingerprint }, async () => entry('one', 0).answer);
    await ask('one');
    const [first, second, other] = await Promise.allSettled([ask('one'), ask('one'), ask('two')]);
    const kept = { status: 'fulfilled', value: { body: entry('one', 0).answer.body } };
    expect([first, second]).toMatchObject([kept, kept]);
    expect(other).toMatchObject({ reason: { code: 'idempotency_key_reused' } });
  });
});

describe('over HTTP', () => {
  it('replays the first answer, whatever the order of the fields', async () => {
    const bench = await startBench();
    const first = await move(bench, { body: '{"amount":1,"tags":["a"]}' });
    const again = await move(bench, { body: '{ "tags": ["a"], "amount": 1.0 }' });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(await again.text()).toBe(await first.text());
    expect(again.headers.get('location')).toBe('/things/1');
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(bench.effects).toBe(1);
  });

  it.each<[string, Move]>([
    ['another body', { body: '{"amount":2}' }],
    ['another path', { path: '/things/2/money' }],
  ])('refuses the key for %s', async (_name, other) => {
    const bench = await startBench();
    await move(bench, {});
    const response = await move(bench, other);
    expect(response.status).toBe(422);
    expect(await codeOf(response)).toBe('idempotency_key_reused');
    expect(bench.effects).toBe(1);
  });

  it('keeps the keys of an environment to itself', async () => {
    const bench = await startBench();
    await move(bench, {});
    const digest = keyDigest(API_KEY);
    const record = bench.keys.get(digest);
    if (record !== undefined) bench.keys.set(digest, { ...record, environment: 'test' });
    expect((await move(bench, {})).headers.has('idempotency-replayed')).toBe(false);
    expect(bench.effects).toBe(2);
  });

  it('refuses a repetition while the first is under way', async () => {
    const bench = await startBench();
    const entered = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    bench.onMoney = () => {
      entered.resolve();
      return open.promise;
    };
    const first = move(bench, {});
    await entered.promise;
    const again = await move(bench, {});
    expect([again.status, await codeOf(again)]).toEqual([409, 'idempotency_in_flight']);
    expect(again.headers.get('retry-after')).toBe('1');
    expect((await move(bench, { body: '{"amount":2}' })).status).toBe(422);
    open.resolve();
    expect((await first).status).toBe(201);
    expect((await move(bench, {})).headers.get('idempotency-replayed')).toBe('true');
    expect(bench.effects).toBe(1);
  });

  it('keeps refusals of the business, but not failures', async () => {
    const bench = await startBench();
    const refusal = { body: '{"amount":400}' };
    expect(await codeOf(await move(bench, refusal))).toBe('refund_exceeds_refundable');
    const again = await move(bench, refusal);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([400, 'true']);
    const { requestId, code } = (await again.json()) as ErrorBody;
    expect([requestId, code]).toEqual([
      again.headers.get('x-request-id'),
      'refund_exceeds_refundable',
    ]);
    expect(bench.effects).toBe(1);
    const failure = { key: 'other', body: '{"amount":502}' };
    expect((await move(bench, failure)).status).toBe(502);
    expect((await move(bench, failure)).headers.has('idempotency-replayed')).toBe(false);
    expect(bench.effects).toBe(3);
  });

  it('does not keep what never came to be done', async () => {
    const bench = await startBench();
    expect((await move(bench, { body: '{"amount":-1}' })).status).toBe(400);
    expect((await move(bench, {})).status).toBe(201);
  });

  it('forgets after 24 hours', async () => {
    let nowMs = 0;
    const bench = await startBench({ now: () => nowMs });
    await move(bench, {});
    nowMs = 24 * 60 * 60 * 1_000 - 1;
    expect((await move(bench, {})).headers.get('idempotency-replayed')).toBe('true');
    nowMs += 1;
    expect((await move(bench, {})).headers.has('idempotency-replayed')).toBe(false);
  });

  it.each([
    ['1 character', 'k', 201],
    ['255 characters', 'k'.repeat(255), 201],
    ['256 characters', 'k'.repeat(256), 400],
    ['a space within', 'a b', 400],
    ['nothing', '', 400],
    ['beyond ASCII', 'é', 400],
  ])('takes a key of %s: %s', async (_name, key, status) => {
    expect((await move(await startBench(), { key })).status).toBe(status);
  });
});

describe('ids', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it('of the same parts are the same, and of version 8', () => {
    const id = deterministicUuid(['1', 'live', 'refund', 'key']);
    expect(id).toBe('c1efc843-b0e2-84f8-a07b-215f1dc4264b');
    expect(UUID.exec(id)?.[1]).toBe('8');
  });

  it('of other parts are others', () => {
    expect(deterministicUuid(['ab', 'c'])).not.toBe(deterministicUuid(['a', 'bc']));
  });

  it('that are new are of version 7, and differ', () => {
    const ids = Array.from({ length: 1_000 }, uuidV7);
    expect(ids.every((id) => UUID.exec(id)?.[1] === '7')).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
