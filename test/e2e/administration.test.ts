/** The envelopes, versions and keys of administration over HTTP. */
import type { TenantId } from '@counterfoil/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, present } from './api.ts';
import { Caller, expectRefusal, openTenant, type Running, startHost } from './running-host.ts';

let running: Running;
let owner: Caller;

beforeAll(async () => {
  running = await startHost();
  owner = await openTenant(running, 11);
});
afterAll(async () => running.close());

async function send(method: string, path: string, body: object, headers = {}) {
  const content = { 'Content-Type': 'application/json', ...headers };
  return owner.wire.send(method, path, JSON.stringify(body), content);
}

it('a key works from the moment it is made until it is revoked, and is never shown again', async () => {
  const made = await owner.post('/api/admin/keys', { body: { scopes: ['settings:read'] } });
  expect(made.status, made.text).toBe(201);
  const { id, key } = made.body.item;
  expect(made.headers.get('location')).toBe(`/api/admin/keys/${id}`);
  const holder = new Caller(running.url, 11, key);
  expect((await holder.get('/api/admin/settings')).status).toBe(200);
  const read = await owner.get('/api/admin/keys/{id}', { path: { id } });
  const list = await owner.get('/api/admin/keys');
  expect(read.text + list.text).not.toContain(key);

  const revoked = await owner.delete('/api/admin/keys/{id}', { path: { id } });
  expect(revoked.body.item.revokedAt).toMatch(/^\d{4}-/);
  expectRefusal(await holder.get('/api/admin/settings'), 401, 'api_key_revoked');

  for await (const batch of running.host.events.subscribe({ untilHead: true })) {
    for (const event of batch) expect(event.data + event.metadata).not.toContain(key);
  }
});

it('a key that the program itself has issued works at once', async () => {
  const terms = { kind: 'api', environment: 'live', label: '', scopes: ['settings:read'] } as const;
  // The first may be in the read models by then: they let what follows it gather.
  for (let issued = 0; issued < 3; issued += 1) {
    const { key } = await running.host.tenants.issueKey(11 as TenantId, terms, { actor: 'shop' });
    const holder = new Caller(running.url, 11, key);
    expect((await holder.get('/api/admin/settings')).status).toBe(200);
  }
});

it('a secret is not kept for a repetition', async () => {
  const headers = { 'Idempotency-Key': 'one-key' };
  const answers = [];
  for (let twice = 0; twice < 2; twice += 1) {
    answers.push(await owner.post('/api/admin/keys', { body: {}, headers }));
  }
  const [first, second] = answers.map(({ body }) => body.item);
  expect(second?.id).not.toBe(first?.id);
  expect(answers[1]?.headers.has('idempotency-replayed')).toBe(false);
});

it('a key has known scopes only', async () => {
  const answer = await owner.post('/api/admin/keys', {
    body: { scopes: ['payments:read', 'payment:read'] },
  });
  expectRefusal(answer, 400, 'invalid_request');
  expect(answer.body.errors).toMatchObject([{ pointer: '/scopes/1' }]);
});

it('permissions are the scopes of the host, each with a sentence', async () => {
  const { body } = await owner.get('/api/admin/permissions');
  expect(body).toMatchObject({ success: true, moreResults: false, next: null });
  expect(body.items).toContainEqual({
    scope: 'ledger:read',
    description: 'Read the books and reports',
  });
  expect(body.count).toBe(body.items.length);
});

it('a collection is read in pages by its cursor', async () => {
  for (const name of ['a', 'b', 'c']) await owner.post('/api/admin/campaigns', { body: { name } });
  const first = await owner.get('/api/admin/campaigns', { query: { limit: 3 } });
  expect(first.body).toMatchObject({ success: true, count: 3, moreResults: true });
  const rest = await owner.get('/api/admin/campaigns', {
    query: { limit: 3, cursor: present(first.body.next) },
  });
  expect(rest.body).toMatchObject({ count: 1, moreResults: false, next: null });
  const ids = [...first.body.items, ...rest.body.items].map(({ id }) => id);
  expect(ids).toEqual([41, 42, 43, 44]);
  expectRefusal(
    await owner.get('/api/admin/campaigns', { query: { cursor: 'x' } }),
    400,
    'invalid_request',
  );
  expectRefusal(
    await owner.get('/api/admin/campaigns', { query: { limit: 101 } }),
    400,
    'invalid_request',
  );
});

