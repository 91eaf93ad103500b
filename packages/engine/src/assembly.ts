/** Makes the parts of a ledger from its stores, each from those before it. Nothing runs yet. */
import { Customer, categoryOf } from '@counterfoil/core';
import {
  DetailView,
  LedgerView,
  type OwnProjection,
  RecurringView,
  ReferenceView,
  SearchView,
  SubscriptionView,
} from '@counterfoil/projections';
import type { Pool } from 'pg';
import { Books } from './books/books.ts';
import { CommandRunner } from './command-runner.ts';
import { Customers } from './customers/customers.ts';
import { Erasure } from './customers/erasure.ts';
import { Identities } from './customers/identities.ts';
import { Scrubbing } from './customers/scrubbing.ts';
import { cardBrands } from './gateways/card-brands.ts';
import { cardFingerprints } from './gateways/card-fingerprint.ts';
import { type GatewayOption, gatewaysOf } from './gateways/gateway-option.ts';
import { gatewayRegistry } from './gateways/registry.ts';
import type { Logger } from './logger.ts';
import { Mailing } from './mail/mailing.ts';
import { openOutbox } from './mail/outbox.ts';
import type { OpenStores } from './open-stores.ts';
import { CardTokens } from './payments/card-tokens.ts';
import { Cards } from './payments/cards.ts';
import { deadlineWorks } from './payments/deadlines.ts';
import { GatewayReactor } from './payments/gateway-reactor.ts';
import { MonthlyCaps } from './payments/monthly-caps.ts';
import { Payments } from './payments/payments.ts';
import { PolicyReactor } from './payments/policies.ts';
import { Sweeper } from './payments/sweeper.ts';
import { type Clock, isMovable } from './runtime/clock.ts';
import { FollowerProgress } from './runtime/follower-progress.ts';
import { openProjecting } from './runtime/projecting/open-projecting.ts';
import { OwnProjections } from './runtime/projecting/own-projections.ts';
import { ReadSide } from './runtime/read-side.ts';
import { SharedTurns } from './runtime/shared-turns.ts';
import { createStateCache } from './runtime/state-cache.ts';
import { TestClock } from './runtime/test-clock.ts';
import { TimedWorks } from './runtime/timed-work.ts';
import { ConfigError, type Settings } from './settings.ts';
import { openCheckpoints } from './storage/checkpoints.ts';
import { tellLostClaims } from './storage/claims.ts';
import { openOrReplace } from './storage/damaged-files.ts';
import { type AnswersAbout, answersAbout, type KeptAnswers } from './storage/kept-answers.ts';
import { PostgresKeptAnswers } from './storage/kept-answers-postgres.ts';
import { SqliteKeptAnswers } from './storage/kept-answers-sqlite.ts';
import { isShared, ownFile } from './storage/stores.ts';
import { Billing } from './subscriptions/billing.ts';
import { Rebills } from './subscriptions/rebills.ts';
import { Subscriptions } from './subscriptions/subscriptions.ts';
import { CredentialVault, deriveKey } from './tenants/credential-vault.ts';
import { keyDirectory } from './tenants/key-directory.ts';
import { References } from './tenants/references.ts';
import { Tenants } from './tenants/tenants.ts';
import { Transactions } from './transactions/transactions.ts';

/** Beyond the gateway's own time, for the request that made a charge to record its outcome. */
const SWEEP_GRACE_MS = 20_000;
/** Without it a customer may be looked up too early, but is never registered twice. */
const FOLLOWED_UP_MS = 1_000;
/** Categories of the streams that say who may take a payment. */
const DEFINITIONS: ReadonlySet<string> = new Set(['company', 'merchant_account']);

export interface AssemblyOptions {
  readonly settings: Settings;
  readonly stores: OpenStores;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gateways: readonly GatewayOption[];
  readonly projections: readonly OwnProjection[];
  /** Whether this process follows the log. */
  readonly background: boolean;
}

export type Assembly = ReturnType<typeof assemble>;

