/** Calls to the server: bounded in number, repeated while they fail in a way that may pass, typed when not. */
import { BackOff } from '../back-off.ts';
import type { LogClient } from './client.ts';
import type { Connection } from './connection.ts';
import { failure, lastingCode, type Purpose } from './failures.ts';
import { Gate } from './turns.ts';

/** A connection has room for 100 calls; beyond them a call would wait where no deadline reaches it. */
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

  /** As many attempts as there is time for: what it throws is the port's error. */
  async read<Result>(
    doing: string,
    work: (client: LogClient) => Promise<Result>,
    patience = this.patience(),
  ): Promise<Result> {
    for (;;) {
      try {
        return await this.once(work);
      } catch (error) {
        await patience.after(error, doing, 'read');
      }
    }
  }

  patience(): Patience {
    return new Patience(this.#retryMs);
  }
}

/** How long one piece of work is tried again. */
export class Patience {
  readonly #until: number;
  readonly #backOff = new BackOff();
  #attempts = 0;

  constructor(retryMs: number) {
    this.#until = Date.now() + retryMs;
  }

  /** Waits a while after a failure that may pass; throws the port's error after any other, or the last. */
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
