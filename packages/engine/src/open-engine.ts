/** Opens the stores of a ledger, starts what works by itself, and closes everything in order. */
import type { OwnProjection } from '@counterfoil/projections';
import { assemble } from './assembly.ts';
import { followInEveryProcess, runInBackground } from './background.ts';
import { type GatewayOption, sandbox } from './gateways/gateway-option.ts';
import { type Logger, redactingLogger } from './logger.ts';
import type { MetricsRegistry } from './metrics-registry.ts';
import { openStores } from './open-stores.ts';
import { warnOfAbsentGateways } from './payments/absent-gateways.ts';
import { type Clock, openClock } from './runtime/clock.ts';
import { refuseDuplicateNames } from './runtime/projecting/own-projections.ts';
import type { Settings } from './settings.ts';
import { fileOf } from './storage/stores.ts';
import type { Actor, TenantLedger } from './tenant-ledger.ts';
import { untraced } from './tracing.ts';
import { healthChecks, ledgerState, registerMetrics } from './watching.ts';

export interface EngineOptions {
  readonly logger: Logger;
  /** Default: the clock of the settings. */
  readonly clock?: Clock | undefined;
  /** Default: the sandbox. */
  readonly gateways?: readonly GatewayOption[] | undefined;
  /** Made by `defineProjection`. Default: none. */
  readonly projections?: readonly OwnProjection[] | undefined;
  /**
   * False for a process that only handles requests, or does one piece of work: it then reacts to nothing,
   * bills nothing and sends nothing. On shared stores it forgets what other processes change, and leaves
   * the projections to others too; where stores are files it makes them itself, since queries need them.
   * Default: true.
   */
  readonly background?: boolean | undefined;
}

/** A running ledger: its parts, and its life. */
export interface Engine extends Awaited<ReturnType<typeof openEngine>> {}

export async function openEngine(given: Settings, options: EngineOptions) {
  const { background = true, gateways = [sandbox()], projections = [] } = options;
  const logger = redactingLogger(options.logger);
  refuseDuplicateNames(projections);
  const settings = background ? given : { ...given, runProjections: false };
  await using opening = new AsyncDisposableStack();
  const stores = await openStores(settings, { logger, opening });
  const clock = options.clock ?? openClock(settings);
  const parts = assemble({
    settings,
    stores,
    clock,
    logger,
    gatewayOptions: gateways,
    projections,
    background,
  });
  opening.move();
  const stopping = new AbortController();
  const closing = new AbortController();
  const isAlone = stores.hostDatabase === undefined;
  const { signal } = stopping;
  const working = untraced(() =>
    Promise.all([
      background ? runInBackground({ stores, parts, logger }, signal) : undefined,
      followInEveryProcess({ stores, parts, logger }, signal),
    ]),
  );
  // A process before this one may have ended before it could.
  if (background && isAlone) void parts.scrubbing.scrub();
  /** Ends once every account whose gateway is absent is named. */
  let naming: Promise<void> | undefined;
  const watched = { settings, stores, parts, clock };

  let ended: Promise<void> | undefined;

  function beginClose(): Promise<void> {
    closing.abort(new Error('the ledger was closed before it was ready'));
    return parts.testClock?.stop() ?? Promise.resolve();
  }

  async function closeAll(): Promise<void> {
    const clockStopped = beginClose();
    await parts.timed.stop();
    await clockStopped;
    stopping.abort();
    await working;
    await naming;
    await parts.scrubbing.stop();
    parts.mailing.close();
    parts.webhooks.close();
    await parts.ownProjections.stop();
    const closeReadModels = async () => {
      await stores.readModels.close();
      await stores.leases.close();
    };
    // Of files, the worker's connections go last: only they can remove the write-ahead logs.
    const inFiles = fileOf(settings.readModelUrl) !== undefined;
    if (inFiles) await closeReadModels();
    // With several processes: only for the events of this one, and without querying the log.
    await parts.projecting.stop(isAlone ? await stores.events.head() : parts.readSide.newest);
    if (!inFiles) await closeReadModels();
    await stores.events.close();
    await stores.personalKeys.close();
    await parts.gateways.close();
    parts.checkpoints.close();
    parts.evidenceStore.close();
    parts.takenEvents.close();
    parts.pendingAnswers.close();
    await parts.sharedMutex?.close();
    parts.userCredentials.close();
    await parts.answers.close();
    await parts.activity.close();
    await stores.hostDatabase?.close();
  }

  return {
    ...parts,
    /** The slices of one tenant, for one caller: it is named in the metadata of every event. */
    as: (actor: Actor): TenantLedger => parts.ledgers.as(actor),
    checks: healthChecks(watched),
    state: () => ledgerState(watched),
    registerMetrics: (metrics: MetricsRegistry) => registerMetrics(metrics, watched),
    /** Resolves when the read models show what the log held when it was opened; rejects when closed. */
    async started(): Promise<void> {
      const closed = new Promise<never>((_, reject) => {
        const end = () => reject(closing.signal.reason);
        closing.signal.addEventListener('abort', end, { once: true });
      });
      await Promise.race([parts.projecting.started, closed]);
      const { headAtStart, progress } = stores;
      if (headAtStart !== undefined) await progress.reached(headAtStart, closing);
      closing.signal.throwIfAborted();
      const { ids: gatewayIds } = parts.gateways;
      naming = warnOfAbsentGateways({ store: stores.readModels, gatewayIds, logger });
    },
    /** Ends what may hold up a caller that waits for the ledger itself; `close` does so too. */
    beginClose,
    /**
     * Ends in order: what is due, the followers, the read models, the stores. Later calls wait for the
     * first.
     */
    close(): Promise<void> {
      ended ??= closeAll();
      return ended;
    },
  };
}
