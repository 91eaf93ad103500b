/** Stripe.js, for the card form of the host. */
import type { CardScript } from '@counterfoil/engine/gateways';
import type { StripeCredentials } from './credentials.ts';

/** As Stripe's guide to Content-Security-Policy has them. */
const AT_STRIPE = {
  src: 'https://js.stripe.com/v3/',
  scriptSources: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  // 3-D Secure is at hooks.stripe.com, which holds the page of the bank.
  frameSources: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connectSources: ['https://api.stripe.com'],
};

/** Undefined without a publishable key. A test server on this machine serves a script of its own. */
export function cardScriptOf({
  publishableKey,
  account,
  apiBase,
}: StripeCredentials): CardScript | undefined {
  if (publishableKey === undefined) return undefined;
  return {
    ...(apiBase?.protocol === 'http:' ? servedBy(apiBase) : AT_STRIPE),
    global: 'Stripe',
    publishableKey,
    ...(account !== undefined && { options: { stripeAccount: account } }),
  };
}

function servedBy({ origin }: URL) {
  const sources = [origin];
  return {
    src: `${origin}/v3/`,
    scriptSources: sources,
    frameSources: sources,
    connectSources: sources,
  };
}
