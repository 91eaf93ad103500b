/** The doctor on a log and read models in PostgreSQL: sound ones, and copies that were each harmed in one way. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandId, encodeEvent, type StreamName } from '@counterfoil/core';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  CARDS,
  type Caller,
  card,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { createDatabase, newDatabase } from '../setup/databases.ts';
import {
  type Asked,
  checkOf,
  complaintsOf,
  doctorOn,
  examinationOf,
  expectFinding,
} from './doctor-findings.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const TENANT = 6;
const PAYMENTS = 3;
const MASTER_KEY = Buffer.alloc(32, 5).toString('base64');
const POLLING = { timeout: 60_000, interval: 50 };
/** The checks that are about files, or need others to have been made. */
const ABOUT_FILES = ['files', 'pages'];

function envOf(url: string): Record<string, string> {
  return { EVENT_STORE_URL: url, READ_MODEL_URL: url, MASTER_KEY };
}

let truth: { url: string; drop: () => Promise<void> };
let paymentId: string;
let events: number;
beforeAll(async () => {
  truth = await createDatabase();
  const env = envOf(truth.url);
  const running = await startHost({ onDisk: true, env });
  try {
    paymentId = await makeTruth(running);
  } finally {
    await running.close();
  }
  // The first start that finds an event marks the log by it.
  await (await startHost({ onDisk: true, env })).close();
  [{ events }] = await changed(
    truth.url,
    'SELECT count(*)::int AS events FROM counterfoil_log.events',
  );
});
afterAll(() => truth.drop());

async function makeTruth(running: Running): Promise<string> {
  const caller: Caller = await openTenant(running, TENANT);
  const ids: string[] = [];
  for (let index = 0; index < PAYMENTS; index += 1) {
    const paid = await caller.pay(
      { email: `customer-${index}@example.com` },
      { 'Idempotency-Key': `payment-${index}` },
    );
    expect(paid.status, paid.text).toBe(201);
    ids.push(paid.body.id);
  }
  const [id = ''] = ids;
  expect((await caller.refund(id)).status).toBe(200);
  await caller.pay({ card: card(CARDS.insufficientFunds) });
  const { readSide } = running.host;
  const isRead = () =>
    readSide.caughtUp(TENANT).then(
      () => true,
      () => false,
    );
  await vi.waitUntil(isRead, POLLING);
  return id;
}

/** Rows of a statement on a database. */
async function changed<Row extends pg.QueryResultRow>(
  url: string,
  ...statements: readonly [string, ...string[]]
): Promise<[Row, ...Row[]]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let result: pg.QueryResult<Row> | undefined;
    for (const statement of statements) {
      result = await client.query<Row>(statement);
      expect(result.rowCount, statement).not.toBe(0);
    }
    return result?.rows as [Row, ...Row[]];
  } finally {
    await client.end();
  }
}

