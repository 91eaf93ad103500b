/** A pool that delays responses: the database has done the work, but the caller does not know. */
import pg from 'pg';

type Asked = { readonly text: string };

export class GatedPool extends pg.Pool {
  /** How many were asked. */
  queries = 0;
  /** How many of them failed, whether or not they were asked again. */
  failures = 0;
  #gate: { isMeant: (asked: Asked) => boolean; open: PromiseWithResolvers<void> } | undefined;
  #answered = Promise.withResolvers<void>();

  constructor(url: string) {
    super({ connectionString: url });
    // The database may be dropped while its connections are being closed.
    this.on('connect', (client) => client.on('error', () => undefined));
    this.on('error', () => undefined);
    const ask = super.query.bind(this) as (asked: Asked) => Promise<unknown>;
    const query = async (asked: Asked): Promise<unknown> => {
      this.queries += 1;
      const answer = await ask(asked).catch((error: unknown) => {
        this.failures += 1;
        throw error;
      });
      if (this.#gate?.isMeant(asked) === true) {
        this.#answered.resolve();
        await this.#gate.open.promise;
      }
      return answer;
    };
    Object.assign(this, { query });
  }

  /** Answers wait from now on, all or those that are meant. */
  hold(isMeant: (asked: Asked) => boolean = () => true): void {
    this.#gate = { isMeant, open: Promise.withResolvers<void>() };
    this.#answered = Promise.withResolvers<void>();
  }

  /** Resolves when the database has done the work of a delayed response. */
  answered(): Promise<void> {
    return this.#answered.promise;
  }

  release(): void {
    this.#gate?.open.resolve();
    this.#gate = undefined;
  }
}