it('an item is changed from the version that was read, by rowVersion or If-Match', async () => {
  const made = await owner.post('/api/admin/products', { body: { name: 'Tea' } });
  const at = made.headers.get('location') ?? '';
  const { id } = made.body.item;
  expect(made.headers.get('etag')).toBe('"1"');
  expectRefusal(await send('PUT', at, { name: 'Coffee' }), 400, 'invalid_request');
  expectRefusal(await send('PUT', at, { name: 'x' }, { 'If-Match': '"7"' }), 412);
  const put = await send('PUT', at, { name: 'Coffee' }, { 'If-Match': '"1"' });
  expect(put.body).toMatchObject({ success: true, item: { name: 'Coffee', rowVersion: 2 } });
  expectRefusal(await send('PUT', at, { name: 'x', rowVersion: 1 }), 409, 'stale_row_version');
  expectRefusal(await send('PATCH', at, { name: 'x', rowVersion: 1 }), 409, 'stale_row_version');
  const patched = await send('PATCH', at, { name: 'Cocoa' });
  expect(patched.headers.get('etag')).toBe('"3"');
  expect((await owner.get('/api/admin/products/{id}', { path: { id } })).body.item).toMatchObject({
    name: 'Cocoa',
    rowVersion: 3,
  });
  const nameless = await send('PATCH', at, { name: null });
  expectRefusal(nameless, 400, 'invalid_request');
  expect(nameless.body.errors).toMatchObject([{ pointer: '/name', detail: 'name is required' }]);
  // What was read can be sent back.
  expect((await send('PUT', at, patched.body.item)).status).toBe(200);
  const another = [{ pointer: '/id', detail: `id must be ${id}, as in the path` }];
  for (const method of ['PUT', 'PATCH']) {
    const other = await send(method, at, { name: 'x', id: id + 1, rowVersion: 3 });
    expectRefusal(other, 400, 'invalid_request');
    expect(other.body.errors).toMatchObject(another);
  }
  expect((await send('PATCH', at, { name: 'Milk', id })).status).toBe(200);
});

it('settings are changed by a merge patch, at once', async () => {
  const patch = { refundWindowDays: 1, dunning: { mails: null } };
  const changed = await owner.patch('/api/admin/settings', { body: patch as Json });
  expect(changed.body.item).toMatchObject({
    refundWindowDays: 1,
    dunning: { retryAfterDays: [1, 3, 5, 7], mails: ['rebill-failed', 'frozen'] },
  });
  expect((await owner.get('/api/admin/settings')).body.item).toEqual(changed.body.item);
  const late = { lateCapture: { action: 'refund' } };
  expect(
    (await owner.patch('/api/admin/settings', { body: late as Json })).body.item.lateCapture,
  ).toEqual({
    action: 'refund',
    afterMinutes: 60,
  });
  const wrong = await owner.patch('/api/admin/settings', { body: { refundWindow: 1 } as Json });
  expectRefusal(wrong, 400, 'invalid_request');
  const ascending = { dunning: { retryAfterDays: [3, 1] } };
  expectRefusal(
    await owner.patch('/api/admin/settings', { body: ascending as Json }),
    400,
    'invalid_request',
  );
  await owner.patch('/api/admin/settings', { body: { refundWindowDays: null } });
  expect((await owner.get('/api/admin/settings')).body.item.refundWindowDays).toBe(180);
});

