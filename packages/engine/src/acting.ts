/** The tenant and the caller of the slices of a ledger. */
import type { TenantId } from '@counterfoil/core';
import type { Caller } from './command-runner.ts';
import type { KeyScope } from './idempotency-key.ts';

export interface Acting extends KeyScope {
  readonly tenantId: TenantId;
  readonly caller: Caller;
  /** ISO 8601, GMT. */
  readonly now: () => string;
}
