/** Kept answers in a SQLite file of their own, so that they outlive a restart. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate as onNextTurn } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { emptyWal } from '@counterfoil/event-stores/sqlite';
import { type KeptAnswer, type KeptAnswers, type KeptEntry, OPEN_TYPE } from './kept-answers.ts';

/** Of a file that has overwritten from its beginning on what was removed from it. */
const LAYOUT = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS answer (
    key TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    body ANY NOT NULL,
    headers TEXT,
    recorded_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS answer_by_expiry ON answer (expires_at_ms);
`;

/**
 * Files of earlier hosts lack them. The checksum: SQLite notices broken pages, but not a flipped bit
 * in a text. The stream: what the answer is about.
 */
const ADDED_COLUMNS = { checksum: 'INTEGER', stream: 'TEXT' };
const HAS_COLUMN = "SELECT 1 FROM pragma_table_info('answer') WHERE name = ?";

const FIND = `
  SELECT fingerprint, status, content_type, body, headers, recorded_at_ms, expires_at_ms, checksum, stream
  FROM answer WHERE key = ? AND expires_at_ms > ?`;

/** The first answer stays; only an expired one gives way, and one that is open. */
const PUT = `
  INSERT INTO answer
    (key, fingerprint, status, content_type, body, headers, recorded_at_ms, expires_at_ms, checksum,
     stream)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
  ON CONFLICT (key) DO UPDATE SET
    fingerprint = ?2, status = ?3, content_type = ?4, body = ?5, headers = ?6,
    recorded_at_ms = ?7, expires_at_ms = ?8, checksum = ?9, stream = ?10
  WHERE answer.expires_at_ms <= ?7 OR answer.content_type = '${OPEN_TYPE}'`;

/** A damaged answer is none: what it spoke of is answered anew, from the log. */
const REMOVE = 'DELETE FROM answer WHERE key = ?';
const PAGE = 'SELECT key, body FROM answer WHERE key > ? AND key < ? ORDER BY key LIMIT ?';
const PAGE_SIZE = 500;
/** Behind every other one, so that no key with a prefix lies beyond the prefix and it. */
const LAST_CHARACTER = '\u{10ffff}';

const SWEEP = `
  DELETE FROM answer WHERE rowid IN (SELECT rowid FROM answer WHERE expires_at_ms <= ? LIMIT ?)`;

interface Row {
  readonly fingerprint: string;
  readonly status: number;
  readonly content_type: string;
  readonly body: string | Uint8Array;
  readonly headers: string | null;
  readonly recorded_at_ms: number;
  readonly expires_at_ms: number;
  readonly checksum: number | null;
  readonly stream: string | null;
}

interface Keyed {
  readonly key: string;
  readonly body: string | Uint8Array;
}

interface WaitingPut {
  readonly key: string;
  readonly entry: KeptEntry;
  resolve(): void;
  reject(error: unknown): void;
}

export class SqliteKeptAnswers implements KeptAnswers {
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #put: StatementSync;
  readonly #sweep: StatementSync;
  readonly #remove: StatementSync;
  readonly #page: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #waiting: WaitingPut[] = [];

  /** Opens or creates the file at `path`. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    // NORMAL: a crash of the machine may lose the last answers, never the money they speak of.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    // What is removed or replaced is overwritten: nobody can look there for a person who is erased.
    this.#database.exec('PRAGMA busy_timeout = 5000; PRAGMA secure_delete = ON;');
    this.#database.exec(SCHEMA);
    this.#dropFreePages();
    for (const [name, type] of Object.entries(ADDED_COLUMNS)) {
      if (this.#database.prepare(HAS_COLUMN).get(name) !== undefined) continue;
      this.#database.exec(`ALTER TABLE answer ADD COLUMN ${name} ${type}`);
    }
    this.#find = this.#database.prepare(FIND);
    this.#put = this.#database.prepare(PUT);
    this.#sweep = this.#database.prepare(SWEEP);
    this.#remove = this.#database.prepare(REMOVE);
    this.#page = this.#database.prepare(PAGE);
    this.#begin = this.#database.prepare('BEGIN');
    this.#commit = this.#database.prepare('COMMIT');
  }

  /** Hosts of before did not overwrite what they swept. */
  #dropFreePages(): void {
    const { user_version: layout } = this.#database.prepare('PRAGMA user_version').get() ?? {};
    if (layout === LAYOUT) return;
    this.#database.exec(`VACUUM; PRAGMA user_version = ${LAYOUT}`);
  }

  async find(key: string, nowMs: number): Promise<KeptEntry | undefined> {
    this.#openTurn();
    const row = this.#find.get(key, nowMs) as unknown as Row | undefined;
    if (row === undefined) return undefined;
    if (row.checksum !== null && row.checksum !== checksumOf(key, row)) {
      this.#remove.run(key);
      return undefined;
    }
    return {
      fingerprint: row.fingerprint,
      answer: answerIn(row),
      recordedAtMs: row.recorded_at_ms,
      expiresAtMs: row.expires_at_ms,
    };
  }

  async put(key: string, entry: KeptEntry): Promise<void> {
    this.#openTurn();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ key, entry, resolve, reject });
    return promise;
  }

  /**
   * What is found and put in one turn of the event loop shares a transaction: most of the cost of
   * both is its beginning and its end.
   */
  #openTurn(): void {
    if (this.#database.isTransaction) return;
    this.#begin.run();
    onNextTurn(() => this.#endTurn());
  }

  #endTurn(): void {
    if (!this.#database.isOpen) return;
    const puts = this.#waiting;
    this.#waiting = [];
    try {
      // A failure may have ended the transaction before its time.
      if (!this.#database.isTransaction) this.#begin.run();
      for (const { key, entry } of puts) this.#insert(key, entry);
      this.#commit.run();
      for (const { resolve } of puts) resolve();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      for (const { reject } of puts) reject(error);
    }
  }

  #insert(key: string, entry: KeptEntry): void {
    const { fingerprint, answer, recordedAtMs, expiresAtMs } = entry;
    const { status, contentType, body, stream = null } = answer;
    const headers = answer.headers === undefined ? null : JSON.stringify(answer.headers);
    const row = {
      fingerprint,
      status,
      content_type: contentType,
      body,
      headers,
      recorded_at_ms: recordedAtMs,
      expires_at_ms: expiresAtMs,
      stream,
    };
    this.#put.run(
      key,
      fingerprint,
      status,
      contentType,
      body,
      headers,
      recordedAtMs,
      expiresAtMs,
      checksumOf(key, row),
      stream,
    );
  }

  async forget(prefix: string, named: RegExp): Promise<void> {
    // What waits is written first: it may be among what is to be forgotten.
    this.#endTurn();
    for (let after = prefix; ; ) {
      const rows = this.#page.all(after, prefix + LAST_CHARACTER, PAGE_SIZE) as unknown as Keyed[];
      const last = rows.at(-1);
      if (last === undefined) break;
      for (const { key, body } of rows) if (named.test(textOf(body))) this.#remove.run(key);
      after = last.key;
      await setImmediate();
    }
    this.#endTurn();
  }

  async scrub(): Promise<boolean> {
    this.#endTurn();
    return emptyWal(this.#database);
  }

  async sweep(nowMs: number, limit: number): Promise<number> {
    return Number(this.#sweep.run(nowMs, limit).changes);
  }

  /** Writes what still waits, and closes the file. */
  close(): void {
    this.#endTurn();
    this.#database.close();
  }
}

/** CRC-32 over everything that is kept of an answer. */
function checksumOf(key: string, row: Omit<Row, 'checksum'>): number {
  const { fingerprint, status, content_type, headers, recorded_at_ms, expires_at_ms, body } = row;
  const head = [key, fingerprint, status, content_type, headers, recorded_at_ms, expires_at_ms];
  // Those of earlier hosts have none.
  if (row.stream !== null) head.push(row.stream);
  return crc32(body, crc32(JSON.stringify(head)));
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}

function answerIn(row: Row): KeptAnswer {
  const { status, content_type: contentType, body, headers } = row;
  return {
    status,
    contentType,
    body: typeof body === 'string' ? body : Buffer.from(body),
    headers: headers === null ? undefined : (JSON.parse(headers) as Record<string, string>),
  };
}
