/** Observes which workers apply the log to the shards of the read models, and for how long none does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '@counterfoil/core';
import { PROJECTIONS } from '@counterfoil/projections';
import pg from 'pg';

const LOOK_MS = 100;
/** The leases of the workers, and of the hosts' background work. */
const OF_SHARD = /^projections\/\d+$/;
const REACTORS_LEASE = 'reactors';

const LOOK = `
  SELECT b.projection || '/' || s.shard AS shard, s.position, s.epoch::text AS epoch, NULL AS name
  FROM counterfoil_read_models.shards s JOIN counterfoil_read_models.builds b ON b.id = s.build_id
  JOIN counterfoil_read_models.live l ON l.projection = b.projection AND l.build = b.build
  UNION ALL
  SELECT NULL, NULL, epoch::text, name FROM counterfoil_read_models.leases`;

const SHARES = `
  SELECT holder, count(*)::int AS shards FROM counterfoil_read_models.leases
  WHERE name ~ '^projections/[0-9]+$' AND expires_ms > $1 GROUP BY holder`;
/** Far more than a worker needs to take its share after its start. */
const MOST_SHARE_LOOKS = 300;

interface Row {
  /** Of a projection. */
  readonly shard: string | null;
  readonly position: string | null;
  readonly epoch: string;
  readonly name: string | null;
}

interface WatcherOptions {
  readonly readModelUrl: string;
  readonly events: EventStore;
}

export class Watcher {
  /** How often the leases changed their holder or epoch. */
  takeovers = 0;
  leaderships = 0;
  looks = 0;
  /** While there were events to apply. */
  longestStandstillMs = 0;
  /** Epochs or checkpoints that decreased. */
  readonly faults: string[] = [];
  readonly #events: EventStore;
  readonly #client: pg.Client;
  readonly #stopping = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  /** The highest values seen, by lease or shard of a projection. */
  readonly #epochs = new Map<string, bigint>();
  readonly #positions = new Map<string, string>();
  #reached = '';
  #movedAtMs = performance.now();

  constructor({ readModelUrl, events }: WatcherOptions) {
    this.#events = events;
    this.#client = new pg.Client({ connectionString: readModelUrl });
    // A broken connection fails the current query or the next one.
    this.#client.on('error', () => undefined);
  }

  async start(): Promise<void> {
    await this.#client.connect();
    await this.#look();
    // Earlier observations do not count.
    Object.assign(this, { takeovers: 0, leaderships: 0, longestStandstillMs: 0 });
    this.#looking = this.#watch().catch((error: Error) => {
      this.faults.push(`the observation failed: ${error.message}`);
    });
  }

  /** How many shards each worker has, once all of so many have a share. */
  async sharesInRest(workers: number): Promise<readonly number[]> {
    for (let look = 1; ; look += 1) {
      const { rows } = await this.#client.query<{ shards: number }>(SHARES, [Date.now()]);
      const shares = rows.map(({ shards }) => shards).sort((a, b) => a - b);
      const isFair = shares.length === workers && (shares.at(-1) ?? 0) - (shares[0] ?? 0) <= 1;
      if (isFair || look === MOST_SHARE_LOOKS) return shares;
      await sleep(LOOK_MS);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await this.#client.end();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#look();
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    // Head first: what is applied later then counts as applied.
    const head = await this.#events.head();
    const { rows } = await this.#client.query<Row>({ name: 'look', text: LOOK });
    this.looks += 1;
    let reached: string | undefined;
    for (const { shard, position, epoch, name } of rows) {
      const grown = this.#grow(shard ?? name ?? '', BigInt(epoch));
      if (OF_SHARD.test(name ?? '')) this.takeovers += grown;
      if (name === REACTORS_LEASE) this.leaderships += grown;
      if (shard === null) continue;
      const at = position ?? '';
      this.#advance(shard, at);
      reached = reached === undefined || at < reached ? at : reached;
    }
    const known = rows.filter(({ shard }) => shard !== null);
    const isComplete = known.length > 0 && known.length % PROJECTIONS.length === 0;
    this.#measure(isComplete ? (reached ?? '') : '', head ?? '');
  }

  /** How far an epoch has grown since the previous look. */
  #grow(name: string, epoch: bigint): number {
    const before = this.#epochs.get(name) ?? 0n;
    if (epoch < before)
      this.faults.push(`the epoch of ${name} went back from ${before} to ${epoch}`);
    this.#epochs.set(name, epoch > before ? epoch : before);
    return epoch > before ? Number(epoch - before) : 0;
  }

  #advance(shard: string, position: string): void {
    const before = this.#positions.get(shard) ?? '';
    if (position < before) this.faults.push(`the checkpoint of ${shard} went back`);
    this.#positions.set(shard, position);
  }

  #measure(reached: string, head: string): void {
    const nowMs = performance.now();
    const stands = reached < head && reached === this.#reached;
    if (stands)
      this.longestStandstillMs = Math.max(this.longestStandstillMs, nowMs - this.#movedAtMs);
    else this.#movedAtMs = nowMs;
    this.#reached = reached;
  }
}
