/** Exponential back-off with jitter between attempts. */
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

export class BackOff {
  #pauseMs = FIRST_PAUSE_MS;

  /** To be called after a success: the next pause is short again. */
  reset(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  nextMs(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    return pauseMs * (0.5 + Math.random() / 2);
  }

  /** Settles after the next pause, or when the signal aborts. */
  async pause(signal?: AbortSignal): Promise<void> {
    await sleep(this.nextMs(), undefined, { signal }).catch(() => undefined);
  }
}
