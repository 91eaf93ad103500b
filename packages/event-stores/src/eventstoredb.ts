/** The event log on an EventStoreDB or KurrentDB cluster, which may hold other streams too. */
import type {
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
  checkedRead,
  checkedStream,
  checkedSubscription,
  EventStoreError,
} from '@counterfoil/core';
import { measure } from './append-size.ts';
import { Appender } from './eventstoredb/appender.ts';
import { Calls } from './eventstoredb/calls.ts';
import { type ClientKind, type ClientMaker, loadClient } from './eventstoredb/client.ts';
import { Connection, ConnectionPool } from './eventstoredb/connection.ts';
import { parseClusterUrl } from './eventstoredb/connection-string.ts';
import { explained } from './eventstoredb/diagnosis.ts';
import { type ConnectionNews, Follower } from './eventstoredb/follower.ts';
import { KnownStreams } from './eventstoredb/known-streams.ts';
import { LogBounds } from './eventstoredb/log-bounds.ts';
import { type Place, placeOf, positionOf } from './eventstoredb/positions.ts';
import { StreamNames } from './eventstoredb/stream-names.ts';
import { StreamReader } from './eventstoredb/stream-reader.ts';

export type { ClientKind } from './eventstoredb/client.ts';
export type { ConnectionNews } from './eventstoredb/follower.ts';
export { isLogPrefix, LOG_PREFIX_FORM } from './eventstoredb/stream-names.ts';

const DEFAULT_PREFIX = 'counterfoil.';
const DEFAULT_DEADLINE_MS = 10_000;
const DEFAULT_RETRY_MS = 20_000;
const DEFAULT_STALL_MS = 15_000;
/** No record of the server's log is larger. Most servers take a mebibyte, and say so themselves. */
const MAX_APPEND_LENGTH = 16 * 1024 * 1024;

export interface EventStoreDbOptions {
  /** `esdb://`, `esdb+discover://`, `kurrentdb://` or `kurrentdb+discover://`, for either client. */
  readonly url: string;
  /** Which client is loaded; `eventstore` (`@eventstore/db-client`) when absent. */
  readonly client?: ClientKind;
  /**
   * What the names of the log's streams begin with on the server (`LOG_PREFIX_FORM`); `counterfoil.`
   * when absent. Logs of different prefixes do not see each other.
   */
  readonly prefix?: string;
  /**
   * Send all appends over one gRPC stream. When it fails, all of them fail; with
   * `@eventstore/db-client` those of other clients too, so there only one store of a process may do so.
   */
  readonly batchAppends?: boolean;
  /** Limit of one call to the server; 10 s when absent. */
  readonly deadlineMs?: number;
  /** How long a call is retried before it fails with `unavailable`; 20 s when absent. */
  readonly retryMs?: number;
  /** A subscription without events for this long checks the head of the log; 15 s when absent. */
  readonly stallMs?: number;
  /** Called when the connection of a subscription is lost, and when it is restored. */
  readonly onConnection?: (news: ConnectionNews) => void;
}

/** `@eventstore/db-client` has one batch stream for all clients of a process. */
let hasBatchingStore = false;

/**
 * Opens the log, and marks its beginning in the cluster the first time. Fails with `unavailable`
 * when the cluster cannot be reached in time, refuses the user or the client's package is missing;
 * the message says what to do. Fails with a TypeError for wrong options.
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStore> {
  const { client: kind = 'eventstore', batchAppends = false } = options;
  const names = new StreamNames(options.prefix ?? DEFAULT_PREFIX);
  const url = parseClusterUrl(options.url);
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const make = await loadClient({ kind, url, batchAppends, deadlineMs });
  const isOnlyOne = batchAppends && kind === 'eventstore';
  if (isOnlyOne && hasBatchingStore) {
    throw new TypeError('one store of a process may append in batches with @eventstore/db-client');
  }
  const connection = new Connection(make);
  const calls = new Calls(connection, options.retryMs ?? DEFAULT_RETRY_MS);
  if (isOnlyOne) hasBatchingStore = true;
  const onClosed = () => {
    if (isOnlyOne) hasBatchingStore = false;
  };
  try {
    const bounds = await LogBounds.find(calls, names);
    return new EventStoreDb({ options, names, make, connection, calls, bounds, onClosed });
  } catch (error) {
    onClosed();
    await connection.close();
    throw await explained(error, url);
  }
}

interface Parts {
  readonly options: EventStoreDbOptions;
  readonly names: StreamNames;
  readonly make: ClientMaker;
  readonly connection: Connection;
  readonly calls: Calls;
  readonly bounds: LogBounds;
  readonly onClosed: () => void;
}

class EventStoreDb implements EventStore {
  readonly #parts: Parts;
  readonly #reader: StreamReader;
  readonly #appender: Appender;
  readonly #subscriptions: ConnectionPool;
  readonly #ended = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    const { names, calls, bounds, make } = parts;
    const known = new KnownStreams();
    this.#parts = parts;
    this.#reader = new StreamReader(calls, names, known);
    this.#appender = new Appender({
      calls,
      names,
      known,
      reader: this.#reader,
      onAppended: (place) => bounds.saw(place),
    });
    this.#subscriptions = new ConnectionPool(make);
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    this.#refuseWhenClosed();
    const checked = checkedAppend(request);
    measure([checked], MAX_APPEND_LENGTH);
    return this.#appender.append(checked);
  }

  async read(stream: StreamName, options?: ReadOptions): Promise<readonly StoredEvent[]> {
    this.#refuseWhenClosed();
    const { from, limit } = checkedRead(options);
    const events = await this.#reader.read(checkedStream(stream), from, limit);
    return events.map(({ event }) => event);
  }

  subscribe(options?: SubscribeOptions): AsyncIterable<readonly StoredEvent[]> {
    const checked = checkedSubscription(options);
    const after = checked.after === undefined ? undefined : placeOf(checked.after);
    if (!checked.untilHead || this.#closing !== undefined) return this.#batches(checked, after);
    // At the time of the call, not of the first iteration.
    const end = this.#parts.bounds.head();
    end.catch(() => {});
    return this.#batches(checked, after, end);
  }

  async *#batches(
    { batchSize, signal }: CheckedSubscription,
    after: Place | undefined,
    end?: Promise<Place | undefined>,
  ): AsyncGenerator<readonly StoredEvent[]> {
    this.#refuseWhenClosed();
    const { names, bounds, options: opened } = this.#parts;
    const until = await end;
    if (end !== undefined && until === undefined) return;
    const { signal: ended } = this.#ended;
    const follower = new Follower(
      {
        connections: this.#subscriptions,
        names,
        bounds,
        stallMs: opened.stallMs ?? DEFAULT_STALL_MS,
        onNews: opened.onConnection ?? (() => {}),
      },
      {
        after,
        until,
        batchSize,
        signal: signal === undefined ? ended : AbortSignal.any([ended, signal]),
      },
    );
    yield* follower.batches();
  }

  async head(): Promise<Position | undefined> {
    this.#refuseWhenClosed();
    const place = await this.#parts.bounds.head();
    return place === undefined ? undefined : positionOf(place);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#ended.abort();
    await this.#appender.finish();
    await Promise.all([this.#subscriptions.close(), this.#parts.connection.close()]);
    this.#parts.onClosed();
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) {
      throw new EventStoreError('closed', 'the event store is closed');
    }
  }
}
