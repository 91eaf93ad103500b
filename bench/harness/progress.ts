/** The progress line on standard error. */
import { Presets, SingleBar } from 'cli-progress';

/** Interval where the line cannot be overwritten, as in a log file. */
const LOG_INTERVAL_MS = 10_000;

export class Progress {
  readonly #bar: SingleBar;

  constructor(rows: number) {
    this.#bar = new SingleBar(
      {
        format: '{bar} {value}/{total} rows, {duration_formatted}, {what}',
        stream: process.stderr,
        noTTYOutput: true,
        notTTYSchedule: LOG_INTERVAL_MS,
        barsize: 20,
        hideCursor: true,
      },
      Presets.shades_classic,
    );
    this.#bar.start(rows, 0, { what: 'starting' });
  }

  say(what: string): void {
    this.#bar.update({ what });
  }

  /** One more row is measured or has failed. */
  done(): void {
    this.#bar.increment();
  }

  stop(): void {
    this.#bar.stop();
  }
}
