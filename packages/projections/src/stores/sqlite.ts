/** The SQLite read-model store: a small catalog file, and beside it one file a build. */
import { existsSync, rmSync } from 'node:fs';
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
import { Checksums, DAMAGE_MARK } from './checksums.ts';
import { makePrivate } from './make-private.ts';
import { type BuildFile, SqliteBuild } from './sqlite-build.ts';
import { type BuildRow, Catalog, type LiveBuild } from './sqlite-catalog.ts';
import { TurnCache } from './turn-cache.ts';

export interface SqliteReadModelOptions {
  /** Path of the catalog; builds stand beside it as `<path>-<projection>-<build>`. */
  readonly path: string;
  /** For queries beside a worker of another thread or process. */
  readonly readOnly?: boolean;
  /**
   * The last news of the worker, such as the position it reached. With it the reader checks which build
   * is live, and whether it changed, once in a turn of the event loop, and again when the news changes.
   */
  readonly news?: () => unknown;
  /**
   * Whether damage that a read finds is marked beside the file, for its worker to rebuild. Writers
   * always do. Default of readers: false, which leaves the folder unchanged.
   */
  readonly marksDamage?: boolean;
  /**
   * Whether the process of a holder of leases is known to have ended: its leases are free then before
   * they expire. Default: never.
   */
  readonly hasEnded?: (holder: string) => boolean;
}

/**
 * Read models in SQLite files. Builds have files of their own, so that a rebuild neither waits for
 * the live build nor holds it up, is written without a log, and is dropped by removing a file.
 */
export function openSqliteReadModelStore(options: SqliteReadModelOptions): ReadModelStore {
  return new SqliteReadModelStore(options);
}

class SqliteReadModelStore implements ReadModelStore {
  readonly #path: string;
  readonly #readOnly: boolean;
  readonly #open = new Map<string, SqliteBuild>();
  readonly #memory: TurnCache | undefined;
  readonly #marksDamage: boolean;
  readonly #catalog: Catalog;
  #closed = false;

  constructor(options: SqliteReadModelOptions) {
    const { path, readOnly = false, news, marksDamage = !readOnly } = options;
    this.#path = path;
    this.#readOnly = readOnly;
    this.#marksDamage = marksDamage;
    this.#memory = readOnly && news !== undefined ? new TurnCache(news) : undefined;
    const { hasEnded = () => false } = options;
    const onReplaced = () => this.#closeBuilds();
    this.#catalog = new Catalog(path, { readOnly, hasEnded, onReplaced });
  }

  /** One process writes to a file at a time. */
  async shards(): Promise<number> {
    return 1;
  }

  async acquireLease(request: LeaseRequest): Promise<number | undefined> {
    return this.#catalog.acquireLease(request);
  }

  async releaseLease(name: string, holder: string): Promise<void> {
    this.#catalog.releaseLease(name, holder);
  }

  async leases(prefix: string, nowMs: number): Promise<readonly HeldLease[]> {
    return this.#catalog.leases(prefix, nowMs);
  }

  async builds(projection: string): Promise<readonly BuildInfo[]> {
    return this.#catalog.builds(projection).map(infoOf);
  }

  async createBuild(request: BuildRequest): Promise<Build> {
    const { projection, version, collections, purpose } = request;
    const state = purpose === 'load' ? 'loading' : 'ready';
    const build = this.#catalog.nextBuild(projection);
    const info: BuildInfo = { projection, build, version, state };
    // A file of that number can only be left of a catalog that is gone.
    this.#removeFiles(projection, build);
    const opened = this.#openFile(info, collections, true);
    this.#catalog.putBuild({ ...info, collections: JSON.stringify(collections) });
    return opened;
  }

  async openBuild(projection: string, build: number): Promise<Build> {
    const known = this.#open.get(idOf(projection, build));
    if (known !== undefined) return known;
    const rows = this.#catalog.builds(projection);
    this.#closeDropped(projection, rows);
    const row = rows.find((each) => each.build === build);
    if (row === undefined) {
      throw new ReadModelError('no-such-build', `there is no build ${build} of ${projection}`);
    }
    return this.#openFile(infoOf(row), JSON.parse(row.collections) as CollectionSpec[], false);
  }