let url: string;
let folder: string;
beforeEach(async () => {
  url = await copyOf(truth.url);
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-doctor-shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

async function copyOf(of: string): Promise<string> {
  const name = `counterfoil_${randomUUID().replaceAll('-', '')}`;
  const copy = new URL(of);
  const template = copy.pathname.slice(1);
  copy.pathname = '/postgres';
  const server = copy.href;
  await changed(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  onTestFinished(async () => {
    await changed(server, `DROP DATABASE ${name} WITH (FORCE)`);
  });
  copy.pathname = `/${name}`;
  return copy.href;
}

function examined(asked: Asked = {}) {
  return examinationOf(folder, { ...asked, env: { ...envOf(url), ...asked.env } });
}

function change(...statements: readonly [string, ...string[]]) {
  return changed(url, ...statements);
}

async function readModelTable(projection: string, collection: string): Promise<string> {
  const [{ id }] = await changed<{ id: number }>(
    url,
    `SELECT id FROM counterfoil_read_models.builds
     JOIN counterfoil_read_models.live USING (projection, build)
     WHERE projection = '${projection}'`,
  );
  return `counterfoil_read_models.b${id}_${collection}`;
}

const CHANGE_EVENTS = 'ALTER TABLE counterfoil_log.events DISABLE TRIGGER ALL';

async function changeEvents(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(CHANGE_EVENTS);
  const { rowCount } = await client.query(statement);
  await client.end();
  expect(rowCount, statement).not.toBe(0);
}

describe('a sound database', () => {
  it('is found sound, in every check that is not about files', async () => {
    const examination = await examined();
    expect(complaintsOf(examination)).toEqual([]);
    expect(examination).toMatchObject({ verdict: 'sound', hostRuns: false });
    expect(examination.database).toBe(new URL(url).host + new URL(url).pathname);
    const leftOut = examination.checks.filter(({ skipped }) => skipped !== undefined);
    expect(leftOut.map(({ check }) => check)).toEqual(ABOUT_FILES);
    expect(checkOf(examination, 'order').looked).toBe(`${events} events`);
    expect(checkOf(examination, 'streams').looked).toContain(`${events} events in`);
    expect(checkOf(examination, 'read-models').looked).toContain('transactions');
  });

  it('is examined quickly without its events', async () => {
    const examination = await examined({ quick: true });
    expect(examination.verdict).toBe('sound');
    const leftOut = examination.checks.filter(({ skipped }) => skipped !== undefined);
    expect(leftOut.map(({ check }) => check)).toEqual([
      'files',
      'pages',
      'order',
      'streams',
      'journal',
      'read-models',
    ]);
  });

  it('is examined beside a running host', async () => {
    const running = await startHost({ onDisk: true, env: envOf(url) });
    onTestFinished(() => running.close());
    await vi.waitUntil(async () => (await fetch(`${running.url}/readyz`)).status === 200, POLLING);
    expect(await examined()).toMatchObject({ verdict: 'sound', hostRuns: true });
  });

  it('is reported by the command and its exit code', async () => {
    const sound = await doctorOn(folder, [], { env: envOf(url) });
    expect(sound).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/Sound\./) });
    await change('DELETE FROM counterfoil_host.personal_keys');
    const { code, out } = await doctorOn(folder, ['--json'], { env: envOf(url) });
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 2, verdict: 'damage' });
    expect(out).not.toContain(MASTER_KEY);
  });
});

describe('a database that no host has ever started on', () => {
  it('is left empty', async () => {
    url = await newDatabase();
    const examination = await examined();
    expect(examination.verdict).toBe('warnings');
    expectFinding(examination, 'files', { severity: 'warning', message: /no host has ever/ });
    const [{ schemas }] = await change(
      `SELECT count(*)::int AS schemas FROM pg_namespace WHERE nspname LIKE 'counterfoil%'`,
    );
    expect(schemas).toBe(0);
  });
});

describe('keys', () => {
  it('of another master are found', async () => {
    const other = Buffer.alloc(32, 6).toString('base64');
    const examination = await examined({ quick: true, env: { MASTER_KEY: other } });
    expectFinding(examination, 'master-key', { message: /another master key/ });
  });

  it('that are missing are found by what was sealed under them', async () => {
    await change('DELETE FROM counterfoil_host.personal_keys');
    const examination = await examined();
    expectFinding(examination, 'personal-keys', { message: /has no keys/ });
    expectFinding(examination, 'streams', { message: /no key of customer/ });
  });

  it('of one customer are missed by the events of that one', async () => {
    await change(
      `DELETE FROM counterfoil_host.personal_keys WHERE (tenant, sandbox, customer) IN (
         SELECT tenant, sandbox, customer FROM counterfoil_host.personal_keys ORDER BY 1, 2, 3 LIMIT 1
       )`,
    );
    const examination = await examined();
    expectFinding(examination, 'personal-keys', { message: /lacks the key of customer/ });
    expectFinding(examination, 'streams', { message: /no key of customer/ });
  });

  it('that do not open are found', async () => {
    await change(
      `UPDATE counterfoil_host.personal_keys SET wrapped = set_byte(wrapped, 20, get_byte(wrapped, 20) # 1)`,
    );
    expectFinding(await examined(), 'personal-keys', { message: /does not open/ });
  });
});

