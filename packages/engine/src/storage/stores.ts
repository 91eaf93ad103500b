/** Where a host keeps what it keeps, and how the stores that a configuration names are opened. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createMemoryEventStore, type EventStore, EventStoreError } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import {
  createMemoryReadModelStore,
  openSqliteReadModelStore,
  type ReadModelStore,
} from '@counterfoil/projections';
import type { PostgresReadModelStore } from '@counterfoil/projections/postgres';
import { hasEnded } from '../runtime/process-holder.ts';

const SQLITE = 'sqlite:';

/** What keeps events or read models; the scheme of an URL names it. */
export type Engine = 'memory' | 'sqlite' | 'eventstoredb' | 'postgres';

export const EVENT_STORE_SCHEMES: Readonly<Record<string, Engine>> = {
  'sqlite:': 'sqlite',
  'memory:': 'memory',
  'esdb:': 'eventstoredb',
  'esdb+discover:': 'eventstoredb',
  'kurrentdb:': 'eventstoredb',
  'kurrentdb+discover:': 'eventstoredb',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};

export const READ_MODEL_SCHEMES: Readonly<Record<string, Engine>> = {
  'sqlite:': 'sqlite',
  'memory:': 'memory',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};

/** Clients of EventStoreDB, each an optional package. */
export const EVENT_STORE_CLIENTS = ['eventstore', 'kurrentdb'] as const;
export type EventStoreClient = (typeof EVENT_STORE_CLIENTS)[number];

/** Throws for an URL of no engine. */
export function engineOf(url: string): Engine {
  const engine = EVENT_STORE_SCHEMES[url.slice(0, url.indexOf(':') + 1)];
  if (engine === undefined) throw new TypeError('no engine has URLs of this scheme');
  return engine;
}

/** Whether several hosts may use it at a time. */
export function isShared(url: string): boolean {
  const engine = engineOf(url);
  return engine === 'eventstoredb' || engine === 'postgres';
}

/** The file that an URL of the form `sqlite:<path>` names; undefined for any other. */
export function fileOf(url: string): string | undefined {
  return url.startsWith(SQLITE) ? url.slice(SQLITE.length) : undefined;
}

/** The files of a host that keeps everything in files. */
export interface DataFiles {
  readonly events: string;
  /** The catalog; builds stand beside it, and their names begin with its. */
  readonly readModels: string;
  readonly gateway: string;
  readonly answers: string;
  readonly checkpoints: string;
  /** The keys of customers: without them the personal data in the log is unreadable. */
  readonly keys: string;
  /** Mails that are to be sent, and how far the log has been read for them. */
  readonly mails: string;
  /** Deliveries of webhooks, and how far the log has been read for them. */
  readonly webhooks: string;
  /** Passwords and sessions of users. */
  readonly users: string;
  /** Files that chargebacks are represented with, sealed under the keys of customers. */
  readonly evidence: string;
  /** Who did what, and what became of it. */
  readonly activity: string;
  /** Tells this log from another. */
  readonly logMark: string;
}

export interface Located {
  readonly dataDir: string;
  readonly eventStoreUrl: string;
  readonly readModelUrl: string;
}

/** Undefined for a host that keeps its log or its read models elsewhere, or in memory. */
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
    webhooks: join(dataDir, 'webhooks.db'),
    users: join(dataDir, 'users.db'),
    evidence: join(dataDir, 'evidence.db'),
    activity: join(dataDir, 'activity.db'),
    logMark: join(dataDir, 'log.check'),
  };
}

export function isInMemory({ eventStoreUrl }: Located): boolean {
  return engineOf(eventStoreUrl) === 'memory';
}

/** The PostgreSQL that keeps what hosts keep beside their log; undefined where files or memory do. */
export function hostDatabaseUrlOf({ readModelUrl }: Located): string | undefined {
  return engineOf(readModelUrl) === 'postgres' ? readModelUrl : undefined;
}

