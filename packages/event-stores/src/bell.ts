/** Wakes those who wait for more events. */

export class Bell {
  readonly #waiting = new Set<() => void>();

  /** Settles when the bell rings, when the signal fires or after `limitMs`, whichever is first. */
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

  ring(): void {
    for (const wake of this.#waiting) wake();
  }
}
