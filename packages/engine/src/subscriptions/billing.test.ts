/** Billing charges a cycle once, across crashes and concurrent hosts. */
import { randomBytes } from 'node:crypto';
import {
  type BlackList,
  Customer,
  createMemoryEventStore,
  decodeRecord,
  type EventStore,
  journal,
  Reference,
  type StreamName,
  Subscription,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import {
  createMemoryReadModelStore,
  PROJECTIONS,
  type ReadModelStore,
  runProjections,
} from '@counterfoil/projections';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { BlackLists } from '../black-list/black-list.ts';
import { listedIds } from '../black-list/values.ts';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { cardBrands } from '../gateways/card-brands.ts';
import { cardFingerprints } from '../gateways/card-fingerprint.ts';
import { GatewayTimeout, type PaymentGateway } from '../gateways/payment-gateway.ts';
import { gatewayRegistry } from '../gateways/registry.ts';
import { openSandboxGateway } from '../gateways/sandbox/sandbox-gateway.ts';
import { Identities } from '../identities/identities.ts';
import { SessionKeys } from '../identities/session-keys.ts';
import { uuidV7 } from '../ids.ts';
import { silentLogger } from '../logger.ts';
import { CredentialVault } from '../merchant-accounts/credential-vault.ts';
import { MerchantAccounts } from '../merchant-accounts/merchant-accounts.ts';
import type { MetricsRegistry } from '../metrics-registry.ts';
import { CardTokens } from '../payments/card-tokens.ts';
import { Cards } from '../payments/cards.ts';
import { GatewayAccounts } from '../payments/gateway-accounts.ts';
import { GatewayReactor } from '../payments/gateway-reactor.ts';
import { MonthlyCaps } from '../payments/monthly-caps.ts';
import { Payments } from '../payments/payments.ts';
import { PolicyReactor } from '../payments/policies.ts';
import { Sweeper } from '../payments/sweeper.ts';
import { type LeaseStore, SHARED_LEASE_TTL_MS } from '../runtime/lease.ts';
import { References } from '../tenants/references.ts';
import { Tenants } from '../tenants/tenants.ts';
import { Billing, CONCURRENCY } from './billing.ts';
import { Rebills, rebillId } from './rebills.ts';

const TENANT = 1 as TenantId;
const ACCOUNT = 11;
const OTHER_ACCOUNT = 12;
const BEGIN_MS = Date.parse('2026-01-31T12:00:00.000Z');
const MINUTE = 60_000;
const DAY = 86_400_000;
const PRICE = 1_995n;

const APPROVE = '4242424242424242';
const NO_MONEY = '4000000000009995';
const SOFT = '4000000000000002';
const STOLEN = '4000000000009979';
const ERROR = '4000000000000119';
const ACTION = '4000000000003220';
const TIMEOUT_APPROVE = '4000000000040818';
const TIMEOUT_DECLINE = '4000000000040826';
const TIMEOUT_NOTHING = '4000000000040834';

/** The process has crashed: its later calls have no effect. */
class Died extends Error {}

/** Grants the lease to every caller. */
const NO_LEASE: LeaseStore = { acquireLease: async () => 1, releaseLease: async () => {} };

/** Counts the external effects of a process, and crashes it at a given step. */
class Life {
  steps = 0;
  dead = false;
  diesAt: { readonly step: number; readonly when: 'before' | 'after' } | undefined;

  async step<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.dead) throw new Died();
    this.steps += 1;
    if (this.diesAt?.step !== this.steps) return act();
    this.dead = true;
    if (this.diesAt.when === 'after') await act();
    throw new Died();
  }

  storeOf(
    store: EventStore,
    { asOne, beforeRead }: Pick<World, 'asOne' | 'beforeRead'>,
  ): EventStore {
    const { appendAll } = store;
    return {
      append: (request) => this.step(() => store.append(request)),
      ...(asOne &&
        appendAll && {
          appendAll: (requests) => this.step(() => appendAll.call(store, requests)),
        }),
      read: async (stream, options) => {
        await beforeRead(stream);
        return store.read(stream, options);
      },
      subscribe: (options) => store.subscribe(options),
      head: () => store.head(),
      close: () => store.close(),
    };
  }

  gatewayOf(gateway: PaymentGateway): PaymentGateway {
    return {
      ...answersOf(gateway),
      charge: (request) => this.step(() => gateway.charge(request)),
      confirm: (request) => this.step(() => gateway.confirm(request)),
    };
  }
}

