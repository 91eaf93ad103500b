/** The SQLite read-model store: a small catalog file, and beside it one file a build. */
import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  type Build,
  type BuildInfo,
  type BuildRequest,
  type CollectionSpec,
  type LeaseRequest,
  ReadModelError,
  type ReadModelStore,
} from '../read-model-store.ts';
import { makePrivate } from './make-private.ts';
import { DAMAGE_MARK, Seals } from './seal.ts';
import { type BuildFile, SqliteBuild } from './sqlite-build.ts';
import { tune } from './sqlite-schema.ts';
import { Statements } from './sqlite-statements.ts';
import { TurnMemory } from './turn-memory.ts';

export interface SqliteReadModelOptions {
  /** Path of the catalog; builds stand beside it as `<path>-<projection>-<build>`. */
  readonly path: string;
  /** For queries beside a worker of another thread or process. */
  readonly readOnly?: boolean;
  /**
   * What the worker last told this reader, such as the position it reached. Given that, the reader
   * asks which build is live, and whether it changed, once a turn of the event loop and told word.
   */
  readonly told?: () => unknown;
  /**
   * Whether damage that a read finds is marked beside the file, for its worker to make the build
   * anew. Writers always do; a reader that is only to look leaves the folder as it is.
   */
  readonly marksDamage?: boolean;
  /**
   * Whether it is known that the process of a holder of leases has ended: then its leases are free
   * before they run out. Nobody's has when absent.
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

/** Raised when the files change their shape: builds of another layout are dropped, and so made anew. */
const LAYOUT = 4;

const CATALOG = `
  CREATE TABLE IF NOT EXISTS leases (
    name TEXT PRIMARY KEY, holder TEXT NOT NULL, epoch INTEGER NOT NULL, expires_ms INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS builds (
    projection TEXT NOT NULL, build INTEGER NOT NULL, version TEXT NOT NULL, state TEXT NOT NULL,
    collections TEXT NOT NULL, PRIMARY KEY (projection, build)
  );
  CREATE TABLE IF NOT EXISTS counters (projection TEXT PRIMARY KEY, made INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS live (projection TEXT PRIMARY KEY, build INTEGER NOT NULL);
`;

interface BuildRow {
  readonly projection: string;
  readonly build: number;
  readonly version: string;
  readonly state: BuildInfo['state'];
  readonly collections: string;
}

class SqliteReadModelStore implements ReadModelStore {
  readonly #path: string;
  readonly #readOnly: boolean;
  readonly #open = new Map<string, SqliteBuild>();
  readonly #memory: TurnMemory | undefined;
  readonly #marksDamage: boolean;
  readonly #hasEnded: (holder: string) => boolean;
  #catalog: Statements | undefined;
  #closed = false;

  constructor(options: SqliteReadModelOptions) {
    const { path, readOnly = false, told, marksDamage = !readOnly } = options;
    this.#path = path;
    this.#readOnly = readOnly;
    this.#marksDamage = marksDamage;
    this.#hasEnded = options.hasEnded ?? (() => false);
    this.#memory = readOnly && told !== undefined ? new TurnMemory(told) : undefined;
    if (!readOnly) this.#statements();
  }

  async acquireLease({ name, holder, nowMs, ttlMs }: LeaseRequest): Promise<number | undefined> {
    const former = this.#writable().get('SELECT holder FROM leases WHERE name = ?').get(name);
    const holderOfNow = (former?.['holder'] as string | undefined) ?? holder;
    if (holderOfNow !== holder && this.#hasEnded(holderOfNow))
      await this.releaseLease(name, holderOfNow);
    const row = this.#writable()
      .get(
        `INSERT INTO leases VALUES (?1, ?2, 1, ?4) ON CONFLICT (name) DO UPDATE SET
           epoch = CASE WHEN holder = ?2 AND expires_ms > ?3 THEN epoch ELSE epoch + 1 END,
           holder = ?2, expires_ms = ?4
         WHERE holder = ?2 OR expires_ms <= ?3
         RETURNING epoch`,
      )
      .get(name, holder, nowMs, nowMs + ttlMs);
    return row?.['epoch'] as number | undefined;
  }

  async releaseLease(name: string, holder: string): Promise<void> {
    this.#writable()
      .get('UPDATE leases SET expires_ms = 0 WHERE name = ? AND holder = ?')
      .run(name, holder);
  }

  async builds(projection: string): Promise<readonly BuildInfo[]> {
    return this.#rows(projection).map(infoOf);
  }

  async createBuild(request: BuildRequest): Promise<Build> {
    const { projection, version, collections, purpose } = request;
    const state = purpose === 'load' ? 'loading' : 'ready';
    const catalog = this.#writable();
    const made = catalog
      .get(
        `INSERT INTO counters VALUES (?, 1) ON CONFLICT (projection) DO UPDATE SET made = made + 1
         RETURNING made`,
      )
      .get(projection);
    const build = made?.['made'] as number;
    const info: BuildInfo = { projection, build, version, state };
    // A file of that number can only be left of a catalog that is gone.
    this.#removeFiles(projection, build);
    const opened = this.#openFile(info, collections, true);
    catalog
      .get('INSERT INTO builds VALUES (?, ?, ?, ?, ?)')
      .run(projection, build, version, state, JSON.stringify(collections));
    return opened;
  }

  async openBuild(projection: string, build: number): Promise<Build> {
    const known = this.#open.get(idOf(projection, build));
    if (known !== undefined) return known;
    const row = this.#rows(projection).find((each) => each.build === build);
    if (row === undefined) {
      throw new ReadModelError('no-such-build', `there is no build ${build} of ${projection}`);
    }
    return this.#openFile(infoOf(row), JSON.parse(row.collections) as CollectionSpec[], false);
  }

  async live(projection: string): Promise<Build | undefined> {
    const ask = () => this.#liveBuild(projection);
    const build = this.#memory === undefined ? ask() : this.#memory.recall(projection, ask);
    return build === undefined ? undefined : this.openBuild(projection, build);
  }

  #liveBuild(projection: string): number | undefined {
    const row = this.#statements()
      ?.get('SELECT build FROM live WHERE projection = ?')
      .get(projection);
    return row?.['build'] as number | undefined;
  }

