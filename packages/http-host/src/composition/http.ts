/** Provides the HTTP interface, and what it answers with. */
import {
  DetailView,
  LedgerView,
  RecurringView,
  SearchView,
  SubscriptionView,
} from '@counterfoil/projections';
import { openOrReplace } from '../damaged-files.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { metricsEndpoint, Readiness } from '../http/health.ts';
import { Idempotency } from '../http/idempotency.ts';
import { tellLostClaims } from '../http/idempotency-claims.ts';
import { PostgresIdempotencyStore } from '../http/idempotency-postgres.ts';
import { SqliteIdempotencyStore } from '../http/idempotency-sqlite.ts';
import { Metrics } from '../http/metrics.ts';
import { RateLimits } from '../http/rate-limit.ts';
import { sharedCounters } from '../http/rate-limit-postgres.ts';
import { HttpServer } from '../http/server.ts';
import { deriveKey } from '../operations/credential-vault.ts';
import { refusalOfFailure } from '../operations/failures.ts';
import { keyDirectory } from '../operations/key-directory.ts';
import { routes } from '../routes.ts';
import { ownFile } from '../stores.ts';
import { type Get, PART, type Provide } from './parts.ts';

export function provideHttp(provide: Provide): void {
  provide(PART.readiness, (get) => {
    const logger = get(PART.logger);
    return new Readiness((name, error) => logger.warn({ err: error, check: name }, 'not ready'));
  });
  provide(PART.metrics, () => new Metrics());
  provide(PART.idempotencyStore, (get) => {
    const logger = get(PART.logger);
    const database = get(PART.hostDatabase);
    if (database === undefined) {
      const path = ownFile(get(PART.config), 'answers');
      return openOrReplace(path, (each) => new SqliteIdempotencyStore(each), logger);
    }
    return new PostgresIdempotencyStore({ pool: database.pool, onLost: tellLostClaims(logger) });
  });
  provide(PART.idempotency, (get) => {
    const logger = get(PART.logger);
    const clock = get(PART.clock);
    return new Idempotency({
      store: get(PART.idempotencyStore),
      secret: deriveKey(get(PART.masterKey), 'idempotency'),
      onStoreFailure: (error) => logger.error({ err: error }, 'an answer could not be kept'),
      now: () => Date.parse(clock.now()),
    });
  });
  provide(PART.endpoints, (get) => {
    const clock = get(PART.clock);
    const reference = get(PART.referenceView);
    const readModels = get(PART.readModels);
    return routes({
      payments: get(PART.payments),
      customers: get(PART.customers),
      erasure: get(PART.erasure),
      subscriptions: get(PART.subscriptions),
      readSide: get(PART.readSide),
      details: new DetailView(readModels, reference),
      search: new SearchView(readModels, reference),
      ledger: new LedgerView(readModels),
      recurring: new RecurringView(readModels),
      subscriptionView: new SubscriptionView(readModels),
      reference,
      confirmations: get(PART.mailing).confirmations,
      readiness: get(PART.readiness),
      metrics: get(PART.config).metrics === undefined ? get(PART.metrics) : undefined,
      testClock: get(PART.testClock),
      now: () => clock.now(),
    });
  });
  provide(PART.rateLimits, rateLimits);
  provide(PART.server, (get) => serverOf(get, get(PART.endpoints), get(PART.metrics)));
  provide(PART.metricsServer, (get) => {
    if (get(PART.config).metrics === undefined) return undefined;
    // Who asks for the figures is not counted in them.
    return serverOf(get, [metricsEndpoint(get(PART.metrics))], new Metrics());
  });
}

function serverOf(get: Get, endpoints: readonly Endpoint[], metrics: Metrics): HttpServer {
  const { limits } = get(PART.config);
  const clock = get(PART.clock);
  return new HttpServer({
    endpoints,
    keys: keyDirectory(get(PART.referenceView), get(PART.ledger)),
    rateLimits: get(PART.rateLimits),
    idempotency: get(PART.idempotency),
    readiness: get(PART.readiness),
    metrics,
    logger: get(PART.logger),
    limits,
    now: () => Date.parse(clock.now()),
    refusalOf: refusalOfFailure,
  });
}

/** One limit for all hosts that share a database. */
function rateLimits(get: Get): RateLimits {
  const { failedAuthenticationsPerMinute: failuresPerMinute } = get(PART.config);
  const database = get(PART.hostDatabase);
  if (database === undefined) return new RateLimits({ failuresPerMinute });
  const logger = get(PART.logger);
  const onFailure = (error: unknown) =>
    logger.warn({ err: error }, 'requests are counted by this host alone for now');
  const makeCounter = sharedCounters({ pool: database.pool, onFailure });
  return new RateLimits({ failuresPerMinute, makeCounter });
}
