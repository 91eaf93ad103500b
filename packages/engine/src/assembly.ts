/** Makes the parts of a ledger from its stores: the base, and the slices on it. Nothing runs yet. */
import { categoryOf } from '@counterfoil/core';
import { CommandRunner } from './command-runner.ts';
import { deriveKey } from './derive-key.ts';
import { isMovable } from './runtime/clock.ts';
import { FollowerProgress } from './runtime/follower-progress.ts';
import { openProjecting } from './runtime/projecting/open-projecting.ts';
import { OwnProjections } from './runtime/projecting/own-projections.ts';
import { ReadSide } from './runtime/read-side.ts';
import { createStateCache } from './runtime/state-cache.ts';
import { TestClock } from './runtime/test-clock.ts';
import { TimedWorks } from './runtime/timed-work.ts';
import { ConfigError } from './settings.ts';
import type { AssemblyOptions, Base } from './slice.ts';
import { ALL_SCOPES, makeSlices, SLICES, tenantParts } from './slices.ts';
import { openCheckpoints } from './storage/checkpoints.ts';
import { logLostClaims } from './storage/claims.ts';
import { openOrReplace } from './storage/damaged-files.ts';
import { openKeptAnswers, openSharedAnswers } from './storage/kept-answers.ts';
import { openOwn } from './storage/own-tables.ts';
import { isShared, ownFile } from './storage/stores.ts';
import { TenantLedgers } from './tenant-ledger.ts';

/** Categories of the streams that say who may take a payment. */
const DEFINITIONS: ReadonlySet<string> = new Set(['company', 'merchant_account']);
/** Category of the streams that have the keys of tenants. */
const TENANTS = 'tenant';

export type Assembly = ReturnType<typeof assemble>;

export function assemble(options: AssemblyOptions) {
  const { stores, logger } = options;
  const base = makeBase(options);
  const parts = makeSlices(base);
  const timed = new TimedWorks({
    works: SLICES.flatMap((each) => each.works?.(parts) ?? []),
    intervalMs: options.settings.dueWorkIntervalMs,
    logger,
  });
  const ownProjections = new OwnProjections({
    projections: options.projections,
    stores,
    readSide: base.readSide,
    logger,
    follows: options.background,
  });
  return {
    ...parts,
    timed,
    testClock: makeTestClock(base, timed),
    checkpoints: openOwn(options, 'checkpoints', openCheckpoints),
    projecting: openProjecting(options),
    ownProjections,
    ledgers: new TenantLedgers({
      parts: tenantParts(parts),
      ownProjections,
      activity: parts.activity,
    }),
  };
}

function makeBase(options: AssemblyOptions): Base {
  const { settings, stores, clock } = options;
  const { events, masterKey } = stores;
  const stateCache = createStateCache();
  // Not the head, where there is a newer event: another process may have acknowledged that already.
  const newest = () => (events.newest === undefined ? events.head() : events.newest());
  const isOneOfSeveral = isShared(settings.eventStoreUrl);
  const readSide = new ReadSide(
    stores.progress,
    stores.headAtStart,
    isOneOfSeveral ? newest : undefined,
  );
  const definitions = new ReadSide(stores.progress, undefined, undefined);
  const issuedKeys = new ReadSide(stores.progress, undefined, undefined);
  const commands = new CommandRunner(
    { store: events, cache: stateCache, vault: stores.personalKeys },
    clock,
    (tenantId, position, stream) => {
      readSide.acknowledge(tenantId, position);
      const category = categoryOf(stream);
      if (DEFINITIONS.has(category)) definitions.acknowledge(tenantId, position);
      if (category === TENANTS) issuedKeys.acknowledge(tenantId, position);
    },
    deriveKey(masterKey, 'command fingerprints'),
  );
  const followerProgress = new FollowerProgress();
  const answers = openAnswers(options);
  return {
    ...options,
    commands,
    stateCache,
    readSide,
    definitions,
    issuedKeys,
    followerProgress,
    answers,
    scopes: ALL_SCOPES,
  };
}

/** Undefined for a clock that cannot be moved. */
function makeTestClock(
  { settings, stores, clock, followerProgress: followers }: Base,
  timed: TimedWorks,
): TestClock | undefined {
  if (!settings.testClock) return undefined;
  if (!isMovable(clock)) throw new ConfigError(['TEST_CLOCK is 1, and the given clock stays']);
  const { events, progress } = stores;
  return new TestClock({ clock, timed, events, progress, followers });
}

function openAnswers({ settings, stores, logger }: AssemblyOptions) {
  const pool = stores.hostDatabase?.pool;
  return pool === undefined
    ? openOrReplace(ownFile(settings, 'answers'), openKeptAnswers, logger)
    : openSharedAnswers({ pool, onLost: logLostClaims(logger) });
}
