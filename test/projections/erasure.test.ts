/** A person who is erased is gone from every read model, live or rebuilt, and no amount has moved. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type AnyVault,
  type Event,
  EventStoreError,
  type Subject,
  streamName,
  Transaction,
} from '@counterfoil/core';
import {
  createMemoryReadModelStore,
  createProjector,
  openSqliteReadModelStore,
  PROJECTIONS,
  Progress,
  type Projection,
  type ReadModelStore,
  rebuild,
  transactions,
} from '@counterfoil/projections';
import { syntheticPayment } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DistantTicketVault, TicketVault } from '../core/ticket-vault.ts';
import { adaptersInFolder } from './adapters.ts';
import { append, NOW, paymentStream, TENANT, type World, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

const { adapters, folder } = adaptersInFolder();

/** Where the keys may stand. */
const vaults: readonly [string, (tickets: TicketVault) => AnyVault][] = [
  ['at hand', (tickets) => tickets],
  ['elsewhere', (tickets) => new DistantTicketVault(tickets)],
];

const cases = adapters.flatMap(([adapter, open]) =>
  vaults.map(([where, vaultOf]) => ({ adapter, open, where, vaultOf })),
);

/** So few customers that each has several payments. */
const CUSTOMERS = 4;
const PAYMENTS = 60;

const ERASED = { email: '', card: null };

type Move =
  | { readonly kind: 'pay'; readonly number: number }
  | { readonly kind: 'erase'; readonly subject: Subject; readonly keepsKey: boolean }
  | { readonly kind: 'catch-up'; readonly maxBatchEvents: number };

const subject = fc.record({
  tenantId: fc.integer({ min: 1, max: 2 }),
  sandbox: fc.boolean(),
  customerId: fc.integer({ min: 1, max: CUSTOMERS }),
}) as fc.Arbitrary<Subject>;

const moves = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('pay'), number: fc.nat(PAYMENTS - 1) }) },
    {
      weight: 2,
      // A key restored from an older backup: only the event records the erasure.
      arbitrary: fc.record({ kind: fc.constant('erase'), subject, keepsKey: fc.boolean() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('catch-up'),
        maxBatchEvents: fc.integer({ min: 1, max: 30 }),
      }),
    },
  ),
  { maxLength: 60, size: 'max' },
) as fc.Arbitrary<Move[]>;

/** A made-up payment of one of few customers, who are persons to be found. */
function paymentOf(number: number) {
  const { tenantId, stream, events } = syntheticPayment(number, { payments: PAYMENTS, tenants: 2 });
  const [submitted, ...later] = events as [Transaction.EventOf<'PaymentSubmitted'>, ...Event[]];
  const customerId = 1 + (number % CUSTOMERS);
  const sandbox = number % 3 === 0;
  const email = emailOf({ tenantId, sandbox, customerId });
  const { addresses, session, serviceSession, partnerSession } = A.submitted();
  const person = { customerId, sandbox, email, addresses, session, serviceSession, partnerSession };
  const story = later.map((event) => ('sandbox' in event ? { ...event, sandbox } : event));
  return { tenantId, stream, events: [{ ...submitted, ...person }, ...story] as Event[] };
}

