/** The face of the package. */
export { type ClientOptions, type CounterfoilClient, createClient } from './client.ts';
export type { components, operations, paths } from './openapi.ts';
export type { RetryOptions } from './retries.ts';
export {
  verifyWebhook,
  type WebhookFailure,
  type WebhookMessage,
  WebhookRefused,
} from './verify-webhook.ts';
export type {
  WebhookAlert,
  WebhookChargeback,
  WebhookData,
  WebhookEvent,
  WebhookLead,
  WebhookPayment,
  WebhookRefund,
  WebhookSubscription,
} from './webhook-events.ts';
