/** The progress of a worker, and how to wait for it. */
import type { Position } from '@counterfoil/core';
import type { Parking } from './folder.ts';
import { earliest, isAtLeast, latest, shardOf } from './shards.ts';

/** From the worker to the host; plain data, so that it passes between threads. */
export type ProjectionMessage =
  /** All projections have everything up to this position, for the tenants of these shards. */
  | {
      readonly type: 'caught-up-to';
      readonly position: Position;
      /** Events in the batch that led there. */
      readonly events: number;
      /** How old the last of them was when it had been applied. */
      readonly behindMs: number;
      /** All shards when absent. */
      readonly shards?: { readonly these: readonly number[]; readonly of: number };
    }
  | ({ readonly type: 'parked' } & Parking)
  /**
   * How many builds and write-ahead logs may still have data of erased persons, because other
   * processes use them; 0 when all is gone.
   */
  | { readonly type: 'erasing'; readonly pending: number }
  /** The answer to a `retry-parked`; without `freed` where the projection is not being followed. */
  | {
      readonly type: 'retried';
      readonly projection: string;
      readonly stream: string;
      readonly freed?: boolean;
    };

/** From the host to the worker. */
export type ProjectionRequest =
  | { readonly type: 'retry-parked'; readonly projection: string; readonly stream: string }
  /** Somebody waits for this position. */
  | { readonly type: 'hurry'; readonly position: Position }
  | { readonly type: 'stop' };

/** How long to wait: without a limit, for as long as it takes. */
export interface WaitLimits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Only for the events of this tenant; for those of all when absent. */
  readonly tenantId?: number;
}

/** How far the tenants of one shard are. */
interface ShardProgress {
  readonly position: Position | undefined;
  readonly behindMs: number;
}

interface Waiter {
  readonly position: Position;
  readonly tenantId: number | undefined;
  readonly done: (reached: boolean) => void;
}

/** The progress of the read models as the host knows it; give it every message of the worker. */
export class Progress {
  readonly #waiters = new Set<Waiter>();
  #shards: ShardProgress[] = [{ position: undefined, behindMs: 0 }];
  #erasing = 0;
  #news = 0;
  #hurry: ((position: Position) => void) | undefined;
  /** Whether the worker was asked since its last news. */
  #isAsked = false;

  /**
   * The position that all read models have reached for all tenants; undefined before all workers have
   * sent a message.
   */
  get position(): Position | undefined {
    return earliest(this.#shards.map(({ position }) => position));
  }

  /** How late the last batch was, in milliseconds, where it was latest: a gauge of the lag. */
  get behindMs(): number {
    return Math.max(...this.#shards.map(({ behindMs }) => behindMs));
  }

  /** Each shard by its number. */
  get shards(): readonly ShardProgress[] {
    return this.#shards;
  }

  /** Changes whenever a shard gets further. */
  get news(): number {
    return this.#news;
  }

  /** How many builds and write-ahead logs may still have data of erased persons. */
  get erasing(): number {
    return this.#erasing;
  }

  /** Calls this with the position that somebody waits for, at most once for each news of the worker. */
  onWait(hurry: (position: Position) => void): void {
    this.#hurry = hurry;
  }

  receive(message: ProjectionMessage): void {
    if (message.type === 'erasing') this.#erasing = message.pending;
    if (message.type !== 'caught-up-to') return;
    const { position, behindMs, shards } = message;
    if (shards !== undefined && shards.of !== this.#shards.length) {
      // What was said of all of them is true of each.
      const before = { position: this.position, behindMs: this.behindMs };
      this.#shards = Array.from({ length: shards.of }, () => before);
    }
    let isNews = false;
    for (const shard of shards?.these ?? this.#shards.keys()) {
      if (isAtLeast(this.#shards[shard]?.position, position)) continue;
      this.#shards[shard] = { position, behindMs };
      isNews = true;
    }
    if (!isNews) return;
    this.#news += 1;
    for (const waiter of this.#waiters) {
      if (this.#isReached(waiter.position, waiter.tenantId)) waiter.done(true);
    }
    this.#isAsked = false;
    this.#ask();
  }

  #ask(): void {
    if (this.#isAsked || this.#hurry === undefined) return;
    const furthest = latest([...this.#waiters].map(({ position }) => position));
    if (furthest === undefined) return;
    this.#isAsked = true;
    this.#hurry(furthest);
  }

  #isReached(position: Position, tenantId: number | undefined): boolean {
    const reached =
      tenantId === undefined
        ? this.position
        : this.#shards[shardOf(tenantId, this.#shards.length)]?.position;
    return isAtLeast(reached, position);
  }

  /** Whether the read models have reached a position, waiting for it no longer than the limits given. */
  async reached(position: Position, { timeoutMs, signal, tenantId }: WaitLimits): Promise<boolean> {
    if (this.#isReached(position, tenantId)) return true;
    if (signal?.aborted) return false;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        tenantId,
        done: (reached) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          this.#waiters.delete(waiter);
          resolve(reached);
        },
      };
      const giveUp = () => waiter.done(false);
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
      signal?.addEventListener('abort', giveUp);
      this.#waiters.add(waiter);
      this.#ask();
    });
  }
}
