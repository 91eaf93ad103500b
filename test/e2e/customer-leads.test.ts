/** Customer leads over HTTP: who may write them, CORS, the match with payments, the list and its export. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { present, queryOf } from './api.ts';
import {
  type Answer,
  type Caller,
  CHECKOUT,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

const TENANT = 15;
const PATH = '/api/public/customer-leads';
const ORIGIN = 'https://shop.example';
/** Read models that lag are found out by several keys. */
const ROUNDS = 20;
const JSON_TYPE = { 'Content-Type': 'application/json' };

let running: Running;
let owner: Caller;
let keys: Json;
let testKeys: Json;
let sessions = 0;

beforeAll(async () => {
  running = await startHost();
  owner = await openTenant(running, TENANT);
  await openTenant(running, TENANT + 1);
  keys = await leadKey({ allowedOrigins: [ORIGIN] });
  testKeys = await leadKey({ allowedOrigins: [ORIGIN], environment: 'test' });
});
afterAll(() => running.close());

async function leadKey(more: Json = {}): Promise<Json> {
  const made = await owner.post('/api/admin/leadkeys', {
    body: { applicationId: CHECKOUT, ...more },
  });
  expect(made.status, made.text).toBe(201);
  return made.body.item;
}

const newSession = () => {
  sessions += 1;
  return `visit-${sessions}`;
};

async function ask(method: string, headers: Json, body?: Json, path = PATH): Promise<Answer> {
  const response = await fetch(running.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const read = text.startsWith('{') ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body: read };
}

const fromPage = (body: Json, headers: Json = {}) =>
  ask(
    'POST',
    { ...JSON_TYPE, Origin: ORIGIN, 'X-Service-Lead-Key': keys.publishableKey, ...headers },
    body,
  );
const fromServer = (body: Json, key: string = keys.secretKey) =>
  ask('POST', { ...JSON_TYPE, Authorization: `Bearer ${key}` }, body);
const leadOf = (session: string, more: Json = {}) => ({
  email: `${session}@shop.example`,
  session_id: session,
  ...more,
});
const listed = async (query: string) =>
  (await owner.get('/api/admin/leads', { query: queryOf(query) })).body.items;

describe('a lead', () => {
  it('is made by the first write of its session and updated by the next one', async () => {
    const session = newSession();
    const first = await fromServer(leadOf(session, { first_name: 'Ann', scans: [{ page: '/a' }] }));
    expect(first).toMatchObject({ status: 201, body: { success: true, lead: { status: 'new' } } });
    const second = await fromServer(leadOf(session, { last_name: 'Low' }));
    expect(second.status).toBe(200);
    expect(second.body.lead).toMatchObject({
      id: first.body.lead.id,
      first_name: 'Ann',
      last_name: 'Low',
      scans: [{ page: '/a' }],
      application_id: CHECKOUT,
    });
  });

  it('is one, however many first writes race', async () => {
    const session = newSession();
    const writes = Array.from({ length: 12 }, (_, index) =>
      fromServer(leadOf(session, { first_name: `Ann ${index}` })),
    );
    const answers = await Promise.all(writes);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.lead.id)).size).toBe(1);
  });

  it('takes what it does not know, and leaves it out', async () => {
    const answer = await fromPage(
      leadOf(newSession(), { utm: 'x', scans: [{ page: '/', ms: 5 }] }),
    );
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.lead.scans).toEqual([{ page: '/' }]);
  });

  it.each([
    ['without an email', { email: undefined }, '/email'],
    ['without a session', { session_id: undefined }, '/session_id'],
    ['with an empty session', { session_id: '' }, '/session_id'],
    ['that is no address', { email: 'ann' }, '/email'],
    ['with its tenant', { tenant_id: TENANT }, '/tenant_id'],
    ['with its status', { status: 'paid' }, '/status'],
    ['with its payment', { transaction_id: 'x' }, '/transaction_id'],
    ['with a scan of no page', { scans: [{}] }, '/scans/0/page'],
  ])('%s is refused', async (_, more, pointer) => {
    const answer = await fromServer({ ...leadOf(newSession()), ...more });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors).toMatchObject([{ pointer }]);
  });

  it('shows a page nothing that the page has not sent', async () => {
    const session = newSession();
    await fromServer(leadOf(session, { first_name: 'Ann', cfa_device: 'phone' }));
    const answer = await fromPage(leadOf(session));
    expect(answer.body.lead).toMatchObject({ first_name: '', cfa_device: '', transaction: null });
    expect((await listed(`sessionId=${session}`))[0]).toMatchObject({ first_name: 'Ann' });
  });

  it('of a test key is sandbox data', async () => {
    const session = newSession();
    await fromServer(leadOf(session), testKeys.secretKey);
    expect(await listed(`sessionId=${session}`)).toEqual([]);
    expect(await listed(`sessionId=${session}&sandbox=true`)).toHaveLength(1);
  });
});

