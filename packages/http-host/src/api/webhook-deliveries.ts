/** Admin: what was sent to webhook endpoints, each try of it, and sending it again. */
import { DeliveryStatus } from '@counterfoil/engine';
import { IN_ORDER, inOrder, spanOfDays } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { At } from './answer-fields.ts';
import { ADMIN, adminAccess, envelopeOf, pageOf } from './collections.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { apiSlice, rows } from './slice.ts';
import {
  bounded,
  Day,
  type FaceServices,
  Instant,
  ledgerFor,
  queryLimit,
  queryTexts,
  Uuid,
} from './wire.ts';

const PATH = '/api/admin/webhookendpoints/{id}';
const READ = adminAccess('webhooks:read');
const WRITE = adminAccess('webhooks:write');
const MAX_LIMIT = 100;

const params = z.object({ id: Uuid.meta({ description: 'The id of the endpoint' }) });
const deliveryParams = params.extend({
  deliveryId: Uuid.meta({ description: 'The id of the delivery' }),
});

const fields = {
  id: z.string().meta({ format: 'uuid', description: 'The id of the delivery' }),
  messageId: z.string().meta({
    format: 'uuid',
    description: '`webhook-id`: the same at every endpoint, in every try and replay',
  }),
  endpointId: z.string().meta({ format: 'uuid', description: 'The endpoint' }),
  type: z.string().meta({
    description: 'The type of the message; `webhook.test` of one on demand',
    example: 'customer_lead.paid',
  }),
  status: DeliveryStatus.meta({
    description:
      '`held`: the endpoint is paused. `dead`: given up, until it is replayed. `delivered`: answered with 2xx',
  }),
  attempts: z.int().meta({ description: 'Tries altogether' }),
  nextAttemptAt: At.nullable().meta({ description: 'The next try; null unless it is pending' }),
  reason: z.string().nullable().meta({
    description:
      'Why the last try failed: a status, or `timeout`, `connection_refused`, `connection_failed`, `name_not_resolved`, `certificate_refused`, `address_refused`, `url_refused`, `unreadable`; why it was given up without one: `endpoint_removed`, `endpoint_disabled`. null: it did not fail',
    example: '503',
  }),
  createdAt: At.meta({ description: 'When it happened' }),
  changedAt: At,
};
export const WebhookDelivery = z.object(fields).meta({ id: 'WebhookDelivery' });

const Attempt = z
  .object({
    number: z.int().meta({ description: 'Counts from 1' }),
    at: At,
    durationMs: z.int().meta({ description: 'Until the answer was read' }),
    status: z.int().nullable().meta({ description: 'Of HTTP; null: none was received' }),
    error: z.string().nullable().meta({ description: 'Why there is no status' }),
    answer: z.string().meta({
      description: 'The first 4 KiB of the answer. Empty once the person is erased',
    }),
  })
  .meta({ id: 'WebhookAttempt' });
const Message = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'The id of the message' }),
    type: z.string().meta({ description: 'Its type' }),
    timestamp: At,
    data: z
      .record(z.string(), z.unknown())
      .meta({ id: 'WebhookData', description: 'What is said, by the type' }),
  })
  .meta({ id: 'WebhookMessage', description: 'What is sent, without what was erased since' });
const DeliveryDetail = z
  .object({
    ...fields,
    body: Message,
    attemptLog: z.array(Attempt).meta({ description: 'Every try, the first one first' }),
  })
  .meta({ id: 'WebhookDeliveryDetail' });

const types = z.array(bounded(64)).max(20);
const ListQuery = z
  .object({
    status: DeliveryStatus.optional().meta({ description: 'Deliveries of this status' }),
    type: queryTexts(types).optional().meta({ description: 'Of these types; all when absent' }),
    dateFrom: Day.optional().meta({ description: 'Happened on this day (GMT) or later' }),
    dateTo: Day.optional().meta({ description: 'Happened on this day (GMT) or before' }),
    limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
    cursor: z.string().max(1_000).optional(),
  })
  .refine(inOrder, IN_ORDER);
const Anchor = z.object({ createdAt: z.iso.datetime(), id: z.string().max(64) });

function webhookDeliveries(services: FaceServices): Endpoint[] {
  return [list(services), read(services), replay(services), replayRange(services), test(services)];
}

