/** Customers over HTTP: registered once, replaced by version, and listed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDRESS, customersOf, newEmail, UNKNOWN_ID, visible } from './customer-requests.ts';
import {
  type Answer,
  CARDS,
  type Caller,
  callerWith,
  card,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

/** More than the customers of these tests fill. */
const MAX_PAGES = 50;
const NO_METHOD = '0198c0de-0000-7000-8000-000000000000';

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

describe('registering', () => {
  it('answers the whole customer, and so does reading', async () => {
    const email = newEmail();
    const given = { email, firstName: 'Ada', lastName: 'Lovelace', phone: '123' };
    const { body, headers, status } = await caller.post('/customers', {
      body: {
        parentCompanyId: 11,
        userEmail: 'agent@example.com',
        ...given,
        addresses: [ADDRESS, {}],
      },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      message: 'Registered',
      id: expect.any(Number),
      parentCompanyId: 11,
      ...given,
      addresses: [
        ADDRESS,
        {
          addressType: 'DEFAULT',
          email,
          firstName: '',
          lastName: '',
          address: '',
          city: '',
          postalCode: '',
          state: '',
          countryCode: '',
          phone: '',
        },
      ],
      paymentMethods: [],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body.createdAt,
      rowVersion: 1,
      sandbox: false,
      erased: false,
    });
    expect(headers.get('etag')).toBe('"1"');
    const again = await caller.get('/customers/{id}', { path: { id: body.id } });
    expect(again.body).toEqual({ ...body, message: '' });
    expect(again.headers.get('etag')).toBe('"1"');
  });

  it('an email belongs to one customer, whatever its case', async () => {
    const { email } = await register();
    const again = await caller.post('/customers', { body: { email: email.toUpperCase() } });
    expectRefusal(again, 409, 'duplicate');
    expect(again.body.errors).toEqual([expect.objectContaining({ pointer: '/email' })]);
  });

  it('of two at the same time exactly one is taken', async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = newEmail();
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => caller.post('/customers', { body: { email } })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    }
  });

  it('a key names the registration', async () => {
    const body = { email: newEmail(), firstName: 'Ada' };
    const headers = { 'Idempotency-Key': `register-${body.email}` };
    const first = await caller.post('/customers', { body, headers });
    const again = await caller.post('/customers', { body, headers });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('etag')).toBe('"1"');
    expectRefusal(
      await caller.post('/customers', { body: { ...body, firstName: 'Eve' }, headers }),
      422,
      'idempotency_key_reused',
    );
  });

  it('an email of a payment that failed gets the id that the payment carries', async () => {
    const email = newEmail();
    const declined = await caller.pay({ email, card: card(CARDS.doNotHonour) });
    expect(declined.status).toBe(402);
    const customer = await register({ email });
    expect(customer.id).toBe(declined.body.customerId);
  });

  it.each<[string, Json, string]>([
    ['no email', { email: undefined }, '/email'],
    ['no address of an email', { email: 'ada' }, '/email'],
    ['an email that is too long', { email: `${'x'.repeat(250)}@example.com` }, '/email'],
    ['a name that is a number', { firstName: 7 }, '/firstName'],
    ['a name with a line break', { lastName: 'a\nb' }, '/lastName'],
    ['a name that is too long', { firstName: 'x'.repeat(201) }, '/firstName'],
    ['a phone that is too long', { phone: '1'.repeat(65) }, '/phone'],
    ['eleven addresses', { addresses: Array(11).fill(ADDRESS) }, '/addresses'],
    [
      'a country of three letters',
      { addresses: [{ ...ADDRESS, countryCode: 'GBR' }] },
      '/addresses/0/countryCode',
    ],
    [
      'an address of another kind',
      { addresses: [{ ...ADDRESS, addressType: 'HOME' }] },
      '/addresses/0/addressType',
    ],
    ['sandbox that is a text', { sandbox: 'yes' }, '/sandbox'],
  ])('refuses %s', async (_, changes, pointer) => {
    const answer = await caller.post('/customers', { body: { email: newEmail(), ...changes } });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors).toEqual([expect.objectContaining({ pointer })]);
  });

  it('refuses claims that are another’s', async () => {
    expectRefusal(
      await caller.post('/customers', { body: { email: newEmail(), parentCompanyId: 12 } }),
      403,
      'tenant_mismatch',
    );
    expectRefusal(
      await caller.post('/customers', {
        body: { email: newEmail(), userEmail: 'other@example.com' },
      }),
      400,
      'user_email_mismatch',
    );
    expectRefusal(
      await caller.post('/customers', {
        body: { email: newEmail() },
        headers: { UserEmail: undefined },
      }),
      400,
      'user_email_required',
    );
  });
});

