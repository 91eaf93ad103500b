/** Kept answers in the host database, so that whichever host is asked again gives the first answer. */
import { performance } from 'node:perf_hooks';
import type { Pool, QueryResult } from 'pg';
import { type AnswerRow, Claims, type ClaimsOptions } from './claims.ts';
import { HostDatabaseError } from './host-database.ts';
import {
  type Claim,
  type ClaimedRequest,
  isOpen,
  type KeptAnswer,
  type KeptAnswers,
  type KeptEntry,
} from './kept-answers.ts';
import { RoundTrips } from './round-trips.ts';

/** What a request may have read of somebody who was erased before it began: hosts follow a little later. */
const BEHIND_ERASURES_MS = 60_000;

/** Longer than any request takes; whom a request could not have known is not looked for. */
const FORGET_THE_FORGOTTEN = `
  DELETE FROM counterfoil_host.forgotten WHERE at < clock_timestamp() - interval '1 day'`;
const WRITE_DOWN = 'INSERT INTO counterfoil_host.forgotten (prefix, named) VALUES ($1, $2)';
const WAIT_FOR_PUTS = 'SELECT counterfoil_host.wait_for_puts()';

const FIND = `
  SELECT fingerprint, status, content_type, body, is_text, headers, recorded_at_ms, expires_at_ms
  FROM counterfoil_host.answers WHERE key = $1 AND expires_at_ms > $2`;

const PUT = 'SELECT counterfoil_host.put_answers($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';

const PAGE_SIZE = 500;
/** Behind every other one, so that no key with a prefix lies beyond the prefix and it. */
const LAST_CHARACTER = '\u{10ffff}';
/** The rows stand in the table, unread, until PostgreSQL's next vacuum of it. */
const FORGET_PAGE = `
  WITH page AS MATERIALIZED (
    SELECT key, encode(body, 'escape') ~ $4 AS is_meant
    FROM counterfoil_host.answers WHERE key > $1 AND key < $2 ORDER BY key LIMIT $3
  ), gone AS (
    DELETE FROM counterfoil_host.answers AS kept USING page
    WHERE kept.key = page.key AND page.is_meant
  )
  SELECT max(key) AS last FROM page`;

/** What another host is sweeping is passed over. */
const SWEEP = `
  DELETE FROM counterfoil_host.answers WHERE key IN (
    SELECT key FROM counterfoil_host.answers WHERE expires_at_ms <= $1
    ORDER BY expires_at_ms LIMIT $2 FOR UPDATE SKIP LOCKED
  )`;

interface Put {
  readonly key: string;
  readonly entry: KeptEntry;
  readonly ageMs: number;
}

export class PostgresKeptAnswers implements KeptAnswers {
  readonly #pool: Pool;
  readonly #claims: Claims;
  readonly #puts = new RoundTrips<Put, undefined>((puts) => this.#write(puts));
  /** When each request that is under way began, by a clock that is never set. */
  readonly #begun = new Map<string, number>();

  /** In a database that has the tables of `openHostDatabase`, which stays open. */
  constructor(options: ClaimsOptions) {
    this.#pool = options.pool;
    this.#claims = new Claims(options);
  }

