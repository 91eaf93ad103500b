/** Puts the host together from the parts that `composition/` provides, and gives it a beginning and an end. */
import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EventStore, Position } from '@counterfoil/core';
import { LedgerView, type ReadModelStore } from '@counterfoil/projections';
import {
  type DependencyContainer,
  instanceCachingFactory,
  container as rootContainer,
} from 'tsyringe';
import { type Clock, openClock } from './clock.ts';
import { provideHttp } from './composition/http.ts';
import { provideLedger } from './composition/ledger.ts';
import { type Get, PART, type Part, type Provide } from './composition/parts.ts';
import { providePayments } from './composition/payments.ts';
import { followTheLog, provideReactors } from './composition/reactors.ts';
import { provideReadSide } from './composition/read-side.ts';
import { provideSubscriptions } from './composition/subscriptions.ts';
import { watchHost } from './composition/watching.ts';
import { type Config, loadMasterKey } from './config.ts';
import { replaceDamagedReadModels } from './damaged-files.ts';
import { refuseLostEvents } from './doctor/lost-events.ts';
import type { GatewayRegistry } from './gateways/registry.ts';
import { createLogger, type Logger } from './http/logging.ts';
import type { Ledger } from './operations/ledger.ts';
import { openPersonalKeys } from './operations/open-personal-keys.ts';
import type { Payments } from './operations/payments.ts';
import type { PersonalKeys } from './operations/personal-keys.ts';
import type { ReadSide } from './operations/read-side.ts';
import type { Tenants } from './operations/tenants.ts';
import type { TestClock } from './operations/test-clock.ts';
import type { TimedWorks } from './reactors/timed-work.ts';
import { dataFilesOf, fileOf, isInMemory, openEventStore } from './stores.ts';

/** A composed host: its parts for those who embed it, and its life. */
export interface Host {
  readonly config: Config;
  readonly logger: Logger;
  readonly events: EventStore;
  readonly readModels: ReadModelStore;
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
  /** Starts to listen; answers the base URL. */
  listen(): Promise<string>;
  /** Ends in order: no new requests, those under way answered, read models flushed, stores closed. */
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Opens the stores of a configuration and starts everything but the listening. */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<Host> {
  makeFolders(config);
  const events = await openEventStore(config.eventStoreUrl);
  const container = rootContainer.createChildContainer();
  let personalKeys: PersonalKeys | undefined;
  try {
    const headAtStart = await events.head();
    const files = dataFilesOf(config);
    if (files !== undefined) await refuseLostEvents(files, events);
    const masterKey = loadMasterKey(config);
    personalKeys = await openPersonalKeys({ located: config, masterKey, events });
    register(container, { config, events, headAtStart, masterKey, personalKeys }, options);
    return start(container);
  } catch (error) {
    personalKeys?.close();
    await events.close();
    throw error;
  }
}

function makeFolders({ dataDir, eventStoreUrl, readModelUrl }: Config): void {
  const files = [eventStoreUrl, readModelUrl].map(fileOf).filter((path) => path !== undefined);
  for (const folder of [dataDir, ...files.map((path) => dirname(path))]) {
    mkdirSync(folder, { recursive: true });
  }
}

interface Opened {
  readonly config: Config;
  readonly events: EventStore;
  readonly headAtStart: Position | undefined;
  readonly masterKey: Buffer;
  readonly personalKeys: PersonalKeys;
}

function register(
  container: DependencyContainer,
  { config, events, headAtStart, masterKey, personalKeys }: Opened,
  { clock = openClock(config), logger }: ComposeOptions,
): void {
  const get = getFrom(container);
  const provide: Provide = (name, make) => {
    container.register(name, { useFactory: instanceCachingFactory(() => make(get)) });
  };
  provide(PART.config, () => config);
  provide(PART.clock, () => clock);
  provide(PART.events, () => events);
  provide(PART.headAtStart, () => headAtStart);
  provide(PART.logger, () => logger ?? createLogger({ level: config.logLevel }));
  provide(PART.masterKey, () => masterKey);
  provide(PART.personalKeys, () => personalKeys);
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
function start(container: DependencyContainer): Host {
  const get = getFrom(container);
  const stopping = new AbortController();
  const logger = get(PART.logger);
  const events = get(PART.events);
  // What may fail to open comes first, and what runs by itself last.
  replaceDamagedReadModels(get(PART.config), logger);
  const server = get(PART.server);
  const checkpoints = get(PART.checkpoints);
  const readModels = get(PART.readModels);
  const timed = get(PART.timedWorks);
  const testClock = get(PART.testClock);
  const projecting = get(PART.projecting);
  const mailing = get(PART.mailing);
  const reactors = followTheLog(get, stopping.signal);
  void timed.repeat();
  watchHost(get);
  return {
    config: get(PART.config),
    logger,
    events,
    readModels,
    ledger: get(PART.ledger),
    tenants: get(PART.tenants),
    payments: get(PART.payments),
    gateways: get(PART.gateways),
    readSide: get(PART.readSide),
    timed,
    books: new LedgerView(readModels),
    testClock,
    async listen() {
      const { port, host } = get(PART.config);
      mailing.beginService();
      const { port: bound } = await server.listen(port, host);
      return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
    },
    async close() {
      // Told first, so that whoever moves the clock gets an answer while the server closes.
      const clockStopped = testClock?.stop();
      await server.close();
      await timed.stop();
      await clockStopped;
      stopping.abort();
      await reactors;
      mailing.close();
      // The worker's connections go last: only they can tidy the write-ahead logs away.
      if (!isInMemory(get(PART.config))) {
        await readModels.close();
        await get(PART.leases).close();
      }
      await projecting.stop(await events.head());
      await readModels.close();
      await events.close();
      get(PART.personalKeys).close();
      await get(PART.gateways).close();
      checkpoints.close();
      get(PART.idempotencyStore).close();
      logger.flush();
    },
  };
}