describe('the log', () => {
  it('that has lost its end is found by its readers', async () => {
    await changeEvents(
      `DELETE FROM counterfoil_log.events WHERE transaction = (
         SELECT max(transaction) FROM counterfoil_log.events
       )`,
    );
    expectFinding(await examined(), 'loss', {
      message: /the log ends at position .* has read it up to/,
    });
  });

  it('that is another one is found', async () => {
    await change(`UPDATE counterfoil_host.marks SET value = 'x' WHERE name = 'first-event'`);
    expectFinding(await examined({ quick: true }), 'loss', { message: /another log/ });
  });

  it('that is missing is found, and not created', async () => {
    await change('DROP SCHEMA counterfoil_log CASCADE');
    expectFinding(await examined(), 'loss', { message: /there is no log/ });
    const [{ schemas }] = await change(
      `SELECT count(*)::int AS schemas FROM pg_namespace WHERE nspname = 'counterfoil_log'`,
    );
    expect(schemas).toBe(0);
  });

  it('that is older than the database is taken when hosts may make the rest again', async () => {
    await changeEvents(
      `DELETE FROM counterfoil_log.events WHERE transaction = (
         SELECT max(transaction) FROM counterfoil_log.events
       )`,
    );
    const start = () => startHost({ onDisk: true, env: envOf(url) });
    await expect(start()).rejects.toThrow(/events are lost/);
    // As docs/operations.md has it.
    await change('DROP SCHEMA counterfoil_read_models CASCADE');
    await change('DELETE FROM counterfoil_host.places');
    await change('DELETE FROM counterfoil_host.answers');
    expect(complaintsOf(await examined({ quick: true }))).toEqual([]);
    const running = await start();
    onTestFinished(() => running.close());
    await vi.waitUntil(async () => (await fetch(`${running.url}/readyz`)).status === 200, POLLING);
  });

  it('that misses an event within a stream is found', async () => {
    await changeEvents(
      `DELETE FROM counterfoil_log.events WHERE stream LIKE '%${paymentId}' AND revision = 1`,
    );
    expectFinding(await examined(), 'streams', { message: /events between are missing/ });
  });

  it('that misses the beginning of a stream is found', async () => {
    await changeEvents(
      `DELETE FROM counterfoil_log.events WHERE stream LIKE '%${paymentId}' AND revision = 0`,
    );
    expectFinding(await examined(), 'streams', { message: /the index of streams leads to/ });
  });

  it('with an unreadable event is found', async () => {
    await changeEvents(
      `UPDATE counterfoil_log.events SET data = '{' WHERE stream LIKE '%${paymentId}' AND revision = 1`,
    );
    expectFinding(await examined(), 'streams', { message: /position \d{29}/ });
  });

  it('with an entry that was appended by hand is found', async () => {
    const store = await openPostgresEventStore({ url });
    const settled = { sandbox: false, merchantAccountId: 1, currency: 'GBP', amountMinor: 1n };
    const at = '2026-01-01T00:00:00.000Z';
    await store.append({
      stream: `transaction-${TENANT}-${paymentId}` as StreamName,
      expected: { kind: 'exists' },
      command: { id: '0195a000-0000-8000-8000-000000000001' as CommandId, fingerprint: 'f' },
      events: [
        {
          id: '0195a000-0000-8000-9000-000000000001',
          tenantId: TENANT as never,
          time: at,
          metadata: '{"actor":"a@example.com"}',
          ...encodeEvent({ type: 'PaymentSettled', ...settled, reference: 'r', at }),
        },
      ],
    });
    await store.close();
    const examination = await examined();
    expectFinding(examination, 'streams', {
      severity: 'warning',
      message: /does not follow from its command/,
    });
    expectFinding(examination, 'order', { severity: 'warning', message: /clock went back/ });
  });
});

describe('places', () => {
  it('beyond the end of the log are found', async () => {
    await change(`UPDATE counterfoil_host.places SET position = repeat('9', 29)`);
    expectFinding(await examined({ quick: true }), 'loss', {
      message: /counterfoil_host.places\) has read it up to 9/,
    });
  });
});

describe('read models', () => {
  it('with a row that was changed differ from a rebuild', async () => {
    const table = await readModelTable('transactions', 'payments');
    await change(
      `UPDATE ${table} SET body = replace(body, 'GBP', 'EUR') WHERE key LIKE '%${paymentId}'`,
    );
    const examination = await examined();
    expect(complaintsOf(examination)).toEqual(['read-models']);
    expectFinding(examination, 'read-models', {
      message: /transactions differs from what the log/,
    });
  });

  it('that are missing are reported', async () => {
    await change(`DELETE FROM counterfoil_read_models.live WHERE projection = 'ledger'`);
    expectFinding(await examined(), 'read-models', {
      severity: 'warning',
      message: /no read model ledger/,
    });
  });

  it('with parked streams are reported', async () => {
    const table = await readModelTable('transactions', '_parked_streams');
    await change(`INSERT INTO ${table} VALUES ('transaction-${TENANT}-${paymentId}', 'no reason')`);
    expectFinding(await examined({ quick: true }), 'parked', {
      severity: 'warning',
      message: /is parked in transactions/,
    });
  });
});
