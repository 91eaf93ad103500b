/** Payments of unknown outcome. */
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { At, UuidText } from './answer-fields.ts';
import { pageBody, pageOf } from './collections.ts';
import { inCursor } from './cursor.ts';
import { apiSlice } from './slice.ts';
import { type FaceServices, ledgerFor, QueryBoolean, queryLimit } from './wire.ts';

const MAX_LIMIT = 100;

const PaymentBody = z
  .object({
    transactionId: UuidText.meta({ description: 'The payment' }),
    orderId: z.int(),
    customerId: z.int(),
    merchantAccountId: z.int().meta({ description: 'The account that was asked last' }),
    midName: z.string(),
    gateway: z.string().meta({ description: 'The gateway that has not answered' }),
    currency: z.string(),
    amount: z.number().meta({ description: 'What was asked of the card, in major units' }),
    sent: At.meta({ description: 'When the payment was submitted' }),
    unknownSince: At.meta({ description: 'When its outcome first was unknown' }),
  })
  .meta({ id: 'UnansweredPayment' });

export const UNANSWERED = apiSlice((services: FaceServices) => [
  endpoint({
    operationId: 'listUnansweredPayments',
    method: 'GET',
    path: '/api/transactions/unanswered',
    tag: 'Admin',
    summary: 'List payments of unknown outcome',
    description:
      'Payments whose gateway was asked and has not answered, those that have waited longest first. The host asks the gateway again by itself, for five days; a payment is listed until its outcome is known.',
    access: { kind: 'api-key', scope: 'transactions:read', requiresUserEmail: true },
    query: z.object({
      sandbox: QueryBoolean.optional().meta({ description: 'Absent: live data' }),
      limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
      cursor: z.string().max(1_000).optional(),
    }),
    responses: {
      200: {
        description: 'A page of payments',
        schema: pageOf(PaymentBody, 'UnansweredPayments'),
      },
    },
    rejections: ['live_data_forbidden', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { query: { cursor, ...query } }) {
      const page = await ledgerFor(services, context).transactions.unanswered({
        ...query,
        ...(cursor !== undefined && { after: inCursor(cursor, z.string()) }),
      });
      return { status: 200, body: pageBody(page) };
    },
  }),
]);
