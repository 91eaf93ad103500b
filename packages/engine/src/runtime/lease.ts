/** A lease on work that one host at a time does: taken, renewed by a timer, and released. */
import { LEASE_TTL_MS, type ReadModelStore } from '@counterfoil/projections';

export type LeaseStore = Pick<ReadModelStore, 'acquireLease' | 'releaseLease'>;

/** Where several hosts are at work, another takes over within seconds. */
export const SHARED_LEASE_TTL_MS = 6_000;
const RENEWALS_A_TTL = 3;

interface Wanted {
  readonly name: string;
  /** Unique to a process: the holder of a lease may take it again at once. */
  readonly holder: string;
  /** The clock of leases, in milliseconds; not the clock that tests move. */
  readonly now?: () => number;
  /** How long it lasts without being renewed. */
  readonly ttlMs?: number;
}

interface Taken {
  readonly epoch: number;
  readonly askedAtMs: number;
}

export class Lease {
  readonly #store: LeaseStore;
  readonly #wanted: Required<Wanted>;
  readonly #lost = new AbortController();
  readonly #renewals: NodeJS.Timeout;
  #expiry: NodeJS.Timeout | undefined;
  /** By a monotonic clock. */
  #heldUntilMs: number;

  private constructor(store: LeaseStore, wanted: Required<Wanted>, taken: Taken) {
    this.#store = store;
    this.#wanted = wanted;
    this.#heldUntilMs = taken.askedAtMs + wanted.ttlMs;
    const renew = () => void this.#renew(taken.epoch);
    this.#renewals = setInterval(renew, wanted.ttlMs / RENEWALS_A_TTL).unref();
    this.#expire();
  }

  /** Undefined while another holds it. */
  static async take(
    store: LeaseStore,
    { name, holder, now = Date.now, ttlMs = LEASE_TTL_MS }: Wanted,
  ): Promise<Lease | undefined> {
    const askedAtMs = performance.now();
    const epoch = await store.acquireLease({ name, holder, nowMs: now(), ttlMs });
    if (epoch === undefined) return undefined;
    return new Lease(store, { name, holder, now, ttlMs }, { epoch, askedAtMs });
  }

  /** Fires when another may hold it: the work must end. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async release(): Promise<void> {
    this.#stop();
    if (!this.#lost.signal.aborted) {
      await this.#store.releaseLease(this.#wanted.name, this.#wanted.holder);
    }
  }

  async #renew(epoch: number): Promise<void> {
    const { name, holder, now, ttlMs } = this.#wanted;
    const askedAtMs = performance.now();
    try {
      const held = await this.#store.acquireLease({ name, holder, nowMs: now(), ttlMs });
      if (held !== epoch) this.#lose();
      this.#heldUntilMs = Math.max(this.#heldUntilMs, askedAtMs + ttlMs);
    } catch {
      // Unknown: another may hold it.
      this.#lose();
    }
  }

  /** The work is not fenced by the epoch, and a store that waits out an outage answers too late. */
  #expire(): void {
    const leftMs = this.#heldUntilMs - performance.now();
    if (leftMs <= 0) this.#lose();
    else this.#expiry = setTimeout(() => this.#expire(), leftMs).unref();
  }

  #lose(): void {
    this.#stop();
    this.#lost.abort();
  }

  #stop(): void {
    clearInterval(this.#renewals);
    clearTimeout(this.#expiry);
  }
}
