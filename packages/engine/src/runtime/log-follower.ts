/** Follows the log for a reactor from its checkpoint, with retries, until a signal fires. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DamagedEvent,
  type Event,
  type EventStore,
  type Position,
  type StoredEvent,
} from '@counterfoil/core';
import type { Logger } from '../logger.ts';
import { Refused } from '../refusal.ts';
import type { Places } from '../storage/checkpoints.ts';
import type { FollowerProgress } from './follower-progress.ts';

const BATCH_SIZE = 500;
/** Between reads, so that events are processed in batches. */
const PAUSE_MS = 50;
/** Delay before a retry after an error. */
const RETRY_MS = 1_000;

/** Services that the host gives to a follower. */
export interface Following {
  readonly events: EventStore;
  readonly checkpoints: Places;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Receives the position. Shared by all followers of a log. */
  readonly progress: FollowerProgress;
}

export interface LogFollower extends Following {
  /** The name of the checkpoint. */
  readonly name: string;
  /** Events of other types are skipped. */
  readonly types: ReadonlySet<Event['type']>;
  /** A checkpoint to start from when there is none under `name`. */
  readonly takesOver?: string;
  /** The start without a checkpoint; the beginning of the log when undefined. */
  readonly firstAfter?: Position | undefined;
  /**
   * Receives a non-empty batch in the order of the log. Delivery is at least once, possibly in other
   * batches, so it must be idempotent. It must not throw for an event that can never succeed: that
   * would block the following ones.
   */
  readonly react: (events: readonly StoredEvent[]) => Promise<void>;
}

/** Whether an error is permanent: a reactor then logs it and continues with the next event. */
export function isPermanent(error: unknown): boolean {
  return error instanceof Refused ? !error.isTransient : error instanceof DamagedEvent;
}

/** Resolves when `signal` is aborted and the current batch is done. */
export async function followLog(follower: LogFollower): Promise<void> {
  const { name, logger, signal, progress } = follower;
  progress.report(name, undefined);
  while (!signal.aborted) {
    try {
      await follow(follower);
    } catch (error) {
      if (signal.aborted) break;
      logger.error({ err: error, reactor: name }, 'a reactor is held up');
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  progress.ended(name);
}

async function follow(follower: LogFollower): Promise<void> {
  const { name, events, checkpoints, signal, types, progress } = follower;
  const after = await placeOf(follower);
  if (after !== undefined) progress.report(name, after);
  const subscription = events.subscribe({
    batchSize: BATCH_SIZE,
    signal,
    ...(after !== undefined && { after }),
  });
  for await (const batch of subscription) {
    const wanted = batch.filter(({ type }) => types.has(type as Event['type']));
    if (wanted.length > 0) await follower.react(wanted);
    const last = batch.at(-1);
    if (last !== undefined) {
      await checkpoints.set(name, last.position);
      progress.report(name, last.position);
    }
    if (batch.length < BATCH_SIZE) await progress.pause(PAUSE_MS, signal);
  }
}

/** The position to continue after. A new follower's start is stored at once, so that it survives a crash. */
async function placeOf(follower: LogFollower): Promise<Position | undefined> {
  const { name, takesOver, events, checkpoints, firstAfter } = follower;
  const own = await checkpoints.get(name);
  const kept = own ?? (takesOver === undefined ? undefined : await checkpoints.get(takesOver));
  if (kept !== undefined && checkpoints.ofThisLog) return kept;
  const head = await events.head();
  // A checkpoint beyond the head belongs to another log.
  if (kept !== undefined && head !== undefined && kept <= head) return kept;
  if (firstAfter !== undefined) await checkpoints.set(name, firstAfter);
  return firstAfter;
}
