/** Two installations on one EventStoreDB with separate prefixes are isolated. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type ProtocolServer, startProtocolServer } from '../eventstoredb-server/server.ts';
import { present } from './api.ts';
import { newStores, type Stores } from './engines.ts';
import { type Json, openTenant, type Running, startHost } from './running-host.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const TENANT = 7;

let server: ProtocolServer;
const stores: Stores[] = [];
const hosts: Running[] = [];

beforeAll(async () => {
  server = await startProtocolServer();
  // The journeys share one server.
  vi.stubEnv('ESDB_URL', server.url);
  stores.push(await newStores('eventstoredb'), await newStores('eventstoredb'));
  for (const { env } of stores) hosts.push(await startHost({ env, onDisk: true }));
});

afterAll(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  await Promise.all(stores.map(({ release }) => release()));
  await server.close();
});

it('have the same tenant, and each its own payments only', async () => {
  const callers = await Promise.all(hosts.map((host) => openTenant(host, TENANT)));
  const ids = await Promise.all(callers.map(async (caller) => (await caller.paid()).id));
  for (const [index, caller] of callers.entries()) {
    const { body } = await caller.get('/v1/payments');
    expect(body.data.map(({ id }: Json) => id)).toEqual([ids[index]]);
    expect(
      (await caller.get('/v1/payments/{id}', { path: { id: present(ids[1 - index]) } })).status,
    ).toBe(404);
  }
  const prefixes = stores.map(({ env }) => env['EVENT_STORE_PREFIX'] ?? '');
  const others = server.log.events.filter(
    ({ stream }) =>
      !(stream.startsWith('$') || prefixes.some((prefix) => `${stream}.`.includes(prefix))),
  );
  expect(others).toEqual([]);
});
