/** The PostgreSQL read-model store: a catalog that many processes share, and tables of its own for each build. */

import { randomUUID } from 'node:crypto';
import type { ProjectionMessage } from '../progress.ts';
import {
  type Build,
  type BuildInfo,
  type BuildRequest,
  type CollectionSpec,
  type HeldLease,
  type LeaseRequest,
  ReadModelError,
  type ReadModelStore,
} from '../read-model-store.ts';
import { DEFAULT_SHARDS } from '../shards.ts';
import { type BuildOptions, type BuildTables, PostgresBuild } from './postgres-build.ts';
import { Database, isAbsent, type Rows } from './postgres-database.ts';
import { LiveBuild } from './postgres-live.ts';
import { followProgress } from './postgres-progress.ts';
import {
  indicesOf,
  LAYOUT,
  migrate,
  refuseNewer,
  shardsOf,
  Tables,
  tablesOf,
  trigramClass,
} from './postgres-schema.ts';
import { schemaFault } from './postgres-schema-check.ts';
import { TurnCache } from './turn-cache.ts';

export interface PostgresReadModelOptions {
  /** `postgres://user@host:5432/database`; options of the driver may follow as a query. */
  readonly url: string;
  /** Everything stands in it; `counterfoil_read_models` when absent. */
  readonly schema?: string;
  /** For queries beside workers of other processes. Makes nothing, so it may be of a replica. */
  readonly readOnly?: boolean;
  /**
   * The last news of a worker, such as the position it reached. With it the reader checks for changes
   * once in a turn of the event loop, and again when the news changes.
   */
  readonly news?: () => unknown;
  /**
   * Whether damage that a read finds is marked in the catalog, for a worker to rebuild. Default: true for
   * writers, false for readers.
   */
  readonly marksDamage?: boolean;
  /**
   * Into how many shards the tenants are hashed, when the tables are made; 8 when absent. What has tables
   * keeps its number. No more workers than shards can work at a time.
   */
  readonly shards?: number;
  /** The most connections that queries share; 8 when absent. Writers have up to 6 besides. */
  readonly connections?: number;
}

