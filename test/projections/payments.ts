/** Events of one payment for tests, with everything set to something to be seen again. */
import type { Event, Transaction, TransactionId } from '@counterfoil/core';
import { storefrontProduct } from '../core/event-samples.ts';
import { happened, lineItem, order, route } from '../core/payment-story.ts';

export const PAYMENT = '0195a000-0000-7000-8000-000000000001' as TransactionId;
export const REFUND = '0195a000-0000-7000-8000-0000000000a1' as TransactionId;
export const CHARGEBACK = '0195a000-0000-7000-8000-0000000000b1' as TransactionId;
export const ALERT = '0195a000-0000-7000-8000-0000000000c1' as TransactionId;
export const VOID = '0195a000-0000-7000-8000-0000000000d1' as TransactionId;

export const BOOKS = { sandbox: false, merchantAccountId: 7, currency: 'GBP' } as const;

type Change<Type extends Transaction.Event['type']> = Partial<Transaction.EventOf<Type>>;

const address: Transaction.Address = {
  addressType: 'DEFAULT',
  email: 'ada@example.test',
  firstName: 'Ada',
  lastName: 'Lovelace',
  address: '1 High Street',
  city: 'London',
  postalCode: 'N1',
  state: '',
  countryCode: 'GB',
  phone: '1',
};

export function submitted(
  change: Change<'PaymentSubmitted'> = {},
): Transaction.EventOf<'PaymentSubmitted'> {
  return {
    ...order,
    type: 'PaymentSubmitted',
    transactionId: PAYMENT,
    orderId: 5001,
    customerId: 42,
    email: 'Ada@Example.test',
    amountMinor: 2599n,
    applicationId: 100,
    applicationKind: 2,
    companyId: 3,
    shopId: 4,
    campaignId: 5,
    affiliateId: 6,
    productId: 8,
    pricePointId: 9,
    subscriptionId: 77,
    paymentNumber: 2,
    totalAttempt: 3,
    card: {
      token: 'tok',
      fingerprint: 'fp',
      bin: '41111122',
      last4: '0042',
      brandId: 1,
      expMonth: 12,
      expYear: 2030,
      binCountry: 'GB',
    },
    walletPayB: true,
    partnerSession: 'click-1',
    items: [
      {
        ...lineItem(11, 2, 1000n),
        storefrontProductId: 21,
        unitCostMinor: 400n,
        discountCodeId: 1,
        discountMinor: 100n,
        salesStrategyId: 2,
        customDiscountMinor: 1n,
      },
      { ...lineItem(12, 1, 700n), storefrontProductId: 22 },
    ],
    addresses: [
      {
        ...address,
        ...{ addressType: 'SHIPPING', lastName: 'L', address: '2 Side Street', city: 'Leeds' },
        ...{ postalCode: 'LS1', phone: '2' },
      },
      address,
    ],
    session: {
      id: 'visit-1',
      ip: '10.0.0.1',
      useragent: 'UA',
      url: 'https://shop.example.test/',
      timestamp: '2025-12-01T09:59:00.000Z',
      ipCity: 'London',
      ipCountryCode: 'IE',
    },
    at: '2025-12-01T10:00:00.000Z',
    ...change,
  };
}

export function started(change: Partial<Transaction.Route> = {}): Event {
  const own = {
    merchantAccountId: 7,
    companyId: 3,
    gatewayId: 1,
    mid: 'MID-7',
    midName: 'Main account',
    descriptor: 'SHOP*Main',
  };
  const on = { ...route, ...own, ...change };
  return { type: 'AttemptStarted', attempt: 1, route: on, at: '2025-12-01T10:00:01.000Z' };
}

export function captured(change: Change<'PaymentCaptured'> = {}): Event {
  return happened.captured({
    ...BOOKS,
    amountMinor: 2599n,
    authCode: 'A1B2',
    gatewayTransactionId: 'gw-1',
    note: 'Approved',
    fees: [{ account: 'fees:gateway', amountMinor: 10n, currency: 'GBP' }],
    at: '2025-12-01T10:00:02.000Z',
    ...change,
  });
}

export function declined(change: Change<'PaymentDeclined'> = {}): Event {
  const { type: _, ...facts } = happened.declined() as Transaction.EventOf<'PaymentDeclined'>;
  return { type: 'PaymentDeclined', ...facts, ...BOOKS, at: '2025-12-01T10:00:02.000Z', ...change };
}

export function refundRequested(change: Change<'RefundRequested'> = {}): Event {
  return happened.refundRequested({
    refundId: REFUND,
    amountMinor: 950n,
    items: [{ storefrontVariantId: 11, quantity: 1, amountMinor: 950n, restock: true }],
    at: '2025-12-05T10:00:00.000Z',
    ...change,
  });
}

export function refunded(change: Change<'Refunded'> = {}): Event {
  return happened.refunded({
    refundId: REFUND,
    ...BOOKS,
    amountMinor: 950n,
    gatewayTransactionId: 'gw-r1',
    note: 'Paid back',
    at: '2025-12-05T10:00:03.000Z',
    ...change,
  });
}

export function chargebackOpened(change: Change<'ChargebackOpened'> = {}): Event {
  return happened.chargebackOpened({
    chargebackId: CHARGEBACK,
    ...BOOKS,
    amountMinor: 1649n,
    note: 'Fraud',
    fees: [{ account: 'fees:chargeback', amountMinor: 1500n, currency: 'GBP' }],
    at: '2025-12-10T00:00:00.000Z',
    ...change,
  });
}

export function alertReceived(change: Change<'AlertReceived'> = {}): Event {
  return happened.alertReceived({
    alertId: ALERT,
    ...BOOKS,
    amountMinor: 2599n,
    deadline: '2025-12-09T00:00:00.000Z',
    note: 'Disputed',
    at: '2025-12-06T00:00:00.000Z',
    ...change,
  });
}

const at = '2025-01-01T00:00:00.000Z';
const shop = { name: 'Main shop', domain: 'www.shop.test', rootDomain: 'shop.test' };
const price = { amountMinor: 2500n, currency: 'EUR', billingCode: 'BC9', premium: 1 };
const product = { ...storefrontProduct, id: 21, title: 'Candle, red' };

/** What the payments above refer to by id. */
export const DEFINITIONS: readonly (readonly [category: string, id: number, event: Event])[] = [
  ['company', 3, { type: 'CompanyDefined', companyId: 3, name: 'Retail Ltd', at }],
  ['shop', 4, { type: 'ShopDefined', shopId: 4, companyId: 3, ...shop, currency: 'EUR', at }],
  [
    'application',
    100,
    { type: 'ApplicationDefined', applicationId: 100, kind: 2, name: 'Web store', at },
  ],
  ['product', 8, { type: 'ProductDefined', productId: 8, name: 'Candle', at }],
  ['price_point', 9, { type: 'PricePointDefined', pricePointId: 9, ...price, shortcodeId: 33, at }],
  ['campaign', 5, { type: 'CampaignDefined', campaignId: 5, name: 'Winter', at }],
  ['affiliate', 6, { type: 'AffiliateDefined', affiliateId: 6, name: 'Partner', at }],
  ['storefront_product', 21, { type: 'StorefrontProductDefined', product, at }],
];
