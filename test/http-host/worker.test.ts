/** A worker: what it is held to, and the hosts that wait for it. */
import { type CommandId, streamName, type TenantId } from '@counterfoil/core';
import { openHostDatabase, setMarkOnce } from '@counterfoil/engine/storage';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startHost } from '../e2e/running-host.ts';
import { SharedStores } from './shared-stores.ts';

const TENANT = 4 as TenantId;

async function appendTo(
  { url }: SharedStores,
  event = { type: 'TenantOnboarded', data: '{}' },
): Promise<void> {
  const events = await openPostgresEventStore({ url });
  await events.append({
    stream: streamName('tenant', TENANT, 'first'),
    expected: { kind: 'noStream' },
    command: { id: '0195a000-0000-8000-8000-000000000002' as CommandId, fingerprint: '' },
    events: [
      {
        id: '0195a000-0000-8000-8000-000000000001',
        ...event,
        schemaVersion: 1,
        tenantId: TENANT,
        time: '2026-11-21T00:00:00.000Z',
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

it('refuses a log that is sealed with keys that are lost', { timeout: 120_000 }, async () => {
  const stores = await SharedStores.open();
  const data = JSON.stringify({ customerId: 7, sandbox: false, sealed: 'v1:' });
  await appendTo(stores, { type: 'CustomerIdentified', data });
  expect(await stores.refused('worker')).toMatch(/has no keys.*was sealed with keys/);
});

it('lets a host begin that waits for its read models', { timeout: 120_000 }, async () => {
  const stores = await SharedStores.open();
  await appendTo(stores);
  const lines: string[] = [];
  const env = { ...stores.env, RUN_PROJECTIONS: 'false' };
  let hasStarted = false;
  const starting = startHost({ onDisk: true, env, lines }).then((running) => {
    hasStarted = true;
    onTestFinished(() => running.close());
    return running;
  });
  const url = await vi.waitUntil(() => urlIn(lines), { timeout: 60_000 });
  const early = await fetch(`${url}/readyz`);
  expect(early.status).toBe(503);
  expect(await early.json()).toMatchObject({ status: 'starting' });
  expect(hasStarted).toBe(false);

  const worker = stores.begin('worker');
  await starting;
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ok' });
  worker.stop();
  await worker.ended;
});

function urlIn(lines: readonly string[]): string | undefined {
  const line = lines.find((each) => each.includes('"listening'));
  return line === undefined ? undefined : JSON.parse(line).url;
}
