/** Activity over HTTP: one record for each request that is a command, with what the caller was answered. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Documented } from '../http-host/documented.ts';
import { present, queryOf } from './api.ts';
import {
  CARDS,
  Caller,
  CHECKOUT,
  callerWith,
  card,
  expectRefusal,
  issueKey,
  type Json,
  openTenant,
  type Running,
  startHost,
  USER_EMAIL,
} from './running-host.ts';

let running: Running;
let tenants = 100;

beforeAll(async () => {
  running = await startHost();
});
afterAll(async () => running.close());

/** A caller of a tenant that no other test has. */
async function newTenant(): Promise<Caller> {
  tenants += 1;
  return openTenant(running, tenants);
}

/** The newest first. */
async function activityOf(caller: Caller, query = ''): Promise<Json[]> {
  const { status, text, body } = await caller.get('/api/admin/activity', {
    query: queryOf(query),
  });
  expect(status, text).toBe(200);
  return body.items;
}

const named = (id: string) => ({ 'X-Request-Id': id });

it('shows a payment, a refused refund, a refund, a customer read and a key revoked, each by its request', async () => {
  const caller = await newTenant();
  const paid = (await caller.pay({}, named('r-1'))).body;
  const tooMuch = await caller.refund(paid.id, { amount: 101 }, named('r-2'));
  expectRefusal(tooMuch, 400, 'refund_exceeds_refundable');
  await caller.refund(paid.id, { amount: 5 }, named('r-3'));
  await caller.get('/customers/{id}', { path: { id: paid.customerId }, headers: named('r-4') });
  const { item } = (await caller.post('/api/admin/keys', { body: {}, headers: named('r-5') })).body;
  await caller.delete('/api/admin/keys/{id}', { path: { id: item.id }, headers: named('r-6') });
  // Neither is recorded.
  await caller.search();
  await caller.get('/v1/payments/{id}', { path: { id: paid.id } });
  const records = await activityOf(caller);
  const of = (subject: string, requestId: string) => ({ subject, requestId });
  expect(records).toMatchObject([
    { action: 'keys.revoke', ...of(item.id, 'r-6'), outcome: 'done' },
    { action: 'keys.create', ...of(item.id, 'r-5'), outcome: 'done' },
    { action: 'customers.get', ...of(String(paid.customerId), 'r-4'), outcome: 'done' },
    { action: 'payments.refund', ...of(paid.id, 'r-3'), outcome: 'done', code: null },
    { action: 'payments.refund', ...of(paid.id, 'r-2'), code: 'refund_exceeds_refundable' },
    { action: 'payments.submit', ...of(paid.id, 'r-1'), outcome: 'done' },
  ]);
  expect(records[4]).toMatchObject({
    outcome: 'refused',
    actor: USER_EMAIL,
    environment: 'live',
    remoteAddress: expect.stringContaining('127.0.0.1'),
    keyId: expect.stringMatching(/./),
  });
});

it('records what is refused before it is begun, and nothing of a caller who is not known', async () => {
  const caller = await newTenant();
  const id = crypto.randomUUID();
  const reader = await callerWith(running, caller.tenantId, { scopes: ['payments:read'] });
  const refund = (by: Caller, body: Json = {}, headers = {}) =>
    by.post('/v1/payments/{id}/refund', { path: { id }, body, headers });
  expectRefusal(await refund(reader), 403, 'insufficient_scope');
  expectRefusal(await refund(caller, { amoun: 5 }), 400, 'invalid_request');
  expectRefusal(await refund(caller), 404, 'not_found');
  expectRefusal(await refund(caller, {}, { ClientId: '1' }), 403, 'tenant_mismatch');
  expectRefusal(await refund(new Caller(running.url, caller.tenantId, 'x')), 401);
  const email = { UserEmail: `${CARDS.approve}@example.com` };
  expectRefusal(await refund(caller, {}, email), 400, 'card_invalid');
  expectRefusal(
    await caller.post('/v1/payments/{id}/refund', { path: { id: CARDS.approve }, body: {} }),
    400,
  );
  const records = await activityOf(caller);
  expect(records.map(({ code }) => code)).toEqual([
    'invalid_request',
    'card_invalid',
    'tenant_mismatch',
    'not_found',
    'invalid_request',
    'insufficient_scope',
  ]);
  const claimed = records.slice(1);
  expect(claimed.map(({ subject }) => subject)).toEqual(claimed.map(() => id));
  expect(records[0]).toMatchObject({ subject: null });
  expect(records[1].actor).toMatch(/^key:/);
  expect(records[5]).toMatchObject({ actor: USER_EMAIL, outcome: 'refused' });
});

