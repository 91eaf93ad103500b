/** Disputes: chargebacks, alerts, and the searches of those who mitigate them. */
import { DisputeView, MitigationView } from '@counterfoil/projections';
import { boundedDisputes } from '../gateways/bounded-disputes.ts';
import type { GatewayParts } from '../gateways/slice.ts';
import type { PaymentParts } from '../payments/index.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import type { TenantParts } from '../tenants/index.ts';
import type { TransactionParts } from '../transactions/index.ts';
import type { WebhookParts } from '../webhooks/index.ts';
import { AnswerWork, followAnswers } from './answer-work.ts';
import { DisputeAnswers } from './answers.ts';
import { Disputes } from './disputes.ts';
import { Evidence } from './evidence.ts';
import { openEvidence } from './evidence-store.ts';
import { followReports } from './follow-reports.ts';
import { GatewayAnswers } from './gateway-answers.ts';
import { DisputeIntake } from './intake.ts';
import { openPendingAnswers } from './pending-answers.ts';
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
  make(parts: Base & TenantParts & WebhookParts & GatewayParts & PaymentParts & TransactionParts) {
    const { stores, readSide, clock, referenceView, commands, gateways, settings, logger } = parts;
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
    const bounds = { timeoutMs: settings.gatewayTimeoutMs, logger };
    const answerSources = new Map(
      gateways.gateways.flatMap((each) => {
        const answered = boundedDisputes(each, bounds);
        if (answered === undefined || each.events === undefined) return [];
        return [[each.gatewayId, { provider: each.events.name, disputes: answered }] as const];
      }),
    );
    return {
      disputes,
      disputeIntake: intake,
      evidenceStore,
      pendingAnswers: openOwn(parts, 'checkpoints', openPendingAnswers),
      gatewayAnswers: new GatewayAnswers({ ...parts, evidence, answerSources }),
    };
  },
  tenant: ({ disputes }) => ({
    disputes: tenantPart(
      DISPUTE_INPUTS,
      (acting) => new TenantDisputes(disputes, acting),
      DISPUTE_CALLS,
    ),
  }),
  works({ disputeIntake: intake, gatewayAnswers: answers, pendingAnswers, stores, clock, logger }) {
    return [
      new UnmatchedWork({ intake, store: stores.readModels, clock }),
      new AnswerWork({ answers, pending: pendingAnswers, clock, logger }),
    ];
  },
  followers: ({ disputeIntake: intake, pendingAnswers, commands, clock }, following) => [
    followReports({ intake, commands, ...following }),
    followAnswers({ pending: pendingAnswers, clock, ...following }),
  ],
});
