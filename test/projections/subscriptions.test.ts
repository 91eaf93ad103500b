/** Events of subscriptions become states, the subscriptions of a customer, and the rebills to be made. */
import { type Event, fold, Subscription, streamName, type TransactionId } from '@counterfoil/core';
import { type SubscriptionHistory, subscriptionHistory } from '@counterfoil/core/testing';
import {
  dueRebills,
  pendingRebills,
  rebuild,
  SubscriptionView,
  subscriptions,
} from '@counterfoil/projections';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { adaptersInFolder } from './adapters.ts';
import { append, happenedTo, NOW, TENANT, tenant, type World, world } from './ledger-of-events.ts';

const { adapters } = adaptersInFolder();

const STARTED_AT = '2026-01-31T12:00:00.000Z';
const DUE_AT = '2026-03-02T12:00:00.000Z';
const TRY = '0195a000-0000-7000-8000-0000000000e1' as TransactionId;
const ID = 901;
const COUNTED = { sandbox: false, currency: 'GBP' } as const;

function started(
  change: Partial<Subscription.EventOf<'SubscriptionStarted'>> = {},
): Subscription.EventOf<'SubscriptionStarted'> {
  return {
    type: 'SubscriptionStarted',
    subscriptionId: ID,
    ...COUNTED,
    customerId: 42,
    email: 'ada@example.test',
    orderId: 5001,
    transactionId: '0195a000-0000-7000-8000-000000000001' as TransactionId,
    companyId: 3,
    merchantAccountId: 7,
    name: 'Tea club',
    description: 'A tin a month',
    rebillAmountMinor: 1_995n,
    interval: 'day',
    intervalCount: 30,
    trialDays: 0,
    card: null,
    realStartAt: STARTED_AT,
    rebillAt: DUE_AT,
    at: STARTED_AT,
    ...change,
  };
}

const BEGUN: Event = {
  type: 'RebillDue',
  cycle: 2,
  attempt: 1,
  totalAttempt: 2,
  transactionId: TRY,
  amountMinor: 1_995n,
  at: '2026-03-02T12:00:01.000Z',
};

const DUE = { tenantId: TENANT, subscriptionId: ID, sandbox: false, cycle: 2, attempt: 1 };

describe.each(adapters)('the subscriptions read model on %s', (name, open) => {
  let here: World;
  let view: SubscriptionView;
  beforeEach(async () => {
    here = world(await open());
    view = new SubscriptionView(here.store);
    return () => here.store.close();
  });

  const happened = (id: number, story: readonly Event[], tenantId = TENANT) =>
    happenedTo(here, { subscriptionId: id, tenantId }, story);

  const due = async (now: string) => (await dueRebills(here.store, { now, limit: 10 })).work;
  const pending = async () => (await pendingRebills(here.store, { limit: 10 })).work;

  it('lists a charge from the instant at which it is due', async () => {
    await happened(ID, [started()]);
    expect(await due('2026-03-02T11:59:59.999Z')).toEqual([]);
    expect(await due(DUE_AT)).toEqual([{ ...DUE, rebillAt: DUE_AT }]);
    expect(await pending()).toEqual([]);
  });

  it('lists a try as pending until its outcome is known, and then the next', async () => {
    await happened(ID, [started(), BEGUN]);
    expect(await due('2027-01-01T00:00:00.000Z')).toEqual([]);
    const begunAt = '2026-03-02T12:00:01.000Z';
    expect(await pending()).toEqual([{ ...DUE, transactionId: TRY, begunAt }]);

    const retryAt = '2026-03-03T12:00:02.000Z';
    await happened(ID, [
      {
        type: 'RebillFailed',
        cycle: 2,
        attempt: 1,
        transactionId: TRY,
        declineCode: 'do_not_honor',
        hard: false,
        retryAt,
        at: '2026-03-02T12:00:02.000Z',
      },
    ]);
    expect(await pending()).toEqual([]);
    expect(await due(retryAt)).toEqual([{ ...DUE, attempt: 2, rebillAt: retryAt }]);
  });

  it('lists neither the frozen nor the unsubscribed, but the tries that they left', async () => {
    const at = '2026-02-01T00:00:00.000Z';
    const frozen: Event = {
      type: 'SubscriptionFrozen',
      ...COUNTED,
      reason: 'admin',
      note: '',
      at,
    };
    const left: Event = {
      type: 'SubscriptionUnsubscribed',
      ...COUNTED,
      reason: 'customer-service',
      requestedBy: 'agent@example.test',
      notifyCustomer: false,
      at,
    };
    await happened(ID, [started(), frozen]);
    await happened(ID + 1, [started({ subscriptionId: ID + 1 }), left]);
    await happened(ID + 2, [started({ subscriptionId: ID + 2 }), BEGUN, left]);
    expect(await due('2099-01-01T00:00:00.000Z')).toEqual([]);
    expect(await pending()).toMatchObject([{ subscriptionId: ID + 2, transactionId: TRY }]);
  });

  it('hands out pages, those first that have been due longest', async () => {
    for (let number = 0; number < 7; number += 1) {
      const rebillAt = `2026-03-${String(20 - number).padStart(2, '0')}T00:00:00.000Z`;
      await happened(ID + number, [started({ subscriptionId: ID + number, rebillAt })]);
    }
    const now = '2026-03-19T00:00:00.000Z';
    const found: number[] = [];
    let pages = 0;
    for (let after: string | undefined, more = true; more; pages += 1) {
      const query = { now, limit: 3, ...(after !== undefined && { after }) };
      const page = await dueRebills(here.store, query);
      found.push(...page.work.map(({ subscriptionId }) => subscriptionId));
      after = page.next;
      more = after !== undefined;
    }
    // The first is due a day after the present.
    expect(found).toEqual([6, 5, 4, 3, 2, 1].map((number) => ID + number));
    expect(pages).toBe(3);
  });

  it('finds the subscriptions of one customer only, the newest first', async () => {
    for (const subscriptionId of [9, 10, 1_000_000_001]) {
      await happened(subscriptionId, [started({ subscriptionId })]);
    }
    await happened(11, [started({ subscriptionId: 11, customerId: 4 })]);
    await happened(12, [started({ subscriptionId: 12, customerId: 421 })]);
    await happened(13, [started({ subscriptionId: 13, sandbox: true })]);
    await happened(14, [started({ subscriptionId: 14 })], tenant(2));
    const ada = { tenantId: TENANT, sandbox: false, customerId: 42 };
    const idsOf = async (query: Parameters<typeof view.ofCustomer>[0]) =>
      (await view.ofCustomer(query)).map(({ subscriptionId }) => subscriptionId);
    expect(await idsOf({ ...ada, limit: 10 })).toEqual([1_000_000_001, 10, 9]);
    expect(await idsOf({ ...ada, limit: 2 })).toEqual([1_000_000_001, 10]);
    expect(await idsOf({ ...ada, limit: 2, after: 10 })).toEqual([9]);
    expect(await idsOf({ ...ada, sandbox: true, limit: 10 })).toEqual([13]);
    expect(await idsOf({ ...ada, tenantId: 2, limit: 10 })).toEqual([14]);
    expect(await idsOf({ ...ada, customerId: 43, limit: 10 })).toEqual([]);
  });

  it('keeps the same id of two tenants apart', async () => {
    await happened(ID, [started()]);
    await happened(ID, [started({ name: 'Book club' })], tenant(2));
    expect((await view.subscription(1, ID))?.name).toBe('Tea club');
    expect((await view.subscription(2, ID))?.name).toBe('Book club');
    expect(await view.subscription(3, ID)).toBeUndefined();
    expect((await view.byIds(1, [7, ID])).map(({ name: club }) => club)).toEqual(['Tea club']);
    expect(await due(DUE_AT)).toHaveLength(2);
  });

  it('agrees with the events of any histories, in any batches, live and rebuilt', {
    timeout: 60_000,
  }, async () => {
    const lives = fc.array(subscriptionHistory(20), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lives, fc.integer({ min: 1, max: 30 }), async (drawn, batch) => {
        const all = distinct(drawn);
        const there = world(await open());
        await interleaved(there, all);
        await there.catchUp({ maxBatchEvents: batch });
        await expectAgreement(there, all);
        const { events, store } = there;
        const options = { events, store, holder: 'rebuilder', now: () => Date.parse(NOW) };
        const rebuilt = await rebuild({ ...options, projection: subscriptions });
        expect(rebuilt).toMatchObject({ differences: [], parked: [] });
        await store.close();
      }),
      { numRuns: name === 'memory' ? 60 : 8 },
    );
  });
});

