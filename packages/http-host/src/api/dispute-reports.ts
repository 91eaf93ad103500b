/** What providers report of chargebacks and alerts: by API key, or signed. */
import { Dispute, plainDecimal, WebhookEndpoints } from '@counterfoil/core';
import type { TenantLedger } from '@counterfoil/engine';
import { mayHoldCardNumber, name } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Access, type Endpoint, endpoint } from '../http/endpoint.ts';
import type { ErrorCode } from '../http/errors.ts';
import { StatusName, UuidText } from './answer-fields.ts';
import { ledgerOfMessage, type SigningServices, signedBy, signedFor } from './signed-messages.ts';
import { apiSlice } from './slice.ts';
import { Amount, CurrencyCode, Instant, optionalClaims, text, Uuid } from './wire.ts';

const reference = mayHoldCardNumber(text(255)).optional();

const report = {
  reference: mayHoldCardNumber(name(255)).meta({
    description: 'The reference of the provider: the same one again is the same dispute',
    example: 'CB-2026-000123',
  }),
  amount: Amount,
  currency: CurrencyCode,
  transactionId: Uuid.optional().meta({ description: 'The payment, or one of its children' }),
  gatewayTransactionId: reference,
  arn: reference,
  orderId: mayHoldCardNumber(z.int()).optional(),
  openedAt: Instant.optional().meta({
    description: 'When it began: at most a day from now; the time of the report when absent',
  }),
  note: text(1_000).optional().meta({ description: 'What the provider says of it' }),
  sandbox: z.boolean().optional(),
};

const PLACES = ['transactionId', 'gatewayTransactionId', 'arn', 'orderId'] as const;
const namesPayment = (given: { readonly [Place in (typeof PLACES)[number]]?: unknown }) =>
  PLACES.some((place) => given[place] !== undefined && given[place] !== '');
const NAMELESS = { message: `must have one of ${PLACES.join(', ')}` };

const ChargebackInput = z
  .object({
    ...optionalClaims,
    ...report,
    status: z.enum(Dispute.REPORTED.chargeback).default('ChargebackOpen').meta({
      description: 'As the provider has it. A later status may come before an earlier one',
    }),
    reasonCode: text(64).optional().meta({ description: 'Of the card network', example: '10.4' }),
    respondBy: Instant.optional().meta({
      description: 'When an answer must have been given; by the rules of the network when absent',
    }),
  })
  .refine(namesPayment, NAMELESS)
  .meta({ id: 'ChargebackReport' });

const AlertInput = z
  .object({
    ...optionalClaims,
    ...report,
    status: z.enum(Dispute.REPORTED.alert).optional().meta({
      description: 'As the provider has it. Absent: `AlertOpen`; of RDR `AlertResolved`',
    }),
    type: Dispute.Claim.shape.alertType.unwrap().meta({ description: 'What the alert warns of' }),
    source: Dispute.Claim.shape.alertSource
      .unwrap()
      .meta({ description: 'Where the alert came from' }),
  })
  .refine(namesPayment, NAMELESS)
  .meta({ id: 'AlertReport' });

const ReportQuery = z.object({
  provider: WebhookEndpoints.SourceName.meta({
    description: 'A name for who reports: small letters, digits and dashes',
    example: 'acme-alerts',
  }),
  ...signedFor,
});

const ReportAnswer = z
  .object({
    success: z.literal(true),
    message: z.string(),
    disputeId: UuidText.meta({ description: 'The id of the chargeback or alert' }),
    status: z.enum(['matched', 'unmatched']).meta({
      description: '`unmatched`: kept, and looked for again; no payment of the tenant fits yet',
    }),
    transactionId: UuidText.nullable().meta({ description: 'The payment' }),
    disputeStatus: StatusName.nullable().meta({ description: 'Its status in the books' }),
  })
  .meta({ id: 'DisputeReportResult' });

const SCOPE = 'mitigation:write';

function reportEndpoints(services: SigningServices): Endpoint[] {
  const shared = {
    method: 'POST',
    tag: 'Mitigation',
    description:
      'By an API key; or without one, signed as Standard Webhooks with the secret of the provider, and `clientId` in the query. The payment is named by at least one of `transactionId`, `gatewayTransactionId`, `arn` and `orderId`. The same reference again changes nothing, in whatever order reports come. What matches no payment is kept (202), shown in the queue of disputes, and looked for again for 30 days.',
    access: {
      kind: 'api-key',
      scope: SCOPE,
      requiresUserEmail: true,
      orSigned: signedBy(services, { source: 'provider', scope: SCOPE }),
    } satisfies Access,
    query: ReportQuery,
    responses: {
      200: { description: 'What it was matched with', schema: ReportAnswer },
      202: { description: 'Kept without a payment', schema: ReportAnswer },
    },
    rejections: [
      'live_data_forbidden',
      'currency_unknown',
      'amount_precision',
      'amount_not_positive',
      'duplicate',
      'concurrent_update',
    ] satisfies ErrorCode[],
    idempotency: 'none',
  } as const;
  return [
    endpoint({
      ...shared,
      operationId: 'reportChargeback',
      action: 'disputes.reportChargeback',
      path: '/api/mitigation/chargebacks',
      summary: 'Report a chargeback',
      body: ChargebackInput,
      async handle(context, { query, body: { amount, ...body } }) {
        const { disputes } = ledgerOfMessage(services, context, query);
        const { parentCompanyId: _, userEmail: __, ...given } = body;
        const { provider } = query;
        return answerOf(
          await disputes.reportChargeback({ ...given, provider, amount: plainDecimal(amount) }),
        );
      },
    }),
    endpoint({
      ...shared,
      operationId: 'reportAlert',
      action: 'disputes.reportAlert',
      path: '/api/mitigation/alerts',
      summary: 'Report an alert',
      body: AlertInput,
      async handle(context, { query, body: { amount, ...body } }) {
        const { disputes } = ledgerOfMessage(services, context, query);
        const { parentCompanyId: _, userEmail: __, ...given } = body;
        const { provider } = query;
        return answerOf(
          await disputes.reportAlert({ ...given, provider, amount: plainDecimal(amount) }),
        );
      },
    }),
  ];
}

function answerOf(reported: Awaited<ReturnType<TenantLedger['disputes']['reportAlert']>>) {
  const isMatched = reported.status === 'matched';
  const message = isMatched ? 'Recorded' : 'Kept: no payment matches it yet';
  return { status: isMatched ? 200 : 202, body: { success: true, message, ...reported } };
}

export const DISPUTE_REPORTS = apiSlice(reportEndpoints, {
  DisputeUnknown: { code: 'not_found' },
  DisputeDiffers: {
    code: 'duplicate',
    text: ({ field }) => `This reference was reported before with another ${field}`,
  },
  DisputeMatchedBefore: {
    code: 'duplicate',
    text: ({ transactionId }) => `This dispute is matched with ${transactionId}`,
  },
});