/** A file of the host's own in the data folder; in memory where the log is. */
export function ownFile(
  located: Located,
  name:
    | 'activity'
    | 'answers'
    | 'checkpoints'
    | 'evidence'
    | 'gateway'
    | 'mails'
    | 'users'
    | 'webhooks',
): string {
  return dataFilesOf(located)?.[name] ?? ':memory:';
}

/** What follows the catalog's name in that of a build. */
const BUILD = /^(-[a-z-]+-\d+)?$/;

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

/** Whether the path is a file, or a link to one. Opening a pipe would block. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * Longer than a cluster takes to choose another leader. Callers of a host get an error sooner than
 * background readers, which wait as long as a server can be away.
 */
const PATIENCE_MS = 8_000;

/** Which log, and how it is reached; a `Config` tells it. */
export interface EventLogSettings {
  readonly eventStoreUrl: string;
  /** What speaks to an EventStoreDB; `eventstore` when absent. */
  readonly eventStoreClient?: EventStoreClient;
  /** What the names of the log's streams begin with on an EventStoreDB; the adapter's own when absent. */
  readonly eventStorePrefix?: string | undefined;
}

/** Opens the log for writing; with `follow`, one in a file for reading beside the process that writes. */
export async function openEventStore(
  { eventStoreUrl: url, eventStoreClient: client, eventStorePrefix: prefix }: EventLogSettings,
  { follow = false }: { readonly follow?: boolean } = {},
): Promise<EventStore> {
  switch (engineOf(url)) {
    case 'memory':
      return createMemoryEventStore();
    case 'sqlite':
      return openSqliteEventStore({ path: pathOf(url), follow });
    case 'eventstoredb': {
      // Loaded only when chosen, as their drivers are.
      const { openEventStoreDb } = await import('@counterfoil/event-stores/eventstoredb');
      const opening = openEventStoreDb({
        url,
        ...(client !== undefined && { client }),
        ...(prefix !== undefined && { prefix }),
        ...(!follow && { retryMs: PATIENCE_MS }),
      });
      return opening.catch(namingLog);
    }
    case 'postgres': {
      const { openPostgresEventStore } = await import('@counterfoil/event-stores/postgres');
      const opening = openPostgresEventStore({ url, ...(!follow && { retryForMs: PATIENCE_MS }) });
      return opening.catch(namingLog);
    }
  }
}

/** What the URL names cannot be used: the operator's to mend. */
function namingLog(error: unknown): never {
  const isTold = error instanceof EventStoreError;
  if (!isTold && !(error instanceof TypeError)) throw error;
  const code = isTold ? error.code : 'unavailable';
  throw new EventStoreError(code, `the event log: ${error.message}`, { cause: error });
}

interface ReadModelOptions {
  /** For queries beside the worker. */
  readonly readOnly?: boolean;
  /** The last news of the worker. */
  readonly news?: () => unknown;
  /** Into how many shards the tenants are hashed where they are made in PostgreSQL. */
  readonly shards?: number | undefined;
}

/** Opens the read models for their worker; with `readOnly`, for queries beside it. */
export async function openReadModels(
  url: string,
  options: ReadModelOptions = {},
): Promise<ReadModelStore> {
  switch (engineOf(url)) {
    case 'memory':
      return createMemoryReadModelStore();
    case 'sqlite':
      return openSqliteReadModelStore({ path: pathOf(url), hasEnded, ...marked(options) });
    default:
      return openSharedReadModels(url, options);
  }
}

/** Opens read models in PostgreSQL, which tells how far its workers are. */
export async function openSharedReadModels(
  url: string,
  options: ReadModelOptions = {},
): Promise<PostgresReadModelStore> {
  const { openPostgresReadModelStore } = await import('@counterfoil/projections/postgres');
  const { shards, ...others } = options;
  return openPostgresReadModelStore({
    url,
    ...marked(others),
    ...(shards !== undefined && { shards }),
  });
}

/** With `news` there is a worker elsewhere: a read that finds damage leaves a mark for it. */
function marked({ news, readOnly = false }: ReadModelOptions) {
  return { readOnly, ...(news !== undefined && { news, marksDamage: true }) };
}

function pathOf(url: string): string {
  return url.slice(SQLITE.length);
}
