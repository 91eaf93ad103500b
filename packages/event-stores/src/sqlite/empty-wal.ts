/** Removes overwritten content from the write-ahead log of a database. */
import type { DatabaseSync } from 'node:sqlite';

/** Copies the write-ahead log into the database and truncates it. False, without waiting, while it is being read. */
export function emptyWal(database: DatabaseSync): boolean {
  const timeoutMs = Number(database.prepare('PRAGMA busy_timeout').get()?.['timeout']);
  database.exec('PRAGMA busy_timeout = 0');
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
}
