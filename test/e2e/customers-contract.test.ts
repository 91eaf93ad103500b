/** The contract of customers: ownership of emails, and versions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTACT, PLAN, startTimedHost, type Timed } from './contract-host.ts';
import {
  type Answer,
  CARDS,
  type Caller,
  callerWith,
  card,
  expectRefusal,
  type Json,
  openTenant,
} from './running-host.ts';

const TENANT = 66;
const UNKNOWN = 999_999;
let timed: Timed;
let neighbour: Caller;

beforeAll(async () => {
  timed = await startTimedHost({ tenantId: TENANT });
  neighbour = await openTenant(timed.running, TENANT + 1);
});

afterAll(() => timed.close());

let people = 0;
const someone = (): string => `person-${++people}@example.com`;

async function registered(changes: Json = {}): Promise<Json> {
  const answer = await timed.caller.post('/customers', { email: someone(), ...changes });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

async function put(id: number, body: Json, headers: Json = {}): Promise<Answer> {
  const type = { 'Content-Type': 'application/json' };
  return timed.caller.send('PUT', `/customers/${id}`, JSON.stringify(body), {
    ...type,
    ...headers,
  });
}

async function read(id: number): Promise<Json> {
  const { status, text, body } = await timed.caller.get(`/customers/${id}`);
  expect(status, text).toBe(200);
  return body;
}

const erase = (id: number, caller = timed.caller): Promise<Answer> =>
  caller.send('DELETE', `/customers/${id}`, undefined);

describe('registering', () => {
  test('gives an id, and what was sent is what is read', async () => {
    const email = someone();
    const customer = await registered({ email, ...CONTACT });
    expect(customer).toMatchObject({
      success: true,
      parentCompanyId: TENANT,
      email,
      ...CONTACT,
      addresses: [{ ...CONTACT.addresses[0], email }],
      paymentMethods: [],
      sandbox: false,
      erased: false,
    });
    const { message: _, ...kept } = customer;
    expect(await read(customer.id)).toMatchObject(kept);
  });

  test('an email belongs to one customer, in whatever case it is written', async () => {
    const email = someone();
    const customer = await registered({ email });
    for (const again of [email, email.toUpperCase()]) {
      expectRefusal(await timed.caller.post('/customers', { email: again }), 409, 'duplicate');
    }
    expect(await read(customer.id)).toMatchObject({ email, rowVersion: customer.rowVersion });
  });

  test('of many at once with one email, one is registered', async () => {
    const email = someone();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => timed.caller.post('/customers', { email })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test('a payment belongs to the customer of the email, who exists after it', async () => {
    const email = someone();
    const customer = await registered({ email });
    const payment = await timed.caller.paid({ email: email.toUpperCase() });
    expect(payment.customerId).toBe(customer.id);

    const buyer = someone();
    const { customerId } = await timed.caller.paid({ email: buyer });
    expect(await read(customerId)).toMatchObject({ email: buyer });
    expectRefusal(await timed.caller.post('/customers', { email: buyer }), 409, 'duplicate');
    expect((await read(customerId)).paymentMethods).toMatchObject([
      { bin: '424242', last4: '4242', cardBrand: 'NetworkA', isDefault: true },
    ]);
  });

  test('a key repeats the answer, and not the customer', async () => {
    const [email, headers] = [someone(), { 'Idempotency-Key': 'register-once' }];
    const first = await timed.caller.post('/customers', { email }, headers);
    const again = await timed.caller.post('/customers', { email }, headers);
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
  });

  test.each([
    ['no email', { email: undefined }],
    ['no email address', { email: 'invalid' }],
    ['a country of three letters', { addresses: [{ countryCode: 'GBR' }] }],
    ['another type of address', { addresses: [{ addressType: 'HOME' }] }],
    ['a name that is a number', { firstName: 7 }],
  ])('%s is refused', async (_, wrong) => {
    const body = { email: someone(), ...wrong };
    expectRefusal(await timed.caller.post('/customers', body), 400, 'invalid_request');
  });
});

describe('an email', () => {
  test.each(['R&D=x+1', "o'hara/club", 'jörg'])(
    'of %s is kept and found as given',
    async (local) => {
      people += 1;
      const email = `${local}${people}@BÜCHER.example`;
      const ascii = `${local.toUpperCase()}${people}@xn--bcher-kva.example`;
      const { id } = await registered({ email });
      expect(await read(id)).toMatchObject({ email });
      expectRefusal(await timed.caller.post('/customers', { email: ascii }), 409, 'duplicate');
      const payment = await timed.caller.paid({ email: ascii });
      expect(payment).toMatchObject({ customerId: id, email: ascii });
      expect(await timed.caller.found({ emails: [email] })).toEqual([payment.id]);
      const query = `emails=${encodeURIComponent(ascii.toLowerCase())}`;
      const { body: listed } = await timed.caller.get(`/v1/payments?${query}`);
      expect(listed.data.map((each: Json) => each.id)).toEqual([payment.id]);
      const { rowVersion } = await read(id);
      expect((await put(id, { email: ascii, rowVersion })).body).toMatchObject({
        id,
        email: ascii,
      });
      expectRefusal(await timed.caller.post('/customers', { email }), 409, 'duplicate');
    },
  );

  test('of the agent may be any, in header and body', async () => {
    const agent = 'jörg&co@bücher.example';
    const header = Buffer.from(agent, 'utf8').toString('latin1');
    const ask = (userEmail: string) =>
      timed.caller.post('/customers', { email: someone(), userEmail }, { UserEmail: header });
    const answer = await ask('JÖRG&co@xn--bcher-kva.example');
    expect(answer.status, answer.text).toBe(201);
    expectRefusal(await ask('jorg@bücher.example'), 400, 'user_email_mismatch');
  });

  test('an invalid one is refused in every field', async () => {
    const none = 'ada@example.com\r\nBcc: all@example.com';
    const asked = [
      await timed.caller.post('/customers', { email: none }),
      await timed.caller.pay({ email: none }),
      await timed.caller.pay({ addresses: [{ email: none }] }),
      await timed.caller.search({ emails: [none] }),
      await timed.unsubscribe({ email: none }),
    ];
    for (const answer of asked) expectRefusal(answer, 400, 'invalid_request');
  });
});

describe('replacing', () => {
  test('takes the version that was read, once', async () => {
    const { id, rowVersion, email } = await registered(CONTACT);
    const replaced = await put(id, { email, firstName: 'New', rowVersion });
    expect(replaced.status, replaced.text).toBe(200);
    expect(replaced.body).toMatchObject({ firstName: 'New', lastName: '', addresses: [] });
    expect(replaced.body.rowVersion).toBeGreaterThan(rowVersion);

    const stale = await put(id, { email, firstName: 'Late', rowVersion });
    expectRefusal(stale, 409, 'stale_row_version');
    const byMatch = await put(
      id,
      { email, rowVersion: replaced.body.rowVersion },
      { 'If-Match': `"${rowVersion}"` },
    );
    expectRefusal(byMatch, 412, 'precondition_failed');
    expectRefusal(await put(id, { email, firstName: 'Blind' }), 400, 'invalid_request');
    expect(await read(id)).toMatchObject({ firstName: 'New' });
  });

  test('of many with the same version, one succeeds', async () => {
    const { id, rowVersion, email } = await registered();
    const names = ['A', 'B', 'C', 'D', 'E'];
    const answers = await Promise.all(
      names.map((firstName) => put(id, { email, firstName, rowVersion })),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const each of answers) if (each.status !== 200) expectRefusal(each, 409);
    expect((await read(id)).firstName).toBe(winners[0]?.body.firstName);
  });

  test('another email is moved to, unless it is somebody else’s', async () => {
    const [first, second] = [await registered(), await registered()];
    const taken = { email: second.email, rowVersion: first.rowVersion };
    expectRefusal(await put(first.id, taken), 409, 'duplicate');
    const moved = someone();
    const answer = await put(first.id, { email: moved, rowVersion: first.rowVersion });
    expect(answer.body).toMatchObject({ id: first.id, email: moved });
    expect((await registered({ email: first.email })).id).not.toBe(first.id);
  });
});

describe('an email that has changed', () => {
  test('is the one that ends subscriptions, and the next rebill carries it', async () => {
    const [before, after] = [someone(), someone()];
    const { payment, ids } = await timed.subscribe({ email: before });
    const id = ids[0] as number;
    const { rowVersion } = await read(payment.customerId);
    const moved = await put(payment.customerId, { email: after, rowVersion });
    expect(moved.status, moved.text).toBe(200);
    await timed.moveDays(31);
    const [rebill] = await timed.rebills(id);
    expect(rebill).toMatchObject({ email: after, customerId: payment.customerId });
    expect((await timed.unsubscribe({ email: someone() })).body).toMatchObject({ unsubscribes: 0 });
    expect(await timed.subscription(id)).toMatchObject({ active: true });
    expect((await timed.unsubscribe({ email: before })).body).toMatchObject({ unsubscribes: 1 });
  });
});

const HOLDERS = ['a payment', 'a payment that was never captured', 'a payment method'] as const;

describe('the token of a card', () => {
  const removed = async (id: number): Promise<void> => {
    for (const { id: method } of (await read(id)).paymentMethods) {
      const path = `/customers/${id}/payment-methods/${method}`;
      expect((await timed.caller.send('DELETE', path, undefined)).status).toBe(200);
    }
  };

  async function tokenFrom(holder: (typeof HOLDERS)[number], { id, email }: Json): Promise<Json> {
    if (holder === 'a payment method') {
      const path = `/customers/${id}/payment-methods`;
      return (await timed.caller.post(path, { card: card() })).body.token;
    }
    const capture = holder === 'a payment';
    return (await timed.caller.paid({ email, capture })).card.token;
  }

  /** Everything that takes a token, asked in the name of a customer. */
  async function uses({ id, email }: Json, token: string): Promise<Answer[]> {
    const ids = (await timed.caller.get(`/customers/${id}/subscriptions`)).body.subscriptions;
    return [
      await timed.caller.pay({ email, card: undefined, token }),
      await timed.caller.post('/v1/card/submit', {
        ...{ amount: 1, currency: 'GBP', companyId: 5 },
        ...{ email, token },
      }),
      await timed.caller.post(`/customers/${id}/payment-methods`, { token }),
      await timed.act(ids[0].id, 'card', { token }),
    ];
  }

  test.each(HOLDERS)('of %s pays for its customer, and for no other', async (holder) => {
    const [owner, other] = [await registered(), await registered()];
    await timed.subscribe({ email: owner.email }, CARDS.networkB);
    await timed.subscribe({ email: other.email }, CARDS.networkC);
    const token = await tokenFrom(holder, owner);
    for (const refused of await uses(other, token)) expectRefusal(refused, 400, 'token_unknown');
    for (const { status, text } of await uses(owner, token))
      expect([200, 201], text).toContain(status);
    const stranger = await timed.caller.pay({ email: someone(), card: undefined, token });
    expectRefusal(stranger, 400, 'token_unknown');
  });

  test.each(HOLDERS)('of %s is unknown once its payment method is removed', async (holder) => {
    const owner = await registered();
    await timed.subscribe({ email: owner.email }, CARDS.networkB);
    await tokenFrom('a payment method', owner);
    const token = await tokenFrom(holder, owner);
    await removed(owner.id);
    for (const refused of await uses(owner, token)) expectRefusal(refused, 400, 'token_unknown');
  });

  test('is unknown once the customer is erased, also to a later owner of the email', async () => {
    const owner = await registered();
    const { card: used } = await timed.caller.paid({ email: owner.email });
    expect((await erase(owner.id)).status).toBe(200);
    const pay = () => timed.caller.pay({ email: owner.email, card: undefined, token: used.token });
    expectRefusal(await pay(), 400, 'token_unknown');
    await registered({ email: owner.email });
    expectRefusal(await pay(), 400, 'token_unknown');
  });

  test('goes with the customer to another email', async () => {
    const { id, email } = await registered();
    const { card: used } = await timed.caller.paid({ email });
    const { rowVersion } = await read(id);
    const moved = someone();
    expect((await put(id, { email: moved, rowVersion })).status).toBe(200);
    const pay = (by: string) => timed.caller.pay({ email: by, card: undefined, token: used.token });
    expect((await pay(moved)).status).toBe(201);
    expectRefusal(await pay(email), 400, 'token_unknown');
  });

  test('stays removed when a payment of before is captured', async () => {
    const owner = await registered();
    await tokenFrom('a payment method', owner);
    const { id } = await timed.caller.paid({ email: owner.email, capture: false });
    await removed(owner.id);
    expect((await timed.caller.post(`/v1/payments/${id}/capture`)).status).toBe(200);
    expect((await read(owner.id)).paymentMethods).toEqual([]);
  });

  test('pays for its tenant only', async () => {
    const email = someone();
    const { payment } = await timed.subscribe({ email });
    const { token } = payment.card;
    const again = await timed.caller.paid({ email, card: undefined, token });
    expect(again.card).toMatchObject({ last4: '4242' });

    const theirs = await neighbour.paid({ email, subscription: PLAN });
    const tester = await callerWith(timed.running, TENANT, { environment: 'test' });
    const subscription = `/v1/subscriptions/${theirs.subscriptions[0].id}/card`;
    for (const refused of [
      await neighbour.pay({ email, card: undefined, token }),
      await tester.pay({ email, card: undefined, token }),
      await neighbour.post(subscription, { token }),
      await timed.caller.pay({ email, card: undefined, token: `${token}x` }),
    ]) {
      expectRefusal(refused, 400, 'token_unknown');
    }
  });
});

