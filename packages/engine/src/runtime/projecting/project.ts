/** Brings the read models up to the log and keeps them there: the work of a thread or of a process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyVault, EventStore } from '@counterfoil/core';
import {
  bringUpInBackground,
  bringUpToDate,
  createProjector,
  outdatedOf,
  PROJECTIONS,
  type Projection,
  type Projector,
  ReadModelError,
  type ReadModelStore,
} from '@counterfoil/projections';
import { SHARED_LEASE_TTL_MS } from '../lease.ts';
import { ONLY_HOST } from './holder.ts';
import type { FromThread } from './messages.ts';

export interface ProjectOptions {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly vault: AnyVault | undefined;
  /** Names the host to others that may want the same leases. */
  readonly holder: string;
  readonly signal: AbortSignal;
  readonly notify: (message: FromThread) => void;
  /** Default: those of the ledger. */
  readonly projections?: readonly Projection[];
  /** Under which one process at a time follows them. Default: that of the ledger's. */
  readonly lease?: string;
  /** The most events that are applied at a time, of the log as of a rebuild. */
  readonly maxBatchEvents?: number;
}

/** While another worker makes the read models anew, this one looks again after so long. */
const LOOK_AGAIN_MS = 500;
/** Events that are replayed at a time while other read models are followed in the same thread. */
const BACKGROUND_BATCH_EVENTS = 2_000;

/**
 * Rebuilds what is missing or outdated, then hands out the projector that follows the log. Where some
 * read models can be used, they are followed while the others are made anew.
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
    include: (...joining) => projector.include(...joining),
    async run() {
      const rebuilding = makeAnew({ ...options, signal }, outdated, projector);
      // Whoever starts the thread again begins with all of it.
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
  // The only host of a log takes its own lease up at once; of several, another one does within seconds.
  const lease = options.holder !== ONLY_HOST && { leaseTtlMs: SHARED_LEASE_TTL_MS };
  return { ...options, now: Date.now, projections, ...lease };
}

/** Of several workers one makes a read model anew; the others wait for it, and then follow it too. */
async function makeAnew(
  options: ProjectOptions,
  outdated: readonly Projection[],
  projector: Projector,
): Promise<void> {
  for (const projection of outdated) {
    const isFollowed = await makeAnewOrWait(options, projection, projector);
    if (!isFollowed) await projector.include(projection);
  }
}

/** Whether the projector follows it already. */
async function makeAnewOrWait(
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
      await sleep(LOOK_AGAIN_MS, undefined, { signal });
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
    // Another worker may be the one that follows: it cannot be asked to pause.
    (finish) => (holder === ONLY_HOST ? projector.include(projection, finish) : finish()),
  );
}

/** Of several workers that start at once, one rebuilds and the others wait for it. */
async function bringUpToDateOrWait(options: ProjectOptions): Promise<void> {
  const { notify, holder, signal, projections = PROJECTIONS, maxBatchEvents } = options;
  for (;;) {
    try {
      await bringUpToDate({
        ...options,
        ...(maxBatchEvents !== undefined && { batchEvents: maxBatchEvents }),
        now: Date.now,
        projections,
        onProgress: (progress) => notify({ type: 'rebuilding', progress }),
      });
      return;
    } catch (error) {
      if (!isBusy(error) || holder === ONLY_HOST) throw error;
      await sleep(LOOK_AGAIN_MS, undefined, { signal });
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof ReadModelError && error.code === 'not-ready';
}
