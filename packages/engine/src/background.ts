/** What a ledger does by itself: it follows the log, and does what is due. */
import type { Assembly } from './assembly.ts';
import { followErasures, letGoOfErased } from './customers/erasures.ts';
import type { Logger } from './logger.ts';
import type { OpenStores } from './open-stores.ts';
import { followOutcomes } from './payments/cap-settlement.ts';
import { followNotices } from './payments/notices.ts';
import { KeyMarking } from './personal-keys/keys-and-log.ts';
import { LEADERSHIP, whileLeading } from './runtime/leadership.ts';

export interface BackgroundParts {
  readonly stores: OpenStores;
  readonly parts: Assembly;
  readonly logger: Logger;
}

/**
 * Runs until the signal is aborted. Of several processes on one log one does it at a time: another
 * takes it up where it was broken off.
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
  const { leases, holder, events } = stores;
  await Promise.all([
    whileLeading({ leases, name: LEADERSHIP, holder, logger, signal }, work),
    letGoOfErased({
      events,
      erasure: parts.erasure,
      identities: parts.identities,
      after: stores.headAtStart,
      logger,
      signal,
    }),
  ]);
}

/** Runs everything that follows the log; resolves when `signal` is aborted and each has come to rest. */
function followTheLog(
  { stores, parts, logger }: BackgroundParts,
  signal: AbortSignal,
): Promise<unknown> {
  const { events, headAtStart, personalKeys } = stores;
  const { commands, caps, gateways, policies, erasure, mailing, checkpoints } = parts;
  const following = { events, checkpoints, logger, progress: parts.followerProgress, signal };
  return Promise.all([
    mailing.follow(following, headAtStart),
    followNotices({ commands, gateways, ...following }),
    policies.follow(following),
    followErasures({ erasure, ...following }),
    new KeyMarking({ keys: personalKeys, events, logger }).repeat(signal),
    followOutcomes({ commands, caps, firstAfter: headAtStart, ...following }),
  ]);
}
