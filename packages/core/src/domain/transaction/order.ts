/** What is bought, by whom and from where: the facts that a payment is submitted with. */
import { z } from 'zod';
import { Instant, Minor } from '../../kernel/event-schema.ts';
import { MAX_PLANS, OrderedPlan } from '../subscription/plan.ts';
import { APPLICATION_KIND } from './codes.ts';

/** A card as the ledger keeps it: never its full number. */
export const Card = z.strictObject({
  /** The gateway's token for the card; empty of a blocked payment, whose card no gateway was given. */
  token: z.string().max(255),
  /** Keyed hash of the number: equal cards have equal fingerprints within one installation. */
  fingerprint: z.string().max(128),
  bin: z.string().regex(/^(\d{6}|\d{8})?$/),
  last4: z.string().regex(/^(\d{4})?$/),
  /** 1 to 6, 0 when the network is unknown. */
  brandId: z.int().min(0).max(6),
  expMonth: z.int().min(1).max(12),
  expYear: z.int().min(2000).max(2999),
  /** Country of the issuer (ISO 3166, two letters); empty when unknown. */
  binCountry: z.string().max(2),
});
export type Card = z.output<typeof Card>;

/** One line of the cart. Amounts are minor units of the payment's currency. */
export const LineItem = z.strictObject({
  storefrontVariantId: z.int().nonnegative(),
  storefrontProductId: z.int().nonnegative(),
  quantity: z.int().positive(),
  unitPriceMinor: Minor,
  unitCostMinor: Minor,
  discountCodeId: z.int().nonnegative(),
  discountMinor: Minor,
  salesStrategyId: z.int().nonnegative(),
  customDiscountMinor: Minor,
});
export type LineItem = z.output<typeof LineItem>;

export const Address = z.strictObject({
  addressType: z.enum(['DEFAULT', 'SHIPPING']),
  email: z.string().max(320),
  firstName: z.string().max(200),
  lastName: z.string().max(200),
  address: z.string().max(500),
  city: z.string().max(200),
  postalCode: z.string().max(32),
  state: z.string().max(100),
  countryCode: z.string().max(2),
  phone: z.string().max(64),
});
export type Address = z.output<typeof Address>;

/** The visit in which the order was placed. */
export const Session = z.strictObject({
  id: z.string().max(255),
  ip: z.string().max(45),
  useragent: z.string().max(1024),
  url: z.string().max(2048),
  timestamp: Instant,
  ipCity: z.string().max(200),
  ipCountryCode: z.string().max(2),
});
export type Session = z.output<typeof Session>;

/** Everything a payment is submitted with, apart from ids and time. */
export const orderFields = {
  sandbox: z.boolean(),
  orderId: z.int().positive(),
  customerId: z.int().positive(),
  email: z.string().max(320),
  firstName: z.string().max(200),
  lastName: z.string().max(200),
  /** What is asked of the card, in minor units; 0 only for a free trial. */
  amountMinor: Minor,
  currency: z.string().length(3),
  /** `automatic`: authorized and captured in one go; `manual`: authorized, captured later. */
  captureMode: z.enum(['automatic', 'manual']),
  /** One of the kinds 1 to 5, or a tenant's own application. */
  applicationId: z.int().positive(),
  applicationKind: z.int().min(1).max(5),
  companyId: z.int().positive(),
  /** The one account that the request allows; null where any of the company may take the payment. */
  pinnedMerchantAccountId: z.int().positive().nullable(),
  shopId: z.int().positive().nullable(),
  campaignId: z.int().positive().nullable(),
  affiliateId: z.int().positive().nullable(),
  productId: z.int().positive().nullable(),
  pricePointId: z.int().positive().nullable(),
  /** The subscription that this payment renews, or the first of those that it starts. */
  subscriptionId: z.int().positive().nullable(),
  /** The plans that begin once this payment is captured. */
  plans: z.array(OrderedPlan).max(MAX_PLANS),
  /** Which cycle of the subscription, from 1. */
  paymentNumber: z.int().positive(),
  /** Which try within the cycle, from 1, and of all cycles. */
  attempt: z.int().positive(),
  totalAttempt: z.int().positive(),
  card: Card.nullable(),
  walletPayA: z.boolean(),
  walletPayB: z.boolean(),
  /** The partner's own session, click or visit id: what a lead is matched by. */
  partnerSession: z.string().max(255).nullable(),
  /** The service's own session id. */
  serviceSession: z.string().max(255),
  items: z.array(LineItem).max(1000),
  addresses: z.array(Address).max(10),
  session: Session.nullable(),
};
/** What is left of the personal fields once the person is erased. */
export const erasedOrder = {
  email: '',
  firstName: '',
  lastName: '',
  card: null,
  partnerSession: null,
  serviceSession: '',
  addresses: [],
  session: null,
};
export const Order = z.strictObject(orderFields);
export type Order = z.output<typeof Order>;

