/** Rebuilds and follows the read models, in a thread or in the process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyVault, EventStore } from '@counterfoil/core';
import {
  bringUpInBackground,
  createProjector,
  outdatedOf,
  PROJECTIONS,
  type Projection,
  type Projector,
  ReadModelError,
  type ReadModelStore,
  type RebuildProgress,
} from '@counterfoil/projections';
import { SHARED_LEASE_TTL_MS } from '../lease.ts';
import { type Beside, fill } from './filling.ts';
import { ONLY_HOST } from './holder.ts';
import type { FromThread } from './messages.ts';

export interface ProjectOptions {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly vault: AnyVault | undefined;
  /** The lease holder's name. */
  readonly holder: string;
  readonly signal: AbortSignal;
  readonly notify: (message: FromThread) => void;
  /** Default: those of the ledger. */
  readonly projections?: readonly Projection[];
  /** The name of the lease. Default: that of the ledger's projections. */
  readonly lease?: string;
  /** The maximum batch, both live and in a rebuild. */
  readonly maxBatchEvents?: number;
  /** Fills some read models at the same time, where no other host may fill them. Default: one after the other. */
  readonly beside?: Beside | undefined;
}

/**
 * How long events gather before the next batch: under load they are written for two thirds of the processor
 * time then. A reader who waits ends the pause; hosts that share read models know nothing of each other's.
 */
const PAUSE_MS = 100;
/** Poll interval while another worker rebuilds the read models. */
const POLL_MS = 500;
/** Batch size of a rebuild while other read models are followed in the same thread. */
const BACKGROUND_BATCH_EVENTS = 2_000;

/**
 * Rebuilds missing and outdated read models, then returns the projector that follows the log. Usable
 * read models are followed while the others are rebuilt.
 */
export async function prepareProjector(options: ProjectOptions): Promise<Projector> {
  const { events, store, projections = PROJECTIONS } = options;
  const outdated = await outdatedOf({ events, store, projections });
  const usable = projections.filter((each) => !outdated.includes(each));
  if (usable.length === 0) await bringUpToDateOrWait(options);
  if (usable.length === 0 || outdated.length === 0) {
    return createProjector(followingOf(options, projections));
  }
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const projector = createProjector(followingOf({ ...options, signal }, usable));
  return {
    retryParked: (...named) => projector.retryParked(...named),
    hurry: (position) => projector.hurry(position),
    include: (...joining) => projector.include(...joining),
    async run() {
      const rebuilding = rebuildOutdated({ ...options, signal }, outdated, projector);
      // A restart of the thread retries the rebuild.
      rebuilding.catch(() => ending.abort());
      try {
        await projector.run();
      } finally {
        ending.abort();
      }
      await rebuilding.catch((error: unknown) => {
        if (!options.signal.aborted) throw error;
      });
    },
  };
}

function followingOf(options: ProjectOptions, projections: readonly Projection[]) {
  // An only host reacquires its lease at once; with several hosts another takes over within seconds.
  const sharing =
    options.holder === ONLY_HOST ? { pauseMs: PAUSE_MS } : { leaseTtlMs: SHARED_LEASE_TTL_MS };
  return { ...options, now: Date.now, projections, ...sharing };
}

/** One of several workers rebuilds a read model; the others wait for it, then follow it. */
async function rebuildOutdated(
  options: ProjectOptions,
  outdated: readonly Projection[],
  projector: Projector,
): Promise<void> {
  for (const projection of outdated) {
    const isFollowed = await rebuildOneOrWait(options, projection, projector);
    if (!isFollowed) await projector.include(projection);
  }
}

/** Returns whether the projector already follows it. */
async function rebuildOneOrWait(
  options: ProjectOptions,
  projection: Projection,
  projector: Projector,
): Promise<boolean> {
  const { signal, holder } = options;
  while ((await outdatedOf({ ...options, projections: [projection] })).length > 0) {
    try {
      await rebuildBeside(options, projection, projector);
      return holder === ONLY_HOST;
    } catch (error) {
      if (!isBusy(error) || holder === ONLY_HOST) throw error;
      await sleep(POLL_MS, undefined, { signal });
    }
  }
  return false;
}

async function rebuildBeside(
  options: ProjectOptions,
  projection: Projection,
  projector: Projector,
): Promise<void> {
  const { notify, holder } = options;
  await bringUpInBackground(
    {
      ...options,
      now: Date.now,
      projection,
      batchEvents: BACKGROUND_BATCH_EVENTS,
      onProgress: (progress) => notify({ type: 'rebuilding', progress }),
    },
    // Another worker may be the follower, which cannot be paused from here.
    (finish) => (holder === ONLY_HOST ? projector.include(projection, finish) : finish()),
  );
}

/** When several workers start at once, one rebuilds and the others wait. */
async function bringUpToDateOrWait(options: ProjectOptions): Promise<void> {
  const { notify, holder, signal, projections = PROJECTIONS, maxBatchEvents } = options;
  const batch = maxBatchEvents !== undefined && { batchEvents: maxBatchEvents };
  const onProgress = (progress: RebuildProgress) => notify({ type: 'rebuilding', progress });
  for (;;) {
    try {
      await fill({ ...options, projections, onProgress, ...batch });
      return;
    } catch (error) {
      if (!isBusy(error) || holder === ONLY_HOST) throw error;
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof ReadModelError && error.code === 'not-ready';
}
