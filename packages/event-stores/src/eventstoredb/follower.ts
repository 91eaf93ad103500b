/** Follows the log by one subscription after the other, each from where the one before it ended. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredEvent } from '@counterfoil/core';
import { BackOff } from '../back-off.ts';
import { MAX_BATCH_CHARACTERS } from '../batches.ts';
import type { Followed, Subscription } from './client.ts';
import type { ConnectionPool } from './connection.ts';
import { decode } from './envelope.ts';
import { failure, lastingCode, NoAnswer, textOf } from './failures.ts';
import type { LogBounds } from './log-bounds.ts';
import { comparePlaces, type Place } from './positions.ts';
import type { StreamNames } from './stream-names.ts';

/** Events that the client reads ahead: all of them are in memory, however large they are. */
const MAX_READ_AHEAD = 512;

/** Changes of a subscription's connection; without events a lost one cannot be distinguished from an idle log. */
export type ConnectionNews =
  | { readonly state: 'following' }
  | { readonly state: 'lost'; readonly reason: string };

export interface FollowerParts {
  readonly connections: ConnectionPool;
  readonly names: StreamNames;
  readonly bounds: LogBounds;
  /** Without events for this long, the head of the log is read. */
  readonly stallMs: number;
  readonly onNews: (news: ConnectionNews) => void;
}

export interface FollowOptions {
  readonly after: Place | undefined;
  /** The last event to deliver; undefined to follow without end. */
  readonly until: Place | undefined;
  readonly batchSize: number;
  readonly signal: AbortSignal;
}

export class Follower {
  readonly #parts: FollowerParts;
  readonly #options: FollowOptions;
  /** All events up to here were delivered, or are not of this log. */
  #seen: Place;
  /** Grows with each subscription in a row that delivers nothing. */
  readonly #backOff = new BackOff();

  constructor(parts: FollowerParts, options: FollowOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#seen = parts.bounds.startAfter(options.after);
  }

  /** Ends after the last event to deliver, or with the signal; throws permanent failures. */
  async *batches(): AsyncGenerator<readonly StoredEvent[]> {
    const { signal } = this.#options;
    while (!signal.aborted && !this.#isDone()) {
      const connection = this.#parts.connections.get();
      const lease = connection.take();
      try {
        yield* this.#subscription(
          lease.client.follow(
            this.#seen,
            this.#parts.names.prefix,
            Math.min(this.#options.batchSize, MAX_READ_AHEAD),
          ),
        );
      } catch (error) {
        connection.failed(lease, error);
        if (!signal.aborted) this.#lost(error);
      } finally {
        connection.giveBack(lease);
      }
      if (signal.aborted || this.#isDone()) return;
      await this.#backOff.pause(signal);
    }
  }

  #lost(error: unknown): void {
    const code = lastingCode(error, 'read');
    if (code !== undefined) throw failure(code, 'following the log', error);
    this.#parts.onNews({ state: 'lost', reason: textOf(error) });
  }

  #isDone(): boolean {
    const { until } = this.#options;
    return until !== undefined && comparePlaces(this.#seen, until) >= 0;
  }

  /** The batches of one subscription, until it fails or nothing more is wanted. */
  async *#subscription(subscription: Subscription): AsyncGenerator<readonly StoredEvent[]> {
    const { batchSize, signal } = this.#options;
    const end = () => subscription.destroy();
    signal.addEventListener('abort', end);
    subscription.on('confirmation', () => this.#parts.onNews({ state: 'following' }));
    const watch = new Watch(this.#parts.stallMs, async () => {
      if (await this.#isBehind()) subscription.destroy(new NoAnswer('the subscription is stalled'));
    });
    let batch: StoredEvent[] = [];
    let characters = 0;
    try {
      watch.begin();
      for await (const item of subscription) {
        watch.end();
        characters += this.#take(item, batch);
        const isLast = this.#isDone();
        const isFull = batch.length >= batchSize || characters >= MAX_BATCH_CHARACTERS;
        if (isLast || isFull || (await isEmpty(subscription))) {
          if (signal.aborted) return;
          const full = batch;
          batch = [];
          characters = 0;
          if (full.length > 0) yield full;
          if (isLast) return;
        }
        watch.begin();
      }
    } catch (error) {
      // Already counted as seen: the next subscription does not deliver it.
      if (batch.length > 0 && !signal.aborted) yield batch;
      throw error;
    } finally {
      watch.end();
      signal.removeEventListener('abort', end);
      // `destroy` alone would leave its call open.
      void subscription.unsubscribe().catch(() => {});
      subscription.destroy();
    }
    if (batch.length > 0) yield batch;
  }

  /** Adds an item to the batch; returns the length of its data. */
  #take(item: Followed, batch: StoredEvent[]): number {
    this.#backOff.reset();
    if ('checkpoint' in item) {
      this.#pass(item.checkpoint);
      return 0;
    }
    const place = item.event?.position;
    if (item.event === undefined || place === undefined) return 0;
    // Delivered before.
    if (comparePlaces(place, this.#seen) <= 0) return 0;
    const { until } = this.#options;
    if (until !== undefined && comparePlaces(place, until) > 0) {
      this.#seen = until;
      return 0;
    }
    const stream = this.#parts.names.inLog(item.event.streamId);
    if (stream === undefined) {
      this.#pass(place);
      return 0;
    }
    const { event } = decode(item.event, stream);
    batch.push(event);
    this.#seen = place;
    this.#parts.bounds.saw(place);
    return event.data.length;
  }

  #pass(place: Place): void {
    if (comparePlaces(place, this.#seen) <= 0) return;
    this.#parts.bounds.passed(this.#seen, place);
    this.#seen = place;
  }

  async #isBehind(): Promise<boolean> {
    try {
      const head = await this.#parts.bounds.head();
      return head !== undefined && comparePlaces(head, this.#seen) > 0;
    } catch {
      return true;
    }
  }
}

/** Whether nothing more has arrived, after a turn of the event loop. */
async function isEmpty(subscription: Subscription): Promise<boolean> {
  if (subscription.readableLength > 0) return false;
  await nextTurn();
  return subscription.readableLength === 0;
}

/** Repeats a check by a timer while something else is awaited. */
class Watch {
  readonly #everyMs: number;
  readonly #look: () => Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(everyMs: number, look: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#look = look;
  }

  begin(): void {
    const timer = setTimeout(() => {
      void this.#look().then(() => {
        if (this.#timer === timer) this.begin();
      });
    }, this.#everyMs);
    this.#timer = timer;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
