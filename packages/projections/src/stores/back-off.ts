/** Exponential back-off with jitter between attempts on a server. */
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export class BackOff {
  #pauseMs = FIRST_PAUSE_MS;

  /** To be called after a success: the next pause is short again. */
  reset(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  /** Settles after the next pause, or when the signal aborts. */
  async pause(signal?: AbortSignal): Promise<void> {
    const pauseMs = this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
