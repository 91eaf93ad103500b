/** Wakes everything that waits for a change. */
export class Notifier {
  readonly #waiting = new Set<() => void>();

  /** Settles at the next `notify`, when the signal aborts or after `limitMs`, whichever is first. */
  wait(signal: AbortSignal | undefined, limitMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        clearTimeout(timer);
        resolve();
      };
      const timer = limitMs === undefined ? undefined : setTimeout(wake, limitMs);
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }

  notify(): void {
    for (const wake of this.#waiting) wake();
  }
}
