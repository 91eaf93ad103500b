/** `POST /customerapi/unsubscribe` over HTTP: which subscriptions end, how many, and what is refused. */
import { Subscription, type TenantId } from '@counterfoil/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { present } from './api.ts';
import { PLAN, REBILL_CARDS, startTimedHost, type Timed } from './contract-host.ts';
import { newEmail } from './customer-requests.ts';
import {
  CARDS,
  CART,
  callerWith,
  card,
  expectRefusal,
  type Json,
  openTenant,
  USER_EMAIL,
} from './running-host.ts';

const TENANT = 64;
let timed: Timed;

beforeAll(async () => {
  timed = await startTimedHost({ tenantId: TENANT });
});

afterAll(() => timed.close());

interface Member {
  readonly email: string;
  readonly orders: readonly number[];
  readonly ids: readonly number[];
  readonly customerId: number;
}

/** A customer with that many orders, each with one subscription. */
async function member(orders: number, email = newEmail()): Promise<Member> {
  const started = [];
  for (let each = 0; each < orders; each += 1) started.push(await timed.subscribe({ email }));
  return {
    email,
    orders: started.map(({ payment }) => payment.orderId),
    ids: started.map(({ ids }) => ids[0] as number),
    customerId: started[0]?.payment.customerId,
  };
}

const text = (ids: readonly number[]): string => `[${ids.join(',')}]`;

/** The ids of those of a member that are still active. */
async function activeOf({ ids }: Member): Promise<number[]> {
  const found = await Promise.all(ids.map((id) => timed.subscription(id)));
  return found.filter(({ active }) => active).map(({ id }) => id);
}

async function ended(changes: Json, headers: Json = {}): Promise<number> {
  const answer = await timed.unsubscribe(changes, headers);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({
    success: true,
    unsubscribes: expect.any(Number),
    message: expect.stringMatching(/./),
  });
  return answer.body.unsubscribes;
}