describe('a key', () => {
  it.each<[string, () => Json, number, string]>([
    ['that is absent', () => ({ Origin: ORIGIN }), 401, 'api_key_missing'],
    [
      'that is unknown',
      () => ({ 'X-Service-Lead-Key': 'x', Origin: ORIGIN }),
      401,
      'api_key_invalid',
    ],
    [
      'that is secret, in the place of the publishable one',
      () => ({ 'X-Service-Lead-Key': keys.secretKey, Origin: ORIGIN }),
      401,
      'api_key_invalid',
    ],
    [
      'that is publishable, in the place of the secret one',
      () => ({ Authorization: `Bearer ${keys.publishableKey}` }),
      401,
      'api_key_invalid',
    ],
    [
      'of another origin',
      () => ({ 'X-Service-Lead-Key': keys.publishableKey, Origin: 'https://a.shop.example' }),
      403,
      'origin_not_allowed',
    ],
    [
      'of no origin',
      () => ({ 'X-Service-Lead-Key': keys.publishableKey, Origin: 'null' }),
      403,
      'origin_not_allowed',
    ],
    [
      'from no page',
      () => ({ 'X-Service-Lead-Key': keys.publishableKey }),
      403,
      'origin_not_allowed',
    ],
    [
      'of another tenant',
      () => ({ Authorization: `Bearer ${keys.secretKey}`, ClientId: String(TENANT + 1) }),
      403,
      'tenant_mismatch',
    ],
  ])('%s is refused', async (_, headers, status, code) => {
    const answer = await ask('POST', { ...JSON_TYPE, ...headers() }, leadOf(newSession()));
    expectRefusal(answer, status, code);
    expect(answer.headers.get('vary')).toContain('Origin');
  });

  it('that is revoked writes no more', async () => {
    const { id, secretKey } = await leadKey();
    expect((await fromServer(leadOf(newSession()), secretKey)).status).toBe(201);
    await owner.delete('/api/admin/leadkeys/{id}', { path: { id } });
    expectRefusal(await fromServer(leadOf(newSession()), secretKey), 401, 'api_key_revoked');
  });

  it('works from the answer on that makes, changes or rotates it', async () => {
    const host = await startHost({ onDisk: true });
    onTestFinished(() => host.close());
    const caller = await openTenant(host, TENANT);
    const path = '/api/admin/leadkeys';
    const write = (secretKey: string) =>
      caller.wire.send('POST', PATH, JSON.stringify(leadOf('visit')), {
        ...JSON_TYPE,
        Authorization: `Bearer ${secretKey}`,
      });
    const preflight = (Origin: string) =>
      fetch(host.url + PATH, {
        method: 'OPTIONS',
        headers: { Origin, 'Access-Control-Request-Method': 'POST' },
      });
    for (let round = 0; round < ROUNDS; round += 1) {
      const [first, second] = [`https://a${round}.example`, `https://b${round}.example`];
      const body = { applicationId: CHECKOUT, allowedOrigins: [first] };
      const { id, secretKey } = (await caller.post(path, { body })).body.item;
      expect((await write(secretKey)).status).toBeLessThan(300);
      expect((await preflight(first)).status).toBe(204);
      const at = { path: { id } };
      await caller.patch(`${path}/{id}`, { ...at, body: { allowedOrigins: [second] } });
      expect((await preflight(second)).status).toBe(204);
      const rotated = await caller.post(`${path}/{id}/rotate`, { ...at, body: {} });
      expect((await write(rotated.body.item.secretKey)).status).toBe(200);
    }
  });

  it('of leads opens nothing else', async () => {
    const headers = { ClientId: String(TENANT), UserEmail: 'a@shop.example' };
    const answer = await ask(
      'GET',
      { ...headers, Authorization: keys.secretKey },
      undefined,
      '/api/admin/leads',
    );
    expectRefusal(answer, 401, 'api_key_invalid');
  });
});

