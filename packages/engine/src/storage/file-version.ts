/** Whether another connection has changed an SQLite file. */

/** Looks once a turn of the event loop: what was read before stands for the rest of a turn at most. */
export class FileVersion {
  readonly #read: () => unknown;
  #last: unknown;
  #hasLooked = false;

  /** `read` answers another value after a commit of another connection. */
  constructor(read: () => unknown) {
    this.#read = read;
  }

  /** Since it was asked last; false without a look in the same turn. True the first time. */
  hasChanged(): boolean {
    if (this.#hasLooked) return false;
    const before = this.#last;
    this.#last = this.#read();
    this.#hasLooked = true;
    setImmediate(() => {
      this.#hasLooked = false;
    });
    return this.#last !== before;
  }
}
