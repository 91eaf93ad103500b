/** Admin: where events of the tenant are sent, and who sends it signed messages. */
import { WebhookEndpoints } from '@counterfoil/core';
import { EventTypes, SigningSecret, WebhookUrl } from '@counterfoil/engine';
import { z } from 'zod';
import type { Endpoint } from '../http/endpoint.ts';
import { At } from './answer-fields.ts';
import { Collection, patchOf, RowVersion } from './collections.ts';
import { Environment } from './keys.ts';
import { apiSlice, rows } from './slice.ts';
import { type FaceServices, text, Uuid } from './wire.ts';

const Direction = z.enum(['out', 'in']).meta({
  description: '`out`: events are sent to `url`. `in`: `source` sends signed messages',
});
const url = WebhookUrl.meta({
  description:
    'Where events are sent: https, without user and password and without a fragment. Private and reserved addresses are refused. Of `out` only, and required there',
  example: 'https://hooks.shop.example/counterfoil',
});
const source = WebhookEndpoints.SourceName.meta({
  description: 'A name for who sends: small letters, digits and dashes. Of `in` only, and required',
  example: 'acme-pay',
});
const eventTypes = EventTypes.meta({
  description: 'The events that are sent; `*` is all of them. Default: `*`. Of `out` only',
});
const ordered = z.boolean().meta({
  description:
    'Whether events about one subject are sent one after the other, in their order. Default: true. Of `out` only',
});
const description = text(200).meta({ description: 'What the endpoint is for' });
const signingSecret = SigningSecret.meta({
  description:
    'The secret that the source signs with: `whsec_` and 24 to 64 bytes in base64. Default: a new one. Of `in` only',
});

const fields = {
  id: z.string().meta({ format: 'uuid', description: 'The id of the item' }),
  direction: Direction,
  environment: Environment,
  url: z.string().nullable().meta({ description: 'Where events are sent; null of `in`' }),
  source: z.string().nullable().meta({ description: 'Who sends messages; null of `out`' }),
  eventTypes: z.array(z.enum(WebhookEndpoints.EVENT_TYPES)).meta({
    description: 'The events that are sent; `*` is all of them. None of `in`',
  }),
  ordered,
  description,
  status: z.enum(['active', 'paused', 'disabled']).meta({
    description:
      '`paused`: events wait, and messages are refused. `disabled`: by the ledger, for `disabledReason`',
  }),
  disabledReason: z.string().nullable().meta({ description: 'null unless it is disabled' }),
  overlapEndsAt: At.nullable().meta({
    description: 'Until when the secret of before is good beside the present one; null: it is not',
  }),
  createdAt: At,
  rowVersion: RowVersion,
};
const WebhookEndpoint = z.object(fields).meta({ id: 'WebhookEndpoint' });
const MadeEndpoint = z
  .object({
    ...fields,
    signingSecret: z.string().meta({
      description: 'What messages are signed with (Standard Webhooks): shown in this answer only',
    }),
  })
  .meta({ id: 'WebhookEndpointWithSecret' });

const WebhookEndpointInput = z
  .object({
    environment: Environment.optional(),
    url: url.optional(),
    eventTypes: eventTypes.optional(),
    ordered: ordered.optional(),
    source: source.optional(),
    signingSecret: signingSecret.optional(),
    description: description.optional(),
  })
  .meta({ id: 'WebhookEndpointInput' });

const WebhookEndpointChange = z
  .object({
    url: url.optional(),
    status: z.enum(['active', 'paused']).optional().meta({
      description: '`active` also enables an endpoint that was disabled',
    }),
    ...patchOf({ eventTypes, ordered, description }),
    rowVersion: RowVersion.optional(),
  })
  .meta({ id: 'WebhookEndpointChange' });

const WebhookRotation = z
  .object({
    overlapDays: z.int().min(0).max(WebhookEndpoints.MAX_OVERLAP_DAYS).optional().meta({
      description: 'How many days the secret of before is good beside the new one. Default: 1',
    }),
    signingSecret: signingSecret.optional(),
  })
  .meta({ id: 'WebhookRotation' });

const asked = { direction: Direction.optional() };

/** What null resets a member to. */
const DEFAULTS = { eventTypes: ['*'], ordered: true, description: '' } as const;

