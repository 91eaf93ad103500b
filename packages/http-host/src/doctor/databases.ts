/** Has SQLite examine every database of the folder: broken pages, and indices that do not fit. */
import { existsSync } from 'node:fs';
import { faultsIn, mayNotWrite, openForReading } from '@counterfoil/event-stores/sqlite';
import type { DataFiles } from '../stores.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';
import { databasesIn, type Examined } from './folder.ts';

const MAX_FAULTS = 5;

export const LOG_ADVICE =
  'Stop the host and copy the whole folder away before anything else. Restore events.db from the newest backup that the doctor finds sound, ask the gateway about what came after it, and have the disk examined.';

const COPY_ADVICE =
  'Copy the folder to where this user may write, and examine the copy (DATA_DIR=copy counterfoil doctor); or run the doctor as the owner of the folder.';

/** What to do about a damaged database. */
function adviceFor(path: string, files: DataFiles): string {
  if (path === files.events) {
    return existsSync(`${path}-wal`)
      ? `If events.db was just put back from a backup, its -wal and -shm belong to the file before it: remove both and examine it again. Else: ${LOG_ADVICE}`
      : LOG_ADVICE;
  }
  if (path === files.gateway) {
    return 'Stop the host and restore sandbox-gateway.db from a backup; without one move it away: its older charges can then not be captured, voided or refunded.';
  }
  if (path === files.answers || path === files.checkpoints) {
    return 'Start the host, which puts the file aside and makes a new one. No money moves twice: a repeated request finds its effect in the log.';
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
      for (const fault of faultsOf(path, !quick)) {
        findings.damage(`${path} is damaged: ${fault}`, adviceFor(path, files));
      }
    } catch (error) {
      findings.warn(`${path} cannot be examined from here: ${reasonOf(error)}`, COPY_ADVICE);
    }
    done += 1;
    onProgress('Databases', done, paths.length);
  }
  return findings.made(`${paths.length} databases, PRAGMA ${check}`);
}

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
