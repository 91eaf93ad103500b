/** One build of a projection in a SQLite file of its own. */
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { Position } from '@counterfoil/core';
import type {
  Build,
  BuildInfo,
  Change,
  CollectionSpec,
  CollectionSummary,
  Commit,
  CommitResult,
  Document,
  ListOptions,
  ParkedStream,
  Place,
  Summary,
  Walk,
  Walked,
} from '../read-model-store.ts';
import { ReadModelError } from '../read-model-store.ts';
import type { Checkpoints, Hold } from '../shards.ts';
import {
  type Checksummed,
  type Checksums,
  checksumOf,
  isOfLaterFormat,
  location,
  locationIn,
} from './checksums.ts';
import { storedValue } from './field-values.ts';
import { Parked } from './sqlite-parked.ts';
import { Partitions } from './sqlite-partitions.ts';
import {
  type Checkpoint,
  checkpointOf,
  checksumOfCheckpoint,
  columnOf,
  createIndices,
  createTables,
  emptyWal,
  eraOf,
  erasOf,
  missingEra,
  refuseAnother,
  type StatementTexts,
  textsOf,
  tune,
} from './sqlite-schema.ts';
import { Statements } from './sqlite-statements.ts';
import { Walker } from './sqlite-walk.ts';
import type { TurnCache } from './turn-cache.ts';

/** The trigram index finds nothing shorter. */
const MIN_TRIGRAM_CHARACTERS = 3;
/** Sorts after every character that a key is made of. */
const AFTER_ALL_KEYS = '\u{10ffff}';

export interface BuildFile {
  readonly path: string;
  readonly info: BuildInfo;
  readonly collections: readonly CollectionSpec[];
  readonly role: 'writer' | 'reader' | 'loader';
  /** Called when a load has ended. */
  readonly onReady: () => void;
  /** For a reader that sees one snapshot in a turn, however often it reads. */
  readonly memory?: TurnCache | undefined;
  readonly checksums: Checksums;
}

export class SqliteBuild implements Build {
  info: BuildInfo;
  needsScrub: boolean;
  readonly #file: BuildFile;
  readonly #checksums: Checksums;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #specs: ReadonlyMap<string, CollectionSpec>;
  readonly #texts: ReadonlyMap<string, StatementTexts>;
  /** What reads a document, by its collection. */
  readonly #documents: ReadonlyMap<string, string>;
  /** Questions to the memory: put together for each read, they would have to be hashed for each. */
  readonly #moment: string;
  readonly #newestRevision: string;
  readonly #partitions: Partitions;
  readonly #parked: Parked;
  /** Eras known to be written, by collection and partition. */
  readonly #eras = new Set<string>();

