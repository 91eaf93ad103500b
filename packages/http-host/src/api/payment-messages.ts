/** What followed a payment: the emails about it, and the webhooks. */
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { pageBody, pageOf } from './collections.ts';
import { EmailRecord } from './email.ts';
import { apiSlice } from './slice.ts';
import { WebhookDelivery } from './webhook-deliveries.ts';
import { type FaceServices, ledgerFor, Uuid } from './wire.ts';

const common = {
  method: 'GET',
  tag: 'Admin',
  params: z.object({ id: Uuid.meta({ description: 'The payment' }) }),
  rejections: ['not_found'],
  idempotency: 'none',
} as const;

/** All of it is one page. */
const whole = (items: readonly object[]) => ({
  status: 200 as const,
  body: pageBody({ items, next: undefined }),
});

export const PAYMENT_MESSAGES = apiSlice((services: FaceServices) => [
  endpoint({
    ...common,
    operationId: 'listPaymentEmails',
    path: '/api/transactions/{id}/emails',
    summary: 'List what the ledger mailed about a payment',
    description:
      'At most 100 emails, the oldest first. Emails about its subscription are not among them.',
    access: { kind: 'api-key', scope: 'mails:read', requiresUserEmail: true },
    responses: {
      200: { description: 'The emails', schema: pageOf(EmailRecord, 'PaymentEmails') },
    },
    async handle(context, { params: { id } }) {
      const { payments, mails } = ledgerFor(services, context);
      await payments.get(id);
      return whole(await mails.ofPayment(id));
    },
  }),
  endpoint({
    ...common,
    operationId: 'listPaymentWebhooks',
    path: '/api/transactions/{id}/webhooks',
    summary: 'List what was sent about a payment to webhook endpoints',
    description: 'Deliveries of the first 100 messages to all endpoints, the oldest first.',
    access: { kind: 'api-key', scope: 'webhooks:read', requiresUserEmail: true },
    responses: {
      200: { description: 'The deliveries', schema: pageOf(WebhookDelivery, 'PaymentWebhooks') },
    },
    async handle(context, { params: { id } }) {
      const { payments, webhooks } = ledgerFor(services, context);
      await payments.get(id);
      return whole(await webhooks.ofPayment(id));
    },
  }),
]);
