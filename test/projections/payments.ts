/** Events of one payment for tests, with everything set to something to be seen again. */
import type { Event, Transaction, TransactionId } from '@counterfoil/core';

export const PAYMENT = '0195a000-0000-7000-8000-000000000001' as TransactionId;
export const REFUND = '0195a000-0000-7000-8000-0000000000a1' as TransactionId;
export const CHARGEBACK = '0195a000-0000-7000-8000-0000000000b1' as TransactionId;
export const ALERT = '0195a000-0000-7000-8000-0000000000c1' as TransactionId;
export const VOID = '0195a000-0000-7000-8000-0000000000d1' as TransactionId;

export const BOOKS = { sandbox: false, merchantAccountId: 7, currency: 'GBP' } as const;

export function submitted(
  change: Partial<Transaction.EventOf<'PaymentSubmitted'>> = {},
): Transaction.EventOf<'PaymentSubmitted'> {
  return {
    type: 'PaymentSubmitted',
    transactionId: PAYMENT,
    sandbox: false,
    orderId: 5001,
    customerId: 42,
    email: 'Ada@Example.test',
    firstName: 'Ada',
    lastName: 'Lovelace',
    amountMinor: 2599n,
    currency: 'GBP',
    captureMode: 'automatic',
    applicationId: 100,
    applicationKind: 2,
    companyId: 3,
    pinnedMerchantAccountId: null,
    shopId: 4,
    campaignId: 5,
    affiliateId: 6,
    productId: 8,
    pricePointId: 9,
    subscriptionId: 77,
    plans: [],
    paymentNumber: 2,
    attempt: 1,
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
    walletPayA: false,
    walletPayB: true,
    partnerSession: 'click-1',
    serviceSession: 'session-1',
    items: [
      {
        storefrontVariantId: 11,
        storefrontProductId: 21,
        quantity: 2,
        unitPriceMinor: 1000n,
        unitCostMinor: 400n,
        discountCodeId: 1,
        discountMinor: 100n,
        salesStrategyId: 2,
        customDiscountMinor: 1n,
      },
      {
        storefrontVariantId: 12,
        storefrontProductId: 22,
        quantity: 1,
        unitPriceMinor: 700n,
        unitCostMinor: 0n,
        discountCodeId: 0,
        discountMinor: 0n,
        salesStrategyId: 0,
        customDiscountMinor: 0n,
      },
    ],
    addresses: [
      {
        addressType: 'SHIPPING',
        email: 'ada@example.test',
        firstName: 'Ada',
        lastName: 'L',
        address: '2 Side Street',
        city: 'Leeds',
        postalCode: 'LS1',
        state: '',
        countryCode: 'GB',
        phone: '2',
      },
      {
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
      },
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
  return {
    type: 'AttemptStarted',
    attempt: 1,
    route: {
      merchantAccountId: 7,
      companyId: 3,
      gatewayId: 1,
      gateway: 'sandbox',
      mid: 'MID-7',
      midName: 'Main account',
      descriptor: 'SHOP*Main',
      terms: {
        feeCurrency: 'GBP',
        discountRatePercentage: '2.9',
        gatewayTransactionFeeMinor: 10n,
        bankAuthFeeMinor: 0n,
        bankDeclineFeeMinor: 0n,
        bankAvsFeeMinor: 0n,
        customFeeMinor: 0n,
        customFeeApprovedOnlyMinor: 0n,
        chargebackFeeMinor: 1500n,
        alertProviderFeeMinor: 0n,
        rdrFeeMinor: 0n,
        cdrnFeeMinor: 0n,
        reservePercentage: '0',
        reserveHoldDays: 180,
      },
      skipped: [],
      ...change,
    },
    at: '2025-12-01T10:00:01.000Z',
  };
}

export function captured(change: Partial<Transaction.EventOf<'PaymentCaptured'>> = {}): Event {
  return {
    type: 'PaymentCaptured',
    ...BOOKS,
    amountMinor: 2599n,
    authCode: 'A1B2',
    gatewayTransactionId: 'gw-1',
    arn: 'arn-1',
    note: 'Approved',
    fees: [{ account: 'fees:gateway', amountMinor: 10n, currency: 'GBP' }],
    reserveMinor: 0n,
    at: '2025-12-01T10:00:02.000Z',
    ...change,
  };
}

export function refundRequested(
  change: Partial<Transaction.EventOf<'RefundRequested'>> = {},
): Event {
  return {
    type: 'RefundRequested',
    refundId: REFUND,
    amountMinor: 950n,
    items: [{ storefrontVariantId: 11, quantity: 1, amountMinor: 950n, restock: true }],
    adjustments: [],
    source: 'CustomerService',
    notifyCustomer: false,
    requestedBy: 'agent@example.test',
    at: '2025-12-05T10:00:00.000Z',
    ...change,
  };
}

export function refunded(change: Partial<Transaction.EventOf<'Refunded'>> = {}): Event {
  return {
    type: 'Refunded',
    refundId: REFUND,
    ...BOOKS,
    amountMinor: 950n,
    gatewayTransactionId: 'gw-r1',
    arn: 'arn-r1',
    note: 'Paid back',
    at: '2025-12-05T10:00:03.000Z',
    ...change,
  };
}

export function chargebackOpened(
  change: Partial<Transaction.EventOf<'ChargebackOpened'>> = {},
): Event {
  return {
    type: 'ChargebackOpened',
    chargebackId: CHARGEBACK,
    reference: 'cb-1',
    ...BOOKS,
    amountMinor: 1649n,
    reasonCode: '10.4',
    arn: 'arn-c1',
    beyondCapturedMinor: 0n,
    note: 'Fraud',
    fees: [{ account: 'fees:chargeback', amountMinor: 1500n, currency: 'GBP' }],
    at: '2025-12-10T00:00:00.000Z',
    ...change,
  };
}

export function alertReceived(change: Partial<Transaction.EventOf<'AlertReceived'>> = {}): Event {
  return {
    type: 'AlertReceived',
    alertId: ALERT,
    reference: 'al-1',
    source: 'CDRN',
    alertType: 'CustomerDispute',
    ...BOOKS,
    amountMinor: 2599n,
    arn: '',
    deadline: '2025-12-09T00:00:00.000Z',
    note: 'Disputed',
    fees: [],
    at: '2025-12-06T00:00:00.000Z',
    ...change,
  };
}

/** What the payments above refer to by id. */
export const DEFINITIONS: readonly {
  readonly category: string;
  readonly id: number;
  readonly event: Event;
}[] = [
  {
    category: 'company',
    id: 3,
    event: {
      type: 'CompanyDefined',
      companyId: 3,
      name: 'Retail Ltd',
      at: '2025-01-01T00:00:00.000Z',
    },
  },
  {
    category: 'shop',
    id: 4,
    event: {
      type: 'ShopDefined',
      shopId: 4,
      companyId: 3,
      name: 'Main shop',
      domain: 'www.shop.test',
      rootDomain: 'shop.test',
      currency: 'EUR',
      at: '2025-01-01T00:00:00.000Z',
    },
  },
  {
    category: 'application',
    id: 100,
    event: {
      type: 'ApplicationDefined',
      applicationId: 100,
      kind: 2,
      name: 'Web store',
      at: '2025-01-01T00:00:00.000Z',
    },
  },
  {
    category: 'product',
    id: 8,
    event: { type: 'ProductDefined', productId: 8, name: 'Candle', at: '2025-01-01T00:00:00.000Z' },
  },
  {
    category: 'price_point',
    id: 9,
    event: {
      type: 'PricePointDefined',
      pricePointId: 9,
      amountMinor: 2500n,
      currency: 'EUR',
      billingCode: 'BC9',
      premium: 1,
      shortcodeId: 33,
      at: '2025-01-01T00:00:00.000Z',
    },
  },
  {
    category: 'campaign',
    id: 5,
    event: {
      type: 'CampaignDefined',
      campaignId: 5,
      name: 'Winter',
      at: '2025-01-01T00:00:00.000Z',
    },
  },
  {
    category: 'affiliate',
    id: 6,
    event: {
      type: 'AffiliateDefined',
      affiliateId: 6,
      name: 'Partner',
      at: '2025-01-01T00:00:00.000Z',
    },
  },
  {
    category: 'storefront_product',
    id: 21,
    event: {
      type: 'StorefrontProductDefined',
      product: {
        id: 21,
        shop_id: 4,
        imageid: 0,
        title: 'Candle, red',
        vendor: 'Wax',
        product_type: 'candle',
        handle: 'candle-red',
        status: 'active',
        created_at: '2025-01-01T00:00:00.000Z',
        updated_at: '2025-01-01T00:00:00.000Z',
        last_refresh: '2025-01-01T00:00:00.000Z',
        options: [],
        variants: [],
        images: [],
      },
      at: '2025-01-01T00:00:00.000Z',
    },
  },
];
