/** Subscriptions: what customers change about them, and their billing. */
import { SubscriptionView } from '@counterfoil/projections';
import type { BlackListParts } from '../black-list/index.ts';
import { deriveKey } from '../derive-key.ts';
import type { GatewayParts } from '../gateways/slice.ts';
import type { IdentityParts } from '../identities/index.ts';
import type { PaymentParts } from '../payments/index.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import { AuthenticationLinks } from './authentication-links.ts';
import { Authentications } from './authentications.ts';
import { Billing } from './billing.ts';
import { Rebills } from './rebills.ts';
import { Subscriptions } from './subscriptions.ts';
import {
  SUBSCRIPTION_CALLS,
  SUBSCRIPTION_INPUTS,
  TenantSubscriptions,
} from './tenant-subscriptions.ts';

export type SubscriptionParts = PartsOf<typeof SUBSCRIPTIONS>;

export const SUBSCRIPTIONS = slice({
  scopes: {
    'subscriptions:freeze': 'Freeze and unfreeze subscriptions',
    'subscriptions:read': 'Read subscriptions and their schedules',
    'subscriptions:unsubscribe': 'End subscriptions',
    'subscriptions:write': 'Change the card and the plan of subscriptions',
  },
  make(parts: Base & TenantParts & GatewayParts & IdentityParts & BlackListParts & PaymentParts) {
    const { readModels: store, leases, holder } = parts.stores;
    const rebills = new Rebills(parts);
    const authenticationLinks = new AuthenticationLinks(
      deriveKey(parts.stores.masterKey, 'authentication links'),
      { base: parts.settings.publicUrl, clock: parts.clock },
    );
    return {
      subscriptions: new Subscriptions({ ...parts, index: new SubscriptionView(store) }),
      billing: new Billing({ ...parts, rebills, store, leases, holder }),
      authenticationLinks,
      authentications: new Authentications({ ...parts, rebills, links: authenticationLinks }),
    };
  },
  tenant: (parts) => ({
    subscriptions: tenantPart(
      SUBSCRIPTION_INPUTS,
      (acting) => new TenantSubscriptions(parts, acting),
      SUBSCRIPTION_CALLS,
    ),
  }),
  works: ({ billing }) => [billing],
  registerMetrics: ({ billing }, metrics) => billing.registerMetrics(metrics),
});
