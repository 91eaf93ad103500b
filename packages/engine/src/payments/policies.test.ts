/** What follows from payments is executed once, whichever process comes first and wherever one crashes. */

import { randomUUID } from 'node:crypto';
import {
  type CommandId,
  Customer,
  createMemoryEventStore,
  type EventStore,
  EventStoreError,
  Lead,
  MerchantAccount,
  Routing,
  type StreamName,
  Subscription,
  Tenant,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { SessionKeys } from '../identities/session-keys.ts';
import { deterministicUuid } from '../ids.ts';
import { silentLogger } from '../logger.ts';
import { FollowerProgress } from '../runtime/follower-progress.ts';
import { type ClearableStateCache, createStateCache } from '../runtime/state-cache.ts';
import { type Checkpoints, openCheckpoints } from '../storage/checkpoints.ts';
import { References } from '../tenants/references.ts';
import { PolicyReactor } from './policies.ts';

const TENANT = 1 as TenantId;
const SESSION_ID = 'visit-1';
const SESSION_KEYS = new SessionKeys(Buffer.alloc(32));
const SESSION = {
  tenantId: TENANT,
  sandbox: false,
  sessionKey: SESSION_KEYS.of({ tenantId: TENANT, sessionId: SESSION_ID }),
};
const AT = '2026-03-01T12:00:00.000Z';
const LATER = '2026-04-01T12:00:00.000Z';
const REACHED = { timeoutMs: 10_000 };
const PLAN: Subscription.Plan = {
  name: 'Tea club',
  description: '',
  rebillAmountMinor: 1_995n,
  interval: 'day',
  intervalCount: 30,
  trialDays: 0,
};
const CARD: Transaction.Card = {
  token: 'tok',
  fingerprint: 'f1',
  bin: '424242',
  last4: '4242',
  brandId: 1,
  expMonth: 12,
  expYear: 2039,
  binCountry: '',
};
const ORDER = {
  orderId: 7,
  customerId: 601,
  email: 'ada@example.com',
  amountMinor: 1_000n,
  currency: 'GBP',
  companyId: 5,
  card: CARD,
};
const ROUTE = Routing.routeTo(
  {
    merchantAccountId: 31,
    rowVersion: 1,
    settings: MerchantAccount.withDefaults({
      mid: '7031',
      title: 'Main',
      companyId: 5,
      gatewayId: 1,
      descriptor: 'SHOP',
      defaultCurrency: 'GBP',
      currencies: [],
    }),
  },
  {
    gateway: 'Sandbox',
    reserveHoldDays: 180,
    skipped: [],
    payment: { orderId: 1, brandId: 0, shop: '', product: '' },
  },
);

interface Paid {
  readonly id: TransactionId;
  readonly subscriptionIds: readonly number[];
}

class Bench {
  /** Whether the log appends to several streams as one. */
  readonly asOne: boolean;
  /** How often the log was read and written. */
  readonly used: { reads: number; appends: number } = { reads: 0, appends: 0 };
  /** Appends that the disk refuses from now on. */
  refused = 0;
  readonly events: EventStore;
  checkpoints: Checkpoints = openCheckpoints(':memory:');
  readonly lines: unknown[][] = [];
  states!: ClearableStateCache;
  commands!: CommandRunner;
  reactor!: PolicyReactor;
  #subscribers = 90;

  constructor({ asOne = true } = {}) {
    this.asOne = asOne;
    this.events = this.#watched(createMemoryEventStore());
    this.restart();
    onTestFinished(() => this.checkpoints.close());
  }

  #watched(store: EventStore): EventStore {
    const write = async <Result>(act: () => Promise<Result>): Promise<Result> => {
      this.used.appends += 1;
      if (this.refused === 0) return act();
      this.refused -= 1;
      throw new EventStoreError('unavailable', 'the disk is away');
    };
    const { appendAll } = store;
    return {
      read: (...asked) => {
        this.used.reads += 1;
        return store.read(...asked);
      },
      append: (request) => write(() => store.append(request)),
      ...(this.asOne &&
        appendAll && {
          appendAll: (requests) => write(() => appendAll.call(store, requests)),
        }),
      subscribe: (...asked) => store.subscribe(...asked),
      head: () => store.head(),
      close: () => store.close(),
    };
  }

  /** What a new process would have. */
  restart(): void {
    this.states = createStateCache();
    const executor = { store: this.events, cache: this.states };
    this.commands = new CommandRunner(executor, { now: () => AT }, () => {});
    const references = new References(this.commands, {
      merchantAccountIdsOf: async () => [],
      companyIdsOf: async () => [],
      namesOf: () => Promise.reject(new Error('not asked for')),
    });
    const keep = (...line: unknown[]) => void this.lines.push(line);
    const logger = { ...silentLogger, warn: keep, error: keep };
    this.reactor = new PolicyReactor({
      commands: this.commands,
      references,
      sessionKeys: SESSION_KEYS,
      logger,
      isOnlyHost: true,
    });
  }

  /** Follows the log as far as it goes now, and stops. */
  async follow(): Promise<void> {
    const stopping = new AbortController();
    const progress = new FollowerProgress();
    const { events, checkpoints } = this;
    const logger = silentLogger;
    const { signal } = stopping;
    const following = this.reactor.follow({ events, checkpoints, logger, signal, progress });
    const head = await events.head();
    if (head !== undefined) expect(await progress.reached(head, REACHED)).toBe(true);
    stopping.abort();
    await following;
  }

  /** A payment that was captured, and nothing that follows from it. */
  async captured(
    order: Partial<Transaction.Order> = {},
    plans: { plans?: number } = {},
  ): Promise<Paid> {
    const paid = await this.submitted(order, plans);
    await this.pays(capturing(paid));
    return paid;
  }

  /** The same, recorded with what follows from it. */
  async capturedWith(paid: Paid): Promise<void> {
    const name = { commandId: deterministicUuid([paid.id, 'captured']), content: 'captured' };
    const step = { command: capturing(paid), name };
    await this.reactor.execute(await this.payment(paid), step, SYSTEM);
  }

  /** A payment whose outcome is not known yet. */
  async submitted(
    order: Partial<Transaction.Order> = {},
    { plans = 1 }: { plans?: number } = {},
  ): Promise<Paid> {
    const id = randomUUID() as TransactionId;
    const subscriptionIds = Array.from({ length: plans }, () => {
      this.#subscribers += 1;
      return this.#subscribers;
    });
    const addressed = { tenantId: TENANT, transactionId: id, at: AT };
    const given = {
      ...ORDER,
      plans: subscriptionIds.map((subscriptionId) => ({ subscriptionId, ...PLAN })),
      subscriptionId: subscriptionIds[0] ?? null,
    };
    await this.pays({
      type: 'SubmitPayment',
      ...addressed,
      ...Transaction.orderOf({ ...given, ...order }),
      route: ROUTE,
      blackListing: 0,
    });
    return { id, subscriptionIds };
  }

  /** The same, with an outcome that was unknown for a day. */
  async foundLate(): Promise<Paid> {
    const id = randomUUID() as TransactionId;
    const addressed = { tenantId: TENANT, transactionId: id };
    const plans = [{ subscriptionId: 90, ...PLAN }];
    await this.pays({
      type: 'SubmitPayment',
      ...addressed,
      ...Transaction.orderOf({ ...ORDER, plans, subscriptionId: 90 }),
      route: ROUTE,
      blackListing: 0,
      at: AT,
    });
    const attempt = { type: 'RecordOutcome', ...addressed, attempt: 1 } as const;
    const lost = { result: 'unknown', note: '', at: AT } as const;
    await this.pays({ ...attempt, outcome: lost, at: AT });
    const said = { authCode: '', gatewayTransactionId: 'g', arn: '', avsChecked: false, note: '' };
    const outcome = { result: 'captured', ...said, at: LATER } as const;
    const policy = { refundWindowDays: 180, forceAllowRefunds: false };
    const refundId = randomUUID() as TransactionId;
    const lateCapture = { afterMinutes: 60, refundId, policy };
    await this.pays({ ...attempt, outcome, lateCapture, at: LATER });
    return { id, subscriptionIds: [90] };
  }

  /** The first rebill of a subscription, declined, and nothing that follows from it. */
  async declined(subscriptionId: number): Promise<Paid> {
    const id = randomUUID() as TransactionId;
    const at = LATER;
    const due = { cycle: 2, attempt: 1, transactionId: id };
    await this.commands.execute(
      Subscription,
      { type: 'BeginRebill', tenantId: TENANT, subscriptionId, ...due, at },
      { commandId: randomUUID() },
      SYSTEM,
    );
    const addressed = { tenantId: TENANT, transactionId: id, at };
    const rebill = { applicationId: 3, applicationKind: 3, paymentNumber: 2, subscriptionId };
    await this.pays({
      type: 'SubmitPayment',
      ...addressed,
      ...Transaction.orderOf({ ...ORDER, ...rebill }),
      route: ROUTE,
      blackListing: 0,
    });
    const said = { declineCode: 'do_not_honor', gatewayTransactionId: 'g', note: '' };
    const outcome = {
      result: 'declined',
      hard: false,
      retryElsewhere: false,
      ...said,
      at,
    } as const;
    await this.pays({ type: 'RecordOutcome', ...addressed, attempt: 1, outcome });
    return { id, subscriptionIds: [subscriptionId] };
  }

  async pays(command: Transaction.Command): Promise<void> {
    await this.commands.execute(Transaction, command, { commandId: randomUUID() }, SYSTEM);
  }

  async disputed({ id }: Paid): Promise<void> {
    await this.pays({
      type: 'OpenChargeback',
      tenantId: TENANT,
      transactionId: id,
      chargebackId: randomUUID() as TransactionId,
      reference: 'case-1',
      amountMinor: 1_000n,
      reasonCode: '10.4',
      arn: '',
      note: '',
      at: AT,
    });
  }

  async payment({ id }: Paid): Promise<Transaction.Payment> {
    const stream = Transaction.streamOf({ tenantId: TENANT, transactionId: id });
    const payment = await this.commands.stateOf(Transaction, stream);
    if (payment === null) throw new Error('no payment');
    return payment;
  }

  subscription(subscriptionId = 0): Promise<Subscription.State> {
    const stream = Subscription.streamOf({ tenantId: TENANT, subscriptionId });
    return this.commands.stateOf(Subscription, stream);
  }

  customer(customerId = 601): Promise<Customer.State> {
    const name = { tenantId: TENANT, sandbox: false, customerId };
    return this.commands.stateOf(Customer, Customer.streamOf(name as never));
  }

  lead(): Promise<Lead.State> {
    const stream = Lead.streamOf(SESSION);
    return this.commands.stateOf(Lead, stream);
  }

  async writesLead(): Promise<void> {
    const who = { sessionId: SESSION_ID, leadId: randomUUID(), applicationId: 1, customerId: 601 };
    const contact = { email: 'ada@example.com' };
    const command = { type: 'WriteLead', ...SESSION, ...who, contact, at: AT } as const;
    await this.commands.execute(Lead, command, { commandId: randomUUID() }, SYSTEM);
  }

  async settings(settings: Partial<Tenant.Settings>): Promise<void> {
    const name = { commandId: randomUUID() };
    const tenant = { tenantId: TENANT, at: AT };
    const onboard = { type: 'OnboardTenant', name: 'Acme', ...tenant } as const;
    await this.commands.execute(Tenant, onboard, { commandId: randomUUID() }, SYSTEM);
    const change = { type: 'ChangeSettings', settings, ...tenant } as const;
    await this.commands.execute(Tenant, change, name, SYSTEM);
  }

  /** Types of the events of a category, in the order of the log. */
  async typesIn(category: string): Promise<string[]> {
    const types: string[] = [];
    for await (const batch of this.events.subscribe({ untilHead: true })) {
      for (const { stream, type } of batch) if (stream.startsWith(`${category}-`)) types.push(type);
    }
    return types;
  }
}

