/** Makes the writer of a log the only one, in this process and beyond. */
import { DatabaseSync } from 'node:sqlite';
import { LogFailure } from './failures.ts';

const SQLITE_BUSY = 5;

/**
 * Holds the exclusive lock of an empty database beside the log until it is closed. The lock is the
 * kernel's: it vanishes with its holder, however that ends, so there is nothing to clean up. The
 * log itself stays open to readers.
 */
export function lockForWriting(path: string): DatabaseSync {
  const lock = new DatabaseSync(`${path}-lock`, { timeout: 0 });
  try {
    // Nothing is ever written, so there is nothing to journal: no further file appears.
    lock.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new LogFailure('locked', `${path}: another store has this log open for writing`);
    }
    throw error;
  }
}
