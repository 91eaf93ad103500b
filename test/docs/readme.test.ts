/** Executes the README: pays, refunds and searches, embeds, and runs its commands. */
import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fileTypeOf, type Send, subjectOf } from '../http-host/example-subjects.ts';
import { ranCommand } from '../setup/command-line.ts';
import { freePort } from '../setup/postgres-server.ts';
import {
  CLI,
  type DemoHost,
  makeFolder,
  removeFolder,
  removeStubs,
  run,
  runBlocks,
  startDemo,
} from './commands.ts';
import {
  type CodeBlock,
  codeBlocks,
  codeIn,
  ROOT,
  readDocument,
  section,
  tableRows,
} from './markdown.ts';

const readme = readDocument('README.md');
const CREDENTIALS = 'data/demo-credentials.json';
const SLOW_MS = 120_000;
const CURL_STATUS = "curl -sS -w '\\n%{http_code}'";

afterAll(removeStubs);

// biome-ignore lint/suspicious/noExplicitAny: responses are read untyped
type Json = any;

describe('with the demo running', () => {
  let demo: DemoHost;
  beforeAll(async () => {
    demo = await startDemo();
  }, SLOW_MS);
  afterAll(() => demo?.stop(), SLOW_MS);

  it('answers the curl lines of the README as it says', { timeout: SLOW_MS }, async () => {
    const blocks = codeBlocks(section(readme, '## A first payment, refund and search'));
    const shell = blocks.filter(({ language }) => language === 'sh');
    const printed = await runBlocks(
      shell.map(({ code }) => code),
      { cwd: demo.folder },
    );
    const shown = shell.map((block) => answerAfter(blocks, block));
    expect(shown.filter((answer) => answer !== undefined)).toHaveLength(5);
    for (const [index, answer] of shown.entries()) {
      if (answer === undefined) continue;
      expect(JSON.parse(printed[index] ?? ''), shell[index]?.code).toMatchObject(expected(answer));
    }
  });

  it('is called from TypeScript as the README says', { timeout: SLOW_MS }, async () => {
    const { baseUrl, apiKey, clientId, userEmail } = readJson(CREDENTIALS);
    const env = { BASE: baseUrl, KEY: apiKey, CLIENT: String(clientId), EMAIL: userEmail };
    await expectToPrint('## From TypeScript', env);
  });

  it('sends an email as the README says', { timeout: SLOW_MS }, async () => {
    const [begin] = codeBlocks(section(readme, '## A first payment, refund and search'));
    const blocks = codeBlocks(section(readme, '## Email'));
    const shell = blocks.filter(({ language }) => language === 'sh');
    const code = [begin, ...shell].map((block) => block?.code ?? '');
    const [, ...printed] = await runBlocks(code, { cwd: demo.folder });
    expect(shell).toHaveLength(3);
    for (const [index, block] of shell.entries()) {
      const answer = expected(answerAfter(blocks, block));
      expect(JSON.parse(printed[index] ?? ''), block.code).toMatchObject(answer);
    }
  });

  it('serves the endpoints that the README lists', { timeout: SLOW_MS }, async () => {
    const served: Json = await (await fetch(`${demo.url}/openapi.json`)).json();
    const listed = tableRows(section(readme, '## Endpoints')).filter(([name]) => isEndpoint(name));
    const rows = listed.flatMap(([names, scope, userEmail, key]) =>
      eachOf(codeIn(names) ?? '').map((name) => [
        name,
        codeIn(scope),
        userEmail === 'required',
        key === 'yes',
      ]),
    );
    expect(rows).toEqual(expect.arrayContaining([['GET /livez', undefined, false, false]]));
    expect(rows.toSorted(byName)).toEqual(endpointsOf(served).toSorted(byName));
    for (const [name] of rows)
      expect(await codeOf(String(name)), String(name)).not.toMatch(NO_ROUTE);
    expect(await codeOf('GET /nowhere')).toMatch(NO_ROUTE);
  });

  async function codeOf(endpoint: string): Promise<string> {
    const [method = '', path = ''] = endpoint.split(' ');
    const answer = await fetch(
      demo.url + path.replace('{file}', path.startsWith('/docs/') ? 'scalar.js' : 'v1.js'),
      { method },
    );
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    const { code } = (isJson ? await answer.json() : {}) as { code?: string };
    return code ?? '';
  }

  it('accepts each sample of the document as it is pasted', { timeout: SLOW_MS }, async () => {
    const { paths }: Json = await (await fetch(`${demo.url}/openapi.json`)).json();
    const operations = Object.entries<Json>(paths).flatMap(([path, item]) =>
      Object.values<Json>(item).map(({ operationId, 'x-codeSamples': [{ source }] }) => ({
        id: operationId,
        path,
        source,
      })),
    );
    const { apiKey, clientId, userEmail, tenantKey } = readJson(CREDENTIALS);
    const ORIGIN = 'https://shop.example';
    const { content } = paths['/api/admin/leadkeys'].post.requestBody;
    const asked = { ...content['application/json'].example, allowedOrigins: [ORIGIN] };
    const { item: leadKey } = await send('POST', '/api/admin/leadkeys', asked);
    const forPages = { kind: 'payment-publishable', applicationId: 1, allowedOrigins: [ORIGIN] };
    const { item: paymentKey } = await send('POST', '/api/admin/keys', forPages);
    const env = {
      BASE_URL: demo.url,
      API_KEY: apiKey,
      CLIENT_ID: clientId,
      USER_EMAIL: userEmail,
      LEAD_SECRET_KEY: leadKey.secretKey,
      PAYMENT_KEY: paymentKey.key,
      TENANT_KEY: tenantKey,
      ORIGIN,
    };
    const statuses: [string, string][] = [];
    for (const [serial, { id: operationId, path, source }] of operations.entries()) {
      const example = source.replace('curl', CURL_STATUS);
      const subject = await subjectOf(
        { id: operationId, path },
        { send, serial, companyId: 1, paths },
      );
      const { stdout } = await run('bash', ['-euc', example], {
        cwd: demo.folder,
        env: { ...env, ...subject },
      });
      statuses.push([operationId, stdout.slice(-'200'.length)]);
    }
    expect(statuses.length).toBeGreaterThan(30);
    // The demo has no gateway that reports events or says payouts.
    expect(statuses.filter(([, status]) => !/^20[0124]$/.test(status))).toEqual([
      ['takeGatewayEvent', '404'],
      ['settlePayouts', '400'],
    ]);
    expect(paths['/api/admin/settlements/payouts'].post.description).toMatch(/demo.*refused/);
  });

  it('backs up and restores as the operations manual says', { timeout: SLOW_MS }, async () => {
    const [block] = codeBlocks(section(readDocument('docs/operations.md'), '## Backup'));
    symlinkSync(join(ROOT, 'packages'), join(demo.folder, 'packages'));
    const environment = { LOG_LEVEL: 'silent', TEST_CLOCK: '1' };
    await runBlocks([block?.code ?? ''], { cwd: demo.folder, env: environment });
    const { tenantId, key } = credentials();
    const headers = { Authorization: key, ClientId: String(tenantId) };
    const answer = await fetch(`${demo.url}/api/ledger/trial-balance`, { headers });
    const { success, ...books }: Json = await answer.json();
    expect(success).toBe(true);
    const env = { ...environment, DATA_DIR: join(demo.folder, 'restored') };
    const restored = await compose(readConfig(env));
    try {
      // Refused until there is a build, incomplete until it has caught up.
      const booksNow = () => restored.books.trialBalance({ tenantId }).catch(() => undefined);
      await vi.waitUntil(async () => isDeepStrictEqual(await booksNow(), books), {
        timeout: 30_000,
        interval: 100,
      });
    } finally {
      await restored.close();
    }
  });

  function credentials() {
    const { clientId, apiKey } = readJson(CREDENTIALS);
    return { tenantId: Number(clientId), key: apiKey };
  }

  function readJson(path: string): Json {
    return JSON.parse(readFileSync(join(demo.folder, path), 'utf8'));
  }

  const send: Send = async (method, path, body) => {
    const [type, content] =
      typeof body === 'string'
        ? [fileTypeOf(path), body]
        : ['application/json', JSON.stringify(body)];
    const { apiKey, clientId, userEmail, tenantKey } = readJson(CREDENTIALS);
    const headers = {
      Authorization: apiKey,
      ClientId: clientId,
      UserEmail: userEmail,
      'X-Tenant-Key': tenantKey,
      'Content-Type': type,
    };
    const asked = { method, headers, ...(body !== undefined && { body: content }) };
    const answer = await fetch(demo.url + path, asked);
    const given = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(given)}`);
    return given;
  };

  /** Their names do not exist: each rebill of years would be sent there eight times. */
  async function removeWebhookEndpoints(): Promise<void> {
    const path = '/api/admin/webhookendpoints';
    const { items } = await send('GET', path);
    for (const { id } of items) await send('DELETE', `${path}/${id}`);
  }

  it('has the metrics that the operations manual lists', { timeout: SLOW_MS }, async () => {
    const text = await (await fetch(`${demo.url}/metrics`)).text();
    const rows = tableRows(section(readDocument('docs/operations.md'), '## Metrics'));
    const names = rows.map(([name]) => codeIn(name) ?? '');
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
    const own = [...text.matchAll(/^# TYPE ((?!nodejs_|process_)\S+)/gm)].map(([, name]) => name);
    expect(own.filter((name = '') => !names.includes(name))).toEqual([]);
  });

  // Last, because it advances the clock by years.
  it('moves the clock as the operations manual says', { timeout: SLOW_MS }, async () => {
    const text = section(readDocument('docs/operations.md'), '## The test clock');
    const [block] = codeBlocks(text);
    await removeWebhookEndpoints();
    const [printed = ''] = await runBlocks([block?.code ?? ''], { cwd: demo.folder });
    const answers: Json[] = printed.split(/(?<=\})\s*(?=\{)/).map((each) => JSON.parse(each));
    const now = expect.stringMatching(/^\d{4}-/);
    expect(answers).toMatchObject([
      { success: true, now, movingTo: null },
      { success: true, now, unfinished: [] },
      { success: true, now: expect.stringMatching(/^2031-01-01T00:00/), unfinished: [] },
    ]);
    const days = (Date.parse(answers[1].now) - Date.parse(answers[0].now)) / 86_400_000;
    expect(Math.floor(days)).toBe(180);
  });
});

const NO_ROUTE = /^(route_not_found|method_not_allowed)$/;

function isEndpoint(cell: string | undefined): boolean {
  return /^`\[?[A-Z, ]+\]? \//.test(cell ?? '');
}

/** `[PUT, PATCH] /api/admin/[shops, products]/{id}` is four endpoints. */
function eachOf(text: string): string[] {
  const [all, choices = ''] = /\[([^\]]*)\]/.exec(text) ?? [];
  if (all === undefined) return [text];
  return choices.split(', ').flatMap((each) => eachOf(text.replace(all, each)));
}

