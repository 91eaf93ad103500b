/** POST /customerapi/unsubscribe over HTTP, as the contract states it. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Caller,
  callerWith,
  eventually,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
  USER_EMAIL,
} from './running-host.ts';
import { CLUB, eventsOf, startedBy, subscriptionOf } from './subscribers.ts';

const DAY_MS = 86_400_000;
const TENANT = 41;
const OTHER = 42;

const MUG = { StorefrontVariantId: 1, StorefrontProductId: 1, Quantity: 1, UnitPrice: 1 };

let now = Date.parse('2026-02-01T12:00:00.000Z');
let running: Running;
let caller: Caller;
let people = 0;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
  caller = await openTenant(running, TENANT);
});
afterAll(async () => running.close());

/** An unknown customer. */
function someone(): string {
  people += 1;
  return `customer-${people}@example.com`;
}

async function unsubscribe(
  email: string,
  changes: Json = {},
  { by = caller, headers = {} }: { by?: Caller; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const body = { parentCompanyId: by.tenantId, userEmail: USER_EMAIL, email, ...changes };
  return by.post('/customerapi/unsubscribe', body, headers);
}

async function ended(...request: Parameters<typeof unsubscribe>): Promise<number> {
  const { status, text, body } = await unsubscribe(...request);
  expect(status, text).toBe(200);
  expect(body).toEqual({
    success: true,
    unsubscribes: expect.any(Number),
    message: expect.stringMatching(/./),
  });
  return body.unsubscribes;
}

interface Subscribed {
  readonly id: number;
  readonly orderId: number;
}

async function subscribed(
  email: string,
  changes: Json = {},
  by: Caller = caller,
): Promise<Subscribed> {
  const payment = await by.paid({ email, subscription: CLUB, ...changes });
  return { id: startedBy(payment)[0] ?? 0, orderId: payment.orderId };
}

async function isActive({ id }: Subscribed, tenant = TENANT): Promise<boolean> {
  return (await subscriptionOf(running, tenant, id))?.unsubscribedAt === null;
}

describe('without ids', () => {
  it('ends all that is active, once', async () => {
    const email = someone();
    const [first, second] = [await subscribed(email), await subscribed(email)];
    const others = await subscribed(someone());
    now += DAY_MS;
    expect(await ended(email)).toBe(2);
    expect(await subscriptionOf(running, TENANT, first.id)).toMatchObject({
      unsubscribedAt: new Date(now).toISOString(),
      unsubscribeReason: 'customer-service',
      rebillAt: null,
    });
    expect(await isActive(second)).toBe(false);
    expect(await isActive(others)).toBe(true);
    expect(await ended(email)).toBe(0);
    expect(await eventsOf(running, TENANT, first.id)).toEqual({
      SubscriptionStarted: 1,
      SubscriptionUnsubscribed: 1,
    });
  });

  it('finds nothing by an unknown email', async () => {
    expect(await ended(someone())).toBe(0);
  });

  it('ends what a payment with two of them has started', async () => {
    const email = someone();
    await caller.paid({
      email,
      items: [{ ...MUG, subscription: CLUB }],
      subscription: CLUB,
    });
    expect(await ended(email)).toBe(2);
  });

  it('takes an email in upper and lower case for the same', async () => {
    const subscription = await subscribed('Mixed.Case@Example.com');
    expect(await ended('mIXED.cASE@eXAMPLE.COM')).toBe(1);
    expect(await isActive(subscription)).toBe(false);
  });

  it('leaves a payment alone that is not captured yet', async () => {
    const email = someone();
    const payment = await caller.paid({ email, capture: false, subscription: CLUB });
    expect(await ended(email)).toBe(0);
    await caller.post(`/v1/payments/${payment.id}/capture`);
    expect(await ended(email)).toBe(1);
  });

  it('goes through more than a page of subscriptions', async () => {
    const email = someone();
    const pairs = 53;
    const pair = { subscription: CLUB, items: [{ ...MUG, subscription: CLUB }] };
    await Promise.all(Array.from({ length: pairs }, () => caller.paid({ email, ...pair })));
    expect(await ended(email)).toBe(2 * pairs);
  }, 30_000);
});

describe('with ids', () => {
  it('ends those of the orders', async () => {
    const email = someone();
    const [first, second, third] = [
      await subscribed(email),
      await subscribed(email),
      await subscribed(email),
    ];
    const orderIds = `[${first.orderId}, ${third.orderId}]`;
    expect(await ended(email, { orderIds })).toBe(2);
    expect(await isActive(second)).toBe(true);
  });

  it('ends those of the subscribers', async () => {
    const email = someone();
    const [first, second] = [await subscribed(email), await subscribed(email)];
    expect(await ended(email, { subscriberIds: `[${second.id}]` })).toBe(1);
    expect(await isActive(first)).toBe(true);
    expect(await isActive(second)).toBe(false);
  });

  it('ends the union of both, each once', async () => {
    const email = someone();
    const [first, second, third] = [
      await subscribed(email),
      await subscribed(email),
      await subscribed(email),
    ];
    const lists = {
      orderIds: `[${first.orderId},${second.orderId}]`,
      subscriberIds: `[${second.id}]`,
    };
    expect(await ended(email, lists)).toBe(2);
    expect(await isActive(third)).toBe(true);
  });

  it("ends none of somebody else's", async () => {
    const email = someone();
    const [mine, theirs] = [await subscribed(email), await subscribed(someone())];
    const lists = { orderIds: `[${theirs.orderId}]`, subscriberIds: `[${theirs.id}]` };
    expect(await ended(email, lists)).toBe(0);
    expect(await isActive(theirs)).toBe(true);
    expect(await isActive(mine)).toBe(true);
  });

  it('admits spaces, repetitions and a thousand ids', async () => {
    const email = someone();
    const { id } = await subscribed(email);
    const unknown = Array.from({ length: 998 }, (_, index) => index + 1);
    const subscriberIds = ` [ ${[...unknown, id].join(' , ')} , ${id} ] `;
    expect(await ended(email, { subscriberIds })).toBe(1);
  });

  it.each<[string, unknown]>([
    ['nothing', ''],
    ['an empty list', '[]'],
    ['an empty list with spaces', ' [ ] '],
    ['no brackets', '1,2'],
    ['one bracket', '[1,2'],
    ['two lists', '[1][2]'],
    ['nested lists', '[[1]]'],
    ['a comma at the end', '[1,]'],
    ['a comma at the begin', '[,1]'],
    ['a gap', '[1,,2]'],
    ['zero', '[0]'],
    ['a negative id', '[-1]'],
    ['a fraction', '[1.5]'],
    ['an exponent', '[1e3]'],
    ['words', '[one]'],
    ['texts', '["1"]'],
    ['leading zeros', '[007]'],
    ['other digits', '[１]'],
    ['a line break', '[1,\n2]'],
    ['a number that is not exact', '[9007199254740993]'],
    ['more than a thousand', `[${Array.from({ length: 1_001 }, () => 1).join(',')}]`],
    ['half a list with many spaces', `[${' '.repeat(32_000)}x`],
    ['half a list with more of them', `[${' '.repeat(300_000)}x`],
    ['a list of JSON', [1]],
    ['a number of JSON', 1],
  ])('%s is no list', async (_what, list) => {
    const email = someone();
    const subscription = await subscribed(email);
    for (const name of ['orderIds', 'subscriberIds']) {
      const answer = await unsubscribe(email, { [name]: list });
      expectRefusal(answer, 400, 'invalid_request');
      expect(answer.body.errors).toMatchObject([{ pointer: `/${name}` }]);
    }
    expect(await isActive(subscription)).toBe(true);
  });
});

describe('the email', () => {
  it.each([undefined, '', 'invalid', 5, null])('%j is none', async (email) => {
    const answer = await unsubscribe('a@example.com', { email });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors).toMatchObject([{ pointer: '/email' }]);
  });

  it('is the one that the customer has now, or that the order was placed with', async () => {
    const [before, after] = [someone(), someone()];
    const subscription = await subscribed(before);
    const older = await subscribed(before);
    const { customerId } = (await subscriptionOf(running, TENANT, subscription.id)) ?? {};
    const customer = await registered(customerId ?? 0);
    const { rowVersion, firstName, lastName, phone } = customer;
    const changed = await caller.send(
      'PUT',
      `/customers/${customerId}`,
      JSON.stringify({ rowVersion, firstName, lastName, phone, email: after }),
      { 'Content-Type': 'application/json' },
    );
    expect(changed.status, changed.text).toBe(200);
    // The later owner of the order's email has theirs ended too.
    const [latest, theirs] = [await subscribed(after), await subscribed(before)];
    expect(await ended(before, { orderIds: `[${latest.orderId}]` })).toBe(0);
    expect(await ended(before.toUpperCase(), { orderIds: `[${older.orderId}]` })).toBe(1);
    expect(await ended(before)).toBe(2);
    expect(await isActive(subscription)).toBe(false);
    expect(await isActive(theirs)).toBe(false);
    expect(await ended(after)).toBe(1);
    expect(await isActive(latest)).toBe(false);
  });

  /** The customer of a payment is registered shortly after it. */
  async function registered(customerId: number): Promise<Json> {
    const { body } = await eventually(
      () => caller.get(`/customers/${customerId}`),
      ({ status }) => status === 200,
    );
    return body;
  }
});

