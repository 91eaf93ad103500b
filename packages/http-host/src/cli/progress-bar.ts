/** A progress bar on a terminal; elsewhere a line at the end. */
import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';

export async function withProgressBar<Result>(
  stream: Writable,
  title: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<Result>,
): Promise<Result> {
  const bar = new SingleBar({
    format: `${title} [{bar}] {percentage}% {value}/{total}`,
    hideCursor: true,
    stream,
    // Without a terminal, prints a line from time to time.
    noTTYOutput: true,
    notTTYSchedule: 2_000,
  });
  let started = false;
  try {
    return await work((done, total) => {
      if (!started) bar.start(total, 0);
      started = true;
      bar.update(done);
    });
  } finally {
    if (started) bar.stop();
  }
}

/** Shows one phase after the other on standard error, and clears itself; silent without a terminal. */
export class PhaseBar {
  readonly #bar: SingleBar;
  #title: string | undefined;

  constructor(stream: Writable) {
    this.#bar = new SingleBar({
      format: '{title} [{bar}] {percentage}% {value}/{total}',
      hideCursor: true,
      stream,
      clearOnComplete: true,
      // Synchronous work blocks the timer that would redraw the bar.
      forceRedraw: true,
    });
  }

  show(title: string, done: number, total: number): void {
    if (this.#title !== title) {
      this.clear();
      this.#bar.start(total, done, { title });
      this.#title = title;
    }
    this.#bar.setTotal(total);
    this.#bar.update(done);
  }

  clear(): void {
    if (this.#title !== undefined) this.#bar.stop();
    this.#title = undefined;
  }
}
