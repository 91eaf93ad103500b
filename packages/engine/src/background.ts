/** The background work of a ledger: followers of the log, and scheduled work. */
import type { Assembly } from './assembly.ts';
import type { Logger } from './logger.ts';
import type { OpenStores } from './open-stores.ts';
import { KeyMarking } from './personal-keys/keys-and-log.ts';
import { LEADERSHIP, whileLeading } from './runtime/leadership.ts';
import { SLICES } from './slices.ts';

export interface BackgroundParts {
  readonly stores: OpenStores;
  readonly parts: Assembly;
  readonly logger: Logger;
}

/**
 * Runs until the signal is aborted, in one of the processes on a log at a time. Another one takes over
 * from the checkpoints.
 */
export async function runInBackground(
  background: BackgroundParts,
  signal: AbortSignal,
): Promise<void> {
  const { stores, parts, logger } = background;
  const work = (ending: AbortSignal): Promise<unknown> =>
    Promise.all([followTheLog(background, ending), parts.timed.repeat(ending)]);
  if (stores.hostDatabase === undefined) {
    await work(signal);
    return;
  }
  const { leases, holder } = stores;
  await whileLeading({ leases, name: LEADERSHIP, holder, logger, signal }, work);
}

/** What every process of several has to follow: what it remembers, others change. Runs until the signal is aborted. */
export async function followInEveryProcess(
  background: BackgroundParts,
  signal: AbortSignal,
): Promise<void> {
  const { stores, parts } = background;
  if (stores.hostDatabase === undefined) return;
  const following = followingOf(background, signal);
  await Promise.all(SLICES.flatMap((each) => each.followersOfEach?.(parts, following) ?? []));
}

/** Runs the followers of the log; resolves when `signal` is aborted and all have ended. */
function followTheLog(background: BackgroundParts, signal: AbortSignal): Promise<unknown> {
  const { stores, parts, logger } = background;
  const { events, personalKeys } = stores;
  const following = followingOf(background, signal);
  return Promise.all([
    ...SLICES.flatMap((each) => each.followers?.(parts, following) ?? []),
    new KeyMarking({ keys: personalKeys, events, logger }).repeat(signal),
  ]);
}

function followingOf({ stores, parts, logger }: BackgroundParts, signal: AbortSignal) {
  const { events, headAtStart } = stores;
  const { checkpoints, followerProgress: progress } = parts;
  return { events, checkpoints, logger, progress, signal, headAtStart };
}
