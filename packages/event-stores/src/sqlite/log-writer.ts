/** Writes batches of appends to the log, each batch in one durable commit. Runs in the writer's thread. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { EXPECT_ANY, EXPECT_EXISTS } from '../append-request.ts';
import { checksumOf } from './checksum.ts';
import type { Failure } from './failures.ts';
import { failureOf } from './failures.ts';
import type { PackedAppends, PackedReplies } from './messages.ts';
import {
  APPENDED,
  COMMAND_FIELDS,
  COMMAND_ID_REUSED,
  CONFLICT,
  EVENT_FIELDS,
  FAILED,
  REPEATED,
} from './messages.ts';

/** Streams whose last revision is kept in memory; about 150 bytes each. */
const KNOWN_STREAMS = 100_000;

interface Stream {
  readonly id: number;
  /** -1 before its first event. */
  revision: number;
}

/** The one writer of a log. Takes the connection over and expects it to be prepared. */
export class LogWriter {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #statements: ReturnType<typeof prepare>;
  /** What the log holds, in order of last use. A shortcut: the log's indices have the last word. */
  readonly #known = new Map<string, Stream>();
  #lastPosition: number;
  #lastStreamId: number;
  /** What the next commit is made of, and what is to be told of it. */
  #parts: PackedAppends[] = [];
  #replies: number[] = [];
  /** Something in it could not be written: it was undone. */
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

  /** Adds appends to the next commit, in their order. What becomes of them is told by `apply`. */
  add(appends: PackedAppends): void {
    this.#parts.push(appends);
    if (this.#failed) return;
    try {
      for (let at = 0; at < appends.length; ) at = this.#append(appends, at, this.#replies);
    } catch {
      this.#failed = true;
      this.#forget();
    }
  }

  /** Adds the last appends and commits. When it returns, what it tells of all of them is durable. */
  apply(appends: PackedAppends): PackedReplies {
    this.add(appends);
    const parts = this.#parts;
    const replies = this.#replies;
    const failed = this.#failed;
    this.#parts = [];
    this.#replies = [];
    this.#failed = false;
    if (!failed && this.#commits()) return { replies, failures: [] };
    // One of them may be at fault, or what was known of the log: each gets a commit of its own.
    return this.#applySingly(parts);
  }

  /** Whether what is open could be made durable. */
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
        try {
          this.#append(appends, at, replies);
          if (this.#database.isTransaction) this.#statements.commit.run();
        } catch (error) {
          this.#forget();
          replies.length = answered;
          replies.push(FAILED, failures.length, 0);
          failures.push(failureOf(error, this.#path));
        }
        at += COMMAND_FIELDS + Number(appends[at + 4]) * EVENT_FIELDS;
      }
    }
    return { replies, failures };
  }

  /** Undoes the open transaction and everything believed of it. */
  #forget(): void {
    if (this.#database.isTransaction) this.#statements.rollback.run();
    this.#known.clear();
    [this.#lastPosition, this.#lastStreamId] = this.#lastRows();
  }

  /** Decides one command and adds its rows to the transaction; hands back where the next one begins. */
  #append(appends: PackedAppends, at: number, replies: number[]): number {
    const name = appends[at] as string;
    const expected = appends[at + 1] as number;
    const commandId = appends[at + 2] as string;
    const fingerprint = appends[at + 3] as string;
    const count = appends[at + 4] as number;
    const events = at + COMMAND_FIELDS;
    const end = events + count * EVENT_FIELDS;

    const known = this.#streamOf(name);
    if (known !== undefined) {
      const first = this.#statements.commandOf.get(known.id, commandId) as unknown as
        | readonly [revision: number, position: number, fingerprint: string]
        | undefined;
      if (first !== undefined) {
        const outcome = first[2] === fingerprint ? REPEATED : COMMAND_ID_REUSED;
        replies.push(outcome, first[0], first[1]);
        return end;
      }
    }
    const actual = known?.revision ?? -1;
    if (!fits(expected, actual)) {
      replies.push(CONFLICT, actual, 0);
      return end;
    }
    // Only now: a batch of conflicts and repeats costs no commit.
    if (!this.#database.isTransaction) this.#statements.begin.run();
    const stream = known ?? this.#newStream(name);
    for (let event = events; event < end; event += EVENT_FIELDS) {
      const ends = event + EVENT_FIELDS === end;
      this.#insert(appends, event, name, stream, commandId, fingerprint, ends);
    }
    replies.push(APPENDED, stream.revision, this.#lastPosition);
    return end;
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
    if (known !== undefined) {
      this.#known.delete(name);
      this.#known.set(name, known);
      return known;
    }
    const row = this.#statements.streamOf.get(name) as unknown as
      | readonly [id: number, revision: number | null]
      | undefined;
    if (row === undefined) return undefined;
    return this.#remember(name, { id: row[0], revision: row[1] ?? -1 });
  }

  #newStream(name: string): Stream {
    const id = this.#lastStreamId + 1;
    this.#statements.insertStream.run(id, name);
    this.#lastStreamId = id;
    return this.#remember(name, { id, revision: -1 });
  }

  #remember(name: string, stream: Stream): Stream {
    if (this.#known.size >= KNOWN_STREAMS) {
      const oldest = this.#known.keys().next();
      if (!oldest.done) this.#known.delete(oldest.value);
    }
    this.#known.set(name, stream);
    return stream;
  }

  #lastRows(): [position: number, streamId: number] {
    const row = this.#statements.lastRows.get() as unknown as [number | null, number | null];
    return [row[0] ?? 0, row[1] ?? 0];
  }
}

function fits(expected: number, actual: number): boolean {
  if (expected === EXPECT_ANY) return true;
  if (expected === EXPECT_EXISTS) return actual >= 0;
  return expected === actual;
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
    insertStream: database.prepare('INSERT INTO streams (id, name) VALUES (?, ?)'),
    insertEvent: database.prepare(
      `INSERT INTO events (position, stream_id, revision, id, type, schema_version, tenant_id, time,
         command_id, command_fingerprint, ends_command, checksum, data, metadata)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

/** Rows as arrays: cheaper than objects by half. */
function rows(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}
