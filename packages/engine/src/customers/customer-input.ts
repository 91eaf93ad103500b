/** What callers may pass to the customers of a tenant. */
import { Customer } from '@counterfoil/core';
import { z } from 'zod';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import { EmailText, Id, keyed, text } from '../input/texts.ts';
import { AddressInput, instrument } from '../payments/index.ts';

/** Default of `sandbox`: that of the caller's environment. */
export const Environment = z.strictObject({ sandbox: z.boolean().optional() });
export type Environment = z.input<typeof Environment>;

export const MAX_LIMIT = 100;

export const CustomerList = Environment.extend({
  /** 1 to 100; 100 when absent. */
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
  /** `end` of the page before. */
  after: mayHoldCardNumber(
    z.strictObject({ registeredMs: z.int().nonnegative(), customerId: Id }),
  ).optional(),
});
export type CustomerList = z.input<typeof CustomerList>;

const contact = {
  email: EmailText,
  firstName: text(200).optional(),
  lastName: text(200).optional(),
  phone: text(64).optional(),
  addresses: z.array(AddressInput).max(Customer.MAX_ADDRESSES).optional(),
};

export type Contact = z.input<z.ZodObject<typeof contact>>;

export const Registration = Environment.extend({ ...keyed, ...contact });
export type Registration = z.input<typeof Registration>;

export const Replacement = Environment.extend({ rowVersion: z.int().positive(), ...contact });
export type Replacement = z.input<typeof Replacement>;

export const PaymentMethod = Environment.extend({
  ...keyed,
  ...instrument,
  makeDefault: z.boolean().optional(),
  companyId: Id.optional(),
});
export type PaymentMethod = z.input<typeof PaymentMethod>;
