/** Provides the HTTP interface, and what it answers with. */
import { createSecretKey } from 'node:crypto';
import { ALL_SCOPES, deriveKey, type Engine, SCOPES } from '@counterfoil/engine';
import { wireRefusalOf } from '../api/refusals.ts';
import type { PageKey } from '../api/widget.ts';
import { findPaymentKey } from '../http/authenticate.ts';
import { keyActor } from '../http/caller.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { Refusal } from '../http/errors.ts';
import { metricsEndpoint, Readiness } from '../http/health.ts';
import { Idempotency } from '../http/idempotency.ts';
import { Metrics } from '../http/metrics.ts';
import { RateLimits } from '../http/rate-limit.ts';
import { sharedCounters } from '../http/rate-limit-postgres.ts';
import { type HttpLimits, HttpServer, type HttpServerOptions } from '../http/server.ts';
import { workOf } from '../operator/do-work.ts';
import { MAX_BODY_BYTES, operatorEndpoints, operatorOf } from '../operator/endpoints.ts';
import { type ConsoleOperator, isAmong } from '../operator/operators.ts';
import { ParkedStreams } from '../operator/parked-streams.ts';
import { OperatorWork, type WorkState } from '../operator/work.ts';
import { routes, sections } from '../routes.ts';
import { type Get, PART, type Provide } from './parts.ts';

const LONGEST_MS = 24 * 60 * 60_000;

export function provideHttp(provide: Provide): void {
  provide(PART.readiness, (get) => {
    const logger = get(PART.logger);
    const readiness = new Readiness((name, error) =>
      logger.warn({ err: error, check: name }, 'not ready'),
    );
    for (const [name, check] of Object.entries(get(PART.engine).checks)) readiness.add(name, check);
    return readiness;
  });
  provide(PART.metrics, (get) => {
    const metrics = new Metrics();
    metrics.observeProcess();
    get(PART.engine).registerMetrics(metrics);
    return metrics;
  });
  provide(PART.idempotency, (get) => {
    const logger = get(PART.logger);
    const { answers, stores, clock, forgetting } = get(PART.engine);
    const idempotency = new Idempotency({
      store: answers,
      secret: deriveKey(stores.masterKey, 'idempotency'),
      onStoreFailure: (error) => logger.error({ err: error }, 'an answer could not be kept'),
      now: () => Date.parse(clock.now()),
    });
    forgetting.add((about) => idempotency.forget(about));
    return idempotency;
  });
  provide(PART.routeServices, (get) => {
    const engine = get(PART.engine);
    const { ledgers, disputes, knowsOrigin, webhookEndpoints, eventSigners, testClock } = engine;
    const { mailResponses, mailViewer, authentications, users, signIns, tenants, clock } = engine;
    return {
      ledgers,
      disputes,
      knowsOrigin,
      pageKey: pageKey(engine),
      webhookEndpoints,
      eventSigners,
      testClock,
      mailResponses,
      mailViewer,
      authentications,
      users,
      signIns,
      tenants,
      now: () => clock.now(),
      formKey: createSecretKey(deriveKey(engine.stores.masterKey, 'forms of the console')),
      publicUrl: get(PART.config).publicUrl,
      rateLimits: get(PART.rateLimits),
      permissions: permissionsOf(get(PART.ownEndpoints)),
      readiness: get(PART.readiness),
      metrics: get(PART.config).metrics === undefined ? get(PART.metrics) : undefined,
      refusalOf: wireRefusalOf,
      operations: {
        isOperator: (user: ConsoleOperator) => isAmong(get(PART.config).consoleOperators, user),
        state: () => engine.state(),
        report: () => get(PART.readiness).report(),
        parked: get(PART.parkedStreams),
        work: get(PART.operatorWork),
        activity: engine.activity,
      },
    };
  });
  provide(PART.endpoints, (get) => routes(get(PART.routeServices), get(PART.ownEndpoints)));
  provide(PART.sections, (get) => sections(get(PART.routeServices)));
  provide(PART.parkedStreams, (get) => new ParkedStreams(get(PART.engine)));
  provide(PART.operatorWork, operatorWork);
  provide(PART.rateLimits, rateLimits);
  provide(PART.server, (get) => {
    const options = serverOptions(get, get(PART.endpoints), get(PART.metrics));
    return new HttpServer({ ...options, sections: get(PART.sections) });
  });
  provide(PART.operatorServer, operatorServerOf);
  provide(PART.metricsServer, (get) => {
    if (get(PART.config).metrics === undefined) return undefined;
    // Who asks for the figures is not counted in them.
    return new HttpServer(serverOptions(get, [metricsEndpoint(get(PART.metrics))], new Metrics()));
  });
}

