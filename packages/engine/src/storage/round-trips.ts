/** Spares round trips: what is asked for in one turn of the event loop, or while an answer is awaited, travels together. */

import type { Awaitable } from './sql-tables.ts';

const DEFAULT_MAX_AT_ONCE = 500;

/** Asks for all of these at once; answers each, in their order. */
export type Carry<Asked, Answer> = (asked: readonly Asked[]) => Awaitable<readonly Answer[]>;

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** One round trip is under way at a time, so what was asked for first is carried first. */
export class RoundTrips<Asked, Answer> {
  readonly #carry: Carry<Asked, Answer>;
  readonly #maxAtOnce: number;
  #waiting: Waiting<Asked, Answer>[] = [];
  /** Settled when nothing waits any more; undefined while nothing does. */
  #emptying: Promise<void> | undefined;

  constructor(carry: Carry<Asked, Answer>, maxAtOnce: number = DEFAULT_MAX_AT_ONCE) {
    this.#carry = carry;
    this.#maxAtOnce = maxAtOnce;
  }

  /** Rejects when the round trip fails, as for all who shared it. */
  ask(asked: Asked): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ asked, resolve, reject });
    this.#emptying ??= this.#empty();
    return promise;
  }

  /** Resolves when nothing is under way. */
  async rest(): Promise<void> {
    await this.#emptying;
  }

  async #empty(): Promise<void> {
    await new Promise(setImmediate);
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
