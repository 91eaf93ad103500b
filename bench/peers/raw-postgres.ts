/** The limit of PostgreSQL and its driver: prepared inserts and selects on one connection. */
import type { StoredEvent, StreamName } from '@counterfoil/core';
import type pg from 'pg';
import { connect } from '../harness/postgres.ts';

const TABLE = `
  CREATE TABLE events (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    stream text NOT NULL,
    revision bigint NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    schema_version integer NOT NULL,
    tenant_id bigint NOT NULL,
    time text NOT NULL,
    command_id text NOT NULL,
    command_fingerprint text NOT NULL,
    data text NOT NULL,
    metadata text NOT NULL,
    UNIQUE (stream, revision)
  )`;
/** The column of each event member; PostgreSQL assigns the position. */
const COLUMNS = {
  stream: 'stream',
  revision: 'revision',
  id: 'id',
  type: 'type',
  schemaVersion: 'schema_version',
  tenantId: 'tenant_id',
  time: 'time',
  commandId: 'command_id',
  commandFingerprint: 'command_fingerprint',
  data: 'data',
  metadata: 'metadata',
} as const satisfies Partial<Record<keyof StoredEvent, string>>;
const FIELDS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

const SELECT_STREAM = {
  name: 'stream',
  text: 'SELECT * FROM events WHERE stream = $1 ORDER BY revision',
};
const SELECT_PAGE = {
  name: 'page',
  text: 'SELECT * FROM events WHERE position > $1 ORDER BY position LIMIT $2',
};

export class RawPostgres {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<RawPostgres> {
    const client = await connect(url);
    await client.query(TABLE);
    return new RawPostgres(client);
  }

  /** Inserts the events, `perCommit` of them per statement, each a durable commit. */
  async insert(events: readonly StoredEvent[], perCommit: number): Promise<void> {
    for (let from = 0; from < events.length; from += perCommit) {
      const few = events.slice(from, from + perCommit);
      const values = few.flatMap((event) => FIELDS.map((field) => event[field]));
      const [name, text] = [`insert-${few.length}`, insertOf(few.length)];
      await this.#client.query({ name, text, values });
    }
  }

  /** Selects the rows of a stream and parses their data. */
  async read(stream: StreamName): Promise<unknown[]> {
    const { rows } = await this.#client.query<{ data: string }>({
      ...SELECT_STREAM,
      values: [stream],
    });
    return rows.map(({ data }) => JSON.parse(data));
  }

  /** Selects all rows in pages by key. Returns their number. */
  async readAll(pageRows: number): Promise<number> {
    let found = 0;
    for (let after = '0'; ; ) {
      const values = [after, pageRows];
      const { rows } = await this.#client.query<{ position: string }>({ ...SELECT_PAGE, values });
      found += rows.length;
      const last = rows.at(-1);
      if (last === undefined) return found;
      after = last.position;
    }
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

const inserts = new Map<number, string>();

/** One statement for so many rows. */
function insertOf(rows: number): string {
  const known = inserts.get(rows);
  if (known !== undefined) return known;
  const row = (number: number) =>
    `(${FIELDS.map((_, column) => `$${number * FIELDS.length + column + 1}`).join(', ')})`;
  const text = `
    INSERT INTO events (${Object.values(COLUMNS).join(', ')})
    VALUES ${Array.from({ length: rows }, (_, number) => row(number)).join(', ')}`;
  inserts.set(rows, text);
  return text;
}
