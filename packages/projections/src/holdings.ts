/** The leases of a worker: its fair share of the shards, of as many workers as there are. */
import { Lease, type LeaseOptions } from './lease.ts';
import type { ReadModelStore } from './read-model-store.ts';
import type { Hold } from './shards.ts';

export interface HoldingsOptions extends LeaseOptions {
  readonly store: Pick<ReadModelStore, 'acquireLease' | 'releaseLease' | 'leases'>;
  /** What the names of the leases begin with; workers of the same name share the shards. */
  readonly name: string;
  readonly shards: number;
  /** Only this shard, whatever others have: for work on one tenant. */
  readonly only?: number | undefined;
}

interface Plan {
  /** Whether there is a place for this worker among those that share. */
  readonly mayJoin: boolean;
  readonly give: readonly number[];
  readonly take: readonly number[];
}

/**
 * Workers know of each other by leases too: one takes the first place that is free, and of as many
 * places as are taken each has a share of the shards, those before it one more where it does not come
 * out even. What one has too many it gives back; what is free, given back or left by one that has died,
 * is taken by who has too few. There are as many places as shards: further workers stand by.
 */
export class Holdings {
  readonly #options: HoldingsOptions;
  readonly #held = new Map<number, Lease>();
  #place: { readonly number: number; readonly lease: Lease } | undefined;
  #lost = new AbortController();

  constructor(options: HoldingsOptions) {
    this.#options = options;
  }

  get holds(): readonly Hold[] {
    return [...this.#held].map(([shard, { epoch }]) => ({ shard, epoch }));
  }

  /** Fires when a lease of now expired and another may have it. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether the worker has too few or too many, and can do something about it. */
  async isToChange(): Promise<boolean> {
    if (this.#isAlone) return this.#held.size === 0;
    const { mayJoin, give, take } = await this.#plan();
    return mayJoin || give.length > 0 || take.length > 0;
  }

  /** Takes and gives. To be called while nothing is applied. */
  async change(): Promise<void> {
    const { shards, only = 0 } = this.#options;
    if (this.#isAlone) return this.#take([only]);
    if ((await this.#plan()).mayJoin) await this.#join(shards);
    const { give, take } = await this.#plan();
    for (const shard of give) {
      await this.#held.get(shard)?.release();
      this.#held.delete(shard);
    }
    await this.#take(take);
  }

  /** Gives the shards back: another, or this worker under a later epoch, takes them. */
  async giveBack(): Promise<void> {
    const leases = [...this.#held.values()];
    this.#held.clear();
    this.#lost = new AbortController();
    await Promise.all(leases.map((lease) => lease.release()));
  }

  async end(): Promise<void> {
    await this.giveBack();
    await this.#place?.lease.release();
    this.#place = undefined;
  }

  get #isAlone(): boolean {
    return this.#options.only !== undefined || this.#options.shards === 1;
  }

  async #take(shards: readonly number[]): Promise<void> {
    const free = shards.filter((shard) => !this.#held.has(shard));
    const { name } = this.#options;
    const lost = this.#lost;
    const taken = await Promise.all(
      free.map((shard) => Lease.take(this.#options, leaseOf(name, shard))),
    );
    for (const [index, shard] of free.entries()) {
      const lease = taken[index];
      if (lease === undefined) continue;
      lease.keep(() => lost.abort());
      this.#held.set(shard, lease);
    }
  }

  async #join(places: number): Promise<void> {
    for (let number = 0; number < places; number += 1) {
      const lease = await Lease.take(this.#options, this.#placeOf(number));
      if (lease === undefined) continue;
      this.#place = { number, lease };
      lease.keep(() => {
        if (this.#place?.lease === lease) this.#place = undefined;
      });
      return;
    }
  }

  async #plan(): Promise<Plan> {
    const { store, name, holder, shards, now } = this.#options;
    const held = await store.leases(`${name}/`, now());
    const others = new Set(held.filter((each) => each.holder !== holder).map((each) => each.name));
    const numbers = [...Array(shards).keys()];
    if (this.#place === undefined) {
      const mayJoin = numbers.some((number) => !others.has(this.#placeOf(number)));
      return { mayJoin, give: [...this.#held.keys()], take: [] };
    }
    const own = this.#place.number;
    const places = numbers.filter((number) => number === own || others.has(this.#placeOf(number)));
    const isOneMore = places.indexOf(own) < shards % places.length;
    const share = Math.floor(shards / places.length) + (isOneMore ? 1 : 0);
    const free = numbers.filter(
      (shard) => !this.#held.has(shard) && !others.has(leaseOf(name, shard)),
    );
    const missing = Math.max(0, share - this.#held.size);
    return {
      mayJoin: false,
      give: [...this.#held.keys()].slice(share),
      take: free.slice(0, missing),
    };
  }

  #placeOf(number: number): string {
    return `${this.#options.name}/worker/${number}`;
  }
}

/** The lease on a shard. */
export function leaseOf(name: string, shard: number): string {
  return `${name}/${shard}`;
}
