/** The tables of a SQLite build: one narrow table with an index a field, bodies apart. */
import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '@counterfoil/core';
import { type BuildInfo, type CollectionSpec, ReadModelError } from '../read-model-store.ts';
import { type Checksums, checksumOf } from './checksums.ts';
import { checksumOfPages, schemaFault } from './sqlite-schema-check.ts';

/** Pages of the write-ahead log between checkpoints: pages hit by many batches are copied once. */
const WAL_CHECKPOINT_PAGES = 64_000;
const BUSY_TIMEOUT_MS = 5_000;
const WRITER_CACHE_KIB = 262_144;
const READER_CACHE_KIB = 65_536;
const MAPPED_BYTES = 1_073_741_824;

/**
 * Documents are apart by era in every index of a field, an era being a fixed number of units of `sort`: of
 * milliseconds, 25 days. What is new falls on the few pages of its era, and not all over the index.
 */
const ERA_BITS = 31;

/** Threads that may help to sort a new index. */
const SORTING_THREADS = 2;

const COLLECTION_NAME = /^[a-z][a-z_]*$/;
const FIELD_NAME = /^[a-z][A-Za-z0-9]*$/;

/** How far a build is; `revision` counts the commits that changed documents. */
export interface Checkpoint {
  readonly position: Position | undefined;
  readonly epoch: number;
  readonly revision: number;
}

const META = `
  CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    position TEXT, epoch INTEGER NOT NULL, revision INTEGER NOT NULL, seal INTEGER NOT NULL,
    build TEXT NOT NULL, pages INTEGER NOT NULL
  );
  CREATE TABLE partitions (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, seal INTEGER NOT NULL
  );
  CREATE TABLE parked_streams (
    stream TEXT PRIMARY KEY, error TEXT NOT NULL, seal INTEGER NOT NULL
  );
  CREATE TABLE parked_events (
    id INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, event TEXT NOT NULL,
    seal INTEGER NOT NULL, UNIQUE (stream, revision)
  );
`;

