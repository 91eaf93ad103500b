/** A shop over an embedded ledger: what every test of the engine's face begins with. */
import type { TenantId } from '@counterfoil/core';
import type { Ledger, Refused } from '@counterfoil/engine';

export const OPERATOR = { actor: 'operator' };
export const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };

export const SHOP_ACCOUNT = {
  mid: '7001',
  title: 'Main',
  companyId: 1,
  gatewayId: 1,
  descriptor: 'ACME',
  defaultCurrency: 'GBP',
  currencies: [
    {
      currency: 'GBP',
      gatewayCredentials: { apiKey: '', username: '', password: '', emailAddress: '' },
    },
  ],
};

/** Onboards a tenant whose one account takes pounds. */
export async function withShop(
  ledger: Pick<Ledger, 'tenants' | 'merchantAccounts'>,
  tenantId: TenantId,
): Promise<void> {
  await ledger.tenants.onboard(tenantId, { name: `Tenant ${tenantId}` }, OPERATOR);
  const at = new Date().toISOString();
  await ledger.tenants.define(
    { type: 'DefineCompany', tenantId, companyId: 1, name: 'Acme', at },
    OPERATOR,
  );
  await ledger.merchantAccounts.openOnce(tenantId, 1, SHOP_ACCOUNT, OPERATOR);
}

/** A payment of 19.99, unless it says otherwise. */
export function order(more: object = {}) {
  return {
    amount: '19.99',
    currency: 'GBP',
    email: 'ann@shop.example',
    card: CARD,
    ...more,
  };
}

let reports = 0;

/** What a provider reports of a payment of 19.99, under a reference of its own each time. */
export function disputeReport(more: object = {}) {
  reports += 1;
  const common = { provider: 'acme', reference: `case-${reports}` };
  return { ...common, amount: '19.99', currency: 'GBP', ...more };
}

/** The code of what a use case refuses with. */
export function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'accepted',
    (error: Refused) => error.code,
  );
}