/** A subscription that the customer of a payment has, since with another card. */
function subscriptionOf(payment: Transaction.EventOf<'PaymentSubmitted'>, subscriptionId: number) {
  const { sandbox, currency, customerId, email, orderId, transactionId, at } = payment;
  const { card } = A.submitted();
  const other = card && { ...card, fingerprint: 'another number' };
  const failed = {
    ...{ cycle: 2, attempt: 1, transactionId, declineCode: 'declined', hard: false },
    retryAt: at,
  };
  const events: Event[] = [
    {
      type: 'SubscriptionStarted',
      ...{ subscriptionId, sandbox, currency, customerId, email, orderId, transactionId, card, at },
      companyId: 3,
      merchantAccountId: 7,
      name: 'Tea club',
      description: 'A tin a month',
      rebillAmountMinor: 1_995n,
      interval: 'day',
      intervalCount: 30,
      trialDays: 0,
      realStartAt: at,
      rebillAt: at,
    },
    { type: 'CardChanged', sandbox, customerId, card, sameNumber: true, failedAt: [], at },
    { ...failed, type: 'RebillFailed', at },
    { type: 'CardChanged', sandbox, customerId, card: other, sameNumber: false, failedAt: [], at },
    { ...failed, type: 'RebillFailed', at },
    { type: 'CardChanged', sandbox, customerId, card, sameNumber: false, failedAt: [at], at },
  ];
  return events;
}

function emailOf({ tenantId, sandbox, customerId }: Subject): string {
  return `person-${tenantId}-${sandbox}-${customerId}@example.test`;
}

async function erase(here: World, erased: Subject): Promise<void> {
  const { tenantId, sandbox, customerId } = erased;
  const id = `${sandbox ? 'test' : 'live'}-${customerId}`;
  const stream = streamName('customer_account', tenantId, id);
  await append(here.events, { stream, tenantId }, [
    { type: 'CustomerErased', customerId, sandbox, at: NOW },
  ]);
}

/** Plays a story; answers who was erased. */
async function play(here: World, vault: TicketVault, story: readonly Move[]): Promise<Subject[]> {
  const paid = new Set<number>();
  const erased: Subject[] = [];
  for (const move of story) {
    if (move.kind === 'catch-up') await here.catchUp(move);
    else if (move.kind === 'erase') {
      if (!move.keepsKey) vault.erase(move.subject);
      await erase(here, move.subject);
      erased.push(move.subject);
    } else if (!paid.has(move.number)) {
      paid.add(move.number);
      const { tenantId, stream, events } = paymentOf(move.number);
      const { customerId, sandbox } = events[0] as Transaction.EventOf<'PaymentSubmitted'>;
      // An erased person makes no payments.
      const isGone = erased.some(
        (each) =>
          each.tenantId === tenantId && each.customerId === customerId && each.sandbox === sandbox,
      );
      if (isGone) continue;
      await append(here.events, { stream, tenantId, vault }, events);
      const id = 1 + move.number;
      const subscription = streamName('subscription', tenantId, id);
      const started = subscriptionOf(events[0] as never, id);
      await append(here.events, { stream: subscription, tenantId, vault }, started);
    }
  }
  await here.catchUp();
  return erased;
}

function rebuilt(here: World, projection: Projection, vault: AnyVault) {
  const { events, store } = here;
  const now = () => Date.parse(NOW);
  return rebuild({ events, store, projection, vault, holder: 'rebuilder', now });
}

async function found(here: World, { tenantId, sandbox }: Subject, filter: object) {
  const asked = { tenantId, filter: { ...filter, sandbox }, limit: 100, now: NOW };
  return (await here.search.search(asked)).transactions;
}

