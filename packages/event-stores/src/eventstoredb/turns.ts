/** Limits concurrency: calls of a connection, and appends to one stream. */

/** Semaphore, FIFO. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** Per-key mutex, FIFO. */
export class Queues<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const result = before === undefined ? work() : before.then(work);
    const settled = result.then(
      () => {},
      () => {},
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return result;
  }

  /** Settles when nothing is under way. */
  async empty(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
