/** The read models stage: following the log, rebuilding, and searching. */
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openSqliteReadModelStore, type ReadModelStore } from '@counterfoil/projections';
import { type Once, once } from '../harness/once.ts';
import type { Prepared, Row, Setting, Sides, Stage } from '../harness/stage.ts';
import { NaiveSqlite } from '../peers/naive-sqlite.ts';
import { openPostgresSearch, type PostgresSearch } from '../peers/postgres-search.ts';
import {
  eventsAfter,
  fillFiles,
  follow,
  Growth,
  makeReadSide,
  type ReadSide,
  streamsOf,
} from './read-models-data.ts';
import { SEARCH_ROWS, searches } from './search.ts';

interface Size {
  readonly large: number;
  readonly small: number;
  /** Searches of each filter in a round. */
  readonly queries: number;
  /** New payments per round while the read models follow. */
  readonly live: number;
}

const FULL: Size = { large: 1_000_000, small: 100_000, queries: 500, live: 13_000 };
const QUICK: Size = { large: 100_000, small: 10_000, queries: 150, live: 3_000 };
const NAIVE_EVENTS_A_TRANSACTION = 1_000;

const ROWS: readonly Row[] = [
  // Searches first, while both sides hold the same freshly loaded rows.
  ...SEARCH_ROWS,
  {
    id: 'projection',
    what: 'events a second into all read models while live',
    unit: 'events/s',
    better: 'higher',
    reach: { 'naive-sqlite': 1.5 },
    durability: 'synchronous=NORMAL, rows and checkpoint in one commit of at most 10,000 events',
  },
  {
    id: 'rebuild',
    what: 'events a second of a rebuild of all read models from the log',
    unit: 'events/s',
    better: 'higher',
    reach: { 'own-live': 3 },
    durability: 'nothing until its end, then synced before it is made live',
  },
];

export const readModels: Stage = {
  name: 'read-models',
  rows: ROWS,

  async prepare(setting: Setting): Promise<Prepared> {
    const size = setting.quick ? QUICK : FULL;
    const { seed, folder, say } = setting;
    const sideOf = (payments: number) =>
      once(() => makeReadSide(folder, { size: payments, seed }, say));
    const [large, small] = [sideOf(size.large), sideOf(size.small)];
    const naive = once(async () => {
      say(`naive-sqlite: loading ${size.large} payments`);
      const made = new NaiveSqlite(join(folder, 'naive.db'));
      made.load(streamsOf({ size: size.large, seed }));
      return made;
    });
    const reader = once(async () => (await naive()).reader());
    const facts: Record<string, string> = {
      rebuilt: `${setting.quick ? size.small : size.large} payments`,
      transactions: `${size.large} and ${size.small} made-up payments of one tenant, in a year`,
      searches: `${size.queries} of each filter a round`,
      live: `${size.live} payments a round, applied from the log by the worker itself in the main thread`,
    };
    const postgres = once(async () => {
      facts['postgres'] = await setting.postgres.facts();
      const database = await setting.postgres.newDatabase();
      return openPostgresSearch(database, (await reader()).records(), say);
    });
    const searching = searches({
      seed,
      queries: size.queries,
      large,
      small,
      scan: reader,
      postgres,
    });
    // Six rebuilds of the large log would take too long for a quick run.
    const replayed = setting.quick ? small : large;
    const following = new Following({ large, replayed, naive, live: size.live });
    return {
      sides: { ...searching.sides, ...following.sides(folder) },
      facts,
      async close() {
        await searching.close();
        await following.close();
        if (reader.made()) (await reader()).close();
        if (naive.made()) (await naive()).close();
        await closeMade(postgres);
        for (const side of [large, small]) if (side.made()) await (await side()).close();
      },
    };
  },
};

/** A peer that failed to open has closed itself. */
async function closeMade(postgres: Once<PostgresSearch>): Promise<void> {
  if (!postgres.made()) return;
  const peer = await postgres().catch(() => undefined);
  await peer?.close();
}

interface Parts {
  readonly large: Once<ReadSide>;
  /** The log that rebuilds replay. */
  readonly replayed: Once<ReadSide>;
  readonly naive: Once<NaiveSqlite>;
  /** Payments in a part. */
  readonly live: number;
}

/** Read models that follow a growing log: both sides apply the same part per round. */
class Following {
  readonly #large: Once<ReadSide>;
  readonly #replayed: Once<ReadSide>;
  readonly #naive: Once<NaiveSqlite>;
  readonly #growth: Growth;
  readonly #store: Once<ReadModelStore>;
  #ownRounds = 0;
  #naiveRounds = 0;
  #rebuilds = 0;

  constructor({ large, replayed, naive, live }: Parts) {
    this.#large = large;
    this.#replayed = replayed;
    this.#naive = naive;
    this.#growth = new Growth(large, live);
    this.#store = once(async () => openSqliteReadModelStore({ path: (await large()).modelsPath }));
  }

  sides(folder: string): Readonly<Record<string, Sides>> {
    const own = () => this.#own();
    return {
      projection: { own, peers: { 'naive-sqlite': () => this.#naiveRate() } },
      rebuild: { own: () => this.#rebuildRate(folder), peers: { 'own-live': own } },
    };
  }

  async close(): Promise<void> {
    if (this.#store.made()) await (await this.#store()).close();
  }

  async #own(): Promise<number> {
    const { follower } = await this.#large();
    const store = await this.#store();
    const part = await this.#growth.part(this.#ownRounds);
    this.#ownRounds += 1;
    return part.events / (await follow(follower, store, part));
  }

  async #naiveRate(): Promise<number> {
    const { follower } = await this.#large();
    const naive = await this.#naive();
    const part = await this.#growth.part(this.#naiveRounds);
    this.#naiveRounds += 1;
    let applied = 0;
    const begin = performance.now();
    for await (const batch of eventsAfter(follower, part.after, NAIVE_EVENTS_A_TRANSACTION)) {
      const wanted = batch.filter(({ position }) => position <= part.upTo);
      naive.apply(wanted);
      applied += wanted.length;
    }
    const seconds = (performance.now() - begin) / 1_000;
    if (applied !== part.events) throw new Error(`${applied} of ${part.events} events applied`);
    return part.events / seconds;
  }

  async #rebuildRate(folder: string): Promise<number> {
    const side = await this.#replayed();
    this.#rebuilds += 1;
    const path = join(folder, `rebuild-${this.#rebuilds}.db`);
    const begin = performance.now();
    await fillFiles(side, path);
    const seconds = (performance.now() - begin) / 1_000;
    removeFiles(path);
    // Only the large log grows during the measurement.
    const grown = side === (await this.#large()) ? this.#growth.parts : [];
    return grown.reduce((sum, part) => sum + part.events, side.events) / seconds;
  }
}

/** A store's catalog and its builds. */
function removeFiles(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(basename(path))) rmSync(join(folder, name));
  }
}
