/** Calls to the server: limited in number, retried on transient failures, with the port's errors for others. */
import { BackOff } from '../back-off.ts';
import type { LogClient } from './client.ts';
import type { Connection } from './connection.ts';
import { failure, lastingCode, type Purpose } from './failures.ts';
import { Gate } from './turns.ts';

/** A connection takes 100 concurrent calls; further ones would queue without a deadline. */
const CALLS_AT_ONCE = 64;
/** Of one call, whatever the clock says. */
const MAX_ATTEMPTS = 64;

export class Calls {
  readonly #connection: Connection;
  readonly #retryMs: number;
  readonly #gate = new Gate(CALLS_AT_ONCE);

  constructor(connection: Connection, retryMs: number) {
    this.#connection = connection;
    this.#retryMs = retryMs;
  }

  /** One attempt: what it throws is the client's error. */
  once<Result>(work: (client: LogClient) => Promise<Result>): Promise<Result> {
    return this.#gate.pass(() => this.#connection.use(work));
  }

  /** Retries within the time limit. Throws the port's error. */
  async read<Result>(
    doing: string,
    work: (client: LogClient) => Promise<Result>,
    retries = this.retries(),
  ): Promise<Result> {
    for (;;) {
      try {
        return await this.once(work);
      } catch (error) {
        await retries.after(error, doing, 'read');
      }
    }
  }

  retries(): Retries {
    return new Retries(this.#retryMs);
  }
}

/** The retries of one operation, within a time limit. */
export class Retries {
  readonly #until: number;
  readonly #backOff = new BackOff();
  #attempts = 0;

  constructor(retryMs: number) {
    this.#until = Date.now() + retryMs;
  }

  /** Pauses after a transient failure; throws the port's error after any other, or at the time limit. */
  async after(error: unknown, doing: string, purpose: Purpose): Promise<void> {
    const code = lastingCode(error, purpose);
    if (code !== undefined) throw failure(code, doing, error);
    this.#attempts += 1;
    if (Date.now() >= this.#until || this.#attempts >= MAX_ATTEMPTS) {
      throw failure('unavailable', `${doing}, after ${this.#attempts} attempts`, error);
    }
    await this.#backOff.pause();
  }
}
