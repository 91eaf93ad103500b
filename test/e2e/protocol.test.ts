/** What every endpoint does with HTTP itself: errors, request ids, methods, media types, headers. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Caller,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
  USER_EMAIL,
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
const GETS = [
  '/v1/payments',
  `/v1/payments/${NOWHERE}`,
  '/api/ledger/trial-balance',
  '/api/ledger/accounts',
];

/** Sends lines as they are, and answers the status and the body of what comes back. */
async function raw(lines: readonly string[], body = ''): Promise<{ status: number; text: string }> {
  const { port } = new URL(running.url);
  const socket = connect(Number(port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
  await once(socket, 'close');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
}

function head(): string[] {
  return [
    'GET /v1/payments HTTP/1.1',
    'Host: localhost',
    `Authorization: ${caller.key}`,
    'ClientId: 11',
    `UserEmail: ${USER_EMAIL}`,
  ];
}

describe('an error', () => {
  it('has one shape', async () => {
    const answer = await caller.get(`/v1/payments/${NOWHERE}`);
    expect(Object.keys(answer.body).toSorted()).toEqual([
      'code',
      'message',
      'requestId',
      'success',
    ]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const invalid = await caller.search({ limit: 0, emails: 'x' });
    expect(invalid.body.errors).toHaveLength(2);
    for (const error of invalid.body.errors) {
      expect(Object.keys(error).toSorted()).toEqual(['detail', 'in', 'pointer']);
    }
  });

  it.each([
    [404, () => caller.get(`/v1/payments/${NOWHERE}`, PROBLEM)],
    [400, () => caller.post('/api/transactions/search', { limit: 0 }, PROBLEM)],
    [401, () => caller.get('/v1/payments', { ...PROBLEM, Authorization: undefined })],
    [403, () => caller.get('/v1/payments', { ...PROBLEM, ClientId: '12' })],
    [404, () => caller.get('/nowhere', PROBLEM)],
    [405, () => caller.send('DELETE', '/v1/payments', undefined, PROBLEM)],
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
    const { status, headers } = await caller.get('/v1/payments', { Accept: accept });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });
});

const PROBLEM = { Accept: 'application/json, application/problem+json' };

describe('the request id', () => {
  it.each(['a', 'my-Request_1.2', 'x'.repeat(128)])('%s is kept', async (id) => {
    const good = await caller.get('/v1/payments', { 'X-Request-Id': id });
    expect(good.headers.get('x-request-id')).toBe(id);
    const bad = await caller.get(`/v1/payments/${NOWHERE}`, { 'X-Request-Id': id });
    expect(bad.headers.get('x-request-id')).toBe(id);
    expect(bad.body.requestId).toBe(id);
  });

  it.each(['', 'x'.repeat(129), 'a b', '<script>', 'a/b', 'ü'])('%j is replaced', async (id) => {
    const { status, headers } = await caller.get('/v1/payments', { 'X-Request-Id': id });
    expect(status).toBe(200);
    expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(headers.get('x-request-id')).not.toBe(id);
  });

  it('differs for every request', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await caller.get('/v1/payments')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it('is there without a key and without a path', async () => {
    for (const path of ['/nowhere', '/livez']) {
      expect((await fetch(running.url + path)).headers.get('x-request-id')).toMatch(/./);
    }
  });
});

describe('paths and methods', () => {
  it.each(['/nowhere', '/v1', '/V1/payments', '/customerapi', '/v1/payments/a/b'])(
    '%s is 404',
    async (path) => {
      const answer = await caller.get(path);
      expectRefusal(answer, 404);
    },
  );

  it.each([...POSTS, ...GETS])('%s takes only its methods, and says which', async (path) => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await caller.send(method, path, undefined);
      expectRefusal(answer, 405);
      const allowed = (answer.headers.get('allow') ?? '').split(/, */);
      expect(allowed.includes('POST')).toBe(POSTS.includes(path));
      expect(allowed.includes('GET')).toBe(GETS.includes(path));
      expect(allowed).not.toContain(method);
    }
  });

  it.each(POSTS.filter((path) => !GETS.includes(path)))('GET %s is 405', async (path) => {
    expectRefusal(await caller.get(path), 405);
  });
});

describe('media types', () => {
  it.each(['text/html', 'application/xml', 'image/*', 'application/json;q=0'])(
    'Accept: %s is 406',
    async (Accept) => {
      const answer = await caller.get('/v1/payments', { Accept });
      expect(answer.status).toBe(406);
      const post = await caller.post('/api/transactions/search', {}, { Accept });
      expect(post.status).toBe(406);
    },
  );

  it.each(['*/*', 'application/*', 'application/json', 'text/html, */*;q=0.1'])(
    'Accept: %s is served',
    async (Accept) => {
      expect((await caller.get('/v1/payments', { Accept })).status).toBe(200);
    },
  );

  it.each(POSTS)('%s takes JSON only', async (path) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      expectRefusal(await caller.send('POST', path, '{}', { 'Content-Type': type }), 415);
    }
  });

  it('a body without a type is 415', async () => {
    const { status } = await raw(
      [...head().with(0, 'POST /api/transactions/search HTTP/1.1'), 'Content-Length: 2'],
      '{}',
    );
    expect(status).toBe(415);
  });

  it.each(['gzip', 'deflate', 'br', 'identity', 'zstd'])(
    'Content-Encoding: %s is 415',
    async (encoding) => {
      const answer = await caller.post(
        '/api/transactions/search',
        {},
        { 'Content-Encoding': encoding },
      );
      expectRefusal(answer, 415);
    },
  );

  it('a charset of UTF-8 is served', async () => {
    const type = { 'Content-Type': 'application/json; charset=utf-8' };
    expect((await caller.post('/api/transactions/search', {}, type)).status).toBe(200);
  });
});

