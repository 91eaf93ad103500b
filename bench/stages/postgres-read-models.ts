/** Read models on PostgreSQL: how fast they follow the log, and the gain of batched writes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Build,
  type Commit,
  openSqliteReadModelStore,
  type ReadModelStore,
} from '@counterfoil/projections';
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';
import { type Once, once } from '../harness/once.ts';
import type { PostgresDatabase } from '../harness/postgres.ts';
import type { Measure, Prepared, Row, Setting, Sides, Stage } from '../harness/stage.ts';
import { PostgresDocuments, type ReadyRow } from '../peers/postgres-documents.ts';
import { secondsSince } from './appending.ts';
import { follow, Growth, makeReadSide, type ReadSide, rebuildAll } from './read-models-data.ts';

interface Size {
  /** Payments before the measurements. */
  readonly base: number;
  /** New payments per round. */
  readonly live: number;
}

interface Sizes {
  readonly projection: Size;
  readonly bulkApply: Size;
}

const FULL: Sizes = {
  projection: { base: 100_000, live: 13_000 },
  bulkApply: { base: 20_000, live: 2_000 },
};
const QUICK: Sizes = {
  projection: { base: 10_000, live: 3_000 },
  bulkApply: { base: 5_000, live: 500 },
};
/** Above any epoch of the worker that built the base. */
const EPOCH = 1_000_000;

const ROWS: readonly Row[] = [
  {
    id: 'postgres-projection',
    what: 'events a second into all read models on PostgreSQL while live',
    unit: 'events/s',
    better: 'higher',
    reach: { absolute: 10_000, 'raw-postgres': null },
    durability:
      'fsync=on; rows and checkpoint in one commit of at most 10,000 events, synchronous_commit=off on both sides',
  },
  {
    id: 'postgres-bulk-apply',
    what: 'changes of documents a second into the tables of all read models on PostgreSQL',
    unit: 'changes/s',
    better: 'higher',
    reach: { 'row-at-a-time': 5 },
    durability: 'fsync=on; the same changes in a commit, synchronous_commit=off on both sides',
  },
];

export const postgresReadModels: Stage = {
  name: 'postgres-read-models',
  rows: ROWS,

  async prepare(setting: Setting): Promise<Prepared> {
    const { projection, bulkApply } = setting.quick ? QUICK : FULL;
    const following = once(() => Models.make(setting, 'projection', projection));
    const applying = once(() => Models.make(setting, 'bulk-apply', bulkApply));
    return {
      sides: {
        'postgres-projection': projectionSides(following),
        'postgres-bulk-apply': bulkApplySides(applying),
      },
      facts: {
        projection: `${projection.live} payments a round, to ${projection.base} in a year`,
        bulkApply: `${bulkApply.live} payments a round, to ${bulkApply.base} in a year`,
        postgres: await setting.postgres.facts(),
      },
      async close() {
        for (const each of [following, applying]) if (each.made()) await (await each()).close();
      },
    };
  },
};

function projectionSides(models: Once<Models>): Sides {
  const own = once(async () => (await models()).store());
  const raw = once(async () => (await models()).documents());
  const rounds = { own: counter(), raw: counter() };
  return {
    async own() {
      const made = await models();
      const store = await own();
      const part = await made.growth.part(rounds.own());
      return part.events / (await follow(made.side.follower, store, part));
    },
    peers: {
      // The target is the figure itself, not a ratio.
      absolute: async () => 1,
      async 'raw-postgres'() {
        const made = await models();
        const documents = await raw();
        const round = rounds.raw();
        const { events } = await made.growth.part(round);
        const commits = readyCommits(documents, await made.recorded(round));
        const seconds = await secondsFor(commits, (rows) => documents.applyTogether(rows));
        return events / seconds;
      },
    },
  };
}

function bulkApplySides(models: Once<Models>): Sides {
  const stored = once(async () => (await models()).store());
  const builds = once(async () => liveBuilds(await stored()));
  const documents = once(async () => (await models()).documents());
  const rounds = { own: counter(), peer: counter() };
  const own: Measure = async () => {
    const commits = await (await models()).recorded(rounds.own());
    const buildOf = await builds();
    const shards = await (await stored()).shards();
    const seconds = await secondsFor(commits, async ({ projection, commit }) => {
      const moves = movesOf(commit, shards);
      const { outcome } = await (await buildOf(projection)).commit({ ...commit, moves });
      if (outcome !== 'committed') throw new Error(`a commit to ${projection} is ${outcome}`);
    });
    return changesIn(commits) / seconds;
  };
  const rowAtATime: Measure = async () => {
    const peer = await documents();
    const recorded = await (await models()).recorded(rounds.peer());
    const commits = readyCommits(peer, recorded);
    const seconds = await secondsFor(commits, (rows) => peer.applyOneByOne(rows));
    return changesIn(recorded) / seconds;
  };
  return { own, peers: { 'row-at-a-time': rowAtATime } };
}

