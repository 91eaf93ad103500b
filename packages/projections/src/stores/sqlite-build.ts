/** One build of a projection in a SQLite file of its own. */
import { createHash } from 'node:crypto';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Position, StoredEvent } from '@counterfoil/core';
import {
  type Build,
  type BuildInfo,
  type Change,
  type CollectionSpec,
  type CollectionSummary,
  type Commit,
  type CommitResult,
  type Document,
  type FieldValue,
  type ListOptions,
  type ParkedStream,
  type Place,
  ReadModelError,
  type Summary,
  type Walk,
  type Walked,
} from '../read-model-store.ts';
import { hash64 } from './hash64.ts';
import {
  columnOf,
  createIndices,
  createTables,
  eraOf,
  erasOf,
  fieldsOf,
  tune,
} from './sqlite-schema.ts';
import { Statements } from './sqlite-statements.ts';
import { Walker } from './sqlite-walk.ts';
import type { TurnMemory } from './turn-memory.ts';

/** The trigram index finds nothing shorter. */
const MIN_TRIGRAM_CHARACTERS = 3;
/** Sorts after every character that a key is made of. */
const AFTER_ALL_KEYS = '\u{10ffff}';

export interface BuildFile {
  readonly path: string;
  readonly info: BuildInfo;
  readonly collections: readonly CollectionSpec[];
  readonly role: 'writer' | 'reader' | 'loader';
  /** Tells the catalog that a load has ended. */
  readonly onReady: () => void;
  /** Of a reader that sees one moment in a turn, however often it reads. */
  readonly memory?: TurnMemory | undefined;
}

export class SqliteBuild implements Build {
  info: BuildInfo;
  readonly #file: BuildFile;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #specs: ReadonlyMap<string, CollectionSpec>;
  readonly #partitions = new Map<string, number>();
  /** Eras known to be written, by collection and partition. */
  readonly #eras = new Set<string>();

  constructor(file: BuildFile, isNew: boolean) {
    this.#file = file;
    this.info = file.info;
    this.#specs = new Map(file.collections.map((spec) => [spec.name, spec]));
    this.#database = new DatabaseSync(file.path, { readOnly: file.role === 'reader' });
    tune(this.#database, file.role);
    if (isNew) createTables(this.#database, file.collections, file.info.state);
    this.#statements = new Statements(this.#database);
  }

  async checkpoint(): Promise<Position | undefined> {
    return this.#position();
  }

  async fence(epoch: number): Promise<boolean> {
    const { changes } = this.#statements
      .get('UPDATE meta SET epoch = ? WHERE epoch <= ?')
      .run(epoch, epoch);
    return changes === 1;
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#statements.get('BEGIN IMMEDIATE').run();
    try {
      const result = this.#write(commit);
      this.#statements.get(result.outcome === 'committed' ? 'COMMIT' : 'ROLLBACK').run();
      if (result.outcome !== 'committed') this.#forget();
      return result;
    } catch (error) {
      this.#forget();
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** What was written in a transaction that is rolled back is not known any more. */
  #forget(): void {
    this.#partitions.clear();
    this.#eras.clear();
  }

  async parked(): Promise<readonly ParkedStream[]> {
    return this.#statements.snapshot(() => {
      const streams = this.#statements
        .get('SELECT stream, error FROM parked_streams ORDER BY stream')
        .all() as { stream: string; error: string }[];
      const events = this.#statements.get(
        'SELECT event FROM parked_events WHERE stream = ? ORDER BY revision',
      );
      return streams.map(({ stream, error }) => ({
        stream,
        error,
        events: events.all(stream).map((row) => JSON.parse(row['event'] as string) as StoredEvent),
      }));
    });
  }

  async parkedStreams(): Promise<ReadonlySet<string>> {
    const rows = this.#statements.get('SELECT stream FROM parked_streams').all();
    return new Set(rows.map((row) => row['stream'] as string));
  }

