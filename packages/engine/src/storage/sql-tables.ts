/** The database of the engine's own tables: one text of SQL for a SQLite file and for PostgreSQL. */
import { hash } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { emptyWal } from '@counterfoil/event-stores/sqlite';
import type { Migration } from 'kysely/migration';
import type { Pool, QueryResult } from 'pg';

export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

/** A file answers at once, a server later. */
export type Awaitable<Answer> = Answer | Promise<Answer>;

/** Maps an answer when it is there: at once, if it is. */
export function mapped<Answer, Result>(
  answer: Awaitable<Answer>,
  map: (answer: Answer) => Awaitable<Result>,
): Awaitable<Result> {
  return answer instanceof Promise ? answer.then(map) : map(answer);
}

/** The answer of a file. */
export function atOnce<Answer>(answer: Awaitable<Answer>): Answer {
  if (answer instanceof Promise) throw new TypeError('only a file answers at once');
  return answer;
}

/** What differs in the text of a statement. */
export interface Dialect {
  readonly isShared: boolean;
  table(inFile: string, inSchema: string): string;
  /** Ends a subquery of rows to delete: passes over those that another process deletes. */
  readonly skipLocked: string;
  /** The time of the database's clock, plus `seconds`. */
  timeIn(seconds: number): string;
}

/** Rows that are added in one transaction, in their order. */
export interface Insert {
  readonly table: string;
  /** Names, with the types of PostgreSQL. */
  readonly columns: Readonly<Record<string, string>>;
  /** `ON CONFLICT …`, `RETURNING …` */
  readonly suffix: string;
  /** Whether the commit waits for the disk. Absent: PostgreSQL's default. */
  readonly durable?: boolean;
}

/** Rows that are found by their keys. */
export interface Lookup {
  readonly table: string;
  /** Names of the key's columns, with the types of PostgreSQL. */
  readonly key: Readonly<Record<string, string>>;
  readonly select: string;
  readonly where?: string;
}

/**
 * Runs statements with the parameters `$1`, `$2`, each prepared once. Values come as each driver gives
 * them: booleans of SQLite are 0 and 1, 64-bit integers of PostgreSQL are text.
 */
interface Tables {
  readonly dialect: Dialect;
  all<Row>(text: string, values?: readonly SqlValue[]): Awaitable<readonly Row[]>;
  /** Answers what the statement returns. */
  insert<Row>(insert: Insert, rows: readonly (readonly SqlValue[])[]): Awaitable<readonly Row[]>;
  /** The rows that there are, in any order. */
  find<Row>(lookup: Lookup, keys: readonly (readonly SqlValue[])[]): Awaitable<readonly Row[]>;
  /** Leaves nothing of removed rows beside the others. False, at once, while a reader is there. */
  scrub(table: string): Awaitable<boolean>;
  close(): void;
}

export type SqlTables = SqliteTables | PostgresTables;

