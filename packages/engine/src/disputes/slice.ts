/** Disputes: chargebacks, alerts, and the searches of those who mitigate them. */
import { DisputeView, MitigationView } from '@counterfoil/projections';
import type { PaymentParts } from '../payments/index.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import type { TenantParts } from '../tenants/index.ts';
import type { TransactionParts } from '../transactions/index.ts';
import type { WebhookParts } from '../webhooks/index.ts';
import { DisputeAnswers } from './answers.ts';
import { Disputes } from './disputes.ts';
import { Evidence } from './evidence.ts';
import { openEvidence } from './evidence-store.ts';
import { followReports } from './follow-reports.ts';
import { DisputeIntake } from './intake.ts';
import { DISPUTE_CALLS, DISPUTE_INPUTS, TenantDisputes } from './tenant-disputes.ts';
import { UnmatchedWork } from './unmatched-work.ts';

export type DisputeParts = PartsOf<typeof DISPUTES>;

export const DISPUTES = slice({
  scopes: {
    'disputes:read': 'Read the queue of disputes and their evidence',
    'disputes:write': 'Accept, represent, refund, decline and match disputes',
    'mitigation:read': 'Search transactions and disputes for mitigation',
    'mitigation:write': 'Report chargebacks and alerts',
  },
  make(parts: Base & TenantParts & WebhookParts & PaymentParts & TransactionParts) {
    const { stores, readSide, clock, referenceView, commands } = parts;
    const { readModels } = stores;
    const intake = new DisputeIntake(parts);
    const evidenceStore = openOwn(parts, 'evidence', openEvidence);
    const evidence = new Evidence({ commands, store: evidenceStore, vault: stores.personalKeys });
    const queue = new DisputeView(readModels);
    const answers = new DisputeAnswers({ ...parts, evidence, queue });
    const disputes = new Disputes({
      answers,
      evidence,
      mitigation: new MitigationView(readModels, referenceView),
      queue,
      webhookEndpoints: parts.webhookEndpoints,
      intake,
      readSide,
      clock,
    });
    return { disputes, disputeIntake: intake, evidenceStore };
  },
  tenant: ({ disputes }) => ({
    disputes: tenantPart(
      DISPUTE_INPUTS,
      (acting) => new TenantDisputes(disputes, acting),
      DISPUTE_CALLS,
    ),
  }),
  works: ({ disputeIntake: intake, stores, clock }) => [
    new UnmatchedWork({ intake, store: stores.readModels, clock }),
  ],
  followers: ({ disputeIntake: intake, commands }, following) => [
    followReports({ intake, commands, ...following }),
  ],
});
