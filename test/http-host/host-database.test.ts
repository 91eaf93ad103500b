/** The host database: its tables come to be once, it outlives broken connections, and it keeps quiet. */
import { inspect } from 'node:util';
import {
  HostDatabaseError,
  type HostDatabaseOptions,
  mark,
  openHostDatabase,
  setMarkOnce,
} from '@counterfoil/engine/storage';
import fc from 'fast-check';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newDatabase } from '../setup/databases.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const HOSTS_AT_ONCE = 4;

async function opened(url: string, options?: HostDatabaseOptions) {
  const database = await openHostDatabase(url, options);
  onTestFinished(() => database.close());
  return database;
}

async function withPassword(): Promise<URL> {
  const url = new URL(await newDatabase());
  url.password = 'a-secret';
  return url;
}

async function refusalOf(url: string): Promise<HostDatabaseError> {
  const error = await openHostDatabase(url).catch((reason: unknown) => reason);
  if (!(error instanceof HostDatabaseError)) throw new Error('it was not refused');
  return error;
}

it('makes its tables once, however many hosts start at the same moment', async () => {
  const url = await newDatabase();
  const hosts = await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, () => opened(url)));
  const migrations = await hosts[0]?.pool.query(
    'SELECT count(*)::int AS all, count(DISTINCT name)::int AS names FROM counterfoil_host.kysely_migration',
  );
  const { all, names } = migrations?.rows[0] ?? {};
  expect(all).toBeGreaterThan(0);
  expect(all).toBe(names);
});

it('names host and database in errors, and itself to the server', async () => {
  const url = await withPassword();
  const { pool, place } = await opened(url.href);
  expect(place).toBe(`${url.hostname}:${url.port}${url.pathname}`);
  const { rows } = await pool.query(`SELECT current_setting('application_name') AS name`);
  expect(rows).toEqual([{ name: 'counterfoil-host' }]);
});

it('refuses tables of a later program, and leaves them as they are', async () => {
  const url = await newDatabase();
  const { pool } = await opened(url);
  await pool.query(
    `INSERT INTO counterfoil_host.kysely_migration VALUES ('2999-01-01-wonders', '2999-01-01T00:00:00.000Z')`,
  );
  const before = await pool.query('SELECT * FROM counterfoil_host.kysely_migration');
  const error = await refusalOf(url);
  expect(error.code).toBe('newer');
  expect(error.message).toMatch(/later version of this program: it has 2999-01-01-wonders\. Run/);
  const after = await pool.query('SELECT * FROM counterfoil_host.kysely_migration');
  expect(after.rows).toEqual(before.rows);
});

it.each([
  [
    'a database that is not there',
    'create the database, or correct its name',
    (url: URL) => Object.assign(url, { pathname: '/nowhere' }),
  ],
  [
    'a port without a listener',
    'start the server, or correct the URL',
    (url: URL) => Object.assign(url, { port: '1' }),
  ],
])('names %s and its use, says what to do, and never the password', async (_, advice, change) => {
  const url = change(await withPassword());
  const error = await refusalOf(url.href);
  expect(error.code).toBe('unavailable');
  expect(error.message).toContain(`${url.hostname}:${url.port}${url.pathname}`);
  expect(error.message).toContain('the database of the read models');
  expect(error.message).toContain(advice);
  expect(inspect(error, { depth: Infinity })).not.toContain(url.password);
});

it.each(['sqlite:host.db', 'postgres://me:a-secret@:no', ''])(
  'says nothing of %j, which is no URL of a database',
  async (url) => {
    const error = await refusalOf(url);
    expect(error.message).toMatch(/must have the form postgres:/);
    expect(inspect(error, { depth: Infinity })).not.toContain('a-secret');
  },
);

it('recovers from killed connections, and reports idle ones', async () => {
  const url = await withPassword();
  const lost: Error[] = [];
  const { pool } = await opened(url.href, { onLostConnection: (error) => lost.push(error) });
  const other = new pg.Client({ connectionString: url.href });
  await other.connect();
  onTestFinished(() => other.end());
  const kill = () =>
    other.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );

  await pool.query('SELECT 1');
  await kill();
  await vi.waitUntil(() => lost.length > 0);
  expect(inspect(lost, { depth: Infinity })).not.toContain(url.password);

  const [pid] = (await pool.query('SELECT pg_backend_pid() AS pid')).rows;
  const busy = pool.query('SELECT pg_sleep(60)').catch((error: Error) => error.message);
  await vi.waitUntil(async () => {
    const { rows } = await other.query(`SELECT state FROM pg_stat_activity WHERE pid = $1`, [
      pid.pid,
    ]);
    return rows[0]?.state === 'active';
  });
  await kill();
  expect(await busy).toMatch(/terminat/);

  const borrowed = await pool.connect();
  const ended = new Promise<void>((resolve) => borrowed.once('end', resolve));
  await kill();
  await ended;
  borrowed.release(true);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

it('ends a statement that takes too long, and lets each see what was committed before', async () => {
  const url = await newDatabase();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const name = new URL(url).pathname.slice(1);
  await admin.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
  await admin.end();
  const { pool } = await opened(url);
  const { rows } = await pool.query(
    `SELECT current_setting('statement_timeout') AS statement,
            current_setting('idle_in_transaction_session_timeout') AS idle,
            current_setting('transaction_isolation') AS isolation`,
  );
  expect(rows).toEqual([{ statement: '15s', idle: '15s', isolation: 'read committed' }]);
});

it('keeps the first mark of a name, whichever host says it', async () => {
  const url = await newDatabase();
  const [here, there] = [await opened(url), await opened(url)];
  let marks = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), fc.string()), { minLength: 1, maxLength: 6 }),
      async (said) => {
        const values = said.map(([, value]) => value.replaceAll('\0', ''));
        marks += 1;
        const name = `mark ${marks}`;
        expect(await mark(here.pool, name)).toBeUndefined();
        const answers = await Promise.all(
          said.map(([atHere], index) =>
            setMarkOnce((atHere ? here : there).pool, name, values[index] ?? ''),
          ),
        );
        expect(new Set(answers).size).toBe(1);
        expect(values).toContain(answers[0]);
        expect(await mark(there.pool, name)).toBe(answers[0]);
        expect(await setMarkOnce(here.pool, name, 'another')).toBe(answers[0]);
      },
    ),
    { numRuns: 30 },
  );
});
