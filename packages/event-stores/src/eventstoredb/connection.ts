/** Keeps a client, and replaces it after failures that a new one may not have. */
import type { ClientMaker, LogClient } from './client.ts';
import type { Endpoint } from './connection-string.ts';
import { isType, lastingCode, leaderOf } from './failures.ts';

/** The use of a client, to be given back. */
export interface Lease {
  readonly client: LogClient;
  users: number;
}

export class Connection {
  readonly #make: ClientMaker;
  readonly #ending = new Set<Promise<void>>();
  #current: Lease | undefined;
  #leader: Endpoint | undefined;

  /** Makes the first client now. Throws for a wrong URL. */
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
   * A follower node names the leader, to which the next client connects. After any other transient
   * failure the next one uses the URL again: the leader may have changed.
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

  /** Ends open calls. */
  async close(): Promise<void> {
    const lease = this.#current;
    this.#current = undefined;
    if (lease !== undefined) await lease.client.dispose().catch(() => {});
    await Promise.all(this.#ending);
  }
}

/** A connection takes 100 streams, and each subscription uses one until it ends. */
const SUBSCRIPTIONS_OF_ONE = 50;

/** Connections for subscriptions: a new one when the others are full. */
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
