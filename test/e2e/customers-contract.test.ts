/** What the contract says of a customer's emails, and of the tokens of their cards. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { present } from './api.ts';
import { startTimedHost, type Timed } from './contract-host.ts';
import { customersOf, newEmail } from './customer-requests.ts';
import { type Answer, CARDS, card, expectRefusal, type Json } from './running-host.ts';

const TENANT = 66;
let timed: Timed;

beforeAll(async () => {
  timed = await startTimedHost({ tenantId: TENANT });
});

afterAll(() => timed.close());

const { register: registered, put, read, erase } = customersOf(() => timed.caller);

describe('an email', () => {
  test.each(['R&D=x+1', "o'hara/club", 'jörg'])(
    'of %s is kept and found as given',
    async (local) => {
      const [person] = newEmail().split('@');
      const email = `${local}${person}@BÜCHER.example`;
      const ascii = `${local.toUpperCase()}${person}@xn--bcher-kva.example`;
      const { id } = await registered({ email });
      expect(await read(id)).toMatchObject({ email });
      expectRefusal(
        await timed.caller.post('/customers', { body: { email: ascii } }),
        409,
        'duplicate',
      );
      const payment = await timed.caller.paid({ email: ascii });
      expect(payment).toMatchObject({ customerId: id, email: ascii });
      expect(await timed.caller.found({ emails: [email] })).toEqual([payment.id]);
      const query = { emails: [ascii.toLowerCase()] };
      const { body: listed } = await timed.caller.get('/v1/payments', { query });
      expect(listed.data.map((each) => each.id)).toEqual([payment.id]);
      const { rowVersion } = await read(id);
      expect((await put(id, { email: ascii, rowVersion })).body).toMatchObject({
        id,
        email: ascii,
      });
      expectRefusal(await timed.caller.post('/customers', { body: { email } }), 409, 'duplicate');
    },
  );

  test('of the agent may be any, in header and body', async () => {
    const agent = 'jörg&co@bücher.example';
    const header = Buffer.from(agent, 'utf8').toString('latin1');
    const ask = (userEmail: string) =>
      timed.caller.post('/customers', {
        body: { email: newEmail(), userEmail },
        headers: { UserEmail: header },
      });
    const answer = await ask('JÖRG&co@xn--bcher-kva.example');
    expect(answer.status, answer.text).toBe(201);
    expectRefusal(await ask('jorg@bücher.example'), 400, 'user_email_mismatch');
  });

  test('an invalid one is refused in every field', async () => {
    const none = 'ada@example.com\r\nBcc: all@example.com';
    const asked = [
      await timed.caller.post('/customers', { body: { email: none } }),
      await timed.caller.pay({ email: none }),
      await timed.caller.pay({ addresses: [{ email: none }] }),
      await timed.caller.search({ emails: [none] }),
      await timed.unsubscribe({ email: none }),
    ];
    for (const answer of asked) expectRefusal(answer, 400, 'invalid_request');
  });
});

describe('an email that has changed', () => {
  test('is the one that ends subscriptions, and the next rebill carries it', async () => {
    const [before, after] = [newEmail(), newEmail()];
    const { payment, ids } = await timed.subscribe({ email: before });
    const id = ids[0] as number;
    const { rowVersion } = await read(payment.customerId);
    const moved = await put(payment.customerId, { email: after, rowVersion });
    expect(moved.status, moved.text).toBe(200);
    await timed.moveDays(31);
    const [rebill] = await timed.rebills(id);
    expect(rebill).toMatchObject({ email: after, customerId: payment.customerId });
    expect((await timed.unsubscribe({ email: newEmail() })).body).toMatchObject({
      unsubscribes: 0,
    });
    expect(await timed.subscription(id)).toMatchObject({ active: true });
    expect((await timed.unsubscribe({ email: before })).body).toMatchObject({ unsubscribes: 1 });
  });
});

/** Removes the payment methods of a customer. */
async function removed(id: number): Promise<void> {
  for (const { id: methodId } of (await read(id)).paymentMethods) {
    const answer = await timed.caller.delete('/customers/{id}/payment-methods/{methodId}', {
      path: { id, methodId },
    });
    expect(answer.status).toBe(200);
  }
}

const HOLDERS = ['a payment', 'a payment that was never captured', 'a payment method'] as const;

describe('the token of a card', () => {
  async function tokenFrom(holder: (typeof HOLDERS)[number], { id, email }: Json): Promise<Json> {
    if (holder === 'a payment method') {
      const { body } = await timed.caller.post('/customers/{id}/payment-methods', {
        path: { id },
        body: { card: card() },
      });
      return body.token;
    }
    const capture = holder === 'a payment';
    return (await timed.caller.paid({ email, capture })).card?.token;
  }

  /** Everything that takes a token, asked in the name of a customer. */
  async function uses({ id, email }: Json, token: string): Promise<Answer[]> {
    const ids = (await timed.caller.get('/customers/{id}/subscriptions', { path: { id } })).body
      .subscriptions;
    return [
      await timed.caller.pay({ email, card: undefined, token }),
      await timed.caller.post('/v1/card/submit', {
        body: {
          ...{ amount: 1, currency: 'GBP', companyId: 5 },
          ...{ email, token },
        },
      }),
      await timed.caller.post('/customers/{id}/payment-methods', { path: { id }, body: { token } }),
      await timed.act(present(ids[0]).id, 'card', { token }),
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
    const stranger = await timed.caller.pay({ email: newEmail(), card: undefined, token });
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
    const pay = () => timed.caller.pay({ email: owner.email, card: undefined, token: used?.token });
    expectRefusal(await pay(), 400, 'token_unknown');
    await registered({ email: owner.email });
    expectRefusal(await pay(), 400, 'token_unknown');
  });

  test('goes with the customer to another email', async () => {
    const { id, email } = await registered();
    const { card: used } = await timed.caller.paid({ email });
    const { rowVersion } = await read(id);
    const moved = newEmail();
    expect((await put(id, { email: moved, rowVersion })).status).toBe(200);
    const pay = (by: string) =>
      timed.caller.pay({ email: by, card: undefined, token: used?.token });
    expect((await pay(moved)).status).toBe(201);
    expectRefusal(await pay(email), 400, 'token_unknown');
  });

  test('stays removed when a payment of before is captured', async () => {
    const owner = await registered();
    await tokenFrom('a payment method', owner);
    const { id } = await timed.caller.paid({ email: owner.email, capture: false });
    await removed(owner.id);
    expect(
      (await timed.caller.post('/v1/payments/{id}/capture', { path: { id }, body: {} })).status,
    ).toBe(200);
    expect((await read(owner.id)).paymentMethods).toEqual([]);
  });
});

describe('a card that is removed', () => {
  const rebillsOf = async (id: number) =>
    (await timed.rebills(id)).map(({ status }: Json) => status);

  test('is not billed until the subscription is given a card', async () => {
    const email = newEmail();
    const { payment, ids } = await timed.subscribe({ email });
    const id = ids[0] as number;
    await removed(payment.customerId);
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
    const { body: failed } = await timed.caller.get('/v1/payments/{id}', {
      path: { id: rebill.transactionId },
    });
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
    const { payment, ids } = await timed.subscribe({ email: newEmail() });
    const id = ids[0] as number;
    await removed(payment.customerId);
    expect((await timed.act(id, 'card', { card: card() })).status).toBe(200);
    expect(await timed.schedule(id, 1)).toMatchObject({ charges: [{}], nextFailure: null });
    await timed.moveDays(31);
    expect(await rebillsOf(id)).toEqual(['Captured']);
  });
});
