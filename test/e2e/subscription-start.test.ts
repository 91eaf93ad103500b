/** Subscriptions that start with a payment: requested over HTTP, started once by its capture. */
import { randomUUID } from 'node:crypto';
import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CARDS,
  type Caller,
  callerWith,
  card,
  eventually,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';
import { CLUB, eventsOf, startedBy, subscriptionOf } from './subscribers.ts';

const DAY_MS = 86_400_000;
const TENANT = 31;
const OTHER = 32;

let now = Date.parse('2026-02-01T12:00:00.000Z');
let running: Running;
let caller: Caller;

beforeAll(async () => {
  running = await startHost({
    env: { GATEWAY_TIMEOUT_MS: '500' },
    clock: { now: () => new Date(now).toISOString() },
  });
  caller = await openTenant(running, TENANT);
});
afterAll(async () => running.close());

const item = (subscription?: Json): Json => ({
  StorefrontVariantId: 1,
  StorefrontProductId: 1,
  Quantity: 1,
  UnitPrice: 100,
  ...(subscription !== undefined && { subscription }),
});

const started = (id: number) => subscriptionOf(running, TENANT, id);

describe('a payment with a subscription', () => {
  it('names it, and has started it when it is answered', async () => {
    const payment = await caller.paid({ subscription: CLUB, orderId: 4_711 });
    const [id = 0] = startedBy(payment);
    expect(payment).toMatchObject({
      status: 'Captured',
      subscriptionId: id,
      subscriptions: [{ id, ...CLUB, trialDays: 0, started: true }],
    });
    expect(await started(id)).toMatchObject({
      subscriptionId: id,
      sandbox: false,
      currency: 'GBP',
      email: 'customer@example.com',
      customerId: payment.customerId,
      orderId: 4_711,
      transactionId: payment.id,
      companyId: 5,
      merchantAccountId: payment.merchantAccountId,
      name: CLUB.name,
      description: CLUB.description,
      rebillAmountMinor: 1_995n,
      interval: 'day',
      intervalCount: 30,
      trialDays: 0,
      card: { last4: '4242' },
      rebillAt: new Date(now + 30 * DAY_MS).toISOString(),
    });
    const read = await caller.get('/v1/payments/{id}', { path: { id: payment.id } });
    expect(read.body.subscriptions).toEqual(payment.subscriptions);
  });

  it('starts after a trial', async () => {
    const payment = await caller.paid({ subscription: { ...CLUB, trialDays: 14 } });
    const trialEnd = new Date(now + 14 * DAY_MS).toISOString();
    const [id = 0] = startedBy(payment);
    expect(await started(id)).toMatchObject({ realStartAt: trialEnd, rebillAt: trialEnd });
  });

  it('may have one of an item beside it, and no third', async () => {
    const coffee = { ...CLUB, name: 'Coffee club', rebillAmount: 25, frequency: 7 };
    const items = [item(), item(coffee)];
    const payment = await caller.paid({ subscription: CLUB, items });
    expect(payment.subscriptions).toMatchObject([CLUB, coffee]);
    const [first = 0, second = 0] = startedBy(payment);
    expect(second).not.toBe(first);
    expect(payment.subscriptionId).toBe(first);
    expect(await started(second)).toMatchObject({ name: 'Coffee club', intervalCount: 7 });
    const third = await caller.pay({ subscription: CLUB, items: [...items, item(CLUB)] });
    expectRefusal(third, 400, 'invalid_request');
    expect(third.body.errors).toEqual([
      { in: 'body', pointer: '/items/2/subscription', detail: expect.stringContaining('2') },
    ]);
  });

  it('works through card submit as well', async () => {
    const body = { amount: 100, currency: 'GBP', card: card(), email: 'ada@example.com' };
    const answer = await caller.post('/v1/card/submit', { body: { ...body, subscription: CLUB } });
    expect(answer.status, answer.text).toBe(201);
    const [id = 0] = startedBy(answer.body);
    expect(await started(id)).toMatchObject({ email: 'ada@example.com' });
  });

  it('starts it also where the order calls itself a rebill', async () => {
    const payment = await caller.paid({ subscription: CLUB, applicationId: 3 });
    const [id = 0] = startedBy(payment);
    expect(await started(id)).toMatchObject({ transactionId: payment.id, cycle: 2 });
  });

  it('of a test key is one of the sandbox', async () => {
    const test = await callerWith(running, TENANT, { environment: 'test' });
    const [id = 0] = startedBy(await test.paid({ subscription: CLUB }));
    expect(await started(id)).toMatchObject({ sandbox: true });
  });

  it('has an id of its tenant alone', async () => {
    const other = await openTenant(running, OTHER);
    const [id = 0] = startedBy(await other.paid({ subscription: CLUB }));
    expect(await subscriptionOf(running, OTHER, id)).not.toBeNull();
    const [mine = 0] = startedBy(await caller.paid({ subscription: CLUB }));
    expect(await subscriptionOf(running, OTHER, mine)).toBeNull();
  });
});

