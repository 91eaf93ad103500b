/** The tenant and the caller of the slices of a ledger. */
import type { TenantId } from '@counterfoil/core';
import type { Caller } from './command-runner.ts';
import type { KeyScope } from './idempotency-key.ts';
import { refused } from './refusal.ts';

export interface Acting extends KeyScope {
  readonly tenantId: TenantId;
  readonly caller: Caller;
}

/** Whether a call is about sandbox data. Refuses live data in the test environment. */
export function sandboxOf({ environment }: KeyScope, asked: boolean | undefined): boolean {
  if (environment === 'live') return asked ?? false;
  if (asked === false) throw refused({ type: 'LiveDataForbidden' });
  return true;
}
