/** Setup of every example: a tenant with one company, and an account for each currency. */
import type { TenantId } from '@counterfoil/core';
import type { Ledger } from '@counterfoil/engine';

const COMPANY_ID = 1;
const CALLER = { actor: 'operator' };

/** The gateway of each currency. The account has the id of its gateway. */
export interface Account {
  readonly gatewayId: number;
  readonly currency: string;
}

/** Idempotent. */
export async function onboard(
  { tenants, merchantAccounts }: Pick<Ledger, 'tenants' | 'merchantAccounts'>,
  tenantId: TenantId,
  accounts: readonly Account[],
): Promise<void> {
  const at = new Date().toISOString();
  await tenants.onboard(tenantId, { name: 'Shop' }, CALLER);
  await tenants.define(
    { type: 'DefineCompany', tenantId, companyId: COMPANY_ID, name: 'Shop Ltd', at },
    CALLER,
  );
  const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
  for (const { gatewayId, currency } of accounts) {
    await merchantAccounts.openOnce(
      tenantId,
      gatewayId,
      {
        mid: `70000000000${gatewayId}`,
        title: `Shop ${currency}`,
        companyId: COMPANY_ID,
        gatewayId,
        descriptor: 'SHOP',
        defaultCurrency: currency,
        currencies: [{ currency, gatewayCredentials }],
        mcc: '5947',
      },
      CALLER,
    );
  }
}
