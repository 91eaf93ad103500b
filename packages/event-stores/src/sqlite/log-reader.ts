/** Reads the log over a read-only connection: short, indexed reads, each of one snapshot. */

import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import type { CommandId, StoredEvent, StreamName, TenantId } from '@counterfoil/core';
import { MAX_BATCH_CHARACTERS } from '../batches.ts';
import { checksumOf } from './checksum.ts';
import { LogFailure } from './failures.ts';
import { positionOf } from './messages.ts';
import { checkLog } from './schema.ts';

/** Rows per query: all of them are in memory at once, however large they are. */
const ROWS_AT_ONCE = 16;

/** How long a read may wait for another process that recovers the log. */
const BUSY_TIMEOUT_MS = 2_000;

const COLUMNS = `position, revision, events.id, type, schema_version, tenant_id, time, command_id,
  command_fingerprint, checksum, data, metadata`;

type Row = readonly [
  position: number,
  revision: number,
  id: string,
  type: string,
  schemaVersion: number,
  tenantId: number,
  time: string,
  commandId: string,
  fingerprint: string,
  checksum: number,
  data: string,
  metadata: string,
];

export class LogReader {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #stream: StatementSync;
  readonly #log: StatementSync;
  readonly #head: StatementSync;

  /** Opens a log that exists. */
  constructor(path: string) {
    const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      checkLog(database, path);
      const prepare = (sql: string) => {
        const statement = database.prepare(sql);
        // Rows as arrays take half the time of rows as objects.
        statement.setReturnArrays(true);
        return statement;
      };
      this.#database = database;
      this.#path = path;
      // SQLite compiles a statement with `LIMIT ?` again at each execution: its planner uses the value.
      this.#stream = prepare(
        `SELECT ${COLUMNS} FROM events WHERE stream_id = (SELECT id FROM streams WHERE name = ?)
         AND revision >= ? ORDER BY revision LIMIT ? + 0`,
      );
      this.#log = prepare(
        `SELECT ${COLUMNS}, name FROM events LEFT JOIN streams ON streams.id = stream_id
         WHERE position > ? AND position <= ? ORDER BY position LIMIT ? + 0`,
      );
      this.#head = prepare('SELECT max(position) FROM events');
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Position of the last event, 0 for an empty log. */
  head(): number {
    const row = this.#head.get() as unknown as readonly [number | null];
    return row[0] ?? 0;
  }

  readStream(stream: StreamName, from: number, limit: number): StoredEvent[] {
    const rows = this.#stream.all(stream, from, limit) as unknown as readonly Row[];
    let revision = from;
    return rows.map((row) => {
      if (row[1] !== revision) throw this.#damaged(`${stream}@${revision} is missing`);
      revision += 1;
      return this.#eventOf(row, stream);
    });
  }

  /**
   * One to `limit` events after a position and up to another, which the log is known to have. Fewer
   * where they are large.
   */
  readLog(after: number, upTo: number, limit: number): StoredEvent[] {
    const events: StoredEvent[] = [];
    let characters = 0;
    do {
      const rows = Math.min(ROWS_AT_ONCE, limit - events.length);
      for (const event of this.#readRows(after + events.length, upTo, rows)) {
        events.push(event);
        characters += event.data.length;
      }
    } while (
      events.length < limit &&
      characters < MAX_BATCH_CHARACTERS &&
      after + events.length < upTo
    );
    return events;
  }

  #readRows(after: number, upTo: number, limit: number): StoredEvent[] {
    const rows = this.#log.all(after, upTo, limit) as unknown as readonly [...Row, name: string][];
    if (rows.length === 0) throw this.#damaged(`position ${after + 1} is missing`);
    let position = after;
    return rows.map((row) => {
      position += 1;
      // Positions have no gaps: a subscriber must not continue past one.
      if (row[0] !== position) throw this.#damaged(`position ${position} is missing`);
      return this.#eventOf(row as unknown as Row, row[12] as StreamName);
    });
  }

  close(): void {
    this.#database.close();
  }

  #eventOf(row: Row, stream: StreamName): StoredEvent {
    // biome-ignore format: the order of the columns
    const [
      position, revision, id, type, schemaVersion, tenantId, time, commandId, fingerprint, checksum, data, metadata,
    ] = row;
    // biome-ignore format: the order of the columns
    const actual = checksumOf(
      position, stream, revision, id, type, schemaVersion, tenantId, time, commandId, fingerprint, data, metadata,
    );
    if (actual !== checksum) {
      throw this.#damaged(`the event at position ${position} does not match its checksum`);
    }
    return {
      id,
      type,
      schemaVersion,
      tenantId: tenantId as TenantId,
      time,
      data,
      metadata,
      stream,
      revision,
      position: positionOf(position),
      commandId: commandId as CommandId,
      commandFingerprint: fingerprint,
    };
  }

  #damaged(what: string): LogFailure {
    return new LogFailure('corrupt', `${this.#path}: the log is damaged: ${what}`);
  }
}