function capturing({ id }: Paid): Transaction.Command {
  const said = { authCode: '', gatewayTransactionId: 'g', arn: '', avsChecked: false, note: '' };
  const outcome = { result: 'captured', ...said, at: AT } as const;
  const addressed = { tenantId: TENANT, transactionId: id, at: AT };
  return { type: 'RecordOutcome', ...addressed, attempt: 1, outcome };
}

const STARTED = ['SubscriptionStarted'];

it('starts nothing by a capture that was found late and refunded, whatever the process remembers', async () => {
  const bench = new Bench();
  const { id, subscriptionIds } = await bench.foundLate();
  await bench.follow();
  const payment = await bench.payment({ id, subscriptionIds });
  await bench.reactor.runFollowUps(TENANT, payment, SYSTEM);
  expect(payment.refunds).toMatchObject([{ reason: 'late-capture', source: 'System' }]);
  expect(await bench.typesIn('subscription')).toEqual([]);
  // The customer is known by the purchase all the same.
  expect(await bench.customer()).not.toBeNull();
});

it('makes up for a process that died between the capture and what follows', async () => {
  const bench = new Bench();
  const { subscriptionIds } = await bench.captured({}, { plans: 2 });
  bench.restart();
  await bench.follow();
  for (const id of subscriptionIds) expect(await bench.subscription(id)).not.toBeNull();
  expect(await bench.typesIn('subscription')).toEqual([...STARTED, ...STARTED]);
});

