/** Puts the host together: the one place that knows which part needs which. */
import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EventStore, Position, TenantId } from '@counterfoil/core';
import {
  DetailView,
  LedgerView,
  PROJECTIONS,
  Progress,
  type ReadModelStore,
  RecurringView,
  ReferenceView,
  SearchView,
  SubscriptionView,
} from '@counterfoil/projections';
import {
  type DependencyContainer,
  type InjectionToken,
  instanceCachingFactory,
  container as rootContainer,
} from 'tsyringe';
import { type Clock, isMovable, openClock } from './clock.ts';
import { type Config, ConfigError, loadMasterKey } from './config.ts';
import { openOrReplace, openSound, replaceDamagedReadModels } from './damaged-files.ts';
import { expectRoom } from './disk-room.ts';
import { refuseLostEvents } from './doctor/lost-events.ts';
import { cardBrands } from './gateways/card-brands.ts';
import { cardFingerprints } from './gateways/card-fingerprint.ts';
import { type GatewayRegistry, gatewayRegistry } from './gateways/registry.ts';
import { openSandboxGateway } from './gateways/sandbox/sandbox-gateway.ts';
import type { Endpoint } from './http/endpoint.ts';
import { Readiness } from './http/health.ts';
import { Idempotency } from './http/idempotency.ts';
import { SqliteIdempotencyStore } from './http/idempotency-sqlite.ts';
import { createLogger, type Logger } from './http/logging.ts';
import { Metrics } from './http/metrics.ts';
import { RateLimits } from './http/rate-limit.ts';
import { HttpServer } from './http/server.ts';
import { Mailing } from './mail/mailing.ts';
import { Outbox } from './mail/outbox.ts';
import { CardTokens } from './operations/card-tokens.ts';
import { Cards } from './operations/cards.ts';
import { CredentialVault, deriveKey } from './operations/credential-vault.ts';
import { Customers } from './operations/customers.ts';
import { Erasure } from './operations/erasure.ts';
import { refusalOfFailure } from './operations/failures.ts';
import { Identities } from './operations/identities.ts';
import { keyDirectory } from './operations/key-directory.ts';
import { Ledger } from './operations/ledger.ts';
import { MonthlyCaps } from './operations/monthly-caps.ts';
import { keysOfThread, openPersonalKeys } from './operations/open-personal-keys.ts';
import { Payments } from './operations/payments.ts';
import type { PersonalKeys } from './operations/personal-keys.ts';
import { ReadSide } from './operations/read-side.ts';
import { Rebills } from './operations/rebills.ts';
import { References } from './operations/references.ts';
import { type ClearableStateCache, createStateCache } from './operations/state-cache.ts';
import { Subscriptions } from './operations/subscriptions.ts';
import { Tenants } from './operations/tenants.ts';
import { TestClock } from './operations/test-clock.ts';
import { type Lag, lagOf, MOST_COUNTED } from './projecting/lag.ts';
import { HOLDER } from './projecting/project.ts';
import { type Projecting, ProjectionInProcess, ProjectionThread } from './projecting/projecting.ts';
import { Billing } from './reactors/billing.ts';
import { followOutcomes } from './reactors/cap-settlement.ts';
import { type Checkpoints, openCheckpoints } from './reactors/checkpoints.ts';
import { deadlineWorks } from './reactors/deadlines.ts';
import { followErasures } from './reactors/erasures.ts';
import { FollowerProgress } from './reactors/follower-progress.ts';
import { GatewayReactor } from './reactors/gateway-reactor.ts';
import { followNotices } from './reactors/notices.ts';
import { PolicyReactor } from './reactors/policies.ts';
import { Sweeper } from './reactors/sweeper.ts';
import { type TimedWork, TimedWorks } from './reactors/timed-work.ts';
import { routes } from './routes.ts';
import { dataFilesOf, fileOf, openEventStore, openReadModels } from './stores.ts';

const MS_PER_SECOND = 1_000;

/** Beyond the gateway's own time, for the request that made an intent to record its outcome. */
const SWEEP_GRACE_MS = 20_000;

/** Nobody is registered twice for want of it, so a registration waits no longer for the followers. */
const FOLLOWED_UP_MS = 1_000;

/** A part of the host, found by its token and made once, when it is first asked for. */
function part<Type>(name: string): InjectionToken<Type> {
  return Symbol(name) as unknown as InjectionToken<Type>;
}

