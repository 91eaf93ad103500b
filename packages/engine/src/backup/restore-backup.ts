/** Restores a backup into an empty data folder. */
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { failing, lockForWriting } from '@counterfoil/event-stores/sqlite';
import { syncPath } from '../storage/durable.ts';
import { isFile, type Located } from '../storage/stores.ts';
import { restoringName } from '../storage/unfinished-restore.ts';
import {
  BackupError,
  type BackupPlaces,
  backupPlacesOf,
  LOG,
  LOG_MARK,
  MASTER_KEY_FILE,
} from './backup-files.ts';
import { bytesOf, damaged, digestOf, type ListedFile, type Manifest } from './manifest.ts';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY = 0o600;
/** Of an empty file system. */
const LOST_AND_FOUND = 'lost+found';
const LISTED_AT_MOST = 3;

/** Throws a BackupError unless the places of all files are free. The master key may be there already. */
export function refuseTaken(located: Located): void {
  const { files, pathOf } = backupPlacesOf(located);
  const hasKey = isFile(pathOf(MASTER_KEY_FILE));
  refuseNotEmpty(located.dataDir, (name) => !(hasKey && name === MASTER_KEY_FILE));
  for (const path of [files.events, files.readModels]) {
    refuseNotEmpty(dirname(path), (name) => name.startsWith(basename(path)));
  }
}

function refuseNotEmpty(folder: string, isTaken: (name: string) => boolean): void {
  const found = namesIn(folder).filter((name) => name !== LOST_AND_FOUND && isTaken(name));
  if (found.length === 0) return;
  const more = found.length > LISTED_AT_MOST ? ', …' : '';
  throw new BackupError(
    `${folder} is not empty (${found.slice(0, LISTED_AT_MOST).join(', ')}${more}): a restore needs an empty DATA_DIR. What an interrupted one has left can be removed`,
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Copies what `readBackup` has verified. No host can start meanwhile, nor on what an interrupted
 * restore leaves: the log is there under another name from the first moment, and comes last, after
 * its mark. A master key that is there stays, and has to be that of a backup with one. Throws a
 * BackupError.
 */
export async function restoreBackup(
  located: Located,
  backup: { readonly folder: string; readonly manifest: Manifest },
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<void> {
  refuseTaken(located);
  const places = backupPlacesOf(located);
  const { events } = places.files;
  const files = await withoutKeptKey(backup.manifest, places);
  for (const folder of [located.dataDir, dirname(events)]) {
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  }
  const lock = failing(events, () => lockForWriting(events));
  try {
    await (await open(restoringName(events), 'wx', OWNER_ONLY)).close();
    const total = bytesOf({ files });
    let done = 0;
    for (const file of inOrder(files)) {
      const before = done;
      await restoreFile(file, backup.folder, places, (read) => onProgress(before + read, total));
      done += file.bytes;
    }
  } finally {
    lock.close();
  }
}

/** The files to copy: a master key that is there is left as it is. */
async function withoutKeptKey(
  { files }: Manifest,
  { pathOf }: BackupPlaces,
): Promise<readonly ListedFile[]> {
  const path = pathOf(MASTER_KEY_FILE);
  const key = files.find(({ name }) => name === MASTER_KEY_FILE);
  if (key === undefined || !isFile(path)) return files;
  if ((await digestOf(path)) === key.sha256) return files.filter((file) => file !== key);
  throw new BackupError(`${path} is another file than that of the backup: move it away first`);
}

function inOrder(files: readonly ListedFile[]): readonly ListedFile[] {
  const named = (name: string) => files.filter((file) => file.name === name);
  const others = files.filter(({ name }) => name !== LOG_MARK && name !== LOG);
  return [...named(LOG_MARK), ...others, ...named(LOG)];
}

/** The file appears when it is whole and durable. */
async function restoreFile(
  { name, sha256 }: ListedFile,
  folder: string,
  { pathOf }: BackupPlaces,
  onRead: (bytes: number) => void,
): Promise<void> {
  const source = join(folder, name);
  const path = pathOf(name);
  const partial = restoringName(path);
  // That of the log is there.
  const into = await open(partial, name === LOG ? 'w' : 'wx', OWNER_ONLY);
  try {
    if ((await digestOf(source, { into, onRead })) !== sha256) {
      throw damaged(source, 'it was changed while it was read');
    }
    await into.sync();
  } finally {
    await into.close();
  }
  renameSync(partial, path);
  syncPath(dirname(path));
}
