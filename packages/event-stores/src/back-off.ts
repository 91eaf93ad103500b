/** How long to wait between attempts: longer each time, up to a limit, and never all callers at the same moment. */
import { Bell } from './bell.ts';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

/** Pauses that double up to a limit, shortened at random so that those who wait do not return at once. */
export class BackOff {
  #pauseMs = FIRST_PAUSE_MS;

  /** What it tried has succeeded: the next pause is short again. */
  reset(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  nextMs(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    return pauseMs * (0.5 + Math.random() / 2);
  }

  /** Settles after the next pause, or when the signal fires. */
  async pause(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    await new Bell().wait(signal, this.nextMs());
  }
}