export function assemble(options: AssemblyOptions) {
  const { settings, stores, clock, logger } = options;
  const writeSide = makeWriteSide(options);
  const { commands, references } = writeSide;
  const answers = openAnswers(options);
  const payments = makePayments(options, writeSide);
  const people = makePeople(options, { ...writeSide, ...payments, answers });
  const billing = makeBilling(options, { ...writeSide, ...payments });
  const mailing = new Mailing({
    settings: settings.mail,
    outbox: openOwn(options, 'mails', openOutbox),
    commands,
    events: stores.events,
    references,
    clock,
    logger,
  });
  const timed = new TimedWorks({
    works: [
      new Sweeper({
        commands,
        store: stores.readModels,
        logger,
        reactor: payments.reactor,
        graceMs: settings.gatewayTimeoutMs + SWEEP_GRACE_MS,
      }),
      billing,
      ...deadlineWorks({ commands, store: stores.readModels, logger }),
      ...mailing.works,
    ],
    logger,
  });
  return {
    ...writeSide,
    ...payments,
    ...people,
    ...makeReads(options, writeSide),
    answers,
    billing,
    mailing,
    timed,
    testClock: makeTestClock(options, { timed, followerProgress: people.followerProgress }),
    checkpoints: openOwn(options, 'checkpoints', openCheckpoints),
    projecting: openProjecting(options),
    ownProjections: new OwnProjections({
      projections: options.projections,
      stores,
      readSide: writeSide.readSide,
      logger,
      follows: options.background,
    }),
  };
}

/** Everything that commands need, and what is looked up to make them. */
function makeWriteSide({ settings, stores, clock }: AssemblyOptions) {
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
  // A payment waits for its tenant's definitions, and not for other payments.
  const definitions = new ReadSide(stores.progress, undefined, undefined);
  const commands = new CommandRunner(
    { store: events, cache: stateCache, vault: stores.personalKeys },
    clock,
    (tenantId, position, stream) => {
      readSide.acknowledge(tenantId, position);
      if (DEFINITIONS.has(categoryOf(stream))) definitions.acknowledge(tenantId, position);
    },
    deriveKey(masterKey, 'command fingerprints'),
  );
  const credentials = new CredentialVault(masterKey);
  const referenceView = new ReferenceView(stores.readModels);
  return {
    stateCache,
    readSide,
    commands,
    credentials,
    referenceView,
    tenants: new Tenants(commands, credentials),
    keys: keyDirectory(referenceView, commands),
    identities: new Identities(commands, deriveKey(masterKey, 'customer emails')),
    references: new References(commands, {
      async merchantAccountIdsOf(tenantId, companyId) {
        await definitions.caughtUp(tenantId);
        const accounts = (await referenceView.names(tenantId)).merchantAccounts(companyId);
        return accounts.map(({ merchantAccountId }) => merchantAccountId);
      },
      async namesOf(tenantId) {
        await readSide.caughtUp(tenantId);
        return referenceView.names(tenantId);
      },
      async companyIdsOf(tenantId) {
        await definitions.caughtUp(tenantId);
        const companies = (await referenceView.names(tenantId)).all('CompanyDefined');
        return companies.map(({ companyId }) => companyId);
      },
    }),
  };
}

type WriteSide = ReturnType<typeof makeWriteSide>;

/** What is looked up: each query waits for its tenant's own writes. */
function makeReads(
  { stores, clock }: AssemblyOptions,
  { readSide, referenceView }: Pick<WriteSide, 'readSide' | 'referenceView'>,
) {
  const { readModels } = stores;
  return {
    transactions: new Transactions({
      details: new DetailView(readModels, referenceView),
      searches: new SearchView(readModels, referenceView),
      readSide,
      clock,
    }),
    books: new Books({
      ledger: new LedgerView(readModels),
      recurring: new RecurringView(readModels),
      readSide,
    }),
  };
}

/** What takes payments: gateways, cards, monthly caps, and what follows from a charge. */
function makePayments(
  { settings, stores, logger, gateways: given }: AssemblyOptions,
  { commands, credentials, identities, references }: WriteSide,
) {
  const { masterKey } = stores;
  const gateways = gatewayRegistry(gatewaysOf(given, { settings, stores }), {
    timeoutMs: settings.gatewayTimeoutMs,
    maxInFlight: settings.gatewayMaxInFlight,
    logger,
  });
  const caps = new MonthlyCaps(commands);
  const pool = stores.hostDatabase?.pool;
  const sharedTurns = pool && new SharedTurns({ pool, onLost: tellLostClaims(logger) });
  const reactor = new GatewayReactor({
    commands,
    references,
    caps,
    gateways,
    vault: credentials,
    logger,
    turns: sharedTurns,
  });
  const policies = new PolicyReactor({ commands, references, logger });
  const fingerprintOf = cardFingerprints(deriveKey(masterKey, 'card fingerprints'));
  const cards = new Cards({
    gateways,
    brandOf: cardBrands(),
    tokens: new CardTokens(deriveKey(masterKey, 'card tokens')),
    fingerprintsOf: (owner) => (digits) =>
      fingerprintOf(`${owner.tenantId}/${owner.sandbox}/${digits}`),
    customerOf: (named) => commands.stateOf(Customer, Customer.streamOf(named)),
  });
  const payments = new Payments({
    commands,
    identities,
    references,
    caps,
    gateways,
    reactor,
    policies,
    cards,
  });
  return { gateways, caps, sharedTurns, reactor, policies, cards, payments };
}

