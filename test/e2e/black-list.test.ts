/** The black list over HTTP: envelopes and versions, and what a blocked payment is answered. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, present } from './api.ts';
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

const TENANT = 15;
const LIST = '/api/admin/blacklist';

let running: Running;
let caller: Caller;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
});
afterAll(() => running.close());

const payment = (more: object = {}) => ({
  amount: 10,
  currency: 'GBP',
  card: card(),
  email: 'ada@example.com',
  ...more,
});

it.each(['/v1/payments', '/v1/card/submit'] as const)(
  'a payment of %s is blocked with 402',
  async (path) => {
    const email = `eve${path.length}@example.com`;
    const made = await caller.post('/api/admin/blacklist', {
      body: { kind: 'email', value: email },
    });
    expect(made.status, made.text).toBe(201);
    const answer = await caller.post(path, { body: payment({ email }) });
    expect(answer.status).toBe(402);
    const { id, ...body } = answer.body;
    expect(body).toMatchObject({ status: 'Blocked', statusId: 72, success: false, attempts: [] });
    expect(body.message).toBe('declined');
    expect(answer.text).not.toMatch(/black|"mask"|list/i);
    const shown = { status: 'Blocked', statusID: 72, blackListing: 1, last4: 4242 };
    expect(await caller.transaction(id)).toMatchObject(shown);
  },
);

it('an entry is made, read, changed by its version and removed', async () => {
  const value = 'Mallory@example.com';
  const made = await caller.post('/api/admin/blacklist', {
    body: { kind: 'email', value, reason: 'Card testing' },
  });
  const { item } = made.body;
  expect(made.headers.get('location')).toBe(`${LIST}/${item.id}`);
  expect(made.headers.get('etag')).toBe('"1"');
  expect(made.body).toMatchObject({ success: true, item: { value: 'm***@***', rowVersion: 1 } });
  const one = '/api/admin/blacklist/{id}';
  const path = { id: item.id };
  const patch = (body: Json, headers = {}) => caller.patch(one, { path, body, headers });
  const read = await caller.get(one, { path });
  expect(read.body.item).toEqual(item);
  expect(read.text).not.toContain('allory');
  expectRefusal(await patch({ reason: 'x' }, { 'If-Match': '"7"' }), 412);
  expectRefusal(await patch({ reason: 'x', rowVersion: 3 }), 409, 'stale_row_version');
  const until = await patch({ expiresAt: '2099-01-01T00:00:00Z' }, { 'If-Match': '"1"' });
  expect(until.body.item).toMatchObject({ expiresAt: '2099-01-01T00:00:00.000Z', rowVersion: 2 });
  const forever = await patch({ ...until.body.item, expiresAt: null });
  expect(forever.body.item).toMatchObject({ expiresAt: null, reason: 'Card testing' });
  expectRefusal(
    await caller.post('/api/admin/blacklist', { body: { kind: 'email', value } }),
    409,
    'duplicate',
  );
  expect((await caller.delete(one, { path })).status).toBe(200);
  expectRefusal(await caller.get(one, { path }), 404, 'not_found');
  expectRefusal(await caller.delete(one, { path }), 404, 'not_found');
});

it('a list is read by cursor, kind, value and environment', async () => {
  for (const value of ['400001', '400002', '400003']) {
    await caller.post('/api/admin/blacklist', { body: { kind: 'bin', value, sandbox: true } });
  }
  const query = { kind: 'bin', sandbox: true, limit: 2 } as const;
  const first = await caller.get(LIST, { query });
  expect(first.body).toMatchObject({ success: true, count: 2, moreResults: true });
  const second = await caller.get(LIST, {
    query: { ...query, cursor: present(first.body.next) },
  });
  expect(second.body).toMatchObject({ count: 1, moreResults: false, next: null });
  expect((await caller.get('/api/admin/blacklist', { query: { kind: 'bin' } })).body.count).toBe(0);
  const found = await caller.get('/api/admin/blacklist', {
    query: { value: '400002', sandbox: true },
  });
  expect(found.body.items).toMatchObject([{ kind: 'bin', value: '400002', sandbox: true }]);
  expectRefusal(await caller.wire.get(`${LIST}?kind=phone`), 400, 'invalid_request');
});

it('names the member that is wrong, and never its value', async () => {
  const wrong = await caller.post('/api/admin/blacklist', {
    body: { kind: 'ip', value: 'nowhere.example' },
  });
  expectRefusal(wrong, 400, 'invalid_request');
  expect(wrong.body.errors).toMatchObject([{ pointer: '/value', detail: 'must be an IP address' }]);
  const both = await caller.post('/api/admin/blacklist', { body: { kind: 'ip' } });
  expect(both.body.errors).toMatchObject([{ pointer: '/value' }, { pointer: '/transactionId' }]);
});

it('test data has a list of its own', async () => {
  const value = CARDS.networkB.slice(0, 8);
  const made = await caller.post('/api/admin/blacklist', {
    body: { kind: 'extendedBin', value, sandbox: true },
  });
  expect(made.body.item).toMatchObject({ value, sandbox: true });
  const given = payment({ card: card(CARDS.networkB) });
  expect((await caller.post('/v1/payments', { body: given })).status).toBe(201);
  const tester = await callerWith(running, TENANT, { environment: 'test' });
  expect((await tester.post('/v1/payments', { body: given })).body.status).toBe('Blocked');
  expectRefusal(await tester.get('/api/admin/blacklist'), 403);
});