const PART = {
  config: part<Config>('config'),
  clock: part<Clock>('clock'),
  logger: part<Logger>('logger'),
  masterKey: part<Buffer>('masterKey'),
  events: part<EventStore>('events'),
  headAtStart: part<Position | undefined>('headAtStart'),
  readModels: part<ReadModelStore>('readModels'),
  leases: part<ReadModelStore>('leases'),
  progress: part<Progress>('progress'),
  readSide: part<ReadSide>('readSide'),
  ledger: part<Ledger>('ledger'),
  vault: part<CredentialVault>('vault'),
  personalKeys: part<PersonalKeys>('personalKeys'),
  stateCache: part<ClearableStateCache>('stateCache'),
  erasure: part<Erasure>('erasure'),
  tenants: part<Tenants>('tenants'),
  referenceView: part<ReferenceView>('referenceView'),
  references: part<References>('references'),
  identities: part<Identities>('identities'),
  cards: part<Cards>('cards'),
  customers: part<Customers>('customers'),
  subscriptions: part<Subscriptions>('subscriptions'),
  caps: part<MonthlyCaps>('caps'),
  gateways: part<GatewayRegistry>('gateways'),
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
  idempotencyStore: part<SqliteIdempotencyStore>('idempotencyStore'),
  idempotency: part<Idempotency>('idempotency'),
  endpoints: part<readonly Endpoint[]>('endpoints'),
  server: part<HttpServer>('server'),
};

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

function isInMemory(config: Config): boolean {
  return fileOf(config.eventStoreUrl) === undefined;
}

/** A file of the host's own in the data folder; in memory where the log is. */
function ownFile(config: Config, name: 'answers' | 'checkpoints' | 'gateway' | 'mails'): string {
  return dataFilesOf(config)?.[name] ?? ':memory:';
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
  const provide = <Type>(token: InjectionToken<Type>, make: (get: Get) => Type): void => {
    const get: Get = (wanted) => container.resolve(wanted);
    container.register(token, { useFactory: instanceCachingFactory(() => make(get)) });
  };
  provide(PART.config, () => config);
  provide(PART.clock, () => clock);
  provide(PART.events, () => events);
  provide(PART.headAtStart, () => headAtStart);
  provide(PART.logger, () => logger ?? createLogger({ level: config.logLevel }));
  provide(PART.masterKey, () => masterKey);
  provide(PART.personalKeys, () => personalKeys);
  registerLedger(provide);
  registerReadSide(provide);
  registerPayments(provide);
  registerHttp(provide);
}

type Get = <Type>(token: InjectionToken<Type>) => Type;
type Provide = <Type>(token: InjectionToken<Type>, make: (get: Get) => Type) => void;

function registerLedger(provide: Provide): void {
  provide(PART.stateCache, () => createStateCache());
  provide(PART.ledger, (get) => {
    const readSide = get(PART.readSide);
    const vault = get(PART.personalKeys);
    const executor = { store: get(PART.events), cache: get(PART.stateCache), vault };
    return new Ledger(executor, get(PART.clock), (tenantId, position) =>
      readSide.acknowledge(tenantId, position),
    );
  });
  provide(PART.vault, (get) => new CredentialVault(get(PART.masterKey)));
  provide(PART.tenants, (get) => new Tenants(get(PART.ledger), get(PART.vault)));
  provide(PART.identities, (get) => {
    const secret = deriveKey(get(PART.masterKey), 'customer emails');
    return new Identities(get(PART.ledger), secret);
  });
  provide(PART.references, (get) => {
    const view = get(PART.referenceView);
    return new References(get(PART.ledger), {
      async merchantAccountIdsOf(tenantId: TenantId, companyId: number) {
        const accounts = (await view.names(tenantId)).merchantAccounts(companyId);
        return accounts.map(({ merchantAccountId }) => merchantAccountId);
      },
      async companyIdsOf(tenantId: TenantId) {
        const companies = (await view.names(tenantId)).all('CompanyDefined');
        return companies.map(({ companyId }) => companyId);
      },
    });
  });
}

function registerReadSide(provide: Provide): void {
  provide(PART.progress, () => new Progress());
  provide(PART.readSide, (get) => new ReadSide(get(PART.progress), get(PART.headAtStart)));
  provide(PART.readModels, (get) => {
    const config = get(PART.config);
    const progress = get(PART.progress);
    const told = () => progress.position;
    return openReadModels(config.readModelUrl, { readOnly: !isInMemory(config), told });
  });
  // Queries have their read models read-only; a lease is written beside them.
  provide(PART.leases, (get) => {
    const config = get(PART.config);
    return isInMemory(config) ? get(PART.readModels) : openReadModels(config.readModelUrl);
  });
  provide(PART.referenceView, (get) => new ReferenceView(get(PART.readModels)));
  provide(PART.projecting, (get) => {
    const config = get(PART.config);
    const shared = { progress: get(PART.progress), logger: get(PART.logger) };
    if (!isInMemory(config)) {
      const { eventStoreUrl, readModelUrl } = config;
      const keys = keysOfThread(config, get(PART.masterKey));
      return new ProjectionThread({ eventStoreUrl, readModelUrl, keys }, shared);
    }
    return new ProjectionInProcess({
      ...shared,
      vault: get(PART.personalKeys),
      events: get(PART.events),
      store: get(PART.readModels),
    });
  });
}

