/** Subscriptions over HTTP: one by itself, its schedule, all, those of a customer, and those of a transaction. */
import type { TenantId, TransactionId } from '@counterfoil/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, present } from './api.ts';
import { expectFields, SUBSCRIPTION } from './record-fields.ts';
import {
  CALLER,
  type Caller,
  callerWith,
  expectRefusal,
  type Json,
  openAccount,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';
import { CLUB, happensTo, startedBy } from './subscribers.ts';

const DAY_MS = 86_400_000;
const TENANT = 41;
const OTHER = 42;
const START = Date.parse('2026-02-01T12:00:00.000Z');
const TRY = '0195a000-0000-7000-8000-0000000000e1' as TransactionId;

let now = START;
let running: Running;
let caller: Caller;
let stranger: Caller;
let tester: Caller;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
  caller = await openTenant(running, TENANT);
  stranger = await openTenant(running, OTHER);
  tester = await callerWith(running, TENANT, { environment: 'test' });
  // Only what a test requests is billed.
  await running.host.timed.stop();
});
afterAll(async () => running.close());

const day = (days: number) => new Date(START + days * DAY_MS).toISOString();
const at = () => new Date(now).toISOString();

let emails = 0;
/** A payment of a new customer that starts a subscription. */
async function subscribed(plan: Json = {}, changes: Json = {}, by = caller): Promise<Json> {
  emails += 1;
  const email = `subscriber-${emails}@example.com`;
  const payment = await by.paid({ email, subscription: { ...CLUB, ...plan }, ...changes });
  return { ...payment, subscriptionId: startedBy(payment)[0] };
}

function happens(subscriptionId: number, act: Parameters<typeof happensTo>[2]): Promise<void> {
  return happensTo(running, { tenantId: TENANT, subscriptionId }, act);
}

async function read(id: number): Promise<Json> {
  const { status, text, body } = await caller.get('/v1/subscriptions/{id}', { path: { id } });
  expect(status, text).toBe(200);
  return body;
}

describe('a subscription', () => {
  it('has every field of the contract, and what the contract leaves out', async () => {
    const payment = await subscribed({}, { orderId: 4_711 });
    const { subscriptionId: id, customerId } = payment;
    const body = await read(id);
    expectFields(body, SUBSCRIPTION);
    expect(body).toEqual({
      success: true,
      message: '',
      parentCompanyId: TENANT,
      companyId: 5,
      company: 'Crockery Ltd',
      id,
      customerID: customerId,
      subDate: at(),
      orderId: 4_711,
      active: true,
      unsubDate: null,
      subscription: 'Tea club',
      subscriptionDescription: 'A tin of tea every month',
      realStartDate: at(),
      rebillAmount: 19.95,
      frequency: 30,
      interval: 'day',
      intervalCount: 30,
      merchantAccountId: 411,
      midName: 'Account 411',
      mid: '7000000411',
      frozen: false,
      rebillDate: day(30),
      sandbox: false,
      currency: 'GBP',
      trialDays: 0,
      messageID: payment.id,
      cycle: 2,
      attempt: 0,
      totalAttempt: 1,
      pendingMessageID: null,
      frozenDate: null,
      freezeReason: null,
      unsubscribeReason: null,
      updatedAt: at(),
    });
  });

  it('follows its events', async () => {
    const { subscriptionId: id } = await subscribed();
    const tried = { cycle: 2, attempt: 1, transactionId: TRY };
    now = START + 30 * DAY_MS;
    await happens(id, { type: 'BeginRebill', ...tried });
    expect(await read(id)).toMatchObject({
      cycle: 2,
      attempt: 1,
      totalAttempt: 2,
      pendingMessageID: TRY,
      rebillDate: day(30),
      updatedAt: day(30),
    });
    await happens(id, { type: 'RecordRenewal', ...tried, amountMinor: 1_995n });
    expect(await read(id)).toMatchObject({
      cycle: 3,
      attempt: 0,
      totalAttempt: 2,
      pendingMessageID: null,
      rebillDate: day(60),
    });
    await happens(id, { type: 'Freeze', note: 'asked for a pause' });
    expect(await read(id)).toMatchObject({
      active: true,
      frozen: true,
      frozenDate: day(30),
      freezeReason: 'admin',
      rebillDate: null,
    });
    await happens(id, {
      type: 'Unsubscribe',
      reason: 'customer-service',
      requestedBy: CALLER.actor,
      notifyCustomer: false,
    });
    expect(await read(id)).toMatchObject({
      active: false,
      unsubDate: day(30),
      unsubscribeReason: 'customer-service',
      rebillDate: null,
    });
    now = START;
  });

  it('names company and account as they are called now', async () => {
    const { subscriptionId } = await subscribed();
    const { tenants, readSide } = running.host;
    const tenantId = TENANT as TenantId;
    const renamed = { type: 'DefineCompany', companyId: 5, name: 'Pots Ltd' } as const;
    await tenants.define({ ...renamed, tenantId, at: at() }, CALLER);
    await readSide.caughtUp(TENANT);
    expect(await read(subscriptionId)).toMatchObject({ company: 'Pots Ltd' });
    await tenants.define({ ...renamed, name: 'Crockery Ltd', tenantId, at: at() }, CALLER);
  });

  it('is not found without access', async () => {
    const { subscriptionId: id } = await subscribed();
    const nobodys = await caller.get('/v1/subscriptions/{id}', { path: { id: 999 } });
    expectRefusal(nobodys, 404, 'not_found');
    for (const other of [stranger, tester]) {
      for (const path of ['/v1/subscriptions/{id}', '/v1/subscriptions/{id}/schedule'] as const) {
        const answer = await other.get(path, { path: { id } });
        expectRefusal(answer, 404, 'not_found');
        expect(answer.body.message).toBe(nobodys.body.message);
      }
    }
    const scopes = ['payments:read', 'customers:read'];
    const limited = await callerWith(running, TENANT, { scopes });
    expectRefusal(
      await limited.get('/v1/subscriptions/{id}', { path: { id } }),
      403,
      'insufficient_scope',
    );
  });

  it('of the sandbox is seen by both keys', async () => {
    const { subscriptionId: id } = await subscribed({}, {}, tester);
    expect((await tester.get('/v1/subscriptions/{id}', { path: { id } })).body).toMatchObject({
      sandbox: true,
    });
    expect(await read(id)).toMatchObject({ id, sandbox: true });
  });

  it.each(['0', '-1', '1.5', 'x', '99999999999999999', '%00'])('has no id %s', async (id) => {
    expectRefusal(await caller.wire.get(`/v1/subscriptions/${id}`), 400);
    expectRefusal(await caller.wire.get(`/v1/subscriptions/${id}/schedule`), 400);
    expectRefusal(await caller.wire.get(`/customers/${id}/subscriptions`), 400);
  });
});

