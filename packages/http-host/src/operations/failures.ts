/** Failures below the HTTP layer that callers are told of, for they are no surprise. */
import { EventStoreError } from '@counterfoil/core';
import { PageOutOfReach, ReadModelError } from '@counterfoil/projections';
import { UnknownGateway } from '../gateways/registry.ts';
import { HostDatabaseError } from '../host-database.ts';
import { type Refusal, refuse } from '../http/errors.ts';

const RETRY = { headers: { 'Retry-After': '1' } };

/** Undefined for what nobody foresaw. */
export function refusalOfFailure(error: unknown): Refusal | undefined {
  if (error instanceof ReadModelError) {
    return refuse('overloaded', 'The read models are being built; repeat in a moment', RETRY);
  }
  if (error instanceof EventStoreError && UNAVAILABLE.has(error.code)) {
    return refuse('overloaded', 'The log takes no events at the moment; nothing was done', RETRY);
  }
  if (error instanceof HostDatabaseError) {
    return refuse('overloaded', 'The hosts cannot agree at the moment; nothing was done', RETRY);
  }
  if (error instanceof PageOutOfReach) return refuse('page_out_of_reach');
  if (error instanceof UnknownGateway) return refuse('gateway_error');
  return undefined;
}

const UNAVAILABLE: ReadonlySet<EventStoreError['code']> = new Set([
  'closed',
  'full',
  'read-only',
  'unavailable',
]);
