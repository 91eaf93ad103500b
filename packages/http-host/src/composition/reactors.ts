/** Provides what works by itself: what follows the log, and what waits for its time. */
import { isMovable } from '../clock.ts';
import { ConfigError } from '../config.ts';
import { openOrReplace } from '../damaged-files.ts';
import { Mailing } from '../mail/mailing.ts';
import type { Outbox } from '../mail/outbox.ts';
import { openPostgresOutbox } from '../mail/outbox-postgres.ts';
import { openSqliteOutbox } from '../mail/outbox-sqlite.ts';
import { KeyMarking } from '../operations/keys-and-log.ts';
import { TestClock } from '../operations/test-clock.ts';
import { followOutcomes } from '../reactors/cap-settlement.ts';
import { openCheckpoints } from '../reactors/checkpoints.ts';
import { openSharedCheckpoints } from '../reactors/checkpoints-postgres.ts';
import { deadlineWorks } from '../reactors/deadlines.ts';
import { followErasures, letGoOfErased } from '../reactors/erasures.ts';
import { FollowerProgress } from '../reactors/follower-progress.ts';
import { LEADERSHIP, whileLeading } from '../reactors/leadership.ts';
import { followNotices } from '../reactors/notices.ts';
import { Sweeper } from '../reactors/sweeper.ts';
import { type TimedWork, TimedWorks } from '../reactors/timed-work.ts';
import { ownFile } from '../stores.ts';
import { type Get, PART, type Provide } from './parts.ts';

/** Beyond the gateway's own time, for the request that made a charge to record its outcome. */
const SWEEP_GRACE_MS = 20_000;

export function provideReactors(provide: Provide): void {
  provide(PART.checkpoints, (get) => {
    const database = get(PART.hostDatabase);
    return database === undefined
      ? openOrReplace(ownFile(get(PART.config), 'checkpoints'), openCheckpoints, get(PART.logger))
      : openSharedCheckpoints(database.pool);
  });
  provide(PART.followerProgress, () => new FollowerProgress());
  provide(
    PART.timedWorks,
    (get) => new TimedWorks({ works: timedWorks(get), logger: get(PART.logger) }),
  );
  provide(PART.testClock, testClock);
  provide(PART.mailing, (get) => {
    const logger = get(PART.logger);
    const config = get(PART.config);
    return new Mailing({
      settings: config.mail,
      outbox: outboxOf(get),
      ledger: get(PART.ledger),
      events: get(PART.events),
      references: get(PART.references),
      clock: get(PART.clock),
      logger,
    });
  });
}

function outboxOf(get: Get): Outbox {
  const database = get(PART.hostDatabase);
  return database === undefined
    ? openOrReplace(ownFile(get(PART.config), 'mails'), openSqliteOutbox, get(PART.logger))
    : openPostgresOutbox(database.pool);
}

/** Everything that waits for its time; a shutdown waits for them in this order. */
function timedWorks(get: Get): readonly TimedWork[] {
  const shared = {
    ledger: get(PART.ledger),
    store: get(PART.readModels),
    logger: get(PART.logger),
  };
  const graceMs = get(PART.config).gatewayTimeoutMs + SWEEP_GRACE_MS;
  return [
    new Sweeper({ ...shared, reactor: get(PART.reactor), graceMs }),
    get(PART.billing),
    ...deadlineWorks(shared),
    ...get(PART.mailing).works,
  ];
}

/** Undefined on a host whose clock cannot be moved. */
function testClock(get: Get): TestClock | undefined {
  if (!get(PART.config).testClock) return undefined;
  const clock = get(PART.clock);
  if (!isMovable(clock)) throw new ConfigError(['TEST_CLOCK is 1, and the given clock stays']);
  return new TestClock({
    clock,
    timed: get(PART.timedWorks),
    events: get(PART.events),
    progress: get(PART.progress),
    followers: get(PART.followerProgress),
  });
}

/** Runs all that follows the log; resolves when `signal` is aborted and each has come to a rest. */
function followTheLog(get: Get, signal: AbortSignal): Promise<unknown> {
  const ledger = get(PART.ledger);
  const headAtStart = get(PART.headAtStart);
  const following = {
    events: get(PART.events),
    checkpoints: get(PART.checkpoints),
    logger: get(PART.logger),
    progress: get(PART.followerProgress),
    signal,
  };
  return Promise.all([
    get(PART.mailing).follow(following, headAtStart),
    followNotices({ ledger, gateways: get(PART.gateways), ...following }),
    get(PART.policies).follow(following),
    followErasures({ erasure: get(PART.erasure), ...following }),
    new KeyMarking({
      keys: get(PART.personalKeys),
      events: get(PART.events),
      logger: get(PART.logger),
    }).repeat(signal),
    followOutcomes({ ledger, caps: get(PART.caps), firstAfter: headAtStart, ...following }),
  ]);
}

/**
 * Runs all that works by itself, to the end of the signal. Of several hosts one does it at a time: all
 * of it may be taken up by another where it was broken off.
 */
export async function react(get: Get, signal: AbortSignal): Promise<void> {
  const work = (ending: AbortSignal): Promise<unknown> =>
    Promise.all([followTheLog(get, ending), get(PART.timedWorks).repeat(ending)]);
  if (get(PART.hostDatabase) === undefined) {
    await work(signal);
    return;
  }
  const [leases, holder, logger] = [get(PART.leases), get(PART.holder), get(PART.logger)];
  await Promise.all([
    whileLeading({ leases, name: LEADERSHIP, holder, logger, signal }, work),
    letGoOfErased({
      events: get(PART.events),
      erasure: get(PART.erasure),
      identities: get(PART.identities),
      after: get(PART.headAtStart),
      logger,
      signal,
    }),
  ]);
}
