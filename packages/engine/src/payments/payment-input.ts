/** What callers may pass to the payments of a tenant. */
import { isEmail, Sequence, Subscription } from '@counterfoil/core';
import { z } from 'zod';
import { checkCadence, FrequencyDays, IntervalCount, PlanInterval } from '../input/cadence.ts';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import {
  bounded,
  CurrencyCode,
  EmailText,
  Id,
  IpAddress,
  keyed,
  name,
  pattern,
  text,
} from '../input/texts.ts';

const { FIRST_ALLOCATED_ID, LAST_ALLOCATED_ID } = Sequence;

/** A decimal in major units; its form is checked with its currency. */
export const AmountText = bounded(32);

/** A typed card. Its number and CVV are never stored. */
export const TypedCard = z.strictObject({
  number: mayHoldCardNumber(bounded(30)),
  expMonth: z.number(),
  expYear: z.number(),
  cvv: bounded(30),
  holder: text(200).optional(),
});
export type TypedCard = z.input<typeof TypedCard>;

/** A card, or the token of one that the customer used before. */
export const instrument = { card: TypedCard.optional(), token: text(255).optional() };

export const planMembers = {
  name: name(200),
  description: text(500).optional(),
  /** In major units of the payment's currency: `'19.99'`. */
  rebillAmount: AmountText,
  /** Days between two charges; or `interval`. */
  frequencyDays: FrequencyDays.optional(),
  /** Calendar dates, counted from the beginning: the last day of a month that is too short. */
  interval: PlanInterval.optional(),
  /** 1 when absent. */
  intervalCount: IntervalCount.optional(),
};

/** What a payment subscribes to once it is captured. */
export const PlanInput = z
  .strictObject({
    ...planMembers,
    /** 0 or absent: the payment itself pays the first cycle. */
    trialDays: z.int().min(0).max(Subscription.MAX_TRIAL_DAYS).optional(),
  })
  .superRefine(checkCadence({ daysName: 'frequencyDays' }));
export type PlanInput = z.input<typeof PlanInput>;

/** Erased and unknown emails are empty. */
const AddressEmail = EmailText.refine((given) => given === '' || isEmail(given), {
  message: 'must be an email address',
});

/** Absent members are empty. */
export const AddressInput = z.strictObject({
  addressType: z.enum(['DEFAULT', 'SHIPPING']).optional(),
  /** Default: that of the order or the customer. */
  email: AddressEmail.optional(),
  firstName: text(200).optional(),
  lastName: text(200).optional(),
  address: text(500).optional(),
  city: text(200).optional(),
  postalCode: text(32).optional(),
  state: text(100).optional(),
  countryCode: pattern(/^([A-Z]{2})?$/, {
    max: 2,
    detail: 'must be two capital letters',
  }).optional(),
  phone: text(64).optional(),
});
export type AddressInput = z.input<typeof AddressInput>;

export const SessionInput = z.strictObject({
  id: text(255).optional(),
  ip: z.union([IpAddress, z.literal('')]).optional(),
  useragent: text(1024).optional(),
  url: text(2048).optional(),
  /** Default: now. */
  timestamp: bounded(64)
    .check(z.iso.datetime({ precision: 3 }))
    .optional(),
  ipCity: text(200).optional(),
  ipCountryCode: text(2).optional(),
});
export type SessionInput = z.input<typeof SessionInput>;

const Count = z.int().nonnegative();
/** As the contract has them in a cart. */
const SmallId = z.int32().nonnegative();
const Quantity = z.int().positive().max(1_000_000);
const Minor = z.bigint().nonnegative();

const ItemInput = z.strictObject({
  storefrontVariantId: Count,
  storefrontProductId: Count,
  quantity: Quantity,
  unitPriceMinor: Minor,
  unitCostMinor: Minor.optional(),
  discountCodeId: SmallId.optional(),
  discountMinor: Minor.optional(),
  salesStrategyId: SmallId.optional(),
  customDiscountMinor: Minor.optional(),
});
export type ItemInput = z.input<typeof ItemInput>;

/** Ids chosen by the caller must not collide with ids that the ledger allocates. */
export const CallersId = Id.refine((id) => id < FIRST_ALLOCATED_ID || id > LAST_ALLOCATED_ID, {
  message: `must not be one of ${FIRST_ALLOCATED_ID} to ${LAST_ALLOCATED_ID}, which the ledger allocates`,
});

export const PaymentSubmission = z.strictObject({
  /** The same key always gives the same payment. A new payment without one. */
  ...keyed,
  /** In major units, with no more decimals than the currency has: `'19.99'`. */
  amount: AmountText,
  /** ISO 4217, upper case. */
  currency: CurrencyCode,
  email: EmailText,
  ...instrument,
  /** What a gateway's own script made in the browser: only accounts of that gateway are tried. */
  gatewayToken: text(255).optional(),
  /** False: authorize only, and capture later. */
  capture: z.boolean().optional(),
  plans: z.array(PlanInput).max(Subscription.MAX_PLANS).readonly().optional(),
  orderId: CallersId.optional(),
  customerId: Id.optional(),
  companyId: Id.optional(),
  /** Only this account is tried. Default: those of the company. */
  merchantAccountId: Id.optional(),
  sandbox: z.boolean().optional(),
  /** Default: of the first address, else of the card's holder. */
  firstName: text(200).optional(),
  lastName: text(200).optional(),
  applicationId: Id.optional(),
  shopId: Id.nullable().optional(),
  campaignId: Id.nullable().optional(),
  affiliateId: Id.nullable().optional(),
  productId: Id.nullable().optional(),
  pricePointId: Id.nullable().optional(),
  /** The partner's own session, click or visit id: what a lead is matched by. */
  partnerSession: text(255).nullable().optional(),
  walletPayA: z.boolean().optional(),
  walletPayB: z.boolean().optional(),
  /** Amounts are minor units of the payment's currency. */
  items: z.array(ItemInput).max(1_000).optional(),
  addresses: z.array(AddressInput).max(10).optional(),
  /** The visit in which the order was placed. */
  session: SessionInput.nullable().optional(),
});
export type PaymentSubmission = z.input<typeof PaymentSubmission>;

const RefundItem = z.strictObject({
  storefrontVariantId: Count,
  quantity: Quantity,
  /** In major units. Absent: the share of what was paid for that quantity. */
  amount: AmountText.optional(),
  restock: z.boolean().optional(),
});

/** What is given back of an order beyond its lines. */
const RefundAdjustment = z.strictObject({
  adjustment: z.enum(['shipping', 'other']),
  amount: AmountText,
});

export const RefundPart = z.union([RefundItem, RefundAdjustment]);
export type RefundPart = z.input<typeof RefundPart>;

export const RefundSubmission = z.strictObject({
  ...keyed,
  /** In major units. Absent: the remaining balance. */
  amount: AmountText.optional(),
  items: z.array(RefundPart).max(1_000).readonly().optional(),
  /** Who asked for it. Default: `System`. */
  source: z.enum(['CustomerService', 'Admin', 'CardApi', 'System']).optional(),
  notifyCustomer: z.boolean().optional(),
});
export type RefundSubmission = z.input<typeof RefundSubmission>;

export const Keyed = z.strictObject(keyed);
export type Keyed = z.input<typeof Keyed>;
