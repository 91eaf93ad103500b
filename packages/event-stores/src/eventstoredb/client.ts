/** One interface over the two clients, whichever is installed. */

import type { Credentials, Endpoint } from './connection-string.ts';
import { type ClusterUrl, connectionString } from './connection-string.ts';
import type { ProposedEvent, RecordedEvent } from './envelope.ts';
import { failure, isType, NoAnswer } from './failures.ts';
import type { Place } from './positions.ts';

/** `eventstore`: `@eventstore/db-client`; `kurrentdb`: `@kurrent/kurrentdb-client`. */
export type ClientKind = 'eventstore' | 'kurrentdb';

/** The result of an append: the place of its last event, or that the stream is not at that revision. */
export type Appended = { readonly revision: number; readonly place: Place } | 'conflict';

export interface Resolved {
  readonly event?: RecordedEvent;
}

/** An item of a subscription: an event, or a checkpoint up to which all events were filtered. */
export type Followed = Resolved | { readonly checkpoint: Place };

/** A running subscription; to be ended by `unsubscribe`. */
export interface Subscription extends AsyncIterable<Followed> {
  /** Items that can be taken without waiting. */
  readonly readableLength: number;
  unsubscribe(): Promise<void>;
  destroy(error?: Error): unknown;
  push(item: Followed): unknown;
  on(event: 'error' | 'confirmation', listener: () => void): unknown;
}

/** A read under way. One of the clients returns a stream, the other a generator. */
interface Reading extends AsyncIterable<Resolved> {
  cancel?(): Promise<void>;
  on?(event: 'error', listener: () => void): unknown;
}

interface Channel {
  close(): void;
}

/** The parts of both clients that are used; the optional ones are internals, replaced where they have defects. */
export interface RawClient {
  appendToStream(
    stream: string,
    events: readonly ProposedEvent[],
    options: object,
  ): Promise<{
    readonly success: boolean;
    readonly nextExpectedRevision: bigint;
    readonly position?: Place;
  }>;
  readStream(stream: string, options: object): Reading;
  readAll(options: object): Reading;
  subscribeToAll(options: object, readableOptions: object): Subscription;
  dispose(): Promise<void>;
  supports?: (method: { readonly path: string }, feature?: string) => Promise<boolean>;
  handleError?: (...parts: unknown[]) => Promise<void>;
  createChannel?: () => Promise<Channel>;
}

export interface ClientOptions {
  readonly kind: ClientKind;
  readonly url: ClusterUrl;
  readonly batchAppends: boolean;
  /** Limit of one call. */
  readonly deadlineMs: number;
}

/** Makes clients of one kind; loaded once, as the package is found by then or never. */
export type ClientMaker = (leader: Endpoint | undefined) => LogClient;

const PACKAGES = {
  eventstore: '@eventstore/db-client',
  kurrentdb: '@kurrent/kurrentdb-client',
} as const;
const CLASSES = { eventstore: 'EventStoreDBClient', kurrentdb: 'KurrentDBClient' } as const;

interface ClientClass {
  connectionString(text: string): RawClient;
}

let serials = 0;
let kindOfProcess: ClientKind | undefined;

export async function loadClient(options: ClientOptions): Promise<ClientMaker> {
  const { kind, url } = options;
  if (kind === 'eventstore' && url.options.get('tlsVerifyCert') === 'false') {
    // It would print the URL, password included, and still verify.
    throw new TypeError(`${PACKAGES[kind]} always verifies certificates: give it a tlsCAFile`);
  }
  const clients = await classOf(kind);
  return (leader) => {
    serials += 1;
    const scheme = kind === 'eventstore' ? 'esdb' : 'kurrentdb';
    const text = connectionString(url, { scheme, leader, serial: serials });
    try {
      return new LogClient(clients.connectionString(text), options);
    } catch (error) {
      // The client's own error carries the whole URL.
      const reason = error instanceof Error && /certificate/i.test(error.message);
      throw new TypeError(
        `the URL of the event log is refused by ${PACKAGES[kind]}${reason ? `: ${error.message}` : ''}`,
      );
    }
  };
}

async function classOf(kind: ClientKind): Promise<ClientClass> {
  const name = PACKAGES[kind];
  // Both keep their messages in one global object, where the second overwrites those of the first.
  kindOfProcess ??= kind;
  if (kindOfProcess !== kind) {
    throw new TypeError(`one process cannot use ${name} and ${PACKAGES[kindOfProcess]}`);
  }
  let loaded: Record<string, unknown>;
  try {
    loaded =
      kind === 'eventstore'
        ? await import('@eventstore/db-client')
        : await import('@kurrent/kurrentdb-client');
  } catch (error) {
    const isMissing = error instanceof Error && error.message.includes(name);
    if (!isMissing) throw error;
    throw failure('unavailable', `an event log on this engine needs ${name}: install it`, error);
  }
  const found = loaded[CLASSES[kind]] as ClientClass | undefined;
  if (found === undefined) throw new TypeError(`${name} has no ${CLASSES[kind]}`);
  return found;
}

/** Beyond the client's own deadline, which its batch path ignores. */
const GRACE_MS = 500;
const NO_USER: Credentials = { username: '', password: '' };

/** One client and the connections under it. */
export class LogClient {
  readonly #raw: RawClient;
  readonly #options: ClientOptions;
  readonly #expectation: 'expectedRevision' | 'streamState';
  readonly #credentials: Credentials | undefined;
  readonly #channels: Channel[] = [];

