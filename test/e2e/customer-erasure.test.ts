/** Customers erased over HTTP: nothing of the person is left to be read, and their emails are free. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDRESS, customersOf, newEmail, UNKNOWN_ID, visible } from './customer-requests.ts';
import {
  CARDS,
  type Caller,
  callerWith,
  card,
  expectRefusal,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

let running: Running;
let caller: Caller;
let stranger: Caller;
let tester: Caller;
const { register, put, read, addMethod, erase } = customersOf(() => caller);

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, 11);
  stranger = await openTenant(running, 12);
  tester = await callerWith(running, 11, { environment: 'test' });
});
afterAll(async () => running.close());

describe('erasing', () => {
  it('leaves ids and times, and nothing of the person', async () => {
    const before = await register({ firstName: 'Ada', phone: '5', addresses: [ADDRESS] });
    const { id, email } = before;
    const method = (await addMethod(id, { card: card() })).body;
    const erased = await erase(id);
    expect([erased.status, erased.body]).toEqual([
      200,
      { success: true, message: `Customer ${id} is erased` },
    ]);
    const after = await read(id);
    expect(after).toEqual({
      ...before,
      message: '',
      email: '',
      firstName: '',
      lastName: '',
      phone: '',
      addresses: [],
      paymentMethods: [],
      updatedAt: expect.any(String),
      rowVersion: expect.any(Number),
      erased: true,
    });
    for (const rowVersion of [1, after.rowVersion]) {
      expectRefusal(await put(id, { email, rowVersion }), 409, 'customer_erased');
    }
    // The card does not reach the gateway.
    for (const body of [{ card: card() }, { token: 'tok_nobody.AAAA' }]) {
      expectRefusal(await addMethod(id, body), 409, 'customer_erased');
    }
    expectRefusal(
      await caller.delete('/customers/{id}/payment-methods/{methodId}', {
        path: { id, methodId: method.id },
      }),
      409,
      'customer_erased',
    );
    expect((await erase(id)).status).toBe(200);
    expect(await read(id)).toEqual(after);
  });

  it('forgets what callers were answered about the person', async () => {
    const email = newEmail();
    const headers = { 'Idempotency-Key': `erased-${email}` };
    const first = await caller.post('/customers', { body: { email, firstName: 'Ada' }, headers });
    const paid = await caller.pay({ email }, headers);
    const otherKey = { 'Idempotency-Key': `kept-${email}` };
    const other = await caller.pay({ email: newEmail() }, otherKey);
    await erase(first.body.id);
    const again = await caller.pay({ email }, headers);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expect([again.status, again.body.id]).toEqual([201, paid.body.id]);
    expect(again.text).not.toContain(email);
    const { email: kept } = other.body;
    expect((await caller.pay({ email: kept }, otherKey)).text).toBe(other.text);
  });

  it('frees every email, for another customer', async () => {
    const { id, email: former } = await register();
    const email = newEmail();
    expect((await put(id, { email, rowVersion: 1 })).status).toBe(200);
    expect((await erase(id)).status).toBe(200);
    for (const each of [former, email]) {
      const next = await caller.paid({ email: each });
      expect(next.customerId).not.toBe(id);
      expect(next.email).toBe(each);
    }
  });

  it('of somebody whose payments all failed follows a registration', async () => {
    const email = newEmail();
    const declined = await caller.pay({ email, card: card(CARDS.stolen) });
    const { id, customerId } = declined.body;
    expect(declined.status).toBe(402);
    expectRefusal(await erase(customerId), 404, 'not_found');
    expect((await register({ email })).id).toBe(customerId);
    expect((await erase(customerId)).status).toBe(200);
    const shown = await caller.get('/v1/payments/{id}', { path: { id } });
    expect(shown.body).toMatchObject({ id, customerId, amount: declined.body.amount });
    expect(shown.text).not.toContain(email);
  });

  it('keeps the data of a customer whose email only failed payments had used', async () => {
    const [email, other] = [newEmail(), newEmail()];
    const customer = { id: 77 };
    const declined = await caller.pay({ email, customer, card: card(CARDS.stolen) });
    expect(declined.body.customerId).toBe(77);
    expectRefusal(await caller.pay({ email: other, customer }), 400, 'customer_mismatch');
    expect((await register({ email })).id).toBe(77);
    expect((await erase(77)).status).toBe(200);
    expectRefusal(await caller.pay({ email: other, customer }), 400, 'customer_mismatch');
    const { id, customerId } = await caller.paid({ email: other });
    expect(customerId).not.toBe(77);
    expect(await caller.transaction(id)).toMatchObject({ email: other });
  });

  it('is of one environment of one tenant, and needs its scope', async () => {
    const live = await register();
    const test = await register({ email: live.email }, tester);
    const reader = await callerWith(running, 11, { scopes: ['customers:read', 'customers:write'] });
    expectRefusal(await erase(live.id, reader), 403, 'insufficient_scope');
    expect(visible(await erase(live.id, stranger))).toEqual(
      visible(await erase(UNKNOWN_ID, stranger)),
    );
    expectRefusal(await erase(live.id, tester), 404, 'not_found');
    expectRefusal(await erase(live.id, tester, { sandbox: false }), 403, 'live_data_forbidden');
    expectRefusal(await erase(live.id, caller, { sandbox: true }), 404, 'not_found');
    expect((await erase(test.id, caller, { sandbox: true })).status).toBe(200);
    expect(await read(live.id)).toEqual({ ...live, message: '' });
    expect(await read(test.id, tester)).toMatchObject({ erased: true });
  });

  it('during replacements and payments leaves no data', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, email: former } = await register();
      const email = newEmail();
      const [erased, ...others] = await Promise.all([
        erase(id),
        put(id, { email, rowVersion: 1 }),
        addMethod(id, { card: card() }),
        caller.pay({ email: former }),
      ]);
      expect(erased?.status, erased?.text).toBe(200);
      for (const { status, text } of others) expect([200, 201, 409], text).toContain(status);
      expect(await read(id)).toMatchObject({ email: '', paymentMethods: [], erased: true });
      for (const each of [former, email]) {
        expect((await caller.paid({ email: each })).customerId).not.toBe(id);
      }
    }
  });
});