describe('the schedule', () => {
  async function scheduleOf(id: number, query = {}) {
    const { status, text, body } = await caller.get('/v1/subscriptions/{id}/schedule', {
      path: { id },
      query,
    });
    expect(status, text).toBe(200);
    return body;
  }

  it('says what will be charged, and what a decline leads to', async () => {
    const { subscriptionId: id } = await subscribed();
    const body = await scheduleOf(id, { count: 3 });
    expect(body).toMatchObject({ success: true, id, currency: 'GBP' });
    expect(body.charges).toEqual([
      { date: day(30), paymentNumber: 2, attempt: 1, amount: 19.95 },
      { date: day(60), paymentNumber: 3, attempt: 1, amount: 19.95 },
      { date: day(90), paymentNumber: 4, attempt: 1, amount: 19.95 },
    ]);
    const retry = { action: 'retry', mail: 'rebill-failed' };
    expect(body.ifDeclined).toEqual([
      { date: day(30), attempt: 1, ...retry, retryDate: day(31) },
      { date: day(31), attempt: 2, ...retry, retryDate: day(33) },
      { date: day(33), attempt: 3, ...retry, retryDate: day(35) },
      { date: day(35), attempt: 4, ...retry, retryDate: day(37) },
      { date: day(37), attempt: 5, action: 'freeze', mail: 'frozen', retryDate: null },
    ]);
    expect((await scheduleOf(id)).charges).toHaveLength(12);
    expect((await scheduleOf(id, { count: 36 })).charges).toHaveLength(36);
  });

  it.each(['count=0', 'count=37', 'count=x', 'count=1.5', 'count=1&count=2'])(
    'is refused with %s',
    async (query) => {
      const { subscriptionId: id } = await subscribed();
      const answer = await caller.wire.get(`/v1/subscriptions/${id}/schedule?${query}`);
      expectRefusal(answer, 400, 'invalid_request');
      expect(answer.body.errors[0].pointer).toBe('/query/count');
    },
  );
});

