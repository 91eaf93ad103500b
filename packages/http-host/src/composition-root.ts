/** Puts the host together from the parts that `composition/` provides, and gives it a beginning and an end. */
import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EventStore } from '@counterfoil/core';
import { LedgerView, Progress, type ReadModelStore } from '@counterfoil/projections';
import {
  type DependencyContainer,
  instanceCachingFactory,
  container as rootContainer,
} from 'tsyringe';
import { type Clock, openClock } from './clock.ts';
import { agreeOnLog, agreeOnMasterKey } from './composition/agreement.ts';
import { provideHttp } from './composition/http.ts';
import { provideLedger } from './composition/ledger.ts';
import { type Get, PART, type Part, type Provide } from './composition/parts.ts';
import { providePayments } from './composition/payments.ts';
import { provideReactors, react } from './composition/reactors.ts';
import { projectionsOf, provideReadSide } from './composition/read-side.ts';
import { provideSubscriptions } from './composition/subscriptions.ts';
import { watchHost } from './composition/watching.ts';
import { type Config, ConfigError, loadMasterKey } from './config.ts';
import { replaceDamagedReadModels } from './damaged-files.ts';
import { refuseLostEvents } from './doctor/lost-events.ts';
import type { GatewayRegistry } from './gateways/registry.ts';
import { type HostDatabase, openHostDatabase } from './host-database.ts';
import { createLogger, type Logger } from './http/logging.ts';
import type { Ledger } from './operations/ledger.ts';
import { openPersonalKeys, refuseLostKeys } from './operations/open-personal-keys.ts';
import type { Payments } from './operations/payments.ts';
import type { ReadSide } from './operations/read-side.ts';
import type { Tenants } from './operations/tenants.ts';
import type { TestClock } from './operations/test-clock.ts';
import { holderFor } from './projecting/holder.ts';
import { ProjectionThread } from './projecting/projecting.ts';
import type { LeaseStore } from './reactors/lease.ts';
import type { TimedWorks } from './reactors/timed-work.ts';
import {
  dataFilesOf,
  fileOf,
  hostDatabaseUrlOf,
  isInMemory,
  openEventStore,
  openReadModels,
  openSharedReadModels,
} from './stores.ts';

/** A composed host: its parts for those who embed it, and its life. */
export interface Host {
  readonly config: Config;
  readonly logger: Logger;
  readonly events: EventStore;
  readonly readModels: ReadModelStore;
  /** For work that one host at a time does. */
  readonly leases: LeaseStore;
  readonly ledger: Ledger;
  readonly tenants: Tenants;
  readonly payments: Payments;
  readonly gateways: GatewayRegistry;
  readonly readSide: ReadSide;
  /** What waits for its time; it is done once a second, and whenever somebody asks for a round. */
  readonly timed: TimedWorks;
  readonly books: LedgerView;
  /** With TEST_CLOCK=1 only. */
  readonly testClock: TestClock | undefined;
  /**
   * Starts to listen; answers the base URL when reads work: when the read models show all that the
   * log held when it was opened. Until then `/readyz` says `starting`. Rejects when it is closed first.
   */
  listen(): Promise<string>;
  /** Ends in order: no new requests, those under way answered, read models flushed, stores closed. */
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /**
   * False for one piece of work beside hosts that may be running: where stores are shared, nothing
   * works by itself then, and whoever leads or projects goes on doing so. True when absent.
   */
  readonly serves?: boolean;
}

/** Opens the stores of a configuration and starts everything but the listening. */
export async function compose(given: Config, options: ComposeOptions = {}): Promise<Host> {
  const { serves = true } = options;
  const config = serves ? given : { ...given, runProjections: false };
  makeFolders(config);
  const logger = options.logger ?? createLogger({ level: config.logLevel });
  const opening = new AsyncDisposableStack();
  try {
    const opened = await open(config, logger, opening);
    const container = rootContainer.createChildContainer();
    register(container, { config, logger, ...opened }, options);
    return start(container, serves);
  } catch (error) {
    await opening.disposeAsync();
    throw error;
  }
}