export function tune(database: DatabaseSync, role: 'writer' | 'reader' | 'loader'): void {
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA temp_store = MEMORY`);
  if (role === 'reader') {
    database.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}; PRAGMA mmap_size = ${MAPPED_BYTES}`);
    return;
  }
  // Replaced content is overwritten, so that the file keeps no data of erased persons.
  database.exec(`PRAGMA cache_size = -${WRITER_CACHE_KIB}; PRAGMA secure_delete = ON`);
  if (role === 'loader') {
    // An interrupted load is dropped, so nothing of it needs to be durable before its end.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
  } else {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`);
  }
}

/** Copies the write-ahead log into the database and truncates it. False, without waiting, while it is being read. */
export function emptyWal(database: DatabaseSync): boolean {
  database.exec('PRAGMA busy_timeout = 0');
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Makes the tables of a build, with the secondary indices or without. */
export function createTables(
  database: DatabaseSync,
  collections: readonly CollectionSpec[],
  info: BuildInfo,
): void {
  database.exec(META);
  database
    .prepare('INSERT INTO meta VALUES (1, NULL, 0, 0, ?, ?, 0)')
    .run(checksumOfCheckpoint({ position: undefined, epoch: 0, revision: 0 }), nameOf(info));
  for (const spec of collections) {
    if (!COLLECTION_NAME.test(spec.name))
      throw new RangeError(`not a collection name: ${spec.name}`);
    database.exec(tableOf(spec));
  }
  if (info.state === 'ready') createIndices(database, collections);
  else keepPages(database);
}

/** The name of a build, as its file has it. */
function nameOf({ projection, version, build }: BuildInfo): string {
  return `${projection} ${version}, build ${build}`;
}

interface Named {
  readonly info: BuildInfo;
  readonly collections: readonly CollectionSpec[];
  readonly checksums: Checksums;
}

/** Files may have been swapped, or put back under the name of another, or have changed. */
export function refuseAnother(
  database: DatabaseSync,
  { info, collections, checksums }: Named,
): void {
  const meta = database.prepare('SELECT build, pages FROM meta').get();
  const named = meta?.['build'];
  if (named !== nameOf(info)) throw checksums.damage(`this is ${named}, and not ${nameOf(info)}`);
  const fault = schemaFault(database, (empty) => createTables(empty, collections, info));
  if (fault !== undefined) throw checksums.damage(fault);
  if (meta?.['pages'] !== checksumOfPages(database))
    throw checksums.damage('its tables do not begin where they were made');
}

/** Notes where the tables and indices begin, as soon as all of them are there. */
function keepPages(database: DatabaseSync): void {
  database.prepare('UPDATE meta SET pages = ?').run(checksumOfPages(database));
}

function tableOf(spec: CollectionSpec): string {
  const { name } = spec;
  switch (spec.kind) {
    case 'keyed':
      return `CREATE TABLE ${name} (
        key TEXT NOT NULL UNIQUE, body TEXT NOT NULL, seal INTEGER NOT NULL
      )`;
    case 'dictionary':
      return `
        CREATE TABLE ${name} (
          id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, part INTEGER NOT NULL, body TEXT NOT NULL,
          seal INTEGER NOT NULL
        );
        CREATE INDEX ${name}_part ON ${name} (part);
        CREATE VIRTUAL TABLE ${name}_grep USING fts5(
          body, content='${name}', content_rowid='id', tokenize='trigram case_sensitive 1'
        )`;
    case 'walked': {
      // The key stands with the body too: what an index leads to is read there alone, not in both tables.
      const columns = fieldsOf(spec).map((field) => `, ${columnOf(field)} INTEGER`);
      return `
        CREATE TABLE ${name} (
          id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, part INTEGER NOT NULL, sort INTEGER NOT NULL,
          era INTEGER AS (sort >> ${ERA_BITS}) VIRTUAL
          ${columns.join('')}
        );
        CREATE TABLE ${erasOf(name)} (
          of_part INTEGER NOT NULL, no INTEGER NOT NULL, PRIMARY KEY (of_part, no)
        ) WITHOUT ROWID;
        CREATE TABLE ${name}_bodies (
          id INTEGER PRIMARY KEY, of_key TEXT NOT NULL, body TEXT NOT NULL, seal INTEGER NOT NULL
        )`;
    }
  }
}

/**
 * An index a field rather than one table of postings: as fast to write, far faster to make after a
 * load, and the other conditions of a query stand in the row that the index leads to. An empty field
 * takes no room.
 */
export function createIndices(
  database: DatabaseSync,
  collections: readonly CollectionSpec[],
): void {
  database.exec(`PRAGMA threads = ${SORTING_THREADS}`);
  for (const spec of collections) {
    const { name } = spec;
    // A load leaves a part for each of its batches, and a search looks into all of them.
    if (spec.kind === 'dictionary') {
      database.exec(`INSERT INTO ${name}_grep (${name}_grep) VALUES ('optimize')`);
    }
    if (spec.kind !== 'walked') continue;
    database.exec(`CREATE INDEX ${indexOf(name, 'sort')} ON ${name} (part, sort)`);
    for (const field of indexedFieldsOf(spec)) {
      const column = columnOf(field);
      // Behind the order: what they rule out is seen in the index, and its row is not looked up.
      const companions = spec.companions?.[field]?.map(columnOf) ?? [];
      const columns = ['part', 'era', column, 'sort', ...companions].join(', ');
      database.exec(
        `CREATE INDEX ${indexOf(name, field)} ON ${name} (${columns}) WHERE ${column} IS NOT NULL`,
      );
    }
  }
  keepPages(database);
}

export function fieldsOf(spec: CollectionSpec): readonly string[] {
  const fields = Object.keys(spec.fields ?? {});
  for (const field of fields) {
    if (!FIELD_NAME.test(field)) throw new RangeError(`not a field name: ${field}`);
  }
  return fields;
}

function indexedFieldsOf(spec: CollectionSpec): readonly string[] {
  return fieldsOf(spec).filter((field) => spec.fields?.[field] !== 'stored');
}

/** What each row is written with: a text that is put together for each costs as much as the row. */
export interface StatementTexts {
  readonly insert: string;
  readonly update: string;
  readonly remove: string;
  /** Of a walked collection. */
  readonly fields: readonly string[];
  readonly insertBody: string;
}

export function textsOf(spec: CollectionSpec): StatementTexts {
  const { name, kind } = spec;
  const fields = kind === 'walked' ? fieldsOf(spec) : [];
  const columns = {
    keyed: ['key', 'body', 'seal'],
    dictionary: ['key', 'part', 'body', 'seal'],
    walked: ['key', 'part', 'sort', ...fields.map(columnOf)],
  }[kind];
  const marks = columns.map(() => '?').join(', ');
  return {
    insert: `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${marks}) ON CONFLICT DO NOTHING`,
    update: `UPDATE ${name} SET body = ?, seal = ? WHERE key = ?`,
    remove: `DELETE FROM ${name} WHERE key = ?`,
    fields,
    insertBody: `INSERT INTO ${name}_bodies VALUES (?, ?, ?, ?)`,
  };
}

/** The table of the eras that the documents of each partition fall into. */
export function erasOf(collection: string): string {
  return `${collection}_eras`;
}

export function eraOf(sort: number): number {
  return Math.floor(sort / 2 ** ERA_BITS);
}

export function startOfEra(era: number): number {
  return era * 2 ** ERA_BITS;
}

/**
 * Selects an era that documents fall into and that the table of eras lacks. Goes from era to era by the
 * last document of each, so that it reads as many entries of the index as there are eras.
 */
export function missingEra(collection: string): string {
  const documents = `${collection} INDEXED BY ${indexOf(collection, 'sort')}`;
  return `
    WITH RECURSIVE last (part, sort) AS (
      SELECT id, (SELECT max(sort) FROM ${documents} WHERE part = partitions.id) FROM partitions
      UNION ALL
      SELECT part, (
        SELECT max(sort) FROM ${documents}
        WHERE part = last.part AND sort < last.sort >> ${ERA_BITS} << ${ERA_BITS}
      ) FROM last WHERE sort IS NOT NULL
    )
    SELECT part FROM last WHERE sort IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM ${erasOf(collection)} WHERE of_part = part AND no = sort >> ${ERA_BITS}
    ) LIMIT 1`;
}

/** What a row of `meta` says, whether it is to be believed or not. */
export function checkpointOf(row: Record<string, unknown>): Checkpoint {
  return {
    position: (row['position'] as Position | null) ?? undefined,
    epoch: row['epoch'] as number,
    revision: row['revision'] as number,
  };
}

export function checksumOfCheckpoint({ position, epoch, revision }: Checkpoint): number {
  return checksumOf(`checkpoint ${epoch} ${revision}`, position ?? '');
}

/**
 * The checkpoint of the build in a file; undefined at the beginning. Throws when it does not match its
 * checksum.
 */
export function positionIn(database: DatabaseSync): Position | undefined {
  const row = database.prepare('SELECT * FROM meta').get();
  if (row !== undefined) {
    const reached = checkpointOf(row);
    const { position } = reached;
    const ofEarlierVersion = checksumOf('checkpoint', position ?? '');
    const checksums = [checksumOfCheckpoint(reached), ofEarlierVersion];
    if (checksums.includes(row['seal'] as number)) return position;
  }
  throw new ReadModelError('damaged', 'its checkpoint is not what was written');
}

export function columnOf(field: string): string {
  return `f_${field}`;
}

export function indexOf(collection: string, field: string): string {
  return `${collection}_by_${field}`;
}
