/** Reads a log: a stream, the log by pages, its head. */
import type { CommandId, Position, StoredEvent, StreamName, TenantId } from '@counterfoil/core';
import type pg from 'pg';
import { MAX_BATCH_CHARACTERS } from '../batches.ts';
import { kindOf } from './failures.ts';
import { partsOf, positionOf } from './positions.ts';
import { type HeadRow, headOf } from './watcher.ts';

const COLUMNS = `transaction, ordinal, stream, revision, id, type, schema_version, tenant_id, time,
  command_id, command_fingerprint, data, metadata`;
const MAX_REVISION = 2 ** 31 - 1;

type Row = readonly [
  transaction: string,
  ordinal: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  schemaVersion: number,
  tenantId: string,
  time: string,
  commandId: string,
  commandFingerprint: string,
  data: string,
  metadata: string,
];

export class LogReader {
  readonly #pool: pg.Pool;
  readonly #schema: string;

  constructor(pool: pg.Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /** At most `limit` events of a stream, from a revision on. */
  async readStream(
    stream: StreamName,
    from: number,
    limit: number,
  ): Promise<readonly StoredEvent[]> {
    if (from > MAX_REVISION || limit <= 0) return [];
    return this.#events(
      'read-stream',
      `SELECT ${COLUMNS} FROM ${this.#schema}.events
      WHERE stream = $1 AND revision >= $2 ORDER BY revision LIMIT $3`,
      [stream, from, limit],
    );
  }

  /** At most `limit` events of the log after a position, up to a settled one; fewer where they are large. */
  async readLog(after: Position, upTo: Position, limit: number): Promise<readonly StoredEvent[]> {
    return this.#events(
      'read-log',
      `SELECT ${COLUMNS} FROM (
        SELECT *, sum(octet_length(data)) OVER (ORDER BY transaction, ordinal) - octet_length(data)
          AS bytes_before
        FROM ${this.#schema}.events
        WHERE (transaction, ordinal) > ($1, $2) AND (transaction, ordinal) <= ($3, $4)
        ORDER BY transaction, ordinal LIMIT $5
      ) page WHERE bytes_before < ${MAX_BATCH_CHARACTERS} ORDER BY transaction, ordinal`,
      [...partsOf(after), ...partsOf(upTo), limit],
    );
  }

  /** The last event before which no other can appear; `BEFORE_ALL` for an empty log. */
  async head(): Promise<Position> {
    const text = `SELECT * FROM ${this.#schema}.settled_head()`;
    const query = { name: 'head', text, rowMode: 'array' as const };
    try {
      return headOf((await this.#pool.query<[...HeadRow]>(query)).rows[0]);
    } catch (error) {
      if (kindOf(error) !== 'foreign') throw error;
      await this.#pool.query(`SELECT ${this.#schema}.begin_era_where_needed()`);
      return headOf((await this.#pool.query<[...HeadRow]>(query)).rows[0]);
    }
  }

  /** The newest committed event; others may still appear before it. */
  async newest(): Promise<Position | undefined> {
    const text = `SELECT transaction, ordinal FROM ${this.#schema}.events
      ORDER BY transaction DESC, ordinal DESC LIMIT 1`;
    const query = { name: 'newest', text, rowMode: 'array' as const };
    const [row] = (await this.#pool.query<[transaction: string, ordinal: number]>(query)).rows;
    return row && positionOf(...row);
  }

  async #events(name: string, text: string, values: unknown[]): Promise<readonly StoredEvent[]> {
    const { rows } = await this.#pool.query<[...Row]>({ name, text, values, rowMode: 'array' });
    return rows.map(eventOf);
  }
}

function eventOf(row: Row): StoredEvent {
  const [transaction, ordinal, stream, revision, id, type, schemaVersion, tenantId, time] = row;
  const [, , , , , , , , , commandId, commandFingerprint, data, metadata] = row;
  return {
    id,
    type,
    schemaVersion,
    tenantId: Number(tenantId) as TenantId,
    time,
    data,
    metadata,
    stream: stream as StreamName,
    revision,
    position: positionOf(transaction, ordinal),
    commandId: commandId as CommandId,
    commandFingerprint,
  };
}
