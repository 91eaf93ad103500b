/** Replays projections into new builds beside the live ones, compares the two, and swaps them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyVault, EventStore, Position, StoredEvent } from '@counterfoil/core';
import { type Decoded, decodeAll } from './decoding.ts';
import { Folder, type Parking } from './folder.ts';
import { Lease, rebuildLeaseOf } from './lease.ts';
import type { Projection } from './projection.ts';
import {
  type Build,
  ReadModelError,
  type ReadModelStore,
  type Summary,
} from './read-model-store.ts';
import { Readers } from './readers.ts';
import { type Checkpoints, isAtLeast, latest, sameCheckpoints } from './shards.ts';

/** Larger than the worker's: latency does not matter, and each document is written once a batch. */
const REBUILD_BATCH_EVENTS = 20_000;

/** The indices are made in one go, within which no lease can be renewed. */
const FINISHING_TTL_MS = 10 * 60_000;

/** Nobody else writes to what is being loaded; a worker that follows it later has a greater one. */
const LOAD_EPOCH = 0;

/** Comparisons of a live build that differs while it is written to. */
const LOOKS = 10;
const LOOK_PAUSE_MS = 250;

export interface RebuildProgress {
  readonly projection: string;
  readonly phase: 'loading' | 'indexing' | 'comparing' | 'done';
  /** Events replayed so far. */
  readonly events: number;
  readonly position: Position | undefined;
}

export interface RebuildOptions {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly projection: Projection;
  /** Decrypts personal data in events; needed for a log that was encrypted with one. */
  readonly vault?: AnyVault | undefined;
  readonly holder: string;
  readonly now: () => number;
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
  /**
   * How long others wait when this process has crashed; half a minute, and ten minutes where indices are made,
   * when absent. For a store that works beside the event loop: the lease is then renewed by a timer.
   */
  readonly leaseTtlMs?: number;
  /** What to compare with, where it stands in another store; else the live build of this one. */
  readonly compareWith?: Build;
  /** Events replayed at a time; 20,000 when absent. With fewer, others in the thread wait less. */
  readonly batchEvents?: number;
}

export interface Difference {
  readonly collection: string;
  readonly live: { readonly count: number; readonly digest: string } | undefined;
  readonly rebuilt: { readonly count: number; readonly digest: string } | undefined;
}

export interface Rebuilt {
  readonly projection: string;
  readonly build: number;
  readonly events: number;
  readonly position: Position | undefined;
  /**
   * How it differs from the live build at the same position; empty when they are equal, undefined
   * when there was no live build of the same version to compare with.
   */
  readonly differences: readonly Difference[] | undefined;
  readonly parked: readonly Parking[];
}

export interface OneRebuild extends RebuildOptions {
  /**
   * Called while no other process may drop the build, to make it live: a worker drops builds that are
   * newer than the live one when it starts, and when a person is erased.
   */
  readonly onRebuilt?: (rebuilt: Rebuilt) => Promise<void>;
}

/** Makes a new build and compares it. The live build stays live until `swap`. */
export async function rebuild(options: OneRebuild): Promise<Rebuilt> {
  for await (const rebuilt of rebuildTogether(options, [options.projection])) {
    await options.onRebuilt?.(rebuilt);
    return rebuilt;
  }
  throw new Error('a rebuild ended without its build');
}

/**
 * One pass through the log makes a new build of each projection: events are read and decoded once.
 * Each is yielded as it ends, to be made live before the next one can fail.
 */
async function* rebuildTogether(
  options: ReplayOptions,
  projections: readonly Projection[],
): AsyncGenerator<Rebuilt> {
  const leases: Lease[] = [];
  try {
    const loads: Load[] = [];
    for (const projection of projections) {
      const lease = await takeLease(options, projection.name);
      leases.push(lease);
      loads.push(await Load.begin(options, projection, lease));
    }
    await replay(options, loads);
    for (const lease of leases) await lease.renew(FINISHING_TTL_MS);
    for (const [index, load] of loads.entries()) {
      const rebuilt = await load.finish();
      await leases[index]?.renew(FINISHING_TTL_MS);
      yield rebuilt;
    }
  } finally {
    for (const lease of leases) await lease.release();
  }
}

