/** Maps errors of SQLite and the file system to codes of the event store port. */
import type { EventStoreErrorCode } from '@counterfoil/core';

/** A failure as the writer's thread posts it; without a code the request itself was at fault. */
export interface Failure {
  readonly code: EventStoreErrorCode | undefined;
  readonly message: string;
}

/** A failure that the store itself detects. */
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

/** The port's code and message for an error; the message names `path`. */
export function failureOf(error: unknown, path: string): Failure {
  if (error instanceof LogFailure) return { code: error.code, message: error.message };
  if (!(error instanceof Error)) return { code: 'unavailable', message: `${path}: ${error}` };
  const message = `${path}: ${error.message}`;
  const result = 'errcode' in error ? error.errcode : undefined;
  if (typeof result === 'number') return { code: codeOf(result), message };
  const name = 'code' in error ? String(error.code) : '';
  if ('syscall' in error) return { code: BY_ERRNO.get(name) ?? 'unavailable', message };
  // An integer in the file that is larger than any the log writes.
  if (name === 'ERR_OUT_OF_RANGE') return { code: 'corrupt', message };
  return { code: undefined, message };
}

function codeOf(result: number): EventStoreErrorCode | undefined {
  if (result === IOERR_SHMSIZE) return 'full';
  // The writer has checked that the row does not exist: the index or the table is damaged.
  if (UNIQUE_VIOLATIONS.has(result)) return 'corrupt';
  const primary = result & PRIMARY_CODE_MASK;
  return primary === CONSTRAINT ? undefined : (BY_RESULT_CODE.get(primary) ?? 'unavailable');
}