describe.each(cases)('an erasure on $adapter, keys $where', ({ adapter, open, vaultOf }) => {
  it('leaves live and rebuilt equal, the person not findable, and all others', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (story) => {
        const vault = new TicketVault();
        const here = world(await open(), vaultOf(vault));
        const erased = await play(here, vault, story);
        for (const projection of PROJECTIONS) {
          expect((await rebuilt(here, projection, vaultOf(vault))).differences).toEqual([]);
        }
        const parked = here.messages.filter(({ type }) => type === 'parked');
        expect(parked).toEqual([]);
        for (const each of erased) {
          expect(await found(here, each, { emails: [emailOf(each)] })).toEqual([]);
          const theirs = await here.subscriptions.ofCustomer({ ...each, limit: PAYMENTS });
          for (const { email, card } of theirs) expect({ email, card }).toEqual(ERASED);
        }
        await expectOthersThere(here, story, erased);
        await here.store.close();
      }),
      { numRuns: adapter === 'memory' ? 30 : 4 },
    );
  });

  it('moves no amount and no entry of the books', { timeout: 60_000 }, async () => {
    const story: Move[] = Array.from({ length: 30 }, (_, number) => ({ kind: 'pay', number }));
    const vault = new TicketVault();
    const here = world(await open(), vaultOf(vault));
    await play(here, vault, story);
    const before = await books(here);
    const amounts = await amountsOf(here);
    const everybody = [1, 2].flatMap((tenantId) =>
      [true, false].flatMap((sandbox) =>
        [1, 2, 3, 4].map((customerId) => ({ tenantId, sandbox, customerId }) as Subject),
      ),
    );
    for (const each of everybody) {
      vault.erase(each);
      await erase(here, each);
    }
    await here.catchUp();
    expect(await books(here)).toEqual(before);
    expect(await amountsOf(here)).toEqual(amounts);
    await here.store.close();
  });

  it('shows the record without personal data', async () => {
    const vault = new TicketVault();
    const here = world(await open(), vaultOf(vault));
    const stream = paymentStream(A.PAYMENT);
    const paid = [A.submitted(), A.started(), A.captured()];
    await append(here.events, { stream, vault }, [...paid, A.refundRequested(), A.refunded()]);
    await here.catchUp();
    const asked = { tenantId: TENANT, id: A.PAYMENT, now: NOW };
    const before = await here.detail.detail(asked);
    const who = { tenantId: TENANT, sandbox: false, customerId: 42 };
    vault.erase(who);
    await erase(here, who);
    await here.catchUp();
    const after = await here.detail.detail(asked);
    expect(after).toMatchObject({ addresses: [], addressData: null, sessionData: null });
    const erased = {
      email: '',
      name: '',
      bin: '',
      last4: 0,
      cardBrand: 'Unknown',
      cardBrandId: 0,
      sessionId: '',
      serviceSession: '',
      partnerSession: '',
    };
    const { childTransactions, ...root } = before?.transaction ?? ({} as never);
    expect(after?.transaction).toEqual({
      ...root,
      ...erased,
      childTransactions: childTransactions.map((child) => ({ ...child, ...erased })),
    });
    expect(childTransactions).toHaveLength(1);
    for (const filter of [
      { emails: ['ada@example.test'] },
      { firstName: 'ada' },
      { lastName: 'lovelace' },
      { last4: '0042' },
      { bin: '41111122' },
    ]) {
      expect(await found(here, who, filter), JSON.stringify(filter)).toEqual([]);
    }
    expect(await found(here, who, { transactionIds: [A.PAYMENT] })).toHaveLength(1);
    await here.store.close();
  });
});

async function expectOthersThere(here: World, story: readonly Move[], erased: readonly Subject[]) {
  const numbers = new Set(story.flatMap((move) => (move.kind === 'pay' ? [move.number] : [])));
  for (const number of numbers) {
    const { tenantId, events } = paymentOf(number);
    const { customerId, sandbox, transactionId } =
      events[0] as Transaction.EventOf<'PaymentSubmitted'>;
    const isOf = (each: Subject) =>
      each.tenantId === tenantId && each.sandbox === sandbox && each.customerId === customerId;
    if (erased.some(isOf)) continue;
    const email = emailOf({ tenantId, sandbox, customerId });
    const records = await found(here, { tenantId, sandbox, customerId }, { emails: [email] });
    expect(records.map((record) => record.transactionId)).toContain(transactionId);
    const subscribed = await here.subscriptions.subscription(tenantId, 1 + number);
    expect(subscribed).toMatchObject({ email, card: { last4: '0042' } });
  }
}

async function books(here: World) {
  const live = await here.store.live('ledger');
  return (await live?.summary())?.collections;
}

