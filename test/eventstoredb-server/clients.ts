// The two real clients behind one face, so that the server's tests are written once.
import { randomUUID } from 'node:crypto';
import type { Expected } from './log.ts';
import type { Position } from './position.ts';
import type { ClientKind } from './server.ts';

export interface EventData {
  readonly type: string;
  readonly data: unknown;
  readonly metadata?: unknown;
  readonly id?: string;
  /** Sent as bytes, not as JSON. */
  readonly binary?: boolean;
}

export interface RecordedEvent {
  readonly streamId: string;
  readonly id: string;
  readonly revision: bigint;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly created: Date;
  readonly position: Position;
}

export type Appended =
  | { readonly revision: bigint; readonly position: Position | undefined }
  | { readonly current: bigint | 'no_stream' }
  | { readonly failed: string };

export interface AppendOptions {
  readonly expected?: Expected;
  readonly batch?: boolean;
  readonly requiresLeader?: boolean;
  readonly deadline?: number;
}

export interface ReadOptions {
  readonly direction?: 'forwards' | 'backwards';
  readonly from?: unknown;
  readonly maxCount?: number;
  readonly filter?: Filter;
  readonly requiresLeader?: boolean;
}

export interface Filter {
  readonly filterOn: 'streamName' | 'eventType';
  readonly prefixes?: readonly string[];
  readonly regex?: string;
  readonly maxSearchWindow?: number;
  readonly checkpointInterval?: number;
}

/** A subscription that keeps what comes, in order. */
export interface Followed {
  readonly events: readonly RecordedEvent[];
  readonly checkpoints: readonly Position[];
  readonly confirmed: boolean;
  readonly timesCaughtUp: number;
  /** What the server said of the place, each time. */
  readonly caughtUpAt: readonly unknown[];
  /** What the subscription ended with. */
  readonly failed: string | undefined;
  stop(): Promise<void>;
}

export interface TestClient {
  readonly kind: ClientKind;
  append(stream: string, events: readonly EventData[], options?: AppendOptions): Promise<Appended>;
  readStream(stream: string, options?: ReadOptions): Promise<readonly RecordedEvent[]>;
  readAll(options?: ReadOptions): Promise<readonly RecordedEvent[]>;
  follow(options: { stream?: string; from?: unknown; filter?: Filter }): Followed;
  softDelete(stream: string, expected?: Expected): Promise<string>;
  tombstone(stream: string, expected?: Expected): Promise<string>;
  /** The server's version as the client received it. */
  serverVersion(): Promise<string>;
  dispose(): Promise<void>;
}

interface RawSubscription extends AsyncIterable<{ event?: RecordedEvent }> {
  on(event: string, listener: (place?: unknown) => void): unknown;
  unsubscribe(): Promise<void>;
}

type RawOptions = Readonly<Record<string, unknown>>;

/** What both clients have in common, as far as it is used here. */
interface RawClient {
  readonly capabilities: Promise<{ serverVersion: string }>;
  appendToStream(stream: string, events: unknown, options: RawOptions): Promise<RawAppended>;
  readStream(stream: string, options: RawOptions): AsyncIterable<{ event?: RecordedEvent }>;
  readAll(options: RawOptions): AsyncIterable<{ event?: RecordedEvent }>;
  subscribeToAll(options: RawOptions): RawSubscription;
  subscribeToStream(stream: string, options: RawOptions): RawSubscription;
  deleteStream(stream: string, options: RawOptions): Promise<unknown>;
  tombstoneStream(stream: string, options: RawOptions): Promise<unknown>;
  dispose(): Promise<void>;
}

interface RawAppended {
  readonly nextExpectedRevision: bigint;
  readonly position?: Position;
}

/** Credentials for one call keep the clients from batching; without TLS they are not sent. */
const ONE_BY_ONE = { credentials: { username: 'admin', password: 'changeit' } };
const EXPECTED = { any: 'any', noStream: 'no_stream', streamExists: 'stream_exists' };

