/** What callers may pass to the checkout sessions of a tenant. */
import { CheckoutSession } from '@counterfoil/core';
import { z } from 'zod';
import { bounded, Id, text, Uuid } from '../input/texts.ts';
import { PaymentSubmission, SessionInput, TypedCard } from '../payments/index.ts';

const { MAX_URL_LENGTH, MIN_EXPIRY_MS, MAX_EXPIRY_MS, MAX_TRIES } = CheckoutSession;
const SECOND_MS = 1_000;

/** The address of a page. */
export const PageUrl = text(MAX_URL_LENGTH).refine(
  (given) => URL.canParse(given) && /^https?:$/.test(new URL(given).protocol),
  'must be an address such as https://shop.example/thanks',
);

/** A payment without what its card and its visit bring; the page brings those. */
export const CheckoutSessionInput = PaymentSubmission.omit({
  card: true,
  token: true,
  gatewayToken: true,
  session: true,
  walletPayA: true,
  walletPayB: true,
}).extend({
  /** Default: a new one. */
  serviceSession: Uuid.optional(),
  successUrl: PageUrl,
  cancelUrl: PageUrl,
  /** Default: in 24 hours. */
  expiresInSeconds: z
    .int()
    .min(MIN_EXPIRY_MS / SECOND_MS)
    .max(MAX_EXPIRY_MS / SECOND_MS)
    .optional(),
});
export type CheckoutSessionInput = z.input<typeof CheckoutSessionInput>;

/** What a page knows of a session. */
const pass = {
  clientSecret: text(100),
  /** Of the key that the page has: sessions of others are unknown. */
  applicationId: Id.optional(),
};

export const SessionPass = z.strictObject(pass);
export type SessionPass = z.input<typeof SessionPass>;

/** What became of the action that a payment asked of the customer. */
export const ActionOfPage = z.strictObject({
  ...pass,
  /** `given-up`: another card may follow. */
  outcome: z.enum(['done', 'given-up']),
});
export type ActionOfPage = z.input<typeof ActionOfPage>;

/** One of `card` and `gatewayToken`. */
export const CardOfPage = z.strictObject({
  ...pass,
  card: TypedCard.optional(),
  /** What a gateway's own script made in the browser: only accounts of that gateway are tried. */
  gatewayToken: text(255).optional(),
  /** The number of this try; a try that was made is answered with what became of it. Default: the next. */
  attempt: z
    .int()
    .min(1)
    .max(MAX_TRIES + 1)
    .optional(),
  visit: SessionInput.optional(),
});
export type CardOfPage = z.input<typeof CardOfPage>;

/** What the frame of a card form asks before it has the secret. */
export const EntryOfPage = z.strictObject({
  applicationId: Id.optional(),
  /** No card is to be typed into the form of the host. Default: only where no account takes those. */
  asksForScript: z.boolean().optional(),
});
export type EntryOfPage = z.input<typeof EntryOfPage>;

export const SessionId = bounded(64);