const SQLITE: Dialect = {
  isShared: false,
  table: (inFile) => inFile,
  skipLocked: '',
  timeIn: (seconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '${seconds} seconds')`,
};

const POSTGRES: Dialect = {
  isShared: true,
  table: (_, inSchema) => `counterfoil_host.${inSchema}`,
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  timeIn: (seconds) => `clock_timestamp() + interval '${seconds} seconds'`,
};

const PARAMETER = /\$(\d+)/g;

export interface FileOptions {
  /** Makes what is not there. */
  readonly schema: string;
  /** Columns that files of earlier versions lack, by table; with their types. */
  readonly addedColumns?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What a commit waits for: OFF survives a kill, NORMAL keeps the file sound, FULL loses nothing. */
  readonly synchronous: 'OFF' | 'NORMAL' | 'FULL';
  /** Overwrites what is removed. */
  readonly secureDelete?: boolean;
}

/** Opens or creates an SQLite file (or `:memory:`). Throws what SQLite throws. */
export function openFile(
  path: string,
  { schema, addedColumns = {}, synchronous, secureDelete = false }: FileOptions,
): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};`);
    if (secureDelete) database.exec('PRAGMA secure_delete = ON');
    database.exec(schema);
    const hasColumn = database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
    for (const [table, columns] of Object.entries(addedColumns)) {
      for (const [name, type] of Object.entries(columns)) {
        if (hasColumn.get(table, name) !== undefined) continue;
        database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
      }
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** In an SQLite file (or `:memory:`), or in a database that has the tables of `openHostDatabase`. */
export function openTables(place: string | Pool, options: FileOptions): SqlTables {
  if (typeof place !== 'string') return new PostgresTables(place);
  return new SqliteTables(openFile(place, options));
}

const BUSY_TIMEOUT_MS = 5_000;

/** Answers at once. */
export class SqliteTables implements Tables {
  readonly dialect = SQLITE;
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  all<Row>(text: string, values: readonly SqlValue[] = []): readonly Row[] {
    return this.#statement(text).all(...values.map(inSqlite)) as unknown as readonly Row[];
  }

  insert<Row>(insert: Insert, rows: readonly (readonly SqlValue[])[]): readonly Row[] {
    const statement = this.#statement(insertOne(insert));
    const returned: Row[] = [];
    const returns = insert.suffix.includes('RETURNING');
    this.transaction(() => {
      for (const row of rows) {
        const values = row.map(inSqlite);
        // Nothing is made of an answer without rows.
        if (!returns) statement.run(...values);
        else returned.push(...(statement.all(...values) as unknown as readonly Row[]));
      }
    });
    return returned;
  }

  /** Whether each row was added: `ON CONFLICT DO NOTHING` passes over others. Half the cost of returned rows. */
  insertNew(insert: Insert, rows: readonly (readonly SqlValue[])[]): readonly boolean[] {
    const statement = this.#statement(insertOne(insert));
    return this.transaction(() =>
      rows.map((row) => Number(statement.run(...row.map(inSqlite)).changes) === 1),
    );
  }

  find<Row>(lookup: Lookup, keys: readonly (readonly SqlValue[])[]): readonly Row[] {
    const text = findOne(lookup);
    return keys.flatMap((key) => this.all<Row>(text, key));
  }

  transaction<Result>(work: () => Result, begin = 'BEGIN IMMEDIATE'): Result {
    this.#statement(begin).run();
    try {
      const result = work();
      this.#statement('COMMIT').run();
      return result;
    } catch (error) {
      // A commit that failed may have ended the transaction itself.
      if (this.database.isOpen && this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  /** What was removed is overwritten in the file; the write-ahead log still has it. */
  scrub(): boolean {
    return emptyWal(this.database);
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }

  #statement(text: string): StatementSync {
    let statement = this.#prepared.get(text);
    if (statement === undefined) {
      statement = this.database.prepare(text.replaceAll(PARAMETER, '?$1'));
      this.#prepared.set(text, statement);
    }
    return statement;
  }
}

function inSqlite(value: SqlValue): Exclude<SqlValue, boolean> {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** In a database that has the tables of `openHostDatabase`, which stays open. */
export class PostgresTables implements Tables {
  readonly dialect = POSTGRES;
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async all<Row>(text: string, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.#run(text, values.map(inPostgres));
  }

  async insert<Row>(
    insert: Insert,
    rows: readonly (readonly SqlValue[])[],
  ): Promise<readonly Row[]> {
    return this.#run(insertMany(insert), columnsOf(rows, insert.columns));
  }

  async find<Row>(lookup: Lookup, keys: readonly (readonly SqlValue[])[]): Promise<readonly Row[]> {
    const values = columnsOf(keys, lookup.key);
    const text = findMany(lookup);
    if (values.length === 1) return this.#run(text, values);
    // Not prepared: the plan of a join from when the table was small would read all of it later.
    const { rows } = await this.#pool.query({ text, values });
    return rows;
  }

  /** Calls a function whose parameters are the columns of the rows. */
  async call(
    name: string,
    columns: Readonly<Record<string, string>>,
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    await this.#run(`SELECT ${name}(${arraysOf(columns)})`, columnsOf(rows, columns));
  }

  /** Frees the room of removed rows for others. What is locked now, autovacuum does. */
  async scrub(table: string): Promise<boolean> {
    const vacuum = `VACUUM (SKIP_LOCKED, TRUNCATE FALSE) ${table}`;
    await this.#pool.query(vacuum).catch(() => undefined);
    return true;
  }

  /** The pool is another's. */
  close(): void {}

  async #run<Row>(text: string, values: unknown[]): Promise<readonly Row[]> {
    const query = { name: nameOf(text), text, values };
    const { rows }: QueryResult = await this.#pool.query(query);
    return rows as readonly Row[];
  }
}

function inPostgres(value: SqlValue): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

function columnsOf(rows: readonly (readonly SqlValue[])[], columns: object): unknown[][] {
  return Object.keys(columns).map((_, index) => rows.map((row) => inPostgres(row[index] ?? null)));
}

/** A connection prepares a statement once for each name. */
const nameOf = rememberedBy(
  new Map<string, string>(),
  (text) => `engine-${hash('sha256', text).slice(0, 16)}`,
);

const insertOne = rememberedBy(new WeakMap<Insert, string>(), ({ table, columns, suffix }) => {
  const names = Object.keys(columns);
  const values = names.map((_, index) => `$${index + 1}`);
  return `INSERT INTO ${table} (${names.join()}) VALUES (${values.join()}) ${suffix}`;
});

const insertMany = rememberedBy(new WeakMap<Insert, string>(), (insert) => {
  const { table, columns, suffix, durable } = insert;
  const names = Object.keys(columns).join();
  const isSet = durable !== undefined;
  const mode = durable === true ? 'on' : 'off';
  const setting = `WITH durable AS (SELECT set_config('synchronous_commit', '${mode}', true)) `;
  return `${isSet ? setting : ''}
    INSERT INTO ${table} (${names})
    SELECT ${names}
    FROM ${isSet ? 'durable,' : ''} unnest(${arraysOf(columns)})
      WITH ORDINALITY AS row (${names}, ordinal)
    ORDER BY ordinal ${suffix}`;
});

const findOne = rememberedBy(new WeakMap<Lookup, string>(), (lookup) => {
  const { table, key, select, where = '' } = lookup;
  const isKey = Object.keys(key).map((name, index) => `${name} = $${index + 1}`);
  return `SELECT ${select} FROM ${table} WHERE ${isKey.join(' AND ')} ${where && `AND ${where}`}`;
});

const findMany = rememberedBy(new WeakMap<Lookup, string>(), (lookup) => {
  const { table, key, select, where = '' } = lookup;
  const names = Object.keys(key).join();
  if (Object.keys(key).length === 1) {
    const isKey = `${names} = ANY(${arraysOf(key)})`;
    return `SELECT ${select} FROM ${table} WHERE ${isKey} ${where && `AND ${where}`}`;
  }
  return `
    SELECT ${select} FROM unnest(${arraysOf(key)}) AS wanted (${names})
    JOIN ${table} AS kept USING (${names}) ${where && `WHERE ${where}`}`;
});

function arraysOf(columns: Readonly<Record<string, string>>): string {
  return Object.values(columns)
    .map((type, index) => `$${index + 1}::${type}[]`)
    .join();
}

interface Texts<Key> {
  get(key: Key): string | undefined;
  set(key: Key, text: string): unknown;
}

function rememberedBy<Key>(texts: Texts<Key>, make: (key: Key) => string): (key: Key) => string {
  return (key) => {
    let text = texts.get(key);
    if (text === undefined) {
      text = make(key);
      texts.set(key, text);
    }
    return text;
  };
}

/** Runs these, one after the other. */
export function migration(...statements: readonly string[]): Migration {
  return {
    async up(database) {
      const { sql } = await import('kysely');
      for (const each of statements) await sql.raw(each).execute(database);
    },
  };
}
