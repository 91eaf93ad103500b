/** The key directory finds the tenant by the read model and the key's state by the log. */
import { createMemoryEventStore, type TenantId } from '@counterfoil/core';
import {
  createMemoryReadModelStore,
  PROJECTIONS,
  ReferenceView,
  runProjections,
} from '@counterfoil/projections';
import { expect, it } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { createStateCache } from '../runtime/state-cache.ts';
import { keyDigest } from './api-keys.ts';
import { keyDirectory } from './key-directory.ts';
import { Tenants } from './tenants.ts';

const TENANT = 1 as TenantId;
const NOW = '2026-03-01T12:00:00.000Z';
const KEY = { kind: 'api', environment: 'live', label: '', scopes: ['payments:read'] } as const;

/** A tenant with a key. The read models are not updated afterwards. */
async function opened() {
  const events = createMemoryEventStore();
  const store = createMemoryReadModelStore();
  const executor = { store: events, cache: createStateCache() };
  const commands = new CommandRunner(executor, { now: () => NOW }, () => {});
  const tenants = new Tenants(commands);
  await tenants.onboard(TENANT, { name: 'Tenant' }, SYSTEM);
  const { keyId, key } = await tenants.issueKey(TENANT, KEY, SYSTEM);
  const projections = PROJECTIONS;
  const now = () => Date.parse(NOW);
  await runProjections({ events, store, projections, holder: 'test', now, untilHead: true });
  const keys = keyDirectory(new ReferenceView(store), commands);
  return { tenants, keyId, find: () => keys.find(keyDigest(key)) };
}

it('finds a key with the rights and the rate of its tenant', async () => {
  const { keyId, find } = await opened();
  expect(await find()).toEqual({
    keyId,
    tenantId: TENANT,
    kind: 'api',
    environment: 'live',
    scopes: new Set(['payments:read']),
    rateLimitPerMinute: 100,
    requireKnownUsers: false,
  });
});

it('sees a revocation before the read models do', async () => {
  const { tenants, keyId, find } = await opened();
  await tenants.revokeKey(TENANT, keyId, SYSTEM);
  expect(await find()).toMatchObject({ keyId, revokedAt: Date.parse(NOW) });
});

it('sees the revocation of a key that it has found before', async () => {
  const { tenants, keyId, find } = await opened();
  expect(await find()).not.toHaveProperty('revokedAt');
  await tenants.revokeKey(TENANT, keyId, SYSTEM);
  expect(await find()).toMatchObject({ keyId, revokedAt: Date.parse(NOW) });
});

it('sees a changed rate before the read models do', async () => {
  const { tenants, find } = await opened();
  await tenants.changeSettings(TENANT, { requestsPerMinute: 7 }, SYSTEM);
  expect(await find()).toMatchObject({ rateLimitPerMinute: 7 });
});