function answersOf(gateway: PaymentGateway): PaymentGateway {
  return {
    gatewayId: gateway.gatewayId,
    name: gateway.name,
    tokenize: (...given) => gateway.tokenize(...given),
    findToken: (...given) => gateway.findToken(...given),
    charge: (request) => gateway.charge(request),
    confirm: (request) => gateway.confirm(request),
    capture: (request) => gateway.capture(request),
    void: (request) => gateway.void(request),
    refund: (request) => gateway.refund(request),
    findCharge: (request) => gateway.findCharge(request),
    findFollowUp: (...given) => gateway.findFollowUp(...given),
    noticesOf: async (...given) => (await gateway.noticesOf?.(...given)) ?? [],
    close: () => gateway.close(),
  };
}

/** Shared by all processes: the log, the read models, the gateway and the clock. */
class World {
  readonly events: EventStore = createMemoryEventStore();
  /** Whether the log appends to several streams as one. */
  asOne = true;
  /** What happens just before a stream is read. */
  beforeRead: (stream: StreamName) => Promise<void> = async () => {};
  /** Of billing, where it is not the default. */
  page: { readonly pageSize?: number } = {};
  readonly store: ReadModelStore = createMemoryReadModelStore();
  readonly gateway = openSandboxGateway({ path: ':memory:', answerDelayMs: 1 });
  readonly vault = new CredentialVault(randomBytes(32));
  readonly lines: object[] = [];
  gateways: readonly PaymentGateway[] = [
    this.gateway,
    openSandboxGateway({ path: ':memory:', gatewayId: 2, name: 'Other' }),
  ];
  accountIds: readonly number[] = [ACCOUNT];
  nowMs = BEGIN_MS;

  get now(): string {
    return new Date(this.nowMs).toISOString();
  }

  process(holder = 'host', leases: LeaseStore = this.store): Process {
    return new Process(this, { holder, leases });
  }

  async project(): Promise<void> {
    await runProjections({
      events: this.events,
      store: this.store,
      projections: PROJECTIONS,
      holder: 'projections',
      now: () => this.nowMs,
      untilHead: true,
    });
  }

  /** Captures of a cycle in the gateway's records. */
  async capturedOf(subscriptionId: number, cycle: number): Promise<number> {
    const ids = Array.from({ length: 20 }, (_, index) =>
      rebillId({ tenantId: TENANT, subscriptionId, cycle, attempt: index + 1 }),
    );
    return (await Array.fromAsync(this.gateway.records())).filter(
      ({ idempotencyKey, result }) =>
        result.result === 'captured' && ids.some((id) => idempotencyKey.startsWith(id)),
    ).length;
  }

  /** Sums captured by the gateway, posted to sales, and due for all cycles. */
  async books(subscriptionIds: readonly number[]) {
    const gateway = (await Array.fromAsync(this.gateway.records())).filter(
      ({ operation, result }) => operation === 'charge' && result.result === 'captured',
    );
    let ledger = 0n;
    for await (const batch of this.events.subscribe({ untilHead: true })) {
      for (const stored of batch) {
        const { event } = decodeRecord(stored);
        for (const { account, debitMinor, creditMinor } of journal(event)?.lines ?? []) {
          if (account === 'sales') ledger += creditMinor - debitMinor;
        }
      }
    }
    let subscribed = 0n;
    const reader = this.process();
    for (const id of subscriptionIds) {
      subscribed += PRICE * BigInt(1 + (await reader.subscription(id)).renewals);
    }
    return { gateway: PRICE * BigInt(gateway.length), ledger, subscribed };
  }
}

/** A host without HTTP. It shares only the world with other hosts. */
class Process {
  readonly life = new Life();
  readonly commands: CommandRunner;
  readonly payments: Payments;
  readonly blackLists: BlackLists;
  readonly billing: Billing;
  readonly sweeper: Sweeper;
  readonly tenants: Tenants;
  readonly merchantAccounts: MerchantAccounts;
  readonly #world: World;

