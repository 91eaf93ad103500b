/** Finds keys for authentication: the tenant by the read model, the key's state by the log. */
import { Tenant, type TenantId } from '@counterfoil/core';
import type { KnownKey, ReferenceView } from '@counterfoil/projections';
import { LRUCache } from 'lru-cache';
import type { CommandRunner } from '../command-runner.ts';
import type { Environment, KeyKind } from './api-keys.ts';

/** The stored data of a key, without the key itself. */
export interface KeyRecord {
  readonly keyId: string;
  readonly tenantId: TenantId;
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly scopes: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** Milliseconds since the epoch. */
  readonly revokedAt?: number;
  readonly rateLimitPerMinute: number;
  /** Callers must name an active user. Default: false. */
  readonly requireKnownUsers?: boolean;
  /** Of a key that is bound to an application. */
  readonly bound?: { readonly applicationId: number; readonly allowedOrigins: readonly string[] };
}

/** Port of the key look-up. Called on every request, so it should answer from memory. */
export interface KeyDirectory {
  /** The key with this SHA-256 digest (hex), revoked and expired ones included. */
  find(digest: string): Promise<KeyRecord | undefined>;
}

/** Where a key was issued. That never changes, so it is read once. */
type Place = Pick<KnownKey, 'tenantId' | 'keyId'>;

/** Of the keys in use. */
const MAX_PLACES = 1_000;

/** Reads the key's state from the tenant's stream: a revocation takes effect at once, even when read models are behind. */
export function keyDirectory(
  reference: Pick<ReferenceView, 'keyByDigest'>,
  commands: CommandRunner,
): KeyDirectory {
  const places = new LRUCache<string, Place>({ max: MAX_PLACES });
  const placeOf = async (digest: string): Promise<Place | undefined> => {
    const found = await reference.keyByDigest(digest);
    if (found === undefined) return undefined;
    const { tenantId, keyId } = found;
    const place = { tenantId, keyId };
    places.set(digest, place);
    return place;
  };
  // Every state of a tenant is a new object, so records can be cached per state.
  const made = new WeakMap<Tenant.Tenant, Map<string, KeyRecord>>();
  const recordIn = (tenant: Tenant.Tenant, tenantId: TenantId, keyId: string) => {
    const records = made.get(tenant) ?? new Map<string, KeyRecord>();
    const known = records.get(keyId);
    if (known !== undefined) return known;
    const key = tenant.keys[keyId];
    if (key === undefined) return undefined;
    const record = recordOf({ ...key, tenantId }, tenant.settings);
    made.set(tenant, records.set(keyId, record));
    return record;
  };
  return {
    async find(digest) {
      const place = places.get(digest) ?? (await placeOf(digest));
      if (place === undefined) return undefined;
      const { tenantId, keyId } = place;
      const tenant = await commands.stateOf(Tenant, Tenant.streamOf(place));
      return tenant === null ? undefined : recordIn(tenant, tenantId, keyId);
    },
  };
}

function recordOf(
  key: KnownKey,
  { requestsPerMinute, requireKnownUsers }: Tenant.Settings,
): KeyRecord {
  const { keyId, tenantId, kind, environment, scopes, expiresAt, revokedAt } = key;
  const { applicationId, allowedOrigins } = key;
  return {
    keyId,
    tenantId,
    kind,
    environment,
    scopes: new Set(scopes),
    ...(expiresAt !== null && { expiresAt: Date.parse(expiresAt) }),
    ...(revokedAt !== null && { revokedAt: Date.parse(revokedAt) }),
    rateLimitPerMinute: requestsPerMinute,
    requireKnownUsers,
    ...(applicationId !== null && { bound: { applicationId, allowedOrigins } }),
  };
}
