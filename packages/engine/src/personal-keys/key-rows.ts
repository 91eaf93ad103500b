/**
 * The table of the customers' keys: one row a customer, whose key is overwritten when the person is
 * erased. Its failures are those of a store of events: without keys nothing can be stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  EventStoreError,
  type EventStoreErrorCode,
  type Position,
  type Subject,
  type TenantId,
} from '@counterfoil/core';
import { failing, openForReading } from '@counterfoil/event-stores/sqlite';
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { isBrokenOff } from '../storage/database-failures.ts';
import {
  type Awaitable,
  atOnce,
  type Insert,
  type Lookup,
  mapped,
  migration,
  openFile,
  PostgresTables,
  SqliteTables,
  type SqlTables,
  type SqlValue,
} from '../storage/sql-tables.ts';

/** Where the keys of hosts that share a database are, for people. */
export const KEY_TABLE = 'counterfoil_host.personal_keys';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS personal_key (
    tenant INTEGER NOT NULL,
    sandbox INTEGER NOT NULL,
    customer INTEGER NOT NULL,
    wrapped BLOB, -- NULL once the person is erased
    PRIMARY KEY (tenant, sandbox, customer)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS of_log (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    first_event TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS whole_up_to (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    after TEXT NOT NULL,
    event_id TEXT NOT NULL,
    keys INTEGER NOT NULL
  ) STRICT;
`;

export const personalKeyMigrations: Readonly<Record<string, Migration>> = {
  // A page keeps room for the tombstones of its rows, and is vacuumed as soon as it has one.
  '2026-11-21-personal-keys': migration(
    `CREATE TABLE counterfoil_host.personal_keys (
      tenant bigint NOT NULL,
      customer bigint NOT NULL,
      sandbox boolean NOT NULL,
      wrapped bytea, -- NULL once the person is erased
      filler bytea, -- as long as the key was, in its place
      PRIMARY KEY (tenant, sandbox, customer)
    ) WITH (
      fillfactor = 90,
      autovacuum_vacuum_threshold = 0,
      autovacuum_vacuum_scale_factor = 0
    )`,
    `CREATE TABLE counterfoil_host.personal_keys_of_log (
      one integer PRIMARY KEY CHECK (one = 1),
      first_event text NOT NULL
    )`,
  ),
  // In the row of the log: a restore of it restores the mark as well.
  '2026-11-22-personal-keys-mark': migration(`
    ALTER TABLE counterfoil_host.personal_keys_of_log
      ADD COLUMN whole_after text, -- NULL before the first look
      ADD COLUMN whole_event_id text,
      ADD COLUMN whole_keys bigint`),
};

const FILE_VERSION = 'PRAGMA data_version';
const PAGE_SIZE = 1_000;
/** A broken connection is no failure yet: every statement here may be repeated. */
const RETRY_AFTER_MS = [20, 100, 500] as const;

export interface CustomerKey {
  readonly subject: Subject;
  /** Null of a person who is erased. */
  readonly wrapped: Uint8Array | null;
}

/**
 * Up to where in the log no key is missing. It stands beside the keys and in the same commits, so that
 * older keys bring an older mark.
 */
export interface KeyMark {
  /** Nothing is missing up to the event right after this position. */
  readonly after: Position;
  /** The id of that event: a log that took another course does not have it there. */
  readonly eventId: string;
  /** How many keys there were at least. */
  readonly keys: number;
}

interface Row {
  readonly tenant: string | number;
  readonly sandbox: boolean | number;
  readonly customer: string | number;
  readonly wrapped: Uint8Array | null;
}

interface MarkRow {
  readonly after: Position;
  readonly event_id: string;
  readonly keys: string | number;
}

/** Runs a statement; its errors are those of a store of events. */
type Asking = <Answer>(work: () => Awaitable<Answer>) => Awaitable<Answer>;

interface KeyRowsOptions {
  readonly tables: SqlTables;
  readonly asking: Asking;
  /** For people. */
  readonly place: string;
  readonly readOnly: boolean;
}

/** In a file (or `:memory:`). Throws what SQLite throws for one that cannot be opened. */
export function keyRowsInFile(path: string, readOnly: boolean): KeyRows {
  const asking: Asking = (work) => failing(path, work);
  // FULL: what was sealed under a key that a power cut takes away could never be opened again.
  const durable = { schema: SCHEMA, synchronous: 'FULL', secureDelete: true } as const;
  const tables = new SqliteTables(readOnly ? openForReading(path) : openFile(path, durable));
  try {
    tables.all('SELECT wrapped FROM personal_key LIMIT 0');
  } catch (error) {
    tables.close();
    throw error;
  }
  return new KeyRows({ tables, asking, place: path, readOnly });
}

/** In a database that has the tables of `openHostDatabase`. */
export function keyRowsInDatabase(pool: Pool, readOnly: boolean): KeyRows {
  const tables = new PostgresTables(pool);
  return new KeyRows({ tables, asking: askingAgain, place: KEY_TABLE, readOnly });
}

/** A file answers at once, a database later. Those that were opened for reading refuse to write. */
export class KeyRows {
  readonly #tables: SqlTables;
  readonly #asking: Asking;
  readonly #place: string;
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly readOnly: boolean;
  /** Of a file that is written here, and by no other process. */
  #count: number | undefined;

  constructor({ tables, asking, place, readOnly }: KeyRowsOptions) {
    this.#tables = tables;
    this.#asking = asking;
    this.#place = place;
    this.#sql = statementsOf(tables);
    this.readOnly = readOnly;
  }

  /** The rows of those who have one. */
  find(subjects: readonly Subject[]): Awaitable<readonly CustomerKey[]> {
    const keys = subjects.map(valuesOf);
    const rows = this.#asking(() => this.#tables.find<Row>(this.#sql.find, keys));
    return mapped(rows, (found) => found.map(keyOf));
  }

  /** Adds the keys of those who have none, in one commit, durable when it answers who these were. */
  add(
    keys: readonly { readonly subject: Subject; readonly wrapped: Uint8Array }[],
  ): Awaitable<readonly Subject[]> {
    // In one order, so that two hosts that add the same ones never deadlock.
    const inOrder = keys.toSorted((a, b) => compare(a.subject, b.subject));
    const rows = inOrder.map(({ subject, wrapped }) => [...valuesOf(subject), wrapped]);
    const added = this.#writing(() => this.#tables.insert<Row>(this.#sql.add, rows));
    return mapped(added, (all) => {
      if (this.#count !== undefined) this.#count += all.length;
      return all.map(subjectOf);
    });
  }

  /** Durable when it answers. What may be left of the key beside its row goes with `scrub`. */
  destroy(subject: Subject): Awaitable<void> {
    this.#count = undefined;
    const { destroy } = this.#sql;
    const destroyed = this.#writing(() => this.#tables.all(destroy, valuesOf(subject)));
    return mapped(destroyed, () => {
      if (!this.#tables.dialect.isShared) return undefined;
      // The table is set to be vacuumed for every single row: what this one leaves, autovacuum takes.
      return mapped(this.scrub(), () => undefined);
    });
  }

  /** Leaves nothing of destroyed keys beside the rows. False, at once, while a reader is there. */
  scrub(): Awaitable<boolean> {
    return this.#writing(() => this.#tables.scrub(this.#sql.table));
  }

  /** All rows, in pages. */
  async *pages(): AsyncGenerator<readonly CustomerKey[]> {
    let after: readonly SqlValue[] = [-1, false, -1];
    for (;;) {
      const rows = await this.#asking(() => this.#tables.all<Row>(this.#sql.page, after));
      const page = rows.map(keyOf);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = valuesOf(last.subject);
    }
  }

  /** How many rows there are. */
  count(): Awaitable<number> {
    if (this.#count !== undefined) return this.#count;
    const { isShared } = this.#tables.dialect;
    const rows = this.#asking(() => this.#tables.all<{ count: string | number }>(this.#sql.count));
    return mapped(rows, ([row]) => {
      const count = Number(row?.count);
      if (!isShared && !this.readOnly) this.#count = count;
      return count;
    });
  }

  mark(): Awaitable<KeyMark | undefined> {
    const { hasMark, mark } = this.#sql;
    const rows = this.#asking(() =>
      mapped(this.#tables.all(hasMark), ({ length }) =>
        length === 0 ? [] : this.#tables.all<MarkRow>(mark),
      ),
    );
    return mapped(
      rows,
      ([row]) => row && { after: row.after, eventId: row.event_id, keys: Number(row.keys) },
    );
  }

  setMark({ after, eventId, keys }: KeyMark): Awaitable<void> {
    const values = [after, eventId, keys];
    return mapped(
      this.#writing(() => this.#tables.all(this.#sql.setMark, values)),
      () => undefined,
    );
  }

  /** The first event of the log that the keys belong to; undefined before it has one. */
  firstEvent(): Awaitable<string | undefined> {
    const { firstEvent } = this.#sql;
    const rows = this.#asking(() => this.#tables.all<{ first_event: string }>(firstEvent));
    return mapped(rows, ([row]) => row?.first_event);
  }

  /** Another host may have set it first: the caller compares. */
  belongTo(firstEvent: string): Awaitable<void> {
    const row = [1, firstEvent];
    return mapped(
      this.#writing(() => this.#tables.insert(this.#sql.belongTo, [row])),
      () => undefined,
    );
  }

  /** Another one when another connection has changed the file. */
  fileVersion(): number | undefined {
    const rows = this.#asking(() => this.#tables.all<{ data_version: number }>(FILE_VERSION));
    return atOnce(rows)[0]?.data_version;
  }

  close(): void {
    this.#tables.close();
  }

  #writing<Answer>(work: () => Awaitable<Answer>): Awaitable<Answer> {
    if (!this.readOnly) return this.#asking(work);
    if (this.#tables.dialect.isShared) return Promise.reject(this.openedForReading());
    throw this.openedForReading();
  }

  openedForReading(): Error {
    return new Error(`${this.#place} was opened for reading`);
  }
}

function statementsOf({ dialect }: SqlTables) {
  const { isShared } = dialect;
  const table = dialect.table('personal_key', 'personal_keys');
  const ofLog = dialect.table('of_log', 'personal_keys_of_log');
  const key = { tenant: 'bigint', sandbox: 'boolean', customer: 'bigint' };
  const find: Lookup = { table, key, select: 'tenant, sandbox, customer, wrapped' };
  const add: Insert = {
    table,
    columns: { ...key, wrapped: 'bytea' },
    suffix: 'ON CONFLICT DO NOTHING RETURNING tenant, sandbox, customer',
    durable: true,
  };
  const belongTo: Insert = {
    table: ofLog,
    columns: { one: 'integer', first_event: 'text' },
    suffix: 'ON CONFLICT DO NOTHING',
    durable: true,
  };
  return {
    table,
    find,
    add,
    belongTo,
    destroy: isShared ? DESTROY_IN_DATABASE : DESTROY_IN_FILE,
    page: `
      SELECT tenant, sandbox, customer, wrapped FROM ${table}
      WHERE (tenant, sandbox, customer) > ($1, $2, $3)
      ORDER BY tenant, sandbox, customer LIMIT ${PAGE_SIZE}`,
    count: `SELECT count(*) AS count FROM ${table}`,
    firstEvent: `SELECT first_event FROM ${ofLog}`,
    // Files of earlier versions have no mark, and a reader makes none.
    hasMark: isShared ? 'SELECT 1' : "SELECT 1 FROM sqlite_schema WHERE name = 'whole_up_to'",
    mark: isShared
      ? `SELECT whole_after AS after, whole_event_id AS event_id, whole_keys AS keys
         FROM ${ofLog} WHERE whole_after IS NOT NULL`
      : 'SELECT after, event_id, keys FROM whole_up_to',
    setMark: isShared
      ? `UPDATE ${ofLog} SET whole_after = $1, whole_event_id = $2, whole_keys = $3`
      : 'INSERT OR REPLACE INTO whole_up_to VALUES (1, $1, $2, $3)',
  };
}

/** The row is overwritten; what the write-ahead log still has of it goes with `scrub`. */
const DESTROY_IN_FILE = `
  INSERT INTO personal_key VALUES ($1, $2, $3, NULL) ON CONFLICT DO UPDATE SET wrapped = NULL`;

/**
 * The tombstone is as large as the row was: when a vacuum closes the gap in the page, the one comes to
 * lie where the other lay.
 */
const DESTROY_IN_DATABASE = `
  WITH durable AS (SELECT set_config('synchronous_commit', 'on', true))
  INSERT INTO ${KEY_TABLE} AS kept (tenant, sandbox, customer)
  SELECT $1, $2, $3 FROM durable
  ON CONFLICT (tenant, sandbox, customer) DO UPDATE
  SET wrapped = NULL, filler = decode(repeat('00', octet_length(kept.wrapped)), 'hex')
  WHERE kept.wrapped IS NOT NULL`;

function valuesOf({ tenantId, sandbox, customerId }: Subject): SqlValue[] {
  return [tenantId, sandbox, customerId];
}

function compare(a: Subject, b: Subject): number {
  return (
    a.tenantId - b.tenantId || Number(a.sandbox) - Number(b.sandbox) || a.customerId - b.customerId
  );
}

function subjectOf({ tenant, sandbox, customer }: Row): Subject {
  return {
    tenantId: Number(tenant) as TenantId,
    sandbox: Boolean(sandbox),
    customerId: Number(customer),
  };
}

function keyOf(row: Row): CustomerKey {
  return { subject: subjectOf(row), wrapped: row.wrapped };
}

async function askingAgain<Answer>(work: () => Awaitable<Answer>): Promise<Answer> {
  for (const pauseMs of [...RETRY_AFTER_MS, undefined]) {
    try {
      return await work();
    } catch (error) {
      if (pauseMs === undefined || !isBrokenOff(error)) throw failureOf(error);
      await sleep(pauseMs);
    }
  }
  throw new Error('a statement was neither answered nor refused');
}

/** By SQLSTATE; a network error or the driver's own has none of these. */
const CODES: Readonly<Record<string, EventStoreErrorCode>> = {
  '53100': 'full',
  '25006': 'read-only',
  XX001: 'corrupt',
  XX002: 'corrupt',
};

function failureOf(error: unknown): EventStoreError {
  const { code, message } = error as Error & { code?: unknown };
  const meant = CODES[String(code)] ?? 'unavailable';
  return new EventStoreError(meant, `the customers' keys (${KEY_TABLE}): ${message}`, {
    cause: error,
  });
}
