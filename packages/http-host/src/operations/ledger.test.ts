/** What the ledger answers where the core has no answer of the domain. */
import { createMemoryEventStore, Tenant, type TenantId } from '@counterfoil/core';
import { expect, it } from 'vitest';
import { Ledger } from './ledger.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const COMMAND_ID = '0195a000-0000-8000-8000-000000000001';

it('says when to repeat what others kept winning against', async () => {
  const store = createMemoryEventStore();
  const losing = {
    ...store,
    read: store.read.bind(store),
    append: async () => ({ outcome: 'conflict', actual: 0 }) as const,
  };
  const ledger = new Ledger({ store: losing as never }, { now: () => NOW }, () => {});
  const command: Tenant.Command = {
    type: 'OnboardTenant',
    tenantId: 1 as TenantId,
    name: 'Tenant',
    settings: {},
    at: NOW,
  };
  const asked = ledger.carryOut(Tenant, command, { commandId: COMMAND_ID }, { actor: 'a' });
  await expect(asked).rejects.toMatchObject({
    code: 'concurrent_update',
    status: 409,
    headers: { 'Retry-After': '1' },
  });
});
