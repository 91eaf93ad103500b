/** One event of every type with every field filled: what the golden fixtures were written from. */
import {
  catalog,
  type Event,
  MerchantAccount,
  type Reference,
  Tenant,
  type Transaction,
} from '@counterfoil/core';
import {
  books,
  ecommerceOrder,
  freeTerms,
  happened,
  idOf,
  type Event as PaymentEvent,
  route,
} from './payment-story.ts';
import { card, plan, subscriptionSamples } from './subscription-samples.ts';

const at = '2026-01-02T03:04:05.678Z';
const keyId = '0192f000-0000-4000-8000-000000000001';
const successorId = '0192f000-0000-4000-8000-000000000002';
const settings = Tenant.DEFAULT_SETTINGS;

export const storefrontProduct: Reference.StorefrontProduct = {
  id: 9001,
  shop_id: 21,
  imageid: 8001,
  title: 'Teacup',
  vendor: 'Acme',
  product_type: 'Crockery',
  handle: 'teacup',
  status: 'active',
  created_at: at,
  updated_at: at,
  last_refresh: at,
  options: [{ id: 1, product_id: 9001, name: 'Colour', position: 1, values: '["red","blue"]' }],
  variants: [
    {
      id: 1,
      product_id: 9001,
      inventory_item_id: 77,
      title: 'Red',
      sku: 'CUP-R',
      fulfillment_service: 'manual',
      price: 20,
      cost: 7.5,
      compare_at_price: null,
      position: 1,
      option1: 'red',
      option2: null,
      option3: null,
      created_at: at,
      updated_at: at,
      requires_shipping: true,
      image_id: 8001,
    },
  ],
  images: [
    {
      id: 8001,
      product_id: 9001,
      width: 640,
      height: 480,
      position: 1,
      src: 'https://example.com/cup.png',
    },
  ],
};

const order: Transaction.Order = {
  ...ecommerceOrder,
  campaignId: 51,
  affiliateId: 61,
  productId: 71,
  pricePointId: 81,
  subscriptionId: 91,
  plans: [{ subscriptionId: 91, ...plan }],
  partnerSession: 'click-1',
  card,
  addresses: [
    {
      addressType: 'DEFAULT',
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      address: '12 St James’s Square',
      city: 'London',
      postalCode: 'SW1Y 4JH',
      state: '',
      countryCode: 'GB',
      phone: '+44 20 7946 0000',
    },
  ],
  session: {
    id: 'session-1',
    ip: '192.0.2.1',
    useragent: 'Mozilla/5.0',
    url: 'https://shop.example.com/checkout',
    timestamp: at,
    ipCity: 'London',
    ipCountryCode: 'GB',
  },
};

const fees: Transaction.Fee[] = [
  { account: 'fees:gateway', amountMinor: 10n, currency: 'USD' },
  { account: 'fees:discount', amountMinor: 290n, currency: 'GBP' },
];
const dearTerms: Transaction.Terms = {
  ...freeTerms,
  discountRatePercentage: '2.9',
  chargebackFeeMinor: 1_500n,
};
const skipped = [{ merchantAccountId: 30, reason: 'monthly cap reached' }];
const items = [{ storefrontVariantId: 1, quantity: 1, amountMinor: 2_000n, restock: true }];

const payment: readonly PaymentEvent[] = [
  happened.submitted(order),
  happened.blocked(),
  happened.attempted(1, { ...route, terms: dearTerms, skipped }),
  { ...(happened.softDeclined() as Transaction.EventOf<'AttemptDeclined'>), fees },
  happened.actionRequired(),
  happened.actionCompleted(),
  happened.authorized({ fees }),
  happened.captureRequested(),
  happened.captureFailed(),
  happened.captured({ fees, reserveMinor: 500n }),
  { ...(happened.declined() as Transaction.EventOf<'PaymentDeclined'>), fees },
  happened.failed(),
  happened.unknown(),
  happened.expired(),
  happened.voidRequested(),
  happened.voidFailed(),
  happened.voided({
    reserveMinor: 500n,
    reversedFees: [{ account: 'fees:discount', amountMinor: 290n, currency: 'GBP' }],
  }),
  happened.settled(9_700n),
  happened.reserveReleased(500n),
  happened.refundRequested({
    amountMinor: 2_500n,
    items,
    adjustments: [{ kind: 'shipping', amountMinor: 500n }],
  }),
  happened.refunded({ amountMinor: 2_000n }),
  happened.refundFailed(),
  happened.networkRefunded({ alertId: idOf('alert') }),
  happened.chargebackOpened({ fees, beyondCapturedMinor: 2_000n }),
  happened.chargebackMoved('ChargebackUnderReview'),
  happened.chargebackReversed('ChargebackWon'),
  happened.chargebackMoved('ChargebackLost'),
  happened.chargebackMoved('ChargebackAccepted'),
  happened.chargebackReversed('ChargebackWithdrawn'),
  happened.alertReceived({ fees }),
  happened.alertMoved('AlertResolved'),
  happened.alertMoved('AlertDeclined'),
  happened.alertMoved('AlertExpired'),
];

