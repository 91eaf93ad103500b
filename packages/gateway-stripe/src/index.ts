/** Stripe as a payment gateway: `openLedger({ gateways: [stripe()] })`. */
export { CredentialsUnusable } from './credentials.ts';
export { DECLINE_KINDS, type DeclineKind } from './declines.ts';
export { STRIPE_GATEWAY_ID, type StripeOptions, stripe } from './stripe-gateway.ts';
