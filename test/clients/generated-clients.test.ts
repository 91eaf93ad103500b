/** Our client, and one that another generator makes of a running demo's document, read every answer. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@counterfoil/client';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoHost, removeStubs, run, startDemo } from '../docs/commands.ts';
import { ROOT } from '../docs/markdown.ts';
import { Documented, type Operation } from '../http-host/documented.ts';
import { fileTypeOf, type Subject, subjectOf, variableOf } from '../http-host/example-subjects.ts';

// biome-ignore lint/suspicious/noExplicitAny: the generated clients have no types at compile time
type Json = any;

/** A client's result, and the raw response. */
interface Read {
  readonly data: Json;
  readonly response: Response;
}

type Call = (operation: Operation, request: ExampleRequest) => Promise<Read>;

/** The example of an operation, with existing ids. */
interface ExampleRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, Json>>;
  readonly body: Json;
}

const SLOW_MS = 300_000;

let demo: DemoHost;
let documented: Documented;
let credentials: Readonly<Record<'apiKey' | 'clientId' | 'userEmail' | 'tenantKey', string>>;
let headers: Record<string, string>;
let folder = '';
let serial = 0;

beforeAll(async () => {
  demo = await startDemo();
  const document = await (await fetch(`${demo.url}/openapi.json`)).json();
  documented = new Documented(document, (ajv) => formats.default(ajv));
  const file = join(demo.folder, 'data/demo-credentials.json');
  credentials = JSON.parse(readFileSync(file, 'utf8'));
  const { apiKey, clientId, userEmail, tenantKey } = credentials;
  headers = {
    Authorization: apiKey,
    ClientId: clientId,
    UserEmail: userEmail,
    'X-Tenant-Key': tenantKey,
  };
  // Where the imports of the clients resolve.
  folder = mkdtempSync(join(ROOT, 'test/node_modules/.clients-'));
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  await generate();
  await compile();
}, SLOW_MS);

afterAll(async () => {
  await demo?.stop();
  removeStubs();
  if (folder !== '') rmSync(folder, { recursive: true });
}, SLOW_MS);

async function generate(): Promise<void> {
  writeFileSync(
    join(folder, 'generate.mjs'),
    `import { createClient } from '@hey-api/openapi-ts';
await createClient({
  input: './openapi.json',
  output: { path: './checking', importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch', 'zod', { name: '@hey-api/sdk', validator: { response: 'zod' } }],
  logs: { level: 'error' },
});
`,
  );
  await ended(process.execPath, ['generate.mjs']);
}

/** Compiles with the project's compiler, as a user of the client would. */
async function compile(): Promise<void> {
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    outDir: 'compiled',
    rootDir: '.',
  };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['checking'] }),
  );
  await ended(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.']);
}

async function ended(command: string, args: string[]): Promise<void> {
  const { status, stdout, stderr } = await run(command, args, { cwd: folder });
  expect(status, `${command}: ${stdout.slice(0, 4_000)} ${stderr}`).toBe(0);
}

function compiled(path: string): Promise<Json> {
  return import(pathToFileURL(join(folder, 'compiled', path)).href);
}

async function send(method: string, path: string, body?: Json): Promise<Json> {
  const isText = typeof body === 'string';
  const content = { 'Content-Type': isText ? fileTypeOf(path) : 'application/json' };
  const text = isText ? body : JSON.stringify(body);
  const sent = { method, headers: { ...headers, ...content }, body: text };
  const answer = await fetch(demo.url + path, sent);
  const given = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(given)}`);
  return given;
}

/** The example of the document, with existing ids, and with an email and a name that are new. */
function requestOf({ path, node }: Operation, subject: Subject): ExampleRequest {
  const places = [...path.matchAll(/\/\{(\w+)\}/g)].map(({ 1: name = '', index }) => {
    return [name, subject[variableOf(path.slice(0, index))] ?? ''] as const;
  });
  const content = node.requestBody?.content ?? {};
  const query = (node.parameters ?? [])
    .filter((each: Json) => each.in === 'query' && each.required)
    .map((each: Json) => [each.name, each.example ?? each.schema.example]);
  const named = { path: Object.fromEntries(places), query: Object.fromEntries(query) };
  const [file] = Object.values<Json>(content);
  const example = (content['application/json'] ?? file)?.example;
  if (typeof example !== 'object' || Array.isArray(example)) return { ...named, body: example };
  return {
    ...named,
    body: example && {
      ...example,
      ...('messageId' in example && { messageId: subject['PAYMENT_ID'] }),
      ...('id' in example && { id: subject['PAYMENT_ID'] }),
      ...('email' in example && { email: `example-${serial}@shop.example` }),
      ...('search' in example && { name: `Example ${serial}` }),
      ...('scopes' in example && 'name' in example && { name: `Example ${serial}` }),
      ...('domain' in example && { domain: `example-${serial}.shop.example` }),
    },
  };
}

async function expectToReadEverything(call: Call): Promise<void> {
  const faults: string[] = [];
  const { paths } = documented.document;
  // Leads are written and cards submitted with keys of their own; the widget is for browsers; the
  // demo has no gateway that reports events or says payouts.
  const operations = documented.operations.filter(
    ({ path }) =>
      !/^\/(api\/public|widget|v1\/gateways|api\/admin\/settlements\/payouts)(\/|$)/.test(path),
  );
  for (const operation of operations) {
    serial += 1;
    const subject = await subjectOf(operation, { send, serial, companyId: 1, paths });
    const read = await call(operation, requestOf(operation, subject)).catch(String);
    if (typeof read === 'string') {
      faults.push(`${operation.id}: ${read}`);
      continue;
    }
    const { data, response } = read;
    const contentType = response.headers.get('content-type') ?? '';
    if (!response.ok || data === undefined) faults.push(`${operation.id}: ${response.status}`);
    if (!contentType.includes('json')) continue;
    const answered = { status: response.status, contentType, body: asSent(data) };
    faults.push(...documented.faultsOfAnswer(operation, answered));
  }
  expect(documented.operations.length).toBeGreaterThan(30);
  expect(faults).toEqual([]);
}

/** Clients return int64 as bigint, which JSON cannot represent. */
function asSent(data: Json): Json {
  return JSON.parse(
    JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  );
}

function asFile(path: string) {
  return { headers: { 'Content-Type': fileTypeOf(path) }, bodySerializer: String };
}

describe('the client', () => {
  it('of @counterfoil/client reads every answer', { timeout: SLOW_MS }, async () => {
    const client: Json = createClient({ baseUrl: demo.url, ...credentials });
    await expectToReadEverything(({ method, path, node }, request) => {
      const isJson = [200, 201, 202].some(
        (status) => node.responses[status]?.content?.['application/json'] !== undefined,
      );
      return client[method](path, {
        params: { path: request.path, query: request.query },
        body: request.body,
        ...(typeof request.body === 'string' && asFile(path)),
        ...(!isJson && { parseAs: 'text' }),
      });
    });
  });

  it('of openapi-ts reads and checks every answer', { timeout: SLOW_MS }, async () => {
    const sdk = await compiled('checking/sdk.gen.js');
    const { client } = await compiled('checking/client.gen.js');
    client.setConfig({ baseUrl: demo.url, headers });
    await expectToReadEverything(({ id }, { path, query, body }) =>
      sdk[id]({ path, query, body, throwOnError: true }),
    );
  });
});
