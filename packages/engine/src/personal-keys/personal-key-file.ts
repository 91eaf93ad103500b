/**
 * The file of the customers' keys: one row a customer, emptied for good when the person is erased. Its
 * failures are those of a store of events: without keys nothing can be stored.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Position, Subject, TenantId } from '@counterfoil/core';
import { emptyWal, failing, openForReading } from '@counterfoil/event-stores/sqlite';
import type { KeyMark } from './customer-keys.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS personal_key (
    tenant INTEGER NOT NULL,
    sandbox INTEGER NOT NULL,
    customer INTEGER NOT NULL,
    wrapped BLOB, -- NULL once the person is erased
    PRIMARY KEY (tenant, sandbox, customer)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS of_log (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    first_event TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS whole_up_to (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    after TEXT NOT NULL,
    event_id TEXT NOT NULL,
    keys INTEGER NOT NULL
  ) STRICT;
`;

/** Files of earlier versions have no mark, and a reader makes none. */
const HAS_MARK = "SELECT 1 FROM sqlite_schema WHERE name = 'whole_up_to'";

export interface KeyFileOptions {
  /** `:memory:` for keys that last as long as the process. */
  readonly path: string;
  /** For those who decode beside the host, or without one. */
  readonly readOnly?: boolean;
}

export interface CustomerKey {
  readonly subject: Subject;
  /** Null of a person who is erased. */
  readonly wrapped: Uint8Array | null;
}

export interface KeyFile {
  /** Null for a person who is erased, undefined for one who has no key. */
  find(subject: Subject): Uint8Array | null | undefined;
  /** Adds the keys of those who have none, in one commit, durable when it answers which these were. */
  add<Key extends CustomerKey>(keys: readonly Key[]): readonly Key[];
  destroy(subject: Subject): void;
  /** Leaves nothing of destroyed keys beside the file. False, at once, while somebody reads there. */
  scrub(): boolean;
  all(): Iterable<CustomerKey>;
  /** The rows. */
  readonly count: number;
  /** Whether another connection has changed a key since this was last asked. */
  hasChanged(): boolean;
  /** The first event of the log that the keys belong to; undefined before it has one. */
  readonly firstEvent: string | undefined;
  belongTo(firstEvent: string): void;
  /** Up to where in the log no key is missing, as it was last said. */
  readonly mark: KeyMark | undefined;
  setMark(mark: KeyMark): void;
  close(): void;
}

