/** Failures below the HTTP layer that callers are told of, for they are no surprise. */
import { EventStoreError } from '@counterfoil/core';
import { PageOutOfReach, ReadModelError } from '@counterfoil/projections';
import { isOutage } from '../database-failures.ts';
import { UnknownGateway } from '../gateways/registry.ts';
import { HostDatabaseError } from '../host-database.ts';
import { type Refusal, refuse } from '../http/errors.ts';

const RETRY = { headers: { 'Retry-After': '1' } };
/** The answer to an append or a commit may have been lost on its way. */
const MAY_BE_DONE = 'repeat under the same Idempotency-Key, for it may have been done';

/** Undefined for what nobody foresaw. */
export function refusalOfFailure(error: unknown): Refusal | undefined {
  if (error instanceof ReadModelError) {
    return refuse('overloaded', 'The read models are being built; repeat in a moment', RETRY);
  }
  if (error instanceof EventStoreError && error.code === 'unavailable') {
    return refuse('overloaded', `The log cannot be reached at the moment; ${MAY_BE_DONE}`, RETRY);
  }
  if (error instanceof EventStoreError && TAKES_NOTHING.has(error.code)) {
    return refuse('overloaded', 'The log takes no events at the moment; nothing was done', RETRY);
  }
  if (error instanceof HostDatabaseError) {
    return refuse('overloaded', 'The hosts cannot agree at the moment; nothing was done', RETRY);
  }
  if (isOutage(error)) {
    return refuse('overloaded', `A database does not answer at the moment; ${MAY_BE_DONE}`, RETRY);
  }
  if (error instanceof PageOutOfReach) return refuse('page_out_of_reach');
  if (error instanceof UnknownGateway) return refuse('gateway_error');
  return undefined;
}

const TAKES_NOTHING: ReadonlySet<EventStoreError['code']> = new Set([
  'closed',
  'full',
  'read-only',
]);
