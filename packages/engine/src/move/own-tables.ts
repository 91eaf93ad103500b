/** Reads and fills the engine's own tables, in files or in PostgreSQL, row by row. */
import { makePrivate, openForReading } from '@counterfoil/event-stores/sqlite';
import type { Pool, PoolClient } from 'pg';
import { openFile, PostgresTables, SqliteTables, type SqlValue } from '../storage/sql-tables.ts';
import { type DataFiles, isFile } from '../storage/stores.ts';
import { MoveError } from './move-error.ts';
import {
  type ColumnType,
  MAKE_FILE,
  type MovedRow,
  type MovedTable,
  type OwnFile,
  type Value,
} from './moved-tables.ts';

/** How many rows are in memory at once. */
const ROWS_AT_ONCE = 500;
const CURSOR = 'moved_rows';
const SCHEMA = 'counterfoil_host';

/** The tables of one side of a move. */
export interface OwnTables {
  /** In the order of their keys. */
  rows(table: MovedTable): AsyncGenerator<MovedRow, undefined>;
  /** Makes the table where it is not there, and takes out what a move before this one has filled. */
  clear(table: MovedTable): Promise<void>;
  add(table: MovedTable, rows: readonly MovedRow[]): Promise<void>;
  /** To be called when a table has all of its rows. */
  end(table: MovedTable): Promise<void>;
  close(): void;
}

/** In the files of a data folder. */
export class TablesInFiles implements OwnTables {
  readonly #files: DataFiles;
  readonly #written = new Map<OwnFile, SqliteTables>();

  constructor(files: DataFiles) {
    this.#files = files;
  }

  async *rows(table: MovedTable): AsyncGenerator<MovedRow, undefined> {
    const path = this.#files[table.file];
    if (!isFile(path)) return;
    const database = openForReading(path);
    try {
      const known = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?');
      if (known.get(table.inFile) === undefined) return;
      const selected = Object.entries(table.columns).map(([name, type]) => {
        const read = table.readInFile?.[name] ?? (isNumber(type) ? `CAST(${name} AS TEXT)` : name);
        return `${read} AS ${name}`;
      });
      // Of the row, not of what is selected: numbers that are read as text come in the order of numbers.
      const order = table.key.map((name) => `kept.${name}`);
      const statement = database.prepare(
        `SELECT ${selected.join()} FROM ${table.inFile} AS kept ${whereOf(table)} ORDER BY ${order.join()}`,
      );
      for (const row of statement.iterate()) yield valuesOf(table, row);
    } catch (error) {
      throw unreadable(path, error);
    } finally {
      database.close();
    }
  }

  async clear(table: MovedTable): Promise<void> {
    this.#open(table.file).all(`DELETE FROM ${table.inFile} ${whereOf(table)}`);
  }

  async add(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const kept = rows.map((row) => table.inFileOf?.(row) ?? row);
    const names = Object.keys(kept[0] ?? {});
    const columns = Object.fromEntries(names.map((name) => [name, table.columns[name] ?? '']));
    const values = kept.map((row) =>
      names.map((name) => inFile(table.columns[name], row[name] ?? null)),
    );
    this.#open(table.file).insert({ table: table.inFile, columns, suffix: '' }, values);
  }

  async end(table: MovedTable): Promise<void> {
    this.#open(table.file).scrub();
  }

  close(): void {
    for (const tables of this.#written.values()) tables.close();
  }

  #open(file: OwnFile): SqliteTables {
    const known = this.#written.get(file);
    if (known !== undefined) return known;
    const path = this.#files[file];
    makePrivate(path);
    MAKE_FILE[file](path);
    const database = openFile(path, { schema: '', synchronous: 'FULL', secureDelete: true });
    const tables = new SqliteTables(database);
    this.#written.set(file, tables);
    return tables;
  }
}

function inFile(type: ColumnType | undefined, value: Value | number): SqlValue {
  return type === 'bigint' && typeof value === 'string' ? BigInt(value) : value;
}

