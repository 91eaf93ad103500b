/** Arbitraries of the domain's values: money, cards, orders, routes, and every event of the catalog. */
import fc from 'fast-check';
import { catalog, type Event } from '../catalog.ts';
import type { CommandOf } from '../domain/transaction/command.ts';
import type { Route, Terms } from '../domain/transaction/events.ts';
import {
  type Card,
  type LineItem,
  lineTotalMinor,
  type Order,
} from '../domain/transaction/order.ts';
import { currencyCodes } from '../kernel/currency.ts';
import type { CommandId, TenantId, TransactionId } from '../kernel/ids.ts';
import { MAX_AMOUNT_MINOR, withoutTrailingZeros } from '../kernel/money.ts';
import { valuesOf } from './schema-arbitrary.ts';

/** Largest amount of a generated order: what many refunds and fees of it still fit beside. */
const LARGEST_ORDER_MINOR = 10_000_000_000n;
const LARGEST_FEE_MINOR = 10_000n;
const MILLIONTHS = 1_000_000;

export function currency(): fc.Arbitrary<string> {
  return fc.constantFrom(...currencyCodes());
}

/** An amount that may be taken from outside, refunds and corrections (negative) included. */
export function money(): fc.Arbitrary<{ readonly minor: bigint; readonly currency: string }> {
  return fc.record({
    minor: fc.bigInt({ min: -MAX_AMOUNT_MINOR, max: MAX_AMOUNT_MINOR }),
    currency: currency(),
  });
}

/** A percentage from 0 to 100 as a decimal text with at most six decimals. */
export function percentage(): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.integer({ min: 0, max: 100 * MILLIONTHS }),
      fc.nat(100).map((n) => n * MILLIONTHS),
    )
    .map((millionths) => {
      const whole = Math.floor(millionths / MILLIONTHS);
      const rest = withoutTrailingZeros(String(millionths % MILLIONTHS).padStart(6, '0'));
      return rest === '' ? String(whole) : `${whole}.${rest}`;
    });
}

export function tenantId(): fc.Arbitrary<TenantId> {
  return fc.integer({
    min: 1,
    max: 2_147_483_647,
  }) as fc.Arbitrary<number> as fc.Arbitrary<TenantId>;
}

export function transactionId(): fc.Arbitrary<TransactionId> {
  return fc.uuid() as fc.Arbitrary<string> as fc.Arbitrary<TransactionId>;
}

/** Spread over all 128 bits, as the ids of real commands are: no two of them are neighbours. */
export function commandId(): fc.Arbitrary<CommandId> {
  const word = fc.noBias(fc.nat(0xffff)).map((value) => value.toString(16).padStart(4, '0'));
  return fc
    .array(word, { minLength: 8, maxLength: 8 })
    .map(
      ([a, b, c, d, e, ...rest]) => `${a}${b}-${c}-${d}-${e}-${rest.join('')}`,
    ) as fc.Arbitrary<string> as fc.Arbitrary<CommandId>;
}

