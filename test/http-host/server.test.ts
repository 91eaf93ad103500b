/** The server over real sockets: what it refuses, how it answers, and how it ends. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { endpoint } from '@counterfoil/http-host/http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  converse,
  type ErrorBody,
  HEADERS,
  head,
  JSON_HEADERS,
  receive,
  startBench,
} from './listening-host.ts';

const CLOSE = { Connection: 'close' };

/** A request that does something, on a connection to be kept. */
function money(headers: Readonly<Record<string, string>> = {}): string {
  const body = '{"amount":1}';
  const framing = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
  return head('POST /things/1/money', { ...framing, ...headers }) + body;
}

interface RawCase {
  readonly name: string;
  readonly bytes: string | Uint8Array;
  readonly status: number;
  readonly code: string;
}

function post(body: string, headers: Readonly<Record<string, string>> = {}): string {
  const length = String(Buffer.byteLength(body));
  const all = {
    'Content-Type': 'application/json',
    'Content-Length': length,
    ...CLOSE,
    ...headers,
  };
  return head('POST /things', all) + body;
}

const chunked = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json', ...CLOSE };

const doubled = (name: string, value: string) =>
  head('GET /things/1', CLOSE).replace('\r\n\r\n', `\r\n${name}: ${value}\r\n\r\n`);

const rawCases: readonly RawCase[] = [
  ...[
    ['authorization', 'x'],
    ['CLIENTID', '1'],
    ['UserEmail', HEADERS.UserEmail],
    ['Host', 'localhost'],
  ].map(([name = '', value = '']) => ({
    name: `${name} twice`,
    bytes: doubled(name, value),
    status: 400,
    code: 'duplicate_header',
  })),
  {
    name: 'Idempotency-Key twice',
    bytes: doubled('Idempotency-Key', 'a').replace('\r\n\r\n', '\r\nidempotency-key: a\r\n\r\n'),
    status: 400,
    code: 'duplicate_header',
  },
  {
    name: 'no Host',
    bytes: head('GET /things/1', CLOSE).replace('Host: localhost\r\n', ''),
    status: 400,
    code: 'host_required',
  },
  {
    name: 'Transfer-Encoding beside Content-Length',
    bytes: `${head('POST /things', { ...chunked, 'Content-Length': '3' })}0\r\n\r\n`,
    status: 400,
    code: 'malformed_request',
  },
  {
    name: 'an unknown transfer coding before chunked',
    bytes: `${head('POST /things', { ...chunked, 'Transfer-Encoding': 'gzip, chunked' })}0\r\n\r\n`,
    status: 400,
    code: 'malformed_request',
  },
  {
    name: 'an unknown transfer coding alone',
    bytes: `${head('POST /things', { ...chunked, 'Transfer-Encoding': 'xchunked' })}0\r\n\r\n`,
    status: 400,
    code: 'malformed_request',
  },
  {
    name: 'two lengths',
    bytes: post('{}').replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\n'),
    status: 400,
    code: 'malformed_request',
  },
  {
    name: 'a bad chunk size',
    bytes: `${head('POST /things', chunked)}zz\r\n{}\r\n0\r\n\r\n`,
    status: 400,
    code: 'malformed_request',
  },
  {
    name: 'no HTTP at all',
    bytes: 'SSH-2.0-client\r\n\r\n',
    status: 400,
    code: 'malformed_request',
  },
  ...['', ' HTTP/0.9', ' HTTP/2.0'].map((version) => ({
    name: `a request line that ends in ${version || 'its path'}`,
    bytes: head('GET /things/1').replace(' HTTP/1.1', version),
    status: 400,
    code: 'malformed_request',
  })),
  {
    name: 'a connection to go on from here',
    bytes: head('CONNECT localhost:443'),
    status: 404,
    code: 'route_not_found',
  },
  {
    name: 'a header folded over two lines',
    bytes: 'GET /things/1 HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\nBad Header: x\r\n\r\n',
    status: 400,
    code: 'malformed_request',
  },
  {
    name: 'too large a head',
    bytes: head('GET /things/1', { ...CLOSE, 'X-Large': 'x'.repeat(64 * 1_024) }),
    status: 431,
    code: 'headers_too_large',
  },
  ...['gzip', 'deflate', 'br', 'identity', 'zstd'].map((encoding) => ({
    name: `a body encoded by ${encoding}`,
    bytes: post('{}', { 'Content-Encoding': encoding }),
    status: 415,
    code: 'unsupported_content_encoding',
  })),
  {
    name: 'a body without a type',
    bytes: post('{}').replace(/Content-Type: .*\r\n/, ''),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a form',
    bytes: post('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'JSON that means something else',
    bytes: post('{}', { 'Content-Type': 'application/merge-patch+json' }),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'JSON in another character set',
    bytes: post('{}', { 'Content-Type': 'application/json; charset=latin1' }),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a body announced as too large, never sent',
    bytes: head('POST /things', {
      'Content-Type': 'application/json',
      'Content-Length': '1048577',
    }),
    status: 413,
    code: 'payload_too_large',
  },
  {
    name: 'a chunked body that never ends',
    bytes: `${head('POST /things', chunked)}${`10000\r\n${' '.repeat(0x10000)}\r\n`.repeat(100)}`,
    status: 413,
    code: 'payload_too_large',
  },
  {
    name: 'a body cut in the middle of a character',
    bytes: Buffer.concat([
      Buffer.from(post('"ab"').slice(0, -4)),
      Buffer.from([0x22, 0xc3, 0x28, 0x22]),
    ]),
    status: 400,
    code: 'invalid_utf8',
  },
  { name: 'half of a JSON text', bytes: post('{"amount":'), status: 400, code: 'invalid_json' },
  {
    name: '100,000 levels of lists',
    bytes: post('['.repeat(100_000) + ']'.repeat(100_000)),
    status: 400,
    code: 'json_too_deep',
  },
  {
    name: '33 levels of lists',
    bytes: post('['.repeat(33) + ']'.repeat(33)),
    status: 400,
    code: 'json_too_deep',
  },
  {
    name: '33 levels of objects',
    bytes: post('{"a":'.repeat(33) + 1 + '}'.repeat(33)),
    status: 400,
    code: 'json_too_deep',
  },
  {
    name: 'an unknown expectation',
    bytes: post('{}', { Expect: '200-ok' }),
    status: 417,
    code: 'expectation_failed',
  },
  {
    name: 'a body where none is taken',
    bytes: post('{}').replace('POST /things', 'DELETE /things'),
    status: 400,
    code: 'body_not_allowed',
  },
];

describe('refused on the wire', () => {
  it.each(rawCases)('$name: $status $code', async ({ bytes, status, code }) => {
    const { port } = await startBench();
    const answer = await converse(port, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer).toMatch(/X-Request-Id: [A-Za-z0-9._-]+\r\n/i);
    expect(answer).toMatch(/Connection: close\r\n/i);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
      success: false,
      code,
    });
  });
});