/** Keeps others from rebuilding the same projection. */
async function takeLease(options: ReplayOptions, projection: string): Promise<Lease> {
  const lease = await Lease.take(options, rebuildLeaseOf(projection));
  if (lease === undefined) {
    throw new ReadModelError('not-ready', `${projection} is being rebuilt by another`);
  }
  // A lost lease is noticed when the work itself renews it.
  if (options.leaseTtlMs !== undefined) lease.keep(() => undefined);
  return lease;
}

/** Makes a rebuilt build the live one. The build it replaces stays, to roll back to. */
export async function swap(
  store: ReadModelStore,
  { projection, build }: Pick<Rebuilt, 'projection' | 'build'>,
): Promise<void> {
  await store.makeLive(projection, build);
}

/**
 * Makes the newest other sound build of the same version live again; a worker that starts on it
 * catches up from where it stopped. Answers the build, undefined when there is none.
 */
export async function rollBack(
  store: ReadModelStore,
  projection: Pick<Projection, 'name' | 'version'>,
): Promise<number | undefined> {
  const live = await store.live(projection.name);
  const builds = await store.builds(projection.name);
  const earlier = builds.filter(
    ({ build, state, version }) =>
      state === 'ready' &&
      version === projection.version &&
      build < (live?.info.build ?? Number.POSITIVE_INFINITY),
  );
  for (const { build } of earlier.toReversed()) {
    if (!(await isSound(store, { projection: projection.name, build }))) continue;
    await store.makeLive(projection.name, build);
    return build;
  }
  return undefined;
}

async function isSound(
  store: ReadModelStore,
  { projection, build }: Pick<Rebuilt, 'projection' | 'build'>,
): Promise<boolean> {
  try {
    const opened = await store.openBuild(projection, build);
    return await opened.isSound();
  } catch (error) {
    if (error instanceof ReadModelError && error.code === 'damaged') return false;
    throw error;
  }
}

/** Removes the builds that are neither live nor the newest before it, and interrupted loads. */
export async function dropOldBuilds(store: ReadModelStore, projection: string): Promise<void> {
  const live = await store.live(projection);
  const builds = await store.builds(projection);
  const before = builds.findLast(
    ({ build, state }) => state === 'ready' && build < (live?.info.build ?? 0),
  );
  for (const { build } of builds) {
    if (build === live?.info.build || build === before?.build) continue;
    await store.dropBuild(projection, build);
  }
}

/**
 * The live build, unless it is damaged, gone, or further than the log: that of a log which was since
 * restored from a backup has events that the log has not.
 */
async function usableLive(
  { store, events, compareWith }: Pick<RebuildOptions, 'store' | 'events' | 'compareWith'>,
  name: string,
): Promise<Build | undefined> {
  try {
    const live = compareWith ?? (await store.live(name));
    const reached = latest((await live?.checkpoints()) ?? []);
    const head = await events.head();
    if ((await live?.isSound()) === false) return undefined;
    return isAtLeast(head, reached) ? live : undefined;
  } catch {
    // Whatever is wrong with it, a new build replaces it.
    return undefined;
  }
}

/**
 * Brings every projection to a live build of its version, rebuilding those that lack one. To be run
 * before the worker starts: the first filling of an old log is a rebuild too, and as fast as one.
 */
export async function bringUpToDate(
  options: Omit<RebuildOptions, 'projection'> & { readonly projections: readonly Projection[] },
): Promise<readonly Rebuilt[]> {
  const { store } = options;
  const done: Rebuilt[] = [];
  for await (const rebuilt of rebuildTogether(options, await outdatedOf(options))) {
    await swap(store, rebuilt);
    // The outdated and the damaged would else add up, one at each start.
    await dropOldBuilds(store, rebuilt.projection);
    done.push(rebuilt);
  }
  return done;
}