  constructor(raw: RawClient, options: ClientOptions) {
    this.#raw = raw;
    this.#options = options;
    this.#expectation = options.kind === 'eventstore' ? 'expectedRevision' : 'streamState';
    const isInsecure = options.url.options.get('tls') === 'false';
    this.#credentials = options.url.credentials ?? (isInsecure ? NO_USER : undefined);
    if (!options.batchAppends) this.#preferUnary();
    this.#keepFromReconnecting();
  }

  /**
   * With credentials in the call the clients append by a unary call, instead of over one stream for
   * all appends: that stream ignores deadlines, and in `@eventstore/db-client` its failure rejects the
   * appends of all other clients of the process. Without credentials (a client certificate) the
   * server is reported as not supporting the stream. An insecure connection never sends credentials.
   */
  #preferUnary(): void {
    if (this.#credentials !== undefined) return;
    const { supports } = this.#raw;
    if (supports === undefined) {
      throw new TypeError('this version of the client appends without credentials only in batches');
    }
    this.#raw.supports = async (method, feature) =>
      !method.path.endsWith('/BatchAppend') && supports(method, feature);
  }

  /**
   * On its own the client closes its channel under calls that have just obtained it: those throw
   * inside a promise that never settles, and end the process as an unhandled rejection. So does a
   * second failure while the first one searches for another node. Here a failing client is replaced
   * by a new one, and closed when the last of its calls has ended.
   */
  #keepFromReconnecting(): void {
    const raw = this.#raw;
    if (raw.handleError !== undefined) raw.handleError = async () => {};
    const { createChannel } = raw;
    if (createChannel === undefined) return;
    raw.createChannel = async () => {
      const channel = await createChannel();
      this.#channels.push(channel);
      return channel;
    };
  }

  async append(
    stream: string,
    events: readonly ProposedEvent[],
    revision: number,
  ): Promise<Appended> {
    const { batchAppends, deadlineMs } = this.#options;
    const unary = !batchAppends && this.#credentials !== undefined;
    const answer = this.#raw.appendToStream(stream, events, {
      [this.#expectation]: revision < 0 ? 'no_stream' : BigInt(revision),
      requiresLeader: true,
      deadline: deadlineMs,
      ...(unary ? { credentials: this.#credentials } : {}),
    });
    try {
      const { success, nextExpectedRevision, position } = await within(
        deadlineMs + GRACE_MS,
        answer,
      );
      // Never with `throwOnAppendFailure`; the revision in such an answer is not reliable.
      if (!success || position === undefined) throw new NoAnswer('an append without a position');
      return { revision: Number(nextExpectedRevision), place: position };
    } catch (error) {
      if (isType(error, 'wrong-expected-version')) return 'conflict';
      throw error;
    }
  }

  /** A page of a stream; empty when there is no such stream. */
  async readStream(stream: string, from: number, count: number): Promise<readonly RecordedEvent[]> {
    try {
      const options = { fromRevision: BigInt(from), direction: 'forwards' };
      return await this.#read(() => this.#raw.readStream(stream, this.#page(options, count)));
    } catch (error) {
      if (isType(error, 'stream-not-found')) return [];
      throw error;
    }
  }

  /** The last events of the whole cluster before a place, latest first. */
  readAllBackwards(before: Place | 'end', count: number): Promise<readonly RecordedEvent[]> {
    const options = { fromPosition: before, direction: 'backwards' };
    return this.#read(() => this.#raw.readAll(this.#page(options, count)));
  }

  #page(options: object, count: number): object {
    const credentials = this.#options.url.credentials;
    return {
      ...options,
      maxCount: count,
      requiresLeader: true,
      ...(credentials === undefined ? {} : { credentials }),
    };
  }

  /** Neither client gives its reads a deadline. */
  async #read(start: () => Reading): Promise<readonly RecordedEvent[]> {
    const reading = start();
    // An error after the last event would be unhandled.
    reading.on?.('error', () => {});
    const collected = collect(reading);
    try {
      return await within(this.#options.deadlineMs, collected);
    } catch (error) {
      await reading.cancel?.().catch(() => {});
      throw error;
    }
  }

  /** All events after a place whose stream begins with the prefix, with checkpoints among them. */
  follow(after: Place | 'start', prefix: string, bufferSize: number): Subscription {
    const credentials = this.#options.url.credentials;
    const subscription = this.#raw.subscribeToAll(
      {
        fromPosition: after,
        requiresLeader: true,
        ...(credentials === undefined ? {} : { credentials }),
        filter: {
          filterOn: 'streamName',
          prefixes: [prefix],
          maxSearchWindow: SEARCH_WINDOW,
          checkpointInterval: 1,
          // Queued behind the events, so that it is not used before all of them are.
          checkpointReached: async (stream: Subscription, place: Place) => {
            stream.push({ checkpoint: place });
          },
        },
      },
      { highWaterMark: bufferSize },
    );
    // An error after the iteration has ended would end the process.
    subscription.on('error', () => {});
    return subscription;
  }

  /** Ends open calls and closes the connections, which would keep the process running. */
  async dispose(): Promise<void> {
    await this.#raw.dispose();
    for (const channel of this.#channels.splice(0)) channel.close();
  }
}

/** Events of other logs that the server filters between two checkpoints. */
const SEARCH_WINDOW = 2_000;

async function collect(reading: Reading): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const { event } of reading) if (event !== undefined) events.push(event);
  return events;
}

async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