describe('replacing', () => {
  it('takes all contact data, and leaves out what is left out', async () => {
    const before = await register({ firstName: 'Ada', phone: '1', addresses: [ADDRESS] });
    const { status, body, headers } = await put(before.id, {
      email: before.email,
      lastName: 'King',
      rowVersion: 1,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      message: 'Replaced',
      firstName: '',
      lastName: 'King',
      phone: '',
      addresses: [],
      updatedAt: body.updatedAt,
      rowVersion: 2,
    });
    expect(headers.get('etag')).toBe('"2"');
    expect(await read(before.id)).toEqual({ ...body, message: '' });
  });

  it('takes back what was read', async () => {
    const { id } = await register({ firstName: 'Ada', addresses: [ADDRESS] });
    const before = await read(id);
    expectRefusal(await put(id, { ...before, id: id + 1 }), 400, 'invalid_request');
    const same = await put(id, before);
    expect(same.body).toEqual({ ...before, message: 'Replaced' });
    const changed = await put(id, { ...before, firstName: 'Augusta' });
    expect(changed.body).toMatchObject({
      ...before,
      message: 'Replaced',
      firstName: 'Augusta',
      rowVersion: 2,
      updatedAt: expect.anything(),
    });
  });

  it('refuses a version that is not the latest, or none', async () => {
    const { id, email } = await register();
    expect((await put(id, { email, phone: '1', rowVersion: 1 })).status).toBe(200);
    for (const rowVersion of [1, 3]) {
      const stale = await put(id, { email, phone: '2', rowVersion });
      expectRefusal(stale, 409, 'stale_row_version');
      expect(stale.body.message).toBe(`rowVersion is 2, not ${rowVersion}`);
    }
    const none = await put(id, { email, phone: '2' });
    expectRefusal(none, 400, 'invalid_request');
    expect(none.body.errors).toEqual([expect.objectContaining({ pointer: '/rowVersion' })]);
    expect((await read(id)).phone).toBe('1');
  });

  it.each([
    ['the version', '"1"', 200],
    ['any version', '*', 200],
    ['one of several', '"7", "1"', 200],
    ['another version', '"2"', 412],
    ['a weak one', 'W/"1"', 412],
    ['no entity tag', '1', 412],
    ['nothing', '', 412],
  ])('If-Match of %s', async (_, ifMatch, status) => {
    const { id, email } = await register();
    const answer = await put(id, { email, phone: '1', rowVersion: 1 }, { 'If-Match': ifMatch });
    expect(answer.status, answer.text).toBe(status);
    if (status === 412) expectRefusal(answer, 412, 'precondition_failed');
  });

  it('of two replacements of one version exactly one succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await register();
      const answers = await Promise.all(
        [1, 2, 3].map((n) => put(id, { email: newEmail(), phone: String(n), rowVersion: 1 })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      const winner = answers.find(({ status }) => status === 200)?.body;
      expect(await read(id)).toEqual({ ...winner, message: '' });
    }
  });

  it('moves the claim to another email, and frees the former', async () => {
    const { id, email: former } = await register();
    const email = newEmail();
    expect((await put(id, { email, rowVersion: 1 })).status).toBe(200);
    expectRefusal(await caller.post('/customers', { body: { email } }), 409, 'duplicate');
    expect((await caller.paid({ email })).customerId).toBe(id);
    const next = await register({ email: former });
    expect(next.id).not.toBe(id);
    expect((await caller.paid({ email: former })).customerId).toBe(next.id);
  });

  it('back and forth ends with one claim', async () => {
    const { id, email: first } = await register();
    const second = newEmail();
    for (const [index, email] of [second, first, second, first].entries()) {
      expect((await put(id, { email, rowVersion: index + 1 })).status).toBe(200);
    }
    expectRefusal(await caller.post('/customers', { body: { email: first } }), 409, 'duplicate');
    await register({ email: second });
  });

  it('refuses an email that is taken, and changes nothing', async () => {
    const [one, two] = [await register(), await register()];
    const taken = await put(one.id, { email: two.email, phone: '1', rowVersion: 1 });
    expectRefusal(taken, 409, 'duplicate');
    expect(await read(one.id)).toEqual({ ...one, message: '' });
    expect((await put(one.id, { email: one.email, phone: '1', rowVersion: 1 })).status).toBe(200);
  });

  it('of two customers with one email one is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const both = [await register(), await register()];
      const email = newEmail();
      const answers = await Promise.all(both.map(({ id }) => put(id, { email, rowVersion: 1 })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const emails = await Promise.all(both.map(async ({ id }) => (await read(id)).email));
      expect(emails.filter((each) => each === email)).toHaveLength(1);
      // The refused customer keeps their own email.
      const loser = both[answers.findIndex(({ status }) => status === 409)];
      expectRefusal(
        await caller.post('/customers', { body: { email: loser.email } }),
        409,
        'duplicate',
      );
    }
  });

  it('an email swapped while it is released is never lost', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, email: former } = await register();
      const email = newEmail();
      const [moved, ...others] = await Promise.all([
        put(id, { email, rowVersion: 1 }),
        caller.post('/customers', { body: { email: former } }),
        caller.post('/customers', { body: { email: former } }),
      ]);
      expect(moved?.status).toBe(200);
      const taken = others.filter(({ status }) => status === 201);
      expect(taken.length).toBeLessThanOrEqual(1);
      const after = await caller.post('/customers', { body: { email: former } });
      expect(after.status).toBe(taken.length === 1 ? 409 : 201);
    }
  });
});

