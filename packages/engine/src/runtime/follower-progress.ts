/** How far the followers of a log have come, for whoever waits until all of them have reacted. */
import type { Position } from '@counterfoil/core';

interface Waiter {
  readonly position: Position;
  readonly done: (reached: boolean) => void;
}

export class FollowerProgress {
  /** Undefined for one that has not found its place yet. */
  readonly #places = new Map<string, Position | undefined>();
  readonly #waiters = new Set<Waiter>();
  readonly #pauses = new Set<() => void>();

  /** A follower begins, or tells that it has reacted to everything up to a position. */
  report(follower: string, position: Position | undefined): void {
    this.#places.set(follower, position);
    for (const waiter of this.#waiters) {
      if (this.#isReached(waiter.position)) waiter.done(true);
    }
  }

  /** Whether all followers have reacted to a position, waiting for it no longer than the limit. */
  async reached(position: Position, { timeoutMs }: { timeoutMs: number }): Promise<boolean> {
    if (this.#isReached(position)) return true;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        done: (reached) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => waiter.done(false), timeoutMs);
      this.#waiters.add(waiter);
      for (const end of this.#pauses) end();
    });
  }

  /** A rest between two looks at the log; there is none while somebody waits. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#waiters.size > 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      this.#pauses.add(end);
    });
  }

  #isReached(position: Position): boolean {
    for (const place of this.#places.values()) {
      if (place === undefined || place < position) return false;
    }
    return true;
  }
}
