/** How long to wait between attempts on a server: longer each time, and never all callers at the same moment. */

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export class BackOff {
  #pauseMs = FIRST_PAUSE_MS;

  /** What it tried has succeeded: the next pause is short again. */
  reset(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  /** Settles after the next pause, or when the signal fires. */
  async pause(signal?: AbortSignal): Promise<void> {
    const pauseMs = this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, pauseMs);
      signal?.addEventListener('abort', done);
    });
  }
}
