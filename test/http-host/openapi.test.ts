/** The document made from declared endpoints, and the page that shows it: sound, complete, and safe to show. */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Endpoint,
  ERRORS,
  endpoint,
  healthEndpoints,
  Metrics,
  makeOpenApiDocument,
  metricsEndpoint,
  openApiEndpoint,
  Readiness,
  referencePageEndpoints,
} from '@counterfoil/http-host/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { DOCUMENT_RULES } from './document-rules.ts';
import { converse, head, sampleEndpoints, startBench } from './listening-host.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as a reader would
type Json = any;

const INFO = {
  title: 'Sample <1>',
  version: '1.0.0',
  description: 'A sample.\n\nOf <two> paragraphs.',
  tags: { Things: 'About things', Operations: 'About the host', Unused: 'About nothing' },
};

const Item = z.object({ Quantity: z.int().min(1) }).meta({ id: 'Item' });

const described = endpoint({
  operationId: 'describedThing',
  method: 'PUT',
  path: '/things/{id}/described',
  tag: 'Things',
  summary: 'A thing with <b>markup</b>',
  description: 'For tests.',
  access: { kind: 'api-key', scope: 'things:write', requiresUserEmail: true },
  params: z.object({
    id: z.string().max(36, { abort: true }).check(z.uuid()).meta({ description: 'Which' }),
  }),
  query: z.object({ limit: z.coerce.number().int().default(10), tag: z.string().optional() }),
  body: z.object({
    title: z.string().max(40).meta({ description: 'What it is called', example: "Bob's thing" }),
    items: z.array(Item).max(1_000).optional(),
    at: z.string().max(40, { abort: true }).check(z.iso.datetime()).nullable().optional(),
  }),
  responses: { 200: { description: 'Done', schema: z.object({ items: z.array(Item) }) } },
  rejections: ['not_found', 'stale_row_version'],
  idempotency: 'money',
  handle: async () => ({ status: 200, body: {} }),
});

function everyEndpoint(): Endpoint[] {
  const document = () => makeOpenApiDocument(everyEndpoint(), INFO);
  return [
    ...sampleEndpoints({ effects: 0, onMoney: async () => {} }),
    described,
    ...healthEndpoints(new Readiness(() => {})),
    metricsEndpoint(new Metrics()),
    openApiEndpoint(document),
    ...referencePageEndpoints(document),
  ];
}

const document = makeOpenApiDocument(everyEndpoint(), INFO);

it('links the first mention of a term of the glossary in a description', () => {
  const terms = [
    {
      title: 'Who and where',
      terms: [
        { term: 'MID', meaning: 'A merchant id.' },
        { term: 'Application', meaning: 'A shop.' },
        { term: 'Event', meaning: 'What has happened.' },
      ],
    },
  ];
  const [application, mid] = ['application', 'MID'].map(
    (word) => `[${word}](#description/who-and-where)`,
  );
  const told = endpoint({
    ...described,
    description:
      'The application, an application/json, `MID`, an event, and MIDs of an application.',
    query: z.object({ mid: z.string().meta({ description: 'The MID', example: 'The MID' }) }),
  });
  const { paths } = makeOpenApiDocument([told], { ...INFO, terms }) as Json;
  const { put } = paths['/things/{id}/described'];
  const several = '[MIDs](#description/who-and-where)';
  expect(put.description).toContain(
    `The ${application}, an application/json, \`MID\`, an event, and ${several} of an application.`,
  );
  const parameter = put.parameters.find(({ name }: Json) => name === 'mid');
  expect(JSON.stringify(parameter)).toContain(`"description":"The ${mid}"`);
  expect(JSON.stringify(parameter)).toContain('"The MID"');
});

describe('the document', () => {
  it('satisfies the recommended rules of redocly', () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-openapi-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const redocly = fileURLToPath(new URL('../../node_modules/.bin/redocly', import.meta.url));
    const { status, stdout, stderr } = spawnSync(
      redocly,
      ['lint', file, '--extends', 'recommended', '--format', 'stylish'],
      {
        encoding: 'utf8',
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    expect(stdout + stderr).toMatch(/is valid/);
    expect(stdout + stderr).not.toMatch(/\bwarnings?\b/);
    expect(status).toBe(0);
  }, 60_000);

  it('lists every endpoint', () => {
    const listed = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    const declared = everyEndpoint().map(({ method, path }) => `${method.toLowerCase()} ${path}`);
    expect(listed.sort()).toEqual(declared.sort());
  });

  it('documents access, input and errors', () => {
    const operation = document.paths?.['/things/{id}/described']?.put;
    expect(operation?.security).toEqual([{ apiKey: [], clientId: [], userEmail: [] }]);
    expect(operation?.description).toContain('things:write');
    expect(operation?.parameters).toMatchObject([
      { in: 'path', name: 'id', required: true },
      { in: 'query', name: 'limit', schema: { default: 10 } },
      { in: 'query', name: 'tag' },
      { in: 'header', name: 'Idempotency-Key' },
    ]);
    const statuses = Object.keys(operation?.responses ?? {});
    expect(statuses).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '405',
      '406',
      '408',
      '409',
      '413',
      '415',
      '417',
      '422',
      '429',
      '431',
      '500',
      '503',
    ]);
    expect(operation?.responses?.['409']).toMatchObject({
      description: expect.stringContaining('stale_row_version'),
      headers: { RateLimit: {}, 'X-Request-Id': {}, 'Retry-After': {} },
    });
  });

  it('names 406 everywhere, for Accept-Encoding may admit no answer', () => {
    const paths = Object.entries(document.paths ?? {});
    const silent = paths.filter(([, { get }]) => get && get.responses?.['406'] === undefined);
    expect(silent).toEqual([]);
  });

  it('has no components that nothing uses', () => {
    const probes = [...healthEndpoints(new Readiness(() => {})), metricsEndpoint(new Metrics())];
    const { components } = makeOpenApiDocument(probes, INFO);
    expect(components?.securitySchemes ?? {}).toEqual({});
    expect(Object.keys(components?.headers ?? {})).toEqual(['X-Request-Id', 'Allow']);
  });

  it.each(DOCUMENT_RULES)('is refused unless $name', ({ faults, sample }) => {
    expect(faults(sample)).not.toEqual([]);
  });

  it('drops tags that nothing uses', () => {
    expect(document.tags?.map(({ name }) => name)).toEqual(['Things', 'Operations']);
  });
});

