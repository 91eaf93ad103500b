/** Observes which worker applies the log to the read models, and for how long none does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '@counterfoil/core';
import { PROJECTIONS } from '@counterfoil/projections';
import pg from 'pg';

const LOOK_MS = 100;
/** The leases of the workers, and of the hosts' background work. */
const PROJECTIONS_LEASE = 'projections';
const REACTORS_LEASE = 'reactors';

const LOOK = `
  SELECT b.projection, b.position, b.epoch::text AS epoch, NULL AS name
  FROM counterfoil_read_models.builds b
  JOIN counterfoil_read_models.live l ON l.projection = b.projection AND l.build = b.build
  UNION ALL
  SELECT NULL, NULL, epoch::text, name FROM counterfoil_read_models.leases`;

interface Row {
  readonly projection: string | null;
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
  /** The highest values seen, by lease or projection. */
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
    for (const { projection, position, epoch, name } of rows) {
      const grown = this.#grow(projection ?? name ?? '', BigInt(epoch));
      if (name === PROJECTIONS_LEASE) this.takeovers += grown;
      if (name === REACTORS_LEASE) this.leaderships += grown;
      if (projection === null) continue;
      const at = position ?? '';
      this.#advance(projection, at);
      reached = reached === undefined || at < reached ? at : reached;
    }
    const isComplete =
      rows.filter(({ projection }) => projection !== null).length === PROJECTIONS.length;
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

  #advance(projection: string, position: string): void {
    const before = this.#positions.get(projection) ?? '';
    if (position < before) this.faults.push(`the checkpoint of ${projection} went back`);
    this.#positions.set(projection, position);
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
