/** Opens a database read-only, also in folders that are not writable. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

const BUSY_TIMEOUT_MS = 2_000;
const READONLY = 8;
const CANTOPEN = 14;
const PRIMARY_CODE_MASK = 0xff;

/**
 * SQLite creates files beside a database that it reads. Where it may not, and there is no write-ahead
 * log, so that no other process has it open, the database is opened as immutable.
 */
export function openForReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database.close();
    if (!mayNotWrite(error) || existsSync(`${path}-wal`)) throw error;
    return openUnchanging(path);
  }
}

/** For a file that no process writes: SQLite makes no files beside it. */
export function openUnchanging(path: string): DatabaseSync {
  const unchanging = pathToFileURL(path);
  unchanging.searchParams.set('immutable', '1');
  return new DatabaseSync(unchanging, { readOnly: true });
}

/** Whether it failed because SQLite cannot create files in the folder: the database may be sound. */
export function mayNotWrite(error: unknown): boolean {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) {
    return false;
  }
  const primary = error.errcode & PRIMARY_CODE_MASK;
  return primary === READONLY || primary === CANTOPEN;
}
