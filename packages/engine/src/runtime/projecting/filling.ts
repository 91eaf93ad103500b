/** Fills empty read models: those of payments in a thread of their own, as they take as long as all others. */
import {
  bringUpToDate,
  type Projection,
  type RebuildOptions,
  transactions,
} from '@counterfoil/projections';

/** Of each of the two: together no more than one that fills alone. */
const SHARED_BATCH_EVENTS = 10_000;

/** What is filled elsewhere. */
export interface Part {
  /** Of the projections. */
  readonly names: readonly string[];
  readonly batchEvents: number;
}

/** Fills a part. Rejects when that fails or the signal fires, and not before it has ended. */
export type Beside = (part: Part, signal: AbortSignal) => Promise<void>;

export interface FillOptions extends Omit<RebuildOptions, 'projection' | 'now'> {
  readonly projections: readonly Projection[];
  readonly signal: AbortSignal;
  /** Default: one thread fills all. */
  readonly beside?: Beside | undefined;
}

/** Brings all projections to live builds. Each file has one writer, which sees the events in order. */
export async function fill(options: FillOptions): Promise<void> {
  const { projections, signal, beside } = options;
  const filling = { ...options, now: Date.now };
  const others = projections.filter(({ name }) => name !== transactions.name);
  const isShared = others.length > 0 && others.length < projections.length;
  if (beside === undefined || !isShared) {
    await bringUpToDate(filling);
    return;
  }
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const failures: unknown[] = [];
  const failed = (error: unknown) => {
    failures.push(error);
    ending.abort();
  };
  const batchEvents = options.batchEvents ?? SHARED_BATCH_EVENTS;
  await Promise.all([
    beside({ names: [transactions.name], batchEvents }, either).catch(failed),
    bringUpToDate({ ...filling, projections: others, batchEvents, signal: either }).catch(failed),
  ]);
  if (failures.length > 0) throw failures[0];
}
