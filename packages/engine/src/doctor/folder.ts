/** A data folder under examination: its files, permissions, and what a stopped host left behind. */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openForReading } from '@counterfoil/event-stores/sqlite';
import { counted } from '../counted.ts';
import { openKeysToRead } from '../personal-keys/open-personal-keys.ts';
import { presentIn, testClockFileIn } from '../runtime/clock.ts';
import { masterKeyCheckIn, probeMasterKey, type Settings, secretsFileIn } from '../settings.ts';
import { keptFirstEvent, readersIn } from '../storage/lost-events.ts';
import { type DataFiles, isFile, openReadModels, readModelFiles } from '../storage/stores.ts';
import { unfinishedRestoreOf } from '../storage/unfinished-restore.ts';
import { ADVICE_ON_FILES } from './advice.ts';
import type { DatabaseFile, Place } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;
const OTHERS_MAY_READ = 0o077;

const STRANGE_ADVICE =
  'See in docs/operations.md what is lost with it. Stop the host, remove what is there, and restore the file from a backup where it cannot be made again.';
const OWNER_ADVICE =
  'Run the host as the owner of the folder, or give the folder to that user (chown -R).';
const CLOCK_ADVICE =
  'No host starts on this folder. Its events lie ahead, by as much as its test clock was moved: it was a folder for tests.';
const REMADE_ADVICE =
  'Start the host, which puts the file aside and makes a new one. No money moves twice: a repeated request finds its effect in the log.';

export function folderPlace(config: Settings, files: DataFiles): Place {
  const { dataDir } = config;
  return {
    hostRuns: isLocked(files),
    advice: ADVICE_ON_FILES,
    keysName: files.keys,
    checkFiles: () => checkFiles(config, files),
    async masterKeyState() {
      const state = probeMasterKey(config);
      return state === 'unmarked' && !existsSync(files.events) ? 'sound' : state;
    },
    openKeys: () => openKeysToRead(config),
    databases: () => databasesIn(files),
    unfinishedRestore: unfinishedRestoreOf(files),
    firstEvent: async () => keptFirstEvent(files),
    readers: async () => readersIn(files),
    async openReadModels() {
      const strange = readModelFiles(files).find(isStrange);
      if (strange !== undefined) throw new Error(`${strange} is not a file`);
      if (!existsSync(dataDir)) throw new Error('there are no read models');
      return openReadModels(config.readModelUrl, { readOnly: true });
    },
    close: async () => {},
  };
}

/** Every database that exists, the log first. */
function databasesIn(files: DataFiles): readonly DatabaseFile[] {
  const { log, keys, readModels } = ADVICE_ON_FILES;
  const builds = readyReadModels(files).filter((path) => path !== files.readModels);
  return [
    { path: files.events, advice: log },
    { path: files.keys, table: 'personal_key', advice: keys },
    {
      path: files.gateway,
      table: 'request',
      advice:
        'Stop the host and restore sandbox-gateway.db from a backup; without one move it away: its older charges can then not be captured, voided or refunded.',
    },
    { path: files.answers, table: 'answer', advice: REMADE_ADVICE },
    { path: files.checkpoints, table: 'checkpoints', advice: REMADE_ADVICE },
    {
      path: files.mails,
      table: 'mails',
      advice:
        'Start the host, which puts the file aside and makes a new one. The mails that waited in it are lost.',
    },
    {
      path: files.webhooks,
      table: 'webhook_deliveries',
      advice:
        'Start the host, which puts the file aside and makes a new one. The webhooks that waited in it are lost, and the log of deliveries is not shown any more.',
    },
    {
      path: files.users,
      table: 'credentials',
      advice:
        'Stop the host and restore users.db from a backup; without one start the host, which makes a new one, and reset the password of each user.',
    },
    {
      path: files.evidence,
      table: 'evidence',
      advice:
        'Stop the host and restore evidence.db from a backup. A start puts the file aside and makes a new one: the evidence that was kept is not shown then.',
    },
    {
      path: files.activity,
      table: 'activity',
      advice:
        'Stop the host and restore activity.db from a backup. A start puts the file aside and makes a new one: what was recorded until then is not shown any more.',
    },
    { path: files.readModels, table: 'builds', advice: readModels },
    ...builds.map((path) => ({ path, table: 'meta', advice: readModels })),
  ].filter(({ path }) => isFile(path));
}

/**
 * The catalog and the builds that it has as ready: one that is being loaded may be locked, and is not
 * read before its end. All files where the catalog cannot be read.
 */