it('does nothing twice, in whichever order the request and the follower come', async () => {
  const bench = new Bench();
  for (const ways of [
    ['request', 'follower'],
    ['follower', 'request'],
    ['both', 'both'],
  ]) {
    const paid = await bench.captured();
    const request = async () =>
      bench.reactor.runFollowUps(TENANT, await bench.payment(paid), SYSTEM);
    for (const way of ways) {
      if (way === 'both') await Promise.all([request(), bench.follow(), request()]);
      else await (way === 'request' ? request() : bench.follow());
    }
  }
  expect(await bench.typesIn('subscription')).toEqual([...STARTED, ...STARTED, ...STARTED]);
  expect(bench.lines).toEqual([]);
});

it.each([
  ['before the lead', ['capture', 'follow', 'write']],
  ['after the lead', ['write', 'capture', 'follow']],
  ['followed late', ['capture', 'write', 'follow']],
])(
  'marks the lead of a session paid once, %s, after a crash and a lost place',
  async (_, steps) => {
    const bench = new Bench();
    for (const step of steps) {
      if (step === 'write') await bench.writesLead();
      else if (step === 'follow') await bench.follow();
      else {
        await bench.captured({ partnerSession: 'visit-1' }, { plans: 0 });
        await bench.captured({ partnerSession: 'visit-2' }, { plans: 0 });
        bench.restart();
      }
    }
    expect((await bench.lead()).paid?.transaction).toMatchObject({ amountMinor: 1_000n });
    bench.checkpoints.close();
    bench.checkpoints = openCheckpoints(':memory:');
    bench.restart();
    await bench.follow();
    const marks = (await bench.typesIn('lead')).filter((type) => type === 'LeadPaid');
    expect(marks).toHaveLength(1);
    expect(bench.lines).toEqual([]);
  },
);

