/** Disputes: chargebacks, alerts, and the searches of those who mitigate them. */
import { DisputeView, MitigationView } from '@counterfoil/projections';
import type { MerchantAccountParts } from '../merchant-accounts/index.ts';
import { type Base, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import type { TransactionParts } from '../transactions/index.ts';
import { Disputes } from './disputes.ts';
import { followReports } from './follow-reports.ts';
import { DisputeIntake } from './intake.ts';
import { DisputeProviders } from './providers.ts';
import { DISPUTE_INPUTS, TenantDisputes } from './tenant-disputes.ts';
import { UnmatchedWork } from './unmatched-work.ts';

export const DISPUTES = slice({
  scopes: {
    'mitigation:read': 'Search transactions and disputes for mitigation',
    'mitigation:write': 'Report chargebacks and alerts',
  },
  make(parts: Base & TenantParts & MerchantAccountParts & TransactionParts) {
    const { stores, readSide, clock, referenceView, commands, transactions, logger } = parts;
    const { readModels } = stores;
    const intake = new DisputeIntake({ commands, transactions, logger });
    const disputes = new Disputes({
      mitigation: new MitigationView(readModels, referenceView),
      queue: new DisputeView(readModels),
      providers: new DisputeProviders(commands, parts.credentials),
      intake,
      references: parts.references,
      readSide,
      clock,
    });
    return { disputes, disputeIntake: intake };
  },
  tenant: ({ disputes }) => ({
    disputes: tenantPart(DISPUTE_INPUTS, (acting) => new TenantDisputes(disputes, acting)),
  }),
  works: ({ disputeIntake: intake, stores, clock }) => [
    new UnmatchedWork({ intake, store: stores.readModels, clock }),
  ],
  followers: ({ disputeIntake: intake, commands }, following) => [
    followReports({ intake, commands, ...following }),
  ],
});