  constructor(
    world: World,
    { holder, leases }: { readonly holder: string; readonly leases: LeaseStore },
  ) {
    this.#world = world;
    const clock = { now: () => world.now };
    const store = this.life.storeOf(world.events, world);
    const commands = new CommandRunner({ store }, clock, () => {});
    const references = new References(commands, {
      merchantAccountIdsOf: async () => world.accountIds,
      companyIdsOf: async () => [1],
      namesOf: () => Promise.reject(new Error('not asked for')),
    });
    const note = (facts: object) => void world.lines.push(facts);
    const logger = { ...silentLogger, warn: note, error: note };
    const gateways = gatewayRegistry(
      world.gateways.map((each) => this.life.gatewayOf(each)),
      {
        timeoutMs: 1_000,
        maxInFlight: 1_000,
        logger,
      },
    );
    const caps = new MonthlyCaps(commands);
    this.blackLists = new BlackLists(commands, listedIds(randomBytes(32)));
    const { blackLists } = this;
    const gatewayAccounts = new GatewayAccounts({ gateways, vault: world.vault });
    const atGateways = { gateways, gatewayAccounts };
    const shared = { commands, references, blackLists, ...atGateways, caps, logger };
    const sessionKeys = new SessionKeys(randomBytes(32));
    const policies = new PolicyReactor({ ...shared, sessionKeys });
    const reactor = new GatewayReactor({ ...shared, policies, vault: world.vault });
    this.commands = commands;
    this.tenants = new Tenants(commands);
    this.merchantAccounts = new MerchantAccounts({ ...shared, vault: world.vault });
    this.payments = new Payments({
      ...shared,
      policies,
      reactor,
      identities: new Identities(commands, randomBytes(32)),
      cards: new Cards({
        ...atGateways,
        brandOf: cardBrands(),
        tokens: new CardTokens(randomBytes(32)),
        customerOf: (named) => commands.stateOf(Customer, Customer.streamOf(named)),
        fingerprintsOf: () => cardFingerprints(randomBytes(32)),
      }),
    });
    this.sweeper = new Sweeper({ ...shared, reactor, store: world.store, graceMs: 30_000 });
    this.billing = new Billing({
      ...shared,
      rebills: new Rebills({ ...shared, reactor, policies }),
      store: world.store,
      readSide: { caughtUp: () => this.#caughtUp() },
      leases,
      holder,
      ...world.page,
    });
  }

  /** How often billing has waited for the read models. */
  waits = 0;

  #caughtUp(): Promise<void> {
    this.waits += 1;
    return this.#world.project();
  }

  async onboard({
    maxPrice,
    otherGateway = false,
  }: {
    maxPrice?: number;
    otherGateway?: boolean;
  } = {}): Promise<void> {
    const at = this.#world.now;
    await this.tenants.onboard(TENANT, { name: 'Tenant' }, SYSTEM);
    const company = {
      type: 'DefineCompany',
      tenantId: TENANT,
      companyId: 1,
      name: 'Tea',
      at,
    } as const;
    await this.commands.execute(Reference, company, { commandId: uuidV7() }, SYSTEM);
    const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
    const settings = {
      mid: '7011',
      title: 'Main',
      companyId: 1,
      gatewayId: 1,
      descriptor: 'TEA',
      defaultCurrency: 'GBP',
      currencies: [{ currency: 'GBP', gatewayCredentials }],
      allowRetriesFromOtherMids: true,
      ...(maxPrice !== undefined && { maxPrice }),
    };
    await this.merchantAccounts.openOnce(TENANT, ACCOUNT, settings, SYSTEM);
    const gatewayId = otherGateway ? 2 : 1;
    const other = { ...settings, gatewayId, mid: '7012', allowInsufficientFundsRetries: true };
    await this.merchantAccounts.openOnce(TENANT, OTHER_ACCOUNT, other, SYSTEM);
  }

  /** Sells a subscription that is charged every thirty days; returns its id. */
  async subscribe(number = APPROVE, frequencyDays = 30): Promise<number> {
    const card = { number: APPROVE, expMonth: 12, expYear: 2090, cvv: '123', holder: 'Ada' };
    const order = Transaction.orderOf({
      orderId: 1,
      customerId: 1,
      email: 'ada@example.com',
      amountMinor: PRICE,
      currency: 'GBP',
      companyId: 1,
    });
    const plan = {
      name: 'Tea club',
      description: '',
      rebillAmountMinor: PRICE,
      interval: 'day' as const,
      intervalCount: frequencyDays,
      trialDays: 0,
    };
    const transactionId = uuidV7() as TransactionId;
    const request = { tenantId: TENANT, transactionId, content: '', order, plans: [plan] };
    const { subscriptionId } = await this.payments.submit(
      { ...request, instrument: { card } },
      SYSTEM,
    );
    if (subscriptionId === null) throw new Error('nothing was subscribed to');
    if (number !== APPROVE) await this.useCard(subscriptionId, number);
    return subscriptionId;
  }

  list(kind: BlackList.Kind, value: string): Promise<string> {
    const reason = 'Card testing';
    const entry = { kind, value, reason, source: 'admin', transactionId: null, expiresAt: null };
    const owner = { tenantId: TENANT, sandbox: false };
    return this.blackLists.add(owner, entry as Parameters<BlackLists['add']>[1], SYSTEM);
  }

  async useCard(subscriptionId: number, number: string): Promise<void> {
    const card = { number, expMonth: 12, expYear: 2090, cvv: '123', holder: 'Ada' };
    const token = await this.#world.gateway.tokenize(card, `f${number}`);
    await this.ask(subscriptionId, {
      type: 'ChangeCard',
      card: { ...token, brandId: 1, binCountry: '' },
    });
  }

