/** The limit of SQLite: prepared inserts and selects with `node:sqlite`. */
import { DatabaseSync } from 'node:sqlite';
import type { StoredEvent, StreamName } from '@counterfoil/core';

/** The settings of the event log: a commit returns when it is on disk. */
const SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA cache_size = -32000;
`;

const TABLE = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    tenant_id INTEGER NOT NULL,
    time TEXT NOT NULL,
    command_id TEXT NOT NULL,
    command_fingerprint TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT;
`;

export class RawSqlite {
  readonly #database: DatabaseSync;
  readonly #insert;
  readonly #select;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(SETTINGS + TABLE);
    this.#insert = this.#database.prepare(
      'INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#select = this.#database.prepare(
      'SELECT * FROM events WHERE stream = ? ORDER BY revision',
    );
  }

  /** Inserts the events, `perCommit` of them in each durable commit. */
  insert(events: readonly StoredEvent[], perCommit: number): void {
    for (let from = 0; from < events.length; from += perCommit) {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const event of events.slice(from, from + perCommit)) this.#insertOne(event);
      this.#database.exec('COMMIT');
    }
  }

  #insertOne(event: StoredEvent): void {
    const { stream, revision, id, type, schemaVersion, tenantId, time, data, metadata } = event;
    const head = [stream, revision, id, type, schemaVersion, tenantId, time] as const;
    this.#insert.run(...head, event.commandId, event.commandFingerprint, data, metadata);
  }

  /** Selects the rows of a stream and parses their data. */
  read(stream: StreamName): unknown[] {
    return this.#select.all(stream).map((row) => JSON.parse(row['data'] as string));
  }

  close(): void {
    this.#database.close();
  }
}
