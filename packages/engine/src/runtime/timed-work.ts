/** Scheduled work, and the loop that runs it at an interval. */
import { ReadModelError } from '@counterfoil/projections';
import type { Logger } from '../logger.ts';
import { KeyedMutex } from './keyed-mutex.ts';

/** One kind of work that becomes due by the host's clock. */
export interface TimedWork {
  /** For logs and answers. */
  readonly name: string;
  /**
   * The earliest due time (ISO 8601, GMT). In the past when work is due now; undefined when there is
   * none.
   */
  nextDueAt(): Promise<string | undefined>;
  /**
   * Runs due work, at most one round; the rest stays due. Returns early, at a safe point, when `stopping`
   * fires.
   */
  runDue(stopping: AbortSignal): Promise<void>;
}

export interface TimedWorksOptions {
  readonly works: readonly TimedWork[];
  readonly intervalMs: number;
  readonly logger: Logger;
}

/** Each work has its own loop: a slow one does not delay the others. */
export class TimedWorks {
  readonly works: readonly TimedWork[];
  readonly #intervalMs: number;
  readonly #logger: Logger;
  readonly #mutex = new KeyedMutex();
  readonly #stopping = new AbortController();
  readonly #loops = new Map<TimedWork, Promise<void>>();

  constructor({ works, intervalMs, logger }: TimedWorksOptions) {
    this.works = works;
    this.#intervalMs = intervalMs;
    this.#logger = logger;
  }

  /** Repeats every work until the signal fires or `stop`; resolves when all loops have ended. */
  async repeat(signal: AbortSignal = this.#stopping.signal): Promise<void> {
    const ending = AbortSignal.any([signal, this.#stopping.signal]);
    for (const work of this.works) this.#loops.set(work, this.#loop(work, ending));
    await Promise.all(this.#loops.values());
  }

  /** Starts no more rounds, and waits for the running ones. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const work of this.works) {
      await this.#loops.get(work);
      // Waits for rounds started by other callers too.
      await this.#mutex.runExclusive(work.name, async () => undefined);
    }
  }

  /** Runs one round of a work. Rounds of the same work run one at a time. */
  async run(work: TimedWork, ending: AbortSignal = this.#stopping.signal): Promise<void> {
    await this.#mutex.runExclusive(work.name, async () => {
      if (!ending.aborted) await work.runDue(ending);
    });
  }

  /** Runs one round of every work, in the order of the list. */
  async runAll(): Promise<void> {
    for (const work of this.works) await this.run(work);
  }

  async #loop(work: TimedWork, ending: AbortSignal): Promise<void> {
    while (await passed(this.#intervalMs, ending)) {
      try {
        await this.run(work, ending);
      } catch (error) {
        // The read models are being built: a later round retries.
        if (error instanceof ReadModelError && error.code === 'not-ready') continue;
        this.#logger.error({ err: error, work: work.name }, 'scheduled work failed; it is retried');
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
