/** Checkout sessions: what a server sells, and a page submits the card of. */
import { deriveKey } from '../derive-key.ts';
import type { IdentityParts } from '../identities/index.ts';
import type { PaymentParts } from '../payments/index.ts';
import { type Base, slice, tenantPart } from '../slice.ts';
import { CheckoutPayments } from './checkout-payments.ts';
import { ClientSecrets } from './client-secrets.ts';
import {
  CHECKOUT_CALLS,
  CHECKOUT_INPUTS,
  TenantCheckoutSessions,
} from './tenant-checkout-sessions.ts';

export const CHECKOUT_SESSIONS = slice({
  make: (base: Base & IdentityParts & PaymentParts) => ({
    checkoutPayments: new CheckoutPayments(base),
    clientSecrets: new ClientSecrets(deriveKey(base.stores.masterKey, 'checkout sessions')),
  }),
  tenant: (parts) => ({
    checkoutSessions: tenantPart(
      CHECKOUT_INPUTS,
      (acting) => new TenantCheckoutSessions(parts, acting),
      CHECKOUT_CALLS,
    ),
  }),
});