  async makeLive(projection: string, build: number): Promise<void> {
    const { info } = await this.openBuild(projection, build);
    if (info.state !== 'ready') {
      throw new ReadModelError('not-ready', `build ${build} of ${projection} is still loading`);
    }
    this.#writable()
      .get(
        'INSERT INTO live VALUES (?1, ?2) ON CONFLICT (projection) DO UPDATE SET build = excluded.build',
      )
      .run(projection, build);
  }

  async dropBuild(projection: string, build: number): Promise<void> {
    const { changes } = this.#writable()
      .get(
        `DELETE FROM builds WHERE projection = ?1 AND build = ?2
           AND NOT EXISTS (SELECT 1 FROM live WHERE projection = ?1 AND build = ?2)`,
      )
      .run(projection, build);
    if (changes === 0) {
      throw new ReadModelError('no-such-build', `build ${build} of ${projection} is live or gone`);
    }
    this.#open.get(idOf(projection, build))?.close();
    this.#open.delete(idOf(projection, build));
    this.#removeFiles(projection, build);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const build of this.#open.values()) build.close();
    this.#open.clear();
    this.#catalog?.database.close();
  }

  #rows(projection: string): readonly BuildRow[] {
    const rows = this.#statements()
      ?.get('SELECT * FROM builds WHERE projection = ? ORDER BY build')
      .all(projection);
    return (rows ?? []) as unknown as readonly BuildRow[];
  }

  #openFile(info: BuildInfo, collections: readonly CollectionSpec[], isNew: boolean): SqliteBuild {
    const { projection, build } = info;
    const path = this.#fileOf(projection, build);
    if (!isNew && !existsSync(path)) {
      throw new ReadModelError('damaged', `the file of build ${build} of ${projection} is gone`);
    }
    if (isNew) makePrivate(path);
    const onReady = () => {
      this.#writable()
        .get("UPDATE builds SET state = 'ready' WHERE projection = ? AND build = ?")
        .run(projection, build);
    };
    const role = this.#readOnly ? 'reader' : info.state === 'loading' ? 'loader' : 'writer';
    const memory = this.#memory;
    const seals = new Seals(path, this.#marksDamage);
    const file: BuildFile = { path, info, collections, role, onReady, memory, seals };
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

  /** The catalog; undefined for a reader that came before the first writer. */
  #statements(): Statements | undefined {
    if (this.#closed) throw new ReadModelError('closed', 'the read-model store is closed');
    if (this.#catalog !== undefined) return this.#catalog;
    if (this.#readOnly && !existsSync(this.#path)) return undefined;
    if (!this.#readOnly) makePrivate(this.#path);
    const database = new DatabaseSync(this.#path, { readOnly: this.#readOnly });
    tune(database, this.#readOnly ? 'reader' : 'writer');
    if (!this.#readOnly) this.#prepareCatalog(database);
    // The writer may have made the file and not yet its last table, or a former version left it.
    else if (!isCatalog(database)) {
      database.close();
      return undefined;
    }
    this.#catalog = new Statements(database);
    return this.#catalog;
  }

  #prepareCatalog(database: DatabaseSync): void {
    database.exec(`BEGIN IMMEDIATE; ${CATALOG}`);
    if (!isCatalog(database)) {
      const builds = database.prepare('SELECT projection, build FROM builds').all();
      for (const { projection, build } of builds as unknown as readonly BuildRow[]) {
        this.#removeFiles(projection, build);
      }
      database.exec(`DELETE FROM live; DELETE FROM builds; PRAGMA user_version = ${LAYOUT}`);
    }
    database.exec('COMMIT');
  }

  #writable(): Statements {
    const catalog = this.#statements();
    if (this.#readOnly || catalog === undefined) {
      throw new ReadModelError('read-only', 'the read-model store was opened for reading');
    }
    return catalog;
  }
}

/** Whether a catalog of this layout has been made. */
function isCatalog(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA user_version').get()?.['user_version'] === LAYOUT;
}

function idOf(projection: string, build: number): string {
  return `${projection}-${build}`;
}

function infoOf({ projection, build, version, state }: BuildRow): BuildInfo {
  return { projection, build, version, state };
}
