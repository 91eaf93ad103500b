/** What a start does about damaged databases: what can be made again is put aside, anything else refuses the start. */
import { existsSync, renameSync } from 'node:fs';
import { faultAtStart, makePrivate } from '@counterfoil/event-stores/sqlite';
import type { Logger } from '../logger.ts';
import { dataFilesOf, type Located, readModelFiles } from './stores.ts';

const MAX_ASIDE = 1_000;
/** SQLite's name for a database without a file. */
const IN_MEMORY = ':memory:';

/** Results of SQLite that mean damage: ERROR (its tables are not what they were), CORRUPT, NOTADB. */
const DAMAGE: ReadonlySet<number> = new Set([1, 11, 26]);
/** IOERR_SHORT_READ: the file ends within a page. */
const CUT_OFF = 522;
const PRIMARY_CODE_MASK = 0xff;

/** A file cannot be used; the message names it and says what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** What is wrong inside a database; undefined when it is sound, absent, or too large to look through. */
function faultOf(path: string): string | undefined {
  try {
    return faultAtStart(path);
  } catch (error) {
    if (isDamage(error)) return error.message;
    throw new StorageError(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

function isDamage(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode === CUT_OFF || DAMAGE.has(error.errcode & PRIMARY_CODE_MASK))
  );
}

/** Renames a database with all that belongs to it; answers its new name. */
function putAside(path: string): string {
  for (let number = 1; number <= MAX_ASIDE; number += 1) {
    const aside = `${path}.damaged-${number}`;
    if (existsSync(aside)) continue;
    for (const suffix of ['', '-wal', '-shm', '-journal']) {
      if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
    }
    return aside;
  }
  throw new StorageError(`${path}: remove the files beside it whose names end in .damaged-…`);
}

/** Opens a replaceable database: a damaged one is renamed and recreated. */
export function openOrReplace<Opened>(
  path: string,
  open: (path: string) => Opened,
  logger: Logger,
): Opened {
  const fault = faultOf(path);
  if (fault !== undefined) logPutAside(path, fault, logger);
  try {
    return opened(path, open);
  } catch (error) {
    if (!isDamage(error)) {
      throw new StorageError(`${path}: ${(error as Error).message}`, { cause: error });
    }
    logPutAside(path, error.message, logger);
    return opened(path, open);
  }
}

function opened<Opened>(path: string, open: (path: string) => Opened): Opened {
  if (path !== IN_MEMORY) makePrivate(path);
  return open(path);
}

function logPutAside(path: string, fault: string, logger: Logger): void {
  const aside = putAside(path);
  logger.error({ path, aside, fault }, 'a damaged file was put aside and is recreated');
}

/** Before anything has them open: what is put aside is made again from the log. */
export function replaceDamagedReadModels(located: Located, logger: Logger): void {
  const files = dataFilesOf(located);
  for (const path of files === undefined ? [] : readModelFiles(files)) {
    const fault = faultOf(path);
    if (fault !== undefined) logPutAside(path, fault, logger);
  }
}

/** Opens a database that nothing can replace; a damaged one refuses the start, unchanged. */
export function openSound<Opened>(
  path: string,
  open: (path: string) => Opened,
  advice: string,
): Opened {
  const fault = faultOf(path);
  if (fault !== undefined) throw new StorageError(`${path} is damaged: ${fault}. ${advice}`);
  try {
    return opened(path, open);
  } catch (error) {
    const { message } = error as Error;
    const said = message.startsWith(path) ? message : `${path}: ${message}`;
    throw new StorageError(isDamage(error) ? `${said}. ${advice}` : said, { cause: error });
  }
}