describe('a card that is removed', () => {
  const rebillsOf = async (id: number) =>
    (await timed.rebills(id)).map(({ status }: Json) => status);

  async function remove(customerId: number): Promise<void> {
    const [method] = (await read(customerId)).paymentMethods;
    const path = `/customers/${customerId}/payment-methods/${method.id}`;
    expect((await timed.caller.send('DELETE', path, undefined)).status).toBe(200);
  }

  test('is not billed until the subscription is given a card', async () => {
    const email = someone();
    const { payment, ids } = await timed.subscribe({ email });
    const id = ids[0] as number;
    await remove(payment.customerId);
    const { charges, nextFailure, ifDeclined } = await timed.schedule(id);
    expect(charges).toEqual([]);
    const { rebillDate: date } = await timed.subscription(id);
    const failure = { date, attempt: 1 };
    expect(nextFailure).toMatchObject({ ...failure, paymentNumber: 2, reason: 'card_removed' });
    expect(ifDeclined).toMatchObject([{ ...failure, action: 'freeze', retryDate: null }]);
    // Another order with the same card keeps it again: what was withdrawn stays so.
    await timed.caller.paid({ email });
    expect((await read(payment.customerId)).paymentMethods).toHaveLength(1);
    await timed.moveDays(31);
    expect(await rebillsOf(id)).toEqual(['Failed']);
    const [rebill] = await timed.rebills(id);
    const { body: failed } = await timed.caller.get(`/v1/payments/${rebill.transactionId}`);
    expect(failed).toMatchObject({ status: 'Failed', message: 'card_removed' });
    expect(await timed.subscription(id)).toMatchObject({
      active: true,
      frozen: true,
      freezeReason: 'card-removed',
    });
    const [kept] = (await read(payment.customerId)).paymentMethods;
    expect((await timed.act(id, 'card', { token: kept.token })).status).toBe(200);
    await timed.moveDays(1);
    expect(await rebillsOf(id)).toEqual(['Failed', 'Captured']);
  });

  test('and given again at once is billed', async () => {
    const { payment, ids } = await timed.subscribe({ email: someone() });
    const id = ids[0] as number;
    await remove(payment.customerId);
    expect((await timed.act(id, 'card', { card: card() })).status).toBe(200);
    expect(await timed.schedule(id, 1)).toMatchObject({ charges: [{}], nextFailure: null });
    await timed.moveDays(31);
    expect(await rebillsOf(id)).toEqual(['Captured']);
  });
});

