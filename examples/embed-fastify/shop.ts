/** What the shop is to the ledger: a tenant with one merchant account, and what its orders look like. */
import { type TenantId, Transaction } from '@counterfoil/core';
import type { Engine, PaymentRequest } from '@counterfoil/engine';

export const SHOP_TENANT = 1 as TenantId;
export const CURRENCY = 'GBP';

const COMPANY_ID = 1;
const MERCHANT_ACCOUNT_ID = 1;
const SANDBOX_GATEWAY_ID = 1;
const CALLER = { actor: 'shop' };

/** Doing it again changes nothing. */
export async function onboardShop({ tenants, clock }: Engine): Promise<void> {
  const tenantId = SHOP_TENANT;
  await tenants.onboard(tenantId, { name: 'Shop' }, CALLER);
  await tenants.define(
    { type: 'DefineCompany', tenantId, companyId: COMPANY_ID, name: 'Shop Ltd', at: clock.now() },
    CALLER,
  );
  const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
  await tenants.openMerchantAccount(
    tenantId,
    MERCHANT_ACCOUNT_ID,
    {
      mid: '700000000001',
      title: 'Shop',
      companyId: COMPANY_ID,
      gatewayId: SANDBOX_GATEWAY_ID,
      descriptor: 'SHOP',
      defaultCurrency: CURRENCY,
      currencies: [{ currency: CURRENCY, gatewayCredentials }],
      mcc: '5947',
    },
    CALLER,
  );
}

export function orderOf(amountMinor: bigint, email: string): PaymentRequest['order'] {
  return {
    sandbox: false,
    email,
    firstName: '',
    lastName: '',
    amountMinor,
    currency: CURRENCY,
    captureMode: 'automatic',
    applicationId: Transaction.APPLICATION_KIND.Checkout,
    shopId: null,
    campaignId: null,
    affiliateId: null,
    productId: null,
    pricePointId: null,
    walletPayA: false,
    walletPayB: false,
    partnerSession: null,
    serviceSession: '',
    items: [],
    addresses: [],
    session: null,
  };
}
