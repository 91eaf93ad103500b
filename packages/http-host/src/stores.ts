/** Opens the log and the read models that a configuration names by URL. */
import { createMemoryEventStore, type EventStore } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import {
  createMemoryReadModelStore,
  openSqliteReadModelStore,
  type ReadModelStore,
} from '@counterfoil/projections';

const SQLITE = 'sqlite:';

/** The file that an URL of the form `sqlite:<path>` names; undefined for `memory:`. */
export function fileOf(url: string): string | undefined {
  return url.startsWith(SQLITE) ? url.slice(SQLITE.length) : undefined;
}

/** Opens the log for writing; with `follow`, for reading beside the process that writes. */
export async function openEventStore(
  url: string,
  { follow = false }: { follow?: boolean } = {},
): Promise<EventStore> {
  const path = fileOf(url);
  return path === undefined ? createMemoryEventStore() : openSqliteEventStore({ path, follow });
}

/** Opens the read models for their worker; with `readOnly`, for queries beside it. */
export function openReadModels(
  url: string,
  { readOnly = false, told }: { readOnly?: boolean; told?: () => unknown } = {},
): ReadModelStore {
  const path = fileOf(url);
  return path === undefined
    ? createMemoryReadModelStore()
    : openSqliteReadModelStore({ path, readOnly, ...(told !== undefined && { told }) });
}