function makeFolders({ dataDir, eventStoreUrl, readModelUrl }: Config): void {
  const files = [eventStoreUrl, readModelUrl].map(fileOf).filter((path) => path !== undefined);
  for (const folder of [dataDir, ...files.map((path) => dirname(path))]) {
    mkdirSync(folder, { recursive: true });
  }
}

/** Whatever has to be waited for, with what closes it again should a later one fail. */
async function open(config: Config, logger: Logger, opening: AsyncDisposableStack) {
  const { readModelUrl } = config;
  const closing = <Opened extends { close(): unknown }>(opened: Opened): Opened =>
    opening.adopt(opened, async (each) => {
      await each.close();
    });
  const hostDatabase = await openDatabaseOf(config, logger);
  if (hostDatabase !== undefined) closing(hostDatabase);
  const events = closing(await openEventStore(config));
  const headAtStart = await events.head();
  const files = dataFilesOf(config);
  if (files !== undefined) await refuseLostEvents(files, events);
  const masterKey = loadMasterKey(config);
  if (hostDatabase !== undefined) await agreeOnMasterKey(hostDatabase, masterKey);
  const personalKeys = closing(
    await openPersonalKeys({ located: config, masterKey, events, database: hostDatabase }),
  );
  replaceDamagedReadModels(config, logger);
  const progress = new Progress();
  const isWrittenElsewhere = !isInMemory(config);
  const reading = { readOnly: isWrittenElsewhere, told: () => progress.position };
  const sharedReadModels =
    hostDatabase && closing(await openSharedReadModels(readModelUrl, reading));
  const readModels = sharedReadModels ?? closing(await openReadModels(readModelUrl, reading));
  // Queries have their read models read-only; a lease is written beside them.
  const leases = isWrittenElsewhere ? closing(await openReadModels(readModelUrl)) : readModels;
  if (hostDatabase !== undefined) {
    await agreeOnLog({ database: hostDatabase, events, readModels });
  }
  return {
    hostDatabase,
    events,
    headAtStart,
    masterKey,
    personalKeys,
    progress,
    readModels,
    sharedReadModels,
    leases,
    holder: holderFor(config),
  };
}

async function openDatabaseOf(config: Config, logger: Logger): Promise<HostDatabase | undefined> {
  const url = hostDatabaseUrlOf(config);
  if (url === undefined) return undefined;
  const onLostConnection = (error: Error) =>
    logger.warn({ err: error }, 'a connection to the host database was lost');
  return openHostDatabase(url, { onLostConnection });
}

type Opened = Awaited<ReturnType<typeof open>> & {
  readonly config: Config;
  readonly logger: Logger;
};

function register(
  container: DependencyContainer,
  opened: Opened,
  { clock = openClock(opened.config) }: ComposeOptions,
): void {
  const get = getFrom(container);
  const provide: Provide = (name, make) => {
    container.register(name, { useFactory: instanceCachingFactory(() => make(get)) });
  };
  provide(PART.clock, () => clock);
  for (const name of Object.keys(opened) as (keyof Opened)[]) {
    provide<unknown>(PART[name], () => opened[name]);
  }
  provideLedger(provide);
  provideReadSide(provide);
  providePayments(provide);
  provideSubscriptions(provide);
  provideReactors(provide);
  provideHttp(provide);
}

function getFrom(container: DependencyContainer): Get {
  return <Type>(name: Part<Type>) => container.resolve<Type>(name);
}

