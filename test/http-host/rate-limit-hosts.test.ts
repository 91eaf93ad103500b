/** Limits over several hosts on one database: they grant together what one would, and no outage locks anybody out. */
import type { TenantId } from '@counterfoil/core';
import type { KeyRecord } from '@counterfoil/engine';
import { openHostDatabase } from '@counterfoil/engine/storage';
import { RateLimits, sharedCounters } from '@counterfoil/http-host/http';
import fc from 'fast-check';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newDatabase } from '../setup/databases.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const POLLING = { timeout: 30_000, interval: 50 };
const FAILURES_PER_MINUTE = 3;

async function openHost(url: string) {
  const database = await openHostDatabase(url);
  onTestFinished(() => database.close());
  const failures: unknown[] = [];
  const makeCounter = sharedCounters({
    pool: database.pool,
    onFailure: (error) => failures.push(error),
  });
  const limits = new RateLimits({ failuresPerMinute: FAILURES_PER_MINUTE, makeCounter });
  return { limits, failures, database };
}

async function openHosts() {
  const url = await newDatabase();
  const [here, there] = await Promise.all([openHost(url), openHost(url)]);
  return { url, here, there };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const keyOf = (tenantId: number, limit: number, environment: 'live' | 'test' = 'live') =>
  ({
    tenantId: tenantId as TenantId,
    environment,
    kind: 'api',
    rateLimitPerMinute: limit,
  }) as KeyRecord;

/** How many requests are left, or `refused`. */
async function use(host: { limits: RateLimits }, key: KeyRecord): Promise<number | 'refused'> {
  const { headers, refusal } = await host.limits.use(key);
  const left = /^"default";r=(\d+);t=(\d+)$/.exec(headers[3] ?? '');
  expect(Number(left?.[2])).toBeGreaterThan(0);
  if (refusal === undefined) return Number(left?.[1]);
  expect([refusal.code, left?.[1]]).toEqual(['rate_limited', '0']);
  expect(refusal.headers).toEqual({ 'Retry-After': left?.[2] });
  return 'refused';
}

it('grants exactly the limit, whichever hosts are asked in whatever order', async () => {
  const { here, there } = await openHosts();
  let tenants = 0;
  const requests = fc.array(fc.record({ isThere: fc.boolean(), turns: fc.nat(3) }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(requests, fc.integer({ min: 1, max: 20 }), async (asked, limit) => {
      tenants += 1;
      const key = keyOf(tenants, limit);
      const granted = await Promise.all(
        asked.map(async ({ isThere, turns }) => {
          for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
          return use(isThere ? there : here, key);
        }),
      );
      const expected = asked.map((_, n) => (n < limit ? limit - 1 - n : 'refused'));
      expect(granted.map(String).sort()).toEqual(expected.map(String).sort());
    }),
    { numRuns: 50 },
  );
  expect([here.failures, there.failures]).toEqual([[], []]);
});

it('counts tenants and environments apart, and failed authentications by themselves', async () => {
  const { here, there } = await openHosts();
  expect(await use(here, keyOf(1, 1))).toBe(0);
  expect(await use(there, keyOf(1, 1))).toBe('refused');
  expect(await use(there, keyOf(1, 1, 'test'))).toBe(0);
  expect(await use(there, keyOf(2, 1))).toBe(0);
  const address = '2001:db8:1:2:3::4';
  for (let failure = 0; failure < FAILURES_PER_MINUTE; failure += 1) {
    expect(await (failure % 2 === 0 ? here : there).limits.failed(address)).toBeUndefined();
  }
  const refusal = await here.limits.failed('2001:db8:1:2::99');
  expect(refusal?.code).toBe('too_many_failed_authentications');
  expect(refusal?.headers).toEqual({ 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) });
  expect(await there.limits.failed('192.0.2.1')).toBeUndefined();
  for (let request = 0; request < FAILURES_PER_MINUTE; request += 1) await use(here, keyOf(3, 9));
  expect(await here.limits.failed('3:live')).toBeUndefined();
});

it('asks once for all requests of a tenant in a turn', async () => {
  const { here } = await openHosts();
  const queries = vi.spyOn(here.database.pool, 'query');
  const left = await Promise.all(Array.from({ length: 100 }, () => use(here, keyOf(1, 100))));
  expect(left).toEqual(Array.from({ length: 100 }, (_, n) => 99 - n));
  expect(queries).toHaveBeenCalledTimes(1);
});

it('counts per host while the database refuses connections', async () => {
  const { url, here, there } = await openHosts();
  expect(await use(here, keyOf(1, 3))).toBe(2);
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = '/postgres';
  const client = await connect(server.href);
  await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    name,
  ]);
  for (const host of [here, there]) {
    expect([await use(host, keyOf(1, 1)), await use(host, keyOf(1, 1))]).toEqual([0, 'refused']);
    expect(await host.limits.failed('192.0.2.1')).toBeUndefined();
    expect(host.failures.length).toBeGreaterThan(0);
  }
  await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  // The window in the database has one request in it, and those of this loop.
  await vi.waitUntil(async () => (await use(here, keyOf(1, 1_000_000))) === 999_998, POLLING);
});

it('does not wait for a database that does not respond', async () => {
  const { url, here } = await openHosts();
  expect(await use(here, keyOf(1, 9))).toBe(8);
  const client = await connect(url);
  await client.query('BEGIN');
  await client.query('LOCK TABLE counterfoil_host.rate_limits');
  expect(await use(here, keyOf(1, 9))).toBe(8);
  expect(await use(here, keyOf(1, 9))).toBe(7);
  expect(here.failures).toHaveLength(1);
  await client.query('ROLLBACK');
});