  constructor(file: BuildFile, isNew: boolean) {
    this.#file = file;
    this.#checksums = file.checksums;
    this.info = file.info;
    this.needsScrub = file.role === 'writer' && !isNew;
    this.#specs = new Map(file.collections.map((spec) => [spec.name, spec]));
    this.#texts = new Map(file.collections.map((spec) => [spec.name, textsOf(spec)]));
    this.#documents = new Map(
      file.collections.map((spec) => [spec.name, `SELECT ${keptOf(spec)} WHERE key = ?`]),
    );
    this.#moment = `${file.path} moment`;
    this.#newestRevision = `${file.path} revision`;
    this.#database = new DatabaseSync(file.path, { readOnly: file.role === 'reader' });
    try {
      tune(this.#database, file.role);
      if (isNew) createTables(this.#database, file.collections, file.info);
      else refuseAnother(this.#database, file);
      // Otherwise it would be found by the first write, after the start.
      if (file.role !== 'reader' && isOfLaterFormat(file.path)) {
        throw file.checksums.damage('its header is not what was written');
      }
    } catch (error) {
      this.#database.close();
      throw file.checksums.judge(error);
    }
    this.#statements = new Statements(this.#database);
    this.#partitions = new Partitions(this.#statements, file.checksums);
    this.#parked = new Parked(this.#statements, file.checksums);
  }

  async checkpoint(): Promise<Position | undefined> {
    return this.#read(() => this.#reached().position);
  }

  async checkpoints(): Promise<Checkpoints> {
    return [await this.checkpoint()];
  }

  async fence(holds: readonly Hold[]): Promise<boolean> {
    const { epoch } = onlyOne(holds);
    return this.#read(() => {
      this.#checkTrigrams();
      if (this.info.state === 'ready') this.#checkEras();
      this.#partitions.check();
      return this.#statements.transaction(() => {
        const reached = this.#reached();
        if (reached.epoch > epoch) return false;
        this.#moveTo({ ...reached, epoch });
        return true;
      });
    });
  }

  async commit(commit: Commit): Promise<CommitResult> {
    try {
      this.#statements.get('BEGIN IMMEDIATE').run();
      const result = this.#write(commit);
      this.#statements.get(result.outcome === 'committed' ? 'COMMIT' : 'ROLLBACK').run();
      if (result.outcome !== 'committed') this.#forget();
      return result;
    } catch (error) {
      this.#forget();
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw this.#checksums.judge(error);
    }
  }

  /** Clears what is cached of a transaction that was rolled back. */
  #forget(): void {
    this.#partitions.forget();
    this.#eras.clear();
  }

  async parked(): Promise<readonly ParkedStream[]> {
    return this.#read(() =>
      this.#statements.snapshot(() =>
        this.#parked
          .streams()
          .map(({ stream, error }) => ({ stream, error, events: this.#parked.events(stream) })),
      ),
    );
  }

  async parkedStreams(): Promise<ReadonlySet<string>> {
    return this.#read(() => new Set(this.#parked.streams().map(({ stream }) => stream)));
  }

  async finishLoad(): Promise<void> {
    createIndices(this.#database, this.#file.collections);
    this.#checkEras();
    tune(this.#database, 'writer');
    // A checkpoint that copies anything syncs the whole file, including what the load has not synced.
    const reached = this.#reached();
    this.#moveTo({ ...reached, revision: reached.revision + 1 });
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.info = { ...this.info, state: 'ready' };
    this.#file.onReady();
  }

  async summary(): Promise<Summary> {
    return this.#read(() =>
      this.#statements.snapshot(() => ({
        checkpoints: [this.#reached().position],
        collections: [...this.#specs.values()].map((spec) => this.#summaryOf(spec)),
      })),
    );
  }

  async get(collection: string, keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    const spec = this.#spec(collection);
    return this.#read(() => {
      const reader = this.#statements.tuples(this.#documents.get(collection) ?? '');
      const read = (key: string) => {
        const row = reader.get(key) as unknown as KeptRow | undefined;
        if (row === undefined) return undefined;
        const [body, seal, part, sort] = row;
        return this.#body(spec, key, { body, seal, part, sort });
      };
      return keys.length === 1 ? keys.map(read) : this.#statements.snapshot(() => keys.map(read));
    });
  }

  async list(collection: string, options: ListOptions): Promise<readonly Document[]> {
    const spec = this.#spec(collection);
    const { prefix, after, limit } = options;
    const from = after !== undefined && after >= prefix ? after : prefix;
    return this.#read(() =>
      this.#statements
        .get(
          `SELECT key, ${keptOf(spec)}
           WHERE key >= ? AND key < ? AND key <> ? ORDER BY key LIMIT ? + 0`,
        )
        .all(from, prefix + AFTER_ALL_KEYS, after ?? '', limit)
        .map((row) => {
          const key = row['key'] as string;
          return { key, body: this.#body(spec, key, row as unknown as Kept) };
        }),
    );
  }

  /** Reads what cannot be read as damage, too. */
  #read<Result>(read: () => Result): Result {
    const { projection, build } = this.info;
    if (!this.#database.isOpen) {
      throw new ReadModelError('no-such-build', `build ${build} of ${projection} was dropped`);
    }
    try {
      this.#oneMoment();
      return read();
    } catch (error) {
      throw this.#checksums.judge(error);
    }
  }

  /** The text of a document. Throws `damaged` unless it is what was written under this key. */
  #body({ name, kind }: CollectionSpec, key: string, row: Kept): string {
    if (kind === 'keyed') return this.#checksums.verify(location(name, key), row);
    const { part, sort } = row;
    const where = locationIn(name, { partition: this.#partitions.name(part), sort, key });
    return this.#checksums.verify(where, row);
  }

  async walk(walk: Walk): Promise<readonly Walked[]> {
    const spec = this.#spec(walk.collection);
    return this.#read(() => {
      const part = this.#partitions.idToRead(walk.partition);
      if (part === undefined) return [];
      const walkable = { statements: this.#statements, checksums: this.#checksums, spec, part };
      return this.#statements.snapshot(() => new Walker(walkable, walk).run());
    });
  }

  async grep(collection: string, partition: string, needle: string): Promise<readonly string[]> {
    const { name } = this.#spec(collection);
    return this.#read(() => {
      const part = this.#partitions.idToRead(partition);
      // Verified before it is filtered: a changed text must not be left out silently.
      return part === undefined
        ? []
        : this.#candidates(name, part, needle)
            .map(({ key, ...sealed }) =>
              this.#checksums.verify(locationIn(name, { partition, sort: 0, key }), sealed),
            )
            .filter((text) => text.includes(needle));
    });
  }

  /** The texts that may contain the needle, in one row: a row for each would take twice as long. */
  #candidates(name: string, part: number, needle: string): readonly Candidate[] {
    const isShort = [...needle].length < MIN_TRIGRAM_CHARACTERS;
    const [from, values] = isShort
      ? [`${name} d WHERE d.part = ?`, [part]]
      : [
          `${name}_grep g JOIN ${name} d ON d.id = g.rowid WHERE ${name}_grep MATCH ? AND d.part = ?`,
          [`"${needle.replaceAll('"', '""')}"`, part],
        ];
    const found = this.#statements
      .get(
        `SELECT json_group_array(json_object('key', d.key, 'body', d.body, 'seal', d.seal)) AS texts
         FROM ${from}`,
      )
      .get(...values);
    return JSON.parse(found?.['texts'] as string);
  }

  async revision(partition?: string): Promise<number> {
    const memory = this.#oneMoment();
    const ask = () => this.#read(() => this.#revision(partition));
    if (memory === undefined) return ask();
    const newest = this.#newestRevision;
    return memory.recall(partition === undefined ? newest : `${newest} ${partition}`, ask);
  }

  /**
   * Lets the reads of this turn share a transaction: taking and releasing the file's lock takes longer
   * than reading a document. It ends with the turn, and with the writer's next message.
   */
  #oneMoment(): TurnCache | undefined {
    const { memory } = this.#file;
    memory?.recall(this.#moment, () => {
      this.#statements.get('BEGIN').run();
      memory.onClear(() => this.#endMoment());
    });
    return memory;
  }

  /** Between reads, where an error would reach no caller. */
  #endMoment(): void {
    if (!this.#database.isOpen || !this.#database.isTransaction) return;
    try {
      this.#statements.get('COMMIT').run();
    } catch (error) {
      // A transaction that has met a damaged page cannot be committed. The next read names the damage.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      const judged = this.#checksums.judge(error);
      if (!(judged instanceof ReadModelError)) throw judged;
    }
  }

  #revision(partition: string | undefined): number {
    return partition === undefined
      ? this.#reached().revision
      : this.#partitions.revision(partition);
  }

  /** Replaced content is overwritten in the file, and here also in the write-ahead log. */
  async scrub(): Promise<boolean> {
    this.needsScrub = !emptyWal(this.#database);
    return !this.needsScrub;
  }

  async isSound(): Promise<boolean> {
    return !this.#checksums.isMarked;
  }

  markDamaged(reason: string): ReadModelError {
    return this.#checksums.damage(reason);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #reached(): Checkpoint {
    const row = this.#statements
      .tuples('SELECT position, epoch, revision, seal FROM meta')
      .get() as unknown as [Position | null, number, number, number] | undefined;
    if (row === undefined) throw this.#checksums.damage('it does not say how far it is');
    const [position, epoch, revision, seal] = row;
    const reached = checkpointOf({ position, epoch, revision });
    if (checksumOfCheckpoint(reached) === seal) return reached;
    throw this.#checksums.damage('its checkpoint is not what was written');
  }

  #moveTo(to: Checkpoint): void {
    this.#statements
      .get('UPDATE meta SET position = ?, epoch = ?, revision = ?, seal = ?')
      .run(to.position ?? null, to.epoch, to.revision, checksumOfCheckpoint(to));
  }

  #write(commit: Commit): CommitResult {
    const { position, epoch, revision } = this.#reached();
    const move = onlyOne(commit.moves);
    if (position !== move.expected || epoch !== move.epoch) return { outcome: 'stale' };
    const changed = commit.changes.length > 0 ? 1 : 0;
    this.#moveTo({ position: move.checkpoint, epoch, revision: revision + changed });
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
    for (const part of touched) this.#partitions.touch(part);
    this.#parked.write(commit);
    return { outcome: 'committed' };
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
    const texts = this.#textsOf(name);
    if (after === undefined) {
      this.#statements.get(texts.remove).run(before?.key ?? '');
      return true;
    }
    const seal = checksumOf(location(name, after.key), after.body);
    if (before !== undefined) {
      const { changes } = this.#statements.get(texts.update).run(after.body, seal, after.key);
      if (changes !== 1) throw this.#checksums.damage(`${name} lacks ${after.key}`);
      return true;
    }
    const { changes } = this.#statements.get(texts.insert).run(after.key, after.body, seal);
    return changes === 1 || shared === true;
  }

  #applyText(name: string, { after, shared }: Change): boolean {
    const { key, body, place } = placed(after);
    const { partition } = place;
    const { changes, lastInsertRowid } = this.#statements
      .get(this.#textsOf(name).insert)
      .run(
        key,
        this.#partitions.idToWrite(partition),
        body,
        checksumOf(locationIn(name, { partition, sort: 0, key }), body),
      );
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
    const part = this.#partitions.idToWrite(place.partition);
    touched.add(part);
    if (before === undefined) return this.#insertWalked(spec, placed(after), part);
    const found = this.#statements.get(`SELECT id FROM ${name} WHERE key = ?`).get(before.key);
    if (found === undefined) throw this.#checksums.damage(`${name} lacks ${before.key}`);
    const id = found['id'] as number;
    if (after === undefined) {
      this.#statements.get(`DELETE FROM ${name} WHERE id = ?`).run(id);
      this.#statements.get(`DELETE FROM ${name}_bodies WHERE id = ?`).run(id);
      return true;
    }
    // Only what changed is set: each column costs an index removal and insertion.
    const old = placed(before).place.fields;
    const moved = this.#textsOf(name).fields.filter((field) => old[field] !== place.fields[field]);
    if (moved.length > 0) {
      const columns = moved.map((field) => `${columnOf(field)} = ?`).join(', ');
      this.#statements
        .get(`UPDATE ${name} SET ${columns} WHERE id = ?`)
        .run(...moved.map((field) => storedValue(spec, field, place.fields[field])), id);
    }
    if (before.body !== after.body) {
      this.#statements
        .get(`UPDATE ${name}_bodies SET body = ?, seal = ? WHERE id = ?`)
        .run(after.body, placedChecksum(name, placed(after)), id);
    }
    return true;
  }

  #insertWalked(spec: CollectionSpec, document: Placed, part: number): boolean {
    const { name } = spec;
    const { key, place } = document;
    const { fields, insert, insertBody } = this.#textsOf(name);
    const { changes, lastInsertRowid } = this.#statements
      .get(insert)
      .run(
        key,
        part,
        place.sort,
        ...fields.map((field) => storedValue(spec, field, place.fields[field])),
      );
    if (changes !== 1) return false;
    this.#statements
      .get(insertBody)
      .run(lastInsertRowid, key, document.body, placedChecksum(name, document));
    this.#enterEra(name, part, eraOf(document.place.sort));
    return true;
  }

  #enterEra(name: string, part: number, era: number): void {
    const known = `${name} ${part} ${era}`;
    if (this.#eras.has(known)) return;
    this.#statements.get(`INSERT OR IGNORE INTO ${erasOf(name)} VALUES (?, ?)`).run(part, era);
    this.#eras.add(known);
  }

  #summaryOf(spec: CollectionSpec): CollectionSummary {
    const rows = this.#statements.get(`SELECT key, ${keptOf(spec)} ORDER BY key`);
    const hash = createHash('sha256');
    let count = 0;
    for (const row of rows.iterate()) {
      const key = row['key'] as string;
      const body = this.#body(spec, key, row as unknown as Kept);
      hash.update(`${key}\n${body}\n`);
      count += 1;
    }
    return { collection: spec.name, count, digest: hash.digest('hex') };
  }

  /**
   * A text that is missing in the trigram index is not found, and SQLite's integrity check does not
   * compare the two. So the worker that takes the build over does: a dictionary is small.
   */
  #checkTrigrams(): void {
    for (const { name, kind } of this.#specs.values()) {
      if (kind !== 'dictionary') continue;
      const grep = `${name}_grep`;
      this.#statements
        .get(`INSERT INTO ${grep} (${grep}, rank) VALUES ('integrity-check', 1)`)
        .run();
    }
  }

  /**
   * What falls into an era that is missing is not found by its fields, and SQLite compares the table of
   * eras with nothing. So the worker that takes the build over does.
   */
  #checkEras(): void {
    for (const { name, kind } of this.#specs.values()) {
      if (kind !== 'walked') continue;
      const missing = this.#statements.get(missingEra(name)).get();
      if (missing !== undefined) throw this.#checksums.damage(`${name} lacks an era`);
    }
  }

  #textsOf(collection: string): StatementTexts {
    const texts = this.#texts.get(collection);
    if (texts === undefined) throw new RangeError(`no collection ${collection}`);
    return texts;
  }

  #spec(collection: string): CollectionSpec {
    const spec = this.#specs.get(collection);
    if (spec === undefined) throw new RangeError(`no collection ${collection}`);
    return spec;
  }
}

