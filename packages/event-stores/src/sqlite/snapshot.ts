/** The content of a database as of one moment, while others write to it. */
import { backup, type DatabaseSync } from 'node:sqlite';
import { makePrivate } from './make-private.ts';
import { openForReading } from './open-for-reading.ts';

/** 16 MiB of pages of the usual size between two turns of the event loop. */
const PAGES_PER_STEP = 4_096;

/**
 * A read transaction. Writers go on, but their write-ahead log grows until it ends: checkpoints do
 * not pass it.
 */
export class Snapshot {
  /** For queries within the transaction. */
  readonly database: DatabaseSync;

  constructor(path: string) {
    this.database = openForReading(path);
  }

  /** Takes the present content; again, when it was taken before. */
  take(): void {
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
    this.database.exec('BEGIN');
    // The transaction begins with its first read.
    this.database.prepare('SELECT count(*) FROM sqlite_schema').get();
  }

  get bytes(): number {
    return this.#pragma('page_count') * this.#pragma('page_size');
  }

  /** Makes a file of the content, for its owner only. The file must not exist. */
  async copyTo(path: string, onProgress: (bytes: number) => void): Promise<void> {
    makePrivate(path);
    const pageBytes = this.#pragma('page_size');
    await backup(this.database, path, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) =>
        onProgress((totalPages - remainingPages) * pageBytes),
    });
  }

  close(): void {
    this.database.close();
  }

  #pragma(name: 'page_count' | 'page_size'): number {
    return Number(this.database.prepare(`PRAGMA ${name}`).get()?.[name]);
  }
}
