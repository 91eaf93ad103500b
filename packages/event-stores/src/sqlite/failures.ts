/** What SQLite's and the file system's errors mean for a caller of the event store. */
import type { EventStoreErrorCode } from '@counterfoil/core';

/** A failure as it crosses from the writer's thread; without a code the request itself was at fault. */
export interface Failure {
  readonly code: EventStoreErrorCode | undefined;
  readonly message: string;
}

/** A failure that the store has found out itself, told like those of SQLite. */
export class LogFailure extends Error {
  readonly code: EventStoreErrorCode;

  constructor(code: EventStoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const BY_RESULT_CODE: ReadonlyMap<number, EventStoreErrorCode> = new Map([
  [1, 'corrupt'], // ERROR: the statements are fixed, so the tables are not what they were
  [3, 'read-only'], // PERM
  [5, 'locked'], // BUSY
  [6, 'locked'], // LOCKED
  [8, 'read-only'], // READONLY
  [10, 'unavailable'], // IOERR
  [11, 'corrupt'], // CORRUPT
  [13, 'full'], // FULL
  [14, 'unavailable'], // CANTOPEN
  [18, 'too-large'], // TOOBIG
  [24, 'corrupt'], // FORMAT
  [26, 'corrupt'], // NOTADB
]);
/** The one result that is the request's fault: a value of the wrong type. */
const CONSTRAINT = 19;
const PRIMARY_CODE_MASK = 0xff;
/** The shared-memory file could not be made larger: what a full disk looks like to the WAL index. */
const IOERR_SHMSIZE = 4874;
const UNIQUE_VIOLATIONS: ReadonlySet<number> = new Set([1555, 2067, 2579]);

const BY_ERRNO: ReadonlyMap<string, EventStoreErrorCode> = new Map([
  ['EROFS', 'read-only'],
  ['EACCES', 'read-only'],
  ['EPERM', 'read-only'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
]);

/** Sorts an error into the port's codes. `path` names the log in the message. */
export function failureOf(error: unknown, path: string): Failure {
  if (error instanceof LogFailure) return { code: error.code, message: error.message };
  if (!(error instanceof Error)) return { code: 'unavailable', message: `${path}: ${error}` };
  const message = `${path}: ${error.message}`;
  const result = 'errcode' in error ? error.errcode : undefined;
  if (typeof result === 'number') return { code: codeOf(result), message };
  const name = 'code' in error ? String(error.code) : '';
  if ('syscall' in error) return { code: BY_ERRNO.get(name) ?? 'unavailable', message };
  // A number in the file that no number of the log can have become.
  if (name === 'ERR_OUT_OF_RANGE') return { code: 'corrupt', message };
  return { code: undefined, message };
}

function codeOf(result: number): EventStoreErrorCode | undefined {
  if (result === IOERR_SHMSIZE) return 'full';
  // The writer knows what is in the log: a row that should not be there is damage.
  if (UNIQUE_VIOLATIONS.has(result)) return 'corrupt';
  const primary = result & PRIMARY_CODE_MASK;
  return primary === CONSTRAINT ? undefined : (BY_RESULT_CODE.get(primary) ?? 'unavailable');
}
