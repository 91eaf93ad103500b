/** Scrubs erased data from the files of the host as soon as no reader blocks it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';

/** Exponential backoff between two attempts. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/** A store whose files may still hold deleted or overwritten data. */
export interface Scrubbed {
  /** For logs. */
  readonly name: string;
  /** Removes such data from the files. Does not wait: false while a reader blocks it. */
  scrub(): boolean | Promise<boolean>;
}

interface ScrubbingOptions {
  readonly stores: readonly Scrubbed[];
  readonly logger: Logger;
  readonly firstPauseMs?: number;
}

export class Scrubbing {
  readonly #options: ScrubbingOptions;
  readonly #stopping = new AbortController();
  #pending = new Set<Scrubbed>();
  #retrying: Promise<void> | undefined;

  constructor(options: ScrubbingOptions) {
    this.#options = options;
  }

  /** How many stores may still hold erased data. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Tries once; retries the remaining stores in the background. */
  async scrub(): Promise<void> {
    const { stores, logger } = this.#options;
    for (const store of stores) this.#pending.add(store);
    await this.#try();
    if (this.#pending.size === 0 || this.#retrying !== undefined) return;
    logger.warn({ stores: this.#names() }, 'files that are being read still hold erased data');
    this.#retrying = this.#retry().finally(() => {
      this.#retrying = undefined;
    });
  }

  /** Stops the retries. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#retrying;
  }

  async #retry(): Promise<void> {
    const { signal } = this.#stopping;
    let pauseMs = this.#options.firstPauseMs ?? FIRST_PAUSE_MS;
    for (; this.#pending.size > 0; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#try();
    }
    this.#options.logger.info({}, 'no file of the host holds erased data');
  }

  async #try(): Promise<void> {
    // A copy: a concurrent call may have started before the data of this one was deleted.
    for (const store of [...this.#pending]) {
      try {
        if (await store.scrub()) this.#pending.delete(store);
        else this.#pending.add(store);
      } catch (error) {
        this.#pending.add(store);
        this.#options.logger.warn({ err: error, store: store.name }, 'a file was not scrubbed');
      }
    }
  }

  #names(): readonly string[] {
    return [...this.#pending].map(({ name }) => name);
  }
}