it('goes through an old log from the beginning, and again after it lost its place', async () => {
  const bench = new Bench();
  const paid = await bench.captured();
  await bench.captured({ customerId: 602, email: 'bob@example.com' }, { plans: 0 });
  await bench.disputed(paid);
  await bench.follow();
  const all = [await bench.typesIn('subscription'), await bench.typesIn('customer_account')];
  expect(all).toEqual([
    [...STARTED, 'SubscriptionUnsubscribed'],
    ['CustomerRegistered', 'PaymentMethodAdded', 'CustomerRegistered', 'PaymentMethodAdded'],
  ]);
  bench.checkpoints.close();
  bench.checkpoints = openCheckpoints(':memory:');
  bench.restart();
  await bench.follow();
  expect([await bench.typesIn('subscription'), await bench.typesIn('customer_account')]).toEqual(
    all,
  );
});

it('has updated the customer when the caller of a purchase is answered', async () => {
  const bench = new Bench();
  const paid = await bench.captured({}, { plans: 0 });
  await bench.reactor.runFollowUps(TENANT, await bench.payment(paid), SYSTEM);
  expect(await bench.typesIn('customer_account')).toEqual([
    'CustomerRegistered',
    'PaymentMethodAdded',
  ]);
  await bench.follow();
  expect((await bench.customer())?.paymentMethods).toHaveLength(1);
  expect(bench.lines).toEqual([]);
});

