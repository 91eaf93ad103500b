/** Takes what was overwritten out of the write-ahead log of a database as well. */
import type { DatabaseSync } from 'node:sqlite';

/** Copies the write-ahead log into its file and empties it. False, at once, while somebody reads it. */
export function emptyWal(database: DatabaseSync): boolean {
  const patience = Number(database.prepare('PRAGMA busy_timeout').get()?.['timeout']);
  database.exec('PRAGMA busy_timeout = 0');
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${patience}`);
  }
}
