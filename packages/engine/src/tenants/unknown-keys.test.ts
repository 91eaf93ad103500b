/** Unknown keys: anybody can send one, so they wait for changes of tenants alone. */
import { TenantId } from '@counterfoil/core';
import { expect, it, onTestFinished } from 'vitest';
import { settingsOf } from '../ledger-options.ts';
import { silentLogger } from '../logger.ts';
import { openEngine } from '../open-engine.ts';
import { keyDigest, makeKey } from './api-keys.ts';

const TENANT = TenantId.parse(7);
const CALLER = { actor: 'shop' };
const ROLE = { roleId: 'reader', name: 'Reader', scopes: [] };

it('refuses an unknown key without a wait for what says nothing of keys', async () => {
  const options = { storage: 'memory:', masterKey: Buffer.alloc(32, 7) } as const;
  const engine = await openEngine(settingsOf(options), { logger: silentLogger });
  onTestFinished(() => engine.close());
  const { tenants, users, keys, readSide, stores } = engine;
  await tenants.onboard(TENANT, { name: 'Acme' }, CALLER);
  await readSide.caughtUp(TENANT);
  await users.execute(TENANT, { type: 'DefineRole', ...ROLE }, CALLER);
  const asked: string[] = [];
  stores.progress.onWait((position) => asked.push(position));
  const isKnown = async () => (await keys.find(keyDigest(makeKey('api', 'live')))) !== undefined;
  expect(await isKnown()).toBe(false);
  expect(asked).toEqual([]);
  await tenants.onboard(TenantId.parse(8), { name: 'Other' }, CALLER);
  expect(await isKnown()).toBe(false);
  expect(asked).toHaveLength(1);
});
