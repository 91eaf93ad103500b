/** Makes the writer of a log the only one, in this process and beyond. */
import { DatabaseSync } from 'node:sqlite';
import { failureOf, LogFailure } from './failures.ts';
import { makePrivate } from './make-private.ts';

const SQLITE_BUSY = 5;

/** For something else in place of the lock's file: a text, a folder. */
const ADVICE = 'It holds nothing: remove it while no host runs, and it is made again';

/**
 * Holds the exclusive lock of an empty database beside the log until it is closed. It is a lock of the
 * operating system, which releases it when the process ends in any way. Readers of the log are not
 * affected.
 */
export function lockForWriting(path: string): DatabaseSync {
  const file = `${path}-lock`;
  try {
    return locked(file);
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new LogFailure('locked', `${path}: another store has this log open for writing`);
    }
    const { code = 'unavailable', message } = failureOf(error, `${file}, the lock of the log`);
    const isNoLock = code === 'corrupt' || code === 'unavailable';
    throw new LogFailure(code, isNoLock ? `${message}. ${ADVICE}` : message);
  }
}

function locked(file: string): DatabaseSync {
  makePrivate(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is ever written: without a journal file.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}