  async finishLoad(): Promise<void> {
    createIndices(this.#database, this.#file.collections);
    tune(this.#database, 'writer');
    // A checkpoint that copies anything syncs the whole file, and with it what the load left unsynced.
    this.#database.exec('UPDATE meta SET revision = revision + 1');
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.info = { ...this.info, state: 'ready' };
    this.#file.onReady();
  }

  async summary(): Promise<Summary> {
    return this.#statements.snapshot(() => ({
      position: this.#position(),
      collections: [...this.#specs.values()].map((spec) => this.#summaryOf(spec)),
    }));
  }

  async get(collection: string, keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    const { name, kind } = this.#spec(collection);
    this.#oneMoment();
    const statement = this.#statements.get(
      kind === 'walked'
        ? `SELECT body FROM ${name}_bodies WHERE id = (SELECT id FROM ${name} WHERE key = ?)`
        : `SELECT body FROM ${name} WHERE key = ?`,
    );
    const read = (key: string) => (statement.get(key) as { body: string } | undefined)?.body;
    if (keys.length === 1) return keys.map(read);
    return this.#statements.snapshot(() => keys.map(read));
  }

  async list(collection: string, options: ListOptions): Promise<readonly Document[]> {
    const { name, kind } = this.#spec(collection);
    if (kind === 'walked') throw new RangeError(`${name} is walked, not listed`);
    this.#oneMoment();
    const { prefix, after, limit } = options;
    const from = after !== undefined && after >= prefix ? after : prefix;
    return this.#statements
      .get(
        `SELECT key, body FROM ${name} WHERE key >= ? AND key < ? AND key <> ? ORDER BY key LIMIT ?`,
      )
      .all(from, prefix + AFTER_ALL_KEYS, after ?? '', limit)
      .map((row) => ({ key: row['key'] as string, body: row['body'] as string }));
  }

  async walk(walk: Walk): Promise<readonly Walked[]> {
    this.#oneMoment();
    const part = this.#partition(walk.partition);
    if (part === undefined) return [];
    const spec = this.#spec(walk.collection);
    return this.#statements.snapshot(() => new Walker(this.#statements, spec, part, walk).run());
  }

  async grep(collection: string, partition: string, needle: string): Promise<readonly string[]> {
    const { name } = this.#spec(collection);
    this.#oneMoment();
    const part = this.#partition(partition);
    if (part === undefined) return [];
    const short = [...needle].length < MIN_TRIGRAM_CHARACTERS;
    const rows = short
      ? this.#statements
          .get(`SELECT body FROM ${name} WHERE part = ? AND instr(body, ?) > 0 ORDER BY key`)
          .all(part, needle)
      : this.#statements
          .get(
            `SELECT d.body FROM ${name}_grep g JOIN ${name} d ON d.id = g.rowid
             WHERE ${name}_grep MATCH ? AND d.part = ? AND instr(d.body, ?) > 0 ORDER BY d.key`,
          )
          .all(`"${needle.replaceAll('"', '""')}"`, part, needle);
    return rows.map((row) => row['body'] as string);
  }

  async revision(partition?: string): Promise<number> {
    const memory = this.#oneMoment();
    const ask = () => this.#revision(partition);
    if (memory === undefined) return ask();
    return memory.recall(`${this.#file.path} revision ${partition ?? ''}`, ask);
  }

  /**
   * Lets the reads of this turn share a transaction: taking the file's lock and giving it back costs
   * more than to read a document. It ends with the turn, and with the writer's next word.
   */
  #oneMoment(): TurnMemory | undefined {
    const { memory, path } = this.#file;
    memory?.recall(`${path} moment`, () => {
      this.#statements.get('BEGIN').run();
      memory.whenForgotten(() => {
        if (this.#database.isOpen && this.#database.isTransaction) {
          this.#statements.get('COMMIT').run();
        }
      });
    });
    return memory;
  }

  #revision(partition: string | undefined): number {
    const row =
      partition === undefined
        ? this.#statements.get('SELECT revision FROM meta').get()
        : this.#statements.get('SELECT revision FROM partitions WHERE name = ?').get(partition);
    return (row?.['revision'] as number | undefined) ?? 0;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #position(): Position | undefined {
    const row = this.#statements.get('SELECT position FROM meta').get();
    return (row?.['position'] as Position | null) ?? undefined;
  }

  #write(commit: Commit): CommitResult {
    const { changes } = this.#statements
      .get(
        'UPDATE meta SET position = ?, revision = revision + ? WHERE position IS ? AND epoch = ?',
      )
      .run(
        commit.checkpoint ?? null,
        commit.changes.length > 0 ? 1 : 0,
        commit.expected ?? null,
        commit.epoch,
      );
    if (changes !== 1) return { outcome: 'stale' };
    const touched = new Set<number>();
    for (const change of commit.changes) {
      if (!this.#apply(change, touched)) {
        return {
          outcome: 'duplicate',
          collection: change.collection,
          key: change.after?.key ?? '',
        };
      }
    }
    const touch = this.#statements.get(
      'UPDATE partitions SET revision = revision + 1 WHERE id = ?',
    );
    for (const part of touched) touch.run(part);
    this.#park(commit);
    return { outcome: 'committed' };
  }

  #park({ park = [], unpark = [] }: Commit): void {
    const stream = this.#statements.get('INSERT OR IGNORE INTO parked_streams VALUES (?, ?)');
    const event = this.#statements.get(
      'INSERT INTO parked_events (stream, revision, event) VALUES (?, ?, ?)',
    );
    for (const name of unpark) {
      this.#statements.get('DELETE FROM parked_events WHERE stream = ?').run(name);
      this.#statements.get('DELETE FROM parked_streams WHERE stream = ?').run(name);
    }
    for (const { event: stored, error } of park) {
      stream.run(stored.stream, error);
      event.run(stored.stream, stored.revision, JSON.stringify(stored));
    }
  }

  /** False when the document to be made is there already. */
  #apply(change: Change, touched: Set<number>): boolean {
    const spec = this.#spec(change.collection);
    switch (spec.kind) {
      case 'keyed':
        return this.#applyKeyed(spec.name, change);
      case 'dictionary':
        return this.#applyText(spec.name, change);
      case 'walked':
        return this.#applyWalked(spec, change, touched);
    }
  }

  #applyKeyed(name: string, { before, after, shared }: Change): boolean {
    if (after === undefined) {
      this.#statements.get(`DELETE FROM ${name} WHERE key = ?`).run(before?.key ?? '');
      return true;
    }
    if (before !== undefined) {
      this.#statements.get(`UPDATE ${name} SET body = ? WHERE key = ?`).run(after.body, after.key);
      return true;
    }
    const { changes } = this.#statements
      .get(`INSERT INTO ${name} (key, body) VALUES (?, ?) ON CONFLICT DO NOTHING`)
      .run(after.key, after.body);
    return changes === 1 || shared === true;
  }

  #applyText(name: string, { after, shared }: Change): boolean {
    const { key, body, place } = placed(after);
    const { changes, lastInsertRowid } = this.#statements
      .get(`INSERT INTO ${name} (key, part, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`)
      .run(key, this.#partitionToWrite(place.partition), body);
    if (changes !== 1) return shared === true;
    this.#statements
      .get(`INSERT INTO ${name}_grep (rowid, body) VALUES (?, ?)`)
      .run(lastInsertRowid, body);
    return true;
  }

  #applyWalked(spec: CollectionSpec, change: Change, touched: Set<number>): boolean {
    const { before, after } = change;
    const { name } = spec;
    const { place } = placed(after ?? before);
    const part = this.#partitionToWrite(place.partition);
    touched.add(part);
    if (before === undefined) return this.#insertWalked(spec, placed(after), part);
    const found = this.#statements.get(`SELECT id FROM ${name} WHERE key = ?`).get(before.key);
    if (found === undefined) throw new ReadModelError('damaged', `${name} lacks ${before.key}`);
    const id = found['id'] as number;
    if (after === undefined) {
      this.#statements.get(`DELETE FROM ${name} WHERE id = ?`).run(id);
      this.#statements.get(`DELETE FROM ${name}_bodies WHERE id = ?`).run(id);
      return true;
    }
    // Only what changed is set: every column that is named costs its index a removal and an insertion.
    const old = placed(before).place.fields;
    const moved = fieldsOf(spec).filter((field) => old[field] !== place.fields[field]);
    if (moved.length > 0) {
      const columns = moved.map((field) => `${columnOf(field)} = ?`).join(', ');
      this.#statements
        .get(`UPDATE ${name} SET ${columns} WHERE id = ?`)
        .run(...moved.map((field) => columnValue(spec, field, place)), id);
    }
    if (before.body !== after.body) {
      this.#statements.get(`UPDATE ${name}_bodies SET body = ? WHERE id = ?`).run(after.body, id);
    }
    return true;
  }

  #insertWalked(spec: CollectionSpec, document: Placed, part: number): boolean {
    const { name } = spec;
    const fields = fieldsOf(spec);
    const columns = ['key', 'part', 'sort', ...fields.map(columnOf)];
    const { changes, lastInsertRowid } = this.#statements
      .get(
        `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
         ON CONFLICT DO NOTHING`,
      )
      .run(
        document.key,
        part,
        document.place.sort,
        ...fields.map((field) => columnValue(spec, field, document.place)),
      );
    if (changes !== 1) return false;
    this.#statements
      .get(`INSERT INTO ${name}_bodies VALUES (?, ?)`)
      .run(lastInsertRowid, document.body);
    this.#enterEra(name, part, eraOf(document.place.sort));
    return true;
  }

  #enterEra(name: string, part: number, era: number): void {
    const known = `${name} ${part} ${era}`;
    if (this.#eras.has(known)) return;
    this.#statements.get(`INSERT OR IGNORE INTO ${erasOf(name)} VALUES (?, ?)`).run(part, era);
    this.#eras.add(known);
  }

  #partition(name: string): number | undefined {
    const known = this.#partitions.get(name);
    if (known !== undefined) return known;
    const row = this.#statements.get('SELECT id FROM partitions WHERE name = ?').get(name);
    const id = row?.['id'] as number | undefined;
    if (id !== undefined) this.#partitions.set(name, id);
    return id;
  }

  #partitionToWrite(name: string): number {
    const known = this.#partition(name);
    if (known !== undefined) return known;
    this.#statements.get('INSERT INTO partitions (name, revision) VALUES (?, 0)').run(name);
    return this.#partition(name) ?? 0;
  }

  #summaryOf({ name, kind }: CollectionSpec): CollectionSummary {
    const rows = this.#statements.get(
      kind === 'walked'
        ? `SELECT d.key, b.body FROM ${name} d JOIN ${name}_bodies b ON b.id = d.id ORDER BY d.key`
        : `SELECT key, body FROM ${name} ORDER BY key`,
    );
    const hash = createHash('sha256');
    let count = 0;
    for (const row of rows.iterate()) {
      hash.update(`${row['key']}\n${row['body']}\n`);
      count += 1;
    }
    return { collection: name, count, digest: hash.digest('hex') };
  }

  #spec(collection: string): CollectionSpec {
    const spec = this.#specs.get(collection);
    if (spec === undefined) throw new RangeError(`no collection ${collection}`);
    return spec;
  }
}

type Placed = Document & { readonly place: Place };

function placed(document: Document | undefined): Placed {
  if (document?.place === undefined) throw new RangeError('a document to be walked needs a place');
  return document as Placed;
}

function columnValue(spec: CollectionSpec, field: string, { fields }: Place): SQLInputValue {
  const value: FieldValue | null = fields[field] ?? null;
  if (value === null) return null;
  if (spec.fields?.[field] === 'text') {
    if (typeof value === 'string') return hash64(value);
  } else if (Number.isSafeInteger(value)) {
    return value;
  }
  throw new RangeError(`${spec.name}.${field} cannot hold ${JSON.stringify(value)}`);
}
