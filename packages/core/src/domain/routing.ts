/** Which merchant account a payment is sent to, and why the others were passed over. */
import { isLeft } from 'fp-ts/lib/Either.js';
import { toMinor } from '../kernel/money.ts';
import { type Described, descriptorOf } from './descriptor.ts';
import { type MerchantAccount, termsOf } from './merchant-account.ts';
import type { Route } from './transaction/events.ts';

export interface Routable {
  readonly currency: string;
  readonly amountMinor: bigint;
  /** `cardBrandId` of the card; 0 when unknown. */
  readonly brandId: number;
  /** Accounts that have declined this payment already. */
  readonly tried: readonly number[];
  /** Accounts without room for this payment under their monthly cap; none when absent. */
  readonly full?: readonly number[];
  /** Ids of the gateways that can be called; any when absent. */
  readonly gatewayIds?: ReadonlySet<number>;
  /** The gateway that keeps the card; any when absent. */
  readonly gatewayId?: number | undefined;
  /** Accounts whose gateway does not take this payment, and why; none when absent. */
  readonly refusing?: ReadonlyMap<number, GatewayReason> | undefined;
}

/**
 * `other-gateway`: the card is not kept where the account could charge it. `credentials-refused`: the gateway
 * has refused them, and the account rests.
 */
export type GatewayReason =
  | 'other-gateway'
  | 'credentials-unusable'
  | 'credentials-refused'
  | 'card-number-not-taken'
  | 'amount-not-taken';

export type SkipReason =
  | 'already-tried'
  | 'gateway-absent'
  | GatewayReason
  | 'currency-not-held'
  | 'network-disabled'
  | 'over-max-price'
  | 'over-monthly-cap';

export interface Routing {
  /** Undefined when no account takes the payment. */
  readonly account: MerchantAccount | undefined;
  readonly skipped: readonly { readonly merchantAccountId: number; readonly reason: SkipReason }[];
}

/** The first account, in the order given, that takes the payment. */
export function route(accounts: readonly MerchantAccount[], payment: Routable): Routing {
  const skipped: { merchantAccountId: number; reason: SkipReason }[] = [];
  for (const account of accounts) {
    const reason = reasonToSkip(account, payment);
    if (reason === undefined) return { account, skipped };
    skipped.push({ merchantAccountId: account.merchantAccountId, reason });
  }
  return { account: undefined, skipped };
}

/** Checked in the order of `SkipReason`. */
function reasonToSkip(account: MerchantAccount, payment: Routable): SkipReason | undefined {
  const { settings, merchantAccountId } = account;
  if (payment.tried.includes(merchantAccountId)) return 'already-tried';
  if (payment.gatewayIds?.has(settings.gatewayId) === false) return 'gateway-absent';
  const { gatewayId = settings.gatewayId } = payment;
  if (settings.gatewayId !== gatewayId) return 'other-gateway';
  const refused = payment.refusing?.get(merchantAccountId);
  if (refused !== undefined) return refused;
  if (!settings.currencies.some(({ currency }) => currency === payment.currency)) {
    return 'currency-not-held';
  }
  if (payment.brandId === 1 && !settings.enabledNetworkA) return 'network-disabled';
  if (payment.brandId === 2 && !settings.enabledNetworkB) return 'network-disabled';
  if (isOverMaxPrice(account, payment)) return 'over-max-price';
  return payment.full?.includes(merchantAccountId) ? 'over-monthly-cap' : undefined;
}

/** `maxPrice` is in the account's default currency and binds payments in that currency only. */
function isOverMaxPrice({ settings }: MerchantAccount, payment: Routable): boolean {
  const { maxPrice, defaultCurrency } = settings;
  if (maxPrice === null || payment.currency !== defaultCurrency) return false;
  const limit = toMinor(maxPrice, defaultCurrency);
  return !isLeft(limit) && payment.amountMinor > limit.right;
}

export interface RouteFacts {
  /** Name of the account's gateway. */
  readonly gateway: string;
  readonly reserveHoldDays: number;
  readonly skipped: Routing['skipped'];
  readonly payment: Described;
}

/** The account as an attempt keeps it, with its terms of this moment and the descriptor of the payment. */
export function routeTo(
  { merchantAccountId, settings }: MerchantAccount,
  { gateway, reserveHoldDays, skipped, payment }: RouteFacts,
): Route {
  const { companyId, gatewayId, mid, title } = settings;
  return {
    merchantAccountId,
    companyId,
    gatewayId,
    gateway,
    mid,
    midName: title,
    descriptor: descriptorOf(settings, payment),
    terms: termsOf(settings, reserveHoldDays),
    skipped: [...skipped],
  };
}
