/** Writes the changes of read models to Counterfoil's own tables with plain statements only. */
import { createHash } from 'node:crypto';
import type { Change, Document, FieldValue } from '@counterfoil/projections';
import type pg from 'pg';
import { connect } from '../harness/postgres.ts';

const SCHEMA = 'counterfoil_read_models';
/** Rows and checkpoint can be rebuilt from the log: Counterfoil's own commits are asynchronous too. */
const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = off';
const FIELD = 'f_';

/** The operation on a row: upsert, insert unless present, delete. */
type Does = 'write' | 'share' | 'remove';

interface Column {
  readonly name: string;
  readonly type: string;
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** A change with its column values, computed before the measurement. */
export interface ReadyRow {
  readonly table: Table;
  readonly does: Does;
  /** In column order; for a deletion only the key. */
  readonly values: readonly (FieldValue | null)[];
}

/** Works on a copy of a database that Counterfoil filled: same tables, rows and indices. */
export class PostgresDocuments {
  readonly #client: pg.Client;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #partitions = new Map<string, number>();
  readonly #names = new Map<string, string>();

  private constructor(client: pg.Client, tables: ReadonlyMap<string, Table>) {
    this.#client = client;
    this.#tables = tables;
  }

  static async open(url: string): Promise<PostgresDocuments> {
    const client = await connect(url);
    return new PostgresDocuments(client, await tablesOf(client));
  }

  /** Of several changes to a document only the last one is kept. */
  ready(projection: string, changes: readonly Change[]): readonly ReadyRow[] {
    const rows = new Map<string, ReadyRow>();
    for (const { collection, before, after, shared = false } of changes) {
      const table = this.#tables.get(`${projection}/${collection}`);
      const document = after ?? before;
      if (table === undefined || document === undefined) throw new Error(`where is ${collection}?`);
      const id = `${collection}/${document.key}`;
      if (shared && rows.has(id)) continue;
      rows.set(id, {
        table,
        does: after === undefined ? 'remove' : shared ? 'share' : 'write',
        values: after === undefined ? [document.key] : this.#valuesOf(table, after),
      });
    }
    return [...rows.values()];
  }

  /** One transaction with a prepared statement per row. */
  async applyOneByOne(rows: readonly ReadyRow[]): Promise<void> {
    await this.#client.query(BEGIN);
    for (const { table, does, values } of rows) {
      const text = `${oneRow(table, does)}`;
      const { rowCount } = await this.#client.query({
        name: this.#nameOf(text),
        text,
        values: [...values],
      });
      judge(does, rowCount, 1);
    }
    await this.#client.query('COMMIT');
  }

  /** One transaction with one statement per table and operation. */
  async applyTogether(rows: readonly ReadyRow[]): Promise<void> {
    await this.#client.query(BEGIN);
    for (const group of Map.groupBy(rows, ({ table, does }) => `${does} ${table.name}`).values()) {
      const [first] = group;
      if (first === undefined) continue;
      const { table, does } = first;
      const text = manyRows(table, does);
      const values = first.values.map((_, column) => group.map((row) => row.values[column]));
      const { rowCount } = await this.#client.query({ name: this.#nameOf(text), text, values });
      judge(does, rowCount, group.length);
    }
    await this.#client.query('COMMIT');
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  #valuesOf(table: Table, { key, body, place }: Document): readonly (FieldValue | null)[] {
    return table.columns.map(({ name }) => {
      if (name === 'key') return key;
      if (name === 'body') return body;
      if (place === undefined) throw new Error(`${key} has no place`);
      if (name === 'part') return this.#partition(place.partition);
      if (name === 'sort') return place.sort;
      const value = place.fields[name.slice(FIELD.length)] ?? null;
      return typeof value === 'string' ? hashOf(value) : value;
    });
  }

  /** Any stable number. */
  #partition(name: string): number {
    const known = this.#partitions.get(name) ?? this.#partitions.size + 1;
    this.#partitions.set(name, known);
    return known;
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text) ?? `documents-${this.#names.size}`;
    this.#names.set(text, known);
    return known;
  }
}

/** The tables of the live builds, by projection and collection. */
async function tablesOf(client: pg.Client): Promise<ReadonlyMap<string, Table>> {
  const { rows } = await client.query<{ id: string; name: string; type: string; table: string }>(`
    SELECT b.projection || '/' || substr(c.table_name, length('b' || b.id || '_') + 1) AS id,
      '${SCHEMA}.' || c.table_name AS table, c.column_name AS name, c.data_type AS type
    FROM ${SCHEMA}.live l JOIN ${SCHEMA}.builds b USING (projection, build)
    JOIN information_schema.columns c
      ON c.table_schema = '${SCHEMA}' AND c.table_name LIKE 'b' || b.id || '\\_%'
    ORDER BY c.ordinal_position`);
  const tables = new Map<string, { name: string; columns: Column[] }>();
  for (const { id, name, type, table } of rows) {
    const known = tables.get(id) ?? { name: table, columns: [] };
    known.columns.push({ name, type });
    tables.set(id, known);
  }
  return tables;
}

function oneRow({ name, columns }: Table, does: Does): string {
  if (does === 'remove') return `DELETE FROM ${name} WHERE key = $1`;
  const values = columns.map(({ type }, column) => `$${column + 1}::${type}`).join(', ');
  return `INSERT INTO ${name} VALUES (${values}) ${onConflict(columns, does)}`;
}

function manyRows({ name, columns }: Table, does: Does): string {
  if (does === 'remove') return `DELETE FROM ${name} WHERE key = ANY($1::text[])`;
  const values = columns.map(({ type }, column) => `$${column + 1}::${type}[]`).join(', ');
  return `INSERT INTO ${name} SELECT * FROM unnest(${values}) ${onConflict(columns, does)}`;
}

function onConflict(columns: readonly Column[], does: Does): string {
  if (does === 'share') return 'ON CONFLICT DO NOTHING';
  const others = columns.filter(({ name }) => name !== 'key').map(({ name }) => `"${name}"`);
  return `ON CONFLICT (key) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

function judge(does: Does, written: number | null, wanted: number): void {
  if (does !== 'share' && written !== wanted)
    throw new Error(`${written} of ${wanted} rows written`);
}

/** 64 bits, as fields are stored. */
function hashOf(text: string): string {
  return createHash('sha1').update(text).digest().readBigInt64BE().toString();
}
