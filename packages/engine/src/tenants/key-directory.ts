/** Finds keys for authentication: whose a key is by the read models, what it is worth by the log. */
import { Tenant, type TenantId } from '@counterfoil/core';
import type { KnownKey, ReferenceView } from '@counterfoil/projections';
import type { CommandRunner } from '../command-runner.ts';
import type { Environment, KeyKind } from './api-keys.ts';

/** What is kept of a key. The key itself is not. */
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
}

/** The port to the keys. Asked on every request, so it should answer from memory. */
export interface KeyDirectory {
  /** The key with this SHA-256 digest (hex), revoked and expired ones included. */
  find(digest: string): Promise<KeyRecord | undefined>;
}

/** Read models may be behind, and a key is revoked at once: the tenant's own stream has the last word. */
export function keyDirectory(reference: ReferenceView, commands: CommandRunner): KeyDirectory {
  // Every state of a tenant is another object, so what was made of one need not be made again.
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
      const found = await reference.keyByDigest(digest);
      if (found === undefined) return undefined;
      const { tenantId, keyId } = found;
      const tenant = await commands.stateOf(Tenant, Tenant.streamOf({ tenantId }));
      return tenant === null ? undefined : recordIn(tenant, tenantId, keyId);
    },
  };
}

function recordOf(key: KnownKey, { requestsPerMinute }: Tenant.Settings): KeyRecord {
  const { keyId, tenantId, kind, environment, scopes, expiresAt, revokedAt } = key;
  return {
    keyId,
    tenantId,
    kind,
    environment,
    scopes: new Set(scopes),
    ...(expiresAt !== null && { expiresAt: Date.parse(expiresAt) }),
    ...(revokedAt !== null && { revokedAt: Date.parse(revokedAt) }),
    rateLimitPerMinute: requestsPerMinute,
  };
}
