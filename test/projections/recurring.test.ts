/** Recurring revenue and churn, month by month, from the events of subscriptions. */
import {
  type Event,
  fold,
  nearestNumber,
  type StreamName,
  Subscription,
  streamName,
  type TransactionId,
  toMajor,
  toMinor,
} from '@counterfoil/core';
import {
  type SubscriptionHistory,
  startSubscription,
  subscriptionHistory,
} from '@counterfoil/core/testing';
import { type RecurringMonth, RecurringView, rebuild, recurring } from '@counterfoil/projections';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { adaptersInFolder } from './adapters.ts';
import { append, happenedTo, NOW, TENANT, tenant, type World, world } from './ledger-of-events.ts';
import { rebilledLife } from './rebilled-life.ts';

const { adapters } = adaptersInFolder();

/** On a machine that is busy with other things. */
const SLOW = { timeout: 60_000 };

const MONTHLY = {
  interval: 'month',
  intervalCount: 1,
  rebillAmountMinor: 1_995n,
  trialDays: 0,
} as const;

const GBP = { sandbox: false, currency: 'GBP' } as const;

interface Plan {
  readonly sandbox: boolean;
  readonly currency: string;
}

const [START] = fc.sample(startSubscription(), { seed: 1, numRuns: 1 });
if (START === undefined) throw new Error('nothing was drawn');

function started(subscriptionId: number, at: string, counted: Plan = GBP): Event {
  const {
    type: _,
    tenantId: __,
    plan,
    ...facts
  } = START as Subscription.CommandOf<'StartSubscription'>;
  const dates = { realStartAt: at, rebillAt: at, at };
  return {
    ...facts,
    ...plan,
    ...MONTHLY,
    type: 'SubscriptionStarted',
    ...counted,
    subscriptionId,
    ...dates,
  };
}

function renewed(amountMinor: bigint, at: string, counted: Plan = GBP): Event {
  const transactionId = '0195a000-0000-7000-8000-0000000000e1' as TransactionId;
  const tried = { cycle: 2, attempt: 1, transactionId, nextCycle: 3, rebillAt: null };
  return { type: 'SubscriptionRenewed', ...counted, ...tried, amountMinor, at };
}

function frozen(at: string): Event {
  return { type: 'SubscriptionFrozen', ...GBP, reason: 'admin', note: '', at };
}

function unfrozen(at: string): Event {
  return { type: 'SubscriptionUnfrozen', ...GBP, reason: 'admin', cycle: 2, rebillAt: at, at };
}

function left(at: string): Event {
  const asked = { requestedBy: 'a@b.test', notifyCustomer: false } as const;
  return { type: 'SubscriptionUnsubscribed', ...GBP, reason: 'customer-service', ...asked, at };
}

const QUIET = {
  joined: 0,
  renewed: 0,
  revenue: 0,
  frozen: 0,
  unfrozen: 0,
  left: 0,
  activeAtStart: 0,
  activeAtEnd: 0,
  frozenAtEnd: 0,
  mrrAtEnd: 0,
  churnRate: null,
};