async function amountsOf(here: World) {
  const amounts: unknown[] = [];
  for (let number = 0; number < 30; number += 1) {
    const { tenantId, events } = paymentOf(number);
    const { transactionId } = events[0] as Transaction.EventOf<'PaymentSubmitted'>;
    const found = await here.detail.payment(tenantId, transactionId);
    const { email: _, ...erasable } = Transaction.events.PaymentSubmitted.erased;
    const kept = Object.entries(found?.payment ?? {}).filter(
      ([field]) => field !== 'email' && !(field in erasable),
    );
    amounts.push(Object.fromEntries(kept));
  }
  return amounts;
}

describe('an erasure that is interrupted', () => {
  it('is done again from the event that erases, for as many payments as there are', async () => {
    const vault = new TicketVault();
    const store = createMemoryReadModelStore();
    const here = world(store, vault);
    const who = { tenantId: TENANT, sandbox: false, customerId: 42 };
    // More than a page of them.
    for (let number = 0; number < 1_100; number += 1) {
      const transactionId = A.PAYMENT.replace(/.{4}$/, String(number).padStart(4, '0'));
      const submitted = A.submitted({ transactionId: transactionId as never });
      await append(here.events, { stream: paymentStream(transactionId), vault }, [submitted]);
    }
    await here.catchUp();
    vault.erase(who);
    await erase(here, who);
    const failing: Projection = {
      ...transactions,
      erasing: {
        ...(transactions.erasing as NonNullable<Projection['erasing']>),
        async *find(model, subject) {
          const pages = transactions.erasing?.find(model, subject) ?? [];
          let count = 0;
          for await (const page of pages) {
            count += 1;
            if (count === 3) throw new Error('a power cut');
            yield page;
          }
        },
      },
    } as Projection;
    const others = PROJECTIONS.filter(({ name: each }) => each !== transactions.name);
    const broken = here.catchUp({ projections: [failing, ...others] });
    await expect(broken).rejects.toThrow('a power cut');
    const left = await found(here, who, { emails: ['ada@example.test'] });
    expect(left).toHaveLength(100);
    await here.catchUp();
    expect(await found(here, who, { emails: ['ada@example.test'] })).toEqual([]);
    expect((await rebuilt(here, transactions, vault)).differences).toEqual([]);
  });
});

describe('remote keys', () => {
  const who = { tenantId: TENANT, sandbox: false, customerId: 42 };

  it('are asked for once a batch, by the worker and by a rebuild', async () => {
    const tickets = new TicketVault();
    const vault = new DistantTicketVault(tickets);
    const here = world(createMemoryReadModelStore(), vault);
    const persons = new Set<string>();
    for (let number = 0; number < 40; number += 1) {
      const { tenantId, stream, events } = paymentOf(number);
      const [submitted] = events as [Transaction.EventOf<'PaymentSubmitted'>];
      persons.add(submitted.email);
      await append(here.events, { stream, tenantId, vault: tickets }, events);
    }
    await here.catchUp();
    expect(vault.openings).toEqual([persons.size]);
    await rebuilt(here, transactions, vault);
    expect(vault.openings).toEqual([persons.size, persons.size]);
  });

  it('are not cached past an erasure: what was sealed under one in between stays unreadable', async () => {
    const tickets = new TicketVault();
    const vault = new DistantTicketVault(tickets);
    const here = world(createMemoryReadModelStore(), vault);
    await append(here.events, { stream: paymentStream(A.PAYMENT), vault: tickets }, [
      A.submitted(),
    ]);
    await here.catchUp();
    // A host that has not heard of the erasure goes on with the key that it remembers.
    const slow = tickets.keyOf(who);
    tickets.erase(who);
    await erase(here, who);
    const later = A.PAYMENT.replace(/.$/, '9');
    const submitted = A.submitted({ transactionId: later as never });
    await append(here.events, { stream: paymentStream(later), vault: slow }, [submitted]);
    await here.catchUp();
    expect(await found(here, who, { emails: ['ada@example.test'] })).toEqual([]);
    for (const projection of PROJECTIONS) {
      expect((await rebuilt(here, projection, tickets)).differences).toEqual([]);
    }
  });

  it('are asked for again when what is parked is applied again', async () => {
    const tickets = new TicketVault();
    const vault = new DistantTicketVault(tickets);
    let isBroken = true;
    const here = world();
    const stream = paymentStream(A.PAYMENT);
    const head = await append(here.events, { stream, vault: tickets }, [A.submitted()]);
    const stopping = new AbortController();
    const progress = new Progress();
    const projector = createProjector({
      ...{ events: here.events, store: here.store, projections: PROJECTIONS, holder: 'test' },
      vault: {
        forOpening: async (subjects) => (isBroken ? new TicketVault() : vault.forOpening(subjects)),
        forSealing: (subjects) => vault.forSealing(subjects),
        forget: () => undefined,
      },
      now: () => Date.parse(NOW),
      signal: stopping.signal,
      notify: (message) => progress.receive(message),
    });
    const running = projector.run();
    expect(await progress.reached(head, { timeoutMs: 5_000 })).toBe(true);
    expect(await projector.retryParked(transactions.name, stream)).toBe(false);
    isBroken = false;
    expect(await projector.retryParked(transactions.name, stream)).toBe(true);
    expect(await found(here, who, { emails: ['ada@example.test'] })).toHaveLength(1);
    stopping.abort();
    await running;
  });
});

