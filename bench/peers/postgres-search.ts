/** The same search records in PostgreSQL, with the same indices and queries. */
import type pg from 'pg';
import { connect, type PostgresDatabase } from '../harness/postgres.ts';
import { columnOf, indexedFields, type NaiveRow, RECORDS } from './naive-sqlite.ts';

const ROWS_AN_INSERT = 2_000;
/** The condition of a search, in fields of the records. */
export interface PostgresQuery {
  readonly partition: string;
  /** Conditions are ANDed, values of one ORed. */
  readonly where: readonly {
    readonly field: string;
    readonly anyOf: readonly (string | number)[];
  }[];
  readonly contains?: string;
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
}

export interface PostgresSearch {
  /** One page: the latest first. */
  search(query: PostgresQuery): Promise<readonly { key: string; body: string }[]>;
  close(): Promise<void>;
}

/** Loads and indexes the rows, and analyzes the tables. */
export async function openPostgresSearch(
  database: PostgresDatabase,
  rows: Iterable<NaiveRow>,
  say: (what: string) => void,
): Promise<PostgresSearch> {
  const client = await connect(database.local);
  const close = async () => {
    await client.end();
    await database.drop();
  };
  try {
    say('PostgreSQL: loading');
    await load(client, rows);
    say('PostgreSQL: indexing');
    await index(client);
    return { search: (query) => search(client, query), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const FIELDS = Object.entries(RECORDS.fields ?? {});

async function load(client: pg.Client, rows: Iterable<NaiveRow>): Promise<void> {
  const columns = FIELDS.map(
    ([field, kind]) => `${quoted(field)} ${kind === 'text' ? 'text' : 'bigint'}`,
  );
  await client.query(`
    CREATE TABLE records (
      key text NOT NULL, part text NOT NULL, sort bigint NOT NULL, ${columns.join(', ')},
      body text NOT NULL
    )`);
  const insert = {
    name: 'load',
    text: 'INSERT INTO records SELECT * FROM json_populate_recordset(NULL::records, $1)',
  };
  let chunk: NaiveRow[] = [];
  const flush = async () => {
    if (chunk.length > 0) await client.query({ ...insert, values: [JSON.stringify(chunk)] });
    chunk = [];
  };
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length === ROWS_AN_INSERT) await flush();
  }
  await flush();
}

/** The indices of the project's own table; `pg_trgm` in place of its trigram index of descriptors. */
async function index(client: pg.Client): Promise<void> {
  await client.query('CREATE UNIQUE INDEX ON records (key)');
  await client.query('CREATE INDEX ON records (part, sort)');
  for (const { field, behind } of indexedFields(RECORDS)) {
    const column = quoted(field);
    const columns = ['part', column, 'sort', ...behind.map(quoted)].join(', ');
    await client.query(`CREATE INDEX ON records (${columns}) WHERE ${column} IS NOT NULL`);
  }
  await client.query('CREATE EXTENSION pg_trgm');
  const descriptor = quoted('descriptor');
  await client.query(`CREATE INDEX ON records USING gin (${descriptor} gin_trgm_ops)`);
  await client.query('VACUUM ANALYZE records');
}

async function search(
  client: pg.Client,
  query: PostgresQuery,
): Promise<readonly { key: string; body: string }[]> {
  const values: unknown[] = [];
  const bound = (value: unknown) => `$${values.push(value)}`;
  const terms = [`part = ${bound(query.partition)}`];
  for (const { field, anyOf } of query.where) {
    const column = field === 'key' ? 'key' : quoted(field);
    terms.push(
      anyOf.length === 1 ? `${column} = ${bound(anyOf[0])}` : `${column} = ANY(${bound(anyOf)})`,
    );
  }
  if (query.contains !== undefined) {
    terms.push(`${quoted('descriptor')} LIKE ${bound(`%${query.contains}%`)}`);
  }
  if (query.from !== undefined) terms.push(`sort >= ${bound(query.from)}`);
  if (query.to !== undefined) terms.push(`sort <= ${bound(query.to)}`);
  const text = `
    SELECT key, body FROM records WHERE ${terms.join(' AND ')}
    ORDER BY sort DESC, key LIMIT ${bound(query.limit)}`;
  const { rows } = await client.query<{ key: string; body: string }>({
    name: nameOf(text),
    text,
    values,
  });
  return rows;
}

const names = new Map<string, string>();

/** Each statement is prepared once, under its own name. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const made = `search-${names.size}`;
  names.set(text, made);
  return made;
}

function quoted(field: string): string {
  return `"${columnOf(field)}"`;
}
