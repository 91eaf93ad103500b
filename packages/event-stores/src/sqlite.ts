/** The event log in one SQLite file: embedded, durable, one writer with group commit. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BroadcastChannel } from 'node:worker_threads';
import type {
  AppendAllResult,
  AppendRequest,
  AppendResult,
  EventStore,
  Position,
  ReadOptions,
  StoredEvent,
  StreamName,
  SubscribeOptions,
} from '@counterfoil/core';
import {
  type CheckedSubscription,
  checkedAppend,
  checkedAppends,
  checkedRead,
  checkedStream,
  checkedSubscription,
  EventStoreError,
} from '@counterfoil/core';
import { measure } from './append-size.ts';
import { Notifier } from './notifier.ts';
import { failing } from './sqlite/failing.ts';
import { LogReader } from './sqlite/log-reader.ts';
import { positionOf, rowOf } from './sqlite/messages.ts';
import { startWriter, type Writer } from './sqlite/writer.ts';

export { releaseMemory } from './release-memory.ts';
export { emptyWal } from './sqlite/empty-wal.ts';
export { failing } from './sqlite/failing.ts';
export { faultAtStart, faultsIn } from './sqlite/faults.ts';
export {
  endsOfLog,
  type InspectedEvent,
  type InspectedPlace,
  inspectSqliteLog,
  type LogEnds,
  type LogInspection,
} from './sqlite/inspection.ts';
export { makePrivate } from './sqlite/make-private.ts';
export { mayNotWrite, openForReading, openUnchanging } from './sqlite/open-for-reading.ts';
export { Snapshot } from './sqlite/snapshot.ts';
export { writerFile } from './sqlite/writer.ts';
export { lockForWriting } from './sqlite/writer-lock.ts';
export { workerFile } from './worker-file.ts';

const DEFAULT_POLL_INTERVAL_MS = 200;
/** Rows read in one turn of the event loop. */
const PAGE_ROWS = 1_000;
/** Largest append, in UTF-16 units of data and metadata. */
const MAX_APPEND_LENGTH = 64 * 1024 * 1024;

export interface SqliteEventStoreOptions {
  /** The log's file, made when it is not there. Its folder must exist, on a local disk. */
  readonly path: string;
  /**
   * Follow a log that another process writes: appends are refused with `read-only`, and any number
   * of followers may be open. In other threads of the writer's process they are notified of new
   * events, in other processes they poll.
   */
  readonly follow?: boolean;
  /** How often a follower's subscription polls; 200 ms when absent. */
  readonly pollIntervalMs?: number;
}

/**
 * Opens a log. Fails with `locked` at once when another store, here or in another process, has it
 * open for writing, with `read-only` when the file or its folder may not be written, and with
 * `corrupt` when the file is something else, is damaged or was written by a newer build.
 */
