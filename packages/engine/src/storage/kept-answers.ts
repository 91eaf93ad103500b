/** The answers that are kept under idempotency keys. */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { StreamName, Subject } from '@counterfoil/core';
import { nameOf } from '../personal-keys/personal-key-cipher.ts';
import { Claims, type ClaimsOptions, type Tried } from './claims.ts';
import { HostDatabaseError } from './host-database-error.ts';
import {
  ADDED_TO_FILE,
  FILE_INDICES,
  FILE_LAYOUT,
  FILE_SCHEMA,
  OPEN_TYPE,
  PUT_COLUMNS,
} from './kept-answers-tables.ts';
import { RoundTrips } from './round-trips.ts';
import {
  type Awaitable,
  openFile,
  PostgresTables,
  SqliteTables,
  type SqlTables,
  type SqlValue,
} from './sql-tables.ts';

/** An answer as its interface gave it: the engine keeps it, and does not read it. */
export interface KeptAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The stream that it is about; undefined where that is not one stream of the log. */
  readonly stream?: StreamName | undefined;
  /** The one person that it has data of; undefined where it has data of none, or of several. */
  readonly subject?: Subject | undefined;
}

/** An answer kept for replay. */
export interface KeptEntry {
  /** Of the request that was answered: a repetition must be the same request. */
  readonly fingerprint: string;
  readonly answer: KeptAnswer;
  readonly recordedAtMs: number;
  readonly expiresAtMs: number;
}

export interface ClaimedRequest {
  readonly key: string;
  readonly fingerprint: string;
  readonly nowMs: number;
}

export type Claim =
  | { readonly kind: 'answered'; readonly entry: KeptEntry }
  /** Another host is answering, maybe another request. The claim ends with that host. */
  | { readonly kind: 'elsewhere'; readonly isAnotherRequest: boolean }
  /**
   * No other host answers before `release`, or before this host ends. `held` is the fingerprint of the
   * request whose answer is still open.
   */
  | { readonly kind: 'granted'; readonly held?: string | undefined; release(): void };

export function isOpen({ answer }: KeptEntry): boolean {
  return answer.contentType === OPEN_TYPE;
}

/** What an erasure looks for among the answers. */
export interface AnswersAbout {
  /** The beginning of their keys: the tenant. What follows is what the tenant did. */
  readonly prefix: string;
  readonly subject: string;
  /** Of an answer without a subject: what has data of a person names the customer. */
  readonly named: RegExp;
}

/** The expression keeps to what JavaScript and PostgreSQL both understand. */
export function answersAbout(subject: Subject): AnswersAbout {
  const { tenantId, customerId } = subject;
  return {
    prefix: `${JSON.stringify([String(tenantId)]).slice(0, -1)},`,
    subject: nameOf(subject),
    named: new RegExp(`"(?:id|customerId|customerID)":${customerId}(?!\\d)`),
  };
}

/** Whether an answer has data of the person. */
export function isAbout(
  { prefix, subject, named }: AnswersAbout,
  key: string,
  answer: Pick<KeptAnswer, 'body' | 'subject'>,
): boolean {
  if (!key.startsWith(prefix)) return false;
  if (answer.subject !== undefined) return nameOf(answer.subject) === subject;
  return named.test(String(answer.body));
}

/** What a request may have read of a person who was erased before it began: hosts follow a little later. */
const BEHIND_ERASURES_MS = 60_000;
const PAGE_SIZE = 500;
const PUT_FUNCTION = 'counterfoil_host.put_answers';
/** Sorts after every other character: no key with a prefix lies beyond the prefix and it. */
const LAST_CHARACTER = '\u{10ffff}';

/** Longer than any request takes. */
const FORGET_THE_FORGOTTEN = `
  DELETE FROM counterfoil_host.forgotten WHERE at < clock_timestamp() - interval '1 day'`;
const WRITE_DOWN =
  'INSERT INTO counterfoil_host.forgotten (prefix, named, subject) VALUES ($1, $2, $3)';
const WAIT_FOR_PUTS = 'SELECT counterfoil_host.wait_for_puts()';

