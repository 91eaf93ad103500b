/** What the endpoints of a host do with HTTP itself; test/http-host has the rules of the server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from './api.ts';
import {
  type Caller,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

const NOWHERE = '0198c0de-0000-7000-8000-000000000000';

let running: Running;
let caller: Caller;

beforeAll(async () => {
  running = await startHost({ env: { FAILED_AUTHENTICATIONS_PER_MINUTE: '100000' } });
  caller = await openTenant(running, 11);
});
afterAll(async () => running.close());

const POSTS = [
  '/customerapi/detail',
  '/customerapi/refund',
  '/customerapi/search',
  '/api/transactions/search',
  '/v1/payments',
  '/v1/card/submit',
  `/v1/payments/${NOWHERE}/capture`,
  `/v1/payments/${NOWHERE}/void`,
  `/v1/payments/${NOWHERE}/refund`,
];
describe('an error', () => {
  it('has one shape', async () => {
    const answer = await caller.wire.get(`/v1/payments/${NOWHERE}`);
    expect(Object.keys(answer.body).toSorted()).toEqual([
      'code',
      'message',
      'requestId',
      'success',
    ]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const invalid = await caller.search({ limit: 0, emails: 'x' });
    expect(invalid.body.errors).toHaveLength(2);
    for (const error of present(invalid.body.errors)) {
      expect(Object.keys(error).toSorted()).toEqual(['detail', 'in', 'pointer']);
    }
  });

  it.each([
    [404, () => caller.wire.get(`/v1/payments/${NOWHERE}`, PROBLEM)],
    [400, () => caller.wire.post('/api/transactions/search', { limit: 0 }, PROBLEM)],
    [401, () => caller.wire.get('/v1/payments', { ...PROBLEM, Authorization: undefined })],
    [403, () => caller.wire.get('/v1/payments', { ...PROBLEM, ClientId: '12' })],
    [404, () => caller.wire.get('/nowhere', PROBLEM)],
    [405, () => caller.wire.send('DELETE', '/v1/payments', undefined, PROBLEM)],
  ])('%d is problem+json when that is accepted', async (status, ask) => {
    const answer = await ask();
    expectRefusal(answer, status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({
      type: expect.any(String),
      title: expect.any(String),
      status,
      detail: expect.any(String),
    });
  });

  it('is accepted when problem+json is', async () => {
    const accept = 'application/problem+json, application/json';
    const { status, headers } = await caller.wire.get('/v1/payments', { Accept: accept });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });
});

const PROBLEM = { Accept: 'application/json, application/problem+json' };

describe('media types', () => {
  it.each(['gzip', 'deflate', 'br', 'identity', 'zstd'])(
    'Content-Encoding: %s is 415',
    async (encoding) => {
      const answer = await caller.wire.post(
        '/api/transactions/search',
        {},
        { 'Content-Encoding': encoding },
      );
      expectRefusal(answer, 415);
    },
  );

  it('a charset of UTF-8 is served', async () => {
    const type = { 'Content-Type': 'application/json; charset=utf-8' };
    expect((await caller.wire.post('/api/transactions/search', {}, type)).status).toBe(200);
  });
});

describe('bodies', () => {
  it.each(POSTS)('%s refuses what is no JSON object', async (path) => {
    const type = { 'Content-Type': 'application/json' };
    for (const text of ['{', '{"a":1,}', 'null', '[]', '"text"', '17']) {
      expectRefusal(await caller.wire.send('POST', path, text, type), 400);
    }
  });

  it('less than 1 MiB are read', async () => {
    const text = `{"limit":1${' '.repeat(1_048_000)}}`;
    const type = { 'Content-Type': 'application/json' };
    const { status } = await caller.wire.send('POST', '/api/transactions/search', text, type);
    expect(status).toBe(200);
  });

  it.each(['__proto__', 'constructor', 'toString'])('a member %s is refused', async (name) => {
    const type = { 'Content-Type': 'application/json' };
    const text = `{"limit":1,"${name}":{"limit":0,"sandbox":true}}`;
    const { status } = await caller.wire.send('POST', '/api/transactions/search', text, type);
    expect(status).toBe(400);
    expect((await caller.search({ limit: 1 })).status).toBe(200);
  });
});

it('the documented operations are the ones that answer', async () => {
  const body = (await (await fetch(`${running.url}/openapi.json`)).json()) as Json;
  const listed = Object.entries(body.paths as Json).flatMap(([path, methods]) =>
    Object.keys(methods as Json).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(listed).toEqual(
    expect.arrayContaining([
      'POST /customerapi/detail',
      'POST /customerapi/refund',
      'POST /customerapi/search',
      'POST /api/transactions/search',
      'POST /v1/payments',
      'GET /v1/payments',
      'GET /v1/payments/{id}',
      'POST /v1/payments/{id}/capture',
      'POST /v1/payments/{id}/void',
      'POST /v1/payments/{id}/refund',
      'POST /v1/card/submit',
      'POST /api/mitigation/transactions',
      'POST /api/mitigation/search',
      'GET /api/ledger/trial-balance',
      'GET /api/ledger/accounts',
    ]),
  );
  for (const each of listed) {
    const [method = '', path = ''] = each.split(' ');
    const file = path.startsWith('/docs') ? 'scalar.js' : 'v1.js';
    const asked = path.replace('{id}', NOWHERE).replace('{file}', file);
    const { status } = await fetch(running.url + asked, { method });
    expect([404, 405], each).not.toContain(status);
  }
});
