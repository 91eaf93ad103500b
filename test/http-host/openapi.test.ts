/** The document and the page made from declared endpoints: sound, complete, and safe to show. */
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
  renderReferencePage,
} from '@counterfoil/http-host/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { DOCUMENT_RULES } from './document-rules.ts';
import { converse, head, sampleEndpoints, startBench } from './listening-host.ts';

const INFO = {
  title: 'Sample',
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

describe('the page', () => {
  const { html, contentSecurityPolicy } = renderReferencePage(document);

  it('shows every operation, field and code', () => {
    for (const { operationId, path } of everyEndpoint()) {
      expect(html).toContain(`<article id="${operationId}">`);
      expect(html).toContain(`<code>${path}</code>`);
    }
    for (const code of Object.keys(ERRORS)) expect(html).toContain(`id="error-${code}"`);
    for (const field of ['title', 'items[].Quantity', 'at', 'limit']) {
      expect(html).toContain(`<code>${field}</code>`);
    }
  });

  it('gives an example for a shell', () => {
    expect(html).toContain('-H &quot;ClientId: $CLIENT_ID&quot;');
    expect(html).toContain("Bob's thing".replace("'", html.includes('Bob&#39;') ? '&#39;' : "'"));
  });

  it('escapes what it is given, runs nothing, and loads nothing from elsewhere', () => {
    expect(html).not.toContain('<b>markup</b>');
    expect(html).toContain('&lt;b&gt;markup&lt;/b&gt;');
    expect(html).not.toMatch(/<script|\son\w+=|(?:src|href)="https?:/);
    const css = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '';
    expect(contentSecurityPolicy).toContain(`style-src 'sha256-${hash('sha256', css, 'base64')}'`);
    expect(contentSecurityPolicy).toContain("default-src 'none'");
  });

  it.each(['/', '/docs'])('is served with its policy at %s', async (path) => {
    const { url } = await startBench({ endpoints: referencePageEndpoints(() => document) });
    const page = await fetch(url + path, { headers: { Accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(contentSecurityPolicy);
    expect(await page.text()).toBe(html);
  });
});

it.each(['/openapi.json', '/docs', '/'])('%s is compressed, and sent once', async (path) => {
  const made = () => document;
  const { url, port } = await startBench({
    endpoints: [openApiEndpoint(made), ...referencePageEndpoints(made)],
  });
  const zipped = await fetch(url + path);
  expect(zipped.headers.get('content-encoding')).toMatch(/^(gzip|br)$/);
  expect(zipped.headers.get('vary')).toBe('Accept-Encoding');
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
});

it('the document is served', async () => {
  const { url } = await startBench({ endpoints: [openApiEndpoint(() => document)] });
  const served = await (await fetch(`${url}/openapi.json`)).json();
  expect(served).toEqual(JSON.parse(JSON.stringify(document)));
});