it('keeps to what was done at the first look when the settings have changed since', async () => {
  const bench = new Bench();
  const { subscriptionIds } = await bench.captured();
  await bench.follow();
  const rebill = await bench.declined(subscriptionIds[0] ?? 0);
  await bench.reactor.runFollowUps(TENANT, await bench.payment(rebill), SYSTEM);
  await bench.settings({ dunning: { retryAfterDays: [], mails: [] } });
  await bench.follow();
  expect(bench.lines).toEqual([]);
  expect(await bench.typesIn('subscription')).toEqual([...STARTED, 'RebillDue', 'RebillFailed']);
});

it('sends a customer only new facts of a purchase, without a read', async () => {
  const bench = new Bench();
  await bench.captured({}, { plans: 0 });
  await bench.follow();
  await bench.captured({}, { plans: 0 });
  const before = { ...bench.used };
  await bench.follow();
  expect(bench.used).toEqual(before);
  await bench.captured({ card: { ...CARD, fingerprint: 'f2' } }, { plans: 0 });
  await bench.follow();
  expect((await bench.customer())?.paymentMethods).toHaveLength(2);
});

it('keeps many purchases of one customer in their order', async () => {
  const bench = new Bench();
  for (let each = 0; each < 150; each += 1) {
    await bench.captured({ card: { ...CARD, fingerprint: `f${each}` } }, { plans: 0 });
  }
  await bench.follow();
  const methods = (await bench.customer())?.paymentMethods ?? [];
  expect(methods).toHaveLength(Customer.MAX_PAYMENT_METHODS);
  expect(methods.at(-1)?.card.fingerprint).toBe('f149');
  expect(bench.lines).toEqual([]);
});

it.each([
  ['follower', false],
  ['request and the follower', true],
])('the %s do not subscribe a customer whose erasure was requested before', async (_, requests) => {
  const bench = new Bench();
  await bench.captured({}, { plans: 0 });
  await bench.follow();
  const name = { tenantId: TENANT, sandbox: false, customerId: 601, at: AT };
  const { commandId } = { commandId: randomUUID() };
  await bench.commands.execute(
    Customer,
    { type: 'RequestErasure', ...name },
    { commandId },
    SYSTEM,
  );
  const paid = await bench.captured();
  if (requests) await bench.reactor.runFollowUps(TENANT, await bench.payment(paid), SYSTEM);
  await bench.follow();
  expect(await bench.subscription(paid.subscriptionIds[0])).toMatchObject({
    unsubscribeReason: 'erasure',
  });
});

it('passes over what is refused for good, and goes on', async () => {
  const bench = new Bench();
  // A rebill of an unknown subscription.
  const rebill = { applicationId: 3, applicationKind: 3, paymentNumber: 2 };
  await bench.captured({ ...rebill, subscriptionId: 4_000, plans: [] }, { plans: 0 });
  const { subscriptionIds } = await bench.captured();
  await bench.follow();
  expect(bench.lines).toEqual([
    [
      expect.objectContaining({ command: 'RecordRenewal', code: 'SubscriptionUnknown' }),
      expect.anything(),
    ],
  ]);
  expect(await bench.subscription(subscriptionIds[0])).not.toBeNull();
});