describe.each(adapters)('the recurring report on %s', (name, open) => {
  let here: World;
  let view: RecurringView;
  beforeEach(async () => {
    here = world(await open());
    view = new RecurringView(here.store);
    return () => here.store.close();
  });

  const happened = (id: number, story: readonly Event[], tenantId = TENANT) =>
    happenedTo(here, { subscriptionId: id, tenantId }, story);

  it('counts each month separately, and carries active ones through months without events', async () => {
    await happened(1, [
      started(1, '2026-01-31T23:59:59.999Z'),
      renewed(1_995n, '2026-02-28T10:00:00.000Z'),
      frozen('2026-05-01T00:00:00.000Z'),
      left('2026-06-30T23:59:59.999Z'),
    ]);
    await happened(2, [
      started(2, '2026-02-01T00:00:00.000Z'),
      frozen('2026-02-02T00:00:00.000Z'),
      unfrozen('2026-02-03T00:00:00.000Z'),
      renewed(5n, '2026-02-28T10:00:00.000Z'),
      frozen('2026-02-28T10:00:00.001Z'),
    ]);
    const query = { tenantId: TENANT, sandbox: false, from: '2026-01', to: '2026-07' };
    const [gbp, ...others] = await view.months(query);
    expect(others).toEqual([]);
    expect(gbp).toEqual({
      currency: 'GBP',
      months: [
        { ...QUIET, month: '2026-01', joined: 1, activeAtEnd: 1, mrrAtEnd: 19.95 },
        {
          month: '2026-02',
          joined: 1,
          renewed: 2,
          revenue: 20,
          frozen: 2,
          unfrozen: 1,
          left: 0,
          activeAtStart: 1,
          activeAtEnd: 2,
          frozenAtEnd: 1,
          mrrAtEnd: 19.95,
          churnRate: 0,
        },
        ...['2026-03', '2026-04'].map((month) => ({
          ...QUIET,
          month,
          activeAtStart: 2,
          activeAtEnd: 2,
          frozenAtEnd: 1,
          mrrAtEnd: 19.95,
          churnRate: 0,
        })),
        {
          ...QUIET,
          month: '2026-05',
          frozen: 1,
          activeAtStart: 2,
          activeAtEnd: 2,
          frozenAtEnd: 2,
          churnRate: 0,
        },
        // Who leaves frozen is counted as left, and as frozen no longer.
        {
          ...QUIET,
          month: '2026-06',
          left: 1,
          activeAtStart: 2,
          activeAtEnd: 1,
          frozenAtEnd: 1,
          churnRate: 0.5,
        },
        {
          ...QUIET,
          month: '2026-07',
          activeAtStart: 1,
          activeAtEnd: 1,
          frozenAtEnd: 1,
          churnRate: 0,
        },
      ],
      totals: {
        joined: 2,
        renewed: 2,
        revenue: 20,
        frozen: 3,
        unfrozen: 1,
        left: 1,
        activeAtStart: 0,
        activeAtEnd: 1,
        frozenAtEnd: 1,
        mrrAtEnd: 0,
        churnRate: null,
      },
    });
    // A range within: what was before it is what it starts with.
    const [part] = await view.months({ ...query, from: '2026-06', to: '2026-06' });
    expect(part?.totals).toMatchObject({
      left: 1,
      activeAtStart: 2,
      activeAtEnd: 1,
      churnRate: 0.5,
    });
    expect(part?.months).toHaveLength(1);
  });

  it('counts a trial, a plan and another plan from the first cycle that is paid by it', async () => {
    const trial = { trialDays: 40, interval: 'year', intervalCount: 1, rebillAmountMinor: 12_000n };
    const yearly = { ...started(1, '2026-01-05T00:00:00.000Z'), ...trial } as Event;
    const changed = {
      type: 'PlanChanged',
      name: 'Tea club',
      description: '',
      interval: 'month',
      intervalCount: 1,
      rebillAmountMinor: 1_995n,
      anchorCycle: 3,
      anchorAt: '2027-02-14T00:00:00.000Z',
      anchorDay: 14,
      at: '2026-03-01T00:00:00.000Z',
    } as const;
    await happened(1, [
      yearly,
      renewed(12_000n, '2026-02-14T00:00:00.000Z'),
      changed,
      renewed(1_995n, '2027-02-14T00:00:00.000Z'),
    ]);
    const query = { tenantId: TENANT, sandbox: false, from: '2026-01', to: '2027-02' };
    const [gbp] = await view.months(query);
    const shown = gbp?.months.map(({ month, mrrAtEnd }) => [month, mrrAtEnd]);
    expect(shown?.slice(0, 3)).toEqual([
      ['2026-01', 0],
      ['2026-02', 10],
      ['2026-03', 10],
    ]);
    expect(shown?.at(-1)).toEqual(['2027-02', 19.95]);
  });

  it('keeps tenants, environments and currencies apart', async () => {
    const at = '2026-01-15T00:00:00.000Z';
    await happened(1, [started(1, at), renewed(100n, at)]);
    await happened(2, [
      started(2, at, { sandbox: true, currency: 'GBP' }),
      renewed(200n, at, { sandbox: true, currency: 'GBP' }),
    ]);
    const yen = { sandbox: false, currency: 'JPY' };
    await happened(3, [started(3, at, yen), renewed(300n, at, yen)]);
    await happened(1, [started(1, at), renewed(400n, at)], tenant(2));
    const revenue = async (query: { tenantId: number; sandbox: boolean; currency?: string }) =>
      (await view.months({ ...query, from: '2026-01', to: '2026-01' })).map(
        ({ currency, totals }) => [currency, totals.revenue],
      );
    expect(await revenue({ tenantId: 1, sandbox: false })).toEqual([
      ['GBP', 1],
      ['JPY', 300],
    ]);
    expect(await revenue({ tenantId: 1, sandbox: true })).toEqual([['GBP', 2]]);
    expect(await revenue({ tenantId: 2, sandbox: false })).toEqual([['GBP', 4]]);
    expect(await revenue({ tenantId: 1, sandbox: false, currency: 'JPY' })).toEqual([['JPY', 300]]);
    expect(await revenue({ tenantId: 1, sandbox: false, currency: 'EUR' })).toEqual([]);
    expect(await revenue({ tenantId: 3, sandbox: false })).toEqual([]);
  });

  it('agrees with a recount of any histories, in any batches, live and rebuilt', {
    timeout: 60_000,
  }, async () => {
    const lives = fc.array(subscriptionHistory(20), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lives, fc.integer({ min: 1, max: 30 }), async (drawn, batch) => {
        // Few tenants and currencies, so that they meet in one month.
        const all = drawn.map((life, index) => alike(life, index));
        const there = world(await open());
        for (const { tenantId, subscriptionId, events } of all) {
          const stream = streamName('subscription', tenantId, subscriptionId);
          await append(there.events, { stream, tenantId }, events);
        }
        await there.catchUp({ maxBatchEvents: batch });
        await expectRecount(new RecurringView(there.store), all);
        const { events, store } = there;
        const options = { events, store, holder: 'rebuilder', now: () => Date.parse(NOW) };
        const rebuilt = await rebuild({ ...options, projection: recurring });
        expect(rebuilt).toMatchObject({ differences: [], parked: [] });
        await store.close();
      }),
      { numRuns: name === 'memory' ? 25 : 4 },
    );
  });
});

