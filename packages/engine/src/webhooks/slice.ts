/** Webhooks: where events of a tenant are sent, their delivery, and who sends it signed messages. */
import type { MerchantAccountParts } from '../merchant-accounts/index.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import type { TenantParts } from '../tenants/index.ts';
import { openDeliveries } from './delivery-store.ts';
import {
  TenantWebhookEndpoints,
  WEBHOOK_ENDPOINT_CALLS,
  WEBHOOK_ENDPOINT_INPUTS,
} from './tenant-webhook-endpoints.ts';
import { TenantWebhooks, WEBHOOK_CALLS, WEBHOOK_INPUTS } from './tenant-webhooks.ts';
import { WebhookEndpoints } from './webhook-endpoints.ts';
import { Webhooks } from './webhooks.ts';

export type WebhookParts = PartsOf<typeof WEBHOOKS>;

export const WEBHOOKS = slice({
  scopes: {
    'webhooks:read': 'Read webhook endpoints, and what was sent to them',
    'webhooks:write':
      'Make, change and remove webhook endpoints, rotate their secrets, and send again',
  },
  make(parts: Base & TenantParts & MerchantAccountParts) {
    const webhookEndpoints = new WebhookEndpoints(parts);
    const deliveries = openOwn(parts, 'webhooks', openDeliveries);
    const webhooks = new Webhooks({ ...parts, webhookEndpoints, deliveries });
    return { webhookEndpoints, deliveries, webhooks };
  },
  tenant: (parts) => ({
    webhookEndpoints: tenantPart(
      WEBHOOK_ENDPOINT_INPUTS,
      (acting) => new TenantWebhookEndpoints(parts, acting),
      WEBHOOK_ENDPOINT_CALLS,
    ),
    webhooks: tenantPart(
      WEBHOOK_INPUTS,
      (acting) => new TenantWebhooks(parts, acting),
      WEBHOOK_CALLS,
    ),
  }),
  works: ({ webhooks }) => webhooks.works,
  followers: ({ webhooks }, following) => [webhooks.follow(following)],
  registerMetrics: ({ webhooks }, metrics) => webhooks.registerMetrics(metrics),
});
