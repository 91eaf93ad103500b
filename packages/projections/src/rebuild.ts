/** Replays a projection into a new build beside the live one, compares the two, and swaps them. */
import type { EventStore, Position, StoredEvent } from '@counterfoil/core';
import { decode, Folder, type Parking } from './folder.ts';
import type { Projection } from './projection.ts';
import {
  type Build,
  ReadModelError,
  type ReadModelStore,
  type Summary,
} from './read-model-store.ts';
import { LEASE_TTL_MS } from './worker.ts';

/** Larger than the worker's: nobody waits for it, and each document is written once a batch. */
const REBUILD_BATCH_EVENTS = 20_000;

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
  readonly holder: string;
  readonly now: () => number;
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
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

/** Makes a new build and compares it. The live build stays live until `swap`. */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const { store, projection, holder, now } = options;
  const name = `rebuild-${projection.name}`;
  const epoch = await store.acquireLease({ name, holder, nowMs: now(), ttlMs: LEASE_TTL_MS });
  if (epoch === undefined) {
    throw new ReadModelError('not-ready', `${projection.name} is being rebuilt by another`);
  }
  try {
    return await new Rebuild(options, epoch).run();
  } finally {
    await store.releaseLease(name, holder);
  }
}

/** Makes a rebuilt build the live one. The build it replaces stays, to roll back to. */
export async function swap(
  store: ReadModelStore,
  { projection, build }: Pick<Rebuilt, 'projection' | 'build'>,
): Promise<void> {
  await store.makeLive(projection, build);
}

/**
 * Makes the newest other build of the same version live again; a worker that starts on it catches up
 * from where it stopped. Answers the build, undefined when there is none.
 */
export async function rollBack(
  store: ReadModelStore,
  projection: Pick<Projection, 'name' | 'version'>,
): Promise<number | undefined> {
  const live = await store.live(projection.name);
  const builds = await store.builds(projection.name);
  const earlier = builds.findLast(
    ({ build, state, version }) =>
      state === 'ready' &&
      version === projection.version &&
      build < (live?.info.build ?? Number.POSITIVE_INFINITY),
  );
  if (earlier === undefined) return undefined;
  await store.makeLive(projection.name, earlier.build);
  return earlier.build;
}

/** Removes the builds that are neither live nor the newest before it, and loads that broke off. */
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
 * put back from a backup tells of events that never happened.
 */
async function usableLive(
  { store, events }: Pick<RebuildOptions, 'store' | 'events'>,
  name: string,
): Promise<Build | undefined> {
  try {
    const live = await store.live(name);
    const checkpoint = await live?.checkpoint();
    const head = await events.head();
    const isAhead = checkpoint !== undefined && (head === undefined || checkpoint > head);
    return isAhead ? undefined : live;
  } catch {
    // Whatever is wrong with it, a new build is the answer.
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
  const { projections, store } = options;
  const done: Rebuilt[] = [];
  for (const projection of projections) {
    const live = await usableLive(options, projection.name);
    if (live?.info.version === projection.version) continue;
    const rebuilt = await rebuild({ ...options, projection });
    await swap(store, rebuilt);
    done.push(rebuilt);
  }
  return done;
}

class Rebuild {
  readonly #options: RebuildOptions;
  readonly #epoch: number;
  readonly #parked: Parking[] = [];
  #events = 0;

  constructor(options: RebuildOptions, epoch: number) {
    this.#options = options;
    this.#epoch = epoch;
  }

  async run(): Promise<Rebuilt> {
    const { store, events, projection } = this.#options;
    const { name, version, collections } = projection;
    await this.#dropUnfinished();
    const live = await usableLive(this.#options, name);
    const comparable = live?.info.version === version ? live : undefined;
    // No further than the live build: it can be caught up with, but never waited for.
    const goal = comparable === undefined ? await events.head() : await comparable.checkpoint();
    const build = await store.createBuild({
      projection: name,
      version,
      collections,
      purpose: 'load',
    });
    const folder = await Folder.open({ projection, build, epoch: this.#epoch });
    if (goal !== undefined) await this.#replay(folder, goal);
    this.#report('indexing', folder);
    await build.finishLoad();
    const differences =
      comparable === undefined ? undefined : await this.#compare(folder, comparable);
    this.#report('done', folder);
    return {
      projection: name,
      build: build.info.build,
      events: this.#events,
      position: folder.checkpoint,
      differences,
      parked: this.#parked,
    };
  }

  async #dropUnfinished(): Promise<void> {
    const { store, projection } = this.#options;
    for (const { build, state } of await store.builds(projection.name)) {
      if (state === 'loading') await store.dropBuild(projection.name, build);
    }
  }

  async #replay(folder: Folder, goal: Position): Promise<void> {
    const { events, signal } = this.#options;
    const after = folder.checkpoint;
    const batches = events.subscribe({
      ...(after === undefined ? {} : { after }),
      batchSize: REBUILD_BATCH_EVENTS,
      untilHead: true,
      ...(signal === undefined ? {} : { signal }),
    });
    for await (const batch of batches) {
      const wanted = batch.filter(({ position }) => position <= goal);
      await this.#apply(folder, wanted);
      if (wanted.length < batch.length) break;
    }
    signal?.throwIfAborted();
  }

  async #apply(folder: Folder, batch: readonly StoredEvent[]): Promise<void> {
    const last = batch.at(-1);
    if (last === undefined) return;
    const decoded = batch.filter((stored) => folder.reads(stored)).map(decode);
    this.#parked.push(...(await folder.apply(decoded, last.position)));
    this.#events += batch.length;
    this.#report('loading', folder);
  }

  /** Undefined when the live build turns out to be damaged: then there is nothing to compare with. */
  async #compare(folder: Folder, live: Build): Promise<readonly Difference[] | undefined> {
    this.#report('comparing', folder);
    const expected = await live.summary().catch(() => undefined);
    if (expected === undefined) return undefined;
    if (expected.position !== undefined && expected.position !== folder.checkpoint) {
      await this.#replay(folder, expected.position);
    }
    return differencesOf(expected, await folder.build.summary());
  }

  #report(phase: RebuildProgress['phase'], folder: Folder): void {
    const { onProgress, projection } = this.#options;
    const { checkpoint: position } = folder;
    onProgress?.({ projection: projection.name, phase, events: this.#events, position });
  }
}

/** Where two summaries of the same position differ. Throws when the positions differ. */
export function differencesOf(live: Summary, rebuilt: Summary): readonly Difference[] {
  if (live.position !== rebuilt.position) throw new RangeError('summaries of different positions');
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
