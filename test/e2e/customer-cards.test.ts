/** The cards of customers over HTTP, and the customers that payments register. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDRESS, customersOf, newEmail, UNKNOWN_ID } from './customer-requests.ts';
import {
  CARDS,
  type Caller,
  card,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

let running: Running;
let caller: Caller;
const { register, read, addMethod } = customersOf(() => caller);

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, 11);
});
afterAll(async () => running.close());

describe('payment methods', () => {
  it('are kept, and pay', async () => {
    const { id, email } = await register();
    const added = await addMethod(id, { card: card() });
    expect(added.status, added.text).toBe(201);
    expect(added.body).toEqual({
      success: true,
      message: 'Added',
      id: expect.any(String),
      cardBrandId: 1,
      cardBrand: 'NetworkA',
      bin: '424242',
      last4: '4242',
      expMonth: 12,
      expYear: 2039,
      token: expect.any(String),
      isDefault: true,
      customerId: id,
      rowVersion: 2,
    });
    expect(added.headers.get('etag')).toBe('"2"');
    const { paymentMethods, rowVersion } = await read(id);
    const { success, message, customerId, rowVersion: version, ...method } = added.body;
    expect([paymentMethods, rowVersion]).toEqual([[method], version]);
    const paid = await caller.paid({ email, card: undefined, token: method.token });
    expect(paid).toMatchObject({ customerId: id, card: { last4: '4242' } });
  });

  it('a token of a payment can be kept, and a card that is known keeps its id', async () => {
    const { id, email } = await register();
    const { card: used } = await caller.paid({ email, capture: false });
    const first = await addMethod(id, { token: used?.token });
    const again = await addMethod(id, { card: card() });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.id).toBe(first.body.id);
    expect((await read(id)).paymentMethods).toHaveLength(1);
  });

  it('another becomes the default when asked, and gives way when it is removed', async () => {
    const { id } = await register();
    const one = (await addMethod(id, { card: card() })).body;
    const two = (await addMethod(id, { card: card(CARDS.networkB) })).body;
    const three = (await addMethod(id, { card: card(CARDS.networkC), default: true })).body;
    const defaults = async () =>
      (await read(id)).paymentMethods
        .filter(({ isDefault }: Json) => isDefault)
        .map((each: Json) => each.id);
    expect([one.isDefault, two.isDefault, three.isDefault]).toEqual([true, false, true]);
    expect(await defaults()).toEqual([three.id]);
    const removed = await caller.delete('/customers/{id}/payment-methods/{methodId}', {
      path: { id, methodId: three.id },
    });
    expect(removed.status, removed.text).toBe(200);
    expect(removed.body).toMatchObject({ id, message: 'Removed', rowVersion: 5 });
    expect(await defaults()).toEqual([two.id]);
    expectRefusal(
      await caller.delete('/customers/{id}/payment-methods/{methodId}', {
        path: { id, methodId: three.id },
      }),
      404,
      'not_found',
    );
  });

  it('a key names the card', async () => {
    const { id } = await register();
    const headers = { 'Idempotency-Key': `card-of-${id}` };
    const first = await addMethod(id, { card: card() }, headers);
    const again = await addMethod(id, { card: card() }, headers);
    expect(again.text).toBe(first.text);
    const other = await addMethod(id, { card: card(CARDS.networkB) }, headers);
    expectRefusal(other, 422, 'idempotency_key_reused');
    expect((await read(id)).paymentMethods).toHaveLength(1);
  });

  it('are at most 20', async () => {
    const { id } = await register();
    for (let n = 0; n < 20; n += 1) {
      const added = await addMethod(id, {
        card: card(luhn(`400000001${String(n).padStart(6, '0')}`)),
      });
      expect(added.status, added.text).toBe(201);
    }
    expectRefusal(await addMethod(id, { card: card() }), 400, 'limit_reached');
  });

  it.each<[string, Json, string]>([
    ['neither card nor token', {}, 'invalid_request'],
    ['card and token', { card: card(), token: 'x.y' }, 'invalid_request'],
    ['a number with a wrong digit', { card: card('4242424242424241') }, 'card_invalid'],
    ['an expired card', { card: { ...card(), expYear: 2020 } }, 'card_invalid'],
    ['an unknown token', { token: 'tok_unknown.AAAA' }, 'token_unknown'],
    ['a company that is not there', { card: card(), companyId: 77 }, 'reference_unknown'],
    ['a default that is a text', { card: card(), default: 'yes' }, 'invalid_request'],
  ])('refuses %s', async (_, body, code) => {
    const { id } = await register();
    expectRefusal(await addMethod(id, body), 400, code);
    expect((await read(id)).paymentMethods).toEqual([]);
  });

  it('a number in another field is refused, and kept nowhere', async () => {
    const { id } = await register();
    const { number } = card();
    const misplaced = { ...card(), holder: number };
    const answer = await fetch(`${running.url}/customers/${id}/payment-methods`, {
      method: 'POST',
      headers: {
        Authorization: caller.key,
        ClientId: '11',
        UserEmail: 'agent@example.com',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ card: misplaced }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain(number);
  });
});

describe('a paying customer', () => {
  it('is a customer, with the card that paid', async () => {
    const email = newEmail();
    const addresses = [{ ...ADDRESS, email, phone: '5' }];
    const customer = { firstName: 'Grace', lastName: 'Hopper' };
    const { customerId, card: used } = await caller.paid({ email, customer, addresses });
    const { body } = await caller.get('/customers/{id}', { path: { id: customerId } });
    expect(body).toMatchObject({ email, ...customer, phone: '5', addresses, rowVersion: 2 });
    expect(body.paymentMethods).toEqual([
      expect.objectContaining({ last4: '4242', token: used?.token, isDefault: true }),
    ]);
  });

  it('cannot be registered, however soon after the payment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = newEmail();
      await caller.paid({ email });
      expectRefusal(await caller.post('/customers', { body: { email } }), 409, 'duplicate');
    }
  });

  it('and was registered before, is the same customer', async () => {
    const { id, email } = await register();
    expect((await caller.paid({ email: email.toUpperCase() })).customerId).toBe(id);
    expect((await read(id)).paymentMethods).toHaveLength(1);
    expect(await read(id)).toMatchObject({ email, firstName: '' });
  });

  it('may be named, if the email agrees', async () => {
    const [one, two] = [await register(), await register()];
    const pay = (id: number, email: string) => caller.pay({ email, customer: { id } });
    for (let twice = 0; twice < 2; twice += 1) {
      const paid = await pay(one.id, one.email);
      expect([paid.status, paid.body.customerId]).toEqual([201, one.id]);
      const other = await pay(one.id, two.email);
      expectRefusal(other, 400, 'customer_mismatch');
      expect(other.body.errors).toEqual([expect.objectContaining({ pointer: '/customer/id' })]);
    }
    expectRefusal(await pay(one.id, newEmail()), 400, 'customer_mismatch');
    expectRefusal(await pay(UNKNOWN_ID, newEmail()), 400, 'customer_mismatch');
    expectRefusal(await pay(4_711, two.email), 400, 'customer_mismatch');
  });

  it('may have an id of the caller’s own, and then has it for good', async () => {
    const [email, other] = [newEmail(), newEmail()];
    const paid = await caller.paid({ email, customer: { id: 4_712 } });
    expect(paid.customerId).toBe(4_712);
    expect((await caller.get('/customers/{id}', { path: { id: 4712 } })).status).toBe(200);
    expectRefusal(
      await caller.pay({ email: other, customer: { id: 4_712 } }),
      400,
      'customer_mismatch',
    );
    expect((await caller.paid({ email })).customerId).toBe(4_712);
    // The email of the payment that was refused is still free.
    await register({ email: other });
  });

  it('and two emails that bring one new id at once are not both paid for', async () => {
    const emails = [newEmail(), newEmail(), newEmail()];
    // An authorization registers no customer: only the claim reserves the id.
    const pay = (email: string) => caller.pay({ email, customer: { id: 4_720 }, capture: false });
    const answers = await Promise.all(emails.map(pay));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    for (const answer of answers) {
      if (answer.status === 400) expectRefusal(answer, 400, 'customer_mismatch');
    }
    expectRefusal(await pay(newEmail()), 400, 'customer_mismatch');
  });
});

/** A number with its check digit. */
function luhn(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
