/** The parts of an order as callers give them, and what is recorded of them. */
import { type Transaction, withoutTrailingZeros } from '@counterfoil/core';
import { uuidV7 } from '../ids.ts';
import { minorOf } from '../input/amounts.ts';
import type {
  AddressInput,
  ItemInput,
  PaymentSubmission,
  RefundPart,
  SessionInput,
} from './payment-input.ts';
import type { PaymentRequest } from './payment-request.ts';

/** The application of an order that names none: checkout. */
const CHECKOUT = 1;

/** Refuses an amount that the currency does not hold. */
export function orderOf(
  submission: PaymentSubmission,
  { sandbox, now }: { readonly sandbox: boolean; readonly now: string },
): PaymentRequest['order'] {
  const { currency, card, email, session, items = [] } = submission;
  const addresses = (submission.addresses ?? []).map((each) => addressOf(each, email));
  const [address] = addresses;
  const [holderFirst = '', ...holderLast] = (card?.holder ?? '').trim().split(/\s+/);
  return {
    sandbox,
    email,
    firstName: submission.firstName ?? (address?.firstName || holderFirst),
    lastName: submission.lastName ?? (address?.lastName || holderLast.join(' ')),
    amountMinor: minorOf(submission.amount, currency, 'amount'),
    currency,
    captureMode: (submission.capture ?? true) ? 'automatic' : 'manual',
    applicationId: submission.applicationId ?? CHECKOUT,
    shopId: submission.shopId ?? null,
    campaignId: submission.campaignId ?? null,
    affiliateId: submission.affiliateId ?? null,
    productId: submission.productId ?? null,
    pricePointId: submission.pricePointId ?? null,
    walletPayA: submission.walletPayA ?? false,
    walletPayB: submission.walletPayB ?? false,
    partnerSession: submission.partnerSession ?? null,
    serviceSession: uuidV7(),
    items: items.map(itemOf),
    addresses,
    session: session == null ? null : sessionOf(session, now),
  };
}

/** What makes two submissions the same: a default that is written out is no difference. */
export function contentOf(
  { idempotencyKey: _, ...given }: PaymentSubmission,
  sandbox: boolean,
): unknown {
  const { email, amount, capture = true, applicationId = CHECKOUT, items = [], plans = [] } = given;
  const addresses = (given.addresses ?? []).map((each) => addressOf(each, email));
  const written = { sandbox, amount: shortest(amount), capture, applicationId };
  return withoutSecrets({ ...given, ...written, items, plans, addresses });
}

/** Without zeros at the end of its decimals: `20.00` is `20`. */
function shortest(amount: string): string {
  const [whole = '', decimals = ''] = amount.split('.');
  const kept = withoutTrailingZeros(decimals);
  return kept === '' ? whole : `${whole}.${kept}`;
}

/** What marks a repetition is hashed into the log, so a card's number and cvv have no part in it. */
export function withoutSecrets({
  card,
  ...rest
}: Readonly<Record<string, unknown>> & Pick<PaymentSubmission, 'card'>): unknown {
  return {
    ...rest,
    last4: card?.number.slice(-4),
    expMonth: card?.expMonth,
    expYear: card?.expYear,
  };
}

function itemOf(given: ItemInput): Transaction.LineItem {
  return {
    storefrontVariantId: given.storefrontVariantId,
    storefrontProductId: given.storefrontProductId,
    quantity: given.quantity,
    unitPriceMinor: given.unitPriceMinor,
    unitCostMinor: given.unitCostMinor ?? 0n,
    discountCodeId: given.discountCodeId ?? 0,
    discountMinor: given.discountMinor ?? 0n,
    salesStrategyId: given.salesStrategyId ?? 0,
    customDiscountMinor: given.customDiscountMinor ?? 0n,
  };
}

/** Refuses an amount that the currency does not hold. */
export function refundPartsOf(parts: readonly RefundPart[] = [], currency: string) {
  const items: Transaction.RefundItem[] = [];
  const adjustments: Transaction.RefundAdjustment[] = [];
  for (const [index, part] of parts.entries()) {
    const minor = (amount: string) => minorOf(amount, currency, `items/${index}/amount`);
    if ('adjustment' in part) {
      adjustments.push({ kind: part.adjustment, amountMinor: minor(part.amount) });
      continue;
    }
    const { storefrontVariantId, quantity, restock = false, amount } = part;
    const item = { storefrontVariantId, quantity, restock };
    items.push(amount === undefined ? item : { ...item, amountMinor: minor(amount) });
  }
  return { items, adjustments };
}

export function addressOf(given: AddressInput, email: string): Transaction.Address {
  return {
    addressType: given.addressType ?? 'DEFAULT',
    email: given.email ?? email,
    firstName: given.firstName ?? '',
    lastName: given.lastName ?? '',
    address: given.address ?? '',
    city: given.city ?? '',
    postalCode: given.postalCode ?? '',
    state: given.state ?? '',
    countryCode: given.countryCode ?? '',
    phone: given.phone ?? '',
  };
}

export function sessionOf(given: SessionInput, now: string): Transaction.Session {
  return {
    id: given.id ?? '',
    ip: given.ip ?? '',
    useragent: given.useragent ?? '',
    url: given.url ?? '',
    timestamp: given.timestamp ?? now,
    ipCity: given.ipCity ?? '',
    ipCountryCode: given.ipCountryCode ?? '',
  };
}
