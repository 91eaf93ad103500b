/** One side of a move: where a ledger is, or is to be, held so that no process works on it meanwhile. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, EventStoreError } from '@counterfoil/core';
import { failing, lockForWriting } from '@counterfoil/event-stores/sqlite';
import {
  leaseOf,
  PROJECTIONS,
  PROJECTIONS_LEASE,
  type ReadModelStore,
} from '@counterfoil/projections';
import { LEADERSHIP } from '../runtime/leadership.ts';
import { Lease, SHARED_LEASE_TTL_MS } from '../runtime/lease.ts';
import { holderFor } from '../runtime/projecting/holder.ts';
import { masterKeyCheckIn } from '../settings.ts';
import { syncPath, writeDurably } from '../storage/durable.ts';
import { mark, setMarkOnce } from '../storage/host-marks.ts';
import { keptFirstEvent } from '../storage/lost-events.ts';
import { type MarkPlace, moveMarkIn } from '../storage/move-marks.ts';
import { openHostDatabase } from '../storage/open-host-database.ts';
import {
  type DataFiles,
  dataFilesOf,
  type EventLogSettings,
  engineOf,
  hostDatabaseUrlOf,
  isFile,
  isShared,
  type Located,
  openEventStore,
  openReadModels,
} from '../storage/stores.ts';
import { MoveError } from './move-error.ts';
import { MOVED_TABLES } from './moved-tables.ts';
import { type OwnTables, TablesInDatabase, TablesInFiles } from './own-tables.ts';

const LOOK_PAUSE_MS = 250;
const OWNER_ONLY_FOLDER = 0o700;
/** Of an empty file system, and of the lock of a log. */
const NOT_TAKEN = /^lost\+found$|-lock$/;
const LISTED_AT_MOST = 3;

export interface Stores extends Located, EventLogSettings {}

/** What the start of a host compares: by it stores know their log and their master key. */
export interface StoreMarks {
  readonly firstEvent: string | undefined;
  /** A digest of the key. */
  readonly masterKey: string | undefined;
}

export interface Side {
  /** For people. */
  readonly name: string;
  readonly marks: MarkPlace;
  readonly tables: OwnTables;
  /** Whether appends that are sent together keep their order; else they are to be sent one by one. */
  readonly keepsOrder: boolean;
  openLog(): Promise<EventStore>;
  /** What is there already, for people; undefined for empty stores. */
  taken(): Promise<string | undefined>;
  storeMarks(): Promise<StoreMarks>;
  setStoreMarks(marks: StoreMarks): Promise<void>;
  /** Throws a MoveError when a process may have begun to work on the stores. */
  check(): void;
  close(): Promise<void>;
}

export interface SideOptions {
  readonly isTarget: boolean;
  /** For how long leases that others hold are waited for: those of a killed process expire. */
  readonly patienceMs: number;
}

/** Opens stores, and keeps hosts from working on them until it is closed. Throws a MoveError. */
export async function openSide(stores: Stores, options: SideOptions): Promise<Side> {
  const files = dataFilesOf(stores);
  if (files !== undefined) return sideInFiles(stores, files, options);
  const url = hostDatabaseUrlOf(stores);
  if (url !== undefined && isShared(stores.eventStoreUrl)) {
    return sideOnServers(stores, url, options);
  }
  throw new MoveError(
    'refused',
    'a ledger is moved between a folder and servers: a log in PostgreSQL or EventStoreDB, with a PostgreSQL for all else. This one is neither',
  );
}

async function sideInFiles(
  stores: Stores,
  files: DataFiles,
  { isTarget }: SideOptions,
): Promise<Side> {
  const { dataDir } = stores;
  const { events } = files;
  const name = resolve(dataDir);
  if (isTarget) {
    for (const folder of new Set([dataDir, dirname(events)])) {
      mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    }
  } else if (!isFile(events)) {
    throw new MoveError('refused', `there is no log: ${events} does not exist`);
  }
  // The writer of a target takes the lock itself.
  const lock = isTarget ? undefined : locked(events);
  const tables = new TablesInFiles(files);
  return {
    name,
    marks: { folder: dataDir },
    tables,
    keepsOrder: true,
    openLog: () => openEventStore(stores, { follow: !isTarget }).catch(inUse),
    async taken() {
      const own = namesIn(dataDir, (each) => each !== basename(moveMarkIn(dataDir)));
      const others = [files.events, files.readModels].flatMap((path) =>
        dirname(path) === dataDir
          ? []
          : namesIn(dirname(path), (each) => each.startsWith(basename(path))),
      );
      const found = [...own, ...others];
      if (found.length === 0) return undefined;
      const more = found.length > LISTED_AT_MOST ? ', …' : '';
      return `${name} has ${found.slice(0, LISTED_AT_MOST).join(', ')}${more}`;
    },
    async storeMarks() {
      const check = masterKeyCheckIn(dataDir);
      const masterKey = isFile(check) ? readFileSync(check, 'utf8').trim() : undefined;
      return { firstEvent: keptFirstEvent(files), masterKey };
    },
    async setStoreMarks({ firstEvent, masterKey }) {
      writeOnce(files.logMark, firstEvent);
      writeOnce(masterKeyCheckIn(dataDir), masterKey);
      syncPath(dataDir);
    },
    check: () => undefined,
    async close() {
      tables.close();
      lock?.close();
    },
  };
}