function operatorWork(get: Get): OperatorWork {
  const logger = get(PART.logger);
  const engine = get(PART.engine);
  return new OperatorWork({
    does: workOf(get(PART.config), engine),
    now: () => engine.clock.now(),
    onEnded({ work, by, startedAt, failure }: WorkState) {
      const facts = { ...work, by, startedAt };
      if (failure === undefined) logger.info(facts, 'the work of an operator is done');
      else logger.warn({ ...facts, failure }, 'the work of an operator has failed');
    },
  });
}

/** What a page may know by an active payment key. */
function pageKey({ keys, clock, ledgers }: Engine) {
  return async (key: string): Promise<PageKey | undefined> => {
    const found = await findPaymentKey({ paymentKey: key }, keys, () => Date.parse(clock.now()));
    if (found instanceof Refusal || found.bound === undefined) return undefined;
    const { tenantId, environment, keyId, bound } = found;
    const { allowedOrigins: origins, applicationId } = bound;
    const { checkoutSessions } = ledgers.as({ tenantId, environment, actor: keyActor(keyId) });
    return {
      origins,
      cardEntryOf: (sessionId, asksForScript) =>
        checkoutSessions.cardEntry(sessionId, { applicationId, asksForScript }),
    };
  };
}

/** Files may take long, and only the operator's own commands are there to send them. */
const OPERATOR_LIMITS: Partial<HttpLimits> = {
  maxBodyBytes: MAX_BODY_BYTES,
  requestTimeoutMs: LONGEST_MS,
  socketTimeoutMs: LONGEST_MS,
};

function operatorServerOf(get: Get): HttpServer {
  const services = {
    engine: get(PART.engine),
    scopes: new Set(permissionsOf(get(PART.ownEndpoints)).keys()),
    identity: get(PART.identity),
    parked: get(PART.parkedStreams),
    work: get(PART.operatorWork),
  };
  const endpoints = operatorEndpoints(services, get(PART.endpoints));
  const options = serverOptions(get, endpoints, new Metrics());
  const limits = { ...get(PART.config).limits, ...OPERATOR_LIMITS };
  return new HttpServer({ ...options, limits, operator: operatorOf(services) });
}

/** Of the engine, and of endpoints of one's own. */
function permissionsOf(own: readonly Endpoint[]): ReadonlyMap<string, string> {
  const permissions = new Map(ALL_SCOPES.map((scope) => [scope, SCOPES[scope] ?? '']));
  for (const { access, summary } of own) {
    if (access.kind === 'api-key' && !permissions.has(access.scope)) {
      permissions.set(access.scope, summary);
    }
  }
  return permissions;
}

function serverOptions(
  get: Get,
  endpoints: readonly Endpoint[],
  metrics: Metrics,
): HttpServerOptions {
  const { limits } = get(PART.config);
  const { activity, clock, keys, users } = get(PART.engine);
  return {
    endpoints,
    keys,
    users,
    rateLimits: get(PART.rateLimits),
    idempotency: get(PART.idempotency),
    activity,
    readiness: get(PART.readiness),
    metrics,
    logger: get(PART.logger),
    limits,
    now: () => Date.parse(clock.now()),
    refusalOf: wireRefusalOf,
  };
}

/** One limit for all hosts that share a database. */
function rateLimits(get: Get): RateLimits {
  const { failedAuthenticationsPerMinute: failuresPerMinute } = get(PART.config);
  const database = get(PART.engine).stores.hostDatabase;
  if (database === undefined) return new RateLimits({ failuresPerMinute });
  const logger = get(PART.logger);
  const onFailure = (error: unknown) =>
    logger.warn({ err: error }, 'requests are counted by this host alone for now');
  const makeCounter = sharedCounters({ pool: database.pool, onFailure });
  return new RateLimits({ failuresPerMinute, makeCounter });
}
