/** The body of a payment request, and its conversion to an order. */
import { Sequence, type TenantId, type Transaction, type TransactionId } from '@counterfoil/core';
import { instrumentOf, type PaymentRequest, withoutSecrets } from '@counterfoil/engine';
import { mayHoldCardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import { refuse } from '../http/errors.ts';
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
  minorOf,
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

const count = z.int().nonnegative();

const ItemInput = z
  .object({
    StorefrontVariantId: count,
    StorefrontProductId: count,
    Quantity: z.int().positive().max(1_000_000),
    UnitPrice: Amount,
    UnitCost: Amount.optional(),
    DiscountCodeId: count.optional(),
    DiscountAmount: Amount.optional(),
    SalesStrategyId: count.optional(),
    CustomDiscountAmount: Amount.optional(),
    subscription: PlanInput.optional(),
  })
  .meta({ id: 'LineItemInput' });

export const AddressInput = z
  .object({
    addressType: z.enum(['DEFAULT', 'SHIPPING']).default('DEFAULT'),
    email: Email.optional(),
    firstName: text(200).optional(),
    lastName: text(200).optional(),
    address: text(500).optional(),
    city: text(200).optional(),
    postalCode: text(32).optional(),
    state: text(100).optional(),
    countryCode: pattern(/^[A-Z]{2}$/, {
      max: 2,
      detail: 'must be two capital letters',
    }).optional(),
    phone: text(64).optional(),
  })
  .meta({ id: 'AddressInput' });

const SessionInput = z
  .object({
    id: text(255).optional(),
    ip: IpAddress.optional(),
    useragent: text(1024).optional(),
    url: text(2048).optional(),
    timestamp: Instant.optional(),
    ipCity: text(200).optional(),
    ipCountryCode: text(2).optional(),
  })
  .meta({ id: 'SessionInput' });

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
    capture: z
      .boolean()
      .default(true)
      .meta({ description: 'false: authorize only, capture later' }),
    email: Email,
    customer: CustomerInput.optional(),
    orderId: z.int().positive().optional(),
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
  .meta({ id: 'PaymentInput', ...eitherOf('card', 'token') });
export type PaymentInput = z.output<typeof PaymentInput>;

const { FIRST_ALLOCATED_ID, LAST_ALLOCATED_ID } = Sequence;

interface Identity {
  readonly tenantId: TenantId;
  readonly transactionId: TransactionId;
  readonly serviceSession: string;
  readonly sandbox: boolean;
  readonly now: string;
}

/** Refuses, in this order: card and token, the card, allocated ids, amounts, more than two plans. */
export function paymentRequestOf(input: PaymentInput, identity: Identity): PaymentRequest {
  const instrument = instrumentOf(input, identity.now);
  checkCallersId(input.orderId, '/orderId');
  const { tenantId, transactionId } = identity;
  return {
    tenantId,
    transactionId,
    content: withoutSecrets(input),
    order: orderOf(input, identity),
    plans: plansOf(input, input.currency),
    ...(input.orderId !== undefined && { orderId: input.orderId }),
    ...(input.customer?.id !== undefined && { customerId: input.customer.id }),
    ...(input.companyId !== undefined && { companyId: input.companyId }),
    ...(input.merchantAccountId !== undefined && { merchantAccountId: input.merchantAccountId }),
    instrument,
  };
}

/** Ids chosen by the caller must not collide with ids that the service allocates. */
function checkCallersId(id: number | undefined, pointer: string): void {
  if (id === undefined || id < FIRST_ALLOCATED_ID || id > LAST_ALLOCATED_ID) return;
  throw refuse('invalid_request', undefined, {
    errors: [
      {
        pointer,
        detail: `${FIRST_ALLOCATED_ID} to ${LAST_ALLOCATED_ID} are allocated by the service`,
      },
    ],
  });
}

function orderOf(input: PaymentInput, identity: Identity): PaymentRequest['order'] {
  const { currency, customer, card, email } = input;
  const addresses = (input.addresses ?? []).map((address) => addressOf(address, email));
  const [address] = addresses;
  const [holderFirst = '', ...holderLast] = (card?.holder ?? '').trim().split(/\s+/);
  return {
    sandbox: identity.sandbox,
    email,
    firstName: customer?.firstName ?? (address?.firstName || holderFirst),
    lastName: customer?.lastName ?? (address?.lastName || holderLast.join(' ')),
    amountMinor: minorOf(input.amount, currency, '/amount'),
    currency,
    captureMode: input.capture ? 'automatic' : 'manual',
    applicationId: input.applicationId,
    shopId: input.shopId ?? null,
    campaignId: input.campaignId ?? null,
    affiliateId: input.affiliateId ?? null,
    productId: input.productId ?? null,
    pricePointId: input.pricePointId ?? null,
    walletPayA: input.walletPayA ?? false,
    walletPayB: input.walletPayB ?? false,
    partnerSession: input.partnerSession ?? null,
    serviceSession: identity.serviceSession,
    items: (input.items ?? []).map((item, index) => itemOf(item, currency, index)),
    addresses,
    session: sessionOf(input.session, identity.now),
  };
}

function itemOf(
  item: z.output<typeof ItemInput>,
  currency: string,
  index: number,
): Transaction.LineItem {
  const minor = (name: 'UnitPrice' | 'UnitCost' | 'DiscountAmount' | 'CustomDiscountAmount') =>
    minorOf(item[name] ?? 0, currency, `/items/${index}/${name}`);
  return {
    storefrontVariantId: item.StorefrontVariantId,
    storefrontProductId: item.StorefrontProductId,
    quantity: item.Quantity,
    unitPriceMinor: minor('UnitPrice'),
    unitCostMinor: minor('UnitCost'),
    discountCodeId: item.DiscountCodeId ?? 0,
    discountMinor: minor('DiscountAmount'),
    salesStrategyId: item.SalesStrategyId ?? 0,
    customDiscountMinor: minor('CustomDiscountAmount'),
  };
}

export function addressOf(
  address: z.output<typeof AddressInput>,
  email: string,
): Transaction.Address {
  return {
    addressType: address.addressType,
    email: address.email ?? email,
    firstName: address.firstName ?? '',
    lastName: address.lastName ?? '',
    address: address.address ?? '',
    city: address.city ?? '',
    postalCode: address.postalCode ?? '',
    state: address.state ?? '',
    countryCode: address.countryCode ?? '',
    phone: address.phone ?? '',
  };
}

function sessionOf(
  session: z.output<typeof SessionInput> | undefined,
  now: string,
): Transaction.Session | null {
  if (session === undefined) return null;
  return {
    id: session.id ?? '',
    ip: session.ip ?? '',
    useragent: session.useragent ?? '',
    url: session.url ?? '',
    timestamp: session.timestamp ?? now,
    ipCity: session.ipCity ?? '',
    ipCountryCode: session.ipCountryCode ?? '',
  };
}
