/** The checkpointed loop: follows the log under a lease and keeps all read models up to date. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyVault, EventStore, Position, StoredEvent } from '@counterfoil/core';
import { type Decoded, decodeAll, ERASURE, Folder, StaleWorker } from './folder.ts';
import { Lease, rebuildLeaseOf } from './lease.ts';
import type { ProjectionMessage } from './progress.ts';
import type { Projection } from './projection.ts';
import { type Build, ReadModelError, type ReadModelStore } from './read-model-store.ts';

/** The most events in one commit. A batch is what has gathered meanwhile, so it grows with the lag. */
export const MAX_BATCH_EVENTS = 10_000;

/** How often a held lease is asked for. */
const LEASE_POLL_MS = 250;
/** How often the worker looks whether another build was made live. */
const LIVE_POLL_MS = 250;
/** How often it is tried again to take away what an erasure could not at once. */
const TIDY_MS = 1_000;
const LEASE_NAME = 'projections';

export interface ProjectorOptions {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly projections: readonly Projection[];
  /** Under which one worker at a time follows them. Default: that of the ledger's own projections. */
  readonly lease?: string | undefined;
  /** Opens what events tell of persons; needed for a log that was sealed with one. */
  readonly vault?: AnyVault | undefined;
  /**
   * Names this worker. Where only one process can have the log, let the name stay the same over
   * restarts: the lease of a killed process is then taken up at once.
   */
  readonly holder: string;
  /** The clock, in milliseconds. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
  readonly notify?: (message: ProjectionMessage) => void;
  readonly maxBatchEvents?: number;
  /**
   * How long others wait for this worker when it has died; `LEASE_TTL_MS` when absent. A few seconds
   * where several workers share a store that works beside the event loop, as PostgreSQL does.
   */
  readonly leaseTtlMs?: number;
  /** End when the events that are in the log now have been applied. */
  readonly untilHead?: boolean;
}

