/** Has SQLite check the pages and indices of every database file, and whether it is the right file. */
import { existsSync } from 'node:fs';
import { faultsIn, mayNotWrite, openForReading } from '@counterfoil/event-stores/sqlite';
import { counted } from '../counted.ts';
import type { DatabaseFile, Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';

const MAX_FAULTS = 5;

const COPY_ADVICE =
  'Copy the folder to where this user may write, and examine the copy (DATA_DIR=copy counterfoil doctor); or run the doctor as the owner of the folder.';
const EMPTY_ADVICE =
  'Start the host, which fills it. If it had content before, see in docs/operations.md what is lost with it.';
const ANOTHER_ADVICE =
  'Stop the host and put the right file in its place. Without one move this one away (with its -wal and -shm), and see in docs/operations.md what is lost with it.';

/** The quick check leaves out whether indices fit their tables. */
export function checkPages({ place, quick, onProgress }: Examining): Checked {
  const findings = new Findings('pages');
  const files = place.databases();
  if (files.length === 0 && place.database !== undefined) {
    return findings.leftOut(
      'servers examine their own pages (PostgreSQL: pg_amcheck, pg_checksums)',
    );
  }
  for (const [index, file] of files.entries()) {
    try {
      checkFile(findings, file, !quick);
    } catch (error) {
      // A rebuild or an erasure beside this may have removed it.
      if (existsSync(file.path)) {
        findings.unexamined(
          `${file.path} cannot be examined from here: ${reasonOf(error)}`,
          COPY_ADVICE,
        );
      }
    }
    onProgress('Databases', index + 1, files.length);
  }
  const check = quick ? 'quick_check' : 'integrity_check';
  return findings.made(`${counted(files.length, 'database')}, PRAGMA ${check}`);
}

function checkFile(
  findings: Findings,
  { path, table, advice }: DatabaseFile,
  thorough: boolean,
): void {
  let tables: readonly unknown[];
  try {
    const database = openForReading(path);
    try {
      const faults = faultsIn(database, { thorough, limit: MAX_FAULTS });
      for (const fault of faults) findings.damage(`${path} is damaged: ${fault}`, advice);
      if (faults.length > 0 || table === undefined) return;
      tables = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .all()
        .map(({ name }) => name);
    } finally {
      database.close();
    }
  } catch (error) {
    if (mayNotWrite(error) || !existsSync(path)) throw error;
    findings.damage(`${path} is damaged: ${reasonOf(error)}`, advice);
    return;
  }
  if (tables.length === 0) {
    findings.warn(`${path} is empty, as an interrupted start leaves it`, EMPTY_ADVICE);
  } else if (!tables.includes(table)) {
    findings.damage(`${path} is another database: it has no table ${table}`, ANOTHER_ADVICE);
  }
}
