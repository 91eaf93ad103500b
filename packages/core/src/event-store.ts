/** The port of the event log. Every adapter passes the contract suite of `@counterfoil/core/testing`. */
import type { EncodedEvent, StoredEvent } from './kernel/envelope.ts';
import type { CommandId, Position, StreamName } from './kernel/ids.ts';

/** What the writer expects of the stream. `exact` names the revision of its last event. */
export type Expected =
  | { readonly kind: 'any' }
  | { readonly kind: 'noStream' }
  | { readonly kind: 'exists' }
  | { readonly kind: 'exact'; readonly revision: number };

export interface AppendRequest {
  /** At most 1,024 bytes, with no dot before the first dash. */
  readonly stream: StreamName;
  /** 1 to 4,096 events, appended together or not at all. */
  readonly events: readonly EncodedEvent[];
  readonly expected: Expected;
  /** The command that these events result from; its fingerprint distinguishes a repeat from a reuse of its id. */
  readonly command: { readonly id: CommandId; readonly fingerprint: string };
}

/** The place of the last event of an append. */
export interface Receipt {
  readonly revision: number;
  readonly position: Position;
}

/**
 * `appended`: durable. `repeated`: the stream already holds this command; its first receipt.
 * `conflict`: the stream is not as expected; `actual` is the revision of its last event, -1 when it
 * has none. `command-id-reused`: the stream holds this command id with another fingerprint.
 * The command id is checked before the expected revision.
 */
export type AppendResult =
  | ({ readonly outcome: 'appended' } & Receipt)
  | ({ readonly outcome: 'repeated' } & Receipt)
  | { readonly outcome: 'conflict'; readonly actual: number }
  | { readonly outcome: 'command-id-reused' };

/**
 * Of several appends, in their order. `appended`: all are durable, as one. `repeated`: every stream
 * already holds its command; the first receipts. `refused`: nothing was appended; `result` is why the
 * append at `index` could not be made, the first of those that could not.
 */
export type AppendAllResult =
  | { readonly outcome: 'appended' | 'repeated'; readonly receipts: readonly Receipt[] }
  | { readonly outcome: 'refused'; readonly index: number; readonly result: NotAppended };

export type NotAppended = Exclude<AppendResult, { readonly outcome: 'appended' }>;

export interface ReadOptions {
  /** First revision wanted, a whole number; 0 when absent. */
  readonly from?: number;
  /** The most events, a whole number; unbounded when absent. */
  readonly limit?: number;
}

export interface SubscribeOptions {
  /** The last position already seen, one of this log; from the beginning when absent. */
  readonly after?: Position;
  /** The most events of a batch, at least 1; 256 when absent. */
  readonly batchSize?: number;
  /** End after the events that are in the log now, instead of waiting for more. */
  readonly untilHead?: boolean;
  /** Ends the subscription: the iteration completes without an error. */
  readonly signal?: AbortSignal;
}

/**
 * Arguments that these types and their comments do not allow fail with a RangeError, in `subscribe`
 * at the call itself, before anything is stored: `checkedAppend`, `checkedAppends`, `checkedRead` and
 * `checkedSubscription` have the rules for all stores. Arguments are copied, and results belong to the
 * caller: changing them does not change what is stored.
 */
export interface EventStore {
  /** Appends atomically to one stream. Resolves only when the events are durable. */
  append(request: AppendRequest): Promise<AppendResult>;
  /**
   * Appends to 1 to 64 different streams, of 4,096 events in all at most: all of it or nothing. Stores
   * without this method append to one stream at a time.
   */
  appendAll?(requests: readonly AppendRequest[]): Promise<AppendAllResult>;
  /** The events of a stream in order; empty when there is no such stream. */
  read(stream: StreamName, options?: ReadOptions): Promise<readonly StoredEvent[]>;
  /**
   * All events in global order, in batches, without gap or repeat: an event is delivered only when
   * no event with a smaller position can still appear.
   */
  subscribe(options?: SubscribeOptions): AsyncIterable<readonly StoredEvent[]>;
  /** The position of the last event that a subscription may deliver; undefined for an empty log. */
  head(): Promise<Position | undefined>;
  /**
   * The position of the newest event, for logs where subscriptions may not deliver it yet because an
   * earlier one can still appear. No acknowledged event is after it. Undefined for an empty log. For
   * stores without this method it is the head.
   */
  newest?(): Promise<Position | undefined>;
  /** Waits for open appends and closes the store. Later calls fail with `closed`. */
  close(): Promise<void>;
}

/**
 * Why a store could not do its work. `closed`: after close. `locked`: another process writes to this
 * log. `full`: no room on the disk. `read-only`: the log may not be written. `corrupt`: the file is
 * not a log of this project or is damaged. `unavailable`: the store cannot be reached; an append may
 * or may not have happened, and a retry with the same command id settles it. `too-large`: the events
 * are larger than the store takes.
 */
export type EventStoreErrorCode =
  | 'closed'
  | 'locked'
  | 'full'
  | 'read-only'
  | 'corrupt'
  | 'unavailable'
  | 'too-large';

/** A failure of the store itself. A conflict is not one: it is a value. */
export class EventStoreError extends Error {
  override readonly name = 'EventStoreError';
  readonly code: EventStoreErrorCode;

  constructor(code: EventStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