describe('keys that cannot be read', () => {
  it('end the worker without parking; a single missing one parks its payment', async () => {
    const vault = new TicketVault();
    const failing = {
      seal: vault.seal.bind(vault),
      open: (): string => {
        throw new EventStoreError('unavailable', 'keys.db: disk I/O error');
      },
    };
    const store = createMemoryReadModelStore();
    const here = world(store, failing);
    const stream = paymentStream(A.PAYMENT);
    await append(here.events, { stream, vault }, [A.submitted()]);
    await expect(here.catchUp()).rejects.toThrow('disk I/O error');
    expect(here.messages.filter(({ type }) => type === 'parked')).toEqual([]);
    const other = world(store, new TicketVault());
    await append(other.events, { stream, vault }, [A.submitted()]);
    await other.catchUp();
    expect(other.messages.filter(({ type }) => type === 'parked')).toMatchObject([
      { stream, error: expect.stringContaining('no such ticket') },
    ]);
  });
});

describe('the files', () => {
  it('hold nothing of the person any more', async () => {
    const path = join(folder, 'scrubbed.db');
    const vault = new TicketVault();
    const here = world(openSqliteReadModelStore({ path }), vault);
    const stream = paymentStream(A.PAYMENT);
    await append(here.events, { stream, vault }, [A.submitted(), A.started(), A.captured()]);
    await here.catchUp();
    // A build to roll back to, without a follower.
    const first = await here.store.live(transactions.name);
    const { build } = await rebuilt(here, transactions, vault);
    await here.store.makeLive(transactions.name, build);
    await here.catchUp();
    expect(bytesOf('scrubbed')).toContain('Lovelace');
    const who = { tenantId: TENANT, sandbox: false, customerId: 42 };
    vault.erase(who);
    await erase(here, who);
    await here.catchUp();
    for (const each of TRACES) expect(bytesOf('scrubbed'), each).not.toContain(each);
    const builds = await here.store.builds(transactions.name);
    expect(builds.map((each) => each.build)).toEqual([build]);
    expect(first?.info.build).not.toBe(build);
    await here.store.close();
  });
});

