/** POST /api/webhooks/transactions: what other gateways have captured, signed, for the match with leads. */
import { plainDecimal, type TenantId, WebhookEndpoints } from '@counterfoil/core';
import { mayHoldCardNumber, name } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Access, type Endpoint, endpoint, type SignedRequest } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { apiSlice } from './slice.ts';
import {
  Amount,
  CurrencyCode,
  type FaceServices,
  Id,
  Instant,
  ledgerFor,
  queryInteger,
} from './wire.ts';

const Query = z.object({
  source: WebhookEndpoints.SourceName.meta({
    description: 'The source of a webhook endpoint with `direction=in`',
    example: 'acme-pay',
  }),
  clientId: queryInteger(Id).optional().meta({
    description: 'The tenant id, of messages that are signed and have no ClientId header',
  }),
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

type Signed = Omit<SignedRequest, 'query'>;
type Signer = ReturnType<NonNullable<Extract<Access, { kind: 'api-key' }>['orSigned']>>;

/** Who has signed a message is found out before there is a caller. */
export type TransactionWebhookServices = FaceServices & {
  readonly webhookEndpoints: {
    signerOf(
      whose: { readonly tenantId: TenantId; readonly source: string },
      message: Signed,
      scopes: ReadonlySet<string>,
    ): Signer;
  };
};

const SCOPE = 'leads:write';
const SCOPES: ReadonlySet<string> = new Set([SCOPE]);

function transactionWebhook(services: TransactionWebhookServices): Endpoint {
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
      orSigned: async ({ query, ...message }) => {
        const { data } = Query.safeParse(query);
        if (data?.clientId === undefined) return undefined;
        const whose = { tenantId: data.clientId as TenantId, source: data.source };
        return services.webhookEndpoints.signerOf(whose, message, SCOPES);
      },
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
      const { clientId = context.principal.tenantId, source } = query;
      if (clientId !== context.principal.tenantId) throw refuse('tenant_mismatch');
      const { id: transactionId, amount, ...more } = body.data.transaction;
      const { leadStatus } = await ledgerFor(services, context).leads.reportTransaction(body.id, {
        ...more,
        source,
        transactionId,
        amount: plainDecimal(amount),
        capturedAt: body.timestamp,
      });
      return { status: 200, body: { success: true, message: 'Taken in', leadStatus } };
    },
  });
}

export const TRANSACTION_WEBHOOKS = apiSlice((services: TransactionWebhookServices) => [
  transactionWebhook(services),
]);
