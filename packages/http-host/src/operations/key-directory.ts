/** Finds keys for authentication in the reference read model. */
import { Tenant } from '@counterfoil/core';
import type { KnownKey, ReferenceView } from '@counterfoil/projections';
import type { KeyDirectory, KeyRecord } from '../http/authenticate.ts';

export function keyDirectory(reference: ReferenceView): KeyDirectory {
  return {
    async find(digest) {
      const key = await reference.keyByDigest(digest);
      if (key === undefined) return undefined;
      const { tenant } = await reference.names(key.tenantId);
      const settings = tenant?.settings ?? Tenant.DEFAULT_SETTINGS;
      return recordOf(key, settings);
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