describe('recurring revenue', () => {
  it('is what the ledger posted to sales for rebills, month by month', SLOW, async () => {
    const here = world();
    const rebills: StreamName[] = [];
    for (const [number, currency] of ['GBP', 'GBP', 'JPY', 'KWD', 'GBP'].entries()) {
      const dates = { from: '2025-01-31T22:00:00.000Z', until: '2026-04-01T00:00:00.000Z' };
      const life = rebilledLife({ number, currency, ...dates });
      for (const [stream, events] of [life.subscription, ...life.rebills]) {
        await append(here.events, { stream }, events);
      }
      rebills.push(...life.rebills.map(([stream]) => stream));
    }
    await here.catchUp({ maxBatchEvents: 17 });
    const sales = await salesOf(here, rebills);
    expect(sales.size).toBeGreaterThan(30);
    const view = new RecurringView(here.store);
    const query = { tenantId: TENANT, sandbox: false, from: '2025-01', to: '2026-12' };
    const found = new Map<string, number>();
    for (const { currency, months } of await view.months(query)) {
      for (const { month, revenue } of months) {
        if (revenue !== 0) found.set(`${currency}/${month}`, nearestNumber(revenue));
      }
    }
    expect(found).toEqual(sales);
  });
});

/** What the ledger posted to sales for these payments, by currency and month. */
async function salesOf(
  here: World,
  payments: readonly StreamName[],
): Promise<ReadonlyMap<string, number>> {
  const minor = new Map<string, bigint>();
  for (const stream of payments) {
    for (const { at, lines } of await here.journal.entriesOf(stream, 10)) {
      for (const { account, currency, credit } of lines) {
        if (account !== 'sales') continue;
        const key = `${currency}/${at.slice(0, 7)}`;
        const posted = toMinor(credit, currency);
        if (posted._tag === 'Left') throw new Error(`${credit} ${currency} is no amount`);
        minor.set(key, (minor.get(key) ?? 0n) + posted.right);
      }
    }
  }
  return new Map([...minor].map(([key, sum]) => [key, toMajor(sum, key.slice(0, 3))]));
}

