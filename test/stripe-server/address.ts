/** Addresses as parameters and as shown. */
import type Stripe from 'stripe';
import { emptyable, object, text } from './params.ts';

const optional = emptyable(text);

export const addressParam = emptyable(
  object({
    city: optional,
    country: optional,
    line1: optional,
    line2: optional,
    postal_code: optional,
    state: optional,
  }),
);

export type GivenAddress = {
  readonly [K in 'city' | 'country' | 'line1' | 'line2' | 'postal_code' | 'state']?:
    | string
    | null
    | undefined;
};

export function addressOf(given: GivenAddress | null | undefined): Stripe.Address {
  return {
    city: given?.city ?? null,
    country: given?.country ?? null,
    line1: given?.line1 ?? null,
    line2: given?.line2 ?? null,
    postal_code: given?.postal_code ?? null,
    state: given?.state ?? null,
  };
}
