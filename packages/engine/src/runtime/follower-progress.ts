/** The progress of the followers of a log; callers can wait until all have reached a position. */
import type { Position } from '@counterfoil/core';

interface Waiter {
  readonly position: Position;
  readonly done: (reached: boolean) => void;
}

export class FollowerProgress {
  /** Undefined for a follower that has not read its checkpoint yet. */
  readonly #places = new Map<string, Position | undefined>();
  readonly #running = new Set<string>();
  readonly #waiters = new Set<Waiter>();
  readonly #pauses = new Set<() => void>();

  /** Registers a follower, or reports that it has processed all events up to a position. */
  report(follower: string, position: Position | undefined): void {
    this.#places.set(follower, position);
    this.#running.add(follower);
    for (const waiter of this.#waiters) {
      if (this.#isReached(waiter.position)) waiter.done(true);
    }
  }

  /** The follower runs elsewhere from now on, or nowhere. */
  ended(follower: string): void {
    this.#running.delete(follower);
  }

  /** The places of the followers that run here; undefined before one has read its checkpoint. */
  get running(): ReadonlyMap<string, Position | undefined> {
    return new Map([...this.#running].map((name) => [name, this.#places.get(name)]));
  }

  /** Waits until all followers have processed a position; false on timeout. */
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

  /** The pause between two reads of the log. Ends at once while a caller waits. */
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
