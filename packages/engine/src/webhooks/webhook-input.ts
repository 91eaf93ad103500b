/** What callers may pass to the webhook endpoints of a tenant. */
import { WebhookEndpoints } from '@counterfoil/core';
import { z } from 'zod';
import { notACardNumber } from '../input/card-number-search.ts';
import { Instant, pattern, text, Uuid } from '../input/texts.ts';

import { Listing } from '../pages.ts';
import { DELIVERY_STATUS } from './delivery-store.ts';

const environment = z.enum(['live', 'test']).optional();
const description = text(200).optional();
export const WebhookUrl = text(WebhookEndpoints.MAX_URL_LENGTH);
export const EventTypes = z
  .array(z.enum(WebhookEndpoints.EVENT_TYPES))
  .min(1)
  .max(WebhookEndpoints.EVENT_TYPES.length);
/** 24 to 64 bytes in base64 behind `whsec_`. */
export const SigningSecret = notACardNumber(
  pattern(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, {
    max: 100,
    detail: 'must be whsec_ and 24 to 64 bytes in base64',
  }),
);
const rowVersion = z.int().positive().optional();

const OutInput = z.strictObject({
  direction: z.literal('out'),
  /** Of the data whose events are sent. Default: `live`. */
  environment,
  url: WebhookUrl,
  /** Default: `*`, all of them. */
  eventTypes: EventTypes.optional(),
  /** Deliveries about one subject keep the order of its events. Default: true. */
  ordered: z.boolean().optional(),
  description,
});

const InInput = z.strictObject({
  direction: z.literal('in'),
  /** `test`: its messages are about sandbox data only. Default: `live`. */
  environment,
  /** A name for who sends: small letters, digits and dashes. */
  source: WebhookEndpoints.SourceName,
  /** A new one when absent. */
  signingSecret: SigningSecret.optional(),
  description,
});

export const WebhookEndpointInput = z.discriminatedUnion('direction', [OutInput, InInput]);
export type WebhookEndpointInput = z.input<typeof WebhookEndpointInput>;

/** What is absent stays as it is. */
const InChange = z.strictObject({
  description,
  status: z.enum(['active', 'paused']).optional(),
  rowVersion,
});
export const WebhookEndpointChange = InChange.extend({
  url: WebhookUrl.optional(),
  eventTypes: EventTypes.optional(),
  ordered: z.boolean().optional(),
});
export type WebhookEndpointChange = z.input<typeof WebhookEndpointChange>;
export const CHANGES = { in: InChange, out: WebhookEndpointChange } as const;

export const WebhookRotation = z.strictObject({
  /** How long the secret of before is good beside the new one. Default: 1. */
  overlapDays: z.int().min(0).max(WebhookEndpoints.MAX_OVERLAP_DAYS).optional(),
  /** Of a source only; a new one when absent. */
  signingSecret: SigningSecret.optional(),
});
export type WebhookRotation = z.input<typeof WebhookRotation>;

export const WebhookListing = Listing.extend({
  /** Both when absent. */
  direction: z.enum(['out', 'in']).optional(),
});
export type WebhookListing = z.input<typeof WebhookListing>;

export const EndpointId = text(64);

export const DeliveryId = text(64);
export const DeliveryStatus = z.enum(DELIVERY_STATUS);

const types = z.array(text(64)).max(WebhookEndpoints.EVENT_TYPES.length);
/** Both of the events, not of the tries. */
const range = {
  /** Inclusive. */
  since: Instant.optional(),
  /** Exclusive. */
  until: Instant.optional(),
  /** All when absent. */
  types: types.optional(),
};

export const DeliveryList = z.strictObject({
  ...range,
  status: DeliveryStatus.optional(),
  /** 1 to 100; 100 when absent. */
  limit: z.int().min(1).max(100).optional(),
  /** `end` of the page before. */
  after: z.strictObject({ createdAt: Instant, id: text(64) }).optional(),
});
export type DeliveryList = z.input<typeof DeliveryList>;

export const ReplayRange = z.strictObject({
  ...range,
  since: Instant,
  /** Default: `dead`. */
  status: z.enum(['dead', 'delivered']).optional(),
});
export type ReplayRange = z.input<typeof ReplayRange>;

export const TestMessage = z.strictObject({
  /** Of the message: the same one is sent once. Default: a new one. */
  messageId: Uuid.optional(),
});
export type TestMessage = z.input<typeof TestMessage>;
