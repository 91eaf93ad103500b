/** Writes batches of appends to the log, each batch in one durable commit. Runs in the writer's thread. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import {
  APPENDED,
  COMMAND_ID_REUSED,
  CONFLICT,
  fits,
  HELD_BACK,
  REPEATED,
} from '../append-request.ts';
import { checksumOf } from './checksum.ts';
import type { Failure } from './failures.ts';
import { failureOf, LogFailure } from './failures.ts';
import type { PackedAppends, PackedReplies } from './messages.ts';
import { COMMAND_FIELDS, EVENT_FIELDS, FAILED } from './messages.ts';

/** Streams whose last revision is kept in memory; about 150 bytes each. */
const KNOWN_STREAMS = 100_000;

interface Stream {
  readonly id: number;
  /** -1 before its first event. */
  revision: number;
}

/** The only writer of a log. Owns the connection, which must be prepared. */
export class LogWriter {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #statements: ReturnType<typeof prepare>;
  /** Streams in order of last use. A cache: the log's unique indices are authoritative. */
  readonly #known = new LRUCache<string, Stream>({
    // `max` would allocate for all of them at once.
    maxSize: KNOWN_STREAMS,
    sizeCalculation: () => 1,
  });
  #lastPosition: number;
  #lastStreamId: number;
  /** The appends of the next commit, and the replies to them. */
  #parts: PackedAppends[] = [];
  #replies: number[] = [];
  /** A write failed, and the transaction was rolled back. */
  #failed = false;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
    this.#statements = prepare(database);
    [this.#lastPosition, this.#lastStreamId] = this.#lastRows();
  }

  /** Position of the last durable event, 0 for an empty log. */
  get head(): number {
    return this.#lastPosition;
  }

  /** Adds appends to the next commit, in their order. `apply` returns the replies. */
  add(appends: PackedAppends): void {
    this.#parts.push(appends);
    if (this.#failed) return;
    try {
      for (let at = 0; at < appends.length; ) at = this.#appendAll(appends, at, this.#replies);
    } catch {
      this.#failed = true;
      this.#forget();
    }
  }

  /** Adds the last appends and commits: the accepted ones are durable when it returns. */
  apply(appends: PackedAppends): PackedReplies {
    this.add(appends);
    const parts = this.#parts;
    const replies = this.#replies;
    const failed = this.#failed;
    this.#parts = [];
    this.#replies = [];
    this.#failed = false;
    if (!failed && this.#commits()) return { replies, failures: [] };
    // One append or the cache may be at fault: each append, or each group, gets its own commit.
    return this.#applySingly(parts);
  }

  /** Commits the open transaction. False when that fails. */
  #commits(): boolean {
    try {
      if (this.#database.isTransaction) this.#statements.commit.run();
      return true;
    } catch {
      this.#forget();
      return false;
    }
  }

  #applySingly(parts: readonly PackedAppends[]): PackedReplies {
    const replies: number[] = [];
    const failures: Failure[] = [];
    for (const appends of parts) {
      for (let at = 0; at < appends.length; ) {
        const answered = replies.length;
        const together = appends[at + 5] as number;
        try {
          this.#appendAll(appends, at, replies);
          if (this.#database.isTransaction) this.#statements.commit.run();
        } catch (error) {
          this.#forget();
          replies.length = answered;
          for (let each = 0; each < together; each += 1) replies.push(FAILED, failures.length, 0);
          failures.push(failureOf(error, this.#path));
        }
        for (let each = 0; each < together; each += 1) at = endOf(appends, at);
      }
    }
    return { replies, failures };
  }

  /** Rolls the open transaction back and clears the cache. */
  #forget(): void {
    if (this.#database.isTransaction) this.#statements.rollback.run();
    this.#known.clear();
    [this.#lastPosition, this.#lastStreamId] = this.#lastRows();
  }

  /** Appends a command, or those that are appended as one; returns where the next one begins. */
  #appendAll(appends: PackedAppends, at: number, replies: number[]): number {
    const together = appends[at + 5] as number;
    if (together === 1) return this.#append(appends, at, replies);
    const answered = replies.length;
    let fit = true;
    let end = at;
    for (let each = 0; each < together; each += 1) {
      const stream = this.#streamOf(appends[end] as string);
      if (this.#refuses(stream, appends, end, replies)) fit = false;
      else replies.push(HELD_BACK, stream?.revision ?? -1, 0);
      end = endOf(appends, end);
    }
    if (!fit) return end;
    replies.length = answered;
    for (let next = at; next < end; ) next = this.#append(appends, next, replies);
    return end;
  }

  /** Decides one command and adds its rows to the transaction; returns where the next one begins. */
  #append(appends: PackedAppends, at: number, replies: number[]): number {
    const name = appends[at] as string;
    const commandId = appends[at + 2] as string;
    const fingerprint = appends[at + 3] as string;
    const events = at + COMMAND_FIELDS;
    const end = endOf(appends, at);

    // Most new streams are expected to be new: they are made without being looked for.
    const made = fits(appends[at + 1] as number, -1) ? this.#newStream(name) : undefined;
    const stream = made ?? this.#streamOf(name);
    if (made === undefined && this.#refuses(stream, appends, at, replies)) return end;
    if (stream === undefined)
      throw new LogFailure('corrupt', `${this.#path}: ${name} is no stream`);
    this.#begin();
    for (let event = events; event < end; event += EVENT_FIELDS) {
      const ends = event + EVENT_FIELDS === end;
      this.#insert(appends, event, name, stream, commandId, fingerprint, ends);
    }
    replies.push(APPENDED, stream.revision, this.#lastPosition);
    return end;
  }

  /** Whether a command cannot be appended to its stream; replies why. */
  #refuses(
    known: Stream | undefined,
    appends: PackedAppends,
    at: number,
    replies: number[],
  ): boolean {
    const expected = appends[at + 1] as number;
    if (known !== undefined) {
      const commandId = appends[at + 2] as string;
      const first = this.#statements.commandOf.get(known.id, commandId) as unknown as
        | readonly [revision: number, position: number, fingerprint: string]
        | undefined;
      if (first !== undefined) {
        const outcome = first[2] === appends[at + 3] ? REPEATED : COMMAND_ID_REUSED;
        replies.push(outcome, first[0], first[1]);
        return true;
      }
    }
    const actual = known?.revision ?? -1;
    if (fits(expected, actual)) return false;
    replies.push(CONFLICT, actual, 0);
    return true;
  }

  #insert(
    appends: PackedAppends,
    at: number,
    name: string,
    stream: Stream,
    commandId: string,
    fingerprint: string,
    endsCommand: boolean,
  ): void {
    const id = appends[at] as string;
    const type = appends[at + 1] as string;
    const schemaVersion = appends[at + 2] as number;
    const tenantId = appends[at + 3] as number;
    const time = appends[at + 4] as string;
    const data = appends[at + 5] as string;
    const metadata = appends[at + 6] as string;
    this.#lastPosition += 1;
    stream.revision += 1;
    const position = this.#lastPosition;
    const revision = stream.revision;
    // biome-ignore format: the order of the columns
    const checksum = checksumOf(
      position, name, revision, id, type, schemaVersion, tenantId, time, commandId, fingerprint, data, metadata,
    );
    // biome-ignore format: the order of the columns
    this.#statements.insertEvent.run(
      position, stream.id, revision, id, type, schemaVersion, tenantId, time, commandId, fingerprint,
      endsCommand ? 1 : 0, checksum, data, metadata,
    );
  }

  #streamOf(name: string): Stream | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const row = this.#statements.streamOf.get(name) as unknown as
      | readonly [id: number, revision: number | null]
      | undefined;
    if (row === undefined) return undefined;
    return this.#remember(name, { id: row[0], revision: row[1] ?? -1 });
  }

  /** Undefined where there is a stream of this name. */
  #newStream(name: string): Stream | undefined {
    if (this.#known.has(name)) return undefined;
    this.#begin();
    const id = this.#lastStreamId + 1;
    if (this.#statements.insertStream.run(id, name).changes === 0) return undefined;
    this.#lastStreamId = id;
    return this.#remember(name, { id, revision: -1 });
  }

  /** Not before something is to be written: a batch of conflicts and repeats needs no commit. */
  #begin(): void {
    if (!this.#database.isTransaction) this.#statements.begin.run();
  }

  #remember(name: string, stream: Stream): Stream {
    this.#known.set(name, stream);
    return stream;
  }

  #lastRows(): [position: number, streamId: number] {
    const row = this.#statements.lastRows.get() as unknown as [number | null, number | null];
    return [row[0] ?? 0, row[1] ?? 0];
  }
}

/** Where the command after the one at `at` begins. */
function endOf(appends: PackedAppends, at: number): number {
  return at + COMMAND_FIELDS + (appends[at + 4] as number) * EVENT_FIELDS;
}

function prepare(database: DatabaseSync) {
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    rollback: database.prepare('ROLLBACK'),
    streamOf: rows(
      database.prepare(
        `SELECT id, (SELECT max(revision) FROM events WHERE stream_id = streams.id)
         FROM streams WHERE name = ?`,
      ),
    ),
    commandOf: rows(
      database.prepare(
        `SELECT revision, position, command_fingerprint FROM events
         WHERE stream_id = ? AND command_id = ? AND ends_command = 1`,
      ),
    ),
    lastRows: rows(
      database.prepare('SELECT (SELECT max(position) FROM events), (SELECT max(id) FROM streams)'),
    ),
    insertStream: database.prepare(
      'INSERT INTO streams (id, name) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
    ),
    insertEvent: database.prepare(
      `INSERT INTO events (position, stream_id, revision, id, type, schema_version, tenant_id, time,
         command_id, command_fingerprint, ends_command, checksum, data, metadata)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

/** Rows as arrays take half the time of rows as objects. */
function rows(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}
