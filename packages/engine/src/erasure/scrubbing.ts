/** Takes what was erased out of the files of the host too, as soon as nobody reads there any more. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';

/** How long it waits before it tries again: at first, and at most after it has doubled each time. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/** What may still hold what was overwritten or removed in it. */
export interface Scrubbed {
  /** Where it stands, for people. */
  readonly name: string;
  /** Leaves nothing of it. Waits for nobody: false while a reader hinders it. */
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

  /** How many stores may still hold what was erased. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Tries once. What is left then is tried again and again, in the background. */
  async scrub(): Promise<void> {
    const { stores, logger } = this.#options;
    for (const store of stores) this.#pending.add(store);
    await this.#try();
    if (this.#pending.size === 0 || this.#retrying !== undefined) return;
    logger.warn({ stores: this.#names() }, 'what was erased is still in files that are being read');
    this.#retrying = this.#retry().finally(() => {
      this.#retrying = undefined;
    });
  }

  /** Ends what goes on in the background. */
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
    this.#options.logger.info({}, 'what was erased is in no file of the host any more');
  }

  async #try(): Promise<void> {
    // A copy: what another call finishes meanwhile, it may have begun too early for this one.
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
