/** One build of a projection in PostgreSQL tables of its own. */
import { createHash, randomUUID } from 'node:crypto';
import type { Position, StoredEvent } from '@counterfoil/core';
import type pg from 'pg';
import {
  type Build,
  type BuildInfo,
  type CollectionSpec,
  type CollectionSummary,
  type Commit,
  type CommitResult,
  type Document,
  type ListOptions,
  type ParkedStream,
  ReadModelError,
  type Summary,
  type Walk,
  type Walked,
} from '../read-model-store.ts';
import { type Checkpoints, earliest, type Hold } from '../shards.ts';
import { escaped, textArray, unescaped } from './postgres-arrays.ts';
import { type Changes, changesOf, MadeTwice, type Step } from './postgres-changes.ts';
import { Missing, movesOf, tryCommit, WrittenTwice } from './postgres-commit.ts';
import {
  codeOf,
  type Database,
  isDamage,
  type Rows,
  reasonOf,
  type Statement,
} from './postgres-database.ts';
import { indicesOf, type Tables } from './postgres-schema.ts';
import { type Counts, PROBE_LIMIT, Walker } from './postgres-walk.ts';
import type { TurnCache } from './turn-cache.ts';

/** Sorts after every character that a key is made of. */
const AFTER_ALL_KEYS = '\u{10ffff}';
/** Documents read at a time where all are read. */
const SUMMARY_PAGE = 5_000;
const NO_COUNTS: Counts = new Map();

const BEGIN_LOAD_END = 'BEGIN; SET LOCAL statement_timeout = 0';
const BEGIN_SUMMARY =
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0';

/** Another build is live now. */
export class Swapped extends Error {}

export interface BuildTables {
  readonly id: number;
  readonly info: BuildInfo;
  readonly collections: readonly CollectionSpec[];
  readonly tables: Tables;
  /** The operator class of the dictionaries' indices. */
  readonly trigrams: string | undefined;
}

export interface BuildOptions {
  readonly database: Database;
  /** Reads throw `Swapped` unless this is the live build; each checks that in the same query. */
  readonly isWatched: boolean;
  readonly isReadOnly: boolean;
  /** Whether damage that a read finds is marked for the worker of the build. */
  readonly marksDamage: boolean;
  /** For a reader that checks for changes once in a turn. */
  readonly memory?: TurnCache | undefined;
}

export class PostgresBuild implements Build {
  info: BuildInfo;
  /** What a scrub leaves is for autovacuum. */
  readonly needsScrub = false;
  readonly #tables: Tables;
  readonly #build: BuildTables;
  readonly #options: BuildOptions;
  readonly #database: Database;
  readonly #builds: string;
  readonly #shards: string;
  readonly #specs: ReadonlyMap<string, CollectionSpec>;
  readonly #partitionIds = new Map<string, number>();
  #marking: Promise<unknown> = Promise.resolve();

  constructor(build: BuildTables, options: BuildOptions) {
    this.#build = build;
    this.#options = options;
    this.#database = options.database;
    this.#builds = `${options.database.schema}.builds`;
    this.#shards = `${options.database.schema}.shards`;
    this.#tables = build.tables;
    this.info = build.info;
    this.#specs = new Map(build.collections.map((spec) => [spec.name, spec]));
  }

  async checkpoint(): Promise<Position | undefined> {
    return earliest(await this.checkpoints());
  }

  async checkpoints(): Promise<Checkpoints> {
    const rows = await this.#database.read(this.#positions());
    if (rows.length === 0) await this.#row('id');
    return rows.map(positionIn);
  }