describe('which subscriptions end', () => {
  test('without ids all active ones of the email, and no others', async () => {
    const [ann, bob] = [await member(3), await member(2)];
    expect(await ended({ email: ann.email })).toBe(3);
    expect(await activeOf(ann)).toEqual([]);
    expect(await activeOf(bob)).toEqual(bob.ids);
  });

  test('the record shows when, in GMT, and no further charge', async () => {
    const ann = await member(1);
    await timed.moveDays(3);
    const before = await timed.now();
    await ended({ email: ann.email });
    const gone = await timed.subscription(ann.ids[0] as number);
    expect(gone).toMatchObject({
      active: false,
      frozen: false,
      rebillDate: null,
      unsubscribeReason: 'customer-service',
    });
    expect(Date.parse(gone.unsubDate)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(gone.unsubDate)).toBeLessThanOrEqual(await timed.now());

    await timed.moveDays(65);
    expect(await timed.rebills(gone.id)).toEqual([]);
    expect(await timed.subscription(gone.id)).toEqual(gone);
    expect((await timed.schedule(gone.id)).charges).toEqual([]);
  });

  test.each([
    ['as short as can be', (ids: readonly number[]) => text(ids)],
    ['with spaces', (ids: readonly number[]) => `[ ${ids.join(' , ')} ]`],
    ['with spaces around', (ids: readonly number[]) => `  ${text(ids)} `],
    ['with an id twice', (ids: readonly number[]) => text([...ids, ...ids])],
    ['with an id that nothing has', (ids: readonly number[]) => text([987_654_321, ...ids])],
  ])('ids in the text form, %s', async (_, write) => {
    const [ann, bob] = [await member(3), await member(3)];
    const subscriberIds = write(ann.ids.slice(0, 2));
    expect(await ended({ email: ann.email, subscriberIds })).toBe(2);
    expect(await activeOf(ann)).toEqual(ann.ids.slice(2));

    const orderIds = write(bob.orders.slice(1));
    expect(await ended({ email: bob.email, orderIds })).toBe(2);
    expect(await activeOf(bob)).toEqual(bob.ids.slice(0, 1));
  });

  test('with both lists the union ends, each counted once', async () => {
    const ann = await member(4);
    const orderIds = text([ann.orders[0], ann.orders[1]] as number[]);
    const subscriberIds = text([ann.ids[1], ann.ids[2]] as number[]);
    expect(await ended({ email: ann.email, orderIds, subscriberIds })).toBe(3);
    expect(await activeOf(ann)).toEqual([ann.ids[3]]);
  });

  test('a list that is empty is refused, also beside another', async () => {
    const ann = await member(2);
    const subscriberIds = text(ann.ids.slice(0, 1));
    const answer = await timed.unsubscribe({ email: ann.email, orderIds: '[]', subscriberIds });
    expectRefusal(answer, 400, 'invalid_request');
    expect(await activeOf(ann)).toEqual(ann.ids);
  });

  test('ids of another customer end nothing, alone or beside own ones', async () => {
    const [ann, bob] = [await member(2), await member(1)];
    expect(await ended({ email: ann.email, subscriberIds: text(bob.ids) })).toBe(0);
    expect(await ended({ email: ann.email, orderIds: text(bob.orders) })).toBe(0);
    const mixed = { orderIds: text(bob.orders), subscriberIds: text([...bob.ids, ...ann.ids]) };
    expect(await ended({ email: ann.email, ...mixed })).toBe(2);
    expect(await activeOf(bob)).toEqual(bob.ids);
  });

  test('an order of two plans ends with both, by the id of one with that one', async () => {
    const email = newEmail();
    const items = CART.slice(0, 2).map((item) => ({ ...item, subscription: PLAN }));
    const order = async () => timed.subscribe({ email, items, subscription: undefined });
    const [first, second] = [await order(), await order()];
    expect(await ended({ email, orderIds: text([first.payment.orderId]) })).toBe(2);
    expect(await ended({ email, subscriberIds: text([second.ids[1] as number]) })).toBe(1);
    expect(await timed.subscription(second.ids[0] as number)).toMatchObject({ active: true });
  });

  test('none of a payment that is not captured yet', async () => {
    const email = newEmail();
    const { payment } = await timed.subscribe({ email, capture: false });
    expect(await ended({ email })).toBe(0);
    await timed.caller.post('/v1/payments/{id}/capture', { path: { id: payment.id }, body: {} });
    expect(await ended({ email })).toBe(1);
  });

  test('more than a page of them', async () => {
    const email = newEmail();
    const pairs = 53;
    const items = [{ ...CART[0], subscription: PLAN }];
    await Promise.all(Array.from({ length: pairs }, () => timed.subscribe({ email, items })));
    expect(await ended({ email })).toBe(2 * pairs);
  });

  test('a thousand ids are admitted', async () => {
    const ann = await member(1);
    const unknown = Array.from({ length: 998 }, (_, index) => 900_000_000 + index);
    const subscriberIds = ` [ ${[...unknown, ...ann.ids].join(' , ')} , ${ann.ids[0]} ] `;
    expect(await ended({ email: ann.email, subscriberIds })).toBe(1);
  });

  test('those of the email that the customer has now, or that the order was placed with', async () => {
    const [before, after] = [await member(2), newEmail()];
    const path = { id: before.customerId };
    const { rowVersion } = (await timed.caller.get('/customers/{id}', { path })).body;
    const body = { rowVersion, email: after };
    expect((await timed.caller.put('/customers/{id}', { path, body })).status).toBe(200);
    // The later owner of the order's email has theirs ended too.
    const [latest, theirs] = [await member(1, after), await member(1, before.email)];
    expect(await ended({ email: before.email, orderIds: text(latest.orders) })).toBe(0);
    const email = before.email.toUpperCase();
    expect(await ended({ email, orderIds: text(before.orders.slice(1)) })).toBe(1);
    expect(await ended({ email: before.email })).toBe(2);
    expect([...(await activeOf(before)), ...(await activeOf(theirs))]).toEqual([]);
    expect(await ended({ email: after })).toBe(1);
    expect(await activeOf(latest)).toEqual([]);
  });

  test('the case of the email does not matter', async () => {
    const ann = await member(2, 'Mixed.Case@Example.com');
    expect(await ended({ email: 'mIXED.cASE@eXAMPLE.COM' })).toBe(2);
    expect(await activeOf(ann)).toEqual([]);
  });

  test('a frozen one ends too, and pending retries are cancelled', async () => {
    const frozen = await timed.subscribed({ email: newEmail() }, REBILL_CARDS.stolen);
    const tried = await timed.subscribed({ email: newEmail() });
    await timed.act(tried, 'card', { card: card(CARDS.doNotHonour) });
    const { rebillDate } = await timed.subscription(tried);
    await timed.moveJustPast(rebillDate);
    expect(await timed.subscription(frozen)).toMatchObject({ active: true, frozen: true });
    expect(await timed.rebills(tried)).toHaveLength(1);

    for (const id of [frozen, tried]) {
      const [{ email }] = await timed.records(id);
      expect(await ended({ email })).toBe(1);
      expect(await timed.subscription(id)).toMatchObject({ active: false, rebillDate: null });
    }
    await timed.moveDays(10);
    expect(await timed.rebills(tried)).toHaveLength(1);
    const thawed = await timed.act(frozen, 'unfreeze');
    expectRefusal(thawed, 400, 'subscription_state');
    const carded = await timed.act(frozen, 'card', { card: card() });
    expectRefusal(carded, 400, 'subscription_state');
  });
});