describe('visibility', () => {
  test('to another tenant a customer does not exist', async () => {
    const { id, email, rowVersion } = await registered(CONTACT);
    const body = JSON.stringify({ email, rowVersion });
    const type = { 'Content-Type': 'application/json' };
    const asked = (customer: number): Promise<Answer>[] => [
      neighbour.get(`/customers/${customer}`),
      neighbour.get(`/customers/${customer}/subscriptions`),
      neighbour.send('PUT', `/customers/${customer}`, body, type),
      neighbour.post(`/customers/${customer}/payment-methods`, { card: card() }),
      erase(customer, neighbour),
    ];
    const [theirs, nobodys] = [await Promise.all(asked(id)), await Promise.all(asked(UNKNOWN))];
    for (const [index, found] of theirs.entries()) {
      expectRefusal(found, 404, 'not_found');
      expect({ ...found.body, requestId: '' }).toEqual({ ...nobodys[index]?.body, requestId: '' });
    }
    expect(await read(id)).toMatchObject({ email, erased: false });
    const same = await neighbour.post('/customers', { email });
    expect(same.status, same.text).toBe(201);
  });

  test('live and test customers of the same email are two', async () => {
    const email = someone();
    const live = await registered({ email, ...CONTACT });
    const tester = await callerWith(timed.running, TENANT, { environment: 'test' });
    expectRefusal(await tester.get(`/customers/${live.id}`), 404, 'not_found');
    const trial = await tester.post('/customers', { email });
    expect(trial.status, trial.text).toBe(201);
    expect(trial.body).toMatchObject({ sandbox: true, firstName: '' });
    expect((await erase(trial.body.id, tester)).status).toBe(200);
    expect(await read(live.id)).toMatchObject({ email, erased: false });
    const byLive = await tester.send('DELETE', `/customers/${live.id}?sandbox=false`, undefined);
    expectRefusal(byLive, 403, 'live_data_forbidden');
  });

  test('the list of subscriptions has all of the customer, the newest first, page by page', async () => {
    const email = someone();
    const ids: number[] = [];
    for (let each = 0; each < 3; each += 1) {
      ids.unshift(await timed.subscribed({ email }));
      await timed.moveDays(1);
    }
    await timed.subscribed({ email: someone() });
    await timed.unsubscribe({ email, subscriberIds: `[${ids[1]}]` });
    const [{ customerId }] = await timed.records(ids[0] as number);
    const path = `/customers/${customerId}/subscriptions`;
    const all = (await timed.caller.get(path)).body.subscriptions;
    expect(all.map((each: Json) => [each.id, each.active])).toEqual([
      [ids[0], true],
      [ids[1], false],
      [ids[2], true],
    ]);
    const { body: first } = await timed.caller.get(`${path}?limit=2`);
    const { body: rest } = await timed.caller.get(`${path}?limit=2&cursor=${first.nextCursor}`);
    expect([...first.subscriptions, ...rest.subscriptions]).toEqual(all);
    expect(rest).toMatchObject({ hasMore: false, nextCursor: null });
  });
});