export interface Projector {
  /** Follows the log until the signal fires (or the head, when so asked). Rejects when a store fails. */
  run(): Promise<void>;
  /** Applies the parked events of a stream; false when they fail again. Only while running. */
  retryParked(projection: string, stream: string): Promise<boolean>;
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
  readonly batch: readonly StoredEvent[];
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
  /** Projections beside whose live build others may tell of persons who are erased. */
  readonly #leftovers = new Set<string>();
  /** How much of that could not be taken away yet, as it was last told. */
  #pending = 0;
  #isTidying = false;
  readonly #joining: Joining[] = [];
  #hasEnded = false;
  /** Ends the present following, to begin anew with the builds and projections that are there then. */
  #anew = new AbortController();

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#projections = options.projections;
    this.#leaseName = options.lease ?? LEASE_NAME;
  }

  async include(projection: Projection, begin = async () => {}): Promise<void> {
    if (this.#hasEnded) throw ended();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#joining.push({ projection, begin, done: resolve, failed: reject });
    this.#anew.abort();
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
    const { signal } = this.#options;
    while (signal?.aborted !== true) {
      const lease = await this.#lease();
      if (lease === undefined) return;
      try {
        if ((await this.#underLease(lease)) === 'ended') return;
      } catch (error) {
        // Another worker was given the lease: wait for it like any other.
        if (!(error instanceof StaleWorker)) throw error;
      } finally {
        this.#folders = [];
        await lease.release();
      }
    }
  }

  async retryParked(projection: string, stream: string): Promise<boolean> {
    const folder = this.#folders.find((each) => each.projection.name === projection);
    if (folder === undefined) throw new RangeError(`${projection} is not being followed`);
    return folder.retry(stream);
  }

  /** Waits for the lease; undefined when the signal fires first. */
  async #lease(): Promise<Lease | undefined> {
    const { signal } = this.#options;
    while (signal?.aborted !== true) {
      const lease = await Lease.take(this.#options, this.#leaseName);
      if (lease !== undefined) return lease;
      await sleep(LEASE_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  /** Follows the log until the end, or until another build was made live: then it is to be opened. */
  async #underLease(lease: Lease): Promise<'ended' | 'swapped'> {
    const { signal } = this.#options;
    const lost = new AbortController();
    lease.keep(() => lost.abort());
    const anew = new AbortController();
    this.#anew = anew;
    let damage: ReadModelError | undefined;
    const look = async () => {
      damage = await this.#damage();
      if (damage !== undefined || (await this.#isSwapped())) anew.abort();
    };
    // A store that fails here fails the next commit as well, and is reported there.
    const lookout = setInterval(() => look().catch(() => undefined), LIVE_POLL_MS);
    lookout.unref();
    const tidying = setInterval(() => this.#tidy(), TIDY_MS);
    tidying.unref();
    try {
      await this.#join();
      this.#folders = await this.#open(lease.epoch);
      // The process before may have ended before it had tidied up.
      this.#addLeftovers();
      await this.#tidy();
      const ends = [lost.signal, anew.signal];
      await this.#follow(AbortSignal.any(signal === undefined ? ends : [...ends, signal]));
      if (damage !== undefined) throw damage;
      if (lost.signal.aborted) throw new StaleWorker('the lease was lost');
      return anew.signal.aborted && signal?.aborted !== true ? 'swapped' : 'ended';
    } finally {
      clearInterval(lookout);
      clearInterval(tidying);
    }
  }

  /** What a read has found, here or in another process. It ends the worker: the next one begins anew. */
  async #damage(): Promise<ReadModelError | undefined> {
    for (const { projection, build } of this.#folders) {
      const { name } = projection;
      if (!(await build.isSound())) {
        const what = `a read of ${name} met what was not written: it is to be made anew`;
        return new ReadModelError('damaged', what);
      }
      if (!(await this.#isLive(name))) {
        return new ReadModelError('damaged', `no build of ${name} is live: it is to be made anew`);
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

  async #open(epoch: number): Promise<readonly Folder[]> {
    const folders: Folder[] = [];
    for (const projection of this.#projections) {
      const build = await this.#liveBuild(projection);
      const { vault } = this.#options;
      folders.push(await Folder.open({ projection, build, epoch, vault }));
    }
    return folders;
  }

  async #liveBuild(projection: Projection): Promise<Build> {
    const { store } = this.#options;
    const { name, version, collections } = projection;
    const live = await store.live(name);
    if (live === undefined) {
      const build = await store.createBuild({
        projection: name,
        version,
        collections,
        purpose: 'live',
      });
      await store.makeLive(name, build.info.build);
      return build;
    }
    if (live.info.version !== version) {
      throw new ReadModelError(
        'outdated',
        `${name} was built by version ${live.info.version}, this is ${version}: rebuild it`,
      );
    }
    return live;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { events, maxBatchEvents = MAX_BATCH_EVENTS, untilHead = false } = this.#options;
    const after = earliest(this.#folders.map(({ checkpoint }) => checkpoint));
    if (after !== undefined) this.#caughtUp(after, []);
    const reading = new AbortController();
    const subscription = events.subscribe({
      ...(after === undefined ? {} : { after }),
      batchSize: maxBatchEvents,
      untilHead,
      signal: AbortSignal.any([signal, reading.signal]),
    });
    try {
      for await (const { batch, decoded } of oneAhead(this.#decoded(subscription))) {
        const last = batch.at(-1);
        if (last === undefined) continue;
        await this.#apply(batch, decoded, last.position);
        this.#caughtUp(last.position, batch);
        if (signal.aborted) return;
      }
    } finally {
      // What is being read ahead is waited for otherwise, and may never come.
      reading.abort();
    }
  }

  /** Decoded once for all projections, and only what one of them reads. */
  async *#decoded(batches: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<DecodedBatch> {
    for await (const batch of batches) {
      const wanted = batch.filter((stored) => this.#folders.some((folder) => folder.reads(stored)));
      yield { batch, decoded: await decodeAll(wanted, this.#options.vault) };
    }
  }

  async #apply(
    batch: readonly StoredEvent[],
    decoded: readonly Decoded[],
    position: Position,
  ): Promise<void> {
    const erases = batch.some(({ type }) => type === ERASURE);
    if (erases) await this.#dropBuildsOfThePast();
    // Side by side: while a server writes what one has folded, the next one folds.
    const applied = await Promise.allSettled(
      this.#folders.map((folder) => folder.apply(decoded, position)),
    );
    for (const each of applied) {
      if (each.status === 'rejected') throw each.reason;
      for (const parking of each.value) this.#options.notify?.({ type: 'parked', ...parking });
    }
    if (!erases) return;
    this.#addLeftovers();
    await this.#tidy();
  }

  /** From now on nothing but the live builds may tell of persons who are erased. */
  #addLeftovers(): void {
    for (const { projection } of this.#folders) {
      if (projection.erasing !== undefined) this.#leftovers.add(projection.name);
    }
  }

  /**
   * Takes away what an erasure leaves behind as long as others hinder it: the write-ahead log of a
   * build that somebody reads, and a build beside the live one while it is being made.
   */
  async #tidy(): Promise<void> {
    if (this.#isTidying) return;
    this.#isTidying = true;
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
    this.#isTidying = false;
    if (pending === this.#pending) return;
    this.#pending = pending;
    this.#options.notify?.({ type: 'erasing', pending });
  }

  /**
   * Builds that were begun and never made live, or from which was rolled back: nobody will follow them.
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
      // What was made live since is not ours to judge: it is opened within moments.
      if ((await store.live(projection))?.info.build !== info.build) return false;
      for (const { build } of await leftovers()) await store.dropBuild(projection, build);
      return true;
    } finally {
      await lease.release();
    }
  }

  /** Nobody follows them: they would show a person who is erased for ever. */
  async #dropBuildsOfThePast(): Promise<void> {
    const { store } = this.#options;
    for (const { projection, build } of this.#folders) {
      if (projection.erasing === undefined) continue;
      for (const { build: each, state } of await store.builds(projection.name)) {
        if (state === 'ready' && each < build.info.build) {
          await store.dropBuild(projection.name, each);
        }
      }
    }
  }

  #caughtUp(position: Position, batch: readonly StoredEvent[]): void {
    const { notify, now } = this.#options;
    const last = batch.at(-1);
    const behindMs = last === undefined ? 0 : Math.max(0, now() - Date.parse(last.time));
    notify?.({ type: 'caught-up-to', position, events: batch.length, behindMs });
  }
}

function ended(): Error {
  return new Error('the projector has ended');
}

/** Asks for the next one while the last one is being worked on. */
async function* oneAhead<Each>(source: AsyncGenerator<Each>): AsyncGenerator<Each> {
  let next = source.next();
  for (;;) {
    const { done, value } = await next;
    if (done === true) return;
    next = source.next();
    // Whoever asks for it is told; nobody may ask.
    next.catch(() => undefined);
    yield value;
  }
}

/** The smallest checkpoint; undefined, the beginning, when any build is empty. */
function earliest(checkpoints: readonly (Position | undefined)[]): Position | undefined {
  let first: Position | undefined;
  for (const checkpoint of checkpoints) {
    if (checkpoint === undefined) return undefined;
    if (first === undefined || checkpoint < first) first = checkpoint;
  }
  return first;
}