it('a repetition under an idempotency key is one record of its own', async () => {
  const caller = await newTenant();
  const key = { 'Idempotency-Key': 'one' };
  const { id } = (await caller.pay({}, { ...key, ...named('r-1') })).body;
  await caller.pay({}, { ...key, ...named('r-2') });
  expectRefusal(await caller.pay({ amount: 99 }, { ...key, ...named('r-3') }), 422);
  const declined = await caller.pay({ card: card(CARDS.doNotHonour) }, named('r-4'));
  expect(declined.status).toBe(402);
  expect(await activityOf(caller)).toMatchObject([
    { requestId: 'r-4', outcome: 'done', subject: declined.body.id, code: null },
    { requestId: 'r-3', outcome: 'refused', code: 'idempotency_key_reused' },
    { requestId: 'r-2', outcome: 'replayed' },
    { requestId: 'r-1', outcome: 'done', subject: id },
  ]);
});

it('is filtered and paged, for who may read it, apart from the activity of test keys', async () => {
  const caller = await newTenant();
  const { id } = await caller.paid();
  await caller.refund(id, { amount: 101 });
  await caller.refund(id);
  const tester = await callerWith(running, caller.tenantId, { environment: 'test' });
  await tester.pay();
  const [first] = await activityOf(caller, 'outcome=refused');
  expect(await activityOf(caller, `subject=${id}&action=payments.refund`)).toHaveLength(2);
  expect(await activityOf(caller, `actor=${USER_EMAIL}&keyId=${first.keyId}`)).toHaveLength(3);
  expect(await activityOf(caller, 'dateTo=2020-01-01')).toEqual([]);
  expect(await activityOf(caller, `dateFrom=${first.at.slice(0, 10)}`)).toHaveLength(3);
  expect(await activityOf(caller, 'environment=test')).toMatchObject([{ environment: 'test' }]);

  const page = (await caller.get('/api/admin/activity', { query: { limit: 2 } })).body;
  expect(page).toMatchObject({ success: true, count: 2, moreResults: true });
  const rest = (
    await caller.get('/api/admin/activity', { query: { limit: 2, cursor: present(page.next) } })
  ).body;
  expect(rest).toMatchObject({ count: 1, moreResults: false, next: null });

  for (const wrong of ['color=red', 'outcome=x', 'dateFrom=2026-02-02&dateTo=2026-02-01']) {
    expectRefusal(
      await caller.get('/api/admin/activity', { query: queryOf(wrong) }),
      400,
      'invalid_request',
    );
  }
  const blind = await callerWith(running, caller.tenantId, { scopes: ['keys:read'] });
  expectRefusal(await blind.get('/api/admin/activity'), 403, 'insufficient_scope');
  const other = await newTenant();
  expect(await activityOf(other)).toEqual([]);
});