it('skips a broken payment after a few retries', async () => {
  const bench = new Bench();
  const broken = await bench.captured();
  const stream = Subscription.streamOf({
    tenantId: TENANT,
    subscriptionId: broken.subscriptionIds[0] ?? 0,
  });
  await damage(bench.events, stream);
  const { subscriptionIds } = await bench.captured();
  await bench.follow();
  expect(await bench.subscription(subscriptionIds[0])).not.toBeNull();
  expect(bench.lines).toEqual([
    [expect.objectContaining({ err: expect.anything() }), expect.stringContaining('abandoned')],
  ]);
}, 30_000);

it('leaves to the follower what a request could not do', async () => {
  const bench = new Bench();
  const paid = await bench.captured();
  const payment = await bench.payment(paid);
  bench.refused = 1;
  await bench.reactor.runFollowUps(TENANT, payment, SYSTEM);
  expect(await bench.typesIn('subscription')).toEqual([]);
  expect(bench.lines).toHaveLength(1);
  await bench.follow();
  expect(await bench.typesIn('subscription')).toEqual(STARTED);
});

it('looks once at a payment whose follow-ups its request has done, and again in a new process', async () => {
  const bench = new Bench();
  const paid = await bench.captured({}, { plans: 0 });
  await bench.reactor.runFollowUps(TENANT, await bench.payment(paid), SYSTEM);
  bench.states.clear();
  const { reads } = bench.used;
  await bench.follow();
  expect(bench.used.reads).toBe(reads);
  bench.checkpoints.close();
  bench.checkpoints = openCheckpoints(':memory:');
  bench.restart();
  await bench.follow();
  expect(bench.used.reads).toBeGreaterThan(reads);
  expect((await bench.customer())?.paymentMethods).toHaveLength(1);
});

it('marks a lead paid that was written after the request of its payment', async () => {
  const bench = new Bench();
  const paid = await bench.captured({ partnerSession: SESSION_ID }, { plans: 0 });
  await bench.reactor.runFollowUps(TENANT, await bench.payment(paid), SYSTEM);
  await bench.writesLead();
  await bench.follow();
  expect((await bench.lead()).paid?.transaction).toMatchObject({ amountMinor: 1_000n });
});

