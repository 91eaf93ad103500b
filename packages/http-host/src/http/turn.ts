/** Has the requests that arrive in one turn of the event loop go on together. */

/** More do not gain by it, and would all count as in flight. */
const MAX_TOGETHER = 100;

/**
 * What is done for all of them stays in the caches of the processor: a request that goes through all of
 * the program by itself takes a third more time.
 */
export class Turn {
  #end: PromiseWithResolvers<void> | undefined;
  #waiting = 0;

  /** Resolves when all sockets that were ready have been read, or so many that they are enough. */
  end(): Promise<void> {
    if (this.#end === undefined) {
      const begun = Promise.withResolvers<void>();
      this.#end = begun;
      this.#waiting = 0;
      setImmediate(() => this.#release(begun));
    }
    const end = this.#end;
    this.#waiting += 1;
    if (this.#waiting === MAX_TOGETHER) this.#release(end);
    return end.promise;
  }

  #release(end: PromiseWithResolvers<void>): void {
    if (this.#end === end) this.#end = undefined;
    end.resolve();
  }
}