describe('environments', () => {
  it('a test key makes and sees test customers only', async () => {
    const live = await register();
    const test = await register({ email: live.email }, tester);
    expect([live.sandbox, test.sandbox]).toEqual([false, true]);
    expect(test.id).not.toBe(live.id);
    expectRefusal(await tester.get('/customers/{id}', { path: { id: live.id } }), 404, 'not_found');
    expect(await read(test.id, tester)).toEqual({ ...test, message: '' });
    expectRefusal(
      await tester.get('/customers/{id}', { path: { id: test.id }, query: { sandbox: false } }),
      403,
      'live_data_forbidden',
    );
    expectRefusal(
      await tester.post('/customers', { body: { email: newEmail(), sandbox: false } }),
      403,
      'live_data_forbidden',
    );
  });

  it('a live key sees live customers, and test customers when asked', async () => {
    const test = await register({ sandbox: true });
    expectRefusal(await caller.get('/customers/{id}', { path: { id: test.id } }), 404, 'not_found');
    const shown = await read(test.id, caller, { sandbox: true });
    expect(shown).toEqual({ ...test, message: '' });
    const changed = await put(test.id, { ...shown, phone: '1' });
    expect(changed.body).toMatchObject({ sandbox: true, phone: '1' });
    expectRefusal(await put(test.id, { ...shown, sandbox: undefined }), 404, 'not_found');
  });
});

describe('the list', () => {
  const idsOf = ({ body }: { body: Json }) => body.customers.map(({ id }: Json) => id);
  const list = (by: Caller, query = {}) => by.get('/customers', { query });

  it('has everybody as a read of one shows them, the newest first, page by page', async () => {
    const made: Json[] = [];
    for (const firstName of ['Ada', 'Grace', 'Edith']) made.unshift(await register({ firstName }));
    await addMethod(made[1]?.['id'], { card: card() });
    const { status, body } = await list(caller, { limit: 3 });
    expect(status).toBe(200);
    expect(idsOf({ body })).toEqual(made.map(({ id }) => id));
    for (const each of body.customers) {
      expect(await read(each.id)).toEqual({ success: true, message: '', ...each });
    }
    expect(body.customers[1]?.paymentMethods).toMatchObject([{ last4: '4242', isDefault: true }]);

    const listed: number[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < MAX_PAGES; pages += 1) {
      const page: Answer = await list(caller, { limit: 7, ...(cursor !== '' && { cursor }) });
      listed.push(...idsOf(page));
      expect(page.body.hasMore).toBe(page.body.nextCursor !== null);
      cursor = page.body.nextCursor;
    }
    expect(listed.length).toBeGreaterThan(7);
    expect(new Set(listed).size).toBe(listed.length);
    expect(idsOf(await list(caller))).toEqual(listed.slice(0, 100));
  });

  it('has who has just paid, once their payment is followed up', async () => {
    const { customerId } = await caller.paid({ email: newEmail() });
    await read(customerId);
    expect(idsOf(await list(caller, { limit: 1 }))).toEqual([customerId]);
  });

  it('shows those who are erased without anything about them', async () => {
    const { id, email } = await register({
      firstName: 'Augusta',
      phone: '020 7946',
      addresses: [ADDRESS],
    });
    expect((await list(caller, { limit: 1 })).text).toContain(email);
    expect((await erase(id)).status).toBe(200);
    const { body } = await list(caller, { limit: 1 });
    const { success: _, message: __, ...gone } = await read(id);
    expect(body.customers).toEqual([gone]);
    const nothing = { email: '', firstName: '', lastName: '', phone: '', addresses: [] };
    expect(gone).toMatchObject({ id, erased: true, ...nothing, paymentMethods: [] });
  });

  it('keeps to its environment', async () => {
    const { id } = await register({}, tester);
    expect(idsOf(await list(tester, { limit: 1 }))).toEqual([id]);
    expect(idsOf(await list(caller, { sandbox: true, limit: 1 }))).toEqual([id]);
    expect(idsOf(await list(caller))).not.toContain(id);
    expectRefusal(await list(tester, { sandbox: false }), 403, 'live_data_forbidden');
  });

  it('has nobody of another tenant, by a cursor of theirs neither', async () => {
    const { id } = await register();
    await register();
    const { nextCursor: cursor } = (await list(caller, { limit: 1 })).body;
    const own = await register({}, stranger);
    const all = await list(stranger);
    expect(idsOf(all)).toContain(own['id']);
    const theirs = await list(stranger, { cursor });
    for (const { body } of [all, theirs]) {
      expect(body.customers.map((each: Json) => each.parentCompanyId)).toEqual(
        body.customers.map(() => 12),
      );
    }
    expect(idsOf(await list(caller, { cursor, limit: 1 }))).toEqual([id]);
  });

  it.each([
    ['cursor=nonsense', '/query/cursor'],
    // Of the subscriptions, and of the payments.
    ['cursor=MQ', '/query/cursor'],
    ['cursor=WzEsIjEiXQ', '/query/cursor'],
    ['limit=0', '/query/limit'],
    ['limit=101', '/query/limit'],
    ['limit=1&limit=2', '/query/limit'],
    ['sandbox=maybe', '/query/sandbox'],
  ])('is refused with %s', async (query, pointer) => {
    const answer = await caller.wire.get(`/customers?${query}`);
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors.map((each: Json) => each.pointer)).toEqual([pointer]);
  });

  it('is recorded, and needs UserEmail and its scope', async () => {
    await list(caller);
    const { body } = await caller.get('/api/admin/activity', {
      query: { action: 'customers.list', limit: 1 },
    });
    expect(body.items).toMatchObject([
      { action: 'customers.list', outcome: 'done', subject: null },
    ]);
    const nobody = await caller.get('/customers', { headers: { UserEmail: undefined } });
    expectRefusal(nobody, 400, 'user_email_required');
    const blind = await callerWith(running, 11, { scopes: ['subscriptions:read'] });
    expectRefusal(await list(blind), 403, 'insufficient_scope');
  });
});