describe('the subscriptions of a customer', () => {
  const listed = ({ body }: { body: Json }) => body.subscriptions.map(({ id }: Json) => id);

  it('are the contract’s records, the newest first, page by page', async () => {
    const email = 'member@example.com';
    const ids: number[] = [];
    let customerId = 0;
    for (let index = 0; index < 5; index += 1) {
      const payment = await subscribed({ name: `Club ${index}` }, { email });
      ids.unshift(payment.subscriptionId);
      customerId = payment.customerId;
    }
    await happens(ids[1] ?? 0, {
      type: 'Unsubscribe',
      reason: 'customer-service',
      requestedBy: CALLER.actor,
      notifyCustomer: false,
    });
    const one = { path: { id: customerId } };
    const { status, body } = await caller.get('/customers/{id}/subscriptions', one);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, hasMore: false, nextCursor: null });
    expect(listed({ body })).toEqual(ids);
    for (const record of body.subscriptions) {
      expectFields(record, SUBSCRIPTION);
      expect(Object.keys(record).sort()).toEqual(Object.keys(SUBSCRIPTION).sort());
    }
    expect(body.subscriptions[0]).toMatchObject({ subscription: 'Club 4', active: true });
    expect(body.subscriptions[1]).toMatchObject({ active: false, rebillDate: null });

    const pages: number[][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = { limit: 2, ...(cursor !== '' && { cursor }) };
      const page: Answer = await caller.get('/customers/{id}/subscriptions', { ...one, query });
      pages.push(listed(page));
      expect(page.body.hasMore).toBe(page.body.nextCursor !== null);
      cursor = page.body.nextCursor;
    }
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  });

  it('are empty for a customer without any, and refused for an unknown one', async () => {
    const { body } = await caller.post('/customers', { body: { email: 'grace@example.com' } });
    const answer = await caller.get('/customers/{id}/subscriptions', { path: { id: body.id } });
    expect(answer.body).toEqual({
      success: true,
      subscriptions: [],
      hasMore: false,
      nextCursor: null,
    });
    const unknown = await caller.get('/customers/{id}/subscriptions', { path: { id: 999 } });
    expectRefusal(unknown, 404, 'not_found');
    const others = await stranger.get('/customers/{id}/subscriptions', { path: { id: body.id } });
    expectRefusal(others, 404, 'not_found');
    expect(others.body.message).toBe(unknown.body.message);
  });

  it('keep to their environment', async () => {
    const { customerId, subscriptionId: id } = await subscribed({}, {}, tester);
    const ask = (by: Caller, query = {}) =>
      by.get('/customers/{id}/subscriptions', { path: { id: customerId }, query });
    expect(listed(await ask(tester))).toEqual([id]);
    expect(listed(await ask(caller, { sandbox: true }))).toEqual([id]);
    expectRefusal(await ask(caller), 404, 'not_found');
    expectRefusal(await ask(tester, { sandbox: false }), 403, 'live_data_forbidden');
  });

  it.each(['cursor=nonsense', 'cursor=IjEi', 'limit=0', 'limit=101', 'sandbox=maybe'])(
    'are refused with %s',
    async (query) => {
      const { customerId } = await subscribed();
      const answer = await caller.wire.get(`/customers/${customerId}/subscriptions?${query}`);
      expectRefusal(answer, 400, 'invalid_request');
    },
  );

  it('need UserEmail', async () => {
    const { customerId } = await subscribed();
    const answer = await caller.get('/customers/{id}/subscriptions', {
      path: { id: customerId },
      headers: { UserEmail: undefined },
    });
    expectRefusal(answer, 400, 'user_email_required');
  });
});

