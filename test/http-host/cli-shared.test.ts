/** The command line on stores that several hosts share: beside running hosts, and without any. */
import type { TenantId } from '@counterfoil/core';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import { PROJECTIONS } from '@counterfoil/projections';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTenant, type Running } from '../e2e/running-host.ts';
import { SharedStores } from './shared-stores.ts';
import { appendUnknown } from './unknown-event.ts';

const POLLING = { timeout: 30_000, interval: 50 };
const TENANT = 4;

vi.setConfig({ testTimeout: 180_000 });

interface HeldLease {
  readonly name: string;
  readonly holder: string;
  readonly epoch: string;
}

async function connected({ url }: SharedStores): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The database goes before the connection does.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function leasesIn(database: pg.Client): Promise<readonly HeldLease[]> {
  const { rows } = await database.query<HeldLease>(
    `SELECT name, holder, epoch FROM counterfoil_read_models.leases
     WHERE name IN ('projections/0', 'reactors') AND expires_ms > 0 ORDER BY name`,
  );
  return rows;
}

async function isServed({ url }: Running, key: string): Promise<boolean> {
  const headers = { Authorization: key, ClientId: String(TENANT) };
  return (await fetch(`${url}/v1/payments`, { headers })).status === 200;
}

it('onboards, issues keys and defines beside a running host, whose work it leaves to it', async () => {
  const stores = await SharedStores.open();
  const running = await stores.startHost();
  const database = await connected(stores);
  await vi.waitUntil(async () => (await leasesIn(database)).length === 2, POLLING);
  const held = await leasesIn(database);

  expect(await stores.done('tenants', 'onboard', String(TENANT), 'Shared')).toMatch(/is onboarded/);
  const issued = await stores.done('keys', 'create', String(TENANT));
  const key = /^key: (\S+)$/m.exec(issued)?.[1] ?? '';
  await vi.waitUntil(() => isServed(running, key), POLLING);
  expect(await stores.done('keys', 'list', String(TENANT))).toMatch(/live/);
  expect(await leasesIn(database)).toEqual(held);
});

it('onboards where no host runs, and a host that starts later finds it', async () => {
  const stores = await SharedStores.open();
  await stores.done('tenants', 'onboard', String(TENANT), 'Shared');
  const key = /^key: (\S+)$/m.exec(await stores.done('keys', 'create', String(TENANT)))?.[1] ?? '';
  // A command that took them would leave them behind where it is killed.
  const database = await connected(stores);
  const { rows } = await database.query('SELECT name FROM counterfoil_read_models.leases');
  expect(rows).toEqual([]);
  const running = await stores.startHost();
  await vi.waitUntil(() => isServed(running, key), POLLING);
});

it('moves the clock of hosts that do not run, and no other one', async () => {
  const stores = await SharedStores.open({ TEST_CLOCK: '1' });
  const moved = await stores.run('clock', 'advance', '1d');
  expect(moved).toMatchObject({ code: 0, out: expect.stringMatching(/The clock shows/) });
  const running = await stores.startHost();
  const database = await connected(stores);
  await vi.waitUntil(async () => (await leasesIn(database)).length === 2, POLLING);
  expect(await stores.refused('clock', 'advance', '1d')).toMatch(/hosts are running.*--url/);
  expect((await fetch(`${running.url}/livez`)).status).toBe(200);
});

it('rebuilds, rolls back and retries what is parked beside a running host', async () => {
  const stores = await SharedStores.open();
  const running = await stores.startHost();
  const database = await connected(stores);
  const caller = await openTenant(running, TENANT);
  const { id } = await caller.paid();

  const kept = await stores.done('read-models', 'rebuild', '--keep');
  expect(kept.match(/equal to the live build/g)).toHaveLength(PROJECTIONS.length);
  expect(await stores.done('read-models', 'rebuild', 'ledger')).toMatch(/of ledger is live/);
  expect(await stores.done('read-models', 'roll-back', 'ledger')).toMatch(/of ledger is live/);
  expect(await stores.done('read-models', 'parked', 'list')).toBe('');

  const stream = `transaction-${TENANT}-${id}`;
  const events = await openPostgresEventStore({ url: stores.url });
  await appendUnknown(events, TENANT as TenantId, id);
  await vi.waitUntil(
    async () => (await stores.done('read-models', 'parked', 'list')).includes(stream),
    POLLING,
  );
  const retry = ['read-models', 'parked', 'retry', 'transactions', stream];
  const failed = await stores.run(...retry);
  expect(failed).toMatchObject({ code: 1, out: expect.stringMatching(/stays parked/) });
  await makeKnown(database);
  expect(await stores.done(...retry)).toMatch(/is applied/);
  expect(await stores.done('read-models', 'parked', 'list')).not.toContain(
    `transactions  ${stream}`,
  );
  expect(await stores.refused(...retry)).toMatch(/is not parked/);
  // The host has the lease again, and goes on.
  const other = await caller.paid();
  await vi.waitUntil(
    async () => (await caller.get('/v1/payments/{id}', { path: { id: other.id } })).status === 200,
    POLLING,
  );
  const { readSide } = running.host;
  await vi.waitUntil(
    () =>
      readSide.caughtUp(TENANT).then(
        () => true,
        () => false,
      ),
    POLLING,
  );
});

/** What an upgrade of the host would do for the event that waits: it can be read. */
async function makeKnown(database: pg.Client): Promise<void> {
  const { rows } = await database.query<{ id: number }>(
    `SELECT id FROM counterfoil_read_models.builds
     JOIN counterfoil_read_models.live USING (projection, build) WHERE projection = 'transactions'`,
  );
  const { rowCount } = await database.query(
    `UPDATE counterfoil_read_models.b${rows[0]?.id}__parked_events
     SET event = replace(event, 'PaymentTeleported', 'PaymentSettled')`,
  );
  expect(rowCount).toBe(1);
}