function list(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listWebhookDeliveries',
    method: 'GET',
    path: `${PATH}/deliveries`,
    tag: ADMIN,
    summary: 'List what was sent to a webhook endpoint',
    description:
      'What was sent, or is to be, the newest event first. A delivery is removed some days after it has ended (`WEBHOOK_LOG_DAYS`).',
    access: READ,
    params,
    query: ListQuery,
    responses: {
      200: {
        description: 'A page of deliveries',
        schema: pageOf(WebhookDelivery, 'WebhookDeliveries'),
      },
    },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle(context, { params: { id }, query: { dateFrom, dateTo, type, ...query } }) {
      const { cursor, limit, status } = query;
      const { items, end } = await ledgerFor(services, context).webhooks.deliveries(id, {
        limit,
        status,
        types: type,
        ...spanOfDays({ dateFrom, dateTo }),
        ...(cursor !== undefined && { after: inCursor(cursor, Anchor) }),
      });
      const next = end === undefined ? null : cursorOf(end);
      const more = { count: items.length, moreResults: next !== null, next };
      return { status: 200, body: { success: true, ...more, items } };
    },
  });
}

function read(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getWebhookDelivery',
    method: 'GET',
    path: `${PATH}/deliveries/{deliveryId}`,
    tag: ADMIN,
    summary: 'Read a webhook delivery',
    description: 'With its body, and time, status, duration and answer of each try.',
    access: READ,
    params: deliveryParams,
    responses: {
      200: {
        description: 'The delivery',
        schema: envelopeOf(DeliveryDetail, 'WebhookDeliveryDetailAnswer'),
      },
    },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle(context, { params: { id, deliveryId } }) {
      const item = await ledgerFor(services, context).webhooks.delivery(id, deliveryId);
      return { status: 200, body: { success: true, message: '', item } };
    },
  });
}

const DeliveryAnswer = envelopeOf(WebhookDelivery, 'WebhookDeliveryAnswer');

function replay(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'replayWebhookDelivery',
    action: 'webhooks.replay',
    method: 'POST',
    path: `${PATH}/deliveries/{deliveryId}/replay`,
    tag: ADMIN,
    summary: 'Send a webhook again',
    description:
      'At once, and with all its tries, whatever became of it before. It keeps its `webhook-id`. While it is being sent, nothing changes.',
    access: WRITE,
    params: deliveryParams,
    responses: { 200: { description: 'The delivery', schema: DeliveryAnswer } },
    rejections: ['not_found', 'endpoint_disabled'],
    idempotency: 'none',
    async handle(context, { params: { id, deliveryId } }) {
      const item = await ledgerFor(services, context).webhooks.replay(id, deliveryId);
      return { status: 200, body: { success: true, message: 'Done', item } };
    },
  });
}

const ReplayInput = z
  .object({
    since: Instant.meta({ description: 'Events of this instant or later' }),
    until: Instant.optional().meta({ description: 'Events before this instant' }),
    status: z.enum(['dead', 'delivered']).optional().meta({
      description: 'What became of them. Default: `dead`',
    }),
    types: types.optional().meta({ description: 'Of these types; all when absent' }),
  })
  .meta({ id: 'WebhookReplayInput' });
const ReplayAnswer = z
  .object({
    success: z.literal(true),
    message: z.string(),
    replayed: z.int().meta({ description: 'Deliveries that are sent again' }),
    next: At.nullable().meta({
      description: '`since` of the request that goes on; null: nothing is left',
    }),
  })
  .meta({ id: 'WebhookReplayAnswer' });

function replayRange(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'replayWebhooks',
    action: 'webhooks.replayRange',
    method: 'POST',
    path: `${PATH}/replay`,
    tag: ADMIN,
    summary: 'Send webhooks of a time again',
    description:
      'What was sent to the endpoint and has ended, by default what was given up: at most 5,000, the oldest first.',
    access: WRITE,
    params,
    body: ReplayInput,
    responses: { 200: { description: 'How many', schema: ReplayAnswer } },
    rejections: ['not_found', 'endpoint_disabled'],
    idempotency: 'none',
    async handle(context, { params: { id }, body }) {
      const done = await ledgerFor(services, context).webhooks.replayRange(id, body);
      return { status: 200, body: { success: true, message: 'Done', ...done } };
    },
  });
}

function test(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'testWebhookEndpoint',
    action: 'webhooks.test',
    method: 'POST',
    path: `${PATH}/test`,
    tag: ADMIN,
    summary: 'Send a test to a webhook endpoint',
    description: 'A message of the type `webhook.test`, whatever the endpoint asks for.',
    access: WRITE,
    params,
    responses: { 201: { description: 'It is on its way', schema: DeliveryAnswer } },
    rejections: ['not_found', 'endpoint_disabled'],
    idempotency: 'none',
    async handle(context, { params: { id } }) {
      const item = await ledgerFor(services, context).webhooks.test(id);
      const Location = `${PATH.replace('{id}', id)}/deliveries/${item.id}`;
      return {
        status: 201,
        headers: { Location },
        body: { success: true, message: 'Created', item },
      };
    },
  });
}

export const WEBHOOK_DELIVERIES = apiSlice(
  webhookDeliveries,
  rows({
    WebhookDeliveryUnknown: { code: 'not_found' },
    WebhookEndpointDisabled: { code: 'endpoint_disabled' },
  }),
);
