/** Work that waits for its time, and the loop that does it once a second. */
import { ReadModelError } from '@counterfoil/projections';
import type { Logger } from '../logger.ts';
import { KeyedMutex } from './keyed-mutex.ts';

/** One kind of work that becomes due by the host's clock. */
export interface TimedWork {
  /** What it is called in logs and answers. */
  readonly name: string;
  /**
   * When the earliest of what waits is due, in ISO 8601 and GMT. Past, when something is due and not
   * done yet; undefined, when nothing waits.
   */
  nextDueAt(): Promise<string | undefined>;
  /**
   * Does what is due now, or as much of it as a round takes: the rest stays due. Ends early, at a
   * place where it may be broken off, when `stopping` fires.
   */
  runDue(stopping: AbortSignal): Promise<void>;
}

export interface TimedWorksOptions {
  readonly works: readonly TimedWork[];
  readonly logger: Logger;
}

const INTERVAL_MS = 1_000;

/** Each work has a loop of its own: a slow one holds up no other. */
export class TimedWorks {
  readonly works: readonly TimedWork[];
  readonly #logger: Logger;
  readonly #mutex = new KeyedMutex();
  readonly #stopping = new AbortController();
  readonly #loops = new Map<TimedWork, Promise<void>>();

  constructor({ works, logger }: TimedWorksOptions) {
    this.works = works;
    this.#logger = logger;
  }

  /** Repeats every work until the signal fires, or all is stopped; resolves when each has come to a rest. */
  async repeat(signal: AbortSignal = this.#stopping.signal): Promise<void> {
    const ending = AbortSignal.any([signal, this.#stopping.signal]);
    for (const work of this.works) this.#loops.set(work, this.#loop(work, ending));
    await Promise.all(this.#loops.values());
  }

  /** Starts no more rounds, and waits for those under way in the order of the list. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const work of this.works) {
      await this.#loops.get(work);
      // A round that somebody else asked for ends too.
      await this.#mutex.runExclusive(work.name, async () => undefined);
    }
  }

  /** One round of a work. There are never two of the same one: whoever comes second waits. */
  async run(work: TimedWork, ending: AbortSignal = this.#stopping.signal): Promise<void> {
    await this.#mutex.runExclusive(work.name, async () => {
      if (!ending.aborted) await work.runDue(ending);
    });
  }

  /** One round of every work, in the order of the list. */
  async runAll(): Promise<void> {
    for (const work of this.works) await this.run(work);
  }

  async #loop(work: TimedWork, ending: AbortSignal): Promise<void> {
    while (await passed(INTERVAL_MS, ending)) {
      try {
        await this.run(work, ending);
      } catch (error) {
        // The read models are being built: a later round finds them.
        if (error instanceof ReadModelError && error.code === 'not-ready') continue;
        this.#logger.error({ err: error, work: work.name }, 'timed work failed; it is tried again');
      }
    }
  }
}

/** Waits; false when the signal fires first. */
function passed(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