function writeOnce(path: string, value: string | undefined): void {
  if (value !== undefined && !existsSync(path)) writeDurably(path, `${value}\n`);
}

function locked(events: string) {
  try {
    return failing(events, () => lockForWriting(events));
  } catch (error) {
    throw inUse(error);
  }
}

function inUse(error: unknown): never {
  if (!(error instanceof EventStoreError) || error.code !== 'locked') throw error;
  throw new MoveError('in-use', `${error.message}: stop the process that has it, and move again`);
}

function namesIn(folder: string, isTaken: (name: string) => boolean): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => !NOT_TAKEN.test(name) && isTaken(name));
}

async function sideOnServers(
  stores: Stores,
  url: string,
  { patienceMs }: SideOptions,
): Promise<Side> {
  await using opening = new AsyncDisposableStack();
  const database = opening.adopt(await openHostDatabase(url), (each) => each.close());
  const { pool, place } = database;
  const readModels = opening.adopt(await openReadModels(url), (each) => each.close());
  const leases: Lease[] = [];
  opening.defer(() => Promise.all(leases.map((each) => each.release())).then(() => undefined));
  const holder = holderFor(stores);
  for (const lease of await leasesOf(readModels)) {
    leases.push(await leased({ readModels, lease, holder, patienceMs, place }));
  }
  const tables = new TablesInDatabase(pool);
  const opened = opening.move();
  return {
    name: place,
    marks: { pool },
    tables,
    keepsOrder: engineOf(stores.eventStoreUrl) === 'postgres',
    openLog: () => openEventStore(stores),
    async taken() {
      const log = await openEventStore(stores);
      const head = await log.head().finally(() => log.close());
      if (head !== undefined) return `the log of ${place} has events`;
      for (const { inSchema } of MOVED_TABLES) {
        const { rowCount } = await pool.query(`SELECT FROM counterfoil_host.${inSchema} LIMIT 1`);
        if (rowCount !== 0) return `counterfoil_host.${inSchema} in ${place} has rows`;
      }
      const { rowCount } = await pool.query('SELECT FROM counterfoil_host.marks LIMIT 1');
      if (rowCount !== 0) return `hosts have worked on ${place}`;
      for (const { name } of PROJECTIONS) {
        if ((await readModels.live(name)) !== undefined) return `${place} has read models`;
      }
      return undefined;
    },
    async storeMarks() {
      return {
        firstEvent: await mark(pool, 'first-event'),
        masterKey: await mark(pool, 'master-key'),
      };
    },
    async setStoreMarks({ firstEvent, masterKey }) {
      if (firstEvent !== undefined) await setMarkOnce(pool, 'first-event', firstEvent);
      if (masterKey !== undefined) await setMarkOnce(pool, 'master-key', masterKey);
    },
    check() {
      if (leases.every(({ lost }) => !lost.aborted)) return;
      throw new MoveError('in-use', `${place} could not be kept from others: move again`);
    },
    close: () => opened.disposeAsync(),
  };
}

interface Wanted {
  readonly readModels: Awaited<ReturnType<typeof openReadModels>>;
  readonly lease: string;
  readonly holder: string;
  readonly patienceMs: number;
  readonly place: string;
}

/** Those that hosts and workers hold for as long as they run. */
async function leasesOf(readModels: ReadModelStore): Promise<readonly string[]> {
  const shards = [...Array(await readModels.shards()).keys()];
  return [LEADERSHIP, ...shards.map((shard) => leaseOf(PROJECTIONS_LEASE, shard))];
}

async function leased({ readModels, lease, holder, patienceMs, place }: Wanted): Promise<Lease> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const taken = await Lease.take(readModels, { name: lease, holder, ttlMs: SHARED_LEASE_TTL_MS });
    if (taken !== undefined) return taken;
    if (performance.now() >= until) {
      throw new MoveError(
        'in-use',
        `a host or a worker runs on ${place}: stop all of them, and move again`,
      );
    }
    await sleep(LOOK_PAUSE_MS);
  }
}
