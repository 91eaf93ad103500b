/** Follows the log for a reactor: from its checkpoint on, through faults, to the end of a signal. */
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
/** What happens meanwhile is looked at together: nobody waits for a reactor, and each look costs. */
const PAUSE_MS = 50;
/** After a fault, such as a gateway that cannot be reached, it goes on after so long. */
const RETRY_MS = 1_000;

/** What a follower is given by its host. */
export interface Following {
  readonly events: EventStore;
  readonly checkpoints: Places;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Told how far it has come: one for all followers of a log. */
  readonly progress: FollowerProgress;
}

export interface LogFollower extends Following {
  /** Of its checkpoint. */
  readonly name: string;
  /** The events that it is about; the others are passed over. */
  readonly types: ReadonlySet<Event['type']>;
  /** Name of the checkpoint where one without a checkpoint of its own goes on. */
  readonly takesOver?: string;
  /** Where one without a checkpoint begins; from the beginning when undefined. */
  readonly firstAfter?: Position | undefined;
  /**
   * Reacts to events in the order of the log: at least one, and all of one batch. It is called again
   * with the same ones, and others beside them, after it has thrown or the process has died, so it
   * must do nothing twice. An event that will never succeed must not throw: it would hold up the rest.
   */
  readonly react: (events: readonly StoredEvent[]) => Promise<void>;
}

/** Whether what failed would fail again: a reactor tells of it, and goes on with the others. */
export function isPermanent(error: unknown): boolean {
  return error instanceof Refused ? !error.isTransient : error instanceof DamagedEvent;
}

/** Resolves when `signal` is aborted and the batch that is under way is done. */
export async function followLog(follower: LogFollower): Promise<void> {
  const { name, logger, signal, progress } = follower;
  progress.report(name, undefined);
  while (!signal.aborted) {
    try {
      await follow(follower);
    } catch (error) {
      if (signal.aborted) return;
      logger.error({ err: error, reactor: name }, 'a reactor is held up');
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
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

/** The position after which it goes on, or begins: that is kept at once, for a crash is no second beginning. */
async function placeOf(follower: LogFollower): Promise<Position | undefined> {
  const { name, takesOver, events, checkpoints, firstAfter } = follower;
  const own = await checkpoints.get(name);
  const kept = own ?? (takesOver === undefined ? undefined : await checkpoints.get(takesOver));
  if (kept !== undefined && checkpoints.ofThisLog) return kept;
  const head = await events.head();
  // A checkpoint beyond the log is that of another log.
  if (kept !== undefined && head !== undefined && kept <= head) return kept;
  if (firstAfter !== undefined) await checkpoints.set(name, firstAfter);
  return firstAfter;
}