  async live(projection: string): Promise<Build | undefined> {
    return this.#liveIn(this.#liveBuilds(), projection);
  }

  async liveOf(projections: readonly string[]): Promise<readonly (Build | undefined)[]> {
    const builds = this.#liveBuilds();
    const found = projections.map((projection) => this.#liveIn(builds, projection));
    // Mostly all are open: promises for them would take longer than to find them.
    return found.some((each) => each instanceof Promise)
      ? Promise.all(found)
      : (found as (Build | undefined)[]);
  }

  #liveBuilds(): readonly LiveBuild[] {
    const ask = () => this.#catalog.live();
    return this.#memory === undefined ? ask() : this.#memory.recall('live', ask);
  }

  #liveIn(builds: readonly LiveBuild[], projection: string): Build | Promise<Build> | undefined {
    const live = builds.find((each) => each.projection === projection);
    if (live === undefined) return undefined;
    const { build } = live;
    return this.#open.get(idOf(projection, build)) ?? this.openBuild(projection, build);
  }

  async makeLive(projection: string, build: number): Promise<void> {
    const { info } = await this.openBuild(projection, build);
    if (info.state !== 'ready') {
      throw new ReadModelError('not-ready', `build ${build} of ${projection} is still loading`);
    }
    this.#catalog.makeLive(projection, build);
  }

  async dropBuild(projection: string, build: number): Promise<void> {
    if (!this.#catalog.removeBuild(projection, build)) {
      throw new ReadModelError('no-such-build', `build ${build} of ${projection} is live or gone`);
    }
    this.#open.get(idOf(projection, build))?.close();
    this.#open.delete(idOf(projection, build));
    this.#removeFiles(projection, build);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#closeBuilds();
    this.#catalog.close();
  }

  #closeBuilds(): void {
    for (const build of this.#open.values()) build.close();
    this.#open.clear();
  }

  /** Files that others have removed are to be gone, and their pages free. */
  #closeDropped(projection: string, rows: readonly BuildRow[]): void {
    for (const [id, { info }] of this.#open) {
      if (info.projection !== projection) continue;
      if (rows.some(({ build }) => build === info.build)) continue;
      this.#open.get(id)?.close();
      this.#open.delete(id);
    }
  }

  #openFile(info: BuildInfo, collections: readonly CollectionSpec[], isNew: boolean): SqliteBuild {
    const { projection, build } = info;
    const path = this.#fileOf(projection, build);
    if (!isNew && !existsSync(path)) {
      throw new ReadModelError('damaged', `the file of build ${build} of ${projection} is gone`);
    }
    if (isNew) makePrivate(path);
    const onReady = () => {
      const ready = { ...info, state: 'ready', collections: JSON.stringify(collections) } as const;
      this.#catalog.putBuild(ready);
    };
    const role = this.#readOnly ? 'reader' : info.state === 'loading' ? 'loader' : 'writer';
    const memory = this.#memory;
    const checksums = new Checksums(path, this.#marksDamage);
    const file: BuildFile = { path, info, collections, role, onReady, memory, checksums };
    const opened = new SqliteBuild(file, isNew);
    this.#open.set(idOf(projection, build), opened);
    return opened;
  }

  #fileOf(projection: string, build: number): string {
    return `${this.#path}-${projection}-${build}`;
  }

  #removeFiles(projection: string, build: number): void {
    for (const suffix of ['', '-wal', '-shm', '-journal', DAMAGE_MARK]) {
      rmSync(this.#fileOf(projection, build) + suffix, { force: true });
    }
  }
}

function idOf(projection: string, build: number): string {
  return `${projection}-${build}`;
}

function infoOf({ projection, build, version, state }: BuildRow): BuildInfo {
  return { projection, build, version, state };
}