describe('the list of subscriptions', () => {
  const idsOf = ({ body }: { body: Json }) => body.subscriptions.map(({ id }: Json) => id);
  const list = (by: Caller, query = {}) => by.get('/v1/subscriptions', { query });

  const AT_ANOTHER = 71;
  /** Nothing else of the tests is billed at this account: lists of it are those of these alone. */
  const ours = { merchantAccountId: AT_ANOTHER };
  let made: readonly [active: number, frozen: number, ended: number];

  beforeAll(async () => {
    await openAccount(running, TENANT, AT_ANOTHER);
    const [active, frozen, ended] = [
      await subscribed({ name: 'Active' }, ours),
      await subscribed({ name: 'Frozen' }, ours),
      await subscribed({ name: 'Ended' }, ours),
    ];
    made = [active.subscriptionId, frozen.subscriptionId, ended.subscriptionId];
    const ending = {
      type: 'Unsubscribe',
      reason: 'customer-service',
      requestedBy: CALLER.actor,
      notifyCustomer: false,
    } as const;
    await happens(made[1], { type: 'Freeze', note: 'asked for a pause' });
    await happens(made[2], ending);
  });

  it('is of the contract’s records, the newest first, page by page', async () => {
    const newestFirst = made.toReversed();
    const { status, body } = await list(caller, ours);
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, hasMore: false, nextCursor: null });
    expect(idsOf({ body })).toEqual(newestFirst);
    for (const record of body.subscriptions) {
      expect(Object.keys(record).sort()).toEqual(Object.keys(SUBSCRIPTION).sort());
      expect(await read(record.id)).toMatchObject(record);
    }
    const first = await list(caller, { ...ours, limit: 2 });
    expect(idsOf(first)).toEqual(newestFirst.slice(0, 2));
    const { hasMore, nextCursor: cursor } = first.body;
    expect(hasMore).toBe(true);
    const second = await list(caller, { ...ours, limit: 2, cursor });
    expect(idsOf(second)).toEqual(newestFirst.slice(2));
    expect(second.body).toMatchObject({ hasMore: false, nextCursor: null });
    // A cursor is a place in the order, whatever the list was narrowed by.
    expect(idsOf(await list(caller, { ...ours, status: 'active', cursor }))).toEqual([made[0]]);
    expect(idsOf(await list(caller))).toEqual(expect.arrayContaining(newestFirst));
  });

  it.each([
    ['active', 0],
    ['frozen', 1],
    ['ended', 2],
  ] as const)('has those alone that are %s', async (status, index) => {
    expect(idsOf(await list(caller, { ...ours, status }))).toEqual([made[index]]);
    const found = await list(caller, { status });
    expect(idsOf(found)).toContain(made[index]);
    const shown = {
      active: { active: true, frozen: false },
      frozen: { active: true, frozen: true },
    };
    const { [status]: as } = { ...shown, ended: { active: false } };
    for (const each of found.body.subscriptions) expect(each).toMatchObject(as);
  });

  it('shows one’s own changes', async () => {
    const { subscriptionId: id } = await subscribed();
    expect(idsOf(await list(caller, { limit: 1 }))).toEqual([id]);
    await caller.post('/v1/subscriptions/{id}/freeze', { path: { id } });
    expect(idsOf(await list(caller, { status: 'frozen', limit: 1 }))).toEqual([id]);
    expect(idsOf(await list(caller, { status: 'active' }))).not.toContain(id);
  });

  it('keeps to its environment', async () => {
    const { subscriptionId: id } = await subscribed({}, {}, tester);
    expect(idsOf(await list(tester, { limit: 1 }))).toEqual([id]);
    expect(idsOf(await list(caller, { sandbox: true, limit: 1 }))).toEqual([id]);
    expect(idsOf(await list(caller))).not.toContain(id);
    expect(idsOf(await list(tester))).not.toContain(made[0]);
    expectRefusal(await list(tester, { sandbox: false }), 403, 'live_data_forbidden');
  });

  it('has nothing of another tenant, by a cursor of theirs neither', async () => {
    const { body } = await list(caller, { limit: 1 });
    const { nextCursor: cursor } = body;
    expect(cursor).not.toBeNull();
    for (const query of [{}, { cursor }, ours]) {
      expect((await list(stranger, query)).body).toMatchObject({
        subscriptions: [],
        hasMore: false,
      });
    }
  });

  it.each([
    ['cursor=nonsense', '/query/cursor'],
    // Of a list of texts.
    ['cursor=IjEi', '/query/cursor'],
    // Of the payments.
    ['cursor=WzEsIjEiXQ', '/query/cursor'],
    ['cursor=LTE', '/query/cursor'],
    ['limit=0', '/query/limit'],
    ['limit=101', '/query/limit'],
    ['limit=many', '/query/limit'],
    ['status=paused', '/query/status'],
    ['status=', '/query/status'],
    ['status=active&status=ended', '/query/status'],
    ['merchantAccountId=first', '/query/merchantAccountId'],
    ['sandbox=maybe', '/query/sandbox'],
  ])('is refused with %s', async (query, pointer) => {
    const answer = await caller.wire.get(`/v1/subscriptions?${query}`);
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors.map((each: Json) => each.pointer)).toEqual([pointer]);
  });

  it('needs its scope', async () => {
    const blind = await callerWith(running, TENANT, { scopes: ['customers:read'] });
    expectRefusal(await list(blind), 403, 'insufficient_scope');
  });
});

describe('the detail of a transaction', () => {
  async function subscriptionsOf(messageId: string): Promise<Json[]> {
    const { status, text, body } = await caller.detail(messageId, { getSubscription: true });
    expect(status, text).toBe(200);
    return present(body.subscriptions);
  }

  it('has the subscription that the payment started, and so has its refund', async () => {
    const { id, subscriptionId, customerId } = await subscribed();
    const { body } = await caller.get('/customers/{id}/subscriptions', {
      path: { id: customerId },
    });
    expect(await subscriptionsOf(id)).toEqual(body.subscriptions);
    const refund = await caller.refund(id, { amount: 1 });
    expect(await subscriptionsOf(refund.body.refundId)).toEqual(body.subscriptions);
    expect(body.subscriptions).toMatchObject([{ id: subscriptionId }]);
    expect(await read(subscriptionId)).toMatchObject(present(body.subscriptions[0]));
  });
});
