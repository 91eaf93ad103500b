/** Admin: API keys, and the scopes that they may have. */
import {
  checkBound,
  type KeyView,
  Origin,
  type Shown,
  type TenantLedger,
} from '@counterfoil/engine';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { At } from './answer-fields.ts';
import { ADMIN, adminAccess, Collection } from './collections.ts';
import { apiSlice, rows } from './slice.ts';
import { type FaceServices, Id, Instant, pattern, text, Uuid } from './wire.ts';

const MAX_SCOPES = 100;
export const MAX_ORIGINS = 100;

const Scope = pattern(/^[a-z-]+:[a-z-]+$/, { max: 100, detail: 'must be a scope' });
export const Environment = z.enum(['live', 'test']).meta({
  description: 'The data that the key is for: `live` or sandbox data',
});
const KeyKind = z.enum(['api', 'tenant', 'payment-publishable']);
export const Label = text(200).meta({ description: 'What the key is for' });

const fields = {
  id: z.string().meta({ format: 'uuid', description: 'The id of the item' }),
  kind: KeyKind.meta({
    description: '`tenant`: a key of the email service; `payment-publishable`: one for pages',
  }),
  applicationId: z.int().nullable().meta({ description: 'Of a key for pages; null: of all' }),
  allowedOrigins: z.array(z.string()).meta({ description: 'Of a key for pages: where they are' }),
  environment: Environment,
  label: z.string().meta({ description: 'What the key is for' }),
  scopes: z.array(z.string()).meta({ description: 'What the key may do' }),
  hint: z.string().meta({ description: 'The prefix and the last four characters of the key' }),
  createdAt: At,
  expiresAt: At.nullable().meta({ description: 'null: never' }),
  revokedAt: At.nullable().meta({ description: 'null: not revoked' }),
  successorId: z.string().nullable().meta({ description: 'The key that it was replaced by' }),
  rowVersion: z.int().meta({ description: 'Counts the changes, from 1' }),
};
const Key = z.object(fields).meta({ id: 'ApiKey' });
const MadeKey = z
  .object({
    ...fields,
    key: z.string().meta({ description: 'The key: shown in this answer only' }),
  })
  .meta({ id: 'ApiKeyWithSecret' });

const KeyInput = z
  .object({
    kind: KeyKind.optional().meta({
      description:
        'Default: `api`. `tenant`: a key of the email service, which has no scopes. `payment-publishable`: for pages, which pay checkout sessions with it and can do nothing else; it has an application and origins instead of scopes',
    }),
    applicationId: Id.optional().meta({
      description: 'For `payment-publishable`: whose sessions its pages pay',
    }),
    allowedOrigins: z.array(Origin).max(MAX_ORIGINS).optional().meta({
      description:
        'For `payment-publishable`: where its pages are, each as browsers name it: `https://shop.example`',
    }),
    environment: Environment.optional(),
    label: Label.optional(),
    scopes: z.array(Scope).max(MAX_SCOPES).optional().meta({
      description: 'What the key may do: of the list of permissions',
    }),
    expiresAt: Instant.optional().meta({ description: 'Default: never' }),
  })
  .superRefine(checkBound)
  .meta({ id: 'ApiKeyInput' });

export const RotationInput = z
  .object({
    overlapDays: z.int().min(0).max(7).optional().meta({
      description:
        'How many days the old key lives on beside the new one. Default: 0, it ends at once',
    }),
  })
  .meta({ id: 'KeyRotation' });

const Permission = z
  .object({
    scope: z.string().meta({ description: 'As keys and roles name it' }),
    description: z.string().meta({ description: 'What it permits' }),
  })
  .meta({ id: 'Permission' });
const Permissions = z
  .object({
    success: z.literal(true),
    count: z.int().meta({ description: 'Items of this page' }),
    moreResults: z.boolean().meta({ description: 'Always false' }),
    next: z.string().nullable().meta({ description: 'Always null' }),
    items: z.array(Permission).meta({ description: 'All of them' }),
  })
  .meta({ id: 'Permissions' });

