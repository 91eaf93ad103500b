/** Provides the write side: the ledger, and what is looked up in it. */
import type { TenantId } from '@counterfoil/core';
import { CredentialVault, deriveKey } from '../operations/credential-vault.ts';
import { Identities } from '../operations/identities.ts';
import { Ledger } from '../operations/ledger.ts';
import { References } from '../operations/references.ts';
import { createStateCache } from '../operations/state-cache.ts';
import { Tenants } from '../operations/tenants.ts';
import { PART, type Provide } from './parts.ts';

export function provideLedger(provide: Provide): void {
  provide(PART.stateCache, () => createStateCache());
  provide(PART.ledger, (get) => {
    const readSide = get(PART.readSide);
    const vault = get(PART.personalKeys);
    const executor = { store: get(PART.events), cache: get(PART.stateCache), vault };
    return new Ledger(
      executor,
      get(PART.clock),
      (tenantId, position) => readSide.acknowledge(tenantId, position),
      deriveKey(get(PART.masterKey), 'command fingerprints'),
    );
  });
  provide(PART.vault, (get) => new CredentialVault(get(PART.masterKey)));
  provide(PART.tenants, (get) => new Tenants(get(PART.ledger), get(PART.vault)));
  provide(PART.identities, (get) => {
    const secret = deriveKey(get(PART.masterKey), 'customer emails');
    return new Identities(get(PART.ledger), secret);
  });
  provide(PART.references, (get) => {
    const view = get(PART.referenceView);
    return new References(get(PART.ledger), {
      async merchantAccountIdsOf(tenantId: TenantId, companyId: number) {
        const accounts = (await view.names(tenantId)).merchantAccounts(companyId);
        return accounts.map(({ merchantAccountId }) => merchantAccountId);
      },
      async companyIdsOf(tenantId: TenantId) {
        const companies = (await view.names(tenantId)).all('CompanyDefined');
        return companies.map(({ companyId }) => companyId);
      },
    });
  });
}
