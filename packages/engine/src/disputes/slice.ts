/** Disputes: chargebacks, alerts, and the searches of those who mitigate them. */
import { MitigationView } from '@counterfoil/projections';
import { type Base, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import { Disputes } from './disputes.ts';
import { DISPUTE_INPUTS, TenantDisputes } from './tenant-disputes.ts';

export const DISPUTES = slice({
  scopes: { 'mitigation:read': 'Search transactions and disputes for mitigation' },
  make({ stores, readSide, clock, referenceView }: Base & TenantParts) {
    const mitigation = new MitigationView(stores.readModels, referenceView);
    return { disputes: new Disputes({ mitigation, readSide, clock }) };
  },
  tenant: ({ disputes }) => ({
    disputes: tenantPart(DISPUTE_INPUTS, (acting) => new TenantDisputes(disputes, acting)),
  }),
});