/** In a file the checksum covers all of it. */
interface Row {
  readonly fingerprint: string;
  readonly status: number;
  readonly content_type: string;
  readonly body: string | Uint8Array;
  readonly is_text: boolean | number;
  readonly headers: string | null;
  readonly recorded_at_ms: string | number;
  readonly expires_at_ms: string | number;
  readonly stream?: string | null;
  readonly subject?: string | null;
  readonly checksum?: number | null;
}

interface Put {
  readonly key: string;
  readonly entry: KeptEntry;
  readonly ageMs: number;
}

/**
 * 32 MiB of write-ahead log. An answer changes pages of three indices anywhere in the file: checkpoints that
 * are rarer write each of them once for many answers, and wait for the disk less often.
 */
const CHECKPOINT_PAGES = 8_000;

/** In an SQLite file (or `:memory:`): a crash of the machine may lose the last answers, not the money. */
export function openKeptAnswers(path: string): KeptAnswers {
  const database = openFile(path, {
    schema: FILE_SCHEMA,
    addedColumns: { answer: ADDED_TO_FILE },
    synchronous: 'NORMAL',
    secureDelete: true,
  });
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const { user_version: layout } = database.prepare('PRAGMA user_version').get() ?? {};
  // Earlier versions did not overwrite what they swept.
  if (layout !== FILE_LAYOUT) database.exec(`VACUUM; PRAGMA user_version = ${FILE_LAYOUT}`);
  database.exec(FILE_INDICES);
  return new KeptAnswers(new SqliteTables(database));
}

/** In a database that has the tables of `openHostDatabase`, which stays open; all hosts replay the same. */
export function openSharedAnswers(options: ClaimsOptions): KeptAnswers {
  return new KeptAnswers(new PostgresTables(options.pool), new Claims(options));
}

/**
 * Need not be durable to the last write: ids derived from the key ensure that money moves once, so an
 * answer that was lost is made again, not paid again.
 */
export class KeptAnswers {
  readonly #tables: SqlTables;
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly #claims: Claims | undefined;
  readonly #finds = new RoundTrips<SqlValue[], Row | undefined>((asked) => this.#findAll(asked));
  readonly #puts = new RoundTrips<Put, undefined>((puts) => this.#write(puts));
  /** When each claimed request began, by a clock that is never set. */
  readonly #begun = new Map<string, number>();

  constructor(tables: SqlTables, claims?: Claims) {
    this.#tables = tables;
    this.#sql = statementsOf(tables);
    this.#claims = claims;
  }

  /** The entry under this key that has not expired at `nowMs`. */
  async find(key: string, nowMs: number): Promise<KeptEntry | undefined> {
    const row = await this.#finds.ask([key, nowMs]);
    if (row === undefined) return undefined;
    if (isSound(key, row)) return entryIn(row);
    // A damaged answer is made again, from the log.
    await this.#tables.all(this.#sql.remove, [key]);
    return undefined;
  }

  /** Those of one turn share a transaction: most of their cost is its beginning and its end. */
  #findAll(asked: readonly SqlValue[][]): Awaitable<readonly (Row | undefined)[]> {
    const [tables, { find }] = [this.#tables, this.#sql];
    if (tables instanceof SqliteTables) {
      return tables.transaction(() => asked.map((each) => tables.all<Row>(find, each)[0]), 'BEGIN');
    }
    return Promise.all(asked.map(async (each) => (await tables.all<Row>(find, each))[0]));
  }

  /**
   * Finds the entry, or claims the key among the hosts that share the store. Within a host no other
   * request asks for the key before the claim is released.
   */
  async claim(request: ClaimedRequest): Promise<Claim> {
    if (this.#claims !== undefined) return this.#claimOf(this.#claims, request);
    const entry = await this.find(request.key, request.nowMs);
    if (entry !== undefined && !isOpen(entry)) return { kind: 'answered', entry };
    return { kind: 'granted', held: entry?.fingerprint, release: () => undefined };
  }

  async #claimOf(claims: Claims, request: ClaimedRequest): Promise<Claim> {
    const { key } = request;
    const begun = performance.now();
    let held: string | undefined;
    try {
      const tried = await claims.want(request);
      const entry = hasAnswer(tried) ? entryIn(tried) : undefined;
      held = entry !== undefined && isOpen(entry) ? entry.fingerprint : undefined;
      if (held !== undefined && !tried.is_mine) {
        return { kind: 'elsewhere', isAnotherRequest: held !== request.fingerprint };
      }
      if (entry !== undefined && held === undefined) {
        if (tried.is_mine) claims.release(key);
        return { kind: 'answered', entry };
      }
      if (!tried.is_mine) return { kind: 'elsewhere', isAnotherRequest: tried.is_another_request };
    } catch (error) {
      throw new HostDatabaseError('unavailable', 'no key can be claimed now', { cause: error });
    }
    this.#begun.set(key, begun);
    const release = () => {
      this.#begun.delete(key);
      claims.release(key);
    };
    return { kind: 'granted', held, release };
  }

