/** The checkpointed loop: follows the log under a lease and keeps all read models up to date. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyVault, EventStore, Position, StoredEvent } from '@counterfoil/core';
import { type Decoded, decodeAll, ERASURE } from './decoding.ts';
import { Folder, StaleWorker } from './folder.ts';
import { Gathering } from './gathering.ts';
import { Holdings } from './holdings.ts';
import { Lease, rebuildLeaseOf } from './lease.ts';
import type { ProjectionMessage } from './progress.ts';
import type { Projection } from './projection.ts';
import { type Build, ReadModelError, type ReadModelStore } from './read-model-store.ts';
import { Readers } from './readers.ts';
import { earliest, isAtLeast, shardOf } from './shards.ts';

/** The most events in one commit. A batch is what has gathered meanwhile, so it grows with the lag. */
export const MAX_BATCH_EVENTS = 10_000;

/** Interval of attempts to take leases that others hold. */
const LEASE_POLL_MS = 250;
/** How often the worker checks whether another build was made live, or another worker came or went. */
const LIVE_POLL_MS = 250;
/** Interval of attempts to remove what an erasure could not. */
const CLEAN_UP_MS = 1_000;
/** What the leases of the ledger's own projections begin with. */
export const PROJECTIONS_LEASE = 'projections';

export interface ProjectorOptions {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly projections: readonly Projection[];
  /** What workers of the same projections call their leases. Default: as the ledger's own projections do. */
  readonly lease?: string | undefined;
  /** Follows this shard alone, without regard to the shares of others; its fair share when absent. */
  readonly onlyShard?: number | undefined;
  /** Decrypts personal data in events; needed for a log that was encrypted with one. */
  readonly vault?: AnyVault | undefined;
  /**
   * Names this worker. Where only one process can have the log, use the same name after a restart: the
   * lease of a killed process is then taken at once.
   */
  readonly holder: string;
  /** The clock, in milliseconds. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
  readonly notify?: (message: ProjectionMessage) => void;
  readonly maxBatchEvents?: number;
  /**
   * How long events gather after a batch was read that was not full, unless `hurry` is called. Default: not
   * at all.
   */
  readonly pauseMs?: number;
  /**
   * How long others wait for this worker when it has died; `LEASE_TTL_MS` when absent. A few seconds
   * where several workers share a store that works beside the event loop, as PostgreSQL does.
   */
  readonly leaseTtlMs?: number;
  /** End when the events that are in the log now have been applied, by this worker and the others. */
  readonly untilHead?: boolean;
}

export interface Projector {
  /** Follows the log until the signal fires (or the head, when so asked). Rejects when a store fails. */
  run(): Promise<void>;
  /** Applies the parked events of a stream; false when they fail again. Only while running. */
  retryParked(projection: string, stream: string): Promise<boolean>;
  /** Somebody waits for this position: ends the pause before it is read. */
  hurry(position: Position): void;
  /**
   * Follows one more projection from now on. `begin` is done first, while nothing is applied to the
   * others: what it makes live is then no further behind than they are. Settles with `begin`.
   */
  include(projection: Projection, begin?: () => Promise<void>): Promise<void>;
}

/** Runs projections to the end of `signal`: the whole of a worker thread. */
export async function runProjections(options: ProjectorOptions): Promise<void> {
  await createProjector(options).run();
}

export function createProjector(options: ProjectorOptions): Projector {
  return new FollowingProjector(options);
}

interface DecodedBatch {
  readonly last: StoredEvent;
  /** Those of the shards that are held. */
  readonly events: readonly StoredEvent[];
  readonly decoded: readonly Decoded[];
}

interface Joining {
  readonly projection: Projection;
  readonly begin: () => Promise<void>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

class FollowingProjector implements Projector {
  readonly #options: ProjectorOptions;
  readonly #leaseName: string;
  #projections: readonly Projection[];
  #folders: readonly Folder[] = [];
  #readers = new Readers([]);
  #shards = 1;
  /** The shards of the folders. */
  #held: ReadonlySet<number> = new Set();
  /** Projections with builds beside the live one that may have data of erased persons. */
  readonly #leftovers = new Set<string>();
  /** How many builds could not be cleaned up yet, as last notified. */
  #pending = 0;
  #isCleaningUp = false;
  readonly #joining: Joining[] = [];
  readonly #gathering: Gathering;
  #hasEnded = false;
  /** Restarts the following with the builds and projections of that time. */
  #restart = new AbortController();

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#projections = options.projections;
    this.#leaseName = options.lease ?? PROJECTIONS_LEASE;
    this.#gathering = new Gathering(options.pauseMs ?? 0);
  }

