/** Composes the host: an engine and its HTTP interface. */
import 'reflect-metadata';
import type { Duplex } from 'node:stream';
import {
  type Clock,
  type Engine,
  openEngine,
  type RunningWorker,
  runWorker as runEngineWorker,
} from '@counterfoil/engine';
import { type GatewayOption, sandbox } from '@counterfoil/engine/gateways';
import { LedgerView, type OwnProjection } from '@counterfoil/projections';
import { instanceCachingFactory, container as rootContainer } from 'tsyringe';
import { provideHttp } from './composition/http.ts';
import { type Get, PART, type Part, type Provide } from './composition/parts.ts';
import type { Config } from './config.ts';
import type { Endpoint } from './http/endpoint.ts';
import { createLogger, type Logger } from './http/logging.ts';
import type { HttpServer } from './http/server.ts';
import { loadGateways } from './load-gateways.ts';
import { placeSocket, removeSocket, socketFault, socketPathOf } from './operator/local-socket.ts';
import { packageVersion } from './package-version.ts';

/** A composed host: its components, for embedders, and its lifecycle. */
export interface Host {
  readonly config: Config;
  readonly logger: Logger;
  readonly engine: Engine;
  readonly events: Engine['stores']['events'];
  readonly readModels: Engine['stores']['readModels'];
  /** For work that only one process may do at a time. */
  readonly leases: Engine['stores']['leases'];
  readonly commands: Engine['commands'];
  readonly tenants: Engine['tenants'];
  readonly merchantAccounts: Engine['merchantAccounts'];
  readonly payments: Engine['payments'];
  readonly gateways: Engine['gateways'];
  readonly readSide: Engine['readSide'];
  /** Scheduled work: runs once a second, and when a round is requested. */
  readonly timed: Engine['timed'];
  readonly books: LedgerView;
  /** With TEST_CLOCK=1 only. */
  readonly testClock: Engine['testClock'];
  /** A connection within this process with the rights of the operator, who needs no key. */
  connectOperator(): Duplex;
  /**
   * Starts to listen. Resolves with the base URL when the read models include everything that the
   * log held when it was opened; until then `/readyz` says `starting`. Rejects when closed earlier.
   */
  listen(): Promise<string>;
  /** Graceful shutdown: refuses new requests, answers those in flight, flushes read models, closes stores. */
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Default: the sandbox, and the modules of GATEWAYS. */
  readonly gateways?: readonly GatewayOption[];
  /** Custom read models, made by `defineProjection`; query them with `engine.as(actor).view`. */
  readonly projections?: readonly OwnProjection[];
  /**
   * Custom endpoints: they get the host's authentication, limits and OpenAPI document. The ledger of a
   * caller is `engine.as(actorOf(context))`.
   */
  readonly endpoints?: (engine: Engine) => readonly Endpoint[];
  /**
   * False for a single task: no background work runs then, so nothing is billed or sent, and open
   * intents stay open. Default: true.
   */
  readonly serves?: boolean;
}

/** Opens the configured stores and starts everything except listening. */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<Host> {
  const { clock, projections, serves: background } = options;
  const gateways = options.gateways ?? [sandbox(), ...(await loadGateways(config, process.cwd()))];
  const logger = options.logger ?? createLogger({ level: config.logLevel });
  const engine = await openEngine(config, { logger, clock, gateways, projections, background });
  try {
    return hostOf({ config, logger, engine, ownEndpoints: options.endpoints?.(engine) ?? [] });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

interface Given {
  readonly config: Config;
  readonly logger: Logger;
  readonly engine: Engine;
  readonly ownEndpoints: readonly Endpoint[];
}

function hostOf(given: Given): Host {
  const get = register(given);
  const { config, logger, engine } = given;
  const server = get(PART.server);
  const metricsServer = get(PART.metricsServer);
  const readiness = get(PART.readiness);
  const { events, readModels, leases } = engine.stores;
  const { tenants, merchantAccounts, payments, gateways, readSide, timed, testClock } = engine;
  let operatorServer: HttpServer | undefined;
  const operator = () => {
    operatorServer ??= get(PART.operatorServer);
    return operatorServer;
  };
  let socketPath: string | undefined;
  return {
    config,
    logger,
    engine,
    events,
    readModels,
    leases,
    commands: engine.commands,
    tenants,
    merchantAccounts,
    payments,
    gateways,
    readSide,
    timed,
    books: new LedgerView(readModels),
    testClock,
    connectOperator: () => operator().connect(),
    async listen() {
      await engine.mailing.beginService();
      if (config.metrics !== undefined) {
        const metricsUrl = await metricsServer?.listen(config.metrics);
        logger.info({ url: metricsUrl }, 'serving metrics');
      }
      const url = await server.listen(config);
      logger.info({ url }, 'listening; ready when the read models are');
      socketPath = await listenLocally(given, operator);
      await engine.started();
      readiness.started();
      return url;
    },
    async close() {
      // A caller that advances the clock gets its response while the server closes.
      const ended = engine.beginClose();
      if (socketPath !== undefined) removeSocket(socketPath);
      await get(PART.operatorWork).stop('the end of the host');
      await Promise.all([server.close(), metricsServer?.close(), operatorServer?.close()]);
      await ended;
      await engine.close();
      get(PART.metrics).close();
      logger.flush();
    },
  };
}

/** The path of the socket; undefined where commands reach the host by its address only. */
async function listenLocally(
  { config, logger }: Given,
  operator: () => HttpServer,
): Promise<string | undefined> {
  const path = socketPathOf(config);
  if (path === undefined) return undefined;
  const fault = socketFault(path);
  if (fault !== undefined) {
    logger.warn({ reason: fault }, 'commands on the data folder do not reach this host');
    return undefined;
  }
  await placeSocket(path, (made) => operator().listenOn(made));
  return path;
}

function register(given: Given): Get {
  const container = rootContainer.createChildContainer();
  const get: Get = <Type>(name: Part<Type>) => container.resolve<Type>(name);
  const provide: Provide = (name, make) => {
    container.register(name, { useFactory: instanceCachingFactory(() => make(get)) });
  };
  provide(PART.config, () => given.config);
  provide(PART.logger, () => given.logger);
  provide(PART.engine, () => given.engine);
  provide(PART.ownEndpoints, () => given.ownEndpoints);
  provide(PART.identity, () => ({ pid: process.pid, version: packageVersion() }));
  provideHttp(provide);
  return get;
}

/** Starts a process that updates the read models, beside hosts that share a log. */
export async function runWorker(config: Config): Promise<RunningWorker> {
  const logger = createLogger({ level: config.logLevel });
  const worker = await runEngineWorker(config, logger);
  return {
    started: worker.started,
    async close() {
      await worker.close();
      logger.flush();
    },
  };
}