/** The same life under an id of its own, in one of few tenants and currencies: so that they meet. */
function alike(life: SubscriptionHistory, index: number): SubscriptionHistory {
  const subscriptionId = index + 1;
  const tenantId = tenant(1 + (index % 2));
  const currency = index % 3 === 0 ? 'JPY' : 'GBP';
  const events = life.events.map((event): Subscription.Event => {
    if (event.type === 'SubscriptionStarted') return { ...event, subscriptionId, currency };
    return 'currency' in event ? { ...event, currency } : event;
  });
  return { ...life, tenantId, subscriptionId, events };
}

/** Every figure of every month, counted from the states after each event. */
async function expectRecount(
  view: RecurringView,
  lives: readonly SubscriptionHistory[],
): Promise<void> {
  const instants = lives.flatMap(({ events }) => events.map(({ at }) => at)).toSorted();
  const [from = '', to = ''] = [instants[0]?.slice(0, 7), instants.at(-1)?.slice(0, 7)];
  for (const tenantId of [1, 2]) {
    for (const sandbox of [false, true]) {
      const found = await view.months({ tenantId, sandbox, from, to });
      const ours = lives.filter(
        (life) => life.tenantId === tenantId && isSandbox(life) === sandbox,
      );
      const currencies = new Set(ours.map(({ events }) => currencyOf(events)));
      expect(found.map(({ currency }) => currency)).toEqual([...currencies].toSorted());
      for (const { currency, months } of found) {
        const its = ours.filter(({ events }) => currencyOf(events) === currency);
        for (const month of months) expectMonth(month, its, currency);
      }
    }
  }
}

function isSandbox({ events }: SubscriptionHistory): boolean {
  return events[0] !== undefined && 'sandbox' in events[0] && events[0].sandbox;
}

function currencyOf([first]: readonly Subscription.Event[]): string {
  return first !== undefined && 'currency' in first ? first.currency : '';
}

/** By the plan as it was when a cycle was last paid. */
function monthlyAtEnd(events: readonly Subscription.Event[], month: string): bigint {
  const past = events.filter(({ at }) => at.slice(0, 7) <= month);
  const state = fold(Subscription, past);
  if (state === null || !Subscription.isActive(state) || Subscription.isFrozen(state)) return 0n;
  const paid = past.findLastIndex(
    (each) =>
      each.type === 'SubscriptionRenewed' ||
      (each.type === 'SubscriptionStarted' && each.trialDays === 0),
  );
  const then = fold(Subscription, past.slice(0, paid + 1));
  return then === null ? 0n : Subscription.monthlyMinor(then, then.rebillAmountMinor);
}

function expectMonth(
  shown: RecurringMonth,
  lives: readonly SubscriptionHistory[],
  currency: string,
): void {
  const { month } = shown;
  const within = (event: Subscription.Event) => event.at.slice(0, 7) === month;
  const count = (type: Subscription.Event['type']) =>
    lives.flatMap(({ events }) => events.filter((each) => each.type === type && within(each)))
      .length;
  const revenueMinor = lives
    .flatMap(({ events }) => events.filter(within))
    .reduce((sum, each) => sum + (each.type === 'SubscriptionRenewed' ? each.amountMinor : 0n), 0n);
  const at = (isPast: (day: string) => boolean) =>
    lives
      .map(({ events }) =>
        fold(
          Subscription,
          events.filter((each) => isPast(each.at.slice(0, 7))),
        ),
      )
      .filter((state) => state !== null)
      .filter(Subscription.isActive);
  const before = at((each) => each < month);
  const after = at((each) => each <= month);
  const left = count('SubscriptionUnsubscribed');
  const mrrMinor = lives.reduce((sum, { events }) => sum + monthlyAtEnd(events, month), 0n);
  expect(shown).toEqual({
    month,
    joined: count('SubscriptionStarted'),
    renewed: count('SubscriptionRenewed'),
    revenue: toMajor(revenueMinor, currency),
    frozen: count('SubscriptionFrozen'),
    unfrozen: count('SubscriptionUnfrozen'),
    left,
    activeAtStart: before.length,
    activeAtEnd: after.length,
    frozenAtEnd: after.filter(Subscription.isFrozen).length,
    mrrAtEnd: toMajor(mrrMinor, currency),
    churnRate: before.length === 0 ? null : left / before.length,
  });
}
