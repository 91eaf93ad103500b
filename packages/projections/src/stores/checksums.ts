/** Checksums of what a build answers from: SQLite notices a broken page, not a flipped bit in a text. */
import { closeSync, existsSync, openSync, readSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ReadModelError } from '../read-model-store.ts';

/** What follows the name of a build's file in that of its mark. */
export const DAMAGE_MARK = '-damaged';

/** Results of SQLite: CORRUPT, NOTADB. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);
/** Result of SQLite: the statements are fixed, so the tables are not those that they were written for. */
const ERROR = 1;
const READONLY = 8;
/** What the header of a file says of who may write it, and the latest that there is. */
const WRITE_FORMAT_OFFSET = 18;
const WAL_FORMAT = 2;
/** What Node says of an integer that no number holds: none such is ever written. */
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE';

/** Whether an error of the file at a path means that it is not what was written. */
export function isDamage(error: unknown, path: string): boolean {
  if (error instanceof ReadModelError) return error.code === 'damaged';
  const { errcode, code, message } = error as { errcode?: number; code?: string; message: string };
  if (errcode === undefined) return code === OUT_OF_RANGE;
  // One that begins or ends out of turn is a fault of the program.
  if (errcode === ERROR) return !message.includes('transaction');
  if (errcode === READONLY) return isOfLaterFormat(path);
  return DAMAGE.has(errcode & 0xff);
}

/** By its header the file is of a later SQLite, and can only be read: no such one is ever written. */
export function isOfLaterFormat(path: string): boolean {
  const header = Buffer.alloc(WRITE_FORMAT_OFFSET + 1);
  const file = openSync(path, 'r');
  readSync(file, header);
  closeSync(file);
  return (header[WRITE_FORMAT_OFFSET] ?? 0) > WAL_FORMAT;
}

/** A text as it is kept: with its seal. */
export interface Sealed {
  readonly body: string;
  readonly seal: number;
}

/** Over where a text stands as well, so that an index that leads astray is noticed too. */
export function sealOf(where: string, body: string): number {
  return crc32(`${where}\n${body}`);
}

/** Where a document stands that is found by its key alone. */
export function standing(collection: string, key: string): string {
  return `${collection} ${key}`;
}

/** Where a document of a walked collection or a dictionary stands. */
export function standingIn(
  collection: string,
  { partition, sort, key }: { partition: string; sort: number; key: string },
): string {
  return `${collection} ${partition} ${sort} ${key}`;
}

/** Breaks the seals of one file. */
export class Seals {
  readonly #path: string;
  readonly #marks: boolean;

  /** With `marks`, damage is told to whoever writes the build, by a file beside it. */
  constructor(path: string, marks: boolean) {
    this.#path = path;
    this.#marks = marks;
  }

  /** The text. Throws `damaged` when it is not what was written there. */
  open(where: string, { body, seal }: Sealed): string {
    if (sealOf(where, body) !== seal) throw this.damage(`${where} is not what was written`);
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
      // On a disk that is full or protected the reads that meet the damage go on failing.
    }
  }

  get isMarked(): boolean {
    return existsSync(this.#path + DAMAGE_MARK);
  }
}