describe('bodies', () => {
  it.each(POSTS)('%s refuses what is no JSON object', async (path) => {
    const type = { 'Content-Type': 'application/json' };
    for (const text of ['{', '{"a":1,}', 'null', '[]', '"text"', '17']) {
      expectRefusal(await caller.send('POST', path, text, type), 400);
    }
  });

  it('more than 1 MiB are 413', async () => {
    const body = { emails: ['x'.repeat(1_048_576)] };
    expectRefusal(await caller.post('/api/transactions/search', body), 413);
  });

  it('less than 1 MiB are read', async () => {
    const text = `{"limit":1${' '.repeat(1_048_000)}}`;
    const type = { 'Content-Type': 'application/json' };
    const { status } = await caller.send('POST', '/api/transactions/search', text, type);
    expect(status).toBe(200);
  });

  it('a depth of more than 32 is 400', async () => {
    const nested = (depth: number) => `{"limit":1,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const type = { 'Content-Type': 'application/json' };
    expectRefusal(await caller.send('POST', '/api/transactions/search', nested(33), type), 400);
    expectRefusal(
      await caller.send('POST', '/api/transactions/search', nested(100_000), type),
      400,
    );
  });

  it('bytes that are no UTF-8 are 400', async () => {
    const lines = head().with(0, 'POST /api/transactions/search HTTP/1.1');
    const answer = await fetch(`${running.url}/api/transactions/search`, {
      method: 'POST',
      headers: {
        ...Object.fromEntries(lines.slice(2).map((line) => line.split(': ') as [string, string])),
        'Content-Type': 'application/json',
      },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    });
    expect(answer.status).toBe(400);
  });

  it.each(['__proto__', 'constructor', 'toString'])('a member %s is refused', async (name) => {
    const type = { 'Content-Type': 'application/json' };
    const text = `{"limit":1,"${name}":{"limit":0,"sandbox":true}}`;
    const { status } = await caller.send('POST', '/api/transactions/search', text, type);
    expect(status).toBe(400);
    expect((await caller.search({ limit: 1 })).status).toBe(200);
  });
});

describe('a header that is sent twice', () => {
  it.each([
    ['Authorization', () => caller.key],
    ['ClientId', () => '11'],
    ['UserEmail', () => USER_EMAIL],
    ['Host', () => 'localhost'],
  ])('%s is 400', async (name, value) => {
    expect((await raw(head())).status).toBe(200);
    const { status, text } = await raw([...head(), `${name}: ${value()}`]);
    expect(status, text).toBe(400);
  });

  it('Idempotency-Key is 400', async () => {
    const lines = [
      ...head().with(0, 'POST /v1/payments HTTP/1.1'),
      'Content-Type: application/json',
      'Content-Length: 2',
      'Idempotency-Key: one',
    ];
    expect((await raw([...lines, 'Idempotency-Key: one'], '{}')).text).toMatch(/duplicate/i);
    expect((await raw([...lines, 'Idempotency-Key: two'], '{}')).status).toBe(400);
  });

  it.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['no host', []],
  ])('%s are 400', async (_what, more) => {
    const lines = head().with(0, 'POST /api/transactions/search HTTP/1.1');
    const sent = more.length === 0 ? lines.filter((line) => !line.startsWith('Host')) : lines;
    const { status } = await raw([...sent, 'Content-Type: application/json', ...more], '{}');
    expect(status).toBe(400);
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
      'GET /api/ledger/trial-balance',
      'GET /api/ledger/accounts',
    ]),
  );
  for (const each of listed) {
    const [method = '', path = ''] = each.split(' ');
    const { status } = await fetch(running.url + path.replace('{id}', NOWHERE), { method });
    expect([404, 405], each).not.toContain(status);
  }
});
