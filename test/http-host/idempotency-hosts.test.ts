/** Idempotency keys over several hosts on one database: one does the work, and all give its answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TenantId } from '@counterfoil/core';
import {
  answersAbout,
  type HostDatabase,
  HostDatabaseError,
  type KeptAnswers,
  openHostDatabase,
  openSharedAnswers,
} from '@counterfoil/engine/storage';
import { Idempotency, Refusal } from '@counterfoil/http-host/http';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newDatabase } from '../setup/databases.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const POLLING = { timeout: 30_000, interval: 10 };
const CUSTOMER = 1000000005;
const SCOPE = ['7', 'live', 'createPayment', 'k'];

interface TestHost {
  readonly database: HostDatabase;
  readonly store: KeptAnswers;
  readonly idempotency: Idempotency;
  /** How many claims were lost, each time. */
  readonly lost: number[];
}

async function openHost(url: string): Promise<TestHost> {
  const database = await openHostDatabase(url);
  const lost: number[] = [];
  const store = openSharedAnswers({
    pool: database.pool,
    onLost: (claims) => lost.push(claims),
  });
  onTestFinished(async () => {
    await store.close();
    await database.close();
  });
  const idempotency = new Idempotency({
    store,
    secret: Buffer.alloc(32),
    onStoreFailure: (error) => {
      throw error;
    },
  });
  return { database, store, idempotency, lost };
}

async function openHosts() {
  const url = await newDatabase();
  const [here, there] = await Promise.all([openHost(url), openHost(url)]);
  return { url, here, there };
}

