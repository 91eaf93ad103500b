/** The route of an attempt: the account, its gateway, its current terms and the descriptor. */
import {
  Descriptor,
  type MerchantAccount,
  Routing,
  type TenantId,
  type Transaction,
} from '@counterfoil/core';
import type { GatewayRegistry } from '../gateways/registry.ts';
import type { References } from '../tenants/index.ts';

/** What a descriptor may name. */
export interface Routed extends Pick<Transaction.Order, 'orderId' | 'shopId' | 'productId'> {
  readonly card: Pick<Transaction.Card, 'brandId'> | null;
}

interface Chosen extends Pick<Routing.Routing, 'skipped'> {
  readonly tenantId: TenantId;
  readonly account: MerchantAccount.MerchantAccount;
  readonly payment: Routed;
}

export async function routeTo(
  { tenantId, account, skipped, payment }: Chosen,
  { references, gateways }: { readonly references: References; readonly gateways: GatewayRegistry },
): Promise<Transaction.Route> {
  const { reserveHoldDays } = await references.settingsOf(tenantId);
  const gateway = gateways.gateway(account.settings.gatewayId).name;
  const { orderId, shopId, productId, card } = payment;
  const named = Descriptor.namesOf(account.settings);
  const described = {
    orderId,
    brandId: card?.brandId ?? 0,
    shop: named === 'shop' ? await references.shopName(tenantId, shopId) : '',
    product: named === 'product' ? await references.productName(tenantId, productId) : '',
  };
  return Routing.routeTo(account, { gateway, reserveHoldDays, skipped, payment: described });
}
