/** A piece of work that one host at a time does: taken for a while, renewed, and given back. */
import type { ReadModelStore } from '@counterfoil/projections';

export type LeaseStore = Pick<ReadModelStore, 'acquireLease' | 'releaseLease'>;

/** How long others wait for a host that has died, where nothing else is said. */
const TTL_MS = 30_000;
/** Where several hosts are at work, another takes over within seconds. */
export const SHARED_LEASE_TTL_MS = 6_000;
const RENEWALS_A_TTL = 3;

interface Wanted {
  readonly name: string;
  /** The same name takes its own lease up at once, so it is never that of two hosts at work. */
  readonly holder: string;
  /** The time by which leases end, in milliseconds: every host's own, which no test moves. */
  readonly now?: () => number;
  /** How long it lasts without being renewed. */
  readonly ttlMs?: number;
}

export class Lease {
  readonly #store: LeaseStore;
  readonly #wanted: Required<Wanted>;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;

  private constructor(store: LeaseStore, wanted: Required<Wanted>, epoch: number) {
    this.#store = store;
    this.#wanted = wanted;
    this.#timer = setInterval(() => void this.#renew(epoch), wanted.ttlMs / RENEWALS_A_TTL);
    this.#timer.unref();
  }

  /** Undefined while another holds it. */
  static async take(
    store: LeaseStore,
    { name, holder, now = Date.now, ttlMs = TTL_MS }: Wanted,
  ): Promise<Lease | undefined> {
    const epoch = await store.acquireLease({ name, holder, nowMs: now(), ttlMs });
    return epoch === undefined ? undefined : new Lease(store, { name, holder, now, ttlMs }, epoch);
  }

  /** Fires when another may have it: what is begun is ended, and nothing more is begun. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    if (!this.#lost.signal.aborted) {
      await this.#store.releaseLease(this.#wanted.name, this.#wanted.holder);
    }
  }

  async #renew(epoch: number): Promise<void> {
    const { name, holder, now, ttlMs } = this.#wanted;
    try {
      const held = await this.#store.acquireLease({ name, holder, nowMs: now(), ttlMs });
      if (held !== epoch) this.#lost.abort();
    } catch {
      // Nobody knows whose it is: somebody else's, to be safe.
      this.#lost.abort();
    }
  }
}
