/** The catalog of the SQLite read models: leases, builds, and which of them is live. Every row carries its checksum. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type BuildInfo,
  type HeldLease,
  type LeaseRequest,
  ReadModelError,
} from '../read-model-store.ts';
import { checksumOf, isDamage } from './checksums.ts';
import { makePrivate } from './make-private.ts';
import { tune } from './sqlite-schema.ts';
import { schemaFault } from './sqlite-schema-check.ts';
import { Statements } from './sqlite-statements.ts';

/** Raised when the files change: builds of another layout are dropped and rebuilt. */
const LAYOUT = 7;

/** One B-tree each, always read completely: there is no index that could miss a row. */
const TABLES = {
  leases: 'name TEXT PRIMARY KEY, holder TEXT, epoch INTEGER, expires_ms INTEGER, seal INTEGER',
  builds: `projection TEXT, build INTEGER, version TEXT, state TEXT, collections TEXT, seal INTEGER,
    PRIMARY KEY (projection, build)`,
  counters: 'projection TEXT PRIMARY KEY, made INTEGER, seal INTEGER',
  live: 'projection TEXT PRIMARY KEY, build INTEGER, seal INTEGER',
} as const;
type Table = keyof typeof TABLES;
const NAMES = Object.keys(TABLES) as Table[];

/** What follows the name of the catalog in that of a build, and of what belongs to it. */
const OF_BUILD = /^-[a-z-]+-\d+(-wal|-shm|-journal|-damaged)?$/;
const MAX_ASIDE = 1_000;

export interface BuildRow extends BuildInfo {
  /** JSON of the specs. */
  readonly collections: string;
}

/** Of a projection, what queries read. */
export type LiveBuild = Pick<BuildInfo, 'projection' | 'build'>;

interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly epoch: number;
  readonly expires_ms: number;
}

interface Counter {
  readonly projection: string;
  readonly made: number;
}

type Row = Readonly<Record<string, string | number>>;

interface CatalogOptions {
  readonly readOnly: boolean;
  /** Whether a holder of leases is gone, and its leases are free. */
  readonly hasEnded: (holder: string) => boolean;
  readonly onReplaced: () => void;
}

export class Catalog {
  readonly #path: string;
  readonly #readOnly: boolean;
  readonly #hasEnded: (holder: string) => boolean;
  readonly #onReplaced: () => void;
  #open: { readonly statements: Statements; readonly inode: number } | undefined;
  /** Of the file that was opened last. */
  #lastInode: number | undefined;
  #closed = false;
  /** Verified rows, until any connection changes the file. */
  readonly #kept = new Map<Table, readonly Row[]>();
  /** Of `PRAGMA data_version`, which commits of this connection leave as it is. */
  #keptVersion: unknown;

  /**
   * A writer creates it, and replaces what is damaged; builds that are not in it are removed then.
   * `onReplaced` is called when another file has replaced it, which has other builds.
   */
  constructor(path: string, { readOnly, hasEnded, onReplaced }: CatalogOptions) {
    this.#path = path;
    this.#readOnly = readOnly;
    this.#hasEnded = hasEnded;
    this.#onReplaced = onReplaced;
    if (!readOnly) this.#statements();
  }

