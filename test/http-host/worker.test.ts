/** A worker is held to what the hosts beside it have agreed on. */
import { type CommandId, streamName, type TenantId } from '@counterfoil/core';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import { openHostDatabase, setMarkOnce } from '@counterfoil/http-host/host-database';
import { expect, it } from 'vitest';
import { SharedStores } from './shared-stores.ts';

const TENANT = 4 as TenantId;

async function appendTo({ url }: SharedStores): Promise<void> {
  const events = await openPostgresEventStore({ url });
  await events.append({
    stream: streamName('tenant', TENANT, 'first'),
    expected: { kind: 'noStream' },
    command: { id: 'first' as CommandId, fingerprint: '' },
    events: [
      {
        id: 'first-of-this-log',
        type: 'TenantOnboarded',
        schemaVersion: 1,
        tenantId: TENANT,
        time: '2026-11-21T00:00:00.000Z',
        data: '{}',
        metadata: '{}',
      },
    ],
  });
  await events.close();
}

async function agreeOnFirstEvent({ url }: SharedStores, id: string): Promise<void> {
  const database = await openHostDatabase(url);
  await setMarkOnce(database.pool, 'first-event', id);
  await database.close();
}

it('refuses to fill the read models of one log from another', { timeout: 120_000 }, async () => {
  const stores = await SharedStores.open();
  await appendTo(stores);
  await agreeOnFirstEvent(stores, 'first-of-another-log');
  expect(await stores.refused('worker')).toMatch(/another log/);
});
