/** The route of an attempt: the account, its gateway and its current terms. */
import { type MerchantAccount, Routing, type TenantId, type Transaction } from '@counterfoil/core';
import type { GatewayRegistry } from '../gateways/registry.ts';
import type { References } from '../tenants/index.ts';

interface Chosen extends Pick<Routing.Routing, 'skipped'> {
  readonly tenantId: TenantId;
  readonly account: MerchantAccount.MerchantAccount;
}

export async function routeTo(
  { tenantId, account, skipped }: Chosen,
  { references, gateways }: { readonly references: References; readonly gateways: GatewayRegistry },
): Promise<Transaction.Route> {
  const { reserveHoldDays } = await references.settingsOf(tenantId);
  const gateway = gateways.gateway(account.settings.gatewayId).name;
  return Routing.routeTo(account, { gateway, reserveHoldDays, skipped });
}