describe('the requester', () => {
  it.each(['parentCompanyId', 'userEmail'])('must send %s', async (name) => {
    expectRefusal(await unsubscribe(someone(), { [name]: undefined }), 400, 'invalid_request');
  });

  it('must be the tenant, and the user of the header', async () => {
    const email = someone();
    expectRefusal(await unsubscribe(email, { parentCompanyId: OTHER }), 403, 'tenant_mismatch');
    const another = { userEmail: 'another@example.com' };
    expectRefusal(await unsubscribe(email, another), 400, 'user_email_mismatch');
  });

  it('must have the scope', async () => {
    const by = await callerWith(running, TENANT, { scopes: ['transactions:refund'] });
    expectRefusal(await unsubscribe(someone(), {}, { by }), 403, 'insufficient_scope');
  });

  it('of another tenant ends nothing here', async () => {
    const email = someone();
    const subscription = await subscribed(email);
    const other = await openTenant(running, OTHER);
    const lists = { subscriberIds: `[${subscription.id}]` };
    expect(await ended(email, {}, { by: other })).toBe(0);
    expect(await ended(email, lists, { by: other })).toBe(0);
    expect(await isActive(subscription)).toBe(true);
  });

  it('ends live data or sandbox data, never both', async () => {
    const email = someone();
    const test = await callerWith(running, TENANT, { environment: 'test' });
    const [live, sandbox] = [await subscribed(email), await subscribed(email, {}, test)];
    expect(await ended(email, {}, { by: test })).toBe(1);
    expect(await isActive(live)).toBe(true);
    expect(await isActive(sandbox)).toBe(false);
    const forbidden = await unsubscribe(email, { sandbox: false }, { by: test });
    expectRefusal(forbidden, 403, 'live_data_forbidden');
    const another = await subscribed(email, {}, test);
    expect(await ended(email)).toBe(1);
    expect(await isActive(another)).toBe(true);
    expect(await ended(email, { sandbox: true })).toBe(1);
  });

  it('is recorded, with the request to notify the customer', async () => {
    const email = someone();
    const { id } = await subscribed(email);
    const { body } = await unsubscribe(email, { sendUserCommunication: true });
    expect(body.message).toContain('mail settings are not set up');
    const last = (await storedOf(id)).at(-1);
    expect(JSON.parse(last?.data ?? '')).toMatchObject({
      requestedBy: USER_EMAIL,
      notifyCustomer: true,
    });
    const none = await unsubscribe(email, { sendUserCommunication: true });
    expect(none.body.message).not.toContain('mail');
  });
});

