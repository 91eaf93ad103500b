/** A lease on the work on read models: taken, renewed by a timer, and released. */
import { StaleWorker } from './folder.ts';
import type { ReadModelStore } from './read-model-store.ts';

/** How long a lease lasts without being renewed, unless it is given otherwise. */
export const LEASE_TTL_MS = 30_000;
const RENEWALS_A_TTL = 3;

/** Held while a build of a projection is made beside its live one. */
export function rebuildLeaseOf(projection: string): string {
  return `rebuild-${projection}`;
}

export interface LeaseOptions {
  readonly store: Pick<ReadModelStore, 'acquireLease' | 'releaseLease'>;
  readonly holder: string;
  /** The clock, in milliseconds. */
  readonly now: () => number;
  /** Default: `LEASE_TTL_MS`, or what a renewal asks for. */
  readonly leaseTtlMs?: number | undefined;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #name: string;
  readonly epoch: number;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<unknown> = Promise.resolve();

  private constructor(options: LeaseOptions, name: string, epoch: number) {
    this.#options = options;
    this.#name = name;
    this.epoch = epoch;
  }

  /** Undefined while another holds it. */
  static async take(options: LeaseOptions, name: string): Promise<Lease | undefined> {
    const epoch = await acquire(options, name, LEASE_TTL_MS);
    return epoch === undefined ? undefined : new Lease(options, name, epoch);
  }

  /** Throws `StaleWorker` when it had expired and another took it. */
  async renew(otherwiseMs = LEASE_TTL_MS): Promise<void> {
    const epoch = await acquire(this.#options, this.#name, otherwiseMs);
    if (epoch !== this.epoch) throw new StaleWorker(`another took the lease ${this.#name}`);
  }

  /** Renews it by a timer until it is released. */
  keep(onLost: () => void): void {
    const { leaseTtlMs = LEASE_TTL_MS } = this.#options;
    this.#timer = setInterval(() => {
      this.#renewing = this.renew().catch(onLost);
    }, leaseTtlMs / RENEWALS_A_TTL);
    this.#timer.unref();
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    await this.#options.store.releaseLease(this.#name, this.#options.holder);
  }
}

async function acquire(
  { store, holder, now, leaseTtlMs }: LeaseOptions,
  name: string,
  otherwiseMs: number,
): Promise<number | undefined> {
  return store.acquireLease({ name, holder, nowMs: now(), ttlMs: leaseTtlMs ?? otherwiseMs });
}