describe('a subscription begins with the capture', () => {
  it('of an authorization, and not before', async () => {
    const authorized = await caller.paid({ capture: false, subscription: CLUB });
    const [id = 0] = startedBy(authorized);
    expect(authorized.subscriptions).toMatchObject([{ id, started: false }]);
    expect(await started(id)).toBeNull();
    expectRefusal(await caller.get('/v1/subscriptions/{id}', { path: { id } }), 404, 'not_found');
    now += DAY_MS;
    const captured = await caller.post('/v1/payments/{id}/capture', {
      path: { id: authorized.id },
      body: { amount: 60 },
    });
    expect(captured.body.subscriptions).toMatchObject([{ id, started: true }]);
    expect(await started(id)).toMatchObject({ startedAt: new Date(now).toISOString() });
  });

  it('of a payment that was confirmed', async () => {
    const waiting = await caller.paid({ card: card(CARDS.actionApprove), subscription: CLUB });
    const [id = 0] = startedBy(waiting);
    expect(waiting.status).toBe('RequiresAction');
    expect(await started(id)).toBeNull();
    await caller.post('/v1/payments/{id}/confirm', { path: { id: waiting.id }, body: {} });
    expect(await started(id)).not.toBeNull();
  });

  it.each([
    ['declined', CARDS.doNotHonour],
    ['declined for good', CARDS.stolen],
    ['failed', CARDS.processingError],
  ])('which one that is %s never has', async (_what, number) => {
    const answer = await caller.pay({ card: card(number), subscription: CLUB });
    expect(answer.status).toBe(402);
    expect(answer.body.subscriptions).toMatchObject([{ ...CLUB, started: false }]);
    expect(await started(startedBy(answer.body)[0] ?? 0)).toBeNull();
  });

  it('of a charge whose answer came late, found by asking the gateway', async () => {
    const unknown = await caller.pay({ card: card(CARDS.timeoutApprove), subscription: CLUB });
    expect(unknown.status).toBe(202);
    const [id = 0] = startedBy(unknown.body);
    expect(await started(id)).toBeNull();
    now += DAY_MS;
    expect(
      await eventually(
        () => started(id),
        (subscription) => subscription !== null,
      ),
    ).toMatchObject({ transactionId: unknown.body.id, unsubscribedAt: null });
  });

  it('neither has one that is voided before', async () => {
    const authorized = await caller.paid({ capture: false, subscription: CLUB });
    await caller.post('/v1/payments/{id}/void', { path: { id: authorized.id }, body: {} });
    expect(await started(startedBy(authorized)[0] ?? 0)).toBeNull();
  });
});