  builds(projection: string): readonly BuildRow[] {
    return (this.#rows('builds') as unknown as readonly BuildRow[])
      .filter((row) => row.projection === projection)
      .sort((a, b) => a.build - b.build);
  }

  /** The live builds, at most one of each projection. Throws `damaged` where they cannot be. */
  live(): readonly LiveBuild[] {
    return this.#rows('live') as unknown as readonly LiveBuild[];
  }

  /** The number of the next build; never one that was given before. */
  nextBuild(projection: string): number {
    return this.#write((statements) => {
      const counter = this.#rows('counters').find((each) => each['projection'] === projection);
      const numbers = this.builds(projection).map(({ build }) => build);
      const made = Math.max(Number(counter?.['made'] ?? 0), ...numbers) + 1;
      put(statements, 'counters', { projection, made });
      return made;
    });
  }

  putBuild({ projection, build, version, state, collections }: BuildRow): void {
    this.#write((statements) =>
      put(statements, 'builds', { projection, build, version, state, collections }),
    );
  }

  makeLive(projection: string, build: number): void {
    this.#write((statements) => put(statements, 'live', { projection, build }));
  }

  /** False for a build that is live or gone. */
  removeBuild(projection: string, build: number): boolean {
    return this.#write((statements) => {
      const isLive = (each: LiveBuild) => each.projection === projection && each.build === build;
      if (this.live().some(isLive)) return false;
      const { changes } = statements
        .get('DELETE FROM builds WHERE projection = ? AND build = ?')
        .run(projection, build);
      return changes === 1;
    });
  }

  acquireLease({ name, holder, nowMs, ttlMs }: LeaseRequest): number | undefined {
    return this.#write((statements) => {
      const known = this.#leaseOf(name);
      const isHeld = known !== undefined && known.expires_ms > nowMs;
      const isOwn = known?.holder === holder;
      if (isHeld && !isOwn && !this.#hasEnded(known.holder)) return undefined;
      const epoch = isHeld && isOwn ? known.epoch : (known?.epoch ?? 0) + 1;
      put(statements, 'leases', { name, holder, epoch, expires_ms: nowMs + ttlMs });
      return epoch;
    });
  }

  releaseLease(name: string, holder: string): void {
    this.#write((statements) => {
      const known = this.#leaseOf(name);
      if (known?.holder === holder) put(statements, 'leases', { ...known, expires_ms: 0 });
    });
  }

  leases(prefix: string, nowMs: number): readonly HeldLease[] {
    return (this.#rows('leases') as unknown as readonly Lease[])
      .filter(({ name, expires_ms }) => name.startsWith(prefix) && expires_ms > nowMs)
      .map(({ name, holder }) => ({ name, holder }));
  }

  close(): void {
    this.#closed = true;
    this.#forget();
  }

  #leaseOf(name: string): Lease | undefined {
    return this.#rows('leases').find((each) => each['name'] === name) as Lease | undefined;
  }

  /** All rows of a table, without their checksums. */
  #rows(table: Table): readonly Row[] {
    return this.#judged((statements) => {
      // What this connection has written meanwhile is not kept: it may be rolled back.
      if (statements.database.isTransaction) return rowsOf(statements, table);
      // Asked for first: rows that are newer than their version are read again.
      const [version] = statements.tuples('PRAGMA data_version').get() as unknown as [number];
      if (version !== this.#keptVersion) this.#kept.clear();
      this.#keptVersion = version;
      const known = this.#kept.get(table);
      if (known !== undefined) return known;
      const rows = rowsOf(statements, table);
      this.#kept.set(table, rows);
      return rows;
    });
  }

  #write<Result>(work: (statements: Statements) => Result): Result {
    if (this.#readOnly) {
      throw new ReadModelError('read-only', 'the read-model store was opened for reading');
    }
    this.#kept.clear();
    return this.#judged((statements) => statements.transaction(() => work(statements))) as Result;
  }

  /** Converts errors that mean damage. Without a catalog a reader finds nothing. */
  #judged<Result>(work: (statements: Statements) => Result): Result | readonly [] {
    const statements = this.#statements();
    if (statements === undefined) return [];
    try {
      return work(statements);
    } catch (error) {
      if (!isDamage(error, this.#path)) throw error;
      this.#forget();
      throw this.#damaged((error as Error).message);
    }
  }

  #damaged(what: string): ReadModelError {
    return new ReadModelError('damaged', `${this.#path}: ${what}`);
  }

  /** Undefined for a reader that came before the first writer. */
  #statements(): Statements | undefined {
    if (this.#closed) throw new ReadModelError('closed', 'the read-model store is closed');
    const inode = statSync(this.#path, { throwIfNoEntry: false })?.ino;
    // Another connection may have put a damaged one aside.
    if (this.#open !== undefined && this.#open.inode === inode) return this.#open.statements;
    if (this.#lastInode !== undefined && this.#lastInode !== inode) this.#onReplaced();
    this.#forget();
    if (this.#readOnly) {
      if (inode === undefined) return undefined;
      const statements = this.#openToRead();
      if (statements !== undefined) this.#open = { statements, inode };
      this.#lastInode = inode;
      return statements;
    }
    const statements = this.#openToWrite();
    this.#lastInode = statSync(this.#path).ino;
    this.#open = { statements, inode: this.#lastInode };
    return statements;
  }

  #forget(): void {
    this.#kept.clear();
    this.#open?.statements.database.close();
    this.#open = undefined;
  }

  #openToRead(): Statements | undefined {
    const database = new DatabaseSync(this.#path, { readOnly: true });
    try {
      tune(database, 'reader');
      // The writer may have made the file and not yet its last table, or a former version left it.
      if (layoutOf(database) !== LAYOUT) {
        database.close();
        return undefined;
      }
      const fault = schemaFault(database, makeTables);
      if (fault !== undefined) throw this.#damaged(fault);
      return new Statements(database);
    } catch (error) {
      if (database.isOpen) database.close();
      throw isDamage(error, this.#path) ? this.#damaged((error as Error).message) : error;
    }
  }

  #openToWrite(): Statements {
    const isNew = !existsSync(this.#path) || statSync(this.#path).size === 0;
    makePrivate(this.#path);
    const first = this.#prepared();
    if (first !== undefined) {
      if (isNew) this.#removeBuilds();
      return first;
    }
    this.#putAside();
    makePrivate(this.#path);
    const second = this.#prepared();
    if (second === undefined) throw this.#damaged('it cannot be replaced');
    this.#removeBuilds();
    return second;
  }

  /** Undefined when the file is damaged. Rows that are not what was written are removed. */
  #prepared(): Statements | undefined {
    const database = new DatabaseSync(this.#path);
    try {
      tune(database, 'writer');
      database.exec('BEGIN IMMEDIATE');
      if (layoutOf(database) !== LAYOUT) {
        const counters = this.#empty(database);
        makeTables(database);
        const put = database.prepare('INSERT INTO counters VALUES (?, ?, ?)');
        for (const row of counters) {
          put.run(row.projection, row.made, checksumOfRow('counters', { ...row }));
        }
      }
      const isSound = database.prepare('PRAGMA integrity_check(1)').get();
      const fault = schemaFault(database, makeTables);
      if (isSound?.['integrity_check'] !== 'ok' || fault !== undefined) {
        database.close();
        return undefined;
      }
      const statements = new Statements(database);
      for (const table of NAMES) removeDamaged(statements, table);
      dropDangling(statements);
      database.exec('COMMIT');
      return statements;
    } catch (error) {
      if (database.isOpen) database.close();
      if (isDamage(error, this.#path)) return undefined;
      throw error;
    }
  }

  /** Removes what another version left, whose builds cannot be used. Their numbers are not reused. */
  #empty(database: DatabaseSync): readonly Counter[] {
    const names = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name));
    const counters = names.includes('counters')
      ? (database
          .prepare('SELECT projection, made FROM counters')
          .all() as unknown as readonly Counter[])
      : [];
    for (const name of names) database.exec(`DROP TABLE "${name}"`);
    this.#removeBuilds();
    return counters.filter(({ made }) => Number.isSafeInteger(made));
  }

  #removeBuilds(): void {
    const folder = dirname(this.#path);
    const name = basename(this.#path);
    for (const each of readdirSync(folder)) {
      if (each.startsWith(name) && OF_BUILD.test(each.slice(name.length))) {
        rmSync(join(folder, each), { force: true });
      }
    }
  }

  #putAside(): void {
    for (let number = 1; number <= MAX_ASIDE; number += 1) {
      const aside = `${this.#path}.damaged-${number}`;
      if (existsSync(aside)) continue;
      for (const suffix of ['', '-wal', '-shm', '-journal']) {
        if (existsSync(this.#path + suffix)) renameSync(this.#path + suffix, aside + suffix);
      }
      return;
    }
    throw this.#damaged('remove the files beside it whose names end in .damaged-…');
  }
}

function makeTables(database: DatabaseSync): void {
  for (const name of NAMES) database.exec(`CREATE TABLE ${name} (${TABLES[name]}) WITHOUT ROWID`);
  database.exec(`PRAGMA user_version = ${LAYOUT}`);
}

function layoutOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

function checksumOfRow(table: Table, row: Row): number {
  return checksumOf(`catalog ${table}`, JSON.stringify(Object.entries(row).sort()));
}

function rowsOf(statements: Statements, table: Table): readonly Row[] {
  return statements
    .get(`SELECT * FROM ${table}`)
    .all()
    .map(({ seal, ...row }) => {
      if (seal === checksumOfRow(table, row as Row)) return row as Row;
      throw new ReadModelError('damaged', `a row of ${table} is not what was written`);
    });
}

function put(statements: Statements, table: Table, row: Row): void {
  const columns = Object.keys(row);
  const marks = columns.map(() => '?').join(', ');
  statements
    .get(`INSERT OR REPLACE INTO ${table} (${columns.join(', ')}, seal) VALUES (${marks}, ?)`)
    .run(...Object.values(row), checksumOfRow(table, row));
}

/** Removes damaged rows: leases are given again, builds are made again. Throws for one that its own key does not lead to. */
function removeDamaged(statements: Statements, table: Table): void {
  const keys =
    table === 'builds' ? ['projection', 'build'] : [table === 'leases' ? 'name' : 'projection'];
  const condition = keys.map((key) => `${key} IS ?`).join(' AND ');
  for (const { seal, ...row } of statements.get(`SELECT * FROM ${table}`).all()) {
    if (seal === checksumOfRow(table, row as Row)) continue;
    const { changes } = statements
      .get(`DELETE FROM ${table} WHERE ${condition}`)
      .run(...keys.map((key) => row[key] ?? null));
    // Bytes that are no text are read as other ones.
    if (changes === 0) {
      throw new ReadModelError('damaged', `a row of ${table} cannot be removed`);
    }
  }
}

/** A build that is live, and that the catalog does not know. */
function dropDangling(statements: Statements): void {
  statements
    .get(
      `DELETE FROM live WHERE NOT EXISTS (
         SELECT 1 FROM builds b
         WHERE b.projection = live.projection AND b.build = live.build AND b.state = 'ready'
       )`,
    )
    .run();
}