export async function openSqliteEventStore(options: SqliteEventStoreOptions): Promise<EventStore> {
  const path = canonical(options.path);
  if (options.follow) {
    const pollMs = options.pollIntervalMs ?? DEFAULT_POLL_INTERVAL_MS;
    return new SqliteEventStore({ path, reader: openReader(path), pollMs });
  }
  const writer = await startWriter({ path });
  try {
    return new SqliteEventStore({ path, reader: openReader(path), writer });
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Resolves links, so that one file has one lock. */
function canonical(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const folder = dirname(absolute);
  return existsSync(folder) ? join(realpathSync(folder), basename(absolute)) : absolute;
}

/** Opens the reading connection and reads the last event, where a truncated file fails first. */
function openReader(path: string): LogReader {
  return failing(path, () => {
    const reader = new LogReader(path);
    try {
      const head = reader.head();
      if (head > 0) reader.readLog(head - 1, head, 1);
      return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
  });
}

interface Parts {
  readonly path: string;
  readonly reader: LogReader;
  /** Absent in a follower. */
  readonly writer?: Writer;
  /** Polling interval of subscriptions; absent where commits notify them. */
  readonly pollMs?: number;
}

class SqliteEventStore implements EventStore {
  readonly #path: string;
  readonly #reader: LogReader;
  readonly #writer: Writer | undefined;
  readonly #pollMs: number | undefined;
  readonly #committed = new Notifier();
  readonly #channel: BroadcastChannel;
  #closing: Promise<void> | undefined;

  constructor({ path, reader, writer, pollMs }: Parts) {
    this.#path = path;
    this.#reader = reader;
    this.#writer = writer;
    this.#pollMs = pollMs;
    this.#channel = new BroadcastChannel(`counterfoil event log ${path}`);
    this.#channel.unref();
    if (writer !== undefined) writer.onCommit = () => this.#announce();
    else this.#channel.onmessage = () => this.#committed.notify();
  }

  /** Wakes the subscriptions of this store, and of followers in other threads of this process. */
  #announce(): void {
    this.#committed.notify();
    this.#channel.postMessage(null);
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    const writer = this.#openWriter();
    const checked = checkedAppend(request);
    return writer.append(checked, measure([checked], MAX_APPEND_LENGTH));
  }

  async appendAll(requests: readonly AppendRequest[]): Promise<AppendAllResult> {
    const writer = this.#openWriter();
    const checked = checkedAppends(requests);
    return writer.appendAll(checked, measure(checked, MAX_APPEND_LENGTH));
  }

  #openWriter(): Writer {
    this.#refuseWhenClosed();
    if (this.#writer !== undefined) return this.#writer;
    throw new EventStoreError('read-only', `${this.#path}: this store follows another's log`);
  }

  async read(stream: StreamName, options?: ReadOptions): Promise<readonly StoredEvent[]> {
    this.#refuseWhenClosed();
    checkedStream(stream);
    const { from, limit = Number.POSITIVE_INFINITY } = checkedRead(options);
    if (from > (this.#writer?.lastRevision(stream) ?? Number.POSITIVE_INFINITY)) return [];
    const events = this.#page(stream, from, limit);
    for (let last = events; last.length === PAGE_ROWS && events.length < limit; ) {
      await nextTurn();
      last = this.#page(stream, from + events.length, limit - events.length);
      events.push(...last);
    }
    // The same turn as the last page: nothing was acknowledged in between.
    if (events.length < limit) this.#writer?.sawEnd(stream, from + events.length - 1);
    return events;
  }

  #page(stream: StreamName, from: number, limit: number): StoredEvent[] {
    this.#refuseWhenClosed();
    const rows = Math.min(limit, PAGE_ROWS);
    return failing(this.#path, () => this.#reader.readStream(stream, from, rows));
  }

  subscribe(options?: SubscribeOptions): AsyncIterable<readonly StoredEvent[]> {
    const checked = checkedSubscription(options);
    const after = checked.after === undefined ? 0 : rowOf(checked.after);
    if (!checked.untilHead || this.#closing !== undefined) return this.#batches(checked, after);
    return this.#batches(checked, after, this.#headRow());
  }

  async *#batches(
    { batchSize, signal }: CheckedSubscription,
    after: number,
    end?: number,
  ): AsyncGenerator<readonly StoredEvent[]> {
    this.#refuseWhenClosed();
    let seen = after;
    while (this.#closing === undefined && !signal?.aborted) {
      const upTo = end ?? this.#headRow();
      if (seen < upTo) {
        const last = seen;
        // What reads to an end examines the file.
        const recent =
          end === undefined ? this.#writer?.recent.after(last, upTo, batchSize) : undefined;
        const batch =
          recent ?? failing(this.#path, () => this.#reader.readLog(last, upTo, batchSize));
        seen += batch.length;
        yield batch;
        // Yields to the event loop, however fast the consumer is.
        await nextTurn();
      } else if (end !== undefined) {
        return;
      } else {
        // No commit is missed in between: this is the same turn of the event loop.
        await this.#committed.wait(signal, this.#pollMs);
      }
    }
  }

  async head(): Promise<Position | undefined> {
    this.#refuseWhenClosed();
    const row = this.#headRow();
    return row === 0 ? undefined : positionOf(row);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#committed.notify();
    // The reader first: the last connection that closes removes the write-ahead log.
    this.#reader.close();
    await this.#writer?.close();
    // Last: the writer's final commits are still announced.
    this.#channel.close();
  }

  #headRow(): number {
    return this.#writer?.head ?? failing(this.#path, () => this.#reader.head());
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) {
      throw new EventStoreError('closed', `${this.#path}: the event store is closed`);
    }
  }
}