/** The required fields of an order. */
type RequiredOrder = Pick<
  Order,
  'orderId' | 'customerId' | 'email' | 'amountMinor' | 'currency' | 'companyId'
>;

/** An order with neutral values for what is not given: a first checkout, captured at once, live. */
export function orderOf(given: RequiredOrder & Partial<Order>): Order {
  return {
    sandbox: false,
    firstName: '',
    lastName: '',
    captureMode: 'automatic',
    applicationId: 1,
    applicationKind: 1,
    pinnedMerchantAccountId: null,
    shopId: null,
    campaignId: null,
    affiliateId: null,
    productId: null,
    pricePointId: null,
    subscriptionId: null,
    plans: [],
    paymentNumber: 1,
    attempt: 1,
    totalAttempt: 1,
    card: null,
    walletPayA: false,
    walletPayB: false,
    partnerSession: null,
    serviceSession: '',
    items: [],
    addresses: [],
    session: null,
    ...given,
  };
}

/** The order in what has more fields: to name them takes a tenth of the time of a rest. */
export function orderIn(found: Order): Order {
  return {
    sandbox: found.sandbox,
    orderId: found.orderId,
    customerId: found.customerId,
    email: found.email,
    firstName: found.firstName,
    lastName: found.lastName,
    amountMinor: found.amountMinor,
    currency: found.currency,
    captureMode: found.captureMode,
    applicationId: found.applicationId,
    applicationKind: found.applicationKind,
    companyId: found.companyId,
    pinnedMerchantAccountId: found.pinnedMerchantAccountId,
    shopId: found.shopId,
    campaignId: found.campaignId,
    affiliateId: found.affiliateId,
    productId: found.productId,
    pricePointId: found.pricePointId,
    subscriptionId: found.subscriptionId,
    plans: found.plans,
    paymentNumber: found.paymentNumber,
    attempt: found.attempt,
    totalAttempt: found.totalAttempt,
    card: found.card,
    walletPayA: found.walletPayA,
    walletPayB: found.walletPayB,
    partnerSession: found.partnerSession,
    serviceSession: found.serviceSession,
    items: found.items,
    addresses: found.addresses,
    session: found.session,
  };
}

/** What the customer pays for a line: price times quantity, less its discounts, never below zero. */
export function lineTotalMinor(item: LineItem): bigint {
  const total =
    item.unitPriceMinor * BigInt(item.quantity) - item.discountMinor - item.customDiscountMinor;
  return total < 0n ? 0n : total;
}

/**
 * Whether nothing is to be charged yet: all that is ordered are plans that begin with a trial. The
 * card is then authorized for nothing, which shows that it can be charged.
 */
export function isFreeTrial({
  amountMinor,
  captureMode,
  plans,
}: Pick<Order, 'amountMinor' | 'captureMode'> & {
  readonly plans: readonly { readonly trialDays: number }[];
}): boolean {
  const allBeginLater = plans.length > 0 && plans.every(({ trialDays }) => trialDays > 0);
  return amountMinor === 0n && captureMode === 'automatic' && allBeginLater;
}

/** Whether it charges a cycle of a subscription after the first. */
export function isRebill({ applicationKind }: Pick<Order, 'applicationKind'>): boolean {
  const { Rebill, RebillRetry } = APPLICATION_KIND;
  return applicationKind === Rebill || applicationKind === RebillRetry;
}

/** A rebill whose customer is not there; one who is has a visit. */
export function isOffSession(order: Pick<Order, 'applicationKind' | 'session'>): boolean {
  return isRebill(order) && order.session === null;
}