export interface KeyApiServices extends FaceServices {
  /** Every scope that an operation of this host needs, with what it permits. */
  readonly permissions: ReadonlyMap<string, string>;
}

function keyEndpoints(services: KeyApiServices): Endpoint[] {
  const keys = new Collection(
    services,
    {
      path: '/api/admin/keys',
      one: 'Key',
      many: 'Keys',
      words: { one: 'an API key', many: 'API keys' },
      scopes: { read: 'keys:read', write: 'keys:write' },
      item: Key,
      made: MadeKey,
      id: Uuid,
    },
    async (ledger, id: string) => onWire(await ledger.keys.get(id)),
  );
  return [
    keys.list(
      'All keys, revoked and expired ones among them, in the order of their ids, which is that of time.',
      async (ledger, listing) => {
        const { items, ...more } = await ledger.keys.list(listing);
        return { items: items.map(onWire), ...more };
      },
    ),
    keys.create({
      action: 'keys.create',
      description:
        '`key` is in this answer only: the host keeps a digest. An `Idempotency-Key` is not honoured, so the answer is not kept either; a repetition makes another key. A key with `keys:write` can make keys of any scope.',
      body: KeyInput,
      rejections: ['reference_unknown'],
      make: async (ledger, body) => {
        checkScopes(body.scopes ?? [], services.permissions);
        return madeOnWire(await ledger.keys.create(body));
      },
    }),
    keys.read('A key by its id. The key itself is never shown again.'),
    keys.act('rotate', 'Rotate a key', {
      action: 'keys.rotate',
      description:
        'Makes a successor with the same rights, which is the item of the answer. The old key ends after the overlap.',
      body: RotationInput.optional(),
      rejections: ['key_not_active'],
      make: async (ledger, id: string, body) =>
        madeOnWire(await ledger.keys.rotate(id, body ?? {})),
    }),
    keys.remove(
      {
        action: 'keys.revoke',
        summary: 'Revoke a key',
        description:
          'At once, on every host. It stays in the list. Revoking again changes nothing.',
      },
      async (ledger: TenantLedger, id: string) => onWire(await ledger.keys.revoke(id)),
    ),
    listPermissions(services),
  ];
}

function listPermissions({ permissions }: KeyApiServices): Endpoint {
  return endpoint({
    operationId: 'listPermissions',
    method: 'GET',
    path: '/api/admin/permissions',
    tag: ADMIN,
    summary: 'List permissions',
    description: 'The scopes that keys may have, each with what it permits.',
    access: adminAccess('keys:read'),
    responses: { 200: { description: 'All scopes', schema: Permissions } },
    rejections: [],
    idempotency: 'none',
    async handle() {
      const items = [...permissions].map(([scope, description]) => ({ scope, description }));
      const body = { success: true, count: items.length, moreResults: false, next: null, items };
      return { status: 200, body };
    },
  });
}

/** A scope that no operation needs is a mistake. */
export function checkScopes(
  scopes: readonly string[],
  permissions: ReadonlyMap<string, string>,
): void {
  const errors = scopes.flatMap((scope, index) =>
    permissions.has(scope)
      ? []
      : [{ pointer: `/scopes/${index}`, detail: 'There is no such scope' }],
  );
  if (errors.length > 0) throw refuse('invalid_request', undefined, { errors });
}

function onWire({ issuedAt, ...key }: KeyView) {
  return { ...key, createdAt: issuedAt };
}

function madeOnWire({ key, ...view }: Shown<KeyView>) {
  return { ...onWire(view), key };
}

const REFUSALS = rows({
  KeyUnknown: { code: 'not_found' },
  KeyExists: { code: 'duplicate' },
  KeyNotActive: { code: 'key_not_active' },
  ExpiryInThePast: {
    code: 'invalid_request',
    text: ({ expiresAt }) => `The expiry ${expiresAt} has passed`,
  },
  OverlapOutOfRange: {
    code: 'invalid_request',
    text: ({ max }) => `The overlap is 0 to ${max} days`,
  },
});

export const KEYS = apiSlice(keyEndpoints, REFUSALS);
