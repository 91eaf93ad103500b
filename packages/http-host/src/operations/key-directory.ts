/** Finds keys for authentication: whose a key is by the read models, what it is worth by the log. */
import { Tenant } from '@counterfoil/core';
import type { KnownKey, ReferenceView } from '@counterfoil/projections';
import type { KeyDirectory, KeyRecord } from '../http/authenticate.ts';
import type { Ledger } from './ledger.ts';

/** Read models may be behind, and a key is revoked at once: the tenant's own stream has the last word. */
export function keyDirectory(reference: ReferenceView, ledger: Ledger): KeyDirectory {
  return {
    async find(digest) {
      const found = await reference.keyByDigest(digest);
      if (found === undefined) return undefined;
      const { tenantId, keyId } = found;
      const tenant = await ledger.stateOf(Tenant, Tenant.streamOf({ tenantId }));
      const key = tenant?.keys[keyId];
      if (tenant === null || key === undefined) return undefined;
      return recordOf({ ...key, tenantId }, tenant.settings);
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
