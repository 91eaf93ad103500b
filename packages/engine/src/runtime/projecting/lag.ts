/** The lag of each projection, measured from outside: a worker that hangs cannot report it. */
import type { EventStore, Position, StoredEvent } from '@counterfoil/core';
import {
  type Checkpoints,
  earliest,
  ReadModelError,
  type ReadModelStore,
  shardOf,
} from '@counterfoil/projections';

/** Counting reads the unapplied events on the main thread, so it is bounded. */
export const MOST_COUNTED = 1_000;
const BATCH_SIZE = 250;

export interface Behind {
  /** Unapplied events; at `MOST_COUNTED` there may be more. */
  readonly events: number;
  /** Age of the oldest unapplied event; 0 when there is none. */
  readonly seconds: number;
}

export interface Lag extends Behind {
  readonly projection: string;
  /** Parked streams: their events could not be applied. */
  readonly parked: number;
}

export interface LagOptions {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly projections: readonly string[];
  /** The clock that stamps events, in milliseconds. */
  readonly now: () => number;
}

/** Whether a read model answers queries: it has a live build without known damage. */
export async function isReady(store: ReadModelStore, projection: string): Promise<boolean> {
  try {
    const live = await store.live(projection);
    return live !== undefined && (await live.isSound());
  } catch (error) {
    if (!(error instanceof ReadModelError)) throw error;
    return false;
  }
}

/** Omits projections whose read model is being built. */
export async function lagOf(options: LagOptions): Promise<readonly Lag[]> {
  const found = await Promise.all(options.projections.map((name) => lagOfOne(options, name)));
  return found.filter((lag) => lag !== undefined);
}

async function lagOfOne(options: LagOptions, projection: string): Promise<Lag | undefined> {
  const reached = await reachedBy(options.store, projection);
  if (reached === undefined) return undefined;
  const { checkpoints, parked } = reached;
  const isMissing = ({ tenantId, position }: StoredEvent) => {
    const checkpoint = checkpoints[shardOf(tenantId, checkpoints.length)];
    return checkpoint === undefined || position > checkpoint;
  };
  return { projection, ...(await behindOf(options, earliest(checkpoints), isMissing)), parked };
}

/** How far a reader of the log that has reached `after` is behind its head. */
export async function behindOf(
  { events, now }: Pick<LagOptions, 'events' | 'now'>,
  after: Position | undefined,
  isMissing: (event: StoredEvent) => boolean = () => true,
): Promise<Behind> {
  const { count, since } = await unapplied(events, after, isMissing);
  const seconds = since === undefined ? 0 : Math.max(0, now() - Date.parse(since)) / 1_000;
  return { events: count, seconds };
}

async function reachedBy(
  store: ReadModelStore,
  projection: string,
): Promise<{ checkpoints: Checkpoints; parked: number } | undefined> {
  try {
    const live = await store.live(projection);
    if (live === undefined) return undefined;
    const parked = (await live.parkedStreams()).size;
    return { checkpoints: await live.checkpoints(), parked };
  } catch (error) {
    if (!(error instanceof ReadModelError)) throw error;
    // Just replaced by a rebuild, or damaged: the next call finds out.
    return undefined;
  }
}

async function unapplied(
  events: EventStore,
  after: Position | undefined,
  isMissing: (event: StoredEvent) => boolean,
): Promise<{ count: number; since: string | undefined }> {
  const range = { ...(after !== undefined && { after }), batchSize: BATCH_SIZE, untilHead: true };
  let count = 0;
  let since: string | undefined;
  for await (const batch of events.subscribe(range)) {
    const missing = batch.filter(isMissing);
    since ??= missing[0]?.time;
    count += missing.length;
    if (count >= MOST_COUNTED) break;
  }
  return { count: Math.min(count, MOST_COUNTED), since };
}