function byName(left: readonly unknown[], right: readonly unknown[]): number {
  return String(left[0]) < String(right[0]) ? -1 : 1;
}

/** Name, scope, whether UserEmail is required and whether Idempotency-Key is supported. */
function endpointsOf(document: Json): unknown[][] {
  return Object.entries(document.paths as Record<string, Json>).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, Json>).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      /Scope: `([^`]*)`/.exec(operation.description)?.[1],
      operation.security.some((each: Json) => 'userEmail' in each),
      (operation.parameters ?? []).some((each: Json) => isIdempotencyKey(each, document)),
    ]),
  );
}

function isIdempotencyKey(parameter: Json, document: Json): boolean {
  const name = parameter.$ref?.split('/').at(-1);
  const resolved = name === undefined ? parameter : document.components.parameters[name];
  return resolved.name === 'Idempotency-Key';
}

/** The JSON block directly after a shell block. */
function answerAfter(blocks: readonly CodeBlock[], block: CodeBlock): Json {
  const next = blocks[blocks.indexOf(block) + 1];
  return next?.language === 'json' ? JSON.parse(next.code) : undefined;
}

/** The response shown by the README, with "…" as a wildcard. It shows some fields of each response. */
function expected(shown: Json): Json {
  if (shown === '…') return expect.stringMatching(/./);
  if (Array.isArray(shown)) return shown.map((each) => expected(each));
  if (typeof shown !== 'object' || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, expected(value)]));
}

it('embeds the ledger as the README shows', { timeout: SLOW_MS }, async () => {
  await expectToPrint('## Embedding');
});

/** Runs the program of a section, which prints what the comment in its end says. */
async function expectToPrint(heading: string, env: Record<string, string> = {}): Promise<void> {
  const [block] = codeBlocks(section(readme, heading));
  expect(block?.language).toBe('ts');
  const code = block?.code ?? '';
  const promised = /console\.log\(.*\/\/ (.*)$/m.exec(code)?.[1];
  const done = await run(process.execPath, ['--input-type=module-typescript'], {
    cwd: join(ROOT, 'test'),
    env,
    input: code,
  });
  expect(done).toMatchObject({ status: 0, stdout: `${promised}\n` });
}

describe('the command line', () => {
  const text = section(readme, '## Running it in production');

  it('sets a tenant up for production', { timeout: SLOW_MS }, async () => {
    const folder = makeFolder();
    try {
      // The sources as in a clone, and the output of the block beside them.
      for (const name of ['packages', 'scripts', 'docs', 'node_modules']) {
        symlinkSync(join(ROOT, name), join(folder, name));
      }
      const [setUp, serve] = codeBlocks(text);
      const port = `PORT=${await freePort()}`;
      const [printed = '', served] = await runBlocks(
        [(setUp?.code ?? '').replace('PORT=8080', port), servedUntilReady(serve?.code ?? '')],
        { cwd: folder },
      );
      expect(served).toContain('ended with 0');
      expect(statSync(join(folder, 'production/master-key')).mode & 0o777).toBe(0o600);
      expect(printed).toContain('Tenant 7 is onboarded');
      expect(printed).toContain('Tenant 7 has what the file defines');
      expect(printed).toMatch(/key: cf_live_\S{43}\n/);
      expect(printed).toMatch(/'back-office'.*'transactions:read transactions:refund'/);
    } finally {
      removeFolder(folder);
    }
  });

  /** Waits for readiness like a supervisor, then sends SIGTERM. */
  function servedUntilReady(command: string): string {
    return [
      `${command.trim()} & host=$!`,
      'curl -fsS --retry 40 --retry-connrefused --retry-delay 1 "http://127.0.0.1:$PORT/readyz"',
      'kill -TERM $host; wait $host && status=0 || status=$?; echo "ended with $status"',
    ].join('\n');
  }

  /** Said once for all commands, and for those with a dagger. */
  const EVERY = ['--json'];
  const OF_ADDRESS = ['--url', '--key-file', '--user'];

  it('has the commands and options that the README lists', { timeout: SLOW_MS }, async () => {
    const rows = tableRows(text);
    const commands = rows.flatMap(([cell = '']) => [...cell.matchAll(/`([a-z][^`]*)`/g)]);
    expect(commands.length).toBeGreaterThan(8);
    for (const option of [...EVERY, ...OF_ADDRESS]) expect(text).toContain(`\`${option}`);
    for (const command of [
      'tenants onboard',
      'tenants set',
      'keys create',
      'keys rotate',
      'worker',
      'doctor',
      'read-models rebuild',
      'clock advance',
    ]) {
      const explained = rows.find(([cell]) => cell?.includes(`\`${command}`));
      const [, , mark] = explained?.[0]?.match(new RegExp(`\`(${command}[^\`]*)\`( †)?`)) ?? [];
      const isOfAddress = mark !== undefined;
      const { out: stdout } = await ranCommand([...command.split(' '), '--help'], {});
      const options: string[] = (explained?.join(' ') ?? '').match(/--[a-z-]+/g) ?? [];
      expect(options.length, command).toBeGreaterThan(0);
      for (const option of options) expect(stdout, `${command} ${option}`).toContain(option);
      const offered = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
      const described = [...options, ...EVERY, ...(isOfAddress ? OF_ADDRESS : [])];
      expect(offered.filter((option = '') => !described.includes(option))).toEqual([]);
      expect(stdout.includes('--url'), command).toBe(isOfAddress);
    }
  });

  it('refuses to start in production without a master key', { timeout: SLOW_MS }, async () => {
    const folder = makeFolder();
    const env = { NODE_ENV: 'production', DATA_DIR: folder };
    const { status, stderr } = await run(process.execPath, [CLI, 'start'], { cwd: ROOT, env });
    removeFolder(folder);
    expect(status).toBe(1);
    expect(stderr).toContain('MASTER_KEY must be set');
  });
});
