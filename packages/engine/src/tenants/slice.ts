/** Tenants, their keys, and what they define: companies, shops and the like. */
import { ReferenceView } from '@counterfoil/projections';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import { keyDirectory } from './key-directory.ts';
import { References } from './references.ts';
import { KEY_CALLS, KEY_INPUTS, TenantKeys } from './tenant-keys.ts';
import { listTenants } from './tenant-list.ts';
import { REFERENCE_CALLS, REFERENCE_INPUTS, TenantReferences } from './tenant-references.ts';
import { SETTINGS_CALLS, SETTINGS_INPUTS, TenantSettings } from './tenant-settings.ts';
import { Tenants } from './tenants.ts';

export type TenantParts = PartsOf<typeof TENANTS>;

/** For a key that was made a moment ago, and its origins. */
const KEY_WAIT_MS = 1_000;

export const TENANTS = slice({
  scopes: {
    'keys:read': 'List API keys, lead keys and permissions, by their hints',
    'keys:write': 'Make, rotate and revoke API keys and lead keys, of any scope',
    'references:read':
      'Read companies, shops, applications, products, price points, campaigns and affiliates',
    'references:write': 'Define and change companies, shops, applications and the like',
    'settings:read': 'Read the settings of the tenant',
    'settings:write': 'Change the settings of the tenant',
  },
  make({ commands, definitions, issuedKeys, readSide, stores }: Base) {
    const referenceView = new ReferenceView(stores.readModels);
    /**
     * What is not found is looked for again in read models that have all keys that this process issued. They
     * need not have payments: anybody can send an unknown key, which must not wait for those.
     */
    const foundAtLast = async <Found>(look: () => Promise<Found>) => {
      const found = await look();
      const { newest } = issuedKeys;
      if (found || newest === undefined) return found;
      await stores.progress.reached(newest, { timeoutMs: KEY_WAIT_MS });
      return look();
    };
    const keyByDigest = (digest: string) => foundAtLast(() => referenceView.keyByDigest(digest));
    return {
      referenceView,
      tenants: new Tenants(commands),
      listTenants: () => listTenants({ events: stores.events, commands, referenceView }),
      keys: keyDirectory({ keyByDigest }, commands),
      /** Whether a publishable lead key allows pages of this origin. */
      knowsOrigin: (origin: string) => foundAtLast(() => referenceView.knowsOrigin(origin)),
      references: new References(commands, {
        async merchantAccountIdsOf(tenantId, companyId) {
          await definitions.caughtUp(tenantId);
          const accounts = (await referenceView.names(tenantId)).merchantAccounts(companyId);
          return accounts.map(({ merchantAccountId }) => merchantAccountId);
        },
        async namesOf(tenantId) {
          await readSide.caughtUp(tenantId);
          return referenceView.names(tenantId);
        },
        async companyIdsOf(tenantId) {
          await definitions.caughtUp(tenantId);
          const companies = (await referenceView.names(tenantId)).all('CompanyDefined');
          return companies.map(({ companyId }) => companyId);
        },
      }),
    };
  },
  tenant: (parts) => ({
    keys: tenantPart(KEY_INPUTS, (acting) => new TenantKeys(parts, acting), KEY_CALLS),
    references: tenantPart(
      REFERENCE_INPUTS,
      (acting) => new TenantReferences(parts, acting),
      REFERENCE_CALLS,
    ),
    settings: tenantPart(
      SETTINGS_INPUTS,
      (acting) => new TenantSettings(parts, acting),
      SETTINGS_CALLS,
    ),
  }),
});