it('is exported as CSV and JSON lines of any length, which is recorded', async () => {
  const caller = await newTenant();
  const { engine } = running.host;
  const shop = engine.as({ tenantId: caller.tenantId, actor: '=cmd' });
  const count = 1_201;
  await Promise.all(
    Array.from({ length: count }, () => shop.users.reset('x').catch(() => undefined)),
  );
  const path = '/api/admin/activity';
  const lines = await caller.wire.get(path, { Accept: 'application/x-ndjson' });
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const records = lines.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const own = records.filter(({ action }) => action === 'users.reset');
  expect(new Set(own.map(({ id }) => id)).size).toBe(count);
  expect(own[0]).toMatchObject({ subject: 'x', code: 'UserUnknown', remoteAddress: null });

  const csv = await caller.wire.get(`${path}?action=users.reset`, { Accept: 'text/csv' });
  const [header, row, ...more] = csv.text.trimEnd().split('\r\n');
  expect(header?.split(',')).toEqual(Object.keys(own[0]));
  expect(row).toContain(`,live,'=cmd,,,users.reset,x,refused,UserUnknown,`);
  expect(more).toHaveLength(count - 1);
  expect(await activityOf(caller, 'action=activity.export')).toHaveLength(2);

  const paged = await caller.wire.get(`${path}?limit=2`, { Accept: 'text/csv' });
  expectRefusal(paged, 400, 'invalid_request');
  expectRefusal(await caller.wire.get(path, { Accept: 'image/png' }), 406, 'not_acceptable');
});

/** POSTs, so that a secret stands in no address and a whole email fits. They change nothing. */
const READS = ['showCheckoutSession', 'previewEmail', 'previewMailText'];

it('is declared for every operation that is a command, as the call that it makes', async () => {
  const documented = new Documented(await (await fetch(`${running.url}/openapi.json`)).json());
  const actionOf = (description: string) => /Activity: `([^`]+)`/.exec(description)?.[1];
  const commands = documented.operations.filter(({ id, method, node }) => {
    const isRead = method === 'GET' || /:read`/.test(node.description) || READS.includes(id);
    return !isRead && node.security.length > 0;
  });
  const undeclared = commands.filter(({ node }) => actionOf(node.description) === undefined);
  expect(undeclared.map(({ id }) => id)).toEqual([]);
  const { actions } = running.host.engine.ledgers;
  const named = commands.flatMap(({ node }) => actionOf(node.description) ?? []);
  expect(named.filter((action) => !actions.includes(action))).toEqual([]);
  const declared = documented.operations.flatMap(({ node }) => actionOf(node.description) ?? []);
  // Calls that have no operation of their own.
  const inProcess = [
    'disputes.setProviderSecret',
    'disputes.removeProvider',
    'leads.export',
    'transactions.export',
    'transactions.history',
    'transactions.story',
  ];
  const known = [...declared, ...inProcess];
  expect(actions.filter((action) => !known.includes(action))).toEqual([]);
});

it('has the key alone of a lead, which a page sends from the browser of a person', async () => {
  const caller = await newTenant();
  const origin = 'https://shop.example';
  const terms = { applicationId: CHECKOUT, allowedOrigins: [origin] };
  const { item } = (await caller.post('/api/admin/leadkeys', { body: terms })).body;
  const page = new Caller(running.url, caller.tenantId, '');
  const lead = { email: 'ann@shop.example', session_id: 'visit-1' };
  const headers = {
    Authorization: undefined,
    ClientId: undefined,
    Origin: origin,
    'X-Service-Lead-Key': item.publishableKey,
    UserEmail: 'ann@shop.example',
  };
  const written = await page.post('/api/public/customer-leads', { body: lead, headers });
  expect(written.status, written.text).toBe(201);
  const [record] = await activityOf(caller);
  expect(record).toMatchObject({ action: 'leads.write', outcome: 'done', remoteAddress: null });
  expect(JSON.stringify(record)).not.toMatch(/ann|visit/);
});

it('an issued key without a user is named by its id', async () => {
  const caller = await newTenant();
  const key = await issueKey(running, caller.tenantId);
  const nameless = new Caller(running.url, caller.tenantId, key);
  await nameless.pay({}, { UserEmail: undefined });
  const [record] = await activityOf(caller);
  expect(record.actor).toBe(`key:${record.keyId}`);
});