describe('read from the wire', () => {
  it.each([
    ['brackets inside of strings', JSON.stringify({ amount: 1, more: `\\"${'[{'.repeat(99)}` })],
    ['32 levels', `{"amount":1,"more":${'['.repeat(31)}${']'.repeat(31)}}`],
    ['a body in many pieces', JSON.stringify({ amount: 1, more: 'é'.repeat(200_000) })],
  ])('%s', async (_name, body) => {
    const { url } = await startBench();
    const response = await fetch(`${url}/things`, { method: 'POST', headers: JSON_HEADERS, body });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(JSON.parse(body));
  });

  it.each(['__proto__', '\\u005f_proto__', '\\u005f\\u005fproto\\u005f\\u005f'])(
    'refuses a key %s',
    async (key) => {
      const body = `{"amount":1,"more":{"${key}":{"admin":true}}}`;
      const { status, errors } = await refusalOf(body);
      expect(status).toBe(400);
      expect(errors).toMatchObject([{ in: 'body', detail: '__proto__ is not known' }]);
      expect('admin' in {}).toBe(false);
    },
  );

  it.each([
    '1.999999999999999999',
    '1.00000000000000001',
    '0.00999999999999999999',
    '9999999999998.991',
    '9007199254740993',
    '1e-400',
    '-1e400',
  ])('refuses %s, which no double holds', async (amount) => {
    const { status, errors } = await refusalOf(`{"amount":${amount}}`);
    expect(status).toBe(400);
    expect(errors).toMatchObject([{ in: 'body', detail: expect.stringMatching(/^amount must /) }]);
  });

  it('calls what stands in a list a number, since it has no name', async () => {
    const { errors } = await refusalOf('{"amounts":[1,9007199254740993]}');
    const detail = 'A number must have fewer digits';
    expect(errors).toMatchObject([{ in: 'body', pointer: '', detail }]);
  });

  it.each(['19.990000000000000000', '0.30000000000000004', '9007199254740991', '1e2'])(
    'takes %s as it is',
    async (amount) => {
      const { status } = await refusalOf(`{"amount":${amount}}`);
      expect(status).toBe(200);
    },
  );

  async function refusalOf(body: string) {
    const { url } = await startBench();
    const sent = { method: 'POST', headers: JSON_HEADERS, body };
    const response = await fetch(`${url}/things`, sent);
    const { errors } = (await response.json()) as { errors?: object[] };
    return { status: response.status, errors };
  }

  it.each([
    ['GET http://localhost/things/1', 200],
    ['GET HTTP://LOCALHOST:80/things/1?limit=2', 200],
    ['GET https://elsewhere.example/things/404', 404],
    ['GET ftp://localhost/things/1', 404],
    ['DELETE http://localhost', 405],
    ['OPTIONS *', 404],
    ['GET *', 404],
  ])('%s: %d', async (line, status) => {
    const root = endpoint({
      operationId: 'root',
      method: 'GET',
      path: '/',
      tag: 'Things',
      summary: 'The root',
      description: 'For tests.',
      access: { kind: 'public' },
      responses: { 200: { description: 'Done', schema: z.unknown() } },
      rejections: [],
      idempotency: 'none',
      handle: async () => ({ status: 200, body: 'root' }),
    });
    const { port } = await startBench({ endpoints: [root] });
    const answer = await converse(port, head(line, CLOSE));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('answers 100 Continue only to a head that it would read on for', async () => {
    const { port } = await startBench();
    const body = '{"amount":1}';
    const good = await converse(port, post(body, { Expect: '100-continue' }));
    expect(good).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
    const bad = await converse(port, post(body, { Expect: '100-continue', ClientId: '2' }));
    expect(bad).toMatch(/^HTTP\/1.1 403 /);
  });

  it.each([
    ['malformed', 'nonsense\r\n\r\n'],
    ['no request to us', head('CONNECT localhost:443')],
  ])('answers pipelined requests in order, up to the one that is %s', async (_what, end) => {
    const { port } = await startBench();
    const text = `${head('GET /things/1')}${head('GET /things/2')}${end}`;
    const answer = await converse(port, text);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(answer.indexOf('"id":"1"')).toBeLessThan(answer.indexOf('"id":"2"'));
  });

  it.each(['one by one', 'in a pipeline'])(
    'ends a connection after its last answer, asked %s',
    async (how) => {
      const bench = await startBench({ limits: { maxRequestsPerSocket: 2 } });
      const socket = connect(bench.port, '127.0.0.1');
      const received = receive(socket);
      const requests = [money({ 'X-Request-Id': 'a' }), money(), money()];
      if (how === 'in a pipeline') socket.write(requests.join(''));
      else {
        socket.write(requests[0] ?? '');
        await once(socket, 'data');
        socket.write(requests.slice(1).join(''));
      }
      const answers = (await received).split(/(?=HTTP\/1\.1 )/);
      expect(answers.map((answer) => answer.slice(0, 12))).toEqual([
        'HTTP/1.1 201',
        'HTTP/1.1 201',
      ]);
      expect(answers[0]).not.toMatch(/Connection: close/i);
      expect(answers[1]).toMatch(/Connection: close\r\n/i);
      expect(bench.effects).toBe(2);
    },
  );

  it.each([
    ['a head that is not trusted', doubled('Host', 'b').replace('Connection: close\r\n', ''), 400],
    [
      'a body that is not read',
      head('POST /things', { 'Content-Type': 'application/json', 'Content-Length': '1048577' }) +
        ' '.repeat(1_048_577),
      413,
    ],
    ['an expectation that is not met', head('GET /things/1', { Expect: 'x', ...CLOSE }), 417],
  ])('does not act on what follows %s', async (_what, first, status) => {
    const bench = await startBench();
    const answer = await converse(bench.port, first + money());
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(bench.effects).toBe(0);
  });

  it('answers what was begun in a pipeline before it ends', async () => {
    const bench = await startBench();
    const entered = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    bench.onMoney = async () => {
      if (bench.effects === 2) entered.resolve();
      await open.promise;
    };
    const answered = converse(bench.port, money() + money());
    await entered.promise;
    const closing = bench.server.close();
    open.resolve();
    expect((await answered).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201']);
    expect(await closing).toEqual({ drained: true });
  });

  it('does not act on a body that breaks off', async () => {
    const bench = await startBench();
    const socket = connect(bench.port, '127.0.0.1');
    const length = { 'Content-Type': 'application/json', 'Content-Length': '100' };
    socket.end(`${head('POST /things/1/money', length)}{"amount":1`);
    const answer = await receive(socket);
    expect(answer).not.toMatch(/^HTTP\/1\.1 2/);
    expect(bench.effects).toBe(0);
  });

  it.each([
    ['the head', 'GET /things/1 HTTP/1.1\r\nHost: localhost\r\nX-Slow:'],
    [
      'the body',
      head('POST /things', { 'Content-Type': 'application/json', 'Content-Length': '9' }),
    ],
  ])('gives up waiting for %s', async (_name, bytes) => {
    const { port } = await startBench({ limits: { headersTimeoutMs: 100, requestTimeoutMs: 200 } });
    const answer = await converse(port, bytes);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('"code":"request_timeout"');
  });
});

describe('routing and content', () => {
  it.each([
    { method: 'GET', path: '/nothing', status: 404, code: 'route_not_found' },
    { method: 'GET', path: '/Things/1', status: 404, code: 'route_not_found' },
    { method: 'GET', path: '/things/1/', status: 404, code: 'route_not_found' },
    { method: 'GET', path: '/things/', status: 404, code: 'route_not_found' },
    { method: 'PUT', path: '/things/', status: 404, code: 'route_not_found' },
    { method: 'GET', path: '/things/%zz', status: 404, code: 'route_not_found' },
    { method: 'GET', path: `/things/${'1'.repeat(300)}`, status: 404, code: 'route_not_found' },
    { method: 'PUT', path: '/things/1', status: 405, code: 'method_not_allowed' },
    { method: 'GET', path: '/things', status: 405, code: 'method_not_allowed' },
    { method: 'GET', path: '/things/x', status: 400, code: 'invalid_request' },
    { method: 'GET', path: '/things/1?limit=101', status: 400, code: 'invalid_request' },
    { method: 'GET', path: '/things/404', status: 404, code: 'not_found' },
    { method: 'GET', path: '/things/500', status: 500, code: 'internal_error' },
  ])('$method $path: $status $code', async ({ method, path, status, code }) => {
    const { url } = await startBench();
    const response = await fetch(url + path, { method, headers: HEADERS });
    expect(response.status).toBe(status);
    const body = (await response.json()) as ErrorBody;
    expect(body).toMatchObject({ success: false, code });
    expect(body.requestId).toBe(response.headers.get('x-request-id'));
  });

  it('names the methods of a path', async () => {
    const { url } = await startBench();
    const allowOf = async (path: string, method: string) =>
      (await fetch(url + path, { method })).headers.get('allow');
    expect(await allowOf('/things', 'GET')).toBe('POST, DELETE');
    expect(await allowOf('/things/1', 'POST')).toBe('GET, HEAD');
  });

  it('answers HEAD like GET, without the body', async () => {
    const { url } = await startBench();
    const get = await fetch(`${url}/things/1`, { headers: HEADERS });
    const response = await fetch(`${url}/things/1`, { method: 'HEAD', headers: HEADERS });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect(await response.text()).toBe('');
  });

  it('answers 204 without content', async () => {
    const { url } = await startBench();
    const response = await fetch(`${url}/things`, { method: 'DELETE' });
    expect(response.status).toBe(204);
    expect(response.headers.has('content-type')).toBe(false);
  });

  it('points at each wrong field', async () => {
    const { url } = await startBench();
    const body = JSON.stringify({ amount: -1, tags: ['a', 7], userEmail: 'x' });
    const response = await fetch(`${url}/things`, { method: 'POST', headers: JSON_HEADERS, body });
    const { errors } = (await response.json()) as ErrorBody;
    expect(errors?.map(({ pointer }) => pointer)).toEqual(['/userEmail', '/amount', '/tags/1']);
  });

  it('points at path and query as well, and at 50 errors at most', async () => {
    const { url } = await startBench();
    const get = await fetch(`${url}/things/x?limit=101`, { headers: HEADERS });
    const { errors } = (await get.json()) as ErrorBody;
    expect(errors?.map(({ pointer }) => pointer)).toEqual(['/path/id', '/query/limit']);
    const body = JSON.stringify({ amount: 1, tags: Array(100).fill(7) });
    const post = await fetch(`${url}/things`, { method: 'POST', headers: JSON_HEADERS, body });
    expect(((await post.json()) as ErrorBody).errors).toHaveLength(50);
  });

  it('hides an unexpected error from the caller, and logs it without secrets', async () => {
    const { url, logs } = await startBench();
    const response = await fetch(`${url}/things/500`, { headers: HEADERS });
    expect(await response.text()).not.toContain('secret plan');
    const log = logs.join('');
    expect(log).toContain('the secret plan');
    expect(log).toContain(response.headers.get('x-request-id'));
    expect(log).not.toContain(HEADERS.Authorization);
  });

  it.each([
    ['kept', 'my-id_1.2', /^my-id_1\.2$/],
    ['replaced: bad character', 'a b', /^[0-9a-f-]{14}7[0-9a-f-]{21}$/],
    ['replaced: markup', '<script>', /^[0-9a-f-]{14}7[0-9a-f-]{21}$/],
    ['replaced: too long', 'x'.repeat(129), /^[0-9a-f-]{14}7[0-9a-f-]{21}$/],
  ])('a request id is %s', async (_name, sent, expected) => {
    const { url } = await startBench();
    const response = await fetch(`${url}/livez`, { headers: { 'X-Request-Id': sent } });
    expect(response.headers.get('x-request-id')).toMatch(expected);
  });

  const trace = 'a'.repeat(32);
  const span = 'b'.repeat(16);
  it.each([
    ['a valid one', `00-${trace}-${span}-01`, true],
    ['one of a later version', `01-${trace}-${span}-00`, true],
    ['a version that is not', `ff-${trace}-${span}-01`, false],
    ['no trace', `00-${'0'.repeat(32)}-${span}-01`, false],
    ['no span', `00-${trace}-${'0'.repeat(16)}-01`, false],
    ['capitals', `00-${trace.toUpperCase()}-${span}-01`, false],
  ])('traceparent: %s', async (_name, traceparent, isKept) => {
    const { url } = await startBench();
    const response = await fetch(`${url}/things/1`, { headers: { ...HEADERS, traceparent } });
    expect(await response.json()).toEqual({ id: '1', limit: 10, ...(isKept && { traceparent }) });
  });

  it('sends headers that keep browsers from making anything of an answer', async () => {
    const { url } = await startBench();
    const { headers } = await fetch(`${url}/things/1`, { headers: HEADERS });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('Accept', () => {
  const problem = 'application/problem+json';
  it.each([
    { accept: 'text/html', status: 406, type: 'application/json' },
    { accept: 'image/*', status: 406, type: 'application/json' },
    { accept: '*/*', status: 404, type: 'application/json' },
    { accept: 'application/json;q=0', status: 406, type: 'application/json' },
    { accept: 'text/html, */*;q=0.1', status: 404, type: 'application/json' },
    { accept: 'application/*', status: 404, type: 'application/json' },
    { accept: problem, status: 404, type: problem },
    { accept: `application/json, ${problem}`, status: 404, type: problem },
    { accept: `application/json;q=0.5, ${problem};q=0.9`, status: 404, type: problem },
    { accept: `application/json, ${problem};q=0.9`, status: 404, type: 'application/json' },
    { accept: `${problem};q=0, application/json`, status: 404, type: 'application/json' },
  ])('$accept: $status as $type', async ({ accept, status, type }) => {
    const { url } = await startBench();
    const response = await fetch(`${url}/things/404`, { headers: { ...HEADERS, Accept: accept } });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    const members = ['success', 'message', 'code', 'requestId'];
    const problemMembers = ['type', 'title', 'status', 'detail'];
    const body = (await response.json()) as object;
    expect(Object.keys(body).sort()).toEqual(
      (type === problem ? [...members, ...problemMembers] : members).sort(),
    );
  });
});

describe('under pressure and at the end', () => {
  /** An endpoint that answers when the test says so. */
  function gated() {
    const entered = Promise.withResolvers<AbortSignal>();
    const open = Promise.withResolvers<void>();
    const gate = endpoint({
      operationId: 'wait',
      method: 'GET',
      path: '/wait',
      tag: 'Things',
      summary: 'Waits',
      description: 'For tests.',
      access: { kind: 'public' },
      responses: { 200: { description: 'Done', schema: z.unknown() } },
      rejections: [],
      idempotency: 'none',
      handle: async (context) => {
        entered.resolve(context.signal);
        await open.promise;
        return { status: 200, body: { waited: true } };
      },
    });
    return { gate, entered: entered.promise, open: open.resolve };
  }

  it('turns away what is too much, at once, but not the probes', async () => {
    const { gate, entered, open } = gated();
    const { url } = await startBench({ endpoints: [gate], limits: { maxInFlight: 1 } });
    const first = fetch(`${url}/wait`);
    await entered;
    const second = await fetch(`${url}/things/1`, { headers: HEADERS });
    expect(second.status).toBe(503);
    expect(second.headers.get('retry-after')).toBe('1');
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    open();
    expect((await first).status).toBe(200);
    expect((await fetch(`${url}/things/1`, { headers: HEADERS })).status).toBe(200);
  });

  it('turns away before it looks up a key or lets a body come', async () => {
    const { gate, entered, open } = gated();
    const { url, port } = await startBench({ endpoints: [gate], limits: { maxInFlight: 1 } });
    const first = fetch(`${url}/wait`);
    await entered;
    const waits = { Expect: '100-continue', 'Content-Length': '3', ...CLOSE };
    const unknown = { ...JSON_HEADERS, Authorization: 'unknown' };
    const answer = await converse(port, head('POST /things', { ...unknown, ...waits }));
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*"code":"overloaded"/s);
    expect(answer).toMatch(/^Retry-After: 1\r$/m);
    open();
    await first;
  });

  it('answers what is under way, closes what is idle, and takes nothing new', async () => {
    const { gate, entered, open } = gated();
    const { url, port, server } = await startBench({ endpoints: [gate] });
    const idle = connect(port, '127.0.0.1');
    await once(idle, 'connect');
    const idleEnd = receive(idle);
    const first = fetch(`${url}/wait`);
    await entered;
    const closing = server.close();
    expect(await idleEnd).toBe('');
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    open();
    const answer = await first;
    expect(answer.headers.get('connection')).toBe('close');
    expect(await answer.json()).toEqual({ waited: true });
    expect(await closing).toEqual({ drained: true });
  });

  it('is not ready once it drains', async () => {
    const { server, readiness } = await startBench();
    expect(await readiness.report()).toMatchObject({ status: 'ok' });
    await server.close();
    expect(await readiness.report()).toMatchObject({ status: 'unavailable' });
  });

  it('cuts off what does not end within the grace, and says so', async () => {
    const { gate, entered, open } = gated();
    const { url, server } = await startBench({
      endpoints: [gate],
      limits: { shutdownGraceMs: 50 },
    });
    const first = fetch(`${url}/wait`).catch(() => 'cut off');
    const signal = await entered;
    expect(await server.close()).toEqual({ drained: false });
    expect(await first).toBe('cut off');
    expect(signal.aborted).toBe(true);
    open();
  });

  it('aborts the signal of the handler when its caller disconnects', async () => {
    const { gate, entered, open } = gated();
    const { port } = await startBench({ endpoints: [gate] });
    const socket = connect(port, '127.0.0.1');
    socket.write(head('GET /wait'));
    const signal = await entered;
    const aborted = once(signal, 'abort');
    socket.destroy();
    await aborted;
    open();
  });
});