function webhookEndpoints(services: FaceServices): Endpoint[] {
  const endpoints = new Collection(
    services,
    {
      path: '/api/admin/webhookendpoints',
      one: 'WebhookEndpoint',
      many: 'WebhookEndpoints',
      words: { one: 'a webhook endpoint', many: 'webhook endpoints' },
      scopes: { read: 'webhooks:read', write: 'webhooks:write' },
      item: WebhookEndpoint,
      made: MadeEndpoint,
      id: Uuid,
      asked: z.object(asked),
    },
    (ledger, id: string) => ledger.webhookEndpoints.get(id),
  );
  return [
    endpoints.list(
      'Webhook endpoints by their ids, those of one direction or all.',
      (ledger, listing) => ledger.webhookEndpoints.list(listing),
      asked,
    ),
    endpoints.create({
      action: 'webhookEndpoints.create',
      description:
        'With `direction=out`, the default, events are sent to `url`. With `direction=in`, messages of `source` are taken: reports of disputes (`provider` there is the source), and transactions of another gateway. `signingSecret` is in this answer only; an `Idempotency-Key` is not honoured.',
      body: WebhookEndpointInput,
      rejections: ['duplicate', 'limit_reached'],
      // The face checks what each direction takes.
      make: (ledger, body, { direction = 'out' }) =>
        ledger.webhookEndpoints.create({ ...body, direction } as never),
    }),
    endpoints.read('A webhook endpoint by its id. The secret is never shown again.'),
    endpoints.amend({
      action: 'webhookEndpoints.change',
      description:
        'A JSON merge patch (RFC 7396): null resets a member to its default. It is in force at once, on every host.',
      body: WebhookEndpointChange,
      rejections: [],
      change: (ledger, id: string, { rowVersion: _, ...patch }, rowVersion) =>
        ledger.webhookEndpoints.change(id, { ...withDefaults(patch), rowVersion }),
    }),
    endpoints.act('rotate', 'Rotate the secret of a webhook endpoint', {
      action: 'webhookEndpoints.rotate',
      description:
        'Until the overlap ends, what is sent carries the signatures of both secrets, and messages may be signed with either. The secret before the one that is replaced ends at once.',
      body: WebhookRotation.optional(),
      rejections: [],
      make: (ledger, id: string, body) => ledger.webhookEndpoints.rotate(id, body ?? {}),
    }),
    ...(['pause', 'resume'] as const).map((name) =>
      endpoints.turn(name, TURNS[name], (ledger, id: string) => ledger.webhookEndpoints[name](id)),
    ),
    endpoints.remove(
      {
        action: 'webhookEndpoints.remove',
        summary: 'Remove a webhook endpoint',
        description:
          'From now on nothing is sent to it, or taken from it. The answer has it as it was.',
      },
      (ledger, id: string) => ledger.webhookEndpoints.remove(id),
    ),
  ];
}

const TURNS = {
  pause: {
    action: 'webhookEndpoints.pause',
    summary: 'Pause a webhook endpoint',
    description: 'What happens meanwhile is kept and sent once it is resumed.',
  },
  resume: {
    action: 'webhookEndpoints.resume',
    summary: 'Resume a webhook endpoint',
    description:
      'What has waited is sent. An endpoint that was disabled is active again: what was given up meanwhile can be replayed.',
  },
} as const;

function withDefaults<Patch extends object>(patch: Patch) {
  const entries = Object.entries(patch).map(([name, value]) => [
    name,
    value ?? DEFAULTS[name as keyof typeof DEFAULTS],
  ]);
  return Object.fromEntries(entries) as { [Name in keyof Patch]: NonNullable<Patch[Name]> };
}

const URL_FAULTS = {
  not_a_url: 'must be a URL',
  scheme: 'must begin with https://',
  credentials: 'must not have a user or a password',
  fragment: 'must not have a fragment',
  address: 'must not be a private or reserved address',
} as const;

const REFUSALS = rows({
  WebhookEndpointUnknown: { code: 'not_found' },
  WebhookSourceExists: { code: 'duplicate', text: 'There is an endpoint of this source' },
  TooManyWebhookEndpoints: {
    code: 'limit_reached',
    text: ({ max }) => `A tenant has at most ${max} webhook endpoints`,
  },
  WebhookUrlRefused: {
    code: 'invalid_request',
    errors: ({ reason }) => [{ pointer: '/url', detail: URL_FAULTS[reason] }],
  },
});

export const WEBHOOK_ENDPOINTS = apiSlice(webhookEndpoints, REFUSALS);