describe('how often', () => {
  test('again it ends nothing, and the first time stays on record', async () => {
    const ann = await member(2);
    expect(await ended({ email: ann.email, subscriberIds: text(ann.ids.slice(0, 1)) })).toBe(1);
    const first = await timed.subscription(ann.ids[0] as number);
    await timed.moveDays(1);
    expect(await ended({ email: ann.email })).toBe(1);
    expect(await ended({ email: ann.email })).toBe(0);
    expect(await timed.subscription(first.id)).toEqual(first);
  });

  test('an unknown email is no error', async () => {
    expect(await ended({ email: newEmail() })).toBe(0);
  });

  test('of many at once, the counts add up to what ended', async () => {
    const ann = await member(4);
    const counts = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        ended(index % 2 === 0 ? { email: ann.email } : byId(ann, index)),
      ),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(await activeOf(ann)).toEqual([]);
    const { totals } = (await timed.recurring()).currencies[0];
    const gone = await timed.caller.get('/customers/{id}/subscriptions', {
      path: { id: ann.customerId },
    });
    expect(gone.body.subscriptions.filter((each: Json) => !each.active)).toHaveLength(4);
    expect(totals.left).toBeGreaterThanOrEqual(4);
  });

  const byId = (of: Member, index: number): Json => ({
    email: of.email,
    subscriberIds: text([of.ids[index % 4] as number]),
  });

  test('under the same key it counts what it has ended the first time', async () => {
    const { email } = await member(2);
    const headers = { 'Idempotency-Key': `again-${email}` };
    expect(await ended({ email }, headers)).toBe(2);
    const again = await timed.unsubscribe({ email }, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.unsubscribes).toBe(2);
    const other = await timed.unsubscribe({ email, orderIds: '[1]' }, headers);
    expectRefusal(other, 422, 'idempotency_key_reused');
    await timed.moveDays(2);
    // The response is no longer stored; the count stays that of this request.
    expect(await ended({ email }, headers)).toBe(2);
    expect(await ended({ email })).toBe(0);
  });

  test('counts exactly what it has ended, whatever was asked for before', async () => {
    // Of three subscriptions, whichever are named, by whichever list.
    const named = fc.record(
      {
        orders: fc.subarray([0, 1, 2], { minLength: 1 }),
        subscribers: fc.subarray([0, 1, 2], { minLength: 1 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(named, { minLength: 1, maxLength: 5 }), async (requests) => {
        const all = await member(3);
        const active = new Set([0, 1, 2]);
        for (const { orders, subscribers } of requests) {
          const lists = {
            ...(orders && { orderIds: JSON.stringify(orders.map((n) => all.orders[n])) }),
            ...(subscribers && {
              subscriberIds: JSON.stringify(subscribers.map((n) => all.ids[n])),
            }),
          };
          const isAll = orders === undefined && subscribers === undefined;
          const meant = new Set(isAll ? active : [...(orders ?? []), ...(subscribers ?? [])]);
          const expected = [...meant].filter((n) => active.delete(n)).length;
          expect(await ended({ email: all.email, ...lists })).toBe(expected);
          expect(await activeOf(all)).toEqual(all.ids.filter((_, n) => active.has(n)));
        }
      }),
      { numRuns: 15 },
    );
  });

  test('a key whose subscriptions came later does not end those', async () => {
    const ann = await member(1);
    const headers = { 'Idempotency-Key': 'end-once' };
    await timed.unsubscribe({ email: ann.email }, headers);
    const later = await member(1, ann.email);
    await timed.unsubscribe({ email: ann.email }, headers);
    expect(await activeOf(later)).toEqual(later.ids);
  });
});

describe('what is refused', () => {
  test.each([
    '',
    'all',
    '1',
    '1,2',
    '[1',
    '1]',
    '[1,2',
    '[1,]',
    '[,1]',
    '[1,,2]',
    '[1 2]',
    '[1;2]',
    '[a]',
    '[1.5]',
    '[-1]',
    '[+1]',
    '[1e3]',
    '[0x1]',
    '["1"]',
    '[[1]]',
    '[1][2]',
    '{1}',
    '[null]',
    '[99999999999999999999]',
    '[9007199254740993]',
    ' [ ] ',
    '[0]',
    '[007]',
    '[１]',
    '[1,\n2]',
    `[${Array.from({ length: 1_001 }, () => 1).join(',')}]`,
    `[${' '.repeat(32_000)}x`,
    `[${' '.repeat(300_000)}x`,
  ])('ids as %j', async (wrong) => {
    for (const list of ['orderIds', 'subscriberIds']) {
      const answer = await timed.unsubscribe({ [list]: wrong });
      expectRefusal(answer, 400, 'invalid_request');
      expect(answer.body.errors).toMatchObject([{ pointer: `/${list}` }]);
    }
  });

  test.each([undefined, '', 'nobody', 5, null])('%j as an email', async (email) => {
    const answer = await timed.unsubscribe({ email });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors).toMatchObject([{ pointer: '/email' }]);
  });

  test('ids that are no text, even beside a good list', async () => {
    const ann = await member(1);
    for (const wrong of [[1], 1, { 0: 1 }, true]) {
      const changes = { email: ann.email, subscriberIds: text(ann.ids), orderIds: wrong };
      expectRefusal(await timed.unsubscribe(changes), 400, 'invalid_request');
    }
    expect(await activeOf(ann)).toEqual(ann.ids);
  });

  test.each(['parentCompanyId', 'userEmail'])('a body without %s', async (field) => {
    const ann = await member(1);
    const refused = await timed.unsubscribe({ email: ann.email, [field]: undefined });
    expectRefusal(refused, 400, 'invalid_request');
    expect(refused.body.errors).toMatchObject([{ pointer: `/${field}` }]);
    expect(await activeOf(ann)).toEqual(ann.ids);
  });

  test('another tenant in the body, another agent than the header, no agent', async () => {
    const ann = await member(1);
    const { email } = ann;
    const foreign = await timed.unsubscribe({ email, parentCompanyId: TENANT + 1 });
    expectRefusal(foreign, 403, 'tenant_mismatch');
    const other = await timed.unsubscribe({ email, userEmail: 'else@example.com' });
    expectRefusal(other, 400, 'user_email_mismatch');
    const refused = await timed.unsubscribe({ email }, { UserEmail: undefined });
    expectRefusal(refused, 400, 'user_email_required');
    expect(await activeOf(ann)).toEqual(ann.ids);
  });

  test('a key without the scope', async () => {
    const ann = await member(1);
    const reader = await callerWith(timed.running, TENANT, { scopes: ['subscriptions:read'] });
    const body = { parentCompanyId: TENANT, userEmail: USER_EMAIL, email: ann.email };
    const refused = await reader.post('/customerapi/unsubscribe', { body });
    expectRefusal(refused, 403, 'insufficient_scope');
    expect(await activeOf(ann)).toEqual(ann.ids);
  });
});

