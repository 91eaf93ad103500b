/** Ids from idempotency keys: a key always names the same effect, over every interface. */
import type { TenantId, TransactionId } from '@counterfoil/core';
import { deterministicUuid, uuidV7 } from './ids.ts';

/** What a key is unique within: one operation of one tenant in one environment. */
export interface KeyScope {
  readonly tenantId: TenantId;
  readonly environment: 'live' | 'test';
}

/** The parts that identify a key. */
export function keyParts(
  { tenantId, environment }: KeyScope,
  operation: string,
  key: string,
): readonly [tenant: string, environment: string, operation: string, key: string] {
  return [String(tenantId), environment, operation, key];
}

/** The id of what an operation brings about: named by its key and by what it acts on, new without a key. */
export function idOfKey(
  scope: KeyScope,
  operation: string,
  { key, actsOn = [] }: { readonly key?: string | undefined; readonly actsOn?: readonly string[] },
): TransactionId {
  const id =
    key === undefined
      ? uuidV7()
      : deterministicUuid([...keyParts(scope, operation, key), ...actsOn]);
  return id as TransactionId;
}
