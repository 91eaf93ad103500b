/** Has SQLite examine every database of the folder: broken pages, and indices that do not fit. */

import { existsSync } from 'node:fs';
import { faultsIn, mayNotWrite, openForReading } from '@counterfoil/event-stores/sqlite';
import { counted } from '../counted.ts';
import { type DataFiles, isFile } from '../storage/stores.ts';
import { ADVICE_ON_FILES } from './advice.ts';
import type { Examined, Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';
import { databasesIn } from './folder.ts';

const MAX_FAULTS = 5;

const COPY_ADVICE =
  'Copy the folder to where this user may write, and examine the copy (DATA_DIR=copy counterfoil doctor); or run the doctor as the owner of the folder.';

/** What to do about a damaged database. */
function adviceFor(path: string, files: DataFiles): string {
  if (path === files.events) {
    return existsSync(`${path}-wal`)
      ? `If events.db was just put back from a backup, its -wal and -shm belong to the file before it: remove both and examine it again. Else: ${ADVICE_ON_FILES.log}`
      : ADVICE_ON_FILES.log;
  }
  if (path === files.keys) return ADVICE_ON_FILES.keys;
  if (path === files.gateway) {
    return 'Stop the host and restore sandbox-gateway.db from a backup; without one move it away: its older charges can then not be captured, voided or refunded.';
  }
  if (path === files.answers || path === files.checkpoints) {
    return 'Start the host, which puts the file aside and makes a new one. No money moves twice: a repeated request finds its effect in the log.';
  }
  if (path === files.mails) {
    return 'Start the host, which puts the file aside and makes a new one. The mails that waited in it are lost, and those of what happened before that start.';
  }
  return 'Stop the host, remove the file (with its -wal and -shm), and start the host: it makes the read models again from the log.';
}

/** SQLite's own check of every file. The quick one leaves out whether indices fit their tables. */
export function checkDatabases({ files, quick, onProgress }: Examined): Checked {
  const findings = new Findings('pages');
  const paths = databasesIn(files);
  const check = quick ? 'quick_check' : 'integrity_check';
  let done = 0;
  for (const path of paths) {
    try {
      const faults = faultsOf(path, !quick);
      // A rebuild beside this has removed it, or an erasure.
      if (!isFile(path)) continue;
      for (const fault of faults) {
        findings.damage(`${path} is damaged: ${fault}`, adviceFor(path, files));
      }
      // What is the matter with a file that is no log is told at the end of the log.
      if (faults.length === 0 && path !== files.events) findAnother(findings, path, files);
    } catch (error) {
      if (!isFile(path)) continue;
      findings.warn(`${path} cannot be examined from here: ${reasonOf(error)}`, COPY_ADVICE);
    }
    done += 1;
    onProgress('Databases', done, paths.length);
  }
  return findings.made(`${counted(paths.length, 'database')}, PRAGMA ${check}`);
}

/** The same of a log in a file whose host keeps everything else in a database. */
export function checkLogFile(path: string, { quick }: Pick<Examining, 'quick'>): Checked {
  const findings = new Findings('pages');
  for (const fault of faultsOf(path, !quick)) {
    findings.damage(`${path} is damaged: ${fault}`, ADVICE_ON_FILES.log);
  }
  return findings.made('the log; PostgreSQL is not looked into');
}

/** A table that each database has from its beginning. */
function tableOf(path: string, files: DataFiles): string {
  const { keys, gateway, answers, checkpoints, mails, readModels } = files;
  const tables = new Map([
    [keys, 'personal_key'],
    [gateway, 'request'],
    [answers, 'answer'],
    [checkpoints, 'checkpoints'],
    [mails, 'mails'],
    [readModels, 'builds'],
  ]);
  return tables.get(path) ?? 'meta';
}

/** A sound database in the place of another, or one that nothing was ever written to. */
function findAnother(findings: Findings, path: string, files: DataFiles): void {
  const database = openForReading(path);
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const table = tableOf(path, files);
    if (tables.length === 0) {
      findings.warn(`${path} is empty, as a start that was broken off leaves it`, EMPTY_ADVICE);
    } else if (!tables.some(({ name }) => name === table)) {
      findings.damage(
        `${path} is another database: it has no table ${table}`,
        'Stop the host and put the right file in its place. Without one move this one away (with its -wal and -shm), and see in docs/operations.md what is lost with it.',
      );
    }
  } finally {
    database.close();
  }
}

const EMPTY_ADVICE =
  'Start the host, which fills it. If it had something in it before, see in docs/operations.md what is lost with it.';

function faultsOf(path: string, thorough: boolean): readonly string[] {
  try {
    const database = openForReading(path);
    try {
      return faultsIn(database, { thorough, limit: MAX_FAULTS });
    } finally {
      database.close();
    }
  } catch (error) {
    if (mayNotWrite(error)) throw error;
    return [reasonOf(error)];
  }
}