/** Starts the parts that work by themselves, and hands out the host. */
function start(container: DependencyContainer, serves: boolean): Host {
  const get = getFrom(container);
  const stopping = new AbortController();
  const closing = new AbortController();
  const logger = get(PART.logger);
  const events = get(PART.events);
  // What may fail to open comes first, and what runs by itself last.
  const server = get(PART.server);
  const metricsServer = get(PART.metricsServer);
  const checkpoints = get(PART.checkpoints);
  const readModels = get(PART.readModels);
  const timed = get(PART.timedWorks);
  const testClock = get(PART.testClock);
  const projecting = get(PART.projecting);
  const mailing = get(PART.mailing);
  const scrubbing = get(PART.scrubbing);
  const isOnlyHost = get(PART.hostDatabase) === undefined;
  const reactors = serves || isOnlyHost ? react(get, stopping.signal) : Promise.resolve();
  // A host before this one may have ended before it could.
  if (isOnlyHost) void scrubbing.scrub();
  watchHost(get);
  return {
    config: get(PART.config),
    logger,
    events,
    readModels,
    leases: get(PART.leases),
    ledger: get(PART.ledger),
    tenants: get(PART.tenants),
    payments: get(PART.payments),
    gateways: get(PART.gateways),
    readSide: get(PART.readSide),
    timed,
    books: new LedgerView(readModels),
    testClock,
    async listen() {
      const config = get(PART.config);
      await mailing.beginService();
      if (config.metrics !== undefined) {
        const metricsUrl = await metricsServer?.listen(config.metrics);
        logger.info({ url: metricsUrl }, 'serving metrics');
      }
      const url = await server.listen(config);
      logger.info({ url }, 'listening; ready when the read models are');
      await readsWork(get, closing.signal);
      get(PART.readiness).started();
      return url;
    },
    async close() {
      closing.abort(new Error('the host was closed before it was ready'));
      // Told first, so that whoever moves the clock gets an answer while the server closes.
      const clockStopped = testClock?.stop();
      await Promise.all([server.close(), metricsServer?.close()]);
      await timed.stop();
      await clockStopped;
      stopping.abort();
      await reactors;
      await scrubbing.stop();
      mailing.close();
      const closeReadModels = async () => {
        await readModels.close();
        await get(PART.leases).close();
      };
      // Of files, the worker's connections go last: only they can tidy the write-ahead logs away.
      const inFiles = fileOf(get(PART.config).readModelUrl) !== undefined;
      if (inFiles) await closeReadModels();
      // Beside others nobody waits for the read models, nor asks a log that may be out of reach.
      await projecting.stop(isOnlyHost ? await events.head() : undefined);
      if (!inFiles) await closeReadModels();
      await events.close();
      await get(PART.personalKeys).close();
      await get(PART.gateways).close();
      checkpoints.close();
      await get(PART.sharedTurns)?.close();
      await get(PART.idempotencyStore).close();
      await get(PART.hostDatabase)?.close();
      logger.flush();
    },
  };
}

/** Waits until the read models show what the log held when it was opened; rejects when `signal` aborts. */
async function readsWork(get: Get, signal: AbortSignal): Promise<void> {
  const closed = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  await Promise.race([get(PART.projecting).started, closed]);
  const headAtStart = get(PART.headAtStart);
  if (headAtStart !== undefined) await get(PART.progress).reached(headAtStart, { signal });
  signal.throwIfAborted();
}

/** A process that brings the read models up to date, and does nothing else. */
export interface RunningWorker {
  /** Resolves when it can take its turn: the read models are prepared, by it or by another. */
  readonly started: Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a worker beside hosts that share a log. Throws a ConfigError where no host would see its work,
 * and what a host throws that is given another key or another log than those before it.
 */
export async function runWorker(config: Config): Promise<RunningWorker> {
  const logger = createLogger({ level: config.logLevel });
  const masterKey = loadMasterKey(config);
  await agreeWithHosts(config, { masterKey, logger });
  const holder = holderFor(config);
  const projecting = new ProjectionThread(projectionsOf(config, { holder, masterKey }), {
    progress: new Progress(),
    logger,
  });
  return {
    started: projecting.started,
    async close() {
      await projecting.stop(undefined);
      logger.flush();
    },
  };
}

async function agreeWithHosts(
  config: Config,
  { masterKey, logger }: { masterKey: Buffer; logger: Logger },
): Promise<void> {
  const { readModelUrl } = config;
  const database = await openDatabaseOf(config, logger);
  if (database === undefined) {
    throw new ConfigError(['READ_MODEL_URL must be a postgres:// URL for a worker']);
  }
  await using opened = new AsyncDisposableStack();
  opened.defer(() => database.close());
  await agreeOnMasterKey(database, masterKey);
  const events = await openEventStore(config, { follow: true });
  opened.defer(() => events.close());
  const readModels = await openReadModels(readModelUrl, { readOnly: true });
  opened.defer(() => readModels.close());
  await agreeOnLog({ database, events, readModels });
  await refuseLostKeys({ masterKey, events, database });
}