describe('what stays apart', () => {
  test('the same email and the same ids at another tenant', async () => {
    const ann = await member(1);
    const tenantId = TENANT + 1;
    const neighbour = await openTenant(timed.running, tenantId);
    const payment = await neighbour.paid({ email: ann.email, subscription: PLAN });
    const claims = { parentCompanyId: tenantId, userEmail: USER_EMAIL, email: ann.email };
    const subscriberIds = text([...ann.ids, present(payment.subscriptions[0]).id]);
    const answer = await neighbour.post('/customerapi/unsubscribe', {
      body: { ...claims, subscriberIds },
    });
    expect(answer.body).toMatchObject({ success: true, unsubscribes: 1 });
    expect(await activeOf(ann)).toEqual(ann.ids);
  });

  test('live and test subscriptions of the same email', async () => {
    const ann = await member(1);
    const tester = await callerWith(timed.running, TENANT, { environment: 'test' });
    const trial = await tester.paid({ email: ann.email, subscription: PLAN });
    const testId = present(trial.subscriptions[0]).id;
    const isActive = async () =>
      (await tester.get('/v1/subscriptions/{id}', { path: { id: testId } })).body.active;

    const body = { parentCompanyId: TENANT, userEmail: USER_EMAIL, email: ann.email };
    const live = await tester.post('/customerapi/unsubscribe', {
      body: { ...body, sandbox: false },
    });
    expectRefusal(live, 403, 'live_data_forbidden');
    expect(await ended({ email: ann.email, subscriberIds: text([testId]) })).toBe(0);
    expect(await ended({ email: ann.email })).toBe(1);
    expect(await isActive()).toBe(true);

    const again = await member(1, ann.email);
    const answer = await tester.post('/customerapi/unsubscribe', { body });
    expect(answer.body).toMatchObject({ unsubscribes: 1 });
    expect(await isActive()).toBe(false);
    expect(await activeOf(again)).toEqual(again.ids);

    const third = await tester.paid({ email: ann.email, subscription: PLAN });
    expect(await ended({ email: ann.email, sandbox: true })).toBe(1);
    expect(third.subscriptions).toHaveLength(1);
    expect(await activeOf(again)).toEqual(again.ids);
  });
});

test('who asked is kept, with the wish to tell the customer', async () => {
  const { email, ids } = await member(1);
  const { body } = await timed.unsubscribe({ email, sendUserCommunication: true });
  expect(body.message).toContain('mail settings are not set up');
  const [subscriptionId = 0] = ids;
  const stream = Subscription.streamOf({ tenantId: TENANT as TenantId, subscriptionId });
  const last = (await timed.running.host.events.read(stream)).at(-1);
  expect(JSON.parse(last?.data ?? '')).toMatchObject({
    requestedBy: USER_EMAIL,
    notifyCustomer: true,
  });
  const none = await timed.unsubscribe({ email, sendUserCommunication: true });
  expect(none.body.message).not.toContain('mail');
});
