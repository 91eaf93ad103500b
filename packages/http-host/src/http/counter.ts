/** What requests are counted with; here, in the memory of this process. */
import { LRUCache } from 'lru-cache';

/** How often something was counted in a window, this time included. */
export interface Counted {
  readonly consumedPoints: number;
  /** Until the window ends. */
  readonly msBeforeNext: number;
}

export interface Counter {
  consume(key: string): Promise<Counted>;
}

/**
 * Whoever has more addresses than this begins anew in each of them anyway. A window takes about 200
 * bytes.
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

/** Counts so many callers at most. */
export class MemoryCounter implements Counter {
  readonly #windows = new LRUCache<string, Window>({ max: MAX_WINDOWS });
  readonly #durationMs: number;
  readonly #now: () => number;

  constructor({ durationMs, now = Date.now }: MemoryCounterOptions) {
    this.#durationMs = durationMs;
    this.#now = now;
  }

  /** Windows that it holds, ended ones among them. */
  get size(): number {
    return this.#windows.size;
  }

  async consume(key: string, times = 1): Promise<Counted> {
    const now = this.#now();
    let window = this.#windows.get(key);
    // A clock that was set back would hold a window open.
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
