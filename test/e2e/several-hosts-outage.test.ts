/** Two hosts during a database outage: callers are asked to retry, and nothing is lost. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startProtocolServer } from '../eventstoredb-server/server.ts';
import { newDatabase, postgresUrl } from '../setup/databases.ts';
import { newEmail } from './customer-requests.ts';
import {
  type Answer,
  type Caller,
  expectRefusal,
  type Json,
  startHost,
  USER_EMAIL,
} from './running-host.ts';
import { SHARED_ENGINES, spread, TwoHosts } from './two-hosts.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const POLLING = { timeout: 60_000, interval: 100 };
/** Longer than a connection is waited for, and shorter than a caller's patience. */
const MOST_MS = 25_000;

/** Runs statements beside the database of a URL, on its server. */
async function onServer(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const nameOf = (url: string | undefined) => new URL(url ?? '').pathname.slice(1);

async function refuseConnections(name: string): Promise<void> {
  await onServer(
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
}

async function takeConnections(name: string): Promise<void> {
  await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
}

/** Whatever touches the read models or the tables of the hosts. */
function asksOf(payment: Json): readonly ((caller: Caller) => Promise<Answer>)[] {
  const { id, customerId, email } = payment;
  const claims = { email, parentCompanyId: 0, userEmail: USER_EMAIL };
  return [
    (caller) => caller.pay({}, { 'Idempotency-Key': randomUUID() }),
    (caller) => caller.pay(),
    (caller) => caller.refund(id, { amount: 1 }),
    (caller) => caller.search({ emails: [email] }),
    (caller) => caller.detail(id, { getSearchData: true }),
    (caller) => caller.get('/v1/payments', { query: { limit: 1 } }),
    (caller) => caller.post('/customers', { body: { email: newEmail() } }),
    (caller) => caller.delete('/customers/{id}', { path: { id: customerId } }),
    (caller) => caller.get('/api/ledger/trial-balance'),
    (caller) =>
      caller.post('/customerapi/unsubscribe', {
        body: { ...claims, parentCompanyId: caller.tenantId },
      }),
  ];
}

describe.each(SHARED_ENGINES)('while PostgreSQL refuses connections, two hosts on %s', (engine) => {
  it('ask all callers to retry, and recover by themselves', async () => {
    const both = await TwoHosts.start(engine);
    onTestFinished(() => both.close());
    const callers = await both.openTenant(41);
    const paid = await callers[0].paid({ email: newEmail() });
    const name = nameOf(both.env['READ_MODEL_URL']);
    onTestFinished(() => takeConnections(name));
    await refuseConnections(name);
    const asks = asksOf(paid);
    const begun = performance.now();
    const answers = await spread(callers, 4 * asks.length, (caller, index) => {
      const ask = asks[Math.floor(index / 2) % asks.length] as (typeof asks)[number];
      return ask(caller);
    });
    expect(performance.now() - begun).toBeLessThan(MOST_MS);
    for (const answer of answers) {
      expectRefusal(answer, 503, 'overloaded');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.text).not.toMatch(/postgres|127\.0\.0\.1|\.ts:/i);
    }
    // Of the log alone, which may be elsewhere.
    const { id, customerId } = paid;
    const payment = await callers[0].get('/v1/payments/{id}', { path: { id } });
    const customer = await callers[0].get('/customers/{id}', { path: { id: customerId } });
    if (engine === 'eventstoredb') {
      expect([payment.body.id, customer.body.id]).toEqual([id, customerId]);
    } else {
      for (const answer of [payment, customer]) expectRefusal(answer, 503, 'overloaded');
    }
    for (const { url } of [both.first, both.second]) {
      await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 503, POLLING);
      expect((await fetch(`${url}/livez`)).status).toBe(200);
    }
    await takeConnections(name);
    for (const { url } of [both.first, both.second]) {
      await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, POLLING);
    }
    const email = newEmail();
    const later = await callers[1].paid({ email });
    expect(await callers[0].found({ emails: [email] })).toEqual([later.id]);
    // Not by the email: the log, where it is elsewhere, may hold the wish to erase its owner.
    expect(await callers[0].found({ transactionIds: [paid.id] })).toEqual([paid.id]);
  });
});

it('a host whose log is unreachable shuts down gracefully', async () => {
  const server = await startProtocolServer();
  onTestFinished(() => server.close());
  const env = { EVENT_STORE_URL: server.url, READ_MODEL_URL: await newDatabase() };
  const running = await startHost({ env, onDisk: true });
  await server.stop();
  await expect(running.close()).resolves.toBeUndefined();
});