export async function openClient(kind: ClientKind, url: string): Promise<TestClient> {
  const raw = await openRaw(kind, url);
  const expecting = (expected: Expected = 'any') => {
    const value = typeof expected === 'bigint' ? expected : EXPECTED[expected];
    return { expectedRevision: value, streamState: value };
  };
  return {
    kind,
    append: (stream, events, { expected, batch, ...options } = {}) =>
      appended(
        raw.appendToStream(stream, events.map(eventData), {
          ...expecting(expected),
          ...(batch === true ? {} : ONE_BY_ONE),
          ...options,
        }),
      ),
    readStream: (stream, { from, ...options } = {}) =>
      collect(
        raw.readStream(stream, {
          ...options,
          ...(from === undefined ? {} : { fromRevision: from }),
        }),
      ),
    readAll: ({ from, ...options } = {}) =>
      collect(raw.readAll({ ...options, ...(from === undefined ? {} : { fromPosition: from }) })),
    follow: (options) => follow(raw, options),
    softDelete: (stream, expected) => settled(raw.deleteStream(stream, expecting(expected))),
    tombstone: (stream, expected) => settled(raw.tombstoneStream(stream, expecting(expected))),
    serverVersion: async () => (await raw.capabilities).serverVersion,
    dispose: () => raw.dispose(),
  };
}

async function openRaw(kind: ClientKind, url: string): Promise<RawClient> {
  if (kind === 'eventstore') {
    const { EventStoreDBClient } = await import('@eventstore/db-client');
    return EventStoreDBClient.connectionString(url) as unknown as RawClient;
  }
  const { KurrentDBClient } = await import('@kurrent/kurrentdb-client');
  return KurrentDBClient.connectionString(url) as unknown as RawClient;
}

function eventData({ id, type, data, metadata, binary }: EventData): RawOptions {
  return {
    id: id ?? randomUUID(),
    type,
    contentType: binary === true ? 'application/octet-stream' : 'application/json',
    data,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

async function appended(call: Promise<RawAppended>): Promise<Appended> {
  try {
    const { nextExpectedRevision, position } = await call;
    return { revision: nextExpectedRevision, position };
  } catch (error) {
    const facts = factsOf(error);
    if (facts.type !== 'wrong-expected-version') return { failed: facts.type };
    // The two clients name the stream's revision differently.
    return { current: (facts.actualVersion ?? facts.actualState) as bigint | 'no_stream' };
  }
}

async function settled(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'done';
  } catch (error) {
    return factsOf(error).type;
  }
}

async function collect(
  reading: AsyncIterable<{ event?: RecordedEvent }>,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const { event } of reading) {
    if (event !== undefined) events.push(event);
  }
  return events;
}

function follow(
  raw: RawClient,
  { stream, from, filter }: { stream?: string; from?: unknown; filter?: Filter },
): Followed {
  const events: RecordedEvent[] = [];
  const checkpoints: Position[] = [];
  const caughtUpAt: unknown[] = [];
  const state = { confirmed: false, failed: undefined as string | undefined };
  const checkpointReached = async (_: unknown, position: Position) => {
    checkpoints.push(position);
  };
  const subscription =
    stream === undefined
      ? raw.subscribeToAll({
          ...(from === undefined ? {} : { fromPosition: from }),
          ...(filter === undefined
            ? {}
            : { filter: { checkpointInterval: 1, checkpointReached, ...filter } }),
        })
      : raw.subscribeToStream(stream, from === undefined ? {} : { fromRevision: from });
  subscription.on('confirmation', () => {
    state.confirmed = true;
  });
  subscription.on('caughtUp', (place) => {
    caughtUpAt.push(place);
  });
  const reading = (async () => {
    try {
      for await (const { event } of subscription) if (event !== undefined) events.push(event);
    } catch (error) {
      state.failed = factsOf(error).type;
    }
  })();
  return {
    events,
    checkpoints,
    caughtUpAt,
    get confirmed() {
      return state.confirmed;
    },
    get timesCaughtUp() {
      return caughtUpAt.length;
    },
    get failed() {
      return state.failed;
    },
    stop: async () => {
      await subscription.unsubscribe();
      await reading;
    },
  };
}

/** What the client's error says of itself. */
export function factsOf(error: unknown): { type: string } & Record<string, unknown> {
  if (typeof error !== 'object' || error === null) return { type: String(error) };
  const facts = error as Record<string, unknown>;
  return { ...facts, type: typeof facts['type'] === 'string' ? facts['type'] : String(error) };
}