  async find(key: string, nowMs: number): Promise<KeptEntry | undefined> {
    const { rows } = await this.#pool.query<AnswerRow>({
      name: 'find-answer',
      text: FIND,
      values: [key, nowMs],
    });
    return rows[0] && entryIn(rows[0]);
  }

  async claim(request: ClaimedRequest): Promise<Claim> {
    const { key } = request;
    const begun = performance.now();
    let held: string | undefined;
    try {
      const tried = await this.#claims.want(request);
      const entry = entryIn(tried);
      held = entry !== undefined && isOpen(entry) ? entry.fingerprint : undefined;
      if (held !== undefined && !tried.is_mine) {
        return { kind: 'elsewhere', isAnotherRequest: held !== request.fingerprint };
      }
      if (entry !== undefined && held === undefined) {
        if (tried.is_mine) this.#claims.release(key);
        return { kind: 'answered', entry };
      }
      if (!tried.is_mine) return { kind: 'elsewhere', isAnotherRequest: tried.is_another_request };
    } catch (error) {
      throw new HostDatabaseError('unavailable', 'no key can be claimed now', { cause: error });
    }
    this.#begun.set(key, begun);
    const release = () => {
      this.#begun.delete(key);
      this.#claims.release(key);
    };
    return { kind: 'granted', held, release };
  }

  async put(key: string, entry: KeptEntry): Promise<void> {
    const now = performance.now();
    const ageMs = now - (this.#begun.get(key) ?? now) + BEHIND_ERASURES_MS;
    await this.#puts.ask({ key, entry, ageMs });
  }

  async forget(prefix: string, named: RegExp): Promise<void> {
    await this.#pool.query(FORGET_THE_FORGOTTEN);
    // Whoever puts from now on sees it; who does not see it yet is waited for, and found below.
    await this.#pool.query(WRITE_DOWN, [prefix, named.source]);
    await this.#pool.query(WAIT_FOR_PUTS);
    const end = prefix + LAST_CHARACTER;
    for (let after: string | null = prefix; after !== null; ) {
      const page = { name: 'forget-answers', text: FORGET_PAGE };
      const values = [after, end, PAGE_SIZE, named.source];
      const looked: QueryResult<{ last: string | null }> = await this.#pool.query({
        ...page,
        values,
      });
      after = looked.rows[0]?.last ?? null;
    }
  }

  /** Frees the room of removed rows for others. What hinders it now is done by autovacuum. */
  async scrub(): Promise<boolean> {
    await this.#pool
      .query('VACUUM (SKIP_LOCKED, TRUNCATE FALSE) counterfoil_host.answers')
      .catch(() => undefined);
    return true;
  }

  async sweep(nowMs: number, limit: number): Promise<number> {
    const { rowCount } = await this.#pool.query({
      name: 'sweep-answers',
      text: SWEEP,
      values: [nowMs, limit],
    });
    return rowCount ?? 0;
  }

  /** Writes what still waits, and ends the claims. */
  async close(): Promise<void> {
    await this.#puts.rest();
    await this.#claims.close();
  }

  async #write(puts: readonly Put[]): Promise<readonly undefined[]> {
    // A statement changes no row twice; and the first of a key is the one to keep.
    for (let left = puts; left.length > 0; ) {
      const first = new Map(left.toReversed().map((put) => [put.key, put]));
      await this.#writeOnce([...first.values()]);
      left = left.filter((put) => first.get(put.key) !== put);
    }
    return puts.map(() => undefined);
  }

  async #writeOnce(puts: readonly Put[]): Promise<void> {
    const each = <Value>(read: (put: Put) => Value) => puts.map(read);
    const ofEach = <Value>(read: (answer: KeptAnswer) => Value) =>
      each(({ entry }) => read(entry.answer));
    await this.#pool.query({
      name: 'put-answers',
      text: PUT,
      values: [
        each(({ key }) => key),
        each(({ entry }) => entry.fingerprint),
        ofEach(({ status }) => status),
        ofEach(({ contentType }) => contentType),
        ofEach(({ body }) => (typeof body === 'string' ? Buffer.from(body) : body)),
        ofEach(({ body }) => typeof body === 'string'),
        ofEach(({ headers }) => (headers === undefined ? null : JSON.stringify(headers))),
        each(({ entry }) => entry.recordedAtMs),
        each(({ entry }) => entry.expiresAtMs),
        each(({ ageMs }) => ageMs),
        ofEach(({ stream }) => stream ?? null),
      ],
    });
  }
}

function entryIn(row: AnswerRow): KeptEntry | undefined {
  const { fingerprint, status, content_type: contentType, body, is_text: isText, headers } = row;
  if (fingerprint === null) return undefined;
  return {
    fingerprint,
    answer: {
      status,
      contentType,
      body: isText ? body.toString() : body,
      headers: headers === null ? undefined : (JSON.parse(headers) as Record<string, string>),
    },
    recordedAtMs: Number(row.recorded_at_ms),
    expiresAtMs: Number(row.expires_at_ms),
  };
}
