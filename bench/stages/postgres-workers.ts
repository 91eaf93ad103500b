/** Workers that share the read models on PostgreSQL: how fast two of them catch up, beside one. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  leaseOf,
  PROJECTIONS,
  PROJECTIONS_LEASE,
  type ReadModelStore,
} from '@counterfoil/projections';
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';
import { once } from '../harness/once.ts';
import type { PostgresDatabase } from '../harness/postgres.ts';
import type { Measure, Prepared, Row, Setting, Stage } from '../harness/stage.ts';
import { secondsSince } from './appending.ts';
import type { GatedWorkerData } from './gated-worker.ts';
import { Growth, makeReadSide, type Part, type ReadSide, rebuildAll } from './read-models-data.ts';

const TENANTS = 64;
const FULL = { base: 20_000, live: 13_000 };
const QUICK = { base: 4_000, live: 3_000 };
const POLL_MS = 5;

const ROWS: readonly Row[] = [
  {
    id: 'postgres-workers',
    what: 'events a second into all read models on PostgreSQL while two workers catch up',
    unit: 'events/s',
    better: 'higher',
    reach: { 'one-worker': null },
    durability:
      'fsync=on; rows and checkpoints in one commit of at most 10,000 events, synchronous_commit=off on both sides',
  },
];

export const postgresWorkers: Stage = {
  name: 'postgres-workers',
  rows: ROWS,

  async prepare(setting: Setting): Promise<Prepared> {
    const size = setting.quick ? QUICK : FULL;
    const models = once(() => SharedModels.make(setting, size));
    const side = (workers: number): Measure => {
      const store = once(async () => (await models()).store());
      let round = 0;
      return async () => {
        const made = await models();
        const { url, opened } = await store();
        const part = await made.growth.part(round);
        round += 1;
        return part.events / (await made.seconds({ workers, url, store: opened, part }));
      };
    };
    return {
      sides: { 'postgres-workers': { own: side(2), peers: { 'one-worker': side(1) } } },
      facts: {
        workers: `threads with connections of their own; ${size.live} payments of ${TENANTS} tenants a round, to ${size.base}; their server shares the processors`,
        postgres: await setting.postgres.facts(),
      },
      async close() {
        if (models.made()) await (await models()).close();
      },
    };
  },
};

interface Catching {
  readonly workers: number;
  readonly url: string;
  readonly store: ReadModelStore;
  readonly part: Part;
}

/** A log that grows by one part a round, and a database with the initial read models for each side. */
class SharedModels {
  readonly growth: Growth;
  readonly #setting: Setting;
  readonly #side: ReadSide;
  readonly #base: PostgresDatabase;
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor(setting: Setting, side: ReadSide, base: PostgresDatabase, live: number) {
    this.#setting = setting;
    this.#side = side;
    this.#base = base;
    this.growth = new Growth(async () => side, live);
  }

  static async make(setting: Setting, { base, live }: typeof FULL): Promise<SharedModels> {
    const { postgres, seed, say } = setting;
    const folder = join(setting.folder, 'workers');
    mkdirSync(folder);
    const side = await makeReadSide(folder, { size: base, seed, tenants: TENANTS }, say);
    say(`making the read models of ${base} payments on PostgreSQL`);
    const database = await postgres.newDatabase();
    const store = await openPostgresReadModelStore({ url: database.url });
    await rebuildAll(side.follower, store);
    await store.close();
    await postgres.tidyUp(database.url);
    return new SharedModels(setting, side, database, live);
  }

  async store(): Promise<{ readonly url: string; readonly opened: ReadModelStore }> {
    const { url, drop } = await this.#setting.postgres.copyOf(this.#base);
    const opened = await openPostgresReadModelStore({ url });
    this.#closing.push(drop, () => opened.close());
    return { url, opened };
  }

  /** From when all workers have their share until all read models have the part. */
  async seconds({ workers, url, store, part }: Catching): Promise<number> {
    const { logPath } = this.#side;
    const threads = Array.from({ length: workers }, (_, index) => {
      const workerData: GatedWorkerData = { logPath, url, holder: `worker ${index}` };
      return new Worker(new URL('./gated-worker.ts', import.meta.url), { workerData });
    });
    const failing = Promise.race(
      threads.map((each) => new Promise<never>((_, reject) => each.once('error', reject))),
    );
    const ended = threads.map((each) => new Promise((resolve) => each.once('exit', resolve)));
    await Promise.race([failing, until(() => isShared(store, workers))]);
    const begin = performance.now();
    for (const each of threads) each.postMessage('go');
    await Promise.race([failing, until(() => hasReached(store, part))]);
    const seconds = secondsSince(begin);
    for (const each of threads) each.postMessage('stop');
    await Promise.all(ended);
    return seconds;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
    await this.#base.drop();
    await this.#side.close();
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(POLL_MS);
}

/** Whether each worker has an equal share of the shards. */
async function isShared(store: ReadModelStore, workers: number): Promise<boolean> {
  const shards = await store.shards();
  const names = new Set(
    [...Array(shards).keys()].map((shard) => leaseOf(PROJECTIONS_LEASE, shard)),
  );
  const held = (await store.leases(`${PROJECTIONS_LEASE}/`, Date.now())).filter(({ name }) =>
    names.has(name),
  );
  const holders = Map.groupBy(held, ({ holder }) => holder);
  return (
    held.length === shards &&
    holders.size === workers &&
    [...holders.values()].every((each) => each.length === shards / workers)
  );
}

async function hasReached(store: ReadModelStore, { upTo }: Part): Promise<boolean> {
  for (const { name } of PROJECTIONS) {
    const reached = await (await store.live(name))?.checkpoint();
    if (reached === undefined || reached < upTo) return false;
  }
  return true;
}
