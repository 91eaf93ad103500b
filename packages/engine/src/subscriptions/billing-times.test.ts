/** A long move of the test clock in one go: every rebill carries the time at which it was due. */
import { type Event, journal, Subscription, type TenantId, Transaction } from '@counterfoil/core';
import { expect, it, onTestFinished } from 'vitest';
import { settingsOf } from '../ledger-options.ts';
import { silentLogger } from '../logger.ts';
import { type Engine, openEngine } from '../open-engine.ts';
import { openTestClock } from '../runtime/clock.ts';
import type { TenantLedger } from '../tenant-ledger.ts';

const TENANT = 1 as TenantId;
const OPERATOR = { actor: 'operator' };
const BEGIN = '2027-01-31T10:00:00.000Z';
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

const APPROVE = '4242424242424242';
const DECLINE = '4000000000000002';
const TIMEOUT_THEN_APPROVED = '4000000000040818';
const PLAN = { name: 'Tea club', rebillAmount: '9.99' } as const;

type Plan = NonNullable<Parameters<TenantLedger['payments']['submit']>[0]['plans']>[number];

/** On a machine that is busy with other things. */
const SLOW = { timeout: 60_000 };

class Shop {
  readonly engine: Engine;
  readonly #ledger: TenantLedger;
  #members = 0;

  private constructor(engine: Engine) {
    this.engine = engine;
    this.#ledger = engine.ledgers.as({ tenantId: TENANT, actor: 'shop' });
  }

  static async opened(): Promise<Shop> {
    // A system clock that stands still: only moves pass time.
    const clock = openTestClock({ systemNow: () => Date.parse(BEGIN) });
    const settings = {
      ...settingsOf({ storage: 'memory:' }),
      testClock: true,
      gatewayTimeoutMs: 50,
    };
    const engine = await openEngine(settings, { logger: silentLogger, clock });
    onTestFinished(() => engine.close());
    await engine.started();
    await engine.tenants.onboard(TENANT, { name: 'Tenant' }, OPERATOR);
    const company = { type: 'DefineCompany', tenantId: TENANT, companyId: 1, name: 'Tea' } as const;
    await engine.tenants.define({ ...company, at: BEGIN }, OPERATOR);
    const gatewayCredentials = { apiKey: '', username: '', password: '', emailAddress: '' };
    const settingsOfAccount = {
      mid: '7011',
      title: 'Main',
      companyId: 1,
      gatewayId: 1,
      descriptor: 'TEA',
      defaultCurrency: 'GBP',
      currencies: [{ currency: 'GBP', gatewayCredentials }],
      reservePercentage: 10,
    };
    await engine.merchantAccounts.openOnce(TENANT, 1, settingsOfAccount, OPERATOR);
    return new Shop(engine);
  }

  /** Joins with a card that is approved, and bills `number` from then on. */
  async joins(plan: Plan, number = APPROVE): Promise<number> {
    this.#members += 1;
    const email = `member-${this.#members}@shop.example`;
    const card = (digits: string) => ({ number: digits, expMonth: 12, expYear: 2040, cvv: '123' });
    const order = { amount: '9.99', currency: 'GBP', email, card: card(APPROVE), plans: [plan] };
    const { customerId } = await this.#ledger.payments.submit(order);
    const page = await this.#ledger.subscriptions.ofCustomer(customerId, { limit: 1 });
    const id = page.subscriptions[0]?.subscriptionId ?? 0;
    if (number !== APPROVE) await this.#ledger.subscriptions.changeCard(id, { card: card(number) });
    return id;
  }

  async moves(byMs: number): Promise<void> {
    const { unfinished } = (await this.engine.testClock?.move({ byMs })) ?? {};
    expect(unfinished).toEqual([]);
  }

  subscription(id: number): Promise<Subscription.Subscription> {
    return this.#ledger.subscriptions.get(id);
  }

  async streams(): Promise<Map<string, Event[]>> {
    const streams = new Map<string, Event[]>();
    for await (const batch of this.engine.stores.events.subscribe({ untilHead: true })) {
      for (const stored of batch) {
        const event = (await this.engine.commands.eventOf(stored)) as Event;
        streams.set(stored.stream, [...(streams.get(stored.stream) ?? []), event]);
      }
    }
    return streams;
  }
}

