/** The data folder as files: what is there, who may read it, what a stopped host left behind. */

import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { counted } from '../counted.ts';
import { presentIn, testClockFileIn } from '../runtime/clock.ts';
import { masterKeyCheckIn, probeMasterKey, secretsFileIn } from '../settings.ts';
import { type DataFiles, isFile, readModelFiles } from '../storage/stores.ts';
import type { Examined } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';
import { tracesOf } from './lost-events.ts';
import { settledReadModels } from './settled-read-models.ts';

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;
const OTHERS_MAY_READ = 0o077;

/** Whether somebody holds the lock that a writer of the log holds. Changes nothing. */
export function hostRuns(files: DataFiles): boolean {
  return probeLock(lockOf(files)) === SQLITE_BUSY;
}

function lockOf({ events }: DataFiles): string {
  return `${events}-lock`;
}

/** The result of SQLite when the lock is asked for. */
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

/** Every database that is there, the log first. */
export function databasesIn(files: DataFiles): readonly string[] {
  const { events, keys, gateway, answers, checkpoints, mails } = files;
  const own = [events, keys, gateway, answers, checkpoints, mails];
  return [...own, ...settledReadModels(files)].filter(isFile);
}

/** Whether something else than a file stands there. */
export function isStrange(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

const NO_FILE = 'is not a file: what was kept there is gone';
const STRANGE_ADVICE =
  'See in docs/operations.md what is lost with it. Stop the host, remove what stands there, and put the file back from a backup where it cannot be made again.';

const OWNER =
  'Run the host as the owner of the folder, or give the folder to that user (chown -R).';

const CLOCK_ADVICE =
  'No host starts on this folder. Its events lie ahead, by as much as its test clock was moved: it was one for tests.';

/** Files that are missing, permissions, and what a host that was not stopped in order left. */
export function checkFiles({ config, files, hostRuns: runs }: Examined): Checked {
  const findings = new Findings('files');
  const { dataDir } = config;
  if (!existsSync(dataDir) || !statSync(dataDir).isDirectory()) {
    findings.damage(
      `${dataDir} is not a folder`,
      'Set DATA_DIR to the folder of the host, or restore it from a backup.',
    );
    return findings.made(dataDir);
  }
  const there = databasesIn(files);
  findStrange(findings, { files, dataDir });
  if (!existsSync(files.events)) findMissingLog(findings, files, there);
  const clock = presentIn(config).problem;
  if (clock !== undefined && isFile(testClockFileIn(dataDir))) findings.damage(clock, CLOCK_ADVICE);
  for (const path of new Set([dataDir, dirname(files.events), ...there])) {
    findAccess(findings, path);
  }
  const secrets = secretsFileIn(dataDir);
  findReadable(findings, secrets, { holds: 'the master key', advice: `chmod 600 ${secrets}` });
  for (const path of there) {
    const advice = `chmod 600 ${join(dirname(path), '*.db*')}`;
    findReadable(findings, path, { holds: 'data of customers', advice });
  }
  const left = runs ? [] : there.flatMap(leftoversOf);
  // A host that has started meanwhile has them open.
  if (left.length > 0 && !hostRuns(files)) tellLeftovers(findings, left);
  for (const name of readdirSync(dataDir).filter((each) => each.includes('.damaged-'))) {
    findings.warn(
      `${join(dataDir, name)} was put aside as damaged by a start of the host`,
      'Keep it until it is known what damaged it (the disk?), then delete it.',
    );
  }
  return findings.made(`${counted(there.length, 'database')} in ${dataDir}`);
}

function findMissingLog(findings: Findings, files: DataFiles, there: readonly string[]): void {
  if (there.length === 0 && !existsSync(files.logMark)) {
    findings.warn(
      `there is no log yet: ${files.events} does not exist`,
      'Nothing, if the host was never started here. Else set DATA_DIR to its folder.',
    );
    return;
  }
  const [trace] = tracesOf(files);
  if (trace !== undefined) {
    findings.damage(
      `the log is gone: ${files.events} does not exist, and ${trace}`,
      'Do not start the host. Restore events.db from a backup (docs/operations.md, Restore).',
    );
    return;
  }
  findings.warn(
    `there is no log: ${files.events} does not exist, and no file here remembers one; a first start was broken off`,
    'Start the host.',
  );
}

/** What stands where a file of the host belongs, and is none: a folder, a pipe. */
function findStrange(
  findings: Findings,
  { files, dataDir }: { readonly files: DataFiles; readonly dataDir: string },
): void {
  const { events, keys, gateway, answers, checkpoints, mails, logMark } = files;
  const marks = [secretsFileIn(dataDir), masterKeyCheckIn(dataDir), testClockFileIn(dataDir)];
  const own = [keys, mails, logMark, ...marks];
  for (const path of [events, gateway, answers, checkpoints, ...readModelFiles(files), ...own]) {
    if (isStrange(path)) findings.damage(`${path} ${NO_FILE}`, STRANGE_ADVICE);
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
      if (what === 'read') findings.damage(message, OWNER);
      else findings.warn(`${message}; a host that runs as this user could not start`, OWNER);
    }
  }
}

export function findReadable(
  findings: Findings,
  path: string,
  { holds, advice }: { readonly holds: string; readonly advice: string },
): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS_MAY_READ) === 0) return;
  findings.warn(`${path} holds ${holds}, and others than its owner may read it`, advice);
}

function leftoversOf(path: string): readonly string[] {
  return ['-wal', '-journal']
    .map((suffix) => `${path}${suffix}`)
    .filter((left) => (statSync(left, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

function tellLeftovers(findings: Findings, leftovers: readonly string[]): void {
  for (const left of leftovers) {
    findings.warn(
      `${left} is left from a host that was not stopped in order; it holds what was committed last`,
      'Leave it where it is and start the host, which takes it in. Only if the database beside it was put back from a backup does it belong to another file: then remove it first.',
    );
  }
}

export const MASTER_KEY_ADVICE =
  'Set MASTER_KEY (or put back secrets.json) as it was when the data was made. Without that key the gateway credentials cannot be opened, and customers and cards are not known again.';

/** Whether the key at hand is the one that the data was made under. */
export function checkMasterKey({ config }: Examined): Checked {
  const findings = new Findings('master-key');
  for (const path of [secretsFileIn(config.dataDir), masterKeyCheckIn(config.dataDir)]) {
    if (isStrange(path)) return findings.leftOut(`${path} is not a file`);
  }
  try {
    const state = probeMasterKey(config);
    if (state === 'wrong')
      findings.damage('the data was made under another master key', MASTER_KEY_ADVICE);
    if (state === 'lost')
      findings.damage('the master key of the data is missing', MASTER_KEY_ADVICE);
    if (state === 'unmarked' && existsSync(join(config.dataDir, 'events.db'))) {
      findings.warn(
        'master-key.check is missing: a wrong master key would not be noticed',
        'The next start makes it for the key at hand: make sure first that it is the right one.',
      );
    }
    return findings.made(config.masterKey === undefined ? 'secrets.json' : 'MASTER_KEY');
  } catch (error) {
    findings.damage(reasonOf(error), MASTER_KEY_ADVICE);
    return findings.made('secrets.json');
  }
}
