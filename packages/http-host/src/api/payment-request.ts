/** The body of a payment request, and what it submits. */
import { plainDecimal } from '@counterfoil/core';
import type { PaymentSubmission } from '@counterfoil/engine';
import {
  AddressInput as Address,
  CallersId,
  mayHoldCardNumber,
  minorOf,
  SessionInput as Session,
} from '@counterfoil/engine/input';
import { z } from 'zod';
import { PlanInput, plansOf } from './payment-plans.ts';
import {
  Amount,
  bounded,
  CurrencyCode,
  Email,
  eitherOf,
  Id,
  Instant,
  IpAddress,
  pattern,
  text,
} from './wire.ts';

export const CardInput = z
  .object({
    number: mayHoldCardNumber(bounded(30).meta({ example: '4242424242424242' })),
    expMonth: z.int().min(1).max(12).meta({ example: 12 }),
    expYear: z.int().min(2000).max(2999).meta({ example: 2030 }),
    cvv: pattern(/^\d{3,4}$/, { max: 4, detail: 'must be 3 or 4 digits' }).meta({
      example: '123',
    }),
    holder: text(200).optional(),
  })
  .meta({ id: 'CardInput', description: 'Goes to the gateway and is kept nowhere' });

export const GatewayToken = text(255).meta({
  description:
    "What the gateway's own script made in the browser, such as a payment method of Stripe, instead of `card`. Only accounts of that gateway are tried",
  example: 'pm_1PqXy2Lk3',
});

const count = z.int().nonnegative();
const smallId = z.int32().nonnegative();

const ItemInput = z
  .object({
    StorefrontVariantId: count,
    StorefrontProductId: count,
    Quantity: z.int().positive().max(1_000_000),
    UnitPrice: Amount,
    UnitCost: Amount.optional(),
    DiscountCodeId: smallId.optional(),
    DiscountAmount: Amount.optional(),
    SalesStrategyId: smallId.optional(),
    CustomDiscountAmount: Amount.optional(),
    subscription: PlanInput.optional(),
  })
  .meta({ id: 'LineItemInput' });

export const AddressInput = Address.extend({
  addressType: Address.shape.addressType.unwrap().default('DEFAULT'),
  email: Email.optional(),
  countryCode: pattern(/^[A-Z]{2}$/, { max: 2, detail: 'must be two capital letters' }).optional(),
}).meta({ id: 'AddressInput' });

const SessionInput = Session.extend({
  ip: IpAddress.optional(),
  timestamp: Instant.optional(),
}).meta({ id: 'SessionInput' });

const CustomerInput = z
  .object({
    id: Id.optional().meta({
      description: "The email's customer; for a new email, an id of your own",
    }),
    firstName: text(200).optional(),
    lastName: text(200).optional(),
  })
  .meta({ id: 'CustomerInput' });

export const PaymentInput = z
  .object({
    amount: Amount.meta({
      description:
        'More than 0. 0 begins a free trial: every subscription has `trialDays`, and the card is only asked whether it can be charged',
    }),
    currency: CurrencyCode,
    card: CardInput.optional(),
    token: text(255).optional().meta({
      description: "Of a card that the email's customer used before, instead of `card`",
    }),
    gatewayToken: GatewayToken.optional(),
    capture: z
      .boolean()
      .default(true)
      .meta({ description: 'false: authorize only, capture later' }),
    email: Email,
    customer: CustomerInput.optional(),
    orderId: CallersId.optional(),
    items: z.array(ItemInput).max(1_000).optional(),
    subscription: PlanInput.optional(),
    addresses: z.array(AddressInput).max(10).optional(),
    session: SessionInput.optional(),
    partnerSession: text(255).optional(),
    applicationId: Id.default(1).meta({ description: 'One of the kinds 1 to 5, or your own' }),
    companyId: Id.optional(),
    shopId: Id.optional(),
    campaignId: Id.optional(),
    affiliateId: Id.optional(),
    productId: Id.optional(),
    pricePointId: Id.optional(),
    merchantAccountId: Id.optional().meta({
      description: 'Only this account is tried, also after a decline. Absent: those of the company',
    }),
    walletPayA: z.boolean().optional(),
    walletPayB: z.boolean().optional(),
    sandbox: z.boolean().optional(),
  })
  .meta({ id: 'PaymentInput', ...eitherOf('card', 'token', 'gatewayToken') });
export type PaymentInput = z.output<typeof PaymentInput>;

/** The submission of a body. Refuses, in this order: amounts of items, those of plans, a third plan. */
export function submissionOf(
  body: PaymentInput,
  idempotencyKey: string | undefined,
): PaymentSubmission {
  const { customer, items = [], subscription, ...same } = body;
  const { currency } = body;
  return {
    ...same,
    idempotencyKey,
    amount: plainDecimal(body.amount),
    customerId: customer?.id,
    firstName: customer?.firstName,
    lastName: customer?.lastName,
    items: items.map((item, index) => itemOf(item, currency, index)),
    plans: plansOf(body, currency),
  };
}

function itemOf(item: z.output<typeof ItemInput>, currency: string, index: number) {
  const place = `items/${index}`;
  const minor = (name: 'UnitCost' | 'DiscountAmount' | 'CustomDiscountAmount') => {
    const amount = item[name];
    return amount === undefined ? undefined : minorOf(amount, currency, `${place}/${name}`);
  };
  return {
    storefrontVariantId: item.StorefrontVariantId,
    storefrontProductId: item.StorefrontProductId,
    quantity: item.Quantity,
    unitPriceMinor: minorOf(item.UnitPrice, currency, `${place}/UnitPrice`),
    unitCostMinor: minor('UnitCost'),
    discountCodeId: item.DiscountCodeId,
    discountMinor: minor('DiscountAmount'),
    salesStrategyId: item.SalesStrategyId,
    customDiscountMinor: minor('CustomDiscountAmount'),
  };
}