describe('what is another’s', () => {
  it('answers like what is not there', async () => {
    const { id, email } = await register();
    const method = (await addMethod(id, { card: card() })).body;
    const ways: ((at: number) => Promise<Answer>)[] = [
      (at) => stranger.get('/customers/{id}', { path: { id: at } }),
      (at) => put(at, { email, rowVersion: 2 }, {}, stranger),
      (at) => put(at, { email, rowVersion: 2 }, { 'If-Match': '"9"' }, stranger),
      (at) =>
        stranger.post('/customers/{id}/payment-methods', {
          path: { id: at },
          body: { card: card() },
        }),
      (at) =>
        stranger.delete('/customers/{id}/payment-methods/{methodId}', {
          path: { id: at, methodId: method.id },
        }),
    ];
    for (const ask of ways) {
      const nothing = visible(await ask(UNKNOWN_ID));
      expect(nothing.status).toBe(404);
      expect(visible(await ask(id))).toEqual(nothing);
    }
    expect((await read(id)).rowVersion).toBe(2);
  });

  it('an email of another tenant is free, and a token of another’s card is nothing', async () => {
    const mine = await register();
    const theirs = await register({ email: mine.email }, stranger);
    const { token } = (await addMethod(mine.id, { card: card() })).body;
    expectRefusal(
      await stranger.post('/customers/{id}/payment-methods', {
        path: { id: theirs.id },
        body: { token },
      }),
      400,
      'token_unknown',
    );
  });

  it('needs its scopes', async () => {
    const { id, email } = await register();
    const reader = await callerWith(running, 11, { scopes: ['customers:read'] });
    const writer = await callerWith(running, 11, { scopes: ['customers:write'] });
    expect((await reader.get('/customers/{id}', { path: { id } })).status).toBe(200);
    expectRefusal(await writer.get('/customers/{id}', { path: { id } }), 403, 'insufficient_scope');
    expectRefusal(await reader.post('/customers', { body: { email } }), 403, 'insufficient_scope');
    expectRefusal(await put(id, { email, rowVersion: 1 }, {}, reader), 403, 'insufficient_scope');
    expectRefusal(
      await reader.post('/customers/{id}/payment-methods', {
        path: { id },
        body: { card: card() },
      }),
      403,
      'insufficient_scope',
    );
    expectRefusal(
      await reader.delete('/customers/{id}/payment-methods/{methodId}', {
        path: { id, methodId: NO_METHOD },
      }),
      403,
      'insufficient_scope',
    );
  });
});

it.each(['abc', '0', '-1', '1.5', '1e3', '99999999999999999999', '%20', 'constructor'])(
  'the id %s is no id of a customer',
  async (id) => {
    expectRefusal(await caller.wire.get(`/customers/${id}`), 400, 'invalid_request');
    expectRefusal(
      await caller.wire.send('DELETE', `/customers/${id}/payment-methods/${NO_METHOD}`, undefined),
      400,
      'invalid_request',
    );
  },
);
