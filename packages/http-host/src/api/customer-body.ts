/** A customer and their payment methods as Customer Service shows them. */
import { Transaction } from '@counterfoil/core';
import type { CustomerView } from '@counterfoil/engine';
import { z } from 'zod';
import { At, CardBrandId, CardBrandName, UuidText } from './answer-fields.ts';

const methodFields = {
  id: UuidText,
  cardBrandId: CardBrandId,
  cardBrand: CardBrandName,
  bin: z.string(),
  last4: z.string(),
  expMonth: z.int32(),
  expYear: z.int32(),
  token: z.string().meta({ description: 'Pays at `/v1/payments`, instead of `card`' }),
  isDefault: z.boolean(),
};

const handled = {
  success: z.boolean(),
  message: z.string().meta({ description: 'What was done' }),
};

const rowVersion = z
  .int()
  .meta({ description: 'Grows with every change of the customer; also the ETag', example: 1 });

const CustomerAddress = z
  .object({
    addressType: z.enum(['DEFAULT', 'SHIPPING']),
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    address: z.string(),
    city: z.string(),
    postalCode: z.string(),
    state: z.string(),
    countryCode: z.string(),
    phone: z.string(),
  })
  .meta({ id: 'CustomerAddress' });

const customerFields = {
  id: z.int().meta({ description: 'The customer id' }),
  parentCompanyId: z.int(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  phone: z.string(),
  addresses: z.array(CustomerAddress),
  paymentMethods: z.array(z.object(methodFields).meta({ id: 'PaymentMethod' })),
  createdAt: At,
  updatedAt: At,
  rowVersion,
  sandbox: z.boolean(),
  erased: z.boolean().meta({ description: 'true: nothing personal is left of the customer' }),
};

/** An element of a list. */
export const CustomerRecord = z.object(customerFields).meta({ id: 'CustomerRecord' });

export const CustomerBody = z.object({ ...handled, ...customerFields }).meta({ id: 'Customer' });

export const AddedPaymentMethod = z
  .object({ ...handled, ...methodFields, customerId: z.int(), rowVersion })
  .meta({ id: 'AddedPaymentMethod' });

interface Shown {
  readonly parentCompanyId: number;
  readonly message: string;
}

export function customerBody(
  customer: CustomerView,
  { parentCompanyId, message }: Shown,
): z.input<typeof CustomerBody> {
  return { success: true, message, ...customerRecord(customer, parentCompanyId) };
}

export function customerRecord(
  customer: CustomerView,
  parentCompanyId: number,
): z.input<typeof CustomerRecord> {
  const { customerId, email, firstName, lastName, phone, addresses } = customer;
  return {
    id: customerId,
    parentCompanyId,
    email,
    firstName,
    lastName,
    phone,
    addresses: [...addresses],
    paymentMethods: customer.paymentMethods.map((each) => methodBody(each, customer)),
    createdAt: customer.createdAt,
    updatedAt: customer.updatedAt,
    rowVersion: customer.rowVersion,
    sandbox: customer.sandbox,
    erased: customer.erasedAt !== null,
  };
}

export function addedMethodBody(
  customer: CustomerView,
  paymentMethodId: string,
  message: string,
): z.input<typeof AddedPaymentMethod> {
  const { customerId, rowVersion: version, paymentMethods } = customer;
  const [method] = paymentMethods.filter((each) => each.paymentMethodId === paymentMethodId);
  if (method === undefined) throw new Error(`no payment method ${paymentMethodId} was added`);
  const shown = methodBody(method, customer);
  return { success: true, message, ...shown, customerId, rowVersion: version };
}

function methodBody(
  { paymentMethodId, card, token }: CustomerView['paymentMethods'][number],
  { defaultPaymentMethodId }: CustomerView,
) {
  const { brandId, bin, last4, expMonth, expYear } = card;
  return {
    id: paymentMethodId,
    cardBrandId: brandId,
    cardBrand: Transaction.CARD_BRAND[brandId] ?? '',
    bin,
    last4,
    expMonth,
    expYear,
    token,
    isDefault: paymentMethodId === defaultPaymentMethodId,
  };
}
