/** The progress of a worker, and how to wait for it. */
import type { Position } from '@counterfoil/core';
import type { Parking } from './folder.ts';

/** From the worker to the host; plain data, so that it passes between threads. */
export type ProjectionMessage =
  /** All projections have everything up to this position. */
  | {
      readonly type: 'caught-up-to';
      readonly position: Position;
      /** Events in the batch that led there. */
      readonly events: number;
      /** How old the last of them was when it had been applied. */
      readonly behindMs: number;
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
  | { readonly type: 'stop' };

/** How long to wait: without a limit, for as long as it takes. */
export interface WaitLimits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly position: Position;
  readonly done: (reached: boolean) => void;
}

/** The progress of the read models as the host knows it; give it every message of the worker. */
export class Progress {
  readonly #waiters = new Set<Waiter>();
  #position: Position | undefined;
  #behindMs = 0;
  #erasing = 0;

  /** The position that all read models have reached; undefined before the worker's first message. */
  get position(): Position | undefined {
    return this.#position;
  }

  /** How late the last batch was, in milliseconds: a gauge of the lag. */
  get behindMs(): number {
    return this.#behindMs;
  }

  /** How many builds and write-ahead logs may still have data of erased persons. */
  get erasing(): number {
    return this.#erasing;
  }

  receive(message: ProjectionMessage): void {
    if (message.type === 'erasing') this.#erasing = message.pending;
    if (message.type !== 'caught-up-to') return;
    if (this.#position !== undefined && message.position <= this.#position) return;
    this.#position = message.position;
    this.#behindMs = message.behindMs;
    for (const waiter of this.#waiters) {
      if (waiter.position <= message.position) waiter.done(true);
    }
  }

  /** Whether the read models have reached a position, waiting for it no longer than the limits given. */
  async reached(position: Position, { timeoutMs, signal }: WaitLimits): Promise<boolean> {
    if (this.#position !== undefined && position <= this.#position) return true;
    if (signal?.aborted) return false;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
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
    });
  }
}