describe('asked for again under its key', () => {
  it('a payment has the subscriptions of the first time', async () => {
    const headers = { 'Idempotency-Key': 'start-1' };
    const first = await caller.pay({ subscription: CLUB }, headers);
    const again = await caller.pay({ subscription: CLUB }, headers);
    expect(again.body).toEqual(first.body);
    now += 2 * DAY_MS;
    // The stored response is lost; payment and subscription stay the same.
    const later = await caller.pay({ subscription: CLUB }, headers);
    expect(later.body.id).toBe(first.body.id);
    expect(later.body.subscriptions).toEqual(first.body.subscriptions);
    const [id = 0] = startedBy(first.body);
    expect(await eventsOf(running, TENANT, id)).toEqual({ SubscriptionStarted: 1 });
  });

  it('with another plan is another request', async () => {
    const headers = { 'Idempotency-Key': 'start-2' };
    await caller.pay({ subscription: CLUB }, headers);
    now += 2 * DAY_MS;
    const other = await caller.pay({ subscription: { ...CLUB, frequency: 31 } }, headers);
    expectRefusal(other, 422, 'idempotency_key_reused');
  });
});

/** By the calendar, instead of the frequency. */
const BY = { frequency: undefined, interval: 'month', intervalCount: 2 };

describe('a plan', () => {
  it.each<[string, Json, string]>([
    ['no name', { name: undefined }, '/subscription/name'],
    ['an empty name', { name: '' }, '/subscription/name'],
    ['a long name', { name: 'x'.repeat(201) }, '/subscription/name'],
    ['a name of two lines', { name: 'Tea\nclub' }, '/subscription/name'],
    ['a long description', { description: 'x'.repeat(501) }, '/subscription/description'],
    ['no amount', { rebillAmount: undefined }, '/subscription/rebillAmount'],
    ['nothing to pay', { rebillAmount: 0 }, '/subscription/rebillAmount'],
    ['less than nothing', { rebillAmount: -1 }, '/subscription/rebillAmount'],
    ['an amount in text', { rebillAmount: '10' }, '/subscription/rebillAmount'],
    ['no frequency', { frequency: undefined }, '/subscription/frequency'],
    ['a frequency of 0', { frequency: 0 }, '/subscription/frequency'],
    ['a frequency of 3651', { frequency: 3_651 }, '/subscription/frequency'],
    ['half a day', { frequency: 1.5 }, '/subscription/frequency'],
    ['a frequency and an interval', { interval: 'month' }, '/subscription/interval'],
    ['an unknown interval', { ...BY, interval: 'fortnight' }, '/subscription/interval'],
    ['a count of nothing', { ...BY, interval: undefined }, '/subscription/intervalCount'],
    ['a count of 0', { ...BY, intervalCount: 0 }, '/subscription/intervalCount'],
    ['121 months', { ...BY, intervalCount: 121 }, '/subscription/intervalCount'],
    ['11 years', { ...BY, interval: 'year', intervalCount: 11 }, '/subscription/intervalCount'],
    ['a negative trial', { trialDays: -1 }, '/subscription/trialDays'],
    ['a trial of 3651', { trialDays: 3_651 }, '/subscription/trialDays'],
  ])('with %s is refused', async (_what, changes, pointer) => {
    const answer = await caller.pay({ subscription: { ...CLUB, ...changes } });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors).toMatchObject([{ pointer }]);
  });

  it('with more decimals than its currency is refused at its place', async () => {
    const finer = { ...CLUB, rebillAmount: 0.001 };
    const alone = await caller.pay({ subscription: finer });
    expectRefusal(alone, 400, 'amount_precision');
    expect(alone.body.errors).toMatchObject([{ pointer: '/subscription/rebillAmount' }]);
    const ofItem = await caller.pay({ items: [item(), item(finer)] });
    expectRefusal(ofItem, 400, 'amount_precision');
    expect(ofItem.body.errors).toMatchObject([{ pointer: '/items/1/subscription/rebillAmount' }]);
  });

  it.each([1, 'club', []])('%j is none', async (subscription) => {
    expectRefusal(await caller.pay({ subscription }), 400, 'invalid_request');
  });

  it('may be as long as it may be', async () => {
    const longest = { ...CLUB, name: 'x'.repeat(200), frequency: 3_650, trialDays: 3_650 };
    const [id = 0] = startedBy(await caller.paid({ subscription: longest }));
    expect(await started(id)).toMatchObject({ intervalCount: 3_650, trialDays: 3_650 });
  });

  it('by the calendar shows its interval, and the days of its present cycle', async () => {
    now = Date.parse('2031-12-31T10:00:00.000Z');
    const payment = await caller.paid({ subscription: { ...CLUB, ...BY } });
    const [id = 0] = startedBy(payment);
    expect(payment['subscriptions']).toMatchObject([
      { id, frequency: 60, interval: 'month', intervalCount: 2 },
    ]);
    const { body } = await caller.get('/v1/subscriptions/{id}', { path: { id } });
    expect(body).toMatchObject({ frequency: 60, interval: 'month', intervalCount: 2 });
    expect(body.rebillDate).toBe('2032-02-29T10:00:00.000Z');
    const changed = await caller.post('/v1/subscriptions/{id}/plan', {
      path: { id },
      body: { interval: 'year' },
    });
    expect(changed.body).toMatchObject({ interval: 'year', intervalCount: 1 });
    const { body: schedule } = await caller.get('/v1/subscriptions/{id}/schedule', {
      path: { id },
      query: { count: 2 },
    });
    const dates = schedule.charges.map(({ date }: Json) => date);
    expect(dates).toEqual(['2032-02-29T10:00:00.000Z', '2033-02-28T10:00:00.000Z']);
    const both = await caller.post('/v1/subscriptions/{id}/plan', {
      path: { id },
      body: { ...BY, frequency: 7 } as Json,
    });
    expectRefusal(both, 400, 'invalid_request');
  });

  it('must not hold the number of the card', async () => {
    const answer = await caller.post('/v1/payments', {
      body: {
        amount: 1,
        currency: 'GBP',
        email: 'a@example.com',
        card: card(),
        subscription: { ...CLUB, description: CARDS.approve },
      },
    });
    expectRefusal(answer, 400, 'card_invalid');
  });
});

