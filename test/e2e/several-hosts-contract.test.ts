/** What two hosts over one log and one PostgreSQL owe their callers: together they are one host. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { present } from './api.ts';
import { customersOf, newEmail, visible } from './customer-requests.ts';
import {
  type Answer,
  CALLER,
  type Caller,
  card,
  expectRefusal,
  type Json,
  type TenantId,
  USER_EMAIL,
} from './running-host.ts';
import { CLUB } from './subscribers.ts';
import { SHARED_ENGINES, spread, TwoHosts } from './two-hosts.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const MOST_ROUNDS = 30;

/** Repeats each request under its own key while it is answered with a conflict. */
async function untilSettled(ask: () => Promise<Answer>): Promise<Answer> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const answer = await ask();
    if (answer.status !== 409) return answer;
  }
  throw new Error(`still a conflict after ${MOST_ROUNDS} rounds`);
}

describe.each(SHARED_ENGINES)('two hosts on %s', (engine) => {
  let both: TwoHosts;
  let tenants = 100;
  /** Callers of a tenant that no other test has. */
  const newTenant = (options?: Parameters<TwoHosts['openTenant']>[1]) => {
    tenants += 1;
    return both.openTenant(tenants, options);
  };

  beforeAll(async () => {
    both = await TwoHosts.start(engine);
  });
  afterAll(() => both?.close());

  it('never give back more than was taken, however refunds race', async () => {
    const callers = await newTenant();
    const { id } = await callers[0].paid();
    const answers = await spread(callers, 20, (caller, index) => {
      const headers = { 'Idempotency-Key': `refund-${index}` };
      // Of each host's turns every second one goes to the other of the two endpoints.
      return untilSettled(() =>
        index % 4 < 2
          ? caller.refund(id, { amount: 9 }, headers)
          : caller.post('/v1/payments/{id}/refund', { path: { id }, body: { amount: 9 }, headers }),
      );
    });
    const done = answers.filter(({ status }) => status === 200 || status === 201);
    expect(done).toHaveLength(11);
    for (const answer of answers) {
      if (!done.includes(answer)) expectRefusal(answer, 400, 'refund_exceeds_refundable');
    }
    for (const caller of callers) {
      const { body } = await caller.get('/v1/payments/{id}', { path: { id } });
      expect(body).toMatchObject({ refundedAmount: 99, refundableAmount: 1 });
      expect((await caller.transaction(id)).childTransactions).toHaveLength(11);
      expect((await caller.balances())['Refunds'] ?? (await caller.balances())['refunds']).toBe(99);
    }
  });

  it('act once on concurrent requests with one key', async () => {
    const callers = await newTenant();
    const email = newEmail();
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await spread(callers, 10, (caller) => caller.pay({ email }, key));
    const ids = answers.flatMap(({ status, body }) => (status === 201 ? [body.id] : []));
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(1);
    for (const answer of answers) {
      if (answer.status !== 201) expectRefusal(answer, 409, 'idempotency_in_flight');
    }
    const again = await spread(callers, 4, (caller) => caller.pay({ email }, key));
    for (const { status, text } of again) {
      expect([status, text]).toEqual([201, again[0]?.text]);
    }
    const [, elsewhere] = callers;
    expectRefusal(await elsewhere.pay({ email, amount: 7 }, key), 422, 'idempotency_key_reused');
    expect(await elsewhere.found({ emails: [email] })).toEqual([ids[0]]);
  });

  it('take one of two different requests under one key', async () => {
    const callers = await newTenant();
    const email = newEmail();
    const key = { 'Idempotency-Key': randomUUID() };
    const ask = (caller: Caller, index: number) => caller.pay({ email, amount: 10 + index }, key);
    const answers = await spread(callers, 2, ask);
    const statuses = answers.map(({ status }) => status).sort();
    expect([
      [201, 409],
      [201, 422],
    ]).toContainEqual(statuses);
    expect(await callers[0].found({ emails: [email] })).toHaveLength(1);
  });

  it('show at the one what the other has acknowledged', async () => {
    const callers = await newTenant();
    for (let turn = 0; turn < 6; turn += 1) {
      const [writer, reader] = turn % 2 === 0 ? callers : ([callers[1], callers[0]] as const);
      await expectRead(writer, reader);
    }
  });

  /** A payment with a subscription, a refund and an end of it; each is seen at once. */
  async function expectRead(writer: Caller, reader: Caller): Promise<void> {
    // A payer without it is registered shortly after the response.
    const { id: registered, email } = await customersOf(() => writer).register();
    const body = { email, subscription: CLUB, card: card() };
    const { id, customerId, subscriptions } = await writer.paid(body);
    expect(customerId).toBe(registered);
    const [subscription] = subscriptions;
    expect(await reader.found({ emails: [email] })).toEqual([id]);
    const listed = await reader.get('/v1/payments', { query: { emails: [email] } });
    expect([listed.status, listed.text]).toEqual([200, expect.stringContaining(id)]);
    const customer = await reader.get('/customers/{id}', { path: { id: customerId } });
    expect([customer.status, customer.body.email]).toEqual([200, email]);
    const held = await reader.get('/customers/{id}/subscriptions', { path: { id: customerId } });
    expect([held.status, held.text]).toEqual([200, expect.stringContaining(`${subscription?.id}`)]);
    const given = await writer.refund(id, { amount: 30 });
    expect(given.status, given.text).toBe(200);
    const { childTransactions } = await reader.transaction(id);
    expect(childTransactions.map(({ messageID }: Json) => messageID)).toEqual([
      given.body.refundId,
    ]);
    const direct = await reader.get('/v1/payments/{id}', { path: { id } });
    expect(direct.body).toMatchObject({ refundedAmount: 30 });
    const claims = { parentCompanyId: writer.tenantId, userEmail: USER_EMAIL };
    const ended = await writer.post('/customerapi/unsubscribe', { body: { ...claims, email } });
    expect(ended.body).toMatchObject({ success: true, unsubscribes: 1 });
    const shown = await reader.get('/v1/subscriptions/{id}', {
      path: { id: present(subscription).id },
    });
    expect(shown.body).toMatchObject({ active: false });
    const detail = await reader.detail(id, { getSubscription: true });
    expect(detail.body.subscriptions).toMatchObject([{ id: subscription?.id, active: false }]);
  }

  it('refuse a key from the moment at which either has revoked it', async () => {
    const callers = await newTenant();
    const tenantId = callers[0].tenantId as TenantId;
    for (const caller of callers) expect((await caller.search()).status).toBe(200);
    const { tenants: registry } = both.first.host;
    const [key] = await registry.keysOf(tenantId);
    await registry.revokeKey(tenantId, key?.keyId ?? '', CALLER);
    expectRefusal(await callers[1].search(), 401);
    expectRefusal(await callers[1].pay(), 401);
    expectRefusal(await callers[0].pay(), 401);
  });

  it('register one of several concurrent customers with one email', async () => {
    const callers = await newTenant();
    for (let round = 0; round < 5; round += 1) {
      const email = newEmail();
      const answers = await spread(callers, 8, (caller) =>
        caller.post('/customers', { body: { email } }),
      );
      const made = answers.filter(({ status }) => status === 201);
      expect(made).toHaveLength(1);
      for (const answer of answers) {
        if (answer.status !== 201) expect(answer.status, answer.text).toBe(409);
      }
      // Concurrent payments belong to the same customer.
      const payments = await spread(callers, 2, (caller) => caller.paid({ email }));
      for (const { customerId } of payments) expect(customerId).toBe(made[0]?.body.id);
    }
  });

  it.each(['rowVersion', 'If-Match'])('let one change of a version through: %s', async (how) => {
    const callers = await newTenant();
    const { register, put, read } = customersOf(() => callers[0]);
    const { id, email, rowVersion } = await register();
    const answers = await spread(callers, 8, (caller, index) => {
      const body = { email, firstName: `Name ${index}`, rowVersion };
      const headers = how === 'If-Match' ? { 'If-Match': `"${rowVersion}"` } : {};
      return put(id, body, headers, caller);
    });
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const { status, text } of answers) {
      if (status !== 200) expect([409, 412], text).toContain(status);
    }
    for (const caller of callers) {
      expect(visible(await caller.get('/customers/{id}', { path: { id } }))).toEqual({
        ...visible(won[0] as Answer),
        message: expect.any(String),
      });
    }
    expect((await read(id)).rowVersion).toBe(won[0]?.body.rowVersion);
  });

  it('forget a person at both hosts', async () => {
    const [here, there] = await newTenant();
    const email = `zebedee-${randomUUID()}@example.com`;
    await customersOf(() => here).register({ email });
    const key = { 'Idempotency-Key': randomUUID() };
    const body = { email, subscription: CLUB, card: { ...card(), holder: 'Zebedee Quuxley' } };
    const paid = await here.pay(body, key);
    const { id, customerId } = paid.body;
    // Both have seen the person, so both may have kept what they need to.
    for (const caller of [here, there]) {
      expect((await caller.pay(body, key)).text).toBe(paid.text);
      expect((await caller.detail(id, { getSearchData: true })).text).toContain(email);
      expect((await caller.get('/v1/payments/{id}', { path: { id } })).text).toContain(email);
      expect((await caller.get('/customers/{id}', { path: { id: customerId } })).text).toContain(
        email,
      );
    }
    const books = await here.balances();
    const erased = await there.delete('/customers/{id}', { path: { id: customerId } });
    expect(erased.status, erased.text).toBe(200);
    for (const caller of [here, there]) {
      const flags = { getSearchData: true, getAddressData: true, getSubscription: true };
      const detail = await caller.detail(id, flags);
      const repeated = await caller.pay(body, key);
      const answers = [
        detail,
        await caller.get('/customers/{id}', { path: { id: customerId } }),
        await caller.get('/v1/payments/{id}', { path: { id } }),
        await caller.search({ transactionIds: [id] }),
        await caller.get('/customers/{id}/subscriptions', { path: { id: customerId } }),
        repeated,
      ];
      for (const { status, text } of answers) {
        expect(status, text).toBeLessThan(300);
        expect(text).not.toContain(email);
        expect(text).not.toMatch(/quuxley/i);
      }
      expect(repeated.body.id).toBe(id);
      expect(await caller.found({ emails: [email] })).toEqual([]);
      expect(await caller.found({ transactionIds: [id] })).toEqual([id]);
      expect(await caller.balances()).toEqual(books);
      expect(detail.body.subscriptions).toMatchObject([{ active: false }]);
    }
  });

  it('do not exceed a monthly cap together', async () => {
    const callers = await newTenant({ account: { monthlyCap: 100 } });
    const answers = await spread(callers, 24, (caller) => caller.pay({ amount: 9 }));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(11);
    for (const answer of answers) {
      if (answer.status !== 201) expectRefusal(answer, 400, 'no_merchant_account');
    }
  });

  it('grant a limit together, to the last request', async () => {
    const callers = await newTenant({ settings: { requestsPerMinute: 20 } });
    const answers = await spread(callers, 60, (caller) =>
      caller.get('/v1/payments', { query: { limit: 1 } }),
    );
    const refused = answers.filter(({ status }) => status === 429);
    for (const answer of refused) {
      expectRefusal(answer, 429, 'rate_limited');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(answers.length - refused.length).toBe(20);
  });

  it('show the activity of both at once', async () => {
    const [one, other] = await newTenant();
    const named = (id: string) => ({ 'X-Request-Id': id });
    const paid = await one.pay({}, named('r-1'));
    await other.refund(paid.body.id, { amount: 101 }, named('r-2'));
    await one.refund(paid.body.id, { amount: 5 }, named('r-3'));
    for (const caller of [one, other]) {
      const { items } = (await caller.get('/api/admin/activity')).body;
      expect(items.map(({ requestId, outcome }: Json) => [requestId, outcome])).toEqual([
        ['r-3', 'done'],
        ['r-2', 'refused'],
        ['r-1', 'done'],
      ]);
    }
  });

  it('keep tenants apart, whichever host has answered the other one before', async () => {
    const mine = await newTenant();
    const theirs = await newTenant();
    const email = newEmail();
    const { id, customerId, subscriptions } = await mine[0].paid({ email, subscription: CLUB });
    for (const caller of mine)
      expect((await caller.get('/v1/payments/{id}', { path: { id } })).status).toBe(200);
    const nothing = randomUUID();
    for (const stranger of theirs) {
      const looks = (of: { payment: string; customer: number; club: number }) => [
        stranger.detail(of.payment, { getSearchData: true }),
        stranger.get('/v1/payments/{id}', { path: { id: of.payment } }),
        stranger.refund(of.payment, { amount: 1 }),
        stranger.get('/customers/{id}', { path: { id: of.customer } }),
        stranger.get('/v1/subscriptions/{id}', { path: { id: of.club } }),
      ];
      const club = present(subscriptions[0]).id;
      const asked = await Promise.all(looks({ payment: id, customer: customerId, club }));
      const none = { payment: nothing, customer: 2_000_000_000, club: 2_000_000_001 };
      const absent = await Promise.all(looks(none));
      expect(asked.map(visible)).toEqual(absent.map(visible));
      for (const { status } of asked) expect(status).toBe(404);
      expect(await stranger.found({ emails: [email] })).toEqual([]);
      expect(await stranger.found({ transactionIds: [id] })).toEqual([]);
    }
    // Ids of customers and subscriptions are per tenant.
    expectRefusal(
      await mine[0].wire.get('/v1/payments', { ClientId: `${theirs[0].tenantId}` }),
      403,
    );
  });
});