  async fence(holds: readonly Hold[]): Promise<boolean> {
    this.#refuseReader();
    const { count } = await this.#database.write({
      text: `UPDATE ${this.#shards} s SET epoch = h.epoch
             FROM unnest($2::int4[], $3::int8[]) h (shard, epoch)
             WHERE s.build_id = $1 AND s.shard = h.shard AND s.epoch <= h.epoch`,
      values: [this.#build.id, holds.map(({ shard }) => shard), holds.map(({ epoch }) => epoch)],
    });
    if (count < holds.length) await this.#row('id');
    return count === holds.length;
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#refuseReader();
    let changes: Changes;
    try {
      changes = changesOf(this.#specs, commit.changes);
    } catch (error) {
      if (error instanceof MadeTwice) return this.#duplicate(commit, error);
      throw error;
    }
    const token = randomUUID();
    return this.#reportingDamage(() =>
      this.#database.withRetries(async () => {
        await this.#numberPartitions(changes.partitions);
        return this.#attempt(commit, { changes, token });
      }),
    );
  }

  async parked(): Promise<readonly ParkedStream[]> {
    const { parkedStreams, parkedEvents } = this.#tables;
    const rows = await this.#select({
      text: `SELECT s.stream, e.revision, json_build_array(s.error, e.event)::text
             FROM ${parkedStreams} s JOIN ${parkedEvents} e ON e.stream = s.stream
             ORDER BY s.stream, e.revision`,
    });
    const streams = new Map<string, { stream: string; error: string; events: StoredEvent[] }>();
    for (const [name, , json] of rows) {
      const stream = unescaped(String(name));
      const [error = '', event = ''] = (JSON.parse(String(json)) as string[]).map(unescaped);
      const parked = streams.get(stream) ?? { stream, error, events: [] };
      parked.events.push(JSON.parse(event) as StoredEvent);
      streams.set(stream, parked);
    }
    return [...streams.values()];
  }

  async parkedStreams(): Promise<ReadonlySet<string>> {
    const rows = await this.#select({
      text: `SELECT stream, NULL::int8, NULL::text FROM ${this.#tables.parkedStreams}`,
    });
    return new Set(rows.map(([stream]) => unescaped(String(stream))));
  }

  async finishLoad(): Promise<void> {
    this.#refuseReader();
    const { collections, trigrams, id } = this.#build;
    const tables = this.#tables;
    const indices = indicesOf(tables, collections, trigrams);
    // The commit of this waits for the disk, and with it for all that was written before.
    const ready = [
      `UPDATE ${this.#builds} SET state = 'ready' WHERE id = ${id}`,
      `UPDATE ${this.#shards} SET revision = revision + 1 WHERE build_id = ${id}`,
    ];
    const load = [BEGIN_LOAD_END, ...indices, ...ready, 'COMMIT'];
    await this.#reportingDamage(() =>
      this.#database.withRetries(async () => {
        // Only the answer to a first try may have been lost.
        const [state] = await this.#row('state');
        if (state !== 'loading') return;
        // Before the indices, which it then need not clean: with it they can answer by themselves.
        await this.#vacuum('ANALYZE', tables.all(collections));
        // An index of many documents takes longer than any answer that is waited for elsewhere.
        await this.#database.alone(async (client) => {
          for (const text of load) await client.query(text);
        });
      }),
    );
    this.info = { ...this.info, state: 'ready' };
  }

  async isSound(): Promise<boolean> {
    const [damage] = await this.#row('damage');
    return damage === null;
  }

  markDamaged(reason: string): ReadModelError {
    const { projection, build } = this.info;
    const error = new ReadModelError('damaged', `build ${build} of ${projection}: ${reason}`);
    if (this.#options.marksDamage) {
      this.#marking = this.#database
        .write({
          text: `UPDATE ${this.#builds} SET damage = $2 WHERE id = $1`,
          values: [this.#build.id, escaped(reason)],
        })
        // On a read-only server, reads of the damage keep failing.
        .catch(() => undefined);
    }
    return error;
  }

  /** Settles when a mark of damage is written. */
  async settled(): Promise<void> {
    await this.#marking;
  }

  /** Removes replaced and removed rows from their pages. */
  async scrub(): Promise<boolean> {
    this.#refuseReader();
    const tables = this.#build.collections.map(({ name }) => this.#tables.of(name));
    // The indices hold hashes alone: to go through all of each would take minutes.
    await this.#reportingDamage(() =>
      this.#database.withRetries(() => this.#vacuum('INDEX_CLEANUP OFF, TRUNCATE OFF', tables)),
    );
    return true;
  }

  async #vacuum(options: string, tables: readonly string[]): Promise<void> {
    await this.#database.alone(async (client) => {
      await client.query('SET statement_timeout = 0');
      await client.query(`VACUUM (${options}) ${tables.join(', ')}`);
    });
  }

  async summary(): Promise<Summary> {
    return this.#reportingDamage(() =>
      this.#database.withRetries(() =>
        this.#database.transaction(BEGIN_SUMMARY, async (client) => {
          const { text, values } = this.#positions();
          const query = { text, values: [...values], rowMode: 'array' as const };
          const { rows } = await client.query<unknown[]>(query);
          const collections: CollectionSummary[] = [];
          for (const spec of this.#build.collections) {
            collections.push(await this.#summaryOf(client, spec));
          }
          return { checkpoints: rows.map(positionIn), collections };
        }),
      ),
    );
  }

  async get(collection: string, keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    const { name } = this.#spec(collection);
    if (keys.length === 0) return [];
    const rows = await this.#select({
      text: `SELECT key, 0::int8, body FROM ${this.#tables.of(name)} WHERE key = ANY($1::text[])`,
      values: [textArray(keys)],
      isNamed: true,
    });
    const bodies = new Map(rows.map((row) => documentOf(row)).map(({ key, body }) => [key, body]));
    // An unpaired surrogate is stored as the replacement character, as SQLite does.
    return keys.map((key) => bodies.get(key.toWellFormed()));
  }

  async list(collection: string, options: ListOptions): Promise<readonly Document[]> {
    const { name } = this.#spec(collection);
    const { prefix, after, limit } = options;
    const from = after !== undefined && after >= prefix ? after : prefix;
    const rows = await this.#select({
      text: `SELECT key, 0::int8, body FROM ${this.#tables.of(name)}
             WHERE key >= $1::text AND key < $2::text AND key <> $3::text ORDER BY key LIMIT $4::int8`,
      values: [escaped(from), `${escaped(prefix)}${AFTER_ALL_KEYS}`, escaped(after ?? ''), limit],
      isNamed: true,
    });
    return rows.map(documentOf);
  }

  async walk(walk: Walk): Promise<readonly Walked[]> {
    const spec = this.#spec(walk.collection);
    const part = await this.#partitionId(walk.partition);
    if (part === undefined) return [];
    const walker = new Walker({ table: this.#tables.of(spec.name), spec, part }, walk);
    if (walker.isEmpty) return [];
    const probe = walker.probe();
    const counts = probe === undefined ? NO_COUNTS : countsOf(await this.#select(probe));
    const rows = await this.#select(walker.page(counts));
    return rows.map((row) => ({ ...documentOf(row), sort: Number(row[1]) }));
  }

  async grep(collection: string, partition: string, needle: string): Promise<readonly string[]> {
    const { name } = this.#spec(collection);
    const part = await this.#partitionId(partition);
    if (part === undefined) return [];
    const pattern = `%${escaped(needle).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    const rows = await this.#select({
      text: `SELECT key, 0::int8, body FROM ${this.#tables.of(name)} WHERE part = $1::int4 AND body LIKE $2::text`,
      values: [part, pattern],
    });
    return rows
      .map(documentOf)
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ body }) => body)
      .filter((text) => text.includes(needle));
  }

  async revision(partition?: string): Promise<number> {
    const ask = async () => {
      const rows = await this.#select(
        partition === undefined
          ? {
              text: `SELECT '', sum(revision)::int8, NULL FROM ${this.#shards} WHERE build_id = $1::int4`,
              values: [this.#build.id],
              isNamed: true,
            }
          : {
              text: `SELECT '', revision, NULL FROM ${this.#tables.partitions} WHERE name = $1::text`,
              values: [escaped(partition)],
              isNamed: true,
            },
      );
      return Number(rows[0]?.[1] ?? 0);
    };
    const { memory } = this.#options;
    const question = `${this.#tables.prefix} revision ${partition ?? ''}`;
    return memory === undefined ? ask() : memory.recall(question, ask);
  }

  /** Reads rows of a text, a number and a text; a reader of the live build also checks that it still is. */
  async #select(statement: Statement): Promise<Rows> {
    if (!this.#options.isWatched)
      return this.#reportingDamage(() => this.#database.read(statement));
    const { projection, build } = this.info;
    const values = [...(statement.values ?? []), projection];
    const text = `(SELECT NULL::text, build::int8, NULL::text FROM ${this.#database.schema}.live
      WHERE projection = $${values.length}::text) UNION ALL (${statement.text})`;
    const rows = await this.#reportingDamage(() =>
      this.#database.read({ ...statement, text, values }),
    );
    const [first, ...others] = rows;
    // Without its key, a row can only be that of the live build.
    if (first === undefined || first[0] !== null || Number(first[1]) !== build) throw new Swapped();
    return others;
  }

  /** Converts errors that mean damage, or that the build was dropped. */
  async #reportingDamage<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      const reason = `${codeOf(error)} ${reasonOf(error)}`;
      // Throws when the whole build is gone: then nothing of it is damaged.
      await this.#row('id');
      throw this.markDamaged(reason);
    }
  }

  /** A column of the build's row. Throws `no-such-build` when it was dropped. */
  async #row(column: 'damage' | 'state' | 'id'): Promise<readonly unknown[]> {
    const [row] = await this.#database.read({
      text: `SELECT ${column} FROM ${this.#builds} WHERE id = $1`,
      values: [this.#build.id],
    });
    if (row !== undefined) return row;
    const { projection, build } = this.info;
    throw new ReadModelError('no-such-build', `there is no build ${build} of ${projection}`);
  }

  async #partitionId(name: string): Promise<number | undefined> {
    const known = this.#partitionIds.get(name);
    if (known !== undefined) return known;
    const [row] = await this.#select({
      text: `SELECT '', id::int8, NULL FROM ${this.#tables.partitions} WHERE name = $1::text`,
      values: [escaped(name)],
      isNamed: true,
    });
    if (row === undefined) return undefined;
    const id = Number(row[1]);
    this.#partitionIds.set(name, id);
    return id;
  }

  /** Before the commit that needs them: a partition without documents has no effect. */
  async #numberPartitions(names: readonly string[]): Promise<void> {
    const unknown = names.filter((name) => !this.#partitionIds.has(name));
    if (unknown.length === 0) return;
    const table = this.#tables.partitions;
    const values = [textArray(unknown)];
    await this.#database.write({
      text: `INSERT INTO ${table} (name) SELECT name FROM unnest($1::text[]) u (name)
             WHERE NOT EXISTS (SELECT FROM ${table} p WHERE p.name = u.name) ON CONFLICT DO NOTHING`,
      values,
    });
    const rows = await this.#database.read({
      text: `SELECT name, id FROM ${table} WHERE name = ANY($1::text[])`,
      values,
    });
    for (const [name, id] of rows) this.#partitionIds.set(unescaped(String(name)), Number(id));
  }

  /** One attempt of a commit; by `token` an attempt whose outcome was lost is recognised. */
  async #attempt(
    commit: Commit,
    tried: { changes: Changes; token: string },
  ): Promise<CommitResult> {
    try {
      return await tryCommit(
        {
          database: this.#database,
          id: this.#build.id,
          projection: this.info.projection,
          tables: this.#tables,
          specs: this.#specs,
          partitionIds: this.#partitionIds,
        },
        { ...tried, commit },
      );
    } catch (error) {
      if (error instanceof WrittenTwice) return this.#duplicateOf(error.step);
      if (error instanceof Missing) throw this.markDamaged(error.message);
      throw error;
    }
  }

  /** A commit with a duplicate is still stale when the checkpoint has moved. */
  async #duplicate(commit: Commit, { collection, key }: MadeTwice): Promise<CommitResult> {
    const [shards, epochs, expected] = movesOf(commit.moves);
    const rows = await this.#database.read({
      text: `SELECT 1 FROM ${this.#shards} s
             JOIN unnest($2::int8[], $3::int8[], $4::text[]) m (shard, epoch, expected)
               ON s.shard = m.shard::int4 AND s.epoch = m.epoch AND coalesce(s.position, '') = m.expected
             WHERE s.build_id = $1`,
      values: [this.#build.id, shards, epochs, expected],
    });
    const isStale = rows.length < commit.moves.length;
    return isStale ? { outcome: 'stale' } : { outcome: 'duplicate', collection, key };
  }

  #positions() {
    const text = `SELECT position FROM ${this.#shards} WHERE build_id = $1 ORDER BY shard`;
    return { text, values: [this.#build.id] };
  }

  /** Which of the documents that a step was to make is there. */
  async #duplicateOf({ collection, keys }: Step): Promise<CommitResult> {
    const bodies = await this.get(collection, keys);
    const key = keys.find((_, index) => bodies[index] !== undefined);
    if (key === undefined) throw this.markDamaged(`${collection} refused what it does not have`);
    return { outcome: 'duplicate', collection, key };
  }

  async #summaryOf(client: pg.PoolClient, { name }: CollectionSpec): Promise<CollectionSummary> {
    const hash = createHash('sha256');
    let count = 0;
    let after: string | undefined;
    for (;;) {
      const from = after === undefined ? 'true' : 'key > $1::text';
      const { rows } = await client.query<unknown[]>({
        text: `SELECT key, 0, body FROM ${this.#tables.of(name)} WHERE ${from} ORDER BY key LIMIT ${SUMMARY_PAGE}`,
        values: after === undefined ? [] : [after],
        rowMode: 'array',
      });
      for (const row of rows) {
        const { key, body } = documentOf(row);
        hash.update(`${key}\n${body}\n`);
      }
      count += rows.length;
      after = rows.at(-1)?.[0] as string | undefined;
      if (rows.length < SUMMARY_PAGE) break;
    }
    return { collection: name, count, digest: hash.digest('hex') };
  }

  #refuseReader(): void {
    if (this.#options.isReadOnly) {
      throw new ReadModelError('read-only', 'the read-model store was opened for reading');
    }
  }

  #spec(collection: string): CollectionSpec {
    const spec = this.#specs.get(collection);
    if (spec === undefined) throw new RangeError(`no collection ${collection}`);
    return spec;
  }
}

function positionIn([position]: readonly unknown[]): Position | undefined {
  return (position ?? undefined) as Position | undefined;
}

function documentOf(row: readonly unknown[]): Document {
  return { key: unescaped(String(row[0])), body: unescaped(String(row[2])) };
}

function countsOf(rows: Rows): Counts {
  return new Map(
    rows.map(([field, count]) => [String(field), Math.min(Number(count), PROBE_LIMIT)]),
  );
}