export interface PostgresReadModelStore extends ReadModelStore {
  /**
   * Reports the progress of these projections, for a host whose projections run in another process:
   * messages for `Progress.receive`, with the smallest checkpoint of their live builds for each shard,
   * and the age of the last event when it was applied. Sent when a worker commits, or up to a quarter of a second
   * later without notifications. Retries during outages. Ends with the signal, or when the store is
   * closed; never rejects.
   */
  followProgress(
    projections: readonly string[],
    receive: (message: ProjectionMessage) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

const DEFAULT_SCHEMA = 'counterfoil_read_models';
const BEGIN = 'BEGIN; SET LOCAL statement_timeout = 60000';
const BUILD_COLUMNS = 'id, build, version, state, layout, collections, trigrams';

/** A row of the catalog. */
interface Known {
  readonly id: number;
  readonly info: BuildInfo;
  readonly layout: number;
  readonly collections: readonly CollectionSpec[];
  readonly hasTrigrams: boolean;
}

export class PostgresStore implements PostgresReadModelStore {
  readonly #database: Database;
  readonly #isReadOnly: boolean;
  readonly #marksDamage: boolean;
  readonly #memory: TurnCache | undefined;
  readonly #open = new Map<string, PostgresBuild>();
  readonly #following = new Map<string, LiveBuild>();
  readonly #ending = new AbortController();
  readonly #wantedShards: number;
  #trigrams: string | undefined;
  #shards: number | undefined;

  private constructor(options: PostgresReadModelOptions) {
    const { url, schema = DEFAULT_SCHEMA, connections, readOnly = false, news } = options;
    this.#database = new Database({ url, schema, connections, retriesReads: !readOnly });
    this.#isReadOnly = readOnly;
    this.#wantedShards = options.shards ?? DEFAULT_SHARDS;
    this.#marksDamage = options.marksDamage ?? !readOnly;
    this.#memory = readOnly && news !== undefined ? new TurnCache(news) : undefined;
  }

  static async open(options: PostgresReadModelOptions): Promise<PostgresStore> {
    const store = new PostgresStore(options);
    try {
      await store.#begin();
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  /** A reader may start before the first writer, or on a replica: it creates nothing. */
  async #begin(): Promise<void> {
    if (this.#isReadOnly) await refuseNewer(this.#database).catch(unlessAbsent);
    else {
      const wanted = this.#wantedShards;
      this.#shards = await this.#database.withRetries(() => migrate(this.#database, wanted));
      this.#trigrams = await trigramClass(this.#database);
    }
  }

  /** For a reader that came before the first writer: as many as that one would make. */
  async shards(): Promise<number> {
    return (await this.#knownShards()) ?? this.#wantedShards;
  }

  async #knownShards(): Promise<number | undefined> {
    this.#shards ??= await shardsOf(this.#database).catch(unlessAbsent);
    return this.#shards;
  }

  async acquireLease({ name, holder, nowMs, ttlMs }: LeaseRequest): Promise<number | undefined> {
    this.#refuseReader();
    const { rows } = await this.#database.write({
      text: `INSERT INTO ${this.#table('leases')} AS held VALUES ($1, $2, 1, $4)
             ON CONFLICT (name) DO UPDATE SET
               epoch = CASE WHEN held.holder = $2 AND held.expires_ms > $3
                 THEN held.epoch ELSE held.epoch + 1 END,
               holder = $2, expires_ms = $4
             WHERE held.holder = $2 OR held.expires_ms <= $3
             RETURNING epoch`,
      values: [name, holder, nowMs, nowMs + ttlMs],
    });
    const epoch = rows[0]?.[0];
    return epoch === undefined ? undefined : Number(epoch);
  }

  async releaseLease(name: string, holder: string): Promise<void> {
    this.#refuseReader();
    await this.#database.write({
      text: `UPDATE ${this.#table('leases')} SET expires_ms = 0 WHERE name = $1 AND holder = $2`,
      values: [name, holder],
    });
  }