/** ISO 8601 in GMT with milliseconds, within the years that payments are made in. */
export function instant(): fc.Arbitrary<string> {
  return fc
    .date({
      min: new Date('2000-01-01T00:00:00.000Z'),
      max: new Date('2099-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString());
}

export function card(): fc.Arbitrary<Card> {
  return fc.record({
    token: fc.stringMatching(/^tok_[a-z0-9]{8}$/),
    fingerprint: fc.stringMatching(/^[0-9a-f]{16}$/),
    bin: fc.stringMatching(/^\d{6}$/),
    last4: fc.stringMatching(/^\d{4}$/),
    brandId: fc.nat(6),
    expMonth: fc.integer({ min: 1, max: 12 }),
    expYear: fc.integer({ min: 2024, max: 2050 }),
    binCountry: fc.constantFrom('', 'GB', 'US', 'DE'),
  });
}

/** A line whose variant is one of a few, so that a cart may hold the same one twice. */
export function lineItem(): fc.Arbitrary<LineItem> {
  const minor = fc.bigInt({ min: 0n, max: 100_000n });
  return fc.record({
    storefrontVariantId: fc.integer({ min: 1, max: 5 }),
    storefrontProductId: fc.integer({ min: 1, max: 5 }),
    quantity: fc.integer({ min: 1, max: 20 }),
    unitPriceMinor: minor,
    unitCostMinor: minor,
    discountCodeId: fc.nat(9),
    discountMinor: fc.bigInt({ min: 0n, max: 500n }),
    salesStrategyId: fc.nat(9),
    customDiscountMinor: fc.bigInt({ min: 0n, max: 50n }),
  });
}

const KIND_ECOMMERCE = 2;

/** What a payment is submitted with; an ecommerce order is worth its lines, or more by its shipping. */
export function order(): fc.Arbitrary<Order> {
  const id = fc.integer({ min: 1, max: 1_000_000 });
  return fc
    .tuple(
      fc.record({
        sandbox: fc.boolean(),
        orderId: id,
        customerId: id,
        email: fc.emailAddress({ size: '-1' }),
        amountMinor: fc.bigInt({ min: 1n, max: LARGEST_ORDER_MINOR }),
        currency: currency(),
        captureMode: fc.constantFrom('automatic' as const, 'manual' as const),
        applicationKind: fc.integer({ min: 1, max: 5 }),
        companyId: id,
        subscriptionId: fc.option(id),
        card: fc.option(card()),
        items: fc.array(lineItem(), { minLength: 1, maxLength: 4 }),
      }),
      fc.bigInt({ min: 0n, max: 500n }),
    )
    .map(([drawn, shippingMinor]) => {
      const ecommerce = drawn.applicationKind === KIND_ECOMMERCE;
      const items = ecommerce ? drawn.items : [];
      const worth = items.reduce((sum, item) => sum + lineTotalMinor(item), shippingMinor);
      return {
        ...NEUTRAL,
        ...drawn,
        items,
        amountMinor: ecommerce && worth > 0n ? worth : drawn.amountMinor,
        applicationId: drawn.applicationKind,
      };
    });
}

const NEUTRAL = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  pinnedMerchantAccountId: null,
  shopId: null,
  campaignId: null,
  affiliateId: null,
  productId: null,
  pricePointId: null,
  plans: [],
  paymentNumber: 1,
  attempt: 1,
  totalAttempt: 1,
  walletPayA: false,
  walletPayB: false,
  partnerSession: null,
  serviceSession: '',
  addresses: [],
  session: null,
};

export function terms(): fc.Arbitrary<Terms> {
  const fee = fc.bigInt({ min: 0n, max: LARGEST_FEE_MINOR });
  return fc.record({
    feeCurrency: currency(),
    discountRatePercentage: percentage(),
    gatewayTransactionFeeMinor: fee,
    bankAuthFeeMinor: fee,
    bankDeclineFeeMinor: fee,
    bankAvsFeeMinor: fee,
    customFeeMinor: fee,
    customFeeApprovedOnlyMinor: fee,
    chargebackFeeMinor: fee,
    alertProviderFeeMinor: fee,
    rdrFeeMinor: fee,
    cdrnFeeMinor: fee,
    reservePercentage: percentage(),
    reserveHoldDays: fc.nat(365),
  });
}

export function route(): fc.Arbitrary<Route> {
  return fc.record({
    merchantAccountId: fc.integer({ min: 1, max: 9 }),
    companyId: fc.integer({ min: 1, max: 9 }),
    gatewayId: fc.integer({ min: 1, max: 9 }),
    gateway: fc.constant('sandbox'),
    mid: fc.stringMatching(/^\d{6}$/),
    midName: fc.constant('Main'),
    descriptor: fc.constant('EXAMPLE SHOP'),
    terms: terms(),
    skipped: fc.array(
      fc.record({ merchantAccountId: fc.integer({ min: 1, max: 9 }), reason: fc.constant('cap') }),
      { maxLength: 2 },
    ),
  });
}

/** The command that starts a payment; one in sixteen is on the black list, one in eight has no route yet. */
export function submitPayment(): fc.Arbitrary<CommandOf<'SubmitPayment'>> {
  return fc
    .tuple(
      order(),
      fc.record({ tenantId: tenantId(), transactionId: transactionId(), at: instant() }),
      fc.option(route(), { freq: 8 }),
      fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 63 })),
    )
    .map(([facts, address, chosen, blackListing]) => ({
      type: 'SubmitPayment',
      ...facts,
      ...address,
      route: chosen,
      blackListing,
    }));
}

/** Any event of one type that its schema accepts. */
export function eventOf(type: string): fc.Arbitrary<Event> {
  const known = catalog.get(type);
  if (known === undefined) throw new Error(`no event of type ${type} in the catalog`);
  return valuesOf(known.schema).map((data) => ({ type, ...(data as object) }) as Event);
}

/** Any event of any aggregate. */
export function event(): fc.Arbitrary<Event> {
  return fc.constantFrom(...catalog.keys()).chain(eventOf);
}
