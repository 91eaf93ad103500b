/** Tenants, their keys, and what they define: companies, shops and the like. */
import { ReferenceView } from '@counterfoil/projections';
import { type Base, type PartsOf, slice } from '../slice.ts';
import { keyDirectory } from './key-directory.ts';
import { References } from './references.ts';
import { Tenants } from './tenants.ts';

export type TenantParts = PartsOf<typeof TENANTS>;

export const TENANTS = slice({
  make({ commands, definitions, readSide, stores }: Base) {
    const referenceView = new ReferenceView(stores.readModels);
    return {
      referenceView,
      tenants: new Tenants(commands),
      keys: keyDirectory(referenceView, commands),
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
});