function registerPayments(provide: Provide): void {
  provide(PART.gateways, (get) =>
    gatewayRegistry([
      openSound(
        ownFile(get(PART.config), 'gateway'),
        (path) => openSandboxGateway({ path }),
        'Restore it from a backup, or move it away: its older charges can then not be captured, voided or refunded',
      ),
    ]),
  );
  provide(PART.caps, (get) => new MonthlyCaps(get(PART.ledger)));
  provide(PART.reactor, (get) => {
    const { gatewayTimeoutMs } = get(PART.config);
    return new GatewayReactor({
      ledger: get(PART.ledger),
      references: get(PART.references),
      caps: get(PART.caps),
      gateways: get(PART.gateways),
      vault: get(PART.vault),
      logger: get(PART.logger),
      gatewayTimeoutMs,
    });
  });
  provide(
    PART.policies,
    (get) =>
      new PolicyReactor({
        ledger: get(PART.ledger),
        references: get(PART.references),
        logger: get(PART.logger),
      }),
  );
  provide(PART.payments, (get) => {
    return new Payments({
      ledger: get(PART.ledger),
      identities: get(PART.identities),
      references: get(PART.references),
      caps: get(PART.caps),
      gateways: get(PART.gateways),
      reactor: get(PART.reactor),
      policies: get(PART.policies),
      cards: get(PART.cards),
    });
  });
  provide(PART.cards, (get) => {
    const masterKey = get(PART.masterKey);
    const fingerprintOf = cardFingerprints(deriveKey(masterKey, 'card fingerprints'));
    return new Cards({
      gateways: get(PART.gateways),
      brandOf: cardBrands(),
      tokens: new CardTokens(deriveKey(masterKey, 'card tokens')),
      fingerprintsOf: (owner) => (digits) =>
        fingerprintOf(`${owner.tenantId}/${owner.sandbox}/${digits}`),
    });
  });
  provide(
    PART.customers,
    (get) =>
      new Customers({
        ledger: get(PART.ledger),
        identities: get(PART.identities),
        references: get(PART.references),
        cards: get(PART.cards),
        async followedUp() {
          const head = await get(PART.events).head();
          const limit = { timeoutMs: FOLLOWED_UP_MS };
          if (head !== undefined) await get(PART.followerProgress).reached(head, limit);
        },
      }),
  );
  provide(
    PART.subscriptions,
    (get) =>
      new Subscriptions({
        ledger: get(PART.ledger),
        identities: get(PART.identities),
        references: get(PART.references),
        cards: get(PART.cards),
        readSide: get(PART.readSide),
        index: new SubscriptionView(get(PART.readModels)),
      }),
  );
  provide(
    PART.erasure,
    (get) =>
      new Erasure({
        ledger: get(PART.ledger),
        identities: get(PART.identities),
        subscriptions: get(PART.subscriptions),
        keys: get(PART.personalKeys),
        forgetStates: () => get(PART.stateCache).clear(),
        forgetAnswers: (tenantId) => get(PART.idempotency).forgetTenant(tenantId),
      }),
  );
  provide(PART.billing, (get) => {
    const shared = { ledger: get(PART.ledger), logger: get(PART.logger) };
    return new Billing({
      ...shared,
      rebills: new Rebills({
        ...shared,
        references: get(PART.references),
        caps: get(PART.caps),
        gateways: get(PART.gateways),
        reactor: get(PART.reactor),
        policies: get(PART.policies),
      }),
      store: get(PART.readModels),
      readSide: get(PART.readSide),
      leases: get(PART.leases),
      // A log in a file or in memory has one host, and whoever starts again goes on at once.
      holder: HOLDER,
    });
  });
  provide(PART.checkpoints, (get) =>
    openOrReplace(ownFile(get(PART.config), 'checkpoints'), openCheckpoints, get(PART.logger)),
  );
  provide(PART.followerProgress, () => new FollowerProgress());
  provide(
    PART.timedWorks,
    (get) => new TimedWorks({ works: timedWorks(get), logger: get(PART.logger) }),
  );
  provide(PART.testClock, testClock);
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

function registerHttp(provide: Provide): void {
  provide(PART.mailing, (get) => {
    const logger = get(PART.logger);
    const config = get(PART.config);
    return new Mailing({
      settings: config.mail,
      outbox: openOrReplace(ownFile(config, 'mails'), (path) => new Outbox(path), logger),
      ledger: get(PART.ledger),
      events: get(PART.events),
      references: get(PART.references),
      clock: get(PART.clock),
      logger,
    });
  });
  provide(PART.readiness, (get) => {
    const logger = get(PART.logger);
    return new Readiness((name, error) => logger.warn({ err: error, check: name }, 'not ready'));
  });
  provide(PART.metrics, () => new Metrics());
  provide(PART.idempotencyStore, (get) =>
    openOrReplace(
      ownFile(get(PART.config), 'answers'),
      (path) => new SqliteIdempotencyStore(path),
      get(PART.logger),
    ),
  );
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
      metrics: get(PART.metrics),
      testClock: get(PART.testClock),
      now: () => clock.now(),
    });
  });
  provide(PART.server, (get) => {
    const { limits, failedAuthenticationsPerMinute } = get(PART.config);
    const clock = get(PART.clock);
    const logger = get(PART.logger);
    const now = () => Date.parse(clock.now());
    return new HttpServer({
      endpoints: get(PART.endpoints),
      keys: keyDirectory(get(PART.referenceView), get(PART.ledger)),
      rateLimits: new RateLimits({ failuresPerMinute: failedAuthenticationsPerMinute }),
      idempotency: get(PART.idempotency),
      readiness: get(PART.readiness),
      metrics: get(PART.metrics),
      logger,
      limits,
      now,
      refusalOf: refusalOfFailure,
    });
  });
}

