/** The event log in PostgreSQL: shared by any number of hosts, in a global order without gaps or waits. */
import { setTimeout as sleep } from 'node:timers/promises';
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
import type pg from 'pg';
import { BackOff } from './back-off.ts';
import { kindOf, mayPass, portError, withConnectAdvice } from './postgres/failures.ts';
import { LogReader } from './postgres/log-reader.ts';
import { LogWriter } from './postgres/log-writer.ts';
import { BEFORE_ALL, partsOf } from './postgres/positions.ts';
import { checkSchemaName, migrate } from './postgres/schema.ts';
import { placeOf, readingPool, type Server } from './postgres/sessions.ts';
import { Watcher } from './postgres/watcher.ts';

export { withConnectAdvice } from './postgres/failures.ts';

const DEFAULT_SCHEMA = 'counterfoil_log';
const DEFAULT_POOL_SIZE = 4;
/** A second one, so that a batch that waits for a stream lock of another host does not block the others. */
const DEFAULT_BATCHES_UNDER_WAY = 2;
const DEFAULT_POLL_INTERVAL_MS = 500;
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRY_FOR_MS = 30_000;
const LOOKS_AT_HEAD = 25;
const LOOK_PAUSE_MS = 10;
/** Events of one answer of the server. */
const PAGE_ROWS = 1_000;

export interface PostgresEventStoreOptions {
  /** `postgres://user:password@host:port/database`, without a pooler that shares connections between transactions. */
  readonly url: string;
  /** Where the log's tables are, made when it is not there; `counterfoil_log` when absent. */
  readonly schema?: string;
  /** Connections for reading, beside one for watching and one for each batch; 4 when absent. */
  readonly poolSize?: number;
  /** Batches of appends that may be under way at once, when the one before takes long; 2 when absent. */
  readonly batchesUnderWay?: number;
  /** How often the log is polled when no notification arrives; 500 ms when absent. */
  readonly pollIntervalMs?: number;
  /** Statement timeout; 30 seconds when absent. */
  readonly statementTimeoutMs?: number;
  /**
   * For how long an append, a read or a look at the head is tried again while the server cannot be
   * reached, before it fails with `unavailable`; 30 seconds when absent.
   */
  readonly retryForMs?: number;
}

/**
 * Opens a log, and makes or migrates its tables under a lock. Any number of stores, here and in other
 * hosts, may have it open and write. Fails with `unavailable` when the server cannot be reached or
 * used, and with `corrupt` when the log was made by a newer build.
 */
export async function openPostgresEventStore(
  options: PostgresEventStoreOptions,
): Promise<EventStore> {
  const { url, schema = DEFAULT_SCHEMA } = options;
  checkSchemaName(schema);
  const place = placeOf(url, schema);
  const { statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS } = options;
  const server = { url, statementTimeoutMs };
  const pool = readingPool(server, options.poolSize ?? DEFAULT_POOL_SIZE);
  try {
    await migrate(pool, { server, schema, place });
    const reader = new LogReader(pool, schema);
    return new PostgresEventStore({
      options,
      server,
      schema,
      place,
      pool,
      reader,
      head: await reader.head(),
    });
  } catch (error) {
    await pool.end();
    throw portError(withConnectAdvice(error), place);
  }
}

interface Parts {
  readonly options: PostgresEventStoreOptions;
  readonly server: Server;
  readonly schema: string;
  readonly place: string;
  readonly pool: pg.Pool;
  readonly reader: LogReader;
  readonly head: Position;
}

class PostgresEventStore implements EventStore {
  readonly #place: string;
  readonly #retryForMs: number;
  readonly #pool: pg.Pool;
  readonly #reader: LogReader;
  readonly #writer: LogWriter;
  readonly #watcher: Watcher;
  readonly #stop = new AbortController();
  #closing: Promise<void> | undefined;

