/** Kept answers in a SQLite file of their own, so that they outlive a restart. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Answer } from './answer.ts';
import type { IdempotencyEntry, IdempotencyStore } from './idempotency.ts';

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

const FIND = `
  SELECT fingerprint, status, content_type, body, headers, recorded_at_ms, expires_at_ms
  FROM answer WHERE key = ? AND expires_at_ms > ?`;

/** The first answer stays; only an expired one gives way. */
const PUT = `
  INSERT INTO answer
    (key, fingerprint, status, content_type, body, headers, recorded_at_ms, expires_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
  ON CONFLICT (key) DO UPDATE SET
    fingerprint = ?2, status = ?3, content_type = ?4, body = ?5, headers = ?6,
    recorded_at_ms = ?7, expires_at_ms = ?8
  WHERE answer.expires_at_ms <= ?7`;

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
}

export class SqliteIdempotencyStore implements IdempotencyStore {
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #put: StatementSync;
  readonly #sweep: StatementSync;

  /** Opens or creates the file at `path`. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    // NORMAL: a crash of the machine may lose the last answers, never the money they speak of.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    this.#database.exec('PRAGMA busy_timeout = 5000;');
    this.#database.exec(SCHEMA);
    this.#find = this.#database.prepare(FIND);
    this.#put = this.#database.prepare(PUT);
    this.#sweep = this.#database.prepare(SWEEP);
  }

  async find(key: string, nowMs: number): Promise<IdempotencyEntry | undefined> {
    const row = this.#find.get(key, nowMs) as unknown as Row | undefined;
    if (row === undefined) return undefined;
    return {
      fingerprint: row.fingerprint,
      answer: answerIn(row),
      recordedAtMs: row.recorded_at_ms,
      expiresAtMs: row.expires_at_ms,
    };
  }

  async put(key: string, entry: IdempotencyEntry): Promise<void> {
    const { fingerprint, answer, recordedAtMs, expiresAtMs } = entry;
    const { status, contentType, body, headers } = answer;
    this.#put.run(
      key,
      fingerprint,
      status,
      contentType,
      body,
      headers === undefined ? null : JSON.stringify(headers),
      recordedAtMs,
      expiresAtMs,
    );
  }

  async sweep(nowMs: number, limit: number): Promise<number> {
    return Number(this.#sweep.run(nowMs, limit).changes);
  }

  close(): void {
    this.#database.close();
  }
}

function answerIn(row: Row): Answer {
  const { status, content_type: contentType, body, headers } = row;
  return {
    status,
    contentType,
    body: typeof body === 'string' ? body : Buffer.from(body),
    headers: headers === null ? undefined : (JSON.parse(headers) as Record<string, string>),
  };
}
