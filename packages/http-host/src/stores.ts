/** Where a host keeps what it keeps, and how the stores that a configuration names are opened. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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

/** The files of a host; undefined for one whose log is in memory. */
export interface DataFiles {
  readonly events: string;
  /** The catalog; builds stand beside it, and their names begin with its. */
  readonly readModels: string;
  readonly gateway: string;
  readonly answers: string;
  readonly checkpoints: string;
  /** The keys of customers: without them nothing in the log tells of a person. */
  readonly keys: string;
  /** Mails that are to be sent, and how far the log has been read for them. */
  readonly mails: string;
  /** Tells this log from another. */
  readonly logMark: string;
}

export interface Located {
  readonly dataDir: string;
  readonly eventStoreUrl: string;
  readonly readModelUrl: string;
}

export function dataFilesOf(located: Located): DataFiles | undefined {
  const { dataDir, eventStoreUrl, readModelUrl } = located;
  const events = fileOf(eventStoreUrl);
  const readModels = fileOf(readModelUrl);
  if (events === undefined || readModels === undefined) return undefined;
  return {
    events,
    readModels,
    keys: join(dataDir, 'keys.db'),
    gateway: join(dataDir, 'sandbox-gateway.db'),
    answers: join(dataDir, 'idempotency.db'),
    checkpoints: join(dataDir, 'reactors.db'),
    mails: join(dataDir, 'mails.db'),
    logMark: join(dataDir, 'log.check'),
  };
}

export function isInMemory({ eventStoreUrl }: Located): boolean {
  return fileOf(eventStoreUrl) === undefined;
}

/** A file of the host's own in the data folder; in memory where the log is. */
export function ownFile(
  located: Located,
  name: 'answers' | 'checkpoints' | 'gateway' | 'mails',
): string {
  return dataFilesOf(located)?.[name] ?? ':memory:';
}

/** What follows the catalog's name in that of a build. */
const BUILD = /^(-[a-z]+-\d+)?$/;

/** The files of the read models: the catalog and its builds. */
export function readModelFiles({ readModels }: DataFiles): readonly string[] {
  const folder = dirname(readModels);
  if (!existsSync(folder)) return [];
  const catalog = basename(readModels);
  return readdirSync(folder)
    .filter((name) => name.startsWith(catalog) && BUILD.test(name.slice(catalog.length)))
    .sort()
    .map((name) => join(folder, name));
}

/** Whether a file stands there, or a link to one. Whoever opens a pipe waits for ever. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
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
    : openSqliteReadModelStore({
        path,
        readOnly,
        ...(told !== undefined && { told, marksDamage: true }),
      });
}