function counter(): () => number {
  let next = 0;
  return () => next++;
}

function readyCommits(
  documents: PostgresDocuments,
  recorded: readonly Recording[],
): readonly (readonly ReadyRow[])[] {
  return recorded.map(({ projection, commit }) => documents.ready(projection, commit.changes));
}

function changesIn(recorded: readonly Recording[]): number {
  return recorded.reduce((sum, { commit }) => sum + commit.changes.length, 0);
}

async function secondsFor<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<number> {
  const begin = performance.now();
  for (const item of items) await work(item);
  return secondsSince(begin);
}

/** The live builds by projection; they then accept commits of this epoch only. */
function liveBuilds(store: ReadModelStore): (projection: string) => Promise<Build> {
  const known = new Map<string, Promise<Build>>();
  const open = async (projection: string) => {
    const build = await store.live(projection);
    if (build === undefined) throw new Error(`${projection} has no live build`);
    const holds = (await build.checkpoints()).map((_, shard) => ({ shard, epoch: EPOCH }));
    if (!(await build.fence(holds))) throw new Error(`${projection} was fenced by another`);
    return build;
  };
  return (projection) => {
    const build = known.get(projection) ?? open(projection);
    known.set(projection, build);
    return build;
  };
}

/** The move of a recorded commit, of read models in a file, for all shards. */
function movesOf({ moves: [move] }: Commit, shards: number): Commit['moves'] {
  if (move === undefined) throw new Error('a commit moves nothing');
  return Array.from({ length: shards }, (_, shard) => ({ ...move, shard, epoch: EPOCH }));
}

/** A recorded commit of a worker. */
interface Recording {
  readonly projection: string;
  readonly commit: Commit;
}

/**
 * A log that grows by one part per round, and a database with the initial read models for each
 * side. A worker with read models on SQLite records the changes of a part.
 */
class Models {
  readonly side: ReadSide;
  readonly growth: Growth;
  readonly #setting: Setting;
  readonly #base: PostgresDatabase;
  readonly #recorded: Promise<readonly Recording[]>[] = [];
  readonly #recorder: ReadModelStore;
  readonly #closing: (() => Promise<void>)[] = [];
  #commits: Recording[] = [];

  private constructor(setting: Setting, side: ReadSide, base: PostgresDatabase, live: number) {
    this.side = side;
    this.growth = new Growth(async () => side, live);
    this.#setting = setting;
    this.#base = base;
    this.#recorder = recording(openSqliteReadModelStore({ path: side.modelsPath }), (recording) =>
      this.#commits.push(recording),
    );
  }

  static async make(setting: Setting, name: string, { base, live }: Size): Promise<Models> {
    const { postgres, seed, say } = setting;
    const payments = { size: base, seed };
    const folder = join(setting.folder, name);
    mkdirSync(folder);
    const side = await makeReadSide(folder, payments, say);
    say(`making the read models of ${base} payments on PostgreSQL`);
    const database = await postgres.newDatabase();
    const store = await openPostgresReadModelStore({ url: database.url });
    await rebuildAll(side.follower, store);
    await store.close();
    await postgres.tidyUp(database.url);
    return new Models(setting, side, database, live);
  }

  /** In a separate database. */
  async store(): Promise<ReadModelStore> {
    const database = await this.#copy();
    const store = await openPostgresReadModelStore({ url: database.url });
    this.#closing.push(() => store.close());
    return store;
  }

  /** In a separate database. */
  async documents(): Promise<PostgresDocuments> {
    const database = await this.#copy();
    const documents = await PostgresDocuments.open(database.url);
    this.#closing.push(() => documents.close());
    return documents;
  }

  /** The worker's commits for a part; parts are taken in order. */
  recorded(round: number): Promise<readonly Recording[]> {
    this.#recorded[round] ??= this.#record(round);
    return this.#recorded[round];
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
    await this.#recorder.close();
    await this.#base.drop();
    await this.side.close();
  }

  async #copy(): Promise<PostgresDatabase> {
    const database = await this.#setting.postgres.copyOf(this.#base);
    this.#closing.push(() => database.drop());
    return database;
  }

  async #record(round: number): Promise<readonly Recording[]> {
    const part = await this.growth.part(round);
    this.#commits = [];
    await follow(this.side.follower, this.#recorder, part);
    return this.#commits;
  }
}

/** Reports each commit to the live builds before it is applied. */
function recording(
  store: ReadModelStore,
  onCommit: (recording: Recording) => void,
): ReadModelStore {
  return instead(store, {
    async live(projection: string) {
      const build = await store.live(projection);
      if (build === undefined) return undefined;
      return instead(build, {
        commit(commit: Commit) {
          onCommit({ projection, commit });
          return build.commit(commit);
        },
      });
    },
  });
}

/** The same object with some methods replaced. */
function instead<Of extends object>(original: Of, own: Partial<Of>): Of {
  return new Proxy(original, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
