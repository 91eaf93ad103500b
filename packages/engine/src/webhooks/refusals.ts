/** What the webhook endpoints of a tenant are refused with, beside the rejections of the core. */
import type { UrlFault } from './addresses.ts';

export type WebhookRefusal =
  | { readonly type: 'WebhookUrlRefused'; readonly reason: UrlFault }
  | { readonly type: 'WebhookDeliveryUnknown' }
  /** Nothing is sent to it until it is made active. */
  | { readonly type: 'WebhookEndpointDisabled' };