const timeOf = (event: Event): string => ('at' in event ? event.at : '');

/** The tries of a subscription: when each was begun, with the events of its payment. */
async function triesOf(shop: Shop, id: number) {
  const streams = await shop.streams();
  const own = streams.get(Subscription.streamOf({ tenantId: TENANT, subscriptionId: id })) ?? [];
  const begun = own.filter((event) => event.type === 'RebillDue');
  return begun.map(({ transactionId, at, cycle, attempt }) => {
    const stream = Transaction.streamOf({ tenantId: TENANT, transactionId });
    const payment = streams.get(stream) ?? [];
    const outcome = own.find(
      (event) =>
        (event.type === 'SubscriptionRenewed' || event.type === 'RebillFailed') &&
        event.cycle === cycle &&
        event.attempt === attempt,
    );
    return { at, payment, outcome };
  });
}

it('bills a year of every kind of plan, each charge at its own due time', SLOW, async () => {
  const shop = await Shop.opened();
  const monthly = await shop.joins({ ...PLAN, interval: 'month' });
  await shop.moves(5_432_100);
  const often = await shop.joins({ ...PLAN, frequencyDays: 5 });
  await shop.moves(1_234_567);
  const joinedAt = shop.engine.clock.now();
  const trial = await shop.joins({ ...PLAN, interval: 'week', intervalCount: 2, trialDays: 10 });
  const declined = await shop.joins({ ...PLAN, frequencyDays: 30 }, DECLINE);
  const late = await shop.joins(
    { ...PLAN, interval: 'month', intervalCount: 2 },
    TIMEOUT_THEN_APPROVED,
  );
  await shop.moves(YEAR_MS + 3_600_000);

  const after = (...days: number[]) => days.map((day) => Subscription.later(joinedAt, day));
  const timesOf = async (id: number) => (await triesOf(shop, id)).map(({ at }) => at);
  expect(await timesOf(monthly)).toEqual(
    [
      ...['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31', '2027-06-30', '2027-07-31'],
      ...['2027-08-31', '2027-09-30', '2027-10-31', '2027-11-30', '2027-12-31', '2028-01-31'],
    ].map((day) => `${day}T10:00:00.000Z`),
  );
  const { startedAt } = await shop.subscription(often);
  expect(await timesOf(often)).toEqual(
    Array.from({ length: 73 }, (_, index) => Subscription.later(startedAt, 5 * (index + 1))),
  );
  expect(await timesOf(trial)).toEqual(
    after(...Array.from({ length: 26 }, (_, index) => 10 + 14 * index)),
  );
  expect(await timesOf(declined)).toEqual(after(30, 31, 33, 35, 37));
  expect((await shop.subscription(declined)).frozenAt).toBe(after(37)[0]);
  expect((await timesOf(late)).map((at) => at.slice(5, 10))).toEqual([
    '03-31',
    '05-31',
    '07-31',
    '09-30',
    '11-30',
    '01-31',
  ]);

  for (const id of [monthly, often, trial, declined]) {
    for (const { at, payment, outcome } of await triesOf(shop, id)) {
      const { events, released } = withoutReserve(payment);
      expect(new Set(events.map(timeOf))).toEqual(new Set([at]));
      expect(outcome?.at).toBe(at);
      expect(released.every((time) => time === Subscription.later(at, 180))).toBe(true);
    }
  }
  // The answer is asked for five seconds after it was lost.
  for (const { at, payment, outcome } of await triesOf(shop, late)) {
    const captured = payment.find(({ type }) => type === 'PaymentCaptured');
    const askedAt = new Date(Date.parse(at) + 5_000).toISOString();
    expect([captured && timeOf(captured), outcome?.at]).toEqual([askedAt, askedAt]);
    expect(captured && journal(captured)?.at).toBe(askedAt);
  }
});

/** The reserve of a rebill is released after its own time. */
function withoutReserve(payment: readonly Event[]) {
  const isRelease = ({ type }: Event) => type === 'ReserveReleased';
  return {
    events: payment.filter((event) => !isRelease(event)),
    released: payment.filter(isRelease).map(timeOf),
  };
}