async function storedOf(id: number) {
  return running.host.events.read(
    `subscription-${TENANT}-${id}` as Parameters<Running['host']['events']['read']>[0],
  );
}

describe('asked for again under its key', () => {
  it('it counts what it has ended the first time', async () => {
    const email = someone();
    await subscribed(email);
    await subscribed(email);
    const headers = { 'Idempotency-Key': `again-${email}` };
    expect(await ended(email, {}, { headers })).toBe(2);
    const again = await unsubscribe(email, {}, { headers });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.unsubscribes).toBe(2);
    expectRefusal(
      await unsubscribe(email, { orderIds: '[1]' }, { headers }),
      422,
      'idempotency_key_reused',
    );
    now += 2 * DAY_MS;
    // The response is no longer stored; the count stays that of this request.
    expect(await ended(email, {}, { headers })).toBe(2);
    expect(await ended(email)).toBe(0);
  });
});

it('several at once count each end once', async () => {
  const email = someone();
  const count = 12;
  for (let each = 0; each < count; each += 1) await subscribed(email);
  const counts = await Promise.all(Array.from({ length: 8 }, () => ended(email)));
  expect(counts.reduce((sum, each) => sum + each)).toBe(count);
});

it('counts exactly what it has ended, whatever was asked for before', async () => {
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
      const email = someone();
      const all: Subscribed[] = [];
      for (let each = 0; each < 3; each += 1) all.push(await subscribed(email));
      const active = new Set([0, 1, 2]);
      for (const { orders, subscribers } of requests) {
        const lists = {
          ...(orders && { orderIds: JSON.stringify(orders.map((n) => all[n]?.orderId)) }),
          ...(subscribers && { subscriberIds: JSON.stringify(subscribers.map((n) => all[n]?.id)) }),
        };
        const isAll = orders === undefined && subscribers === undefined;
        const meant = new Set(isAll ? active : [...(orders ?? []), ...(subscribers ?? [])]);
        const expected = [...meant].filter((n) => active.delete(n)).length;
        expect(await ended(email, lists)).toBe(expected);
        for (const [n, subscription] of all.entries()) {
          expect(await isActive(subscription)).toBe(active.has(n));
        }
      }
    }),
    { numRuns: 15 },
  );
}, 60_000);
