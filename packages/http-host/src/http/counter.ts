/** Counts requests per window, in the memory of this process. */
import { LRUCache } from 'lru-cache';

/** The count of a window, the current request included. */
export interface Counted {
  readonly consumedPoints: number;
  /** Until the window ends. */
  readonly msBeforeNext: number;
}

export interface Counter {
  /** At once where it counts in memory. */
  consume(key: string): Counted | Promise<Counted>;
}

/**
 * Bounds the memory: a window takes about 200 bytes. A caller with more addresses gets a new window
 * for each of them anyway.
 */
const MAX_WINDOWS = 50_000;

interface Window {
  count: number;
  readonly endsAtMs: number;
}

export interface MemoryCounterOptions {
  readonly durationMs: number;
  readonly now?: () => number;
}

/** Counts up to `MAX_WINDOWS` callers. */
export class MemoryCounter implements Counter {
  readonly #windows = new LRUCache<string, Window>({
    // `max` would allocate for all of them at once.
    maxSize: MAX_WINDOWS,
    sizeCalculation: () => 1,
  });
  readonly #durationMs: number;
  readonly #now: () => number;

  constructor({ durationMs, now = Date.now }: MemoryCounterOptions) {
    this.#durationMs = durationMs;
    this.#now = now;
  }

  /** The number of windows, expired ones included. */
  get size(): number {
    return this.#windows.size;
  }

  consume(key: string, times = 1): Counted {
    const now = this.#now();
    let window = this.#windows.get(key);
    // If the clock is set back, a window must not stay open longer.
    const isOpen =
      window !== undefined && now < window.endsAtMs && window.endsAtMs - now <= this.#durationMs;
    if (window === undefined || !isOpen) {
      window = { count: 0, endsAtMs: now + this.#durationMs };
      this.#windows.set(key, window);
    }
    window.count += times;
    return { consumedPoints: window.count, msBeforeNext: window.endsAtMs - now };
  }
}
