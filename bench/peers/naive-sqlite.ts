/** The read models in the simplest design: one event and one row at a time, in plain tables. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { categoryOf, decodeEvent, type StoredEvent } from '@counterfoil/core';
import {
  type CollectionSpec,
  type DerivedDocument,
  type Document,
  type Place,
  PROJECTIONS,
  type Projection,
  type Recorded,
} from '@counterfoil/projections';

/** The same cache size as the project's files, so that designs are compared, not settings. */
const WRITER_CACHE_KIB = 262_144;
const READER_CACHE_KIB = 65_536;
const MAPPED_BYTES = 1_073_741_824;

const SPECS = PROJECTIONS.flatMap(({ collections }) => collections);

export interface Scan {
  readonly partition: string;
  readonly from: number;
  readonly to: number;
  /** A lower-case part of the descriptor. */
  readonly contains: string;
  readonly limit: number;
}

/** Texts are stored and indexed unhashed; every event writes the rows that it changes. */
export class NaiveSqlite {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path);
    this.#database.exec(`PRAGMA cache_size = -${WRITER_CACHE_KIB}`);
    for (const spec of SPECS) this.#database.exec(tablesOf(spec));
  }

  /** Fills and indexes the empty tables durably. Not measured: each row is written once, in its final state. */
  load(streams: Iterable<readonly Recorded[]>): void {
    this.#database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN');
    const sums = new Map<Projection, Map<string, unknown>>();
    for (const records of streams) {
      for (const projection of PROJECTIONS) {
        // Derived documents depend on a single stream; the others accumulate to the end.
        const isOfStream = projection.derive !== undefined;
        const states = (isOfStream ? undefined : sums.get(projection)) ?? new Map();
        for (const document of folded(projection, records, states)) this.#insert(document);
        if (isOfStream) this.#insertStates(projection, states);
        else sums.set(projection, states);
      }
    }
    for (const [projection, states] of sums) this.#insertStates(projection, states);
    this.#database.exec('COMMIT');
    for (const spec of SPECS) this.#database.exec(indicesOf(spec));
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  }

  /** One transaction. */
  apply(events: readonly StoredEvent[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    for (const stored of events) this.#applyOne(stored);
    this.#database.exec('COMMIT');
  }

  reader(): NaiveReader {
    return new NaiveReader(this.#path);
  }

  close(): void {
    this.#database.close();
  }

  #applyOne(stored: StoredEvent): void {
    const { id, tenantId, stream, revision, position, time } = stored;
    const event = decodeEvent(stored);
    const record: Recorded = { id, tenantId, stream, revision, position, time, event };
    for (const projection of PROJECTIONS) {
      if (reads(projection, record)) this.#project(projection, record);
    }
  }

  #insertStates(projection: Projection, states: ReadonlyMap<string, unknown>): void {
    for (const [key, state] of states) {
      const body = projection.encode(state);
      this.#insert({ collection: projection.stateCollection, key, body });
      for (const document of projection.derive?.(key, state) ?? []) this.#insert(document);
    }
  }

  #project(projection: Projection, record: Recorded): void {
    const { stateCollection } = projection;
    const states = new Map<string, unknown>();
    for (const key of projection.needs(record)) {
      const row = this.#statement(`SELECT body FROM ${stateCollection} WHERE key = ?`).get(key);
      if (row !== undefined) states.set(key, projection.decode(row['body'] as string));
    }
    const view = { get: (key: string) => states.get(key) };
    const { states: changed, documents = [] } = projection.apply(record, view);
    for (const document of documents) this.#insert(document);
    for (const [key, after] of changed) {
      const before = states.get(key);
      const document = { collection: stateCollection, key, body: projection.encode(after) };
      if (before === undefined) this.#insert(document);
      else this.#setBody(document);
      const old = before === undefined ? [] : (projection.derive?.(key, before) ?? []);
      this.#replace(old, projection.derive?.(key, after) ?? []);
    }
  }

  #replace(old: readonly DerivedDocument[], made: readonly DerivedDocument[]): void {
    const left = new Map(old.map((each) => [`${each.collection}/${each.key}`, each]));
    for (const document of made) {
      const name = `${document.collection}/${document.key}`;
      const before = left.get(name);
      left.delete(name);
      if (before === undefined) this.#insert(document);
      else if (document.shared !== true) this.#update(before, document);
    }
    for (const gone of left.values()) if (gone.shared !== true) this.#delete(gone);
  }

  #insert(document: DerivedDocument): void {
    const spec = specOf(document.collection);
    const { name, kind } = spec;
    const or = document.shared === true ? 'OR IGNORE ' : '';
    if (kind !== 'walked') {
      this.#statement(`INSERT ${or}INTO ${name} VALUES (?, ?)`).run(document.key, document.body);
      return;
    }
    const { partition, sort, fields } = placed(document);
    const names = Object.keys(spec.fields ?? {});
    const values = [document.key, partition, sort, ...names.map((field) => fields[field] ?? null)];
    const { lastInsertRowid } = this.#statement(
      `INSERT INTO ${name} VALUES (NULL${', ?'.repeat(values.length)})`,
    ).run(...values);
    this.#statement(`INSERT INTO ${name}_bodies VALUES (?, ?)`).run(lastInsertRowid, document.body);
  }

  /** Updates the changed columns, as hand-written statements would. */
  #update(before: DerivedDocument, after: DerivedDocument): void {
    const { name, kind } = specOf(after.collection);
    if (kind === 'walked') {
      const [old, now] = [placed(before).fields, placed(after).fields];
      const moved = Object.keys(now).filter((field) => old[field] !== now[field]);
      if (moved.length > 0) {
        const columns = moved.map((field) => `${columnOf(field)} = ?`).join(', ');
        const values: SQLInputValue[] = moved.map((field) => now[field] ?? null);
        this.#statement(`UPDATE ${name} SET ${columns} WHERE key = ?`).run(...values, after.key);
      }
    }
    if (before.body !== after.body) this.#setBody(after);
  }

  #setBody({ collection, key, body }: DerivedDocument): void {
    const { name, kind } = specOf(collection);
    const sql =
      kind === 'walked'
        ? `UPDATE ${name}_bodies SET body = ? WHERE id = (SELECT id FROM ${name} WHERE key = ?)`
        : `UPDATE ${name} SET body = ? WHERE key = ?`;
    this.#statement(sql).run(body, key);
  }

  #delete({ collection, key }: DerivedDocument): void {
    const { name, kind } = specOf(collection);
    if (kind === 'walked') {
      this.#statement(
        `DELETE FROM ${name}_bodies WHERE id = (SELECT id FROM ${name} WHERE key = ?)`,
      ).run(key);
    }
    this.#statement(`DELETE FROM ${name} WHERE key = ?`).run(key);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