it('null resets a group of settings, or a part of it', async () => {
  const { body: before } = await owner.get('/api/admin/settings');
  const { rowVersion: _, ...settings } = before.item;
  const groups = Object.entries(settings).filter(([, value]) => typeof value === 'object');
  expect(groups).toHaveLength(5);
  await owner.patch('/api/admin/settings', {
    body: { blackListing: { onChargeback: 1 }, disputeThresholds: { warning: { percent: 0.5 } } },
  });
  const part = { disputeThresholds: { warning: null } };
  const reset = Object.fromEntries(groups.map(([name]) => [name, null]));
  for (const body of [part, reset]) {
    const changed = await owner.patch('/api/admin/settings', { body: body as Json });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.item.disputeThresholds.warning.percent).toBe(0.65);
  }
  const { body: after } = await owner.get('/api/admin/settings');
  expect(after.item).toMatchObject({
    dunning: { retryAfterDays: [1, 3, 5, 7] },
    lateCapture: { action: 'keep' },
    blackListing: { onChargeback: 0 },
  });
});

it('null resets settings of mails, and a part of them', async () => {
  const path = '/api/admin/mailsettings';
  const text = { subject: 'Paid back', text: 'We have paid you back.' };
  const body = { tracking: { opens: true, clicks: true }, texts: { refunded: text } };
  expect((await owner.patch(path, { body })).body.item).toMatchObject(body);
  const { tracking } = (await owner.patch(path, { body: { tracking: { opens: null } } })).body.item;
  expect(tracking).toEqual({ opens: false, clicks: true });
  const reset = await owner.patch(path, { body: { tracking: null, texts: null } as Json });
  expect(reset.status, reset.text).toBe(200);
  expect(reset.body.item).toMatchObject({ tracking: { opens: false, clicks: false }, texts: {} });
});

it('a tenant may admit known users only, with the scopes that they and the key have both', async () => {
  const known = await openTenant(running, 12);
  const role = { name: 'Books', scopes: ['ledger:read', 'users:read'] };
  const { id: roleId } = (await known.post('/api/admin/roles', { body: role })).body.item;
  const invite = async (email: string, roleIds: string[]) =>
    (await known.post('/api/admin/users', { body: { email, name: 'Somebody', roleIds } })).body
      .item;
  const owner = await invite('owner@example.com', ['owner']);
  const reader = await invite('reader@example.com', [roleId]);
  const { signIns } = running.host.engine;
  for (const { token } of [owner, reader])
    await signIns.setPassword(present(token), 'correct horse battery');
  const as = (email: string | undefined) => ({ UserEmail: email });
  await known.patch('/api/admin/settings', {
    body: { requireKnownUsers: true },
    headers: as('owner@example.com'),
  });
  const disable = ({ id }: { readonly id: string }) =>
    known.patch('/api/admin/users/{id}', {
      path: { id },
      body: { status: 'disabled' },
      headers: as('owner@example.com'),
    });

  expectRefusal(
    await known.get('/api/ledger/trial-balance', { headers: as('agent@example.com') }),
    403,
    'user_unknown',
  );
  expectRefusal(
    await known.get('/api/ledger/trial-balance', { headers: as(undefined) }),
    400,
    'user_email_required',
  );
  expect(
    (await known.get('/api/ledger/trial-balance', { headers: as('Reader@Example.com') })).status,
  ).toBe(200);
  const payments = await known.get('/v1/payments', { headers: as('reader@example.com') });
  expectRefusal(payments, 403, 'insufficient_scope');
  expect((await known.get('/v1/payments', { headers: as('owner@example.com') })).status).toBe(200);

  const disabled = await disable(reader);
  expect(disabled.body.item).toMatchObject({ status: 'disabled' });
  expectRefusal(
    await known.get('/api/ledger/trial-balance', { headers: as('reader@example.com') }),
    403,
    'user_unknown',
  );
  const last = await disable(owner);
  expectRefusal(last, 400, 'last_owner');
});
