/** The shop of the month: one company with three merchant accounts on different terms. */
import type { TenantId } from '@counterfoil/core';
import type { Caller } from '@counterfoil/engine';
import type { Host } from '@counterfoil/http-host';

export const TENANT = 1 as TenantId;
export const SHOP = 1;
export const CALLER: Caller = { actor: 'month@online-retail.example' };
const SANDBOX_GATEWAY = 1;
const COMPANY = 1;
const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };

/** The cap of the first is reached in the middle of the month, that of the second towards its end. */
export const ACCOUNTS = [
  {
    id: 1,
    title: 'Harbour',
    terms: {
      monthlyCap: 250_000,
      discountRatePercentage: 1.4,
      gatewayTransactionFee: 0.05,
      chargebackFee: 15,
      cdrnFee: 10,
      reservePercentage: 5,
    },
  },
  {
    id: 2,
    title: 'Bridge',
    terms: {
      monthlyCap: 200_000,
      discountRatePercentage: 2.2,
      bankAuthFee: 0.1,
      chargebackFee: 20,
      cdrnFee: 12.5,
      reservePercentage: 10,
    },
  },
  {
    id: 3,
    title: 'Market',
    terms: {
      discountRatePercentage: 2.9,
      gatewayTransactionFee: 0.2,
      bankAVSFee: 0.03,
      chargebackFee: 25,
      cdrnFee: 15,
    },
  },
] as const;

export async function openShop({ tenants, merchantAccounts, commands }: Host): Promise<void> {
  const at = commands.clock.now();
  const tenantId = TENANT;
  await tenants.onboard(tenantId, { name: 'Online Retail Group' }, CALLER);
  const company = { companyId: COMPANY, name: 'Online Retail Ltd', at };
  await tenants.define({ type: 'DefineCompany', tenantId, ...company }, CALLER);
  const shop = {
    shopId: SHOP,
    companyId: COMPANY,
    name: 'Online Retail',
    domain: 'shop.online-retail.example',
    rootDomain: 'online-retail.example',
    currency: 'GBP',
    at,
  };
  await tenants.define({ type: 'DefineShop', tenantId, ...shop }, CALLER);
  for (const { id, title, terms } of ACCOUNTS) {
    const account = {
      mid: `70000000000${id}`,
      title,
      companyId: COMPANY,
      gatewayId: SANDBOX_GATEWAY,
      descriptor: `ONLINE RETAIL ${title.toUpperCase()}`,
      defaultCurrency: 'GBP',
      currencies: [{ currency: 'GBP', gatewayCredentials: NO_CREDENTIALS }],
      forceAllowRefunds: true,
      ...terms,
    };
    await merchantAccounts.openOnce(tenantId, id, account, CALLER);
  }
}
