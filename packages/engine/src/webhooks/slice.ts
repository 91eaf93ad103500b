/** Webhook endpoints: where events of a tenant are sent, and who sends it signed messages. */
import type { MerchantAccountParts } from '../merchant-accounts/index.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import {
  TenantWebhookEndpoints,
  WEBHOOK_ENDPOINT_CALLS,
  WEBHOOK_ENDPOINT_INPUTS,
} from './tenant-webhook-endpoints.ts';
import { WebhookEndpoints } from './webhook-endpoints.ts';

export type WebhookParts = PartsOf<typeof WEBHOOKS>;

export const WEBHOOKS = slice({
  scopes: {
    'webhooks:read': 'Read webhook endpoints',
    'webhooks:write': 'Make, change and remove webhook endpoints, and rotate their secrets',
  },
  make: (parts: Base & TenantParts & MerchantAccountParts) => ({
    webhookEndpoints: new WebhookEndpoints(parts),
  }),
  tenant: (parts) => ({
    webhookEndpoints: tenantPart(
      WEBHOOK_ENDPOINT_INPUTS,
      (acting) => new TenantWebhookEndpoints(parts, acting),
      WEBHOOK_ENDPOINT_CALLS,
    ),
  }),
});