describe('CORS', () => {
  it('is answered for an origin that some key allows, right after it does', async () => {
    const origin = `https://new-${newSession()}.example`;
    expectRefusal(await ask('OPTIONS', { Origin: origin }), 403, 'origin_not_allowed');
    await leadKey({ allowedOrigins: [origin] });
    const answer = await ask('OPTIONS', { Origin: origin });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-headers')).toContain('X-Service-Lead-Key');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each([
    ['an accepted write', () => fromPage(leadOf(newSession())), 201],
    ['a refused body', () => fromPage({}), 400],
    ['a refused key', () => fromPage(leadOf(newSession()), { 'X-Service-Lead-Key': 'x' }), 401],
  ])('lets the page read the answer to %s', async (_, write, status) => {
    const answer = await write();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(answer.headers.get('vary')).toContain('Origin');
  });

  it('lets no page of an unknown origin read an answer', async () => {
    const answer = await fromPage(leadOf(newSession()), { Origin: 'https://evil.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a lead becomes paid', () => {
  const paidLead = async (session: string) => (await listed(`sessionId=${session}`))[0];
  const pay = (session: string, more: Json = {}) =>
    owner.paid({ partnerSession: session, applicationId: CHECKOUT, ...more });

  it('by a payment of its session', async () => {
    const session = newSession();
    await fromServer(leadOf(session));
    const { id, orderId, amount } = await pay(session);
    expect(await paidLead(session)).toMatchObject({
      status: 'paid',
      transaction: { id, orderId: String(orderId), amount, source: '' },
    });
  });

  it('when it is written after its payment', async () => {
    const session = newSession();
    await pay(session);
    const { body } = await fromServer(leadOf(session));
    expect(body.lead).toMatchObject({ status: 'paid' });
  });

  it.each([
    ['of another session', { partnerSession: 'another' }],
    ['of another application', { applicationId: 1 }],
    ['that is not captured', { capture: false }],
    ['of the sandbox', { sandbox: true }],
  ])('not by a payment %s', async (_, more) => {
    const session = newSession();
    await fromServer(leadOf(session));
    await pay(session, more);
    expect(await paidLead(session)).toMatchObject({ status: 'new', transaction: null });
  });

  it('by a signed message of another gateway, once for an event', async () => {
    const session = newSession();
    await fromServer(leadOf(session));
    const source = 'acme-pay';
    const endpoint = await owner.post('/api/admin/webhookendpoints', {
      query: { direction: 'in' },
      body: { source },
    });
    const { signingSecret } = endpoint.body.item;
    const message = (id: string, more: Json = {}) => ({
      id,
      type: 'payment.captured',
      data: {
        transaction: {
          id: 'P-1',
          amount: 5,
          currency: 'GBP',
          applicationId: CHECKOUT,
          partnerSession: session,
          ...more,
        },
      },
    });
    const signed = (body: Json, key = signingSecret) => {
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const secret = Buffer.from(key.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', secret)
        .update(`${body.id}.${timestamp}.${JSON.stringify(body)}`)
        .digest('base64');
      const headers = {
        ...JSON_TYPE,
        'webhook-id': body.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      };
      const path = `/api/webhooks/transactions?source=${source}&clientId=${TENANT}`;
      return ask('POST', headers, body, path);
    };
    const forged = `whsec_${Buffer.alloc(32).toString('base64')}`;
    expectRefusal(await signed(message('e-1'), forged), 401, 'signature_invalid');
    expect((await signed(message('e-1'))).body).toMatchObject({ leadStatus: 'paid' });
    expect((await signed(message('e-1'))).status).toBe(200);
    expectRefusal(await signed(message('e-1', { amount: 6 })), 422, 'idempotency_key_reused');
    expect((await signed(message('e-2', { id: 'P-2' }))).status).toBe(200);
    expect(await paidLead(session)).toMatchObject({ transaction: { id: 'P-1', source } });
  });
});

describe('the list', () => {
  it('is narrowed by email, status and days, and read in pages', async () => {
    const email = 'Many@shop.example';
    for (let count = 0; count < 3; count += 1) {
      await fromServer(leadOf(newSession(), { email }));
    }
    const first = await owner.get('/api/admin/leads', {
      query: { email: 'many@SHOP.example', limit: 2 },
    });
    expect(first.body).toMatchObject({ success: true, count: 2, moreResults: true });
    const rest = await owner.get('/api/admin/leads', {
      query: { email: 'many@shop.example', limit: 2, cursor: present(first.body.next) },
    });
    expect(rest.body).toMatchObject({ count: 1, moreResults: false, next: null });
    const ids = [...first.body.items, ...rest.body.items].map(({ id }: Json) => id);
    expect(new Set(ids).size).toBe(3);
    expect(await listed('email=many@shop.example&status=paid')).toEqual([]);
    expect(await listed('email=many@shop.example&dateTo=2020-01-01')).toEqual([]);
    expectRefusal(
      await owner.get('/api/admin/leads', {
        query: { dateFrom: '2026-02-02', dateTo: '2026-02-01' },
      }),
      400,
      'invalid_request',
    );
  });

  it('is exported as CSV, which no spreadsheet runs', async () => {
    const session = newSession();
    await fromServer(leadOf(session, { first_name: '=1+1' }));
    const answer = await owner.wire.get(`/api/admin/leads?sessionId=${session}`, {
      Accept: 'text/csv',
    });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    const [header, row] = answer.text.split('\r\n');
    expect(header).toContain('id,session_id,status,email,first_name');
    expect(row).toContain(`${session},new,${session}@shop.example,'=1+1`);
  });
});

it('the person of a lead is erased with the customer of the email', async () => {
  const session = newSession();
  const { email } = leadOf(session);
  const { body } = await fromServer(leadOf(session, { first_name: 'Ann' }));
  const registered = await owner.post('/customers', { body: { email } });
  expect(registered.status, registered.text).toBe(201);
  const erased = await owner.delete('/customers/{id}', { path: { id: registered.body.id } });
  expect(erased.status).toBeLessThan(300);
  const left = (await listed('limit=100')).find(({ id }: Json) => id === body.lead.id);
  expect(left).toMatchObject({ email: '', first_name: '', session_id: '' });
  expect(await listed(`sessionId=${session}`)).toEqual([]);
  expect(await listed(`email=${email}`)).toEqual([]);
});