/** In a database that has the tables of `openHostDatabase`, which stays open. */
export class TablesInDatabase implements OwnTables {
  readonly #pool: Pool;
  readonly #tables: PostgresTables;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#tables = new PostgresTables(pool);
  }

  async *rows(table: MovedTable): AsyncGenerator<MovedRow, undefined> {
    await this.#refuseOthers(table);
    const { columns, key } = table;
    const count = rowsAtOnce(table);
    const selected = Object.entries(columns).map(([name, type]) =>
      isNumber(type) ? `CAST(${name} AS text) AS ${name}` : name,
    );
    // As SQLite compares: texts by their bytes.
    const order = key.map((name) =>
      columns[name] === 'text' ? `kept.${name} COLLATE "C"` : `kept.${name}`,
    );
    const client = await this.#pool.connect();
    try {
      // Sorting a large table takes longer than any statement of a host.
      await client.query('BEGIN READ ONLY; SET LOCAL statement_timeout = 0');
      await client.query(`
        DECLARE ${CURSOR} CURSOR FOR SELECT ${selected.join()} FROM ${nameIn(table)} AS kept
        ${whereOf(table)} ORDER BY ${order.join()}`);
      for (;;) {
        const { rows } = await client.query(`FETCH ${count} FROM ${CURSOR}`);
        for (const row of rows) yield valuesOf(table, row);
        if (rows.length < count) return;
      }
    } finally {
      await rolledBack(client);
    }
  }

  /** The books of other gateways have no place in files. */
  async #refuseOthers({ ownedBy, inSchema }: MovedTable): Promise<void> {
    if (ownedBy === undefined) return;
    const { column, value } = ownedBy;
    const [other] = await this.#tables.all(
      `SELECT 1 FROM ${SCHEMA}.${inSchema} WHERE ${column} <> $1 LIMIT 1`,
      [value],
    );
    if (other === undefined) return;
    throw new MoveError(
      'refused',
      `${SCHEMA}.${inSchema} has rows of another ${column} than ${value}: only the sandbox of the host is moved`,
    );
  }

  async clear(table: MovedTable): Promise<void> {
    await this.#tables.all(`DELETE FROM ${nameIn(table)} ${whereOf(table)}`);
  }

  async add(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const { ownedBy, columns } = table;
    const names = Object.keys(columns);
    const owner = ownedBy === undefined ? {} : { [ownedBy.column]: 'integer' };
    await this.#tables.insert(
      { table: nameIn(table), columns: { ...columns, ...owner }, suffix: '', durable: true },
      rows.map((row) => [
        ...names.map((name) => row[name] ?? null),
        ...(ownedBy === undefined ? [] : [ownedBy.value]),
      ]),
    );
  }

  async end(table: MovedTable): Promise<void> {
    if (table.identity !== undefined) {
      await this.#tables.all(
        `SELECT setval(pg_get_serial_sequence('${nameIn(table)}', '${table.identity}'),
           greatest(max(${table.identity}), 1)) FROM ${nameIn(table)}`,
      );
    }
    await this.#tables.scrub(nameIn(table));
  }

  /** The pool is another's. */
  close(): void {}
}

export function rowsAtOnce({ rowsAtOnce: count = ROWS_AT_ONCE }: MovedTable): number {
  return count;
}

async function rolledBack(client: PoolClient): Promise<void> {
  const failure = await client.query('ROLLBACK').then(
    () => undefined,
    (error: Error) => error,
  );
  client.release(failure);
}

function nameIn({ inSchema }: MovedTable): string {
  return `${SCHEMA}.${inSchema}`;
}

function whereOf({ where }: MovedTable): string {
  return where === undefined ? '' : `WHERE ${where}`;
}

function isNumber(type: ColumnType): boolean {
  return type === 'bigint' || type === 'numeric';
}

function valuesOf({ columns }: MovedTable, row: Readonly<Record<string, unknown>>): MovedRow {
  const values = Object.entries(columns).map(([name, type]) => [name, moved(type, row[name])]);
  return Object.fromEntries(values);
}

function moved(type: ColumnType, value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (type === 'boolean') return Boolean(value);
  if (type === 'bytea') return Buffer.from(value as Uint8Array);
  return String(value);
}

function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !/no such column/.test(error.message)) return error;
  return new MoveError(
    'refused',
    `${path} is that of an earlier version of this program (${error.message}): start and stop a host of this one first`,
  );
}