describe('the guide and the samples', () => {
  it('explain every error code', () => {
    const rows = document.info.description?.split('\n') ?? [];
    const listed = rows.flatMap((row) => /^- `(\w+)` \(\d{3}\): \*\*/.exec(row)?.[1] ?? []);
    expect(listed).toEqual(Object.keys(document['x-error-codes']));
    expect(listed.length).toBeGreaterThan(20);
    expect(listed.every((code) => code in ERRORS)).toBe(true);
  });

  it('call each operation from a shell', () => {
    const operation = document.paths?.['/things/{id}/described']?.put as Json;
    const [{ lang, source }] = operation['x-codeSamples'];
    expect(lang).toBe('shell');
    expect(source).toContain('curl -X PUT "$BASE_URL/things/$THING_ID/described"');
    expect(source).toContain('-H "ClientId: $CLIENT_ID"');
    const items = Object.values<Json>(document.paths ?? {}).flatMap((item) => Object.values(item));
    expect(items.filter((each: Json) => each['x-codeSamples'] === undefined)).toEqual([]);
  });
});

describe('the page', () => {
  const start = () => startBench({ endpoints: referencePageEndpoints(() => document) });

  it.each(['/', '/docs'])('lets only its own scripts run, at %s', async (path) => {
    const { url } = await start();
    const page = await fetch(url + path, { headers: { Accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toContain('<title>Sample &#60;1&#62; 1.0.0</title>');
    const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? [];
    const policy = page.headers.get('content-security-policy')?.split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'self' 'sha256-${hash('sha256', script, 'base64')}'`);
    expect(html).not.toMatch(/\son\w+=|(?:src|href)="https?:/);
  });

  it('names its script by a hash, which is cached for good', async () => {
    const { url } = await start();
    const html = await (await fetch(`${url}/docs`)).text();
    const [, address = ''] = /<script src="(\/docs\/scalar\.[0-9a-f]{16}\.js)"/.exec(html) ?? [];
    const named = await fetch(url + address);
    expect(named.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(named.headers.get('cache-control')).toContain('immutable');
    expect(named.headers.get('vary')).toBe('Accept-Encoding');
    const present = await fetch(`${url}/docs/scalar.js`);
    expect(present.headers.get('cache-control')).toBe('public, max-age=300');
    const script = await named.text();
    expect(await present.text()).toBe(script);
    for (const coding of ['br', 'gzip']) {
      const headers = { 'Accept-Encoding': coding };
      const encoded = await fetch(url + address, { headers });
      expect(encoded.headers.get('content-encoding')).toBe(coding);
      expect(await encoded.text()).toBe(script);
    }
    expect((await fetch(`${url}/docs/other.js`)).status).toBe(404);
  });
});

it.each(['/openapi.json', '/docs', '/'])(
  '%s is sent once, and compressed where large',
  async (path) => {
    const made = () => document;
    const { url, port } = await startBench({
      endpoints: [openApiEndpoint(made), ...referencePageEndpoints(made)],
    });
    const zipped = await fetch(url + path);
    if (path === '/openapi.json') {
      expect(zipped.headers.get('content-encoding')).toMatch(/^(gzip|br)$/);
      expect(zipped.headers.get('vary')).toBe('Accept-Encoding');
    }
    const plain = await fetch(url + path, { headers: { 'Accept-Encoding': 'gzip;q=0, identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await zipped.text());
    const etag = zipped.headers.get('etag') ?? '';
    expect(plain.headers.get('etag')).toBe(etag);
    const again = await converse(
      port,
      head(`GET ${path}`, { 'If-None-Match': `"x", ${etag}`, Connection: 'close' }),
    );
    expect(again).toMatch(/^HTTP\/1\.1 304 /);
    expect(again).toContain(`ETag: ${etag}`);
    expect(again.endsWith('\r\n\r\n')).toBe(true);
    expect((await fetch(url + path, { headers: { 'If-None-Match': '"x"' } })).status).toBe(200);
  },
);

it('the document is served', async () => {
  const { url } = await startBench({ endpoints: [openApiEndpoint(() => document)] });
  const served = await (await fetch(`${url}/openapi.json`)).json();
  expect(served).toEqual(JSON.parse(JSON.stringify(document)));
});
