/** Stripe as a payment gateway: `openLedger({ gateways: [stripe()] })`. */
export { CredentialsUnusable } from './credentials.ts';
export { DECLINE_KINDS, type DeclineKind } from './declines.ts';

import { stripe } from './stripe-gateway.ts';

export { STRIPE_GATEWAY_ID, type StripeOptions, stripe } from './stripe-gateway.ts';

/** For `GATEWAYS=@counterfoil/gateway-stripe` of the host. */
export function openGateway({ production }: { readonly production: boolean }) {
  return stripe({ production });
}
