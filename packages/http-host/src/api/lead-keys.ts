/** Admin: lead keys, each a publishable key for pages and a secret one for servers. */
import { type LeadKeyView, Origin, type ShownLeadKey } from '@counterfoil/engine';
import { z } from 'zod';
import type { Endpoint } from '../http/endpoint.ts';
import { At } from './answer-fields.ts';
import { Collection, patchOf, RowVersion } from './collections.ts';
import { Environment, Label, MAX_ORIGINS, RotationInput } from './keys.ts';
import { apiSlice, rows } from './slice.ts';
import { type FaceServices, Id, Uuid } from './wire.ts';

const Origins = z.array(Origin).max(MAX_ORIGINS).meta({
  description: 'Where pages may write leads from, each as browsers name it: `https://shop.example`',
});

const fields = {
  id: z.string().meta({ format: 'uuid', description: 'The id of the item' }),
  environment: Environment,
  label: z.string().meta({ description: 'What the key is for' }),
  applicationId: z.int(),
  allowedOrigins: Origins,
  publishableHint: z.string().meta({ description: 'What the publishable key is recognised by' }),
  secretHint: z.string().meta({ description: 'What the secret key is recognised by' }),
  createdAt: At,
  revokedAt: At.nullable().meta({ description: 'null: not revoked' }),
  rowVersion: RowVersion,
};
const LeadKey = z.object(fields).meta({ id: 'LeadKey' });
const MadeLeadKey = z
  .object({
    ...fields,
    publishableKey: z.string().meta({ description: 'For pages: shown in this answer only' }),
    secretKey: z.string().meta({ description: 'For servers: shown in this answer only' }),
  })
  .meta({ id: 'LeadKeyWithSecrets' });

const LeadKeyInput = z
  .object({
    environment: Environment.optional(),
    label: Label.optional(),
    applicationId: Id.meta({ description: 'The application whose leads they are' }),
    allowedOrigins: Origins.optional(),
  })
  .meta({ id: 'LeadKeyInput' });

const LeadKeyChange = z
  .object({
    ...patchOf({ label: Label, allowedOrigins: Origins }),
    rowVersion: RowVersion.optional(),
  })
  .meta({ id: 'LeadKeyChange' });

function leadKeyEndpoints(services: FaceServices): Endpoint[] {
  const keys = new Collection(
    services,
    {
      path: '/api/admin/leadkeys',
      one: 'LeadKey',
      many: 'LeadKeys',
      words: { one: 'a lead key', many: 'lead keys' },
      scopes: { read: 'keys:read', write: 'keys:write' },
      item: LeadKey,
      made: MadeLeadKey,
      id: Uuid,
    },
    async (ledger, id: string) => onWire(await ledger.keys.getLeadKey(id)),
  );
  return [
    keys.list(
      'All lead keys, revoked ones among them, in the order of their ids, which is that of time.',
      async (ledger, listing) => {
        const { items, ...more } = await ledger.keys.listLeadKeys(listing);
        return { items: items.map(onWire), ...more };
      },
    ),
    keys.create({
      action: 'keys.createLeadKey',
      description:
        'A publishable key for pages of the allowed origins, and a secret one for servers, both for one application and one environment. They are in this answer only; an `Idempotency-Key` is not honoured.',
      body: LeadKeyInput,
      rejections: ['reference_unknown'],
      make: async (ledger, body) => madeOnWire(await ledger.keys.createLeadKey(body)),
    }),
    keys.read('A lead key by its id. The keys themselves are never shown again.'),
    keys.amend({
      action: 'keys.changeLeadKey',
      description: 'A JSON merge patch (RFC 7396) of the label and the allowed origins.',
      body: LeadKeyChange,
      rejections: [],
      change: async (ledger, id: string, { label, allowedOrigins }, rowVersion) =>
        onWire(
          await ledger.keys.changeLeadKey(id, {
            ...(label !== undefined && { label: label ?? '' }),
            ...(allowedOrigins !== undefined && { allowedOrigins: allowedOrigins ?? [] }),
            rowVersion,
          }),
        ),
    }),
    keys.act('rotate', 'Rotate a lead key', {
      action: 'keys.rotateLeadKey',
      description:
        'Makes successors of both keys, under the same id. The old keys end after the overlap.',
      body: RotationInput.optional(),
      rejections: ['key_not_active'],
      make: async (ledger, id: string, body) =>
        madeOnWire(await ledger.keys.rotateLeadKey(id, body ?? {})),
    }),
    keys.remove(
      {
        action: 'keys.revokeLeadKey',
        summary: 'Revoke a lead key',
        description: 'Both keys, at once, on every host. Revoking again changes nothing.',
      },
      async (ledger, id: string) => onWire(await ledger.keys.revokeLeadKey(id)),
    ),
  ];
}

function onWire({ issuedAt, ...key }: LeadKeyView) {
  return { ...key, createdAt: issuedAt };
}

function madeOnWire({ publishableKey, secretKey, ...view }: ShownLeadKey) {
  return { ...onWire(view), publishableKey, secretKey };
}

const REFUSALS = rows({
  LeadKeyUnknown: { code: 'not_found' },
  LeadKeyNeedsApplication: {
    code: 'invalid_request',
    text: 'A key for pages is bound to an application',
  },
});

export const LEAD_KEYS = apiSlice(leadKeyEndpoints, REFUSALS);