/** The projections without a usable live build. */
export async function outdatedOf(
  options: Pick<RebuildOptions, 'store' | 'events'> & {
    readonly projections: readonly Projection[];
  },
): Promise<readonly Projection[]> {
  const outdated: Projection[] = [];
  for (const projection of options.projections) {
    const live = await usableLive(options, projection.name);
    if (live?.info.version !== projection.version) outdated.push(projection);
  }
  return outdated;
}

/**
 * Brings one projection to a live build of its version while others are being followed. What came
 * to the log meanwhile is replayed too; `makeLive` is given the rest of the work, to be done when no
 * more comes.
 */
export async function bringUpInBackground(
  options: RebuildOptions,
  makeLive: (finish: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { store, projection } = options;
  const lease = await takeLease(options, projection.name);
  try {
    const load = await Load.begin(options, projection, lease);
    await replay(options, [load]);
    await lease.renew(FINISHING_TTL_MS);
    const rebuilt = await load.finish();
    await load.catchUp();
    await makeLive(async () => {
      await lease.renew(FINISHING_TTL_MS);
      await load.catchUp();
      await swap(store, rebuilt);
    });
    await dropOldBuilds(store, projection.name);
  } finally {
    await lease.release();
  }
}

type ReplayOptions = Omit<RebuildOptions, 'projection'>;

/** Replays the log up to the farthest goal of the loads. */
async function replay(
  { events, signal, vault, batchEvents = REBUILD_BATCH_EVENTS }: ReplayOptions,
  loads: readonly Load[],
): Promise<void> {
  const goal = latest(loads.flatMap(({ goals }) => goals));
  if (goal === undefined) return;
  const readers = new Readers(loads.map(({ folder }) => folder));
  const [first, ...others] = loads;
  // Loads begin together; only one alone goes on after it had stopped.
  const after = others.length === 0 ? first?.folder.checkpoint : undefined;
  const batches = events.subscribe({
    ...(after === undefined ? {} : { after }),
    batchSize: batchEvents,
    untilHead: true,
    ...(signal === undefined ? {} : { signal }),
  });
  for await (const batch of batches) {
    const wanted = batch.filter((stored) => readers.of(stored).length > 0);
    const decoded = await decodeAll(wanted, vault);
    const lastEventTime = decoded.at(-1)?.stored.time;
    const shares = readers.shareOut(decoded);
    const applied = await Promise.allSettled(
      loads.map((load) =>
        load.apply(batch, { events: shares.get(load.folder) ?? [], lastEventTime }),
      ),
    );
    for (const each of applied) if (each.status === 'rejected') throw each.reason;
    const last = batch.at(-1);
    if (last !== undefined && last.position >= goal) break;
  }
  signal?.throwIfAborted();
}

/** What one projection reads of a batch. */
interface Share {
  readonly events: readonly Decoded[];
  readonly lastEventTime: string | undefined;
}

/** One projection that is being loaded. */
class Load {
  readonly folder: Folder;
  /** How far to load each shard; undefined when there is nothing to. */
  goals: Checkpoints;
  readonly #options: ReplayOptions;
  readonly #lease: Lease;
  readonly #comparable: Build | undefined;
  readonly #parked: Parking[] = [];
  #events = 0;

  private constructor(
    options: ReplayOptions,
    parts: Pick<Load, 'folder' | 'goals'> & { lease: Lease; comparable: Build | undefined },
  ) {
    const { folder, goals, lease, comparable } = parts;
    this.#lease = lease;
    this.folder = folder;
    this.goals = goals;
    this.#options = options;
    this.#comparable = comparable;
  }

  static async begin(options: ReplayOptions, projection: Projection, lease: Lease): Promise<Load> {
    const { store, events, vault } = options;
    const { name, version, collections } = projection;
    for (const { build, state } of await store.builds(name)) {
      if (state === 'loading') await store.dropBuild(name, build);
    }
    const live = await usableLive(options, name);
    const comparable = live?.info.version === version ? live : undefined;
    const build = await store.createBuild({
      projection: name,
      version,
      collections,
      purpose: 'load',
    });
    const shards = await store.shards();
    const reached = await comparable?.checkpoints();
    const asShards =
      reached === undefined || reached.length === shards ? undefined : reached.length;
    const numbers = [...Array(asShards ?? shards).keys()];
    const holds = numbers.map((shard) => ({ shard, epoch: LOAD_EPOCH }));
    const folder = await Folder.open({ projection, build, holds, asShards, vault });
    const head = await events.head();
    // No further than the live build: it can be caught up with, but never waited for.
    const goals = reached ?? numbers.map(() => head);
    return new Load(options, { folder, lease, comparable, goals });
  }

  /** Applies as much of a batch as lies before the goals: its events are those that the folder reads. */
  async apply(batch: readonly StoredEvent[], { events, lastEventTime }: Share): Promise<void> {
    const { folder, goals } = this;
    const goal = latest(goals);
    if (goal === undefined) return;
    const last = batch.findLastIndex(({ position }) => position <= goal);
    const position = batch[last]?.position;
    if (position === undefined) return;
    await this.#lease.renew();
    this.#parked.push(...(await folder.apply(events, { position, limits: goals, lastEventTime })));
    this.#events += last + 1;
    this.#report('loading');
  }

  async finish(): Promise<Rebuilt> {
    const { build, projection } = this.folder;
    this.#report('indexing');
    await build.finishLoad();
    await this.folder.applyDeferredErasures();
    const differences = await this.#compare();
    this.#report('done');
    return {
      projection: projection.name,
      build: build.info.build,
      events: this.#events,
      position: this.folder.checkpoint,
      differences,
      parked: this.#parked,
    };
  }

  /** Applies what has come to the log since. */
  async catchUp(): Promise<void> {
    const head = await this.#options.events.head();
    const { checkpoints } = this.folder;
    this.goals = checkpoints.map(() => head);
    if (!checkpoints.every((each) => isAtLeast(each, head))) await replay(this.#options, [this]);
  }

  /**
   * Undefined when there is nothing to compare with, or it turns out to be damaged. A person whose key
   * was destroyed while the log was read is erased here already, and in the live build when that comes
   * to the event: as long as it goes on, the two are compared again.
   */
  async #compare(): Promise<readonly Difference[] | undefined> {
    const live = this.#comparable;
    if (live === undefined) return undefined;
    this.#report('comparing');
    for (let look = 1; ; look += 1) {
      const expected = await live.summary().catch(() => undefined);
      if (expected === undefined) return undefined;
      if (!sameCheckpoints(expected.checkpoints, this.folder.checkpoints)) {
        this.goals = expected.checkpoints;
        await replay(this.#options, [this]);
      }
      const { checkpoints } = this.folder;
      const made = { ...(await this.folder.build.summary()), checkpoints };
      const differences = differencesOf(expected, made);
      if (differences.length === 0 || look === LOOKS) return differences;
      await sleep(LOOK_PAUSE_MS);
      if (sameCheckpoints(await live.checkpoints(), expected.checkpoints)) return differences;
    }
  }

  #report(phase: RebuildProgress['phase']): void {
    const { checkpoint: position, projection } = this.folder;
    const progress = { projection: projection.name, phase, events: this.#events, position };
    this.#options.onProgress?.(progress);
  }
}

/** Where two summaries of the same checkpoints differ. Throws when those differ. */
export function differencesOf(live: Summary, rebuilt: Summary): readonly Difference[] {
  if (!sameCheckpoints(live.checkpoints, rebuilt.checkpoints)) {
    throw new RangeError('summaries of different positions');
  }
  const names = new Set(
    [...live.collections, ...rebuilt.collections].map((each) => each.collection),
  );
  const of = (summary: Summary, name: string) => {
    const found = summary.collections.find(({ collection }) => collection === name);
    return found === undefined ? undefined : { count: found.count, digest: found.digest };
  };
  return [...names]
    .map((collection) => ({
      collection,
      live: of(live, collection),
      rebuilt: of(rebuilt, collection),
    }))
    .filter(({ live: a, rebuilt: b }) => a?.count !== b?.count || a?.digest !== b?.digest);
}
