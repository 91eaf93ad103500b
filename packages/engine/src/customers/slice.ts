/** Registered customers and their payment methods. */
import { CustomerListView } from '@counterfoil/projections';
import type { ErasureParts } from '../erasure/index.ts';
import type { IdentityParts } from '../identities/index.ts';
import type { PaymentParts } from '../payments/index.ts';
import { type Base, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import { Customers } from './customers.ts';
import { CUSTOMER_CALLS, CUSTOMER_INPUTS, TenantCustomers } from './tenant-customers.ts';

/** Without it a customer may be looked up too early, but is never registered twice. */
const FOLLOWED_UP_MS = 1_000;

export const CUSTOMERS = slice({
  scopes: {
    'customers:read': 'Read customers and their payment methods',
    'customers:write': 'Register and change customers, and keep and remove their cards',
  },
  make(parts: Base & TenantParts & IdentityParts & PaymentParts & ErasureParts) {
    const { stores, followerProgress } = parts;
    const customers = new Customers({
      ...parts,
      async followedUp() {
        const head = await stores.events.head();
        const limit = { timeoutMs: FOLLOWED_UP_MS };
        if (head !== undefined) await followerProgress.reached(head, limit);
      },
    });
    return { customers, customerList: new CustomerListView(stores.readModels) };
  },
  tenant: (parts) => ({
    customers: tenantPart(
      CUSTOMER_INPUTS,
      (acting) => new TenantCustomers(parts, acting),
      CUSTOMER_CALLS,
    ),
  }),
});
