/** Checksums of stored texts: SQLite detects a broken page, but not a flipped bit in a text. */
import { closeSync, existsSync, openSync, readSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ReadModelError } from '../read-model-store.ts';

/** Suffix of the file that marks a build as damaged. */
export const DAMAGE_MARK = '-damaged';

/** Results of SQLite: CORRUPT, NOTADB. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);
/** Result of SQLite, IOERR_SHORT_READ: the file ends within a page. */
const CUT_OFF = 522;
/** Result of SQLite: the statements are fixed, so the tables have changed. */
const ERROR = 1;
const READONLY = 8;
/** What the header of a file says of who may write it, and the latest that there is. */
const WRITE_FORMAT_OFFSET = 18;
const WAL_FORMAT = 2;
/** Node's code for an integer beyond the range of numbers: none such is ever written. */
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE';

/** Whether an error of the file at a path means that it is not what was written. */
export function isDamage(error: unknown, path: string): boolean {
  if (error instanceof ReadModelError) return error.code === 'damaged';
  const { errcode, code, message } = error as { errcode?: number; code?: string; message: string };
  if (errcode === undefined) return code === OUT_OF_RANGE;
  // Nested or missing transactions are a fault of the program.
  if (errcode === ERROR) return !message.includes('transaction');
  if (errcode === READONLY) return isOfLaterFormat(path);
  return errcode === CUT_OFF || DAMAGE.has(errcode & 0xff);
}

/** Whether its header has a later write format, which makes it read-only: no such file is ever written. */
export function isOfLaterFormat(path: string): boolean {
  const header = Buffer.alloc(WRITE_FORMAT_OFFSET + 1);
  const file = openSync(path, 'r');
  readSync(file, header);
  closeSync(file);
  return (header[WRITE_FORMAT_OFFSET] ?? 0) > WAL_FORMAT;
}

/** A stored text with its checksum. */
export interface Checksummed {
  readonly body: string;
  readonly seal: number;
}

/** Includes the location of the text, so that a damaged index is detected too. */
export function checksumOf(where: string, body: string): number {
  return crc32(`${where}\n${body}`);
}

/** The location of a document of a keyed collection. */
export function location(collection: string, key: string): string {
  return `${collection} ${key}`;
}

/** The location of a document of a walked collection or a dictionary. */
export function locationIn(
  collection: string,
  { partition, sort, key }: { partition: string; sort: number; key: string },
): string {
  return `${collection} ${partition} ${sort} ${key}`;
}

/** Verifies the checksums of one file. */
export class Checksums {
  readonly #path: string;
  readonly #marks: boolean;

  /** With `marks`, damage is marked by a file beside it, for the writer of the build. */
  constructor(path: string, marks: boolean) {
    this.#path = path;
    this.#marks = marks;
  }

  /** Returns the text. Throws `damaged` when it does not match its checksum. */
  verify(where: string, { body, seal }: Checksummed): string {
    if (checksumOf(where, body) !== seal) throw this.damage(`${where} is not what was written`);
    return body;
  }

  damage(what: string): ReadModelError {
    if (this.#marks) this.#mark();
    return new ReadModelError('damaged', `${this.#path}: ${what}`);
  }

  /** An error of SQLite that means damage, as what it is. */
  judge(error: unknown): unknown {
    if (error instanceof ReadModelError || !isDamage(error, this.#path)) return error;
    return this.damage((error as Error).message);
  }

  #mark(): void {
    try {
      writeFileSync(this.#path + DAMAGE_MARK, '');
    } catch {
      // On a full or read-only disk, reads of the damage keep failing.
    }
  }

  get isMarked(): boolean {
    return existsSync(this.#path + DAMAGE_MARK);
  }
}