function readyReadModels(files: DataFiles): readonly string[] {
  const { readModels } = files;
  const found = readModelFiles(files);
  if (!isFile(readModels)) return found;
  try {
    const catalog = openForReading(readModels);
    try {
      const builds = catalog
        .prepare("SELECT projection || '-' || build AS name FROM builds WHERE state = 'ready'")
        .all();
      const ready = new Set(builds.map(({ name }) => `${readModels}-${name}`));
      return found.filter((path) => path === readModels || ready.has(path));
    } finally {
      catalog.close();
    }
  } catch {
    return found;
  }
}

/** Whether a process holds the lock of the log's writer. Changes nothing. */
function isLocked(files: DataFiles): boolean {
  return probeLock(lockOf(files)) === SQLITE_BUSY;
}

function lockOf({ events }: DataFiles): string {
  return `${events}-lock`;
}

/** SQLite's result code for a read of the lock's file. */
function probeLock(path: string): unknown {
  if (!isFile(path)) return undefined;
  try {
    const lock = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    try {
      lock.exec('SELECT 1 FROM sqlite_schema');
    } finally {
      lock.close();
    }
    return undefined;
  } catch (error) {
    return error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  }
}

/** Whether something exists there that is not a file. */
function isStrange(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

function checkFiles(config: Settings, files: DataFiles): Checked {
  const findings = new Findings('files');
  const { dataDir } = config;
  if (!existsSync(dataDir) || !statSync(dataDir).isDirectory()) {
    const advice = 'Set DATA_DIR to the folder of the host, or restore it from a backup.';
    findings.unexamined(`${dataDir} is not a folder: there is nothing to examine`, advice);
    return findings.made(dataDir);
  }
  findStrange(findings, { files, dataDir });
  const clock = presentIn(config).problem;
  if (clock !== undefined && isFile(testClockFileIn(dataDir))) findings.damage(clock, CLOCK_ADVICE);
  const paths = databasesIn(files).map(({ path }) => path);
  for (const path of new Set([dataDir, dirname(files.events), ...paths])) {
    findAccess(findings, path);
  }
  findReadable(findings, secretsFileIn(dataDir), 'the master key');
  for (const path of paths) findReadable(findings, path, 'data of customers');
  const left = paths.flatMap(leftoversOf);
  if (left.length > 0 && !isLocked(files)) reportLeftovers(findings, left);
  for (const name of readdirSync(dataDir).filter((each) => each.includes('.damaged-'))) {
    findings.warn(
      `${join(dataDir, name)} was put aside as damaged by a start of the host`,
      'Keep it until it is known what damaged it (the disk?), then delete it.',
    );
  }
  return findings.made(`${counted(paths.length, 'database')} in ${dataDir}`);
}

function findStrange(
  findings: Findings,
  { files, dataDir }: { readonly files: DataFiles; readonly dataDir: string },
): void {
  const marks = [secretsFileIn(dataDir), masterKeyCheckIn(dataDir), testClockFileIn(dataDir)];
  for (const path of new Set([...Object.values(files), ...readModelFiles(files), ...marks])) {
    if (isStrange(path)) {
      findings.damage(`${path} is not a file: what was kept there is gone`, STRANGE_ADVICE);
    }
  }
  const lock = lockOf(files);
  if (isStrange(lock) || probeLock(lock) === SQLITE_NOTADB) {
    findings.warn(
      `${lock} is no lock: a host refuses to start beside it`,
      'Remove it while no host runs: it holds nothing, and is made again.',
    );
  }
}

function findAccess(findings: Findings, path: string): void {
  for (const [mode, what] of [
    [constants.R_OK, 'read'],
    [constants.W_OK, 'written'],
  ] as const) {
    try {
      accessSync(path, mode);
    } catch (error) {
      // A rebuild beside this has removed it.
      if (!existsSync(path)) return;
      const message = `${path} cannot be ${what}: ${reasonOf(error)}`;
      if (what === 'read') findings.unexamined(message, OWNER_ADVICE);
      else findings.warn(`${message}; a host of this user could not start`, OWNER_ADVICE);
    }
  }
}

export function findReadable(findings: Findings, path: string, content: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS_MAY_READ) === 0) return;
  findings.warn(
    `${path} holds ${content}, and others than its owner may read it`,
    `chmod 600 the file, and those with -wal and -shm beside it`,
  );
}

function leftoversOf(path: string): readonly string[] {
  return ['-wal', '-journal']
    .map((suffix) => `${path}${suffix}`)
    .filter((left) => (statSync(left, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

function reportLeftovers(findings: Findings, leftovers: readonly string[]): void {
  for (const left of leftovers) {
    findings.warn(
      `${left} is left from a host that was not stopped in order; it holds what was committed last`,
      'Leave it where it is and start the host, which takes it in. Only if the database beside it was restored from a backup does it belong to another file: then remove it first.',
    );
  }
}
