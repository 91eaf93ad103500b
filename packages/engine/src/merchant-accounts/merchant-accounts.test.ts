/** Redefined merchant accounts: replacement, change detection, sealed secrets. */
import { randomBytes } from 'node:crypto';
import { createMemoryEventStore, MerchantAccount, type TenantId } from '@counterfoil/core';
import { expect, it } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { References } from '../tenants/references.ts';
import { CredentialVault } from './credential-vault.ts';
import { MerchantAccounts } from './merchant-accounts.ts';

const TENANT = 1 as TenantId;
const SECRETS = { apiKey: 'k-1', username: 'u', password: '', emailAddress: '' };
const GIVEN = {
  mid: '701',
  title: 'Main',
  companyId: 1,
  gatewayId: 1,
  descriptor: 'ACME',
  defaultCurrency: 'GBP',
  currencies: [{ currency: 'GBP', gatewayCredentials: SECRETS }],
};

function opened() {
  const vault = new CredentialVault(randomBytes(32));
  const clock = { now: () => new Date().toISOString() };
  const commands = new CommandRunner({ store: createMemoryEventStore() }, clock, () => undefined);
  const references = new References(commands, {
    merchantAccountIdsOf: async () => [],
    companyIdsOf: async () => [],
    namesOf: () => Promise.reject(new Error('not asked for')),
  });
  const gateways = { ids: new Set<number>() };
  const accounts = new MerchantAccounts({ commands, references, gateways, vault });
  const define = (given: Parameters<MerchantAccounts['define']>[2]) =>
    accounts.define(TENANT, 1, given, SYSTEM);
  const account = async () => {
    const stream = MerchantAccount.streamOf({ tenantId: TENANT, merchantAccountId: 1 });
    const state = await commands.stateOf(MerchantAccount, stream);
    if (state === null) throw new Error('there is no account');
    const [held] = state.settings.currencies;
    return {
      ...state,
      sealed: held?.gatewayCredentials,
      open: vault.open(held?.gatewayCredentials),
    };
  };
  const withSecrets = (secrets: Partial<typeof SECRETS>) =>
    define({
      ...GIVEN,
      currencies: [{ currency: 'GBP', gatewayCredentials: { ...SECRETS, ...secrets } }],
    });
  return { accounts, define, withSecrets, account };
}

it('replaces an existing account, and changes nothing when it is equal', async () => {
  const { define, account } = opened();
  expect(await define({ ...GIVEN, monthlyCap: 500 })).toBe(true);
  const first = await account();
  expect(await define({ ...GIVEN, monthlyCap: 500 })).toBe(false);
  expect(await account()).toEqual(first);

  expect(await define({ ...GIVEN, title: 'Renamed' })).toBe(true);
  const { rowVersion, settings, open } = await account();
  expect({ rowVersion, open }).toEqual({ rowVersion: 2, open: SECRETS });
  expect(settings).toMatchObject({ title: 'Renamed', monthlyCap: 0 });
});

it('keeps a masked secret, and seals, changes and removes the others', async () => {
  const { withSecrets, account } = opened();
  await withSecrets({});
  const first = await account();
  expect(first.sealed?.apiKey).toMatch(/^sealed:/);
  expect(await withSecrets({ apiKey: '***' })).toBe(false);
  expect(await withSecrets({ apiKey: '***', username: '', password: 'p' })).toBe(true);
  const { sealed, open } = await account();
  expect(sealed?.apiKey).toBe(first.sealed?.apiKey);
  expect(open).toEqual({ ...SECRETS, username: '', password: 'p' });
  await expect(withSecrets({ emailAddress: '***' })).rejects.toMatchObject({
    refusal: { type: 'CredentialMasked', currency: 'GBP', field: 'emailAddress' },
  });
});

it('keeps the secrets that a patch of the currencies does not name', async () => {
  const { accounts, define, account } = opened();
  await define(GIVEN);
  const named = { tenantId: TENANT, merchantAccountId: 1 };
  const amended = (currencies: unknown) => accounts.amend(named, { patch: { currencies } }, SYSTEM);
  await amended([{ currency: 'GBP' }, { currency: 'USD' }]);
  expect((await account()).open).toEqual(SECRETS);
  await amended([{ currency: 'GBP', gatewayCredentials: { apiKey: 'k2', username: '' } }]);
  expect((await account()).open).toEqual({ ...SECRETS, apiKey: 'k2', username: '' });
  await expect(amended([{ currency: 'GBP', gatewayCredentials: 7 }])).rejects.toMatchObject({
    refusal: {
      faults: [{ path: 'currencies/0/gatewayCredentials', detail: 'must be an object' }],
    },
  });
});

it('amends once under one command id, whatever has changed since', async () => {
  const { accounts, define, account } = opened();
  await define(GIVEN);
  const named = { tenantId: TENANT, merchantAccountId: 1 };
  const amendment = { patch: { title: 'Once' }, rowVersion: 1, commandId: uuidV7() };
  await accounts.amend(named, amendment, SYSTEM);
  await accounts.amend(named, { patch: { title: 'Later' } }, SYSTEM);
  await accounts.amend(named, amendment, SYSTEM);
  expect((await account()).settings.title).toBe('Later');
  await expect(
    accounts.amend(named, { ...amendment, patch: { title: 'Other' } }, SYSTEM),
  ).rejects.toMatchObject({ code: 'IdempotencyKeyReused' });
});

it('openOnce does not change an existing account', async () => {
  const { accounts, define, account } = opened();
  await define(GIVEN);
  await accounts.openOnce(TENANT, 1, { ...GIVEN, title: 'Other' }, SYSTEM);
  expect((await account()).settings.title).toBe('Main');
});
