/** The merchant account that was chosen, as an attempt keeps it. */
import { MerchantAccount, type Routing, type Transaction } from '@counterfoil/core';

export function routeTo(
  { merchantAccountId, settings }: MerchantAccount.MerchantAccount,
  {
    gateway,
    reserveHoldDays,
    skipped,
  }: { gateway: string; reserveHoldDays: number; skipped: Routing.Routing['skipped'] },
): Transaction.Route {
  const { companyId, gatewayId, mid, title, descriptor } = settings;
  return {
    merchantAccountId,
    companyId,
    gatewayId,
    gateway,
    mid,
    midName: title,
    descriptor,
    terms: MerchantAccount.termsOf(settings, reserveHoldDays),
    skipped: [...skipped],
  };
}