/** Starts the parts that work by themselves, and hands out the host. */
function start(container: DependencyContainer): Host {
  const get: Get = (token) => container.resolve(token);
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
  const progress = get(PART.progress);
  const projecting = get(PART.projecting);
  const followed = { events, checkpoints, logger, progress: get(PART.followerProgress) };
  const following = { ...followed, signal: stopping.signal };
  const ledger = get(PART.ledger);
  const mailing = get(PART.mailing);
  const reactors = Promise.all([
    mailing.follow(following, get(PART.headAtStart)),
    followNotices({ ledger, gateways: get(PART.gateways), ...following }),
    get(PART.policies).follow(following),
    followErasures({ erasure: get(PART.erasure), ...following }),
    followOutcomes({
      ledger,
      caps: get(PART.caps),
      firstAfter: get(PART.headAtStart),
      ...following,
    }),
  ]);
  timed.start();
  const clock = get(PART.clock);
  const now = () => Date.parse(clock.now());
  const log = fileOf(get(PART.config).eventStoreUrl);
  const folder = log === undefined ? undefined : dirname(log);
  const watched = { folder, events, readModels, projecting, progress, now };
  watch(get(PART.readiness), get(PART.metrics), watched);
  if (testClock !== undefined) {
    get(PART.metrics).gauge(
      'clock_ahead_seconds',
      "How far the test clock is ahead of the system's",
      () => testClock.aheadMs / MS_PER_SECOND,
    );
  }
  mailing.watch(get(PART.metrics));
  get(PART.billing).watch(get(PART.metrics));
  return {
    config: get(PART.config),
    logger,
    events,
    readModels,
    ledger,
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

interface Watched {
  /** Of the log; undefined for one in memory. */
  readonly folder: string | undefined;
  readonly events: EventStore;
  readonly readModels: ReadModelStore;
  readonly projecting: Projecting;
  readonly progress: Progress;
  readonly now: () => number;
}

function watch(
  readiness: Readiness,
  metrics: Metrics,
  { folder, events, readModels, projecting, progress, now }: Watched,
): void {
  readiness.add('event-store', async () => {
    await events.head();
  });
  if (folder !== undefined) readiness.add('disk', () => expectRoom(folder));
  readiness.add('projections', () => {
    if (!projecting.running) throw new Error('the projections are not running');
  });
  metrics.observeProcess();
  metrics.gauges({
    label: 'projection',
    look: async () => {
      const projections = PROJECTIONS.map(({ name }) => name);
      const lags = await lagOf({ events, store: readModels, projections, now });
      return new Map(lags.map((lag) => [lag.projection, lag]));
    },
    names: {
      projection_behind_events: {
        help: `Events of the log that have not been applied; at ${MOST_COUNTED} there may be more`,
        of: ({ events: count }: Lag) => count,
      },
      projection_behind_seconds: {
        help: 'Since the oldest event that has not been applied was appended; 0 when all have been',
        of: ({ seconds }: Lag) => seconds,
      },
      projection_parked_streams: {
        help: 'Streams whose events could not be applied, and wait',
        of: ({ parked }: Lag) => parked,
      },
    },
  });
  metrics.gauge(
    'projection_delay_seconds',
    'How old the last applied events were when they had been applied',
    () => progress.behindMs / MS_PER_SECOND,
  );
}