describe('a dispute', () => {
  it('by chargeback ends what the payment started', async () => {
    const items = [item(CLUB)];
    const payment = await caller.paid({
      card: card(CARDS.chargeback),
      subscription: CLUB,
      items,
    });
    for (const id of startedBy(payment)) {
      expect(await ended(id)).toMatchObject({ unsubscribeReason: 'chargeback', rebillAt: null });
    }
  });

  it('by an alert ends it only when the fraud is confirmed', async () => {
    const payment = await caller.paid({ subscription: CLUB });
    const [id = 0] = startedBy(payment);
    await alert(payment.id, 'EarlyFraudWarning');
    await alert(payment.id, 'ConfirmedFraud');
    expect(await ended(id)).toMatchObject({ unsubscribeReason: 'confirmed-fraud' });
    const counts = await eventsOf(running, TENANT, id);
    expect(counts).toEqual({ SubscriptionStarted: 1, SubscriptionUnsubscribed: 1 });
  });

  it('ends nothing where the tenant disabled that', async () => {
    const keeping = await openTenant(running, 33, { settings: { unsubscribeOnDispute: false } });
    const payment = await keeping.paid({ card: card(CARDS.chargeback), subscription: CLUB });
    await eventually(
      () => keeping.transaction(payment.id),
      ({ chargedBack }) => chargedBack,
    );
    const [id = 0] = startedBy(payment);
    expect(await subscriptionOf(running, 33, id)).toMatchObject({ unsubscribedAt: null });
  });
});

/** A subscription once it has ended. */
async function ended(id: number) {
  return eventually(
    () => started(id),
    (subscription) => subscription !== null && subscription.unsubscribedAt !== null,
  );
}

/** An alert as a provider sends it. */
async function alert(
  transactionId: string,
  alertType: 'EarlyFraudWarning' | 'ConfirmedFraud',
): Promise<void> {
  await running.host.commands.execute(
    Transaction,
    {
      type: 'ReceiveAlert',
      tenantId: TENANT as TenantId,
      transactionId: transactionId as TransactionId,
      alertId: randomUUID() as TransactionId,
      reference: alertType,
      source: 'CDRN',
      alertType,
      amountMinor: 100n,
      arn: '',
      note: '',
      at: new Date(now).toISOString(),
    },
    { commandId: randomUUID() },
    { actor: 'provider' },
  );
}