/** Throws what SQLite throws for a file that cannot be opened. */
export function openKeyFile({ path, readOnly = false }: KeyFileOptions): KeyFile {
  const database = readOnly ? openForReading(path) : openForWriting(path);
  try {
    return readOnly ? new KeyReader(path, database) : new KeyWriter(path, database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function openForWriting(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    // FULL: what was sealed under a key that a power cut takes away could never be opened again.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA secure_delete = ON;');
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

class KeyReader implements KeyFile {
  protected readonly path: string;
  protected readonly database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #version: StatementSync;
  #seen: unknown;
  #hasLooked = false;

  constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.database = database;
    this.#find = database.prepare(
      'SELECT wrapped FROM personal_key WHERE tenant = ? AND sandbox = ? AND customer = ?',
    );
    this.#version = database.prepare('PRAGMA data_version');
  }

  get firstEvent(): string | undefined {
    const row = failing(this.path, () => this.database.prepare('SELECT * FROM of_log').get());
    return row?.['first_event'] as string | undefined;
  }

  get count(): number {
    const row = failing(this.path, () =>
      this.database.prepare('SELECT count(*) AS count FROM personal_key').get(),
    );
    return row?.['count'] as number;
  }

  get mark(): KeyMark | undefined {
    return failing(this.path, () => {
      if (this.database.prepare(HAS_MARK).get() === undefined) return undefined;
      const row = this.database.prepare('SELECT * FROM whole_up_to').get();
      return (
        row && {
          after: row['after'] as Position,
          eventId: row['event_id'] as string,
          keys: row['keys'] as number,
        }
      );
    });
  }

  find(subject: Subject): Uint8Array | null | undefined {
    const row = failing(this.path, () => this.#find.get(...placeOf(subject)));
    return row?.['wrapped'] as Uint8Array | null | undefined;
  }

  /**
   * Looks once a turn of the event loop, which costs as much as to open a text. What is decoded in
   * a turn was read before it, and a key is destroyed before the log tells of it.
   */
  hasChanged(): boolean {
    if (this.#hasLooked) return false;
    this.#hasLooked = true;
    setImmediate(() => {
      this.#hasLooked = false;
    });
    const before = this.#seen;
    this.#seen = failing(this.path, () => this.#version.get()?.['data_version']);
    return this.#seen !== before;
  }

  *all(): Generator<CustomerKey> {
    const rows = this.database.prepare('SELECT * FROM personal_key').iterate();
    for (const { tenant, sandbox, customer, wrapped } of rows) {
      const subject = {
        tenantId: tenant as TenantId,
        sandbox: sandbox === 1,
        customerId: customer as number,
      };
      yield { subject, wrapped: wrapped as Uint8Array | null };
    }
  }

  add<Key extends CustomerKey>(_keys: readonly Key[]): readonly Key[] {
    throw new Error(`${this.path} was opened for reading`);
  }

  destroy(_subject: Subject): void {
    throw new Error(`${this.path} was opened for reading`);
  }

  scrub(): boolean {
    throw new Error(`${this.path} was opened for reading`);
  }

  belongTo(_firstEvent: string): void {
    throw new Error(`${this.path} was opened for reading`);
  }

  setMark(_mark: KeyMark): void {
    throw new Error(`${this.path} was opened for reading`);
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }
}

class KeyWriter extends KeyReader {
  readonly #add: StatementSync;
  readonly #destroy: StatementSync;
  #count: number | undefined;

  constructor(path: string, database: DatabaseSync) {
    super(path, database);
    this.#add = database.prepare(
      'INSERT INTO personal_key VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#destroy = database.prepare(`
      INSERT INTO personal_key VALUES (?, ?, ?, NULL) ON CONFLICT DO UPDATE SET wrapped = NULL
    `);
  }

  /** There is one writer, and this is it. */
  override hasChanged(): boolean {
    return false;
  }

  /** Counted once: there is no other writer. */
  override get count(): number {
    this.#count ??= super.count;
    return this.#count;
  }

  override add<Key extends CustomerKey>(keys: readonly Key[]): readonly Key[] {
    const before = this.count;
    return failing(this.path, () => {
      this.database.exec('BEGIN IMMEDIATE');
      try {
        const added = keys.filter(
          ({ subject, wrapped }) => this.#add.run(...placeOf(subject), wrapped).changes === 1,
        );
        this.database.exec('COMMIT');
        this.#count = before + added.length;
        return added;
      } catch (error) {
        if (this.database.isTransaction) this.database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** The row is overwritten; what the write-ahead log still has of it goes with `scrub`. */
  override destroy(subject: Subject): void {
    const before = this.count;
    const isNew = this.find(subject) === undefined;
    failing(this.path, () => {
      this.#destroy.run(...placeOf(subject));
      if (isNew) this.#count = before + 1;
    });
  }

  override scrub(): boolean {
    return failing(this.path, () => emptyWal(this.database));
  }

  override belongTo(firstEvent: string): void {
    failing(this.path, () =>
      this.database.prepare('INSERT INTO of_log VALUES (1, ?)').run(firstEvent),
    );
  }

  override setMark({ after, eventId, keys }: KeyMark): void {
    failing(this.path, () =>
      this.database
        .prepare('INSERT OR REPLACE INTO whole_up_to VALUES (1, ?, ?, ?)')
        .run(after, eventId, keys),
    );
  }
}

function placeOf({ tenantId, sandbox, customerId }: Subject): [number, number, number] {
  return [tenantId, sandbox ? 1 : 0, customerId];
}
