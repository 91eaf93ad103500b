/** The tenant and the caller of the slices of a ledger. */
import type { TenantId } from '@counterfoil/core';
import type { Caller } from './command-runner.ts';
import type { KeyScope } from './idempotency-key.ts';
import { refused } from './refusal.ts';

export interface Acting extends KeyScope {
  readonly tenantId: TenantId;
  readonly caller: Caller;
  /** Where the caller's request came from. */
  readonly remoteAddress?: string | undefined;
  /**
   * Takes the id that a recorded call is about: for an interface that records its requests itself. It may
   * be called again with the id of what was made.
   */
  readonly noteSubject?: (id: unknown) => void;
}

/** Whether a call is about sandbox data. Refuses live data in the test environment. */
export function sandboxOf({ environment }: KeyScope, asked: boolean | undefined): boolean {
  if (environment === 'live') return asked ?? false;
  if (asked === false) throw refused({ type: 'LiveDataForbidden' });
  return true;
}
