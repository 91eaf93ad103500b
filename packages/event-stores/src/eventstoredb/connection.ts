/** Keeps a client in use, and replaces it when it fails in a way that a new one may mend. */
import type { ClientMaker, LogClient } from './client.ts';
import type { Endpoint } from './connection-string.ts';
import { isType, lastingCode, leaderOf } from './failures.ts';

/** The use of a client; whoever has taken one gives it back. */
export interface Lease {
  readonly client: LogClient;
  users: number;
}

export class Connection {
  readonly #make: ClientMaker;
  readonly #ending = new Set<Promise<void>>();
  #current: Lease | undefined;
  #leader: Endpoint | undefined;

  /** Makes the first client at once, so that a wrong URL is told here. */
  constructor(make: ClientMaker) {
    this.#make = make;
    this.#current = { client: make(undefined), users: 0 };
  }

  get users(): number {
    return this.#current?.users ?? 0;
  }

  async use<Result>(work: (client: LogClient) => Promise<Result>): Promise<Result> {
    const lease = this.take();
    try {
      return await work(lease.client);
    } catch (error) {
      this.failed(lease, error);
      throw error;
    } finally {
      this.giveBack(lease);
    }
  }

  take(): Lease {
    this.#current ??= { client: this.#make(this.#leader), users: 0 };
    this.#current.users += 1;
    return this.#current;
  }

  /**
   * A follower names the leader, and the next client goes there at once. After any other failure
   * that may pass the next one begins at the URL again: the leader may be another by now.
   */
  failed(lease: Lease, error: unknown): void {
    if (this.#current !== lease) return;
    if (isType(error, 'stream-not-found') || lastingCode(error, 'read') !== undefined) return;
    this.#leader = leaderOf(error);
    this.#current = undefined;
  }

  giveBack(lease: Lease): void {
    lease.users -= 1;
    if (lease === this.#current || lease.users > 0) return;
    const ending = lease.client.dispose().catch(() => {});
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    const lease = this.#current;
    this.#current = undefined;
    if (lease !== undefined) await lease.client.dispose().catch(() => {});
    await Promise.all(this.#ending);
  }
}

/** A connection has room for 100 streams, and each subscription keeps one for as long as it lives. */
const SUBSCRIPTIONS_OF_ONE = 50;

/** Connections for subscriptions: another one when those before it are taken. */
export class ConnectionPool {
  readonly #make: ClientMaker;
  readonly #connections: Connection[] = [];

  constructor(make: ClientMaker) {
    this.#make = make;
  }

  get(): Connection {
    const roomy = this.#connections.find(({ users }) => users < SUBSCRIPTIONS_OF_ONE);
    if (roomy !== undefined) return roomy;
    const another = new Connection(this.#make);
    this.#connections.push(another);
    return another;
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}
