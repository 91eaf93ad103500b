/** Makes a backup of a data folder, beside a running host or without one. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EventStoreError, type Position } from '@counterfoil/core';
import {
  endsOfLog,
  faultsIn,
  type LogEnds,
  openUnchanging,
  Snapshot,
} from '@counterfoil/event-stores/sqlite';
import type { Settings } from '../settings.ts';
import { syncPath, writeDurably } from '../storage/durable.ts';
import { keptFirstEvent } from '../storage/lost-events.ts';
import { isFile, type Located } from '../storage/stores.ts';
import {
  BackupError,
  type BackupName,
  type BackupPlaces,
  backupPlacesOf,
  COPIED_MARKS,
  DATABASE_NAMES,
  LOG,
  LOG_MARK,
  MASTER_KEY_FILE,
} from './backup-files.ts';
import { digestOf, type ListedFile, MANIFEST, type Manifest, manifestText } from './manifest.ts';

/** Takings of all snapshots until no event was appended in between. One takes less than a millisecond. */
const MAX_TAKINGS = 100;

const OWNER_ONLY = 0o700;

export interface BackupOptions {
  /** Is made, with the folders above it. */
  readonly folder: string;
  /** Of the program. */
  readonly version: string;
  /** ISO 8601. */
  readonly madeAt: string;
  /** Copies `secrets.json` too. Whoever has such a backup can read everything in it. */
  readonly withMasterKey?: boolean;
  /** Called with the bytes that were copied, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Copies every file that cannot be made again from the log, all as of one position of the log. The
 * folder appears when it is whole and durable. Throws a BackupError.
 */
export async function makeBackup(
  located: Located & Pick<Settings, 'masterKey'>,
  options: BackupOptions,
): Promise<Manifest> {
  const places = backupPlacesOf(located);
  const folder = resolve(options.folder);
  if (existsSync(folder)) throw new BackupError(`${folder} exists: a backup makes its own folder`);
  if (!isFile(places.files.events)) {
    throw new BackupError(`there is no log: ${places.files.events} does not exist`);
  }
  if (options.withMasterKey === true) refuseWithoutKeyFile(places);
  const partial = `${folder}.partial-${randomBytes(4).toString('hex')}`;
  mkdirSync(partial, { recursive: true, mode: OWNER_ONLY });
  try {
    const head = await copyAll(places, partial, options);
    const text = manifestText({
      version: options.version,
      madeAt: options.madeAt,
      head: head ?? null,
      files: await listedIn(partial),
    });
    writeDurably(join(partial, MANIFEST), text);
    syncPath(partial);
    renameSync(partial, folder);
    syncPath(dirname(folder));
    const { sha256: _, ...manifest } = JSON.parse(text);
    return manifest;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

function refuseWithoutKeyFile({ pathOf }: BackupPlaces): void {
  if (isFile(pathOf(MASTER_KEY_FILE))) return;
  throw new BackupError(
    `there is no ${pathOf(MASTER_KEY_FILE)}: the master key is MASTER_KEY of the environment. Keep it apart from the backup`,
  );
}

/** Answers the head of the log that was copied. */
async function copyAll(
  places: BackupPlaces,
  partial: string,
  { withMasterKey = false, onProgress = () => undefined }: BackupOptions,
): Promise<Position | undefined> {
  const names = DATABASE_NAMES.filter((name) => isFile(places.pathOf(name)));
  using opened = new DisposableStack();
  const open = (path: string) => opened.adopt(openSnapshot(path), (snapshot) => snapshot.close());
  const snapshots: readonly Named[] = names.map((name) => ({
    name,
    snapshot: open(places.pathOf(name)),
  }));
  const ends = takeAll(snapshots, open(places.files.events), places);
  copyMarks(places, partial, { ends, withMasterKey });
  const total = snapshots.reduce((sum, { snapshot }) => sum + snapshot.bytes, 0);
  let done = 0;
  for (const { name, snapshot } of snapshots) {
    const path = join(partial, name);
    const before = done;
    await snapshot.copyTo(path, (bytes) => onProgress(before + bytes, total));
    done += snapshot.bytes;
    onProgress(done, total);
    refuseFaults(path, places.pathOf(name));
    syncPath(path);
  }
  return ends?.head;
}

function openSnapshot(path: string): Snapshot {
  try {
    return new Snapshot(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

interface Named {
  readonly name: BackupName;
  readonly snapshot: Snapshot;
}

/**
 * Takes all of them while the log stands still. Should it never do so, their order is enough: nothing
 * has read further than the log goes, and it finds all that it refers to.
 */
function takeAll(
  snapshots: readonly Named[],
  live: Snapshot,
  { files }: BackupPlaces,
): LogEnds | undefined {
  for (let taking = 1; ; taking += 1) {
    let ends: LogEnds | undefined;
    for (const { name, snapshot } of snapshots) {
      take(snapshot, name);
      if (name === LOG) ends = endsOfLog(snapshot.database, files.events);
    }
    take(live, LOG);
    const now = endsOfLog(live.database, files.events);
    if (now?.head === ends?.head || taking === MAX_TAKINGS) return ends;
  }
}

function take(snapshot: Snapshot, name: BackupName): void {
  try {
    snapshot.take();
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Small files, which never change while a host runs; the mark of the log is made where it is missing. */
function copyMarks(
  { files, pathOf }: BackupPlaces,
  partial: string,
  { ends, withMasterKey }: { readonly ends: LogEnds | undefined; readonly withMasterKey: boolean },
): void {
  const kept = keptFirstEvent(files);
  if (kept !== undefined && kept !== ends?.firstId) {
    throw new BackupError(
      `${files.events} is another log than the one that belongs here. Run \`counterfoil doctor\``,
    );
  }
  if (ends !== undefined) writeDurably(join(partial, LOG_MARK), `${ends.firstId}\n`);
  const names: readonly BackupName[] = withMasterKey
    ? [...COPIED_MARKS, MASTER_KEY_FILE]
    : COPIED_MARKS;
  for (const name of names) {
    const path = pathOf(name);
    if (isFile(path)) writeDurably(join(partial, name), readFileSync(path));
  }
}

/** A copy of a damaged file is damaged. */
function refuseFaults(copy: string, source: string): void {
  let fault: string | undefined;
  try {
    const database = openUnchanging(copy);
    try {
      [fault] = faultsIn(database, { thorough: false, limit: 1 });
    } finally {
      database.close();
    }
  } catch (error) {
    throw unreadable(source, error);
  }
  if (fault !== undefined) throw unreadable(source, new Error(fault));
}

function unreadable(path: string, error: unknown): BackupError | EventStoreError {
  if (error instanceof EventStoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new BackupError(`${path} cannot be copied: ${reason}. Run \`counterfoil doctor\``, {
    cause: error,
  });
}

async function listedIn(partial: string): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for (const name of [LOG_MARK, ...COPIED_MARKS, MASTER_KEY_FILE, ...DATABASE_NAMES] as const) {
    const path = join(partial, name);
    if (!isFile(path)) continue;
    files.push({ name, bytes: statSync(path).size, sha256: await digestOf(path) });
  }
  return files;
}
