/** Batches what is asked for in one turn of the event loop, or while a batch is under way. */

import type { Awaitable } from './sql-tables.ts';

const DEFAULT_MAX_AT_ONCE = 500;

/** Runs a batch; answers each, in order. */
export type Carry<Asked, Answer> = (asked: readonly Asked[]) => Awaitable<readonly Answer[]>;

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** One batch is under way at a time. */
export class RoundTrips<Asked, Answer> {
  readonly #carry: Carry<Asked, Answer>;
  readonly #maxAtOnce: number;
  readonly #gather: () => Promise<unknown>;
  #waiting: Waiting<Asked, Answer>[] = [];
  /** Settled when the queue is empty; undefined while it is. */
  #emptying: Promise<void> | undefined;

  /** `gather` is what a batch waits for to grow: the end of the turn, unless it is given. */
  constructor(
    carry: Carry<Asked, Answer>,
    maxAtOnce: number = DEFAULT_MAX_AT_ONCE,
    gather: () => Promise<unknown> = () => new Promise(setImmediate),
  ) {
    this.#carry = carry;
    this.#maxAtOnce = maxAtOnce;
    this.#gather = gather;
  }

  /** Rejects when the batch fails, as for all of the batch. */
  ask(asked: Asked): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ asked, resolve, reject });
    this.#emptying ??= this.#empty();
    return promise;
  }

  /** Resolves when the queue is empty. */
  async rest(): Promise<void> {
    await this.#emptying;
  }

  async #empty(): Promise<void> {
    await this.#gather();
    while (this.#waiting.length > 0) {
      const together = this.#waiting.splice(0, this.#maxAtOnce);
      try {
        const answers = await this.#carry(together.map(({ asked }) => asked));
        if (answers.length !== together.length) throw new Error('an answer is missing');
        for (const [index, { resolve }] of together.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#emptying = undefined;
  }
}
