/** The parts of a host by name, for those who provide them and those who ask for them. */
import type { EventStore, Position } from '@counterfoil/core';
import type { Progress, ReadModelStore, ReferenceView } from '@counterfoil/projections';
import type { PostgresReadModelStore } from '@counterfoil/projections/postgres';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import type { HostDatabase } from '../host-database.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Readiness } from '../http/health.ts';
import type { Idempotency, IdempotencyStore } from '../http/idempotency.ts';
import type { Logger } from '../http/logging.ts';
import type { Metrics } from '../http/metrics.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import type { HttpServer } from '../http/server.ts';
import type { Mailing } from '../mail/mailing.ts';
import type { Cards } from '../operations/cards.ts';
import type { CredentialVault } from '../operations/credential-vault.ts';
import type { CustomerVault } from '../operations/customer-keys.ts';
import type { Customers } from '../operations/customers.ts';
import type { Erasure } from '../operations/erasure.ts';
import type { Identities } from '../operations/identities.ts';
import type { Ledger } from '../operations/ledger.ts';
import type { MonthlyCaps } from '../operations/monthly-caps.ts';
import type { Payments } from '../operations/payments.ts';
import type { ReadSide } from '../operations/read-side.ts';
import type { References } from '../operations/references.ts';
import type { Scrubbing } from '../operations/scrubbing.ts';
import type { ClearableStateCache } from '../operations/state-cache.ts';
import type { Subscriptions } from '../operations/subscriptions.ts';
import type { Tenants } from '../operations/tenants.ts';
import type { TestClock } from '../operations/test-clock.ts';
import type { Projecting } from '../projecting/projecting.ts';
import type { Billing } from '../reactors/billing.ts';
import type { Checkpoints } from '../reactors/checkpoints.ts';
import type { FollowerProgress } from '../reactors/follower-progress.ts';
import type { GatewayReactor } from '../reactors/gateway-reactor.ts';
import type { PolicyReactor } from '../reactors/policies.ts';
import type { SharedTurns } from '../reactors/shared-turns.ts';
import type { TimedWorks } from '../reactors/timed-work.ts';

interface Closable {
  close(): void | Promise<void>;
}

/** Names a part of the host: it is made once, when it is first asked for. */
export type Part<Type> = symbol & { readonly of?: Type };

export type Get = <Type>(wanted: Part<Type>) => Type;
export type Provide = <Type>(name: Part<Type>, make: (get: Get) => Type) => void;

function part<Type>(name: string): Part<Type> {
  return Symbol(name) as Part<Type>;
}

export const PART = {
  config: part<Config>('config'),
  clock: part<Clock>('clock'),
  logger: part<Logger>('logger'),
  masterKey: part<Buffer>('masterKey'),
  events: part<EventStore>('events'),
  headAtStart: part<Position | undefined>('headAtStart'),
  /** Undefined where a host keeps what is its own in files, or in memory. */
  hostDatabase: part<HostDatabase | undefined>('hostDatabase'),
  /** Names this host to the others for as long as it runs. */
  holder: part<string>('holder'),
  readModels: part<ReadModelStore>('readModels'),
  /** The same ones, where several hosts share them. */
  sharedReadModels: part<PostgresReadModelStore | undefined>('sharedReadModels'),
  leases: part<ReadModelStore>('leases'),
  progress: part<Progress>('progress'),
  readSide: part<ReadSide>('readSide'),
  ledger: part<Ledger>('ledger'),
  vault: part<CredentialVault>('vault'),
  personalKeys: part<CustomerVault>('personalKeys'),
  stateCache: part<ClearableStateCache>('stateCache'),
  erasure: part<Erasure>('erasure'),
  scrubbing: part<Scrubbing>('scrubbing'),
  tenants: part<Tenants>('tenants'),
  referenceView: part<ReferenceView>('referenceView'),
  references: part<References>('references'),
  identities: part<Identities>('identities'),
  cards: part<Cards>('cards'),
  customers: part<Customers>('customers'),
  subscriptions: part<Subscriptions>('subscriptions'),
  caps: part<MonthlyCaps>('caps'),
  gateways: part<GatewayRegistry>('gateways'),
  /** Undefined where no other host is at work. */
  sharedTurns: part<SharedTurns | undefined>('sharedTurns'),
  reactor: part<GatewayReactor>('reactor'),
  policies: part<PolicyReactor>('policies'),
  payments: part<Payments>('payments'),
  billing: part<Billing>('billing'),
  projecting: part<Projecting>('projecting'),
  checkpoints: part<Checkpoints>('checkpoints'),
  followerProgress: part<FollowerProgress>('followerProgress'),
  mailing: part<Mailing>('mailing'),
  timedWorks: part<TimedWorks>('timedWorks'),
  testClock: part<TestClock | undefined>('testClock'),
  readiness: part<Readiness>('readiness'),
  metrics: part<Metrics>('metrics'),
  idempotencyStore: part<IdempotencyStore & Closable>('idempotencyStore'),
  idempotency: part<Idempotency>('idempotency'),
  rateLimits: part<RateLimits>('rateLimits'),
  endpoints: part<readonly Endpoint[]>('endpoints'),
  server: part<HttpServer>('server'),
  /** Undefined where the server of the interface serves the metrics too. */
  metricsServer: part<HttpServer | undefined>('metricsServer'),
};
