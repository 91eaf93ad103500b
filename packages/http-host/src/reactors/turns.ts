/** One at a time for each name: whoever comes while another is at work waits for their turn. */
export interface TurnTaking {
  take<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

/** Within one process. */
export class Turns implements TurnTaking {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    // The one before has told its own caller how it ended.
    const mine = before === undefined ? work() : before.then(work, work);
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }
}
