/** What followed a payment: the emails about it, and the webhooks. */
import { endpoint } from '../http/endpoint.ts';
import { pageOf } from './collections.ts';
import { EmailRecord } from './email.ts';
import { OF_PAYMENT, wholeList } from './of-payment.ts';
import { apiSlice } from './slice.ts';
import { WebhookDelivery } from './webhook-deliveries.ts';
import { type FaceServices, ledgerFor } from './wire.ts';

export const PAYMENT_MESSAGES = apiSlice((services: FaceServices) => [
  endpoint({
    ...OF_PAYMENT,
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
      return wholeList(await mails.ofPayment(id));
    },
  }),
  endpoint({
    ...OF_PAYMENT,
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
      return wholeList(await webhooks.ofPayment(id));
    },
  }),
]);