const gatewayCredentials = { apiKey: 'sealed', username: '', password: '', emailAddress: '' };
const account = MerchantAccount.withDefaults({
  mid: '123456',
  title: 'Main',
  companyId: 11,
  gatewayId: 41,
  descriptor: 'EXAMPLE SHOP',
  defaultCurrency: 'GBP',
  currencies: [{ currency: 'GBP', gatewayCredentials }],
  maxPrice: 5_000,
  discountRatePercentage: 2.9,
  chargebackFee: 15,
});

const others: readonly Exclude<Event, PaymentEvent>[] = [
  ...subscriptionSamples,
  { type: 'TenantOnboarded', name: 'Acme', settings, at },
  { type: 'SettingsChanged', settings: { ...settings, refundWindowDays: 30 }, at },
  {
    type: 'KeyIssued',
    keyId,
    kind: 'lead-publishable',
    environment: 'test',
    digest: 'ab'.repeat(32),
    hint: 'cf_lead_pub_…wxyz',
    label: 'landing page',
    scopes: ['lead:write'],
    applicationId: 100,
    expiresAt: at,
    at,
  },
  { type: 'KeyRotated', keyId, successorId, expiresAt: at, at },
  { type: 'KeyRevoked', keyId, at },
  { type: 'CompanyDefined', companyId: 11, name: 'Acme UK', at },
  {
    type: 'ShopDefined',
    shopId: 21,
    companyId: 11,
    name: 'Acme Shop',
    domain: 'shop.example.com',
    rootDomain: 'example.com',
    currency: books.currency,
    at,
  },
  { type: 'ApplicationDefined', applicationId: 100, kind: 2, name: 'Web shop', at },
  { type: 'ProductDefined', productId: 71, name: 'Club', at },
  {
    type: 'PricePointDefined',
    pricePointId: 81,
    amountMinor: 999n,
    currency: 'GBP',
    billingCode: 'B1',
    premium: 1,
    shortcodeId: 2,
    at,
  },
  { type: 'CampaignDefined', campaignId: 51, name: 'Spring', at },
  { type: 'AffiliateDefined', affiliateId: 61, name: 'Partner', at },
  { type: 'StorefrontProductDefined', product: storefrontProduct, at },
  { type: 'MerchantAccountOpened', merchantAccountId: 31, settings: account, at },
  { type: 'MerchantAccountChanged', settings: { ...account, title: 'Second' }, at },
  {
    type: 'CustomerIdentified',
    sandbox: false,
    customerId: 601,
    email: 'ada@example.com',
    at,
  },
  { type: 'EmailReleased', sandbox: false, customerId: 601, at },
  {
    type: 'CustomerRegistered',
    customerId: 601,
    sandbox: false,
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    phone: '+44 20 7946 0000',
    addresses: order.addresses,
    at,
  },
  {
    type: 'EmailReserved',
    customerId: 601,
    sandbox: false,
    email: 'ada@example.org',
    at,
  },
  {
    type: 'CustomerReplaced',
    customerId: 601,
    sandbox: false,
    email: 'ada@example.org',
    firstName: 'Augusta Ada',
    lastName: 'King',
    phone: '+44 20 7946 0001',
    addresses: order.addresses,
    at,
  },
  {
    type: 'PaymentMethodAdded',
    customerId: 601,
    sandbox: false,
    paymentMethodId: keyId,
    card: order.card,
    isDefault: true,
    at,
  },
  {
    type: 'PaymentMethodRemoved',
    customerId: 601,
    sandbox: false,
    paymentMethodId: keyId,
    evicted: false,
    at,
  },
  { type: 'CustomerErasureRequested', customerId: 601, sandbox: false, at },
  { type: 'CustomerErased', customerId: 601, sandbox: false, at },
  {
    type: 'RoomReserved',
    reservations: [{ reservationId: `${keyId}/1`, amountMinor: 10_000n, leaseUntil: at }],
    at,
  },
  { type: 'RoomSettled', settlements: [{ reservationId: `${keyId}/1`, usedMinor: 9_000n }], at },
  { type: 'RoomLapsed', reservationIds: [`${keyId}/1`], at },
  {
    type: 'MonthlyCapReached',
    sandbox: false,
    merchantAccountId: 31,
    capMinor: 5_000_000n,
    currency: 'GBP',
    wantedMinor: 10_000n,
    at,
  },
  { type: 'CustomerIdClaimed', sandbox: false, customerId: 601, emailKey: 'c0ffee', at },
  { type: 'BlockReserved', from: 1_000_000_000, to: 1_000_000_099, at },
];

/** By event type. */
export const samples: ReadonlyMap<string, Event> = new Map(
  [...payment, ...others].map((event) => [event.type, event]),
);

/** The types that the catalog knows, in order: each must have a sample. */
export const eventTypes: readonly string[] = [...catalog.keys()].sort();
