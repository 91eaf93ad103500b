/** Leads: who began a session, and the payments that they are matched with. */
import { LeadView } from '@counterfoil/projections';
import type { IdentityParts } from '../identities/index.ts';
import { type Base, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import { LEAD_CALLS, LEAD_INPUTS, TenantLeads } from './tenant-leads.ts';

export const LEADS = slice({
  scopes: {
    'leads:read': 'Read and export leads',
    'leads:write': 'Report transactions of other gateways, which pay leads',
  },
  make: ({ stores }: Base & TenantParts & IdentityParts) => ({
    leadView: new LeadView(stores.readModels),
  }),
  tenant: (parts) => ({
    leads: tenantPart(LEAD_INPUTS, (acting) => new TenantLeads(parts, acting), LEAD_CALLS),
  }),
});
