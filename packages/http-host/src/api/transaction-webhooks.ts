/** POST /api/webhooks/transactions: what other gateways have captured, signed, for the match with leads. */
import { plainDecimal, WebhookEndpoints } from '@counterfoil/core';
import { mayHoldCardNumber, name } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { ledgerOfMessage, type SigningServices, signedBy, signedFor } from './signed-messages.ts';
import { apiSlice } from './slice.ts';
import { Amount, CurrencyCode, Id, Instant } from './wire.ts';

const Query = z.object({
  source: WebhookEndpoints.SourceName.meta({
    description: 'The source of a webhook endpoint with `direction=in`',
    example: 'acme-pay',
  }),
  ...signedFor,
});

const Transaction = z
  .object({
    id: mayHoldCardNumber(name(255)).meta({ description: "The gateway's own id of the payment" }),
    orderId: mayHoldCardNumber(name(255)).optional().meta({ description: 'The order, as text' }),
    amount: Amount.meta({ description: 'What was captured, in major units' }),
    currency: CurrencyCode,
    applicationId: Id.meta({ description: 'The application: that of the lead' }),
    partnerSession: name(255).meta({ description: '`session_id` of the lead' }),
    sandbox: z.boolean().optional(),
  })
  .meta({ id: 'ReportedTransaction' });

const Message = z
  .object({
    id: name(255).meta({ description: 'The id of the event: it counts once' }),
    type: z.literal('payment.captured').meta({ description: 'What happened' }),
    timestamp: Instant.optional().meta({ description: 'When it was captured. Default: now' }),
    data: z
      .object({ transaction: Transaction })
      .meta({ id: 'ReportedTransactionData', description: 'What it happened to' }),
  })
  .meta({ id: 'TransactionMessage' });

const Taken = z
  .object({
    success: z.literal(true),
    message: z.string(),
    leadStatus: z.enum(['new', 'paid']).nullable().meta({
      description: 'Of the lead of the session; null: there is none yet',
    }),
  })
  .meta({ id: 'TransactionMessageTaken' });

const SCOPE = 'leads:write';

function transactionWebhook(services: SigningServices): Endpoint {
  return endpoint({
    operationId: 'receiveTransaction',
    action: 'leads.reportTransaction',
    method: 'POST',
    path: '/api/webhooks/transactions',
    tag: 'Customer Leads',
    summary: 'Take in a payment of another gateway',
    description:
      'By an API key; or without one, signed as Standard Webhooks with the secret of the source, and `clientId` in the query. A captured payment makes the lead of its session paid, as one of the ledger does, if one comes within 30 days of the other. It is not booked. An event counts once, however often it is delivered.',
    access: {
      kind: 'api-key',
      scope: SCOPE,
      requiresUserEmail: false,
      orSigned: signedBy(services, { source: 'source', scope: SCOPE }),
    },
    query: Query,
    body: Message,
    responses: { 200: { description: 'It is taken in', schema: Taken } },
    rejections: [
      'live_data_forbidden',
      'currency_unknown',
      'amount_precision',
      'amount_not_positive',
      'idempotency_key_reused',
      'concurrent_update',
    ],
    idempotency: 'none',
    async handle(context, { query, body }) {
      const { leads } = ledgerOfMessage(services, context, query);
      const { id: transactionId, amount, ...more } = body.data.transaction;
      const { leadStatus } = await leads.reportTransaction(body.id, {
        ...more,
        source: query.source,
        transactionId,
        amount: plainDecimal(amount),
        capturedAt: body.timestamp,
      });
      return { status: 200, body: { success: true, message: 'Taken in', leadStatus } };
    },
  });
}

export const TRANSACTION_WEBHOOKS = apiSlice((services: SigningServices) => [
  transactionWebhook(services),
]);