describe('what follows from an outcome, recorded with it', () => {
  it.each([
    [{ asOne: true }, 1],
    [{ asOne: false }, 5],
  ])('%o: is there with the outcome, and is not looked at again', async (log, appends) => {
    const bench = new Bench(log);
    const paid = await bench.submitted({ partnerSession: SESSION_ID }, { plans: 2 });
    const before = { ...bench.used };
    await bench.capturedWith(paid);
    const payment = await bench.payment(paid);
    await bench.reactor.runFollowUps(TENANT, payment, SYSTEM);
    expect(bench.used.appends - before.appends).toBe(appends);
    expect(payment.status).toBe('Captured');
    for (const id of paid.subscriptionIds) expect(await bench.subscription(id)).not.toBeNull();
    expect(await bench.customer()).toMatchObject({ email: 'ada@example.com' });
    expect(await bench.typesIn('subscription')).toEqual([...STARTED, ...STARTED]);
    const all = { ...bench.used };
    await bench.reactor.runFollowUps(TENANT, payment, SYSTEM);
    if (log.asOne) expect(bench.used).toEqual(all);
    await bench.follow();
    expect(bench.used.appends).toBe(all.appends);
    expect(bench.lines).toEqual([]);
  });

  it('is the same on both kinds of logs', async () => {
    const logs: unknown[] = [];
    for (const asOne of [true, false]) {
      const bench = new Bench({ asOne });
      const paid = await bench.submitted({ partnerSession: SESSION_ID });
      const head = await bench.events.head();
      await bench.capturedWith(paid);
      await bench.reactor.runFollowUps(TENANT, await bench.payment(paid), SYSTEM);
      const events: unknown[] = [];
      const news = { untilHead: true, ...(head !== undefined && { after: head }) };
      for await (const batch of bench.events.subscribe(news)) {
        for (const { type, stream, metadata, revision } of batch) {
          events.push([type, stream.replace(paid.id, 'paid'), metadata, revision]);
        }
      }
      logs.push(events);
    }
    expect(logs[0]).toEqual(logs[1]);
  });

  it('is left to the follower of another process by no note of this one', async () => {
    const bench = new Bench();
    const paid = await bench.submitted({}, { plans: 0 });
    const { id: transactionId } = paid;
    const addressed = { tenantId: TENANT, transactionId, at: AT };
    const outcome = { result: 'unknown', note: '', at: AT } as const;
    const command = { type: 'RecordOutcome', ...addressed, attempt: 1, outcome } as const;
    const step = { command, name: { commandId: randomUUID() } };
    await bench.reactor.execute(await bench.payment(paid), step, SYSTEM);
    await bench.pays(capturing(paid));
    await bench.follow();
    expect(await bench.customer()).not.toBeNull();
  });

  it('does not hold up the outcome where it is refused', async () => {
    const bench = new Bench();
    const rebill = { applicationId: 3, applicationKind: 3, paymentNumber: 2, plans: [] };
    const paid = await bench.submitted({ ...rebill, subscriptionId: 4_000 }, { plans: 0 });
    await bench.capturedWith(paid);
    expect((await bench.payment(paid)).status).toBe('Captured');
    expect(bench.lines).toEqual([]);
    await bench.reactor.runFollowUps(TENANT, await bench.payment(paid), SYSTEM);
    const refusal = { command: 'RecordRenewal', code: 'SubscriptionUnknown' };
    expect(bench.lines).toMatchObject([[refusal, {}]]);
  });

  it('does not hold up the outcome where it cannot be read', async () => {
    const bench = new Bench();
    const paid = await bench.submitted({}, { plans: 0 });
    const customer = { tenantId: TENANT, sandbox: false, customerId: 601 };
    await damage(bench.events, Customer.streamOf(customer));
    await bench.capturedWith(paid);
    expect((await bench.payment(paid)).status).toBe('Captured');
  });

  it('is recorded once, where the answer of the log was lost', async () => {
    const bench = new Bench();
    const paid = await bench.submitted();
    bench.refused = 1;
    await expect(bench.capturedWith(paid)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await bench.payment(paid)).status).toBe('Processing');
    await bench.capturedWith(paid);
    await bench.capturedWith(paid);
    expect(await bench.typesIn('subscription')).toEqual(STARTED);
    expect((await bench.typesIn('transaction')).at(-1)).toBe('PaymentCaptured');
  });

  it('does not subscribe a customer whose erasure was requested before', async () => {
    const bench = new Bench();
    await bench.captured({}, { plans: 0 });
    await bench.follow();
    const request = { type: 'RequestErasure', tenantId: TENANT, sandbox: false } as const;
    const erase = { ...request, customerId: 601, at: AT };
    await bench.commands.execute(Customer, erase, { commandId: randomUUID() }, SYSTEM);
    const paid = await bench.submitted();
    await bench.capturedWith(paid);
    await bench.reactor.runFollowUps(TENANT, await bench.payment(paid), SYSTEM);
    await bench.follow();
    expect(await bench.subscription(paid.subscriptionIds[0])).toMatchObject({
      unsubscribeReason: 'erasure',
    });
  });
});

/** Puts into a stream what is no event of it. */
async function damage(events: EventStore, stream: StreamName): Promise<void> {
  const id = randomUUID() as CommandId;
  await events.append({
    stream,
    events: [
      {
        id,
        type: 'SubscriptionStarted',
        schemaVersion: 1,
        tenantId: TENANT,
        time: AT,
        data: '{}',
        metadata: '{"actor":"test"}',
      },
    ],
    expected: { kind: 'any' },
    command: { id, fingerprint: '' },
  });
}