/** A record with the values of all its columns. */
export type NaiveRow = Readonly<Record<string, string | number | null>>;

/** Reads the tables of `NaiveSqlite` over a separate connection. */
export class NaiveReader {
  readonly #database: DatabaseSync;
  readonly #scan: StatementSync;
  readonly #body: StatementSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true });
    this.#database.exec(
      `PRAGMA cache_size = -${READER_CACHE_KIB}; PRAGMA mmap_size = ${MAPPED_BYTES}`,
    );
    this.#scan = this.#database.prepare(`
      SELECT id, key FROM records INDEXED BY records_by_sort
      WHERE part = ? AND sort BETWEEN ? AND ? AND f_descriptor LIKE ?
      ORDER BY sort DESC, key ASC LIMIT ? + 0`);
    this.#body = this.#database.prepare('SELECT body FROM records_bodies WHERE id = ?');
  }

  /** Keys and bodies of one page. */
  scan({ partition, from, to, contains, limit }: Scan): readonly { key: string; body: string }[] {
    const rows = this.#scan.all(partition, from, to, `%${contains}%`, limit);
    return rows.map((row) => ({
      key: row['key'] as string,
      body: this.#body.get(row['id'] as number)?.['body'] as string,
    }));
  }

  /** All records with their bodies, in insertion order. */
  *records(): Generator<NaiveRow> {
    const all = this.#database.prepare(
      'SELECT r.*, b.body FROM records r JOIN records_bodies b ON b.id = r.id ORDER BY r.id',
    );
    for (const row of all.iterate()) yield row as NaiveRow;
  }

  close(): void {
    this.#database.close();
  }
}

/** The collection of the search records. */
export const RECORDS: CollectionSpec = specOf('records');

export function columnOf(field: string): string {
  return `f_${field}`;
}

function reads({ categories, types }: Projection, { stream, event }: Recorded): boolean {
  return (categories?.has(categoryOf(stream)) ?? true) && (types?.has(event.type) ?? true);
}

/** Folds records into states, and yields the documents derived from them. */
function* folded(
  projection: Projection,
  records: readonly Recorded[],
  states: Map<string, unknown>,
): Generator<DerivedDocument> {
  const view = { get: (key: string) => states.get(key) };
  for (const record of records) {
    if (!reads(projection, record)) continue;
    const applied = projection.apply(record, view);
    for (const [key, state] of applied.states) states.set(key, state);
    yield* applied.documents ?? [];
  }
}

function specOf(collection: string): CollectionSpec {
  const spec = SPECS.find(({ name }) => name === collection);
  if (spec === undefined) throw new Error(`no collection ${collection}`);
  return spec;
}

function placed({ key, place }: Document): Place {
  if (place === undefined) throw new Error(`${key} has no place`);
  return place;
}

function tablesOf({ name, kind, fields = {} }: CollectionSpec): string {
  if (kind !== 'walked')
    return `CREATE TABLE ${name} (key TEXT NOT NULL UNIQUE, body TEXT NOT NULL)`;
  const columns = Object.entries(fields).map(
    ([field, of]) => `, ${columnOf(field)} ${of === 'text' ? 'TEXT' : 'INTEGER'}`,
  );
  return `
    CREATE TABLE ${name} (
      id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, part TEXT NOT NULL, sort INTEGER NOT NULL
      ${columns.join('')}
    );
    CREATE TABLE ${name}_bodies (id INTEGER PRIMARY KEY, body TEXT NOT NULL)`;
}

function indicesOf(spec: CollectionSpec): string {
  const { name, kind } = spec;
  if (kind !== 'walked') return '';
  const each = indexedFields(spec).map(({ field, behind }) => {
    const columns = ['part', columnOf(field), 'sort', ...behind.map(columnOf)].join(', ');
    return `
        CREATE INDEX ${name}_by_${field} ON ${name} (${columns})
        WHERE ${columnOf(field)} IS NOT NULL;`;
  });
  return `CREATE INDEX ${name}_by_sort ON ${name} (part, sort); ${each.join('')}`;
}

/** The indexed fields, and those included after the sort key. */
export function indexedFields({
  fields = {},
  companions = {},
}: CollectionSpec): readonly { readonly field: string; readonly behind: readonly string[] }[] {
  return Object.keys(fields)
    .filter((field) => fields[field] !== 'stored')
    .map((field) => ({ field, behind: companions[field] ?? [] }));
}