  /**
   * Keeps an entry, unless there is a final answer that had not expired when this one was recorded.
   * The puts of one turn of the event loop share a transaction.
   */
  async put(key: string, entry: KeptEntry): Promise<void> {
    const now = performance.now();
    const ageMs = now - (this.#begun.get(key) ?? now) + BEHIND_ERASURES_MS;
    await this.#puts.ask({ key, entry, ageMs });
  }

  async #write(puts: readonly Put[]): Promise<readonly undefined[]> {
    if (this.#tables instanceof SqliteTables) {
      this.#tables.insert(this.#sql.put, puts.map(fileRowOf));
    } else {
      await this.#putShared(this.#tables, puts);
    }
    return puts.map(() => undefined);
  }

  async #putShared(tables: PostgresTables, puts: readonly Put[]): Promise<void> {
    // A statement changes no row twice; and the first of a key is the one to keep.
    for (let left = puts; left.length > 0; ) {
      const first = new Map(left.toReversed().map((put) => [put.key, put]));
      await tables.call(PUT_FUNCTION, PUT_COLUMNS, [...first.values()].map(parametersOf));
      left = left.filter((put) => first.get(put.key) !== put);
    }
  }

  /**
   * Removes the answers about a person, those that are being put by any host included. Answers without
   * a subject are searched, in pages, so that others are served between.
   */
  async forget(about: AnswersAbout): Promise<void> {
    const { prefix, subject, named } = about;
    if (this.#tables.dialect.isShared) {
      await this.#tables.all(FORGET_THE_FORGOTTEN);
      // A put from now on sees it; one that does not is waited for, and found below.
      await this.#tables.all(WRITE_DOWN, [prefix, named.source, subject]);
      await this.#tables.all(WAIT_FOR_PUTS);
    } else {
      await this.#puts.rest();
    }
    await this.#tables.all(this.#sql.removeAbout, [subject]);
    for (let after = prefix; ; ) {
      const page = [after, prefix + LAST_CHARACTER, PAGE_SIZE];
      const rows = await this.#tables.all<Pick<Row, 'body'> & { readonly key: string }>(
        this.#sql.withoutSubject,
        page,
      );
      for (const { key, body } of rows) {
        if (named.test(textOf(body))) await this.#tables.all(this.#sql.remove, [key]);
      }
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.key;
      await setImmediate();
    }
  }

  /**
   * Leaves nothing of what was removed, by `forget` or by `sweep`, beside the entries. False, at once,
   * while a reader is there.
   */
  async scrub(): Promise<boolean> {
    if (!this.#tables.dialect.isShared) await this.#puts.rest();
    return this.#tables.scrub(this.#sql.table);
  }

  /** Removes at most `limit` entries that have expired at `nowMs`; answers how many. */
  async sweep(nowMs: number, limit: number): Promise<number> {
    return (await this.#tables.all(this.#sql.sweep, [nowMs, limit])).length;
  }

  /** Writes what still waits, and ends the claims. */
  async close(): Promise<void> {
    await this.#puts.rest();
    await this.#claims?.close();
    this.#tables.close();
  }
}

function hasAnswer(tried: Tried): tried is Tried & Row {
  return tried.fingerprint !== null;
}

function entryIn(row: Row): KeptEntry {
  const { fingerprint, status, content_type: contentType, headers } = row;
  return {
    fingerprint,
    answer: {
      status,
      contentType,
      body: row.is_text ? textOf(row.body) : Buffer.from(row.body),
      headers: headers === null ? undefined : (JSON.parse(headers) as Record<string, string>),
    },
    recordedAtMs: Number(row.recorded_at_ms),
    expiresAtMs: Number(row.expires_at_ms),
  };
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}

function headersIn({ headers }: KeptAnswer): string | null {
  return headers === undefined ? null : JSON.stringify(headers);
}

function subjectIn({ subject }: KeptAnswer): string | null {
  return subject === undefined ? null : nameOf(subject);
}

function parametersOf({ key, entry, ageMs }: Put): readonly SqlValue[] {
  const { fingerprint, answer, recordedAtMs, expiresAtMs } = entry;
  const { status, contentType, body, stream = null } = answer;
  const isText = typeof body === 'string';
  const bytes = isText ? Buffer.from(body) : body;
  return [
    ...[key, fingerprint, status, contentType, bytes, isText, headersIn(answer)],
    ...[recordedAtMs, expiresAtMs, ageMs, stream, subjectIn(answer)],
  ];
}

function fileRowOf({ key, entry }: Put): readonly SqlValue[] {
  const { fingerprint, answer, recordedAtMs, expiresAtMs } = entry;
  const { status, contentType, body, stream = null } = answer;
  const row = {
    fingerprint,
    status,
    content_type: contentType,
    body,
    is_text: typeof body === 'string',
    headers: headersIn(answer),
    recorded_at_ms: recordedAtMs,
    expires_at_ms: expiresAtMs,
    stream,
    subject: subjectIn(answer),
  };
  return [
    ...[key, fingerprint, status, contentType, body, row.headers],
    ...[recordedAtMs, expiresAtMs, stream, row.subject, checksumOf(key, row)],
  ];
}

/** Rows of earlier versions, and those of PostgreSQL, have no checksum. */
function isSound(key: string, row: Row): boolean {
  return row.checksum == null || row.checksum === checksumOf(key, row);
}

/** The checksum of a row of a file. Its integers may be text. */
export function answerChecksum(row: Readonly<Record<string, unknown>>): number {
  const { key, status, recorded_at_ms, expires_at_ms, ...rest } = row;
  return checksumOf(String(key), {
    ...(rest as unknown as Row),
    status: Number(status),
    recorded_at_ms: Number(recorded_at_ms),
    expires_at_ms: Number(expires_at_ms),
  });
}

function checksumOf(key: string, row: Row): number {
  const { fingerprint, status, content_type, headers, recorded_at_ms, expires_at_ms, body } = row;
  const head = [key, fingerprint, status, content_type, headers, recorded_at_ms, expires_at_ms];
  // Those of earlier versions lack them.
  if (row.stream != null) head.push(row.stream);
  if (row.subject != null) head.push(row.subject);
  return crc32(body, crc32(JSON.stringify(head)));
}

function statementsOf({ dialect }: SqlTables) {
  const { isShared } = dialect;
  const table = dialect.table('answer', 'answers');
  const ofDialect = isShared ? 'is_text' : `typeof(body) = 'text' AS is_text, checksum`;
  const { is_text: _isText, age_ms: _age, ...kept } = PUT_COLUMNS;
  const columns = { ...kept, checksum: 'integer' };
  const changed = Object.keys(columns).map((name) => `${name} = excluded.${name}`);
  return {
    table,
    find: `
      SELECT fingerprint, status, content_type, body, headers, recorded_at_ms, expires_at_ms, stream,
        subject, ${ofDialect}
      FROM ${table} WHERE key = $1 AND expires_at_ms > $2`,
    put: {
      table,
      columns,
      suffix: `
        ON CONFLICT (key) DO UPDATE SET ${changed.join()}
        WHERE answer.expires_at_ms <= excluded.recorded_at_ms
          OR answer.content_type = '${OPEN_TYPE}'`,
    },
    remove: `DELETE FROM ${table} WHERE key = $1`,
    removeAbout: `DELETE FROM ${table} WHERE subject = $1`,
    withoutSubject: `
      SELECT key, body FROM ${table}
      WHERE subject IS NULL AND key > $1 AND key < $2 ORDER BY key LIMIT $3`,
    sweep: `
      DELETE FROM ${table} WHERE key IN (
        SELECT key FROM ${table} WHERE expires_at_ms <= $1
        ORDER BY expires_at_ms LIMIT $2 ${dialect.skipLocked}
      ) RETURNING 1 AS removed`,
  };
}