/** Each under an id of its own, whatever ids were drawn. */
function distinct(lives: readonly SubscriptionHistory[]): readonly SubscriptionHistory[] {
  return lives.map((life, index) => {
    const subscriptionId = index + 1;
    const events = life.events.map((event) =>
      event.type === 'SubscriptionStarted' ? { ...event, subscriptionId } : event,
    );
    return { ...life, subscriptionId, events, state: fold(Subscription, events) };
  });
}

/** Appends the first events of all, then their second ones, and so on. */
async function interleaved(here: World, lives: readonly SubscriptionHistory[]): Promise<void> {
  const longest = Math.max(...lives.map(({ events }) => events.length));
  for (let index = 0; index < longest; index += 1) {
    for (const { tenantId, subscriptionId, events } of lives) {
      const stream = streamName('subscription', tenantId, subscriptionId);
      await append(here.events, { stream, tenantId }, events.slice(index, index + 1));
    }
  }
}

/** What is shown is what folding the events gives, worked out here a second time. */
async function expectAgreement(here: World, lives: readonly SubscriptionHistory[]): Promise<void> {
  const view = new SubscriptionView(here.store);
  const toDo = { due: [] as unknown[], pending: [] as unknown[] };
  for (const { tenantId, subscriptionId, state } of lives) {
    expect(await view.subscription(tenantId, subscriptionId)).toEqual(state);
    if (state === null) continue;
    const { sandbox, customerId, cycle, attempt, rebillAt, pending } = state;
    const query = { tenantId, sandbox, customerId, limit: 100 };
    expect(await view.ofCustomer(query)).toContainEqual(state);
    const shared = { tenantId, subscriptionId, sandbox };
    if (pending !== null) {
      const { transactionId, begunAt } = pending;
      const tried = { cycle: pending.cycle, attempt: pending.attempt };
      toDo.pending.push({ ...shared, ...tried, transactionId, begunAt });
    } else if (rebillAt !== null) {
      toDo.due.push({ ...shared, cycle, attempt: attempt + 1, rebillAt });
    }
  }
  const now = '2999-01-01T00:00:00.000Z';
  const due = (await dueRebills(here.store, { now, limit: 100 })).work;
  expect(due).toHaveLength(toDo.due.length);
  expect(due).toEqual(expect.arrayContaining(toDo.due));
  const instants = due.map(({ rebillAt }) => rebillAt);
  expect(instants).toEqual(instants.toSorted());
  const open = (await pendingRebills(here.store, { limit: 100 })).work;
  expect(open).toHaveLength(toDo.pending.length);
  expect(open).toEqual(expect.arrayContaining(toDo.pending));
}
