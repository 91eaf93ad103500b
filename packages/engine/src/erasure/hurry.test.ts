/** The read models have a person until they take the erasure in: they do so without a pause. */
import { TenantId } from '@counterfoil/core';
import { expect, it, onTestFinished } from 'vitest';
import { settingsOf } from '../ledger-options.ts';
import { silentLogger } from '../logger.ts';
import { openEngine } from '../open-engine.ts';

it('hurries the read models for the erasure that was recorded', async () => {
  const options = { storage: 'memory:', masterKey: Buffer.alloc(32, 7) } as const;
  const engine = await openEngine(settingsOf(options), { logger: silentLogger });
  onTestFinished(() => engine.close());
  const { tenants, readSide, stores } = engine;
  const tenantId = TenantId.parse(7);
  await tenants.onboard(tenantId, { name: 'Acme' }, { actor: 'shop' });
  const { customers } = engine.as({ tenantId, actor: 'shop' });
  const { customerId } = await customers.register({ email: 'ada@example.com' });
  const asked: string[] = [];
  stores.progress.onWait((position) => asked.push(position));
  await customers.erase(customerId);
  expect(asked.at(-1)).toBe(readSide.newest);
});