  constructor({ options, server, schema, place, pool, reader, head }: Parts) {
    this.#place = place;
    this.#pool = pool;
    this.#reader = reader;
    this.#retryForMs = options.retryForMs ?? DEFAULT_RETRY_FOR_MS;
    const pollMs = options.pollIntervalMs ?? DEFAULT_POLL_INTERVAL_MS;
    this.#watcher = new Watcher({ server, schema, place, pollMs }, head);
    this.#writer = new LogWriter({
      server,
      schema,
      place,
      lanes: options.batchesUnderWay ?? DEFAULT_BATCHES_UNDER_WAY,
      retryForMs: this.#retryForMs,
      onCommit: () => this.#watcher.announce(),
    });
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    this.#refuseWhenClosed();
    return this.#writer.append(checkedAppend(request));
  }

  async appendAll(requests: readonly AppendRequest[]): Promise<AppendAllResult> {
    this.#refuseWhenClosed();
    return this.#writer.appendAll(checkedAppends(requests));
  }

  async read(stream: StreamName, options?: ReadOptions): Promise<readonly StoredEvent[]> {
    this.#refuseWhenClosed();
    checkedStream(stream);
    const { from, limit = Number.POSITIVE_INFINITY } = checkedRead(options);
    const events: StoredEvent[] = [];
    while (events.length < limit) {
      const rows = Math.min(PAGE_ROWS, limit - events.length);
      const start = from + events.length;
      const page = await this.#bounded(() => this.#reader.readStream(stream, start, rows));
      events.push(...page);
      if (page.length < rows) break;
    }
    return events;
  }

  subscribe(options?: SubscribeOptions): AsyncIterable<readonly StoredEvent[]> {
    const checked = checkedSubscription(options);
    if (checked.after !== undefined) partsOf(checked.after);
    if (!checked.untilHead || this.#closing !== undefined) return this.#batches(checked);
    const end = this.#lasting(() => this.#headNow(), checked.signal);
    // A failure is thrown by the iteration; without one it must not be an unhandled rejection.
    end.catch(() => undefined);
    return this.#batches(checked, end);
  }

  async *#batches(
    { after: start, batchSize, signal }: CheckedSubscription,
    end?: Promise<Position | undefined>,
  ): AsyncGenerator<readonly StoredEvent[]> {
    this.#refuseWhenClosed();
    let seen = start ?? BEFORE_ALL;
    const last = await end;
    if (end !== undefined && last === undefined) return;
    while (!this.#isOver(signal)) {
      const upTo = last ?? this.#watcher.head;
      if (seen < upTo) {
        const after = seen;
        const read = () => this.#reader.readLog(after, upTo, batchSize);
        const batch = await this.#lasting(read, signal);
        if (batch === undefined) return;
        seen = batch.at(-1)?.position ?? upTo;
        if (batch.length > 0) yield batch;
      } else if (last !== undefined) {
        return;
      } else {
        if (this.#watcher.failure !== undefined) throw this.#watcher.failure;
        // No head is missed in between: this is the same turn of the event loop.
        await this.#watcher.headMoved.wait(signal, undefined);
      }
    }
  }

  async head(): Promise<Position | undefined> {
    this.#refuseWhenClosed();
    const head = await this.#bounded(() => this.#headNow());
    return head === BEFORE_ALL ? undefined : head;
  }

  async newest(): Promise<Position | undefined> {
    this.#refuseWhenClosed();
    return this.#bounded(() => this.#reader.newest());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    this.#watcher.headMoved.notify();
    await this.#writer.close();
    await this.#watcher.close();
    await this.#pool.end();
  }

  #isOver(signal: AbortSignal | undefined): boolean {
    return this.#closing !== undefined || signal?.aborted === true;
  }

  /**
   * The settled head, with all that was acknowledged before this call: any transaction of the server
   * may hold back the newest events until it is known whether it writes to the log. Does not wait for
   * transactions that stay open for longer.
   */
  async #headNow(): Promise<Position> {
    const newest = await this.#reader.newest();
    for (let look = 1; ; look += 1) {
      const head = await this.#reader.head();
      if (newest === undefined || newest <= head || look === LOOKS_AT_HEAD) return head;
      await sleep(LOOK_PAUSE_MS);
    }
  }

  /** Retries until the time limit of a call. */
  async #bounded<Result>(work: () => Promise<Result>): Promise<Result> {
    const expiresAt = performance.now() + this.#retryForMs;
    const backOff = new BackOff();
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const isOver = this.#closing !== undefined || performance.now() > expiresAt;
        if (isOver || kindOf(error) !== 'passing') throw portError(error, this.#place);
      }
      await this.#pause(backOff);
    }
  }

  /** Retries until the store is closed or the signal aborts; undefined then. */
  async #lasting<Result>(
    work: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result | undefined> {
    const backOff = new BackOff();
    while (!this.#isOver(signal)) {
      try {
        return await work();
      } catch (error) {
        if (this.#isOver(signal)) break;
        if (!mayPass(error)) throw portError(error, this.#place);
      }
      await this.#pause(backOff, signal);
    }
    return undefined;
  }

  async #pause(backOff: BackOff, signal?: AbortSignal): Promise<void> {
    const signals = signal === undefined ? [this.#stop.signal] : [this.#stop.signal, signal];
    await backOff.pause(AbortSignal.any(signals));
  }

  #refuseWhenClosed(): void {
    if (this.#closing === undefined) return;
    throw new EventStoreError('closed', `${this.#place}: the event store is closed`);
  }
}
