/** How webhook endpoints and their deliveries are put in words. */
import type { DeliveryView, WebhookEndpointView } from '@counterfoil/engine';
import type { Visit } from '../slice.ts';

export const READ = 'webhooks:read';
export const WRITE = 'webhooks:write';
export const PATH = '/webhooks';

export const ENDPOINT_STATES = {
  active: { text: 'Active', tone: 'good' },
  paused: { text: 'Paused', tone: 'warn' },
  disabled: { text: 'Disabled', tone: 'bad' },
} as const satisfies Record<WebhookEndpointView['status'], object>;

export const DELIVERY_STATES = {
  pending: { text: 'To be sent', tone: 'neutral' },
  held: { text: 'Held', tone: 'warn' },
  delivered: { text: 'Delivered', tone: 'good' },
  dead: { text: 'Given up', tone: 'bad' },
} as const satisfies Record<DeliveryView['status'], object>;

const REASONS: Readonly<Record<string, string>> = {
  timeout: 'No answer in time',
  connection_refused: 'The connection was refused',
  connection_failed: 'The connection failed',
  name_not_resolved: 'The name of the host was not found',
  certificate_refused: 'The certificate is not good',
  address_refused: 'The address is private or reserved',
  url_refused: 'The URL is not allowed',
  unreadable: 'The answer could not be read',
  endpoint_removed: 'The endpoint was removed',
  endpoint_disabled: 'The endpoint was disabled',
};

/** A status of HTTP, or a word of the ledger. */
export function shownReason(reason: string | null): string | undefined {
  if (reason === null) return undefined;
  return REASONS[reason] ?? (/^\d+$/.test(reason) ? `Answered with ${reason}` : reason);
}

/** By what people call it: its description, or where it is. */
export function nameOf({ description, url, source, id }: WebhookEndpointView): string {
  return description || (url ?? source ?? id);
}

export function deliveryHref(visit: Visit, endpointId: string, id: string): string {
  return visit.href(`${PATH}/${endpointId}/deliveries/${id}`);
}
