/** Compressed responses: which are, which are not, and what their headers say. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { endpoint } from '@counterfoil/http-host/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Bench, HEADERS, startBench } from './listening-host.ts';

const THRESHOLD = 1_024;
/** What JSON adds to a text in a member `text`. */
const FRAME = JSON.stringify({ text: '' }).length;

const read = { kind: 'api-key', scope: 'things:read', requiresUserEmail: false } as const;
const shared = {
  tag: 'Texts',
  summary: 'A text',
  description: 'For tests.',
  access: read,
  query: z.object({ bytes: z.coerce.number().int().optional() }),
  rejections: [],
  idempotency: 'none',
} as const;

const Text = z.object({ text: z.string() });
const textOf = (bytes = 5_000) => 'x'.repeat(bytes - FRAME);

const texts = endpoint({
  ...shared,
  operationId: 'getText',
  method: 'GET',
  path: '/texts',
  responses: { 200: { description: 'A text', schema: Text } },
  handle: async (context, { query: { bytes } }) => ({
    status: 200,
    body: { text: textOf(bytes) },
    headers: {
      ETag: '"7"',
      Vary: 'Accept',
      ...(context.ifMatch && { 'X-If-Match': context.ifMatch }),
    },
  }),
});

const secrets = endpoint({
  ...shared,
  operationId: 'getSecret',
  method: 'GET',
  path: '/secrets',
  responses: { 200: { description: 'A key', schema: z.object({ key: z.string() }) } },
  holdsSecrets: true,
  handle: async () => ({ status: 200, body: { key: textOf() } }),
});

const image = endpoint({
  ...shared,
  operationId: 'getImage',
  method: 'GET',
  path: '/image',
  responses: { 200: { description: 'An image', contentType: 'image/png' } },
  handle: async () => ({ status: 200, raw: randomBytes(5_000), contentType: 'image/png' }),
});

const paid = endpoint({
  ...shared,
  operationId: 'payText',
  method: 'POST',
  path: '/paid',
  query: z.object({}),
  body: z.object({ bytes: z.int() }),
  responses: { 201: { description: 'A text', schema: Text } },
  idempotency: 'money',
  handle: async (_context, { body: { bytes } }) => ({ status: 201, body: { text: textOf(bytes) } }),
});

let bench: Bench;
beforeAll(async () => {
  const endpoints = [texts, secrets, image, paid];
  bench = await startBench({ endpoints, onEnd: (end) => afterAll(end) });
});

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** As the wire has it: `fetch` would decode it. */
function sent(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', body }: { method?: string; body?: string } = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length = body && { 'Content-Type': 'application/json', 'Content-Length': body.length };
    const options = { method, headers: { ...HEADERS, ...length, ...headers }, agent: false };
    const asked = request(bench.url + path, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, bytes: Buffer.concat(chunks) });
      });
    });
    asked.on('error', reject).end(body);
  });
}

const gzipped = { 'Accept-Encoding': 'gzip' };

describe('a response above the threshold', () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('is compressed as %s', async (coding, decoded) => {
    const { status, headers, bytes } = await sent('/texts', { 'Accept-Encoding': coding });
    expect(status).toBe(200);
    expect(headers['content-encoding']).toBe(coding);
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(bytes.length).toBeLessThan(500);
    expect(JSON.parse(decoded(bytes).toString())).toEqual({ text: textOf() });
  });

  it('keeps what else it varies by, compressed or not', async () => {
    for (const headers of [gzipped, {}]) {
      expect((await sent('/texts', headers)).headers['vary']).toBe('Accept, Accept-Encoding');
    }
  });

  it('has a strong ETag of its own, which If-Match may send back', async () => {
    const zipped = await sent('/texts', gzipped);
    expect(zipped.headers['etag']).toBe('"7-gzip"');
    expect((await sent('/texts')).headers['etag']).toBe('"7"');
    const again = await sent('/texts', { 'If-Match': '"7-gzip", "8"' });
    expect(again.headers['x-if-match']).toBe('"7", "8"');
  });

  it('has the same headers for HEAD, and no content', async () => {
    const { headers } = await sent('/texts', gzipped);
    const head = await sent('/texts', gzipped, { method: 'HEAD' });
    expect(head.headers['content-encoding']).toBe('gzip');
    expect(head.headers['content-length']).toBe(headers['content-length']);
    expect(head.bytes).toHaveLength(0);
  });

  it('is whole for each of many at once', async () => {
    const all = Array.from({ length: 200 }, (_, index) =>
      sent(`/texts?bytes=${2_000 + index}`, gzipped),
    );
    for (const [index, { headers, bytes }] of (await Promise.all(all)).entries()) {
      const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      expect(plain).toHaveLength(2_000 + index);
    }
  });
});

describe('a response is sent as it is', () => {
  it.each<[string, string, Record<string, string>]>([
    ['up to the threshold', `/texts?bytes=${THRESHOLD}`, gzipped],
    ['for a client that names no coding', '/texts', {}],
    ['for a client of other codings', '/texts', { 'Accept-Encoding': 'deflate, zstd' }],
    ['with a secret', '/secrets', gzipped],
    ['with an image', '/image', gzipped],
  ])('%s', async (_, path, headers) => {
    const { status, headers: received, bytes } = await sent(path, headers);
    expect(status).toBe(200);
    expect(received['content-encoding']).toBeUndefined();
    expect(Number(received['content-length'])).toBe(bytes.length);
  });

  it('just above the threshold it is not', async () => {
    const { headers } = await sent(`/texts?bytes=${THRESHOLD + 1}`, gzipped);
    expect(headers['content-encoding']).toBe('gzip');
  });

  it('to a caller who is not known', async () => {
    const unknown = { Authorization: 'cf_live_x', 'Accept-Encoding': 'gzip, identity;q=0' };
    const { status, headers } = await sent('/texts', unknown);
    expect(status).toBe(401);
    expect(headers['content-encoding']).toBeUndefined();
  });
});

describe('a client that refuses responses without a coding', () => {
  it('gets small ones compressed too', async () => {
    const wanted = { 'Accept-Encoding': 'gzip, identity;q=0' };
    const { headers, bytes } = await sent('/texts?bytes=100', wanted);
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(bytes)).toHaveLength(100);
  });

  it.each([
    ['/texts', 'identity;q=0, zstd'],
    ['/secrets', 'gzip, identity;q=0'],
  ])('is refused where %s has none of %s', async (path, codings) => {
    const { status, bytes } = await sent(path, { 'Accept-Encoding': codings });
    expect(status).toBe(406);
    expect(JSON.parse(bytes.toString()).code).toBe('not_acceptable');
  });
});

it('a response is replayed in the coding of the repetition', async () => {
  const asked = { method: 'POST', body: JSON.stringify({ bytes: 5_000 }) };
  const key = { 'Idempotency-Key': 'once' };
  const writer = { ...key, ...gzipped };
  const first = await sent('/paid', writer, asked);
  expect(first.status).toBe(201);
  const plain = await sent('/paid', key, asked);
  expect(plain.headers['idempotency-replayed']).toBe('true');
  expect(JSON.parse(plain.bytes.toString())).toEqual({ text: textOf() });
  const brotli = await sent('/paid', { ...key, 'Accept-Encoding': 'br' }, asked);
  expect(brotliDecompressSync(brotli.bytes)).toEqual(plain.bytes);
});

it('a declaration whose responses have a secret says so', () => {
  const { holdsSecrets: _, ...silent } = secrets;
  expect(() => endpoint(silent as Parameters<typeof endpoint>[0])).toThrow('holdsSecrets');
});
