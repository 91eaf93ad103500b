/** Maps failures of stores and gateways to refusals. */
import { EventStoreError } from '@counterfoil/core';
import { PageOutOfReach, ReadModelError } from '@counterfoil/projections';
import { Refused, refused } from './refusal.ts';
import { isOutage } from './storage/database-failures.ts';
import { HostDatabaseError } from './storage/host-database-error.ts';

/** What a use case refuses with, or the refusal that its failure amounts to; undefined for a defect. */
export function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof Refused) return error;
  if (error instanceof ReadModelError) return refused({ type: 'ReadModelsBuilding' });
  if (error instanceof EventStoreError) {
    const type = OF_EVENT_STORE[error.code];
    return type === undefined ? undefined : refused({ type });
  }
  if (error instanceof HostDatabaseError) return refused({ type: 'SharedDatabaseUnavailable' });
  if (isOutage(error)) return refused({ type: 'DatabaseUnavailable' });
  if (error instanceof PageOutOfReach) return refused({ type: 'PageOutOfReach' });
  return undefined;
}

/**
 * The storage cannot be used: it cannot be reached, another process has it open, it is damaged, it
 * belongs to a later version, or the log is not the one that the read models were filled from.
 * `cause` is the error of the store.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** A StorageError for the failure of a store to open; any other error as it is. */
export function openingError(error: unknown): unknown {
  const isOfStore =
    error instanceof EventStoreError ||
    error instanceof HostDatabaseError ||
    error instanceof ReadModelError ||
    (error instanceof Error && 'syscall' in error);
  if (!isOfStore && !isOutage(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StorageError(message, { cause: error });
}

const OF_EVENT_STORE: Partial<Record<EventStoreError['code'], 'LogUnavailable' | 'LogReadOnly'>> = {
  unavailable: 'LogUnavailable',
  closed: 'LogReadOnly',
  full: 'LogReadOnly',
  'read-only': 'LogReadOnly',
};
