/** The decoded states of a projection that were written or read last. */

/** Most changes of a state follow the last one within seconds. */
const MAX_STATES = 5_000;
/** Of their documents, all together; decoded they take a few times as much. */
const MAX_CHARACTERS = 8 * 2 ** 20;

interface Kept {
  readonly state: unknown;
  readonly characters: number;
}

/**
 * In the order in which they were set. No cache that drops by itself: what a batch needs stays until
 * the batch is written, however much that is.
 */
export class RecentStates {
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  /** Of the documents of all that is kept. */
  get characters(): number {
    return this.#characters;
  }

  get(key: string): unknown {
    return this.#kept.get(key)?.state;
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /** `characters`: of the document that the state stands in. */
  set(key: string, state: unknown, characters: number): void {
    this.#drop(key);
    this.#kept.set(key, { state, characters });
    this.#characters += characters;
  }

  /** To be called between batches: lets go of the oldest beyond the bounds. */
  trim(): void {
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= MAX_STATES && this.#characters <= MAX_CHARACTERS) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#characters -= kept.characters;
  }
}