/** A row of a document; `part` and `sort` are those of collections with places. */
interface Kept extends Checksummed {
  readonly part: number;
  readonly sort: number;
}

/** The same of a statement that answers arrays. */
type KeptRow = readonly [body: string, seal: number, part: number, sort: number];

/** A text of a dictionary, not verified yet. */
interface Candidate extends Checksummed {
  readonly key: string;
}

/** What of a document a `KeptRow` has, and from where. */
function keptOf({ name, kind }: CollectionSpec): string {
  switch (kind) {
    case 'keyed':
      return `body, seal FROM ${name}`;
    case 'dictionary':
      return `body, seal, part, 0 AS sort FROM ${name}`;
    case 'walked':
      return `body, seal, part, sort FROM ${name} d LEFT JOIN ${name}_bodies b ON b.id = d.id`;
  }
}

function placedChecksum(name: string, { key, body, place: { partition, sort } }: Placed): number {
  return checksumOf(locationIn(name, { partition, sort, key }), body);
}

type Placed = Document & { readonly place: Place };

function placed(document: Document | undefined): Placed {
  if (document?.place === undefined) throw new RangeError('a document to be walked needs a place');
  return document as Placed;
}

/** A file has one shard. */
function onlyOne<Of extends Hold>(ofShards: readonly Of[]): Of {
  const [first, ...others] = ofShards;
  if (first?.shard === 0 && others.length === 0) return first;
  throw new RangeError('read models in files have one shard');
}