  async include(projection: Projection, begin = async () => {}): Promise<void> {
    if (this.#hasEnded) throw ended();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#joining.push({ projection, begin, done: resolve, failed: reject });
    this.#restart.abort();
    await promise;
  }

  async #join(): Promise<void> {
    for (const { projection, begin, done, failed } of this.#joining.splice(0)) {
      try {
        await begin();
        this.#projections = [...this.#projections, projection];
        done();
      } catch (error) {
        failed(error);
      }
    }
  }

  async run(): Promise<void> {
    try {
      await this.#run();
    } finally {
      this.#hasEnded = true;
      for (const { failed } of this.#joining.splice(0)) failed(ended());
    }
  }

  async #run(): Promise<void> {
    const { signal, store, events, onlyShard: only, untilHead = false } = this.#options;
    this.#shards = await store.shards();
    const [name, shards] = [this.#leaseName, this.#shards];
    const holdings = new Holdings({ ...this.#options, name, shards, only });
    const goal = untilHead ? await events.head() : undefined;
    try {
      while (signal?.aborted !== true) {
        await holdings.change();
        const isHolding = holdings.holds.length > 0;
        const end = isHolding ? await this.#untilStale(holdings) : 'waiting';
        if (end === 'ended' && (await this.#isOver(goal))) return;
        if (end !== 'changed') {
          await sleep(LEASE_POLL_MS, undefined, { signal }).catch(() => undefined);
        }
      }
    } finally {
      await holdings.end();
    }
  }

  /** A worker that has reached the head waits for those of the other shards. */
  async #isOver(goal: Position | undefined): Promise<boolean> {
    const { store, signal, onlyShard } = this.#options;
    if (signal?.aborted === true || onlyShard !== undefined) return true;
    for (const { name } of this.#projections) {
      const checkpoints = (await (await store.live(name))?.checkpoints()) ?? [];
      if (!checkpoints.every((checkpoint) => isAtLeast(checkpoint, goal))) return false;
    }
    return true;
  }

  async #untilStale(holdings: Holdings): Promise<'ended' | 'changed'> {
    try {
      return await this.#underLeases(holdings);
    } catch (error) {
      if (!(error instanceof StaleWorker)) throw error;
      // Another worker has one of the leases: take what it leaves, under later epochs.
      await holdings.giveBack();
      return 'changed';
    } finally {
      this.#folders = [];
    }
  }

  async retryParked(projection: string, stream: string): Promise<boolean> {
    const folder = this.#folders.find((each) => each.projection.name === projection);
    if (folder === undefined) throw new RangeError(`${projection} is not being followed`);
    return folder.retry(stream);
  }

  hurry(position: Position): void {
    this.#gathering.hurry(position);
  }

  /**
   * Follows the log until the end, or until what it follows has changed: other shards, or another build
   * that was made live.
   */
  async #underLeases(holdings: Holdings): Promise<'ended' | 'changed'> {
    const { signal } = this.#options;
    const { lost } = holdings;
    const restart = new AbortController();
    this.#restart = restart;
    let damage: ReadModelError | undefined;
    const look = async () => {
      damage = await this.#damage();
      const isChanged = (await this.#isSwapped()) || (await holdings.isToChange());
      if (damage !== undefined || isChanged) restart.abort();
    };
    // A store that fails here fails the next commit as well, and is reported there.
    const polling = setInterval(() => look().catch(() => undefined), LIVE_POLL_MS);
    polling.unref();
    const cleaningUp = setInterval(() => this.#cleanUp(), CLEAN_UP_MS);
    cleaningUp.unref();
    try {
      await this.#join();
      this.#folders = await this.#open(holdings);
      this.#readers = new Readers(this.#folders);
      // An earlier process may have ended before it had cleaned up.
      this.#noteLeftovers();
      await this.#cleanUp();
      const ends = [lost, restart.signal];
      await this.#follow(AbortSignal.any(signal === undefined ? ends : [...ends, signal]));
      if (damage !== undefined) throw damage;
      if (lost.aborted) throw new StaleWorker('a lease was lost');
      return restart.signal.aborted && signal?.aborted !== true ? 'changed' : 'ended';
    } finally {
      clearInterval(polling);
      clearInterval(cleaningUp);
    }
  }

  /** Damage that a read in any process has found. It ends the worker; the next one rebuilds. */
  async #damage(): Promise<ReadModelError | undefined> {
    for (const { projection, build } of this.#folders) {
      const { name } = projection;
      if (!(await build.isSound())) {
        const what = `a read of ${name} found damage: it has to be rebuilt`;
        return new ReadModelError('damaged', what);
      }
      if (!(await this.#isLive(name))) {
        return new ReadModelError('damaged', `no build of ${name} is live: it has to be rebuilt`);
      }
    }
    return undefined;
  }

  /** Whether queries find a build of it. */
  async #isLive(projection: string): Promise<boolean> {
    try {
      return (await this.#options.store.live(projection)) !== undefined;
    } catch (error) {
      if (error instanceof ReadModelError && error.code !== 'unavailable') return false;
      throw error;
    }
  }

  /** Whether queries read a build that this worker does not write. */
  async #isSwapped(): Promise<boolean> {
    const { store } = this.#options;
    for (const { projection, build } of this.#folders) {
      const live = await store.live(projection.name);
      if (live !== undefined && live.info.build !== build.info.build) return true;
    }
    return false;
  }

  async #open({ holds }: Holdings): Promise<readonly Folder[]> {
    const folders: Folder[] = [];
    this.#held = new Set(holds.map(({ shard }) => shard));
    for (const projection of this.#projections) {
      const build = await this.#liveBuild(projection);
      const { vault } = this.#options;
      folders.push(await Folder.open({ projection, build, holds, vault }));
    }
    return folders;
  }

  #holds({ tenantId }: StoredEvent): boolean {
    return this.#held.has(shardOf(tenantId, this.#shards));
  }

  async #liveBuild(projection: Projection): Promise<Build> {
    const { name, version } = projection;
    const live = (await this.#options.store.live(name)) ?? (await this.#firstBuild(projection));
    if (live.info.version !== version) {
      throw new ReadModelError(
        'outdated',
        `${name} was built by version ${live.info.version}, this is ${version}: rebuild it`,
      );
    }
    return live;
  }

  /** One worker makes it, and others wait for that. */
  async #firstBuild({ name, version, collections }: Projection): Promise<Build> {
    const { store } = this.#options;
    for (;;) {
      const lease = await Lease.take(this.#options, rebuildLeaseOf(name));
      try {
        const live = await store.live(name);
        if (live !== undefined) return live;
        if (lease !== undefined) {
          const request = { projection: name, version, collections, purpose: 'live' } as const;
          const build = await store.createBuild(request);
          await store.makeLive(name, build.info.build);
          return build;
        }
      } finally {
        await lease?.release();
      }
      await sleep(LEASE_POLL_MS, undefined, { signal: this.#options.signal }).catch(() => {
        throw new StaleWorker('it was stopped before there was a build');
      });
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { events, now, maxBatchEvents = MAX_BATCH_EVENTS, untilHead = false } = this.#options;
    const after = earliest(this.#folders.map(({ checkpoint }) => checkpoint));
    if (after !== undefined) this.#caughtUp(after, { events: 0, behindMs: 0 });
    const reading = new AbortController();
    const ending = AbortSignal.any([signal, reading.signal]);
    const subscription = events.subscribe({
      ...(after === undefined ? {} : { after }),
      batchSize: maxBatchEvents,
      untilHead,
      signal: ending,
    });
    try {
      for await (const batch of prefetched(this.#decoded(subscription, ending))) {
        const { last, events: own } = batch;
        await this.#apply(batch);
        const behindMs = Math.max(0, now() - Date.parse(last.time));
        this.#caughtUp(last.position, { events: own.length, behindMs });
        if (signal.aborted) return;
      }
    } finally {
      // Ends the read ahead, which would otherwise be awaited and may never end.
      reading.abort();
    }
  }

  /** Decoded once for all projections, and only what one of them reads of the shards that are held. */
  async *#decoded(
    batches: AsyncIterable<readonly StoredEvent[]>,
    signal: AbortSignal,
  ): AsyncGenerator<DecodedBatch> {
    const { maxBatchEvents = MAX_BATCH_EVENTS } = this.#options;
    for await (const batch of batches) {
      const last = batch.at(-1);
      if (last === undefined) continue;
      const events = batch.filter((stored) => this.#holds(stored));
      const wanted = events.filter((stored) => this.#readers.of(stored).length > 0);
      yield { last, events, decoded: await decodeAll(wanted, this.#options.vault) };
      // After a full batch there may be more already.
      if (batch.length < maxBatchEvents) await this.#gathering.pause(last.position, signal);
    }
  }

  async #apply({ last: { position }, events, decoded }: DecodedBatch): Promise<void> {
    const erases = events.some(({ type }) => type === ERASURE);
    if (erases) await this.#dropOlderBuilds();
    const lastEventTime = decoded.at(-1)?.stored.time;
    const shares = this.#readers.shareOut(decoded);
    // In parallel: while a server writes for one, the next one folds.
    const applied = await Promise.allSettled(
      [...shares].map(([folder, share]) => folder.apply(share, { position, lastEventTime })),
    );
    for (const each of applied) {
      if (each.status === 'rejected') throw each.reason;
      for (const parking of each.value) this.#options.notify?.({ type: 'parked', ...parking });
    }
    if (!erases) return;
    this.#noteLeftovers();
    await this.#cleanUp();
  }

  /** From now on only live builds may have data of erased persons. */
  #noteLeftovers(): void {
    for (const { projection } of this.#folders) {
      if (projection.erasing !== undefined) this.#leftovers.add(projection.name);
    }
  }

  /**
   * Removes what an erasure could not: the write-ahead log of a build that is being read, and a build
   * beside the live one while it is being made.
   */
  async #cleanUp(): Promise<void> {
    if (this.#isCleaningUp) return;
    this.#isCleaningUp = true;
    let pending = 0;
    for (const { projection, build } of this.#folders) {
      // What fails is tried again.
      const isScrubbed = !build.needsScrub || (await build.scrub().catch(() => false));
      if (!isScrubbed) pending += 1;
      const { name } = projection;
      if (!this.#leftovers.has(name)) continue;
      if (await this.#dropLeftovers(name, build).catch(() => false)) this.#leftovers.delete(name);
      else pending += 1;
    }
    this.#isCleaningUp = false;
    if (pending === this.#pending) return;
    this.#pending = pending;
    this.#options.notify?.({ type: 'erasing', pending });
  }

  /**
   * Drops builds that were never made live, or were rolled back from: they are not updated any more.
   * False while a rebuild is under way.
   */
  async #dropLeftovers(projection: string, { info }: Build): Promise<boolean> {
    const { store } = this.#options;
    const leftovers = async () =>
      (await store.builds(projection)).filter(
        ({ build, state }) => build !== info.build && (state === 'loading' || build > info.build),
      );
    if ((await leftovers()).length === 0) return true;
    const lease = await Lease.take(this.#options, rebuildLeaseOf(projection));
    if (lease === undefined) return false;
    try {
      // Another build was made live since: the worker opens it next.
      if ((await store.live(projection))?.info.build !== info.build) return false;
      for (const { build } of await leftovers()) await store.dropBuild(projection, build);
      return true;
    } finally {
      await lease.release();
    }
  }

  /** They are not updated any more, so they would keep data of erased persons. */
  async #dropOlderBuilds(): Promise<void> {
    const { store } = this.#options;
    for (const { projection, build } of this.#folders) {
      if (projection.erasing === undefined) continue;
      for (const { build: each, state } of await store.builds(projection.name)) {
        if (state !== 'ready' || each >= build.info.build) continue;
        await store.dropBuild(projection.name, each).catch(unlessGone);
      }
    }
  }

  #caughtUp(position: Position, applied: { events: number; behindMs: number }): void {
    const [of, these] = [this.#shards, [...this.#held]];
    const shards = these.length < of ? { shards: { these, of } } : {};
    this.#options.notify?.({ type: 'caught-up-to', position, ...applied, ...shards });
  }
}

/** Another worker may have dropped the same build. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ReadModelError) || error.code !== 'no-such-build') throw error;
}

function ended(): Error {
  return new Error('the projector has ended');
}

/** Requests the next item while the last one is being processed. */
async function* prefetched<Each>(source: AsyncGenerator<Each>): AsyncGenerator<Each> {
  let next = source.next();
  for (;;) {
    const { done, value } = await next;
    if (done === true) return;
    next = source.next();
    // Thrown where it is awaited; without that it must not be an unhandled rejection.
    next.catch(() => undefined);
    yield value;
  }
}