  async leases(prefix: string, nowMs: number): Promise<readonly HeldLease[]> {
    const rows = await this.#database.read({
      text: `SELECT name, holder FROM ${this.#table('leases')}
             WHERE starts_with(name, $1) AND expires_ms > $2`,
      values: [prefix, nowMs],
    });
    return rows.map(([name, holder]) => ({ name: String(name), holder: String(holder) }));
  }

  async builds(projection: string): Promise<readonly BuildInfo[]> {
    const found = await this.#known(projection, 'true', []);
    return found.map(({ info }) => info);
  }

  async createBuild(request: BuildRequest): Promise<Build> {
    this.#refuseReader();
    const { projection, version, collections, purpose } = request;
    const state = purpose === 'load' ? 'loading' : 'ready';
    const hasTrigrams = this.#trigrams !== undefined;
    const info = { projection, version, state } as const;
    // Identifies this build when it was made and the answer was lost.
    const token = randomUUID();
    const known = await this.#database.withRetries(async () => {
      const [made] = await this.#known(projection, 'last_commit = $2', [token]);
      if (made !== undefined) return made;
      return this.#database.transaction(BEGIN, async (client) => {
        const { rows } = await client.query<{ id: number; build: number }>(
          `WITH counted AS (
             INSERT INTO ${this.#table('counters')} AS c VALUES ($1, 1)
             ON CONFLICT (projection) DO UPDATE SET made = c.made + 1 RETURNING made
           )
           INSERT INTO ${this.#table('builds')}
             (projection, build, version, state, layout, collections, trigrams, last_commit)
           SELECT $1, made, $2, $3, $4, $5, $6, $7 FROM counted RETURNING id, build`,
          [projection, version, state, LAYOUT, JSON.stringify(collections), hasTrigrams, token],
        );
        const { id = 0, build = 0 } = rows[0] ?? {};
        await client.query(
          `INSERT INTO ${this.#table('shards')} (build_id, shard) SELECT $1, generate_series(0, $2 - 1)`,
          [id, await this.shards()],
        );
        const tables = this.#tablesOf(id);
        for (const text of tablesOf(tables, collections)) await client.query(text);
        if (state === 'ready') {
          const indices = indicesOf(tables, collections, this.#trigrams);
          for (const text of indices) await client.query(text);
        }
        return { id, info: { ...info, build }, layout: LAYOUT, collections, hasTrigrams };
      });
    });
    return this.#opened(known, {});
  }

  async openBuild(projection: string, build: number): Promise<Build> {
    this.#database.refuseWhenClosed();
    const [found] = await this.#known(projection, 'build = $2', [build]);
    if (found === undefined) {
      this.#open.delete(idOf(projection, build));
      throw new ReadModelError('no-such-build', `there is no build ${build} of ${projection}`);
    }
    if (found.layout !== LAYOUT) {
      throw new ReadModelError('outdated', `build ${build} of ${projection} has another layout`);
    }
    return this.#open.get(idOf(projection, build)) ?? this.#openedSound(found);
  }

  async live(projection: string): Promise<Build | undefined> {
    this.#database.refuseWhenClosed();
    const following = this.#following.get(projection);
    if (following !== undefined) return following;
    // A reader may come before the writer that makes the catalog, or migrates it.
    if (this.#isReadOnly && (await this.#knownShards()) === undefined) return undefined;
    const found = await this.#liveBuild(projection);
    if (found === undefined) return undefined;
    if (!this.#isReadOnly) {
      return this.#open.get(idOf(projection, found.info.build)) ?? this.#openedSound(found);
    }
    // Each read checks in the same query whether this build is still live.
    const build = new LiveBuild(this.#opened(found, { isWatched: true }), async () => {
      const next = await this.#liveBuild(projection);
      if (next !== undefined) return this.#opened(next, { isWatched: true });
      this.#following.delete(projection);
      throw new ReadModelError('not-ready', `there is no live build of ${projection}`);
    });
    this.#following.set(projection, build);
    return build;
  }

  async liveOf(projections: readonly string[]): Promise<readonly (Build | undefined)[]> {
    return Promise.all(projections.map((projection) => this.live(projection)));
  }

  async makeLive(projection: string, build: number): Promise<void> {
    this.#refuseReader();
    await this.#database.withRetries(() =>
      this.#database.transaction(BEGIN, async (client) => {
        const { rows } = await client.query<{ state: string }>(
          `SELECT state FROM ${this.#table('builds')} WHERE projection = $1 AND build = $2 FOR UPDATE`,
          [projection, build],
        );
        if (rows[0] === undefined) {
          throw new ReadModelError('no-such-build', `there is no build ${build} of ${projection}`);
        }
        if (rows[0].state !== 'ready') {
          throw new ReadModelError('not-ready', `build ${build} of ${projection} is still loading`);
        }
        await client.query(
          `INSERT INTO ${this.#table('live')} VALUES ($1, $2)
           ON CONFLICT (projection) DO UPDATE SET build = excluded.build`,
          [projection, build],
        );
        await client.query('SELECT pg_notify($1, $2)', [this.#database.schema, projection]);
      }),
    );
  }

  async dropBuild(projection: string, build: number): Promise<void> {
    this.#refuseReader();
    let tries = 0;
    await this.#database.withRetries(() => {
      tries += 1;
      return this.#database.transaction(BEGIN, async (client) => {
        const found = await client.query<{ id: number; collections: string; is_live: boolean }>(
          `SELECT id, collections, EXISTS (
             SELECT FROM ${this.#table('live')} l WHERE l.projection = $1 AND l.build = $2
           ) AS is_live
           FROM ${this.#table('builds')} WHERE projection = $1 AND build = $2 FOR UPDATE`,
          [projection, build],
        );
        const [row] = found.rows;
        // An earlier attempt may have succeeded, and only its answer was lost.
        if (row === undefined && tries > 1) return;
        if (row === undefined || row.is_live) {
          const what = `build ${build} of ${projection} is live or gone`;
          throw new ReadModelError('no-such-build', what);
        }
        await client.query(`DELETE FROM ${this.#table('builds')} WHERE id = $1`, [row.id]);
        const collections = JSON.parse(row.collections) as readonly CollectionSpec[];
        const tables = this.#tablesOf(row.id).all(collections);
        await client.query(`DROP TABLE IF EXISTS ${tables.join(', ')}`);
      });
    });
    this.#open.delete(idOf(projection, build));
  }

  async followProgress(
    ...[projections, receive, signal]: Parameters<PostgresReadModelStore['followProgress']>
  ): Promise<void> {
    const ends = AbortSignal.any([signal, this.#ending.signal]);
    await followProgress(this.#database, { projections, receive, signal: ends });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    for (const build of this.#open.values()) await build.settled();
    for (const build of this.#following.values()) await build.settled();
    this.#open.clear();
    this.#following.clear();
    await this.#database.close();
  }

  async #liveBuild(projection: string): Promise<Known | undefined> {
    const condition = `build = (SELECT build FROM ${this.#table('live')} l WHERE l.projection = $1)
      AND layout = ${LAYOUT}`;
    const [found] = await this.#known(projection, condition, []);
    return found;
  }

  async #known(
    projection: string,
    condition: string,
    values: readonly unknown[],
  ): Promise<readonly Known[]> {
    const text = `SELECT ${BUILD_COLUMNS} FROM ${this.#table('builds')}
      WHERE projection = $1 AND ${condition} ORDER BY build`;
    const query = { text, values: [projection, ...values] };
    // Without a catalog a reader finds nothing.
    const rows = await this.#database
      .read(query)
      .catch((error: unknown) => (this.#isReadOnly ? unlessAbsent(error) : Promise.reject(error)));
    return (rows ?? []).map((row) => knownOf(projection, row));
  }

  /** Before anything is written to it: tables and indices are what they were made as. */
  async #openedSound(known: Known): Promise<PostgresBuild> {
    const build = this.#opened(known, {});
    const { id, info, collections, hasTrigrams } = known;
    if (this.#isReadOnly || info.state !== 'ready') return build;
    const trigrams = hasTrigrams ? this.#trigrams : undefined;
    const fault = await schemaFault(this.#database, {
      tables: this.#tablesOf(id),
      collections,
      trigrams,
    });
    if (fault === undefined) return build;
    this.#open.delete(idOf(info.projection, info.build));
    const refusal = build.markDamaged(fault);
    await build.settled();
    throw refusal;
  }

  #opened(
    { id, info, collections, hasTrigrams }: Known,
    { isWatched = false }: Partial<BuildOptions>,
  ): PostgresBuild {
    const tables = this.#tablesOf(id);
    const trigrams = hasTrigrams ? this.#trigrams : undefined;
    const described: BuildTables = { id, info, collections, tables, trigrams };
    const build = new PostgresBuild(described, {
      database: this.#database,
      isWatched,
      isReadOnly: this.#isReadOnly,
      marksDamage: this.#marksDamage,
      memory: this.#memory,
    });
    if (!isWatched) this.#open.set(idOf(info.projection, info.build), build);
    return build;
  }

  #tablesOf(id: number): Tables {
    return new Tables(this.#database.schema, id);
  }

  #table(name: 'builds' | 'counters' | 'leases' | 'live' | 'shards'): string {
    return `${this.#database.schema}.${name}`;
  }

  #refuseReader(): void {
    this.#database.refuseWhenClosed();
    if (this.#isReadOnly) {
      throw new ReadModelError('read-only', 'the read-model store was opened for reading');
    }
  }
}

function unlessAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
  return undefined;
}

function knownOf(projection: string, row: Rows[number]): Known {
  const [id, build, version, state, layout, collections, hasTrigrams] = row;
  const info = { projection, build, version, state } as BuildInfo;
  return {
    id: Number(id),
    info,
    layout: Number(layout),
    collections: JSON.parse(String(collections)) as readonly CollectionSpec[],
    hasTrigrams: hasTrigrams === true,
  };
}

function idOf(projection: string, build: number): string {
  return `${projection}-${build}`;
}
