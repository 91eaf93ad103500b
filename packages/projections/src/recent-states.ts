/** Cache of decoded states of a projection. */

/** Most changes of a state follow the last one within seconds. */
const MAX_STATES = 5_000;
/** Of their documents, all together; decoded they take a few times as much. */
const MAX_CHARACTERS = 8 * 2 ** 20;

interface Kept {
  readonly state: unknown;
  readonly characters: number;
}

/**
 * In the order in which they were set. Never evicts during a batch: what a batch needs stays until it is
 * written.
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

  /** To be called between batches: evicts the oldest beyond the limits. */
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