type PaymentParts = ReturnType<typeof makePayments>;

/** Customers and their subscriptions, and what erases them. */
function makePeople(
  { stores, logger }: AssemblyOptions,
  {
    commands,
    identities,
    references,
    cards,
    readSide,
    stateCache,
    answers,
  }: WriteSide & PaymentParts & { readonly answers: KeptAnswers },
) {
  const { personalKeys, events } = stores;
  const followerProgress = new FollowerProgress();
  /** Interfaces that are about to keep an answer hear of it before the kept ones are searched. */
  const forgetting = new Set<(about: AnswersAbout) => void>();
  const customers = new Customers({
    commands,
    identities,
    references,
    cards,
    async followedUp() {
      const head = await events.head();
      const limit = { timeoutMs: FOLLOWED_UP_MS };
      if (head !== undefined) await followerProgress.reached(head, limit);
    },
  });
  const subscriptions = new Subscriptions({
    commands,
    identities,
    references,
    cards,
    readSide,
    index: new SubscriptionView(stores.readModels),
  });
  const scrubbing = new Scrubbing({
    stores: [
      { name: 'keys', scrub: () => personalKeys.scrub() },
      { name: 'answers', scrub: () => answers.scrub() },
    ],
    logger,
  });
  const erasure = new Erasure({
    commands,
    identities,
    subscriptions,
    keys: personalKeys,
    forgetStates: () => {
      stateCache.clear();
      identities.forget();
    },
    forgetAnswers: async (customer) => {
      const about = answersAbout(customer);
      for (const forget of forgetting) forget(about);
      await answers.forget(about.prefix, about.named);
    },
    scrub: () => scrubbing.scrub(),
  });
  return { followerProgress, customers, subscriptions, scrubbing, erasure, forgetting };
}

function makeBilling(
  { stores, logger }: AssemblyOptions,
  { commands, references, caps, gateways, reactor, policies, readSide }: WriteSide & PaymentParts,
) {
  return new Billing({
    commands,
    logger,
    rebills: new Rebills({
      commands,
      references,
      caps,
      gateways,
      reactor,
      policies,
    }),
    store: stores.readModels,
    readSide,
    leases: stores.leases,
    holder: stores.holder,
  });
}

/** Undefined for a clock that cannot be moved. */
function makeTestClock(
  { settings, stores, clock }: AssemblyOptions,
  { timed, followerProgress }: { timed: TimedWorks; followerProgress: FollowerProgress },
): TestClock | undefined {
  if (!settings.testClock) return undefined;
  if (!isMovable(clock)) throw new ConfigError(['TEST_CLOCK is 1, and the given clock stays']);
  return new TestClock({
    clock,
    timed,
    events: stores.events,
    progress: stores.progress,
    followers: followerProgress,
  });
}

function openAnswers({ settings, stores, logger }: AssemblyOptions) {
  const pool = stores.hostDatabase?.pool;
  return pool === undefined
    ? openOrReplace(ownFile(settings, 'answers'), (path) => new SqliteKeptAnswers(path), logger)
    : new PostgresKeptAnswers({ pool, onLost: tellLostClaims(logger) });
}

/** In the database of the hosts where there is one, and else in a file, which may be replaced. */
function openOwn<Opened>(
  { settings, stores, logger }: AssemblyOptions,
  file: 'checkpoints' | 'mails',
  open: (place: string | Pool) => Opened,
): Opened {
  const pool = stores.hostDatabase?.pool;
  return pool === undefined ? openOrReplace(ownFile(settings, file), open, logger) : open(pool);
}