describe('what others hinder', () => {
  const vault = new TicketVault();
  const who = { tenantId: TENANT, sandbox: false, customerId: 42 };
  const LEASE = { name: `rebuild-${transactions.name}`, nowMs: Date.now(), ttlMs: 600_000 };

  /** A live build with the person's data, and others that were rolled back, kept, and aborted. */
  async function beside(store: ReadModelStore): Promise<World> {
    const here = world(store, vault);
    const stream = paymentStream(A.PAYMENT);
    await append(here.events, { stream, vault }, [A.submitted(), A.started(), A.captured()]);
    await here.catchUp();
    const first = (await store.live(transactions.name))?.info.build ?? 0;
    await store.makeLive(transactions.name, (await rebuilt(here, transactions, vault)).build);
    await store.makeLive(transactions.name, first);
    await rebuilt(here, transactions, vault);
    const { name: projection, version, collections } = transactions;
    await store.createBuild({ projection, version, collections, purpose: 'load' });
    return here;
  }

  const buildsOf = async ({ store }: World) =>
    (await store.builds(transactions.name)).map(({ build }) => build);
  const pendingOf = ({ messages }: World) =>
    messages.flatMap((message) => (message.type === 'erasing' ? [message.pending] : []));

  it.each(adapters)('is removed by the erasure itself: builds in %s', async (_, open) => {
    const here = await beside(await open());
    expect(await buildsOf(here)).toHaveLength(4);
    await erase(here, who);
    await here.catchUp();
    const live = await here.store.live(transactions.name);
    expect(await buildsOf(here)).toEqual([live?.info.build]);
    await here.store.close();
  });

  it.each(adapters)('waits for a rebuild that is under way, in %s', async (_, open) => {
    const here = await beside(await open());
    const busy = { ...LEASE, holder: 'another' };
    await here.store.acquireLease(busy);
    await erase(here, who);
    await here.catchUp();
    expect([(await buildsOf(here)).length, pendingOf(here)]).toEqual([4, [1]]);
    await here.store.releaseLease(busy.name, busy.holder);
    await here.catchUp();
    expect((await buildsOf(here)).length).toBe(1);
    await here.store.close();
  });

  it('does not wait for a rebuild that was killed, and leaves nothing in the files', async () => {
    const path = join(folder, 'killed.db');
    const hasEnded = (holder: string) => holder === 'killed';
    const here = await beside(openSqliteReadModelStore({ path, hasEnded }));
    await here.store.acquireLease({ ...LEASE, holder: 'killed' });
    await erase(here, who);
    vault.erase(who);
    await here.catchUp();
    for (const each of TRACES) expect(bytesOf('killed'), each).not.toContain(each);
    await here.store.close();
  });

  it('empties a write-ahead log as soon as it has no readers, without waiting', async () => {
    const vault = new TicketVault();
    const path = join(folder, 'read.db');
    const { events, ...here } = world(openSqliteReadModelStore({ path }), vault);
    const stream = paymentStream(A.PAYMENT);
    await append(events, { stream, vault }, [A.submitted(), A.started(), A.captured()]);
    await here.catchUp();
    const { build } = (await here.store.live(transactions.name))?.info ?? {};
    const reader = new DatabaseSync(`${path}-${transactions.name}-${build}`, { readOnly: true });
    reader.exec('BEGIN; SELECT * FROM meta');
    await erase({ events, ...here }, who);
    vault.erase(who);
    const ended = new AbortController();
    const pending: number[] = [];
    await createProjector({
      events,
      store: here.store,
      projections: PROJECTIONS,
      vault,
      holder: 'follower',
      now: Date.now,
      signal: ended.signal,
      notify(message) {
        if (message.type !== 'erasing') return;
        pending.push(message.pending);
        if (message.pending === 0) ended.abort();
        else reader.close();
      },
    }).run();
    expect(pending).toEqual([1, 0]);
    for (const each of TRACES) expect(bytesOf('read.db'), each).not.toContain(each);
    await here.store.close();
  });
});

const TRACES = ['Lovelace', 'ada@example.test', '1 High Street', '10.0.0.1', '"fp"'];

function bytesOf(prefix: string): string {
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join();
}