/** Forgets what was answered about the customer, as an erasure does. */
async function forget({ store, idempotency }: TestHost): Promise<void> {
  const about = answersAbout({ tenantId: 7 as TenantId, sandbox: false, customerId: CUSTOMER });
  idempotency.forget(about);
  await store.forget(about);
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const answer = (body: string) => ({ status: 201, contentType: 'text/plain', body, headers: {} });

interface Run {
  readonly fingerprint?: string;
  readonly scope?: readonly string[];
  readonly work?: () => Promise<string>;
}

/** The body that was answered, with whether it was a replay; or the code of the refusal. */
async function run({ idempotency }: TestHost, { fingerprint = 'one', scope = SCOPE, work }: Run) {
  try {
    const { body, headers } = await idempotency.run({ scope, fingerprint }, async () =>
      answer((await work?.()) ?? 'done'),
    );
    return `${headers?.['Idempotency-Replayed'] === undefined ? '' : 'again '}${body}`;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

/** Begins a request that runs until its response is released. */
async function beginRun(host: TestHost, request: Run = {}) {
  const atWork = Promise.withResolvers<void>();
  const done = Promise.withResolvers<string>();
  const running = run(host, {
    ...request,
    work: () => {
      atWork.resolve();
      return done.promise;
    },
  });
  await atWork.promise;
  return {
    finish: (body = 'done') => {
      done.resolve(body);
      return running;
    },
  };
}

/** The servers of the connections on which claims stand. */
async function claimants(client: pg.Client): Promise<readonly number[]> {
  const { rows } = await client.query<{ pid: number }>(
    `SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.map(({ pid }) => pid);
}

describe('a key that two hosts are given', () => {
  it('is answered by one of them, and then by both', async () => {
    const { here, there } = await openHosts();
    const first = await beginRun(here);
    expect(await run(there, {})).toBe('idempotency_in_flight');
    expect(await run(there, { fingerprint: 'two' })).toBe('idempotency_key_reused');
    expect(await run(there, { scope: [...SCOPE, 'other'] })).toBe('done');
    expect(await first.finish()).toBe('done');
    expect(await run(there, {})).toBe('again done');
    expect(await run(there, { fingerprint: 'two' })).toBe('idempotency_key_reused');
    expect(await run(here, {})).toBe('again done');
  });

  it('is free again after an answer that is not kept', async () => {
    const { here, there } = await openHosts();
    const first = await beginRun(here);
    const failed = first.finish.call(undefined, Promise.reject(new Error('broken')) as never);
    await expect(failed).rejects.toThrow('broken');
    await vi.waitUntil(async () => (await run(there, {})) === 'done', POLLING);
    expect(await run(here, {})).toBe('again done');
  });

  it('lets one work at a time, keeps one answer, and gives no other', async () => {
    const { here, there } = await openHosts();
    const asked = fc.record({
      isThere: fc.boolean(),
      key: fc.constantFrom('a', 'b'),
      fingerprint: fc.constantFrom('one', 'two'),
      turnsBefore: fc.nat(6),
      turnsAtWork: fc.nat(6),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 2, maxLength: 12 }), async (requests) => {
        round += 1;
        const working = new Map<string, string>();
        const answered = new Map<string, string>();
        const each = requests.map(async (request, index) => {
          const { isThere, fingerprint, turnsBefore, turnsAtWork } = request;
          const key = `${round} ${request.key}`;
          await turns(turnsBefore);
          const outcome = await run(isThere ? there : here, {
            fingerprint,
            scope: ['7', key],
            work: async () => {
              expect(working.has(key)).toBe(false);
              expect(answered.has(key)).toBe(false);
              working.set(key, fingerprint);
              await turns(turnsAtWork);
              working.delete(key);
              answered.set(key, fingerprint);
              return `${key} ${fingerprint} ${index}`;
            },
          });
          return { key, fingerprint, outcome };
        });
        for (const { key, fingerprint, outcome } of await Promise.all(each)) {
          const isOwn = fingerprint === answered.get(key);
          const allowed = isOwn
            ? new RegExp(`^(again )?${key} ${fingerprint} \\d+$|^idempotency_in_flight$`)
            : /^idempotency_key_reused$|^idempotency_in_flight$/;
          expect(outcome).toMatch(allowed);
        }
      }),
      { numRuns: 40 },
    );
    expect([here.lost, there.lost]).toEqual([[], []]);
  });

  it('is released when its host is killed', async () => {
    const url = await newDatabase();
    const host = await openHost(url);
    const program = fileURLToPath(new URL('claiming-host.ts', import.meta.url));
    const other = spawn(process.execPath, [program, url, JSON.stringify(SCOPE), 'one']);
    onTestFinished(() => void other.kill('SIGKILL'));
    await once(other.stdout, 'data');
    expect(await run(host, {})).toBe('idempotency_in_flight');
    expect(await run(host, { fingerprint: 'two' })).toBe('idempotency_key_reused');
    other.kill('SIGKILL');
    await vi.waitUntil(async () => (await run(host, {})) === 'done', POLLING);
  });

  it('is claimed again when the connection of the claims was lost', async () => {
    const { url, here, there } = await openHosts();
    const client = await connect(url);
    const first = await beginRun(here);
    const [before] = await claimants(client);
    await client.query('SELECT pg_terminate_backend($1)', [before]);
    await vi.waitUntil(async () => {
      const [now] = await claimants(client);
      return now !== undefined && now !== before;
    }, POLLING);
    expect(here.lost).toEqual([1]);
    expect(await run(there, {})).toBe('idempotency_in_flight');
    expect(await run(there, { fingerprint: 'two' })).toBe('idempotency_key_reused');
    expect(await first.finish()).toBe('done');
    await vi.waitUntil(async () => (await claimants(client)).length === 0, POLLING);
    expect(await run(there, {})).toBe('again done');
  });

  it('is not claimed while the database refuses connections, but afterwards', async () => {
    const { url, here } = await openHosts();
    const server = new URL(url);
    const name = server.pathname.slice(1);
    server.pathname = '/postgres';
    const client = await connect(server.href);
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
      [name],
    );
    let works = 0;
    const work = async () => {
      works += 1;
      return 'done';
    };
    await expect(run(here, { work })).rejects.toThrow(HostDatabaseError);
    expect(works).toBe(0);
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    expect(await run(here, { work })).toBe('done');
    expect(here.lost).toEqual([]);
  });
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

describe('a person erased on another host', () => {
  const about = (customerId: number) => JSON.stringify({ customerId, email: 'ann@shop.example' });

  it.each([
    ['the person', '7', CUSTOMER, false],
    ['somebody else', '7', CUSTOMER + 1, true],
    ['somebody whose number begins alike', '7', CUSTOMER * 10, true],
    ['a customer of another tenant', '77', CUSTOMER, true],
  ])('keeps no answer that is under way about %s', async (_whom, tenant, customerId, isKept) => {
    const { here, there } = await openHosts();
    const scope = [tenant, ...SCOPE.slice(1)];
    const first = await beginRun(here, { scope });
    await forget(there);
    expect(await first.finish(about(customerId))).toBe(about(customerId));
    // What is not kept is free a moment after it was answered.
    const again = isKept ? `again ${about(customerId)}` : 'done';
    await vi.waitUntil(async () => (await run(there, { scope })) === again, POLLING);
  });

  it('is in no response afterwards, even from concurrent requests', async () => {
    const { here, there } = await openHosts();
    const requests = 300;
    const answers = Array.from({ length: requests }, async (_, n) => {
      await turns(n);
      return run(n % 2 === 0 ? here : there, {
        scope: ['7', String(n)],
        work: async () => about(n % 3 === 0 ? CUSTOMER : CUSTOMER + 1),
      });
    });
    await turns(requests / 3);
    await forget(there);
    await Promise.all(answers);
    const { rows } = await here.database.pool.query<{ key: string; body: Buffer }>(
      'SELECT key, body FROM counterfoil_host.answers',
    );
    const stored = rows.filter(({ body }) => body.toString() === about(CUSTOMER));
    expect(stored).toEqual([]);
    expect(rows).toHaveLength((requests * 2) / 3);
  });

  it('waits for a response that is being stored', async () => {
    const { url, here, there } = await openHosts();
    const putting = await connect(url);
    await putting.query('BEGIN');
    await putting.query(
      `SELECT counterfoil_host.put_answers(ARRAY['["7","k"]'], ARRAY['one'], ARRAY[201], ARRAY['text/plain'],
         ARRAY[convert_to($1, 'UTF8')], ARRAY[true], ARRAY[null], ARRAY[0], ARRAY[1000], ARRAY[0])`,
      [about(CUSTOMER)],
    );
    const forgotten = forget(there);
    await vi.waitUntil(async () => {
      const { rows } = await here.database.pool.query(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return rows.length === 1;
    }, POLLING);
    await putting.query('COMMIT');
    await forgotten;
    expect(await here.store.find('["7","k"]', 0)).toBeUndefined();
  });
});

/** Before the answers had a column for their subject. */
const TABLES_THEN = new Set([
  ...['answers', 'forgotten', 'gateway_requests', 'mails', 'marks', 'personal_keys'],
  ...['personal_keys_of_log', 'places', 'rate_limits', 'kysely_migration', 'kysely_migration_lock'],
]);

it('answers of an earlier version are kept, and found by an erasure', async () => {
  const url = await newDatabase();
  const { pool, close } = await openHostDatabase(url);
  const { rows: tables } = await pool.query<{ tablename: string }>(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'counterfoil_host'`,
  );
  const later = tables.map((row) => row.tablename).filter((name) => !TABLES_THEN.has(name));
  await pool.query(`
    DROP TABLE ${later.map((name) => `counterfoil_host.${name}`).join(', ')};
    ALTER TABLE counterfoil_host.answers DROP COLUMN subject;
    ALTER TABLE counterfoil_host.forgotten DROP COLUMN subject;
    ALTER TABLE counterfoil_host.mails DROP COLUMN sandbox, DROP COLUMN key_digest,
      DROP COLUMN content_digest, DROP COLUMN key_until, DROP COLUMN content;
    DROP FUNCTION counterfoil_host.put_answers(text[], text[], integer[], text[], bytea[], boolean[],
      text[], bigint[], bigint[], float8[], text[], text[]);
    DELETE FROM counterfoil_host.kysely_migration WHERE name >= '2026-11-23-answers-subject'`);
  const keys = ['person', 'other'].map((key) => JSON.stringify([...SCOPE, key]));
  const bodies = [CUSTOMER, CUSTOMER + 1].map((customerId) => JSON.stringify({ customerId }));
  await pool.query(
    `SELECT counterfoil_host.put_answers($1, ARRAY['one', 'one'], ARRAY[201, 201],
       ARRAY['text/plain', 'text/plain'],
       ARRAY(SELECT convert_to(body, 'UTF8') FROM unnest($2::text[]) AS body),
       ARRAY[true, true], ARRAY[null, null], ARRAY[0, 0], ARRAY[1000, 1000], ARRAY[0, 0],
       ARRAY[null, null])`,
    [keys, bodies],
  );
  await close();
  const host = await openHost(url);
  for (const [index, key] of keys.entries()) {
    expect(await host.store.find(key, 0)).toMatchObject({ answer: { body: bodies[index] } });
  }
  await forget(host);
  const left = await Promise.all(keys.map((key) => host.store.find(key, 0)));
  expect(left.map((entry) => entry !== undefined)).toEqual([false, true]);
});

describe('what it costs', () => {
  it('shares round trips: one to claim and one to put, for all of a turn', async () => {
    const { here } = await openHosts();
    await run(here, { scope: ['0'] });
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    onTestFinished(() => queries.mockRestore());
    const requests = Array.from({ length: 100 }, (_, n) => run(here, { scope: [String(n)] }));
    expect(new Set(await Promise.all(requests))).toEqual(new Set(['done', 'again done']));
    const texts = queries.mock.calls.map(([query]) => (query as unknown as { text: string }).text);
    const count = (wanted: string) => texts.filter((text) => text.includes(wanted)).length;
    expect(count('put_answers')).toBe(1);
    // One for all claims, and two for what is given back: of the first run, and of the one that was a replay.
    expect(count('claim_answers')).toBeLessThanOrEqual(3);
    // Beside them, the removal of what has expired.
    expect(texts.length - count('put_answers') - count('claim_answers')).toBeLessThanOrEqual(1);
  });

  it('sweeps past what another host is at', async () => {
    const { url, here } = await openHosts();
    const expired = { fingerprint: 'one', answer: answer(''), recordedAtMs: 0, expiresAtMs: 1 };
    for (const key of ['a', 'b', 'c']) await here.store.put(key, expired);
    const other = await connect(url);
    await other.query('BEGIN');
    await other.query(`SELECT FROM counterfoil_host.answers WHERE key = 'a' FOR UPDATE`);
    expect(await here.store.sweep(2, 10)).toBe(2);
    await other.query('ROLLBACK');
    expect(await here.store.sweep(2, 10)).toBe(1);
  });
});