  async ask(subscriptionId: number, command: object): Promise<void> {
    const addressed = { tenantId: TENANT, subscriptionId, at: this.#world.now };
    const whole = { ...command, ...addressed } as Subscription.Command;
    await this.commands.execute(Subscription, whole, { commandId: uuidV7() }, SYSTEM);
    await this.#world.project();
  }

  async subscription(subscriptionId: number): Promise<Subscription.Subscription> {
    const stream = Subscription.streamOf({ tenantId: TENANT, subscriptionId });
    const state = await this.commands.stateOf(Subscription, stream);
    if (state === null) throw new Error('there is no subscription');
    return state;
  }

  async payment(subscriptionId: number, cycle: number, attempt = 1): Promise<Transaction.State> {
    const transactionId = rebillId({ tenantId: TENANT, subscriptionId, cycle, attempt });
    const stream = Transaction.streamOf({ tenantId: TENANT, transactionId });
    return this.commands.stateOf(Transaction, stream);
  }

  /** Updates the read models and runs one round of billing. */
  async round(): Promise<void> {
    await this.#world.project();
    await this.billing.runDue(new AbortController().signal);
    await this.#world.project();
  }

  /** Runs all background work, minutes apart, until nothing is pending. */
  async settle(): Promise<void> {
    for (let round = 0; round < 12; round += 1) {
      await this.round();
      await this.sweeper.runDue(new AbortController().signal);
      this.#world.nowMs += MINUTE;
    }
    await this.round();
  }
}

let world: World;

async function open(options: { maxPrice?: number; otherGateway?: boolean } = {}): Promise<Process> {
  world = new World();
  const host = world.process();
  await host.onboard(options);
  return host;
}

afterEach(() => world.gateway.close());

describe('billing', () => {
  it('charges a cycle when it is due, once, and says so on the record', async () => {
    const host = await open();
    const id = await host.subscribe();
    await host.round();
    expect(await host.billing.nextDueAt()).toBe(new Date(BEGIN_MS + 30 * DAY).toISOString());
    expect(await host.payment(id, 2)).toBeNull();
    world.nowMs += 30 * DAY;
    for (let round = 0; round < 3; round += 1) await host.round();
    expect(await world.capturedOf(id, 2)).toBe(1);
    expect(await host.payment(id, 2)).toMatchObject({
      status: 'Captured',
      applicationId: 3,
      applicationKind: 3,
      subscriptionId: id,
      paymentNumber: 2,
      attempt: 1,
      totalAttempt: 2,
      amountMinor: PRICE,
      orderId: (await host.subscription(id)).orderId,
      plans: [],
      items: [],
      session: null,
      companyId: 1,
    });
    expect(await host.subscription(id)).toMatchObject({ renewals: 1, cycle: 3, pending: null });
    expect(await host.billing.nextDueAt()).toBe(new Date(BEGIN_MS + 60 * DAY).toISOString());
    expect(world.lines).toEqual([]);
  });

  it.each([
    {
      what: 'plan',
      change: (host: Process, id: number) =>
        host.ask(id, { type: 'ChangePlan', plan: { rebillAmountMinor: 500n } }),
      before: { amountMinor: PRICE, status: 'Captured' },
      after: { amountMinor: 500n, status: 'Captured' },
    },
    {
      what: 'card',
      change: (host: Process, id: number) => host.useCard(id, NO_MONEY),
      before: { amountMinor: PRICE, status: 'Captured' },
      after: { amountMinor: PRICE, status: 'Declined' },
    },
  ])('charges by the $what of its attempt, also where that changes meanwhile', async (each) => {
    const host = await open();
    const id = await host.subscribe();
    world.nowMs += 30 * DAY;
    await world.project();
    let isChanged = false;
    world.beforeRead = async (stream) => {
      if (isChanged || !stream.startsWith('customer_account-')) return;
      isChanged = true;
      await each.change(host, id);
    };
    await world.process().billing.runDue(new AbortController().signal);
    expect(isChanged).toBe(true);
    const stored = (await Array.fromAsync(world.events.subscribe({ untilHead: true }))).flat();
    const types = stored.map(({ type }) => type);
    const isBegunBefore =
      types.indexOf('RebillDue') < types.findLastIndex((type) => /^(Plan|Card)Changed$/.test(type));
    const charged = isBegunBefore ? each.before : each.after;
    expect(await host.payment(id, 2)).toMatchObject(charged);
    const due = stored.find(({ type }) => type === 'RebillDue');
    expect(due && decodeRecord(due).event).toMatchObject({ amountMinor: charged.amountMinor });
  });

  it('retries after a soft decline on the days of the policy, then freezes', async () => {
    const host = await open();
    const id = await host.subscribe(SOFT);
    const days: number[] = [];
    for (let day = 0; day <= 60; day += 1) {
      const before = (await host.subscription(id)).totalAttempt;
      await host.round();
      if ((await host.subscription(id)).totalAttempt > before) days.push(day);
      world.nowMs += DAY;
    }
    expect(days).toEqual([30, 31, 33, 35, 37]);
    for (const attempt of [1, 2, 3, 4, 5]) {
      expect(await host.payment(id, 2, attempt)).toMatchObject({
        status: 'Declined',
        applicationId: attempt === 1 ? 3 : 4,
        applicationKind: attempt === 1 ? 3 : 4,
        paymentNumber: 2,
        attempt,
        totalAttempt: 1 + attempt,
      });
    }
    expect(await host.subscription(id)).toMatchObject({
      freezeReason: 'retries-exhausted',
      rebillAt: null,
      renewals: 0,
    });
    expect(await host.billing.nextDueAt()).toBeUndefined();
  });

  it('keeps a rebill that is found captured late: it has paid its cycle', async () => {
    const host = await open();
    const lateCapture = { action: 'refund', afterMinutes: 0 } as const;
    await host.tenants.changeSettings(TENANT, { lateCapture }, SYSTEM);
    const id = await host.subscribe(TIMEOUT_APPROVE);
    world.nowMs += 30 * DAY;
    await host.settle();
    expect(await host.payment(id, 2)).toMatchObject({ status: 'Captured', refunds: [] });
    expect(await host.subscription(id)).toMatchObject({ renewals: 1, cycle: 3 });
  });

  it.each([
    [STOLEN, 'hard-decline', 'Declined'],
    [NO_MONEY, 'insufficient-funds', 'Declined'],
    [ACTION, 'authentication-required', 'Expired'],
  ])('freezes at once after the answer to card %s: %s', async (number, freezeReason, status) => {
    const host = await open();
    const id = await host.subscribe(number);
    world.nowMs += 30 * DAY;
    await host.round();
    expect(await host.subscription(id)).toMatchObject({ freezeReason, pending: null });
    expect(await host.payment(id, 2)).toMatchObject({ status });
    world.nowMs += 90 * DAY;
    await host.round();
    expect(await host.payment(id, 2, 2)).toBeNull();
    // A new card pays the cycle that runs then, at once.
    await host.useCard(id, APPROVE);
    await host.round();
    expect(await host.subscription(id)).toMatchObject({ renewals: 1, frozenAt: null, cycle: 6 });
    expect(await world.capturedOf(id, 5)).toBe(1);
  });

  it.each([
    ['email', 1],
    ['cardFingerprint', 2],
    ['customer', 32],
  ] as const)('is blocked by a listed %s, which freezes at once', async (kind, mask) => {
    const host = await open();
    const id = await host.subscribe();
    const { card, customerId } = await host.subscription(id);
    const cardFingerprint = card?.fingerprint ?? '';
    const values = { email: 'ADA@example.com', cardFingerprint, customer: String(customerId) };
    const entryId = await host.list(kind, values[kind]);
    world.nowMs += 30 * DAY;
    await host.round();
    const blocked = { status: 'Blocked', blackListing: mask, attempts: [] };
    expect(await host.payment(id, 2)).toMatchObject(blocked);
    expect(await host.subscription(id)).toMatchObject({ freezeReason: 'hard-decline' });
    expect(await world.capturedOf(id, 2)).toBe(0);
    // Off the list, a new card is charged again.
    await host.blackLists.remove({ tenantId: TENANT, entryId }, SYSTEM);
    await host.useCard(id, APPROVE);
    await host.round();
    expect(await host.subscription(id)).toMatchObject({ renewals: 1, frozenAt: null });
  });

  it('is not blocked by a listed BIN, which strangers share', async () => {
    const host = await open();
    const id = await host.subscribe();
    await host.list('bin', APPROVE.slice(0, 6));
    world.nowMs += 30 * DAY;
    await host.round();
    expect(await host.payment(id, 2)).toMatchObject({ status: 'Captured' });
  });

  it("does not retry insufficient funds by another account's settings", async () => {
    const host = await open();
    const id = await host.subscribe(NO_MONEY);
    world.accountIds = [ACCOUNT, OTHER_ACCOUNT];
    world.nowMs += 30 * DAY;
    await host.round();
    const attempts = (await host.payment(id, 2))?.attempts ?? [];
    expect(attempts.map(({ route }) => route.merchantAccountId)).toEqual([ACCOUNT, OTHER_ACCOUNT]);
    expect(await host.subscription(id)).toMatchObject({ freezeReason: 'insufficient-funds' });
  });

  it.each([
    [TIMEOUT_APPROVE, 'Captured', 1],
    [TIMEOUT_DECLINE, 'Declined', 0],
    [TIMEOUT_NOTHING, 'Failed', 0],
    [ERROR, 'Failed', 0],
  ])('leaves a lost answer to the sweeper: card %s', async (number, status, renewals) => {
    const host = await open();
    const id = await host.subscribe(number);
    world.nowMs += 30 * DAY;
    await host.settle();
    expect(await host.payment(id, 2)).toMatchObject({ status });
    const after = await host.subscription(id);
    expect(after).toMatchObject({ renewals, pending: null, frozenAt: null });
    expect(await world.capturedOf(id, 2)).toBe(renewals);
  });

  it('records an attempt that no account accepts, and retries', async () => {
    const host = await open({ maxPrice: 20 });
    const id = await host.subscribe();
    await host.ask(id, { type: 'ChangePlan', plan: { rebillAmountMinor: 5_000n } });
    world.nowMs += 30 * DAY;
    await host.round();
    expect(await host.payment(id, 2)).toMatchObject({
      status: 'Failed',
      note: 'no_merchant_account',
    });
    const retryAt = new Date(world.nowMs + DAY).toISOString();
    expect(await host.subscription(id)).toMatchObject({ attempt: 1, rebillAt: retryAt });
    await host.ask(id, { type: 'ChangePlan', plan: { rebillAmountMinor: PRICE } });
    world.nowMs += DAY;
    await host.round();
    expect(await host.payment(id, 2, 2)).toMatchObject({ status: 'Captured', totalAttempt: 3 });
  });

  it('waits for the read models once for all pages of its list', async () => {
    await open();
    world.page = { pageSize: 2 };
    const host = world.process();
    const ids: number[] = [];
    for (let each = 0; each < 5; each += 1) ids.push(await host.subscribe());
    await world.project();
    world.nowMs += 30 * DAY;
    await host.billing.runDue(new AbortController().signal);
    expect(host.waits).toBe(1);
    for (const id of ids) expect(await host.subscription(id)).toMatchObject({ renewals: 1 });
    await host.round();
    const { gateway, subscribed } = await world.books(ids);
    expect(gateway).toBe(subscribed);
  });

  it('asks the gateway nothing about an attempt that it has just begun', async () => {
    const host = await open();
    const id = await host.subscribe();
    world.nowMs += 30 * DAY;
    const find = world.gateway.findCharge.bind(world.gateway);
    let asked = 0;
    world.gateway.findCharge = (...given) => {
      asked += 1;
      return find(...given);
    };
    await host.round();
    expect(await world.capturedOf(id, 2)).toBe(1);
    expect(asked).toBe(0);
  });

  it('does not charge an attempt whose subscription ended before the charge', async () => {
    const host = await open();
    const id = await host.subscribe();
    world.nowMs += 30 * DAY;
    // The attempt is begun without its payment only where the log appends to one stream at a time.
    world.asOne = false;
    const dying = world.process();
    dying.life.diesAt = { step: 2, when: 'before' };
    await dying.round();
    const asked = { reason: 'customer-service', requestedBy: 'ada@example.com' };
    const next = world.process();
    await next.ask(id, { type: 'Unsubscribe', ...asked, notifyCustomer: false });
    await next.round();
    expect(await world.capturedOf(id, 2)).toBe(0);
    expect(await next.payment(id, 2)).toMatchObject({
      status: 'Failed',
      note: 'subscription_closed',
    });
    expect(await next.subscription(id)).toMatchObject({ pending: null, rebillAt: null });
  });

  it('skips a subscription that cannot be billed, and bills the others', async () => {
    const host = await open();
    const ids = [await host.subscribe(), await host.subscribe(), await host.subscribe()];
    const [broken = 0, ...others] = ids;
    // An unexpected error: the starting payment cannot be read.
    const read = world.events.read.bind(world.events);
    const started = (await host.subscription(broken)).transactionId;
    const lost = Transaction.streamOf({ tenantId: TENANT, transactionId: started });
    world.events.read = async (wanted, options) => (wanted === lost ? [] : read(wanted, options));
    world.nowMs += 30 * DAY;
    const next = world.process();
    await next.round();
    await next.round();
    for (const id of others) expect(await world.capturedOf(id, 2)).toBe(1);
    expect(await world.capturedOf(broken, 2)).toBe(0);
    expect(world.lines).toHaveLength(1);
    const registered = new Map<string, () => number | Promise<number>>();
    const register: MetricsRegistry['gauge'] = (name, _, read) => registered.set(name, read);
    next.billing.registerMetrics({ gauge: register, counter: register, gauges: () => undefined });
    const figureOf = (name: string) => registered.get(name)?.();
    expect(figureOf('billing_renewed_total')).toBe(2);
    expect(figureOf('billing_paused_subscriptions')).toBe(1);
    expect(figureOf('billing_overdue_seconds')).toBe(0);
    expect(figureOf('billing_open_try_seconds')).toBe(0);
    world.nowMs += 4_000;
    await next.billing.runDue(new AbortController().signal);
    expect(figureOf('billing_open_try_seconds')).toBe(4);
    // Once readable again, it is billed automatically.
    world.events.read = read;
    world.nowMs += MINUTE;
    await next.round();
    expect(await world.capturedOf(broken, 2)).toBe(1);
  });
});

describe('a gateway that is down', () => {
  it('leaves few attempts unfinished, and everything is charged after the outage', async () => {
    const host = await open();
    const ids = await Promise.all(Array.from({ length: 150 }, () => host.subscribe()));
    world.nowMs += 32 * DAY;
    const charge = world.gateway.charge.bind(world.gateway);
    let asked = 0;
    world.gateway.charge = async () => {
      asked += 1;
      throw new Error('no connection');
    };
    await host.round();
    expect(asked).toBeLessThanOrEqual(2 * CONCURRENCY);
    const before = asked;
    await host.round();
    expect(asked).toBe(before);
    const restsUntil = new Date(world.nowMs + MINUTE / 2).toISOString();
    expect(await host.billing.nextDueAt()).toBe(restsUntil);
    // One attempt tests the gateway.
    world.nowMs += MINUTE / 2;
    await host.round();
    expect(asked).toBe(before + 1);
    // Setting the clock back does not extend the open circuit.
    world.nowMs -= DAY;
    await host.round();
    expect(asked).toBe(before + 2);
    world.nowMs += DAY;
    world.gateway.charge = charge;
    for (let round = 0; round < 3; round += 1) {
      world.nowMs += MINUTE;
      await host.round();
    }
    for (const id of ids) expect(await host.subscription(id)).toMatchObject({ renewals: 1 });
    const { gateway, ledger, subscribed } = await world.books(ids);
    expect([gateway, ledger]).toEqual([subscribed, subscribed]);
  }, 60_000);

  it.each([
    ['fails', () => Promise.reject(new Error('no connection'))],
    ['gives no answer', () => Promise.reject(new GatewayTimeout('silence'))],
  ])('opens only its own circuit when it %s', async (_, charge) => {
    const host = await open({ otherGateway: true });
    const down = await Promise.all(
      Array.from({ length: CONCURRENCY + 20 }, () => host.subscribe()),
    );
    world.accountIds = [OTHER_ACCOUNT];
    const up = await Promise.all(Array.from({ length: 10 }, () => host.subscribe()));
    world.nowMs += 32 * DAY;
    let asked = 0;
    world.gateway.charge = () => {
      asked += 1;
      return charge();
    };
    await host.round();
    expect(asked).toBe(CONCURRENCY);
    for (const id of up) expect(await host.subscription(id)).toMatchObject({ renewals: 1 });
    for (const id of down) expect(await host.subscription(id)).toMatchObject({ renewals: 0 });
    const rested = world.lines.filter((line) => 'failures' in line);
    expect(rested).toEqual([{ gatewayId: 1, failures: CONCURRENCY }]);
  });
});

describe('a clock that jumps', () => {
  it('a year ahead leads to one charge, and back to none', async () => {
    const host = await open();
    const ids = [await host.subscribe(), await host.subscribe(APPROVE, 1)];
    world.nowMs += 366 * DAY;
    for (let round = 0; round < 3; round += 1) await host.round();
    for (const id of ids) expect(await host.subscription(id)).toMatchObject({ renewals: 1 });
    world.nowMs -= 366 * DAY;
    for (let round = 0; round < 3; round += 1) await host.round();
    for (const id of ids) expect(await host.subscription(id)).toMatchObject({ renewals: 1 });
    const { gateway, ledger, subscribed } = await world.books(ids);
    expect([gateway, ledger]).toEqual([subscribed, subscribed]);
  });
});

describe('a process that dies', () => {
  const cards = [
    ['approved', APPROVE, { single: 5, asOne: 3 }],
    ['declined', SOFT, { single: 5, asOne: 3 }],
    ['stolen', STOLEN, { single: 5, asOne: 3 }],
    ['an action', ACTION, { single: 6, asOne: 4 }],
    ['an answer that is lost', TIMEOUT_APPROVE, { single: 4, asOne: 3 }],
  ] as const;
  const logs = ['single', 'asOne'] as const;

  it.each(cards.flatMap((card) => logs.map((log) => [...card, log] as const)))(
    'charges exactly once after a crash at any step: %s (%o, %s)',
    async (_what, number, stepsOn, log) => {
      const undisturbed = await openOn(log);
      const steps = await stepsOfRound(undisturbed, number);
      const expected = await outcomeOf(undisturbed, await due(undisturbed, number));
      // Two appends, and the gateway between them: what is recorded together is one step.
      expect(steps).toBe(stepsOn[log]);
      await world.gateway.close();
      for (let step = 1; step <= steps; step += 1) {
        for (const when of ['before', 'after'] as const) {
          const id = await due(await openOn(log), number);
          const dying = world.process();
          dying.life.diesAt = { step, when };
          await dying.round();
          expect(dying.life.dead).toBe(true);
          // Whatever the log could do before.
          world.asOne = true;
          const outcome = await outcomeOf(world.process(), id);
          expect({ step, when, outcome }).toEqual({ step, when, outcome: expected });
          await world.gateway.close();
        }
      }
      world = new World();
    },
    60_000,
  );

  async function openOn(log: (typeof logs)[number]): Promise<Process> {
    await open();
    world.asOne = log === 'asOne';
    return world.process();
  }

  /** Subscribes, and moves the clock to the second cycle. */
  async function due(host: Process, number: string): Promise<number> {
    const id = await host.subscribe(number);
    world.nowMs += 30 * DAY;
    return id;
  }

  async function stepsOfRound(host: Process, number: string): Promise<number> {
    await due(host, number);
    const before = host.life.steps;
    await host.round();
    return host.life.steps - before;
  }

  async function outcomeOf(host: Process, id: number) {
    await host.settle();
    const { renewals, attempt, totalAttempt, cycle, freezeReason, pending } =
      await host.subscription(id);
    const captured = await world.capturedOf(id, 2);
    const status = (await host.payment(id, 2))?.status;
    return { renewals, attempt, totalAttempt, cycle, freezeReason, pending, captured, status };
  }
});

describe('two hosts on one log', () => {
  it('never bill at the same time while the lease is kept', async () => {
    const host = await open();
    const id = await host.subscribe();
    world.nowMs += 30 * DAY;
    await world.project();
    await world.store.acquireLease({
      name: 'billing',
      holder: 'another',
      nowMs: Date.now(),
      ttlMs: 60_000,
    });
    await host.round();
    expect(await host.payment(id, 2)).toBeNull();
    await world.store.releaseLease('billing', 'another');
    await host.round();
    expect(await world.capturedOf(id, 2)).toBe(1);
  });

  it('use the short lease of shared hosts', async () => {
    const asked: (number | undefined)[] = [];
    const leases: LeaseStore = {
      ...NO_LEASE,
      async acquireLease({ ttlMs }) {
        asked.push(ttlMs);
        return 1;
      },
    };
    const host = await open();
    const id = await host.subscribe();
    world.nowMs += 30 * DAY;
    await world.project();
    await world.process('next', leases).round();
    expect(await world.capturedOf(id, 2)).toBe(1);
    expect(asked).toEqual([SHARED_LEASE_TTL_MS]);
  });

  it('charge each cycle once though both believe that they hold it, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            days: fc.constantFrom(0, 1, 2, 10, 30, 400),
            number: fc.constantFrom(APPROVE, SOFT, STOLEN, TIMEOUT_APPROVE, NO_MONEY, ERROR),
            asOne: fc.boolean(),
            dies: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 2 }),
          }),
          { minLength: 1, maxLength: 6 },
        ),
        async (acts) => {
          const first = await open();
          const ids = [await first.subscribe(), await first.subscribe(APPROVE, 7)];
          for (const { days, number, asOne, dies } of acts) {
            world.asOne = asOne;
            world.nowMs += days * DAY;
            for (const id of ids) await world.process().useCard(id, number);
            await world.project();
            const hosts = ['one', 'two'].map((name) => world.process(name, NO_LEASE));
            if (dies !== null && hosts[0] !== undefined) {
              hosts[0].life.diesAt = { step: dies, when: 'after' };
            }
            // No lease at all: the worst case after a long pause of a host.
            await Promise.all(hosts.map((host) => host.round()));
          }
          await world.process().settle();
          const host = world.process();
          for (const id of ids) {
            const { cycle } = await host.subscription(id);
            for (let each = 2; each <= cycle; each += 1) {
              expect(await world.capturedOf(id, each)).toBeLessThanOrEqual(1);
            }
          }
          const { gateway, ledger, subscribed } = await world.books(ids);
          expect([gateway, ledger]).toEqual([subscribed, subscribed]);
          await world.gateway.close();
        },
      ),
      { numRuns: 8 },
    );
    world = new World();
  }, 120_000);
});
