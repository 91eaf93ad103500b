/** The demo in a separate process: real sales, and books that equal the file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openSales, SALES_EXTRACT } from '@counterfoil/demo';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';
import { present } from './api.ts';
import { Caller, type Json } from './running-host.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEMO = ['examples/demo/main.ts'];
const START = ['packages/http-host/src/cli/main.ts', 'start'];
const BOUND_MS = 60_000;

let folder: string;
const children: Started[] = [];

function openFolder(): void {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-demo-'));
}

async function leaveFolder(): Promise<void> {
  for (const child of children.splice(0)) await child.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

interface Started {
  readonly said: () => string;
  readonly exited: () => boolean;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

function start(env: Record<string, string> = {}, command = DEMO): Started {
  const child: ChildProcess = spawn(process.execPath, command, {
    cwd: ROOT,
    env: { ...CHILD_ENV, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent', ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  }
  const exited = () => child.exitCode !== null || child.signalCode !== null;
  const started = {
    said: () => said,
    exited,
    async end(signal: NodeJS.Signals) {
      if (!exited()) {
        const closed = once(child, 'close');
        child.kill(signal);
        await closed;
      }
      return child.exitCode;
    },
  };
  children.push(started);
  return started;
}

async function listening(env: Record<string, string> = {}): Promise<Started> {
  const started = start(env);
  await vi.waitUntil(() => /listens on http|Error:/.test(started.said()) || started.exited(), {
    timeout: BOUND_MS,
    interval: 20,
  });
  expect(started.said()).not.toMatch(/Error:/);
  expect(started.said()).toMatch(/listens on http/);
  return started;
}

function credentials(): Json {
  return JSON.parse(readFileSync(join(folder, 'demo-credentials.json'), 'utf8'));
}

function newcomer(): Caller {
  const { baseUrl, clientId, apiKey } = credentials();
  return new Caller(baseUrl, Number(clientId), apiKey);
}

interface Everything {
  readonly records: Json[];
  readonly books: Record<string, number>;
}

/** Every record, page by page, and the books. */
async function everything(): Promise<Everything> {
  const caller = newcomer();
  const headers = { UserEmail: credentials().userEmail };
  const records: Json[] = [];
  for (let pageNumber = 1; ; pageNumber += 1) {
    const filters = { dateFrom: '2010-01-01', limit: 100, pageNumber };
    const { body } = await caller.post('/api/transactions/search', { body: filters, headers });
    records.push(...body.transactions);
    if (!body.moreResults) break;
  }
  return { records, books: await caller.balances() };
}

function pence(amount: number | string): number {
  return Math.round(Number(String(amount).replaceAll(',', '')) * 100);
}

function sumOf(records: readonly Json[]): number {
  return records.reduce((all, { amount }) => all + pence(amount), 0);
}

/** The amounts of the file by a reader of our own: quantity times price of every line, in pence. */
async function fileTotal(): Promise<number> {
  const [header = '', ...lines] = (await text(openSales(SALES_EXTRACT))).trim().split(/\r?\n/);
  const names = header.split(',').map((name) => name.toLowerCase());
  const quantity = names.indexOf('quantity');
  const price = names.findIndex((name) => /price/.test(name));
  return lines.reduce((all, line) => {
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted ?? plain,
    );
    return all + Number(cells[quantity]) * pence(cells[price] ?? '');
  }, 0);
}

function expectWhole({ records, books }: Everything): void {
  const refunds = records.filter(({ applicationId }) => applicationId === 10);
  const orders = records.filter(({ applicationId }) => applicationId !== 10);
  expect(new Set(records.map(({ transactionId }) => transactionId)).size).toBe(records.length);
  expect(orders.every(({ statusId, currency }) => statusId === 50 && currency === 'GBP')).toBe(
    true,
  );
  expect(refunds.every(({ statusId }) => statusId === 91)).toBe(true);
  expect(-pence(books['sales'] ?? 0)).toBe(sumOf(orders));
  expect(pence(books['refunds'] ?? 0)).toBe(sumOf(refunds));
}

/** What the start printed: pence of a group of lines. */
function reported(said: string, group: RegExp): number {
  const line = said.split(/[\r\n]+/).find((each) => group.test(each)) ?? '';
  return pence(/(-?[\d,]+\.\d\d)\D*$/.exec(line)?.[1] ?? 'nothing');
}

/** What an import that nothing interrupted comes to, and the size of its log. */
let whole: Everything;
let wholeBytes: number;

describe('the demo', { timeout: 3 * BOUND_MS }, () => {
  let started: Started;

  beforeAll(async () => {
    openFolder();
    started = await listening();
    whole = await everything();
  }, BOUND_MS);
  afterAll(async () => {
    wholeBytes = logSize();
    await leaveFolder();
  });

  it('has the books of the report, and the report those of the file', async () => {
    const said = started.said();
    expectWhole(whole);
    expect(-pence(whole.books['sales'] ?? 0)).toBe(reported(said, /^imported/));
    expect(pence(whole.books['refunds'] ?? 0)).toBe(-reported(said, /^refunded/));
    expect(reported(said, /^total/)).toBe(await fileTotal());
    const [, count] = /([\d,]+) orders/.exec(said) ?? [];
    const orders = whole.records.filter(({ applicationId }) => applicationId !== 10);
    expect(orders).toHaveLength(Number(count?.replaceAll(',', '')));
    expect(orders.every(({ sent }) => sent.startsWith('2010-12'))).toBe(true);
  });

  it('shows real records with cart, products and addresses', async () => {
    const caller = newcomer();
    const headers = { UserEmail: credentials().userEmail };
    const found = await caller.post('/api/transactions/search', {
      body: { orderIds: [536_365] },
      headers,
    });
    const [record] = found.body.transactions;
    expect(record).toMatchObject({ orderId: 536_365, amount: 139.12, currency: 'GBP' });
    expect(record?.sent).toMatch(/^2010-12-01T08:26/);
    const claims = { parentCompanyId: 1, userEmail: headers.UserEmail };
    const { body } = await caller.post('/customerapi/detail', {
      body: {
        ...claims,
        id: present(record).transactionId,
        getSearchData: true,
        getAddressData: true,
      },
      headers,
    });
    expect(body.cart).toHaveLength(7);
    // 84029E and 84029G are variants of one product.
    expect(body.storefrontProducts).toHaveLength(6);
    expect(body.transaction?.refundable).toBe(true);
    expect(body.addressData?.countryCode).toBe('GB');
  });

  it('writes credentials readable by the owner only, and working commands', async () => {
    expect(statSync(join(folder, 'demo-credentials.json')).mode & 0o777).toBe(0o600);
    expect(credentials()).toMatchObject({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      clientId: '1',
      apiKey: expect.stringMatching(/^cf_live_/),
      userEmail: expect.stringMatching(/@/),
    });
    const bodies = [...started.said().matchAll(/(http:\S+) \\[\s\S]*?-d '(.*)'/g)];
    expect(bodies.map(([, url = '']) => new URL(url).pathname)).toEqual([
      '/customerapi/detail',
      expect.stringMatching(/search$/),
      '/customerapi/refund',
    ]);
    const headers = { UserEmail: credentials().userEmail };
    for (const [, url = '', body = ''] of bodies) {
      const answer = await newcomer().wire.post(new URL(url).pathname, JSON.parse(body), headers);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers.get('ratelimit-policy')).toMatch(/;q=100000;w=60/);
    }
  });

  it('keeps its data and its key, and imports nothing twice', async () => {
    const before = await everything();
    const { apiKey } = credentials();
    expect(await started.end('SIGTERM')).toBe(0);
    const second = await listening();
    expect(second.said()).not.toMatch(/imported: /);
    expect(await everything()).toEqual(before);
    expect(credentials().apiKey).toBe(apiKey);
    expect(statSync(join(folder, 'demo-credentials.json')).mode & 0o777).toBe(0o600);
    expect(await second.end('SIGINT')).toBe(0);
  });
});

describe('a start that was killed', { timeout: 3 * BOUND_MS }, () => {
  beforeEach(openFolder);
  afterEach(leaveFolder);

  it('in the middle of the import, and started again, ends in the same books', async () => {
    for (const share of [0.1, 0.45, 0.8]) {
      const started = start();
      await vi.waitUntil(() => logSize() > wholeBytes * share || started.exited(), {
        timeout: BOUND_MS,
        interval: 5,
      });
      expect(started.said()).not.toMatch(/listens on/);
      await started.end('SIGKILL');
    }
    expect(readdirSync(folder)).not.toContain('demo-credentials.json');
    await listening();
    const ended = await everything();
    expectWhole(ended);
    expect(ended.books).toEqual(whole.books);
    const facts = ({ transactionId, orderId, amount, sent, statusId, email }: Json) => ({
      transactionId,
      orderId,
      amount,
      sent,
      statusId,
      email,
    });
    expect(ended.records.map(facts)).toEqual(whole.records.map(facts));
  });
});

it('a start that is stopped in the middle of the import ends in order', {
  timeout: BOUND_MS,
}, async () => {
  openFolder();
  onTestFinished(leaveFolder);
  const started = start();
  await vi.waitUntil(() => logSize() > wholeBytes * 0.1 || started.exited(), {
    timeout: BOUND_MS,
    interval: 5,
  });
  expect(await started.end('SIGTERM')).toBe(0);
  expect(started.said()).not.toMatch(/listens on|imported: /);
});

/** The bytes of the event log. */
function logSize(): number {
  return readdirSync(folder)
    .filter((name) => /^events\.db(-wal)?$/.test(name))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

describe('a host', { timeout: BOUND_MS }, () => {
  beforeEach(openFolder);
  afterEach(leaveFolder);

  const masterKey = Buffer.alloc(32, 7).toString('base64');

  it.each([
    ['the demo', { NODE_ENV: 'production', MASTER_KEY: masterKey }, DEMO],
    ['DEMO=true', { NODE_ENV: 'production', MASTER_KEY: masterKey, DEMO: 'true' }, START],
    ['no MASTER_KEY', { NODE_ENV: 'production' }, START],
    ['a demo that the host alone does not have', { DEMO: 'true' }, START],
  ])('refuses to start with %s', async (_what, env, command) => {
    const started = start(env, command);
    await vi.waitUntil(started.exited, { timeout: BOUND_MS, interval: 20 });
    expect(await started.end('SIGKILL')).not.toBe(0);
    expect(started.said()).toMatch(/DEMO must not be true|MASTER_KEY/);
    expect(readdirSync(folder)).not.toContain('demo-credentials.json');
  });

  it('has no demo in production', async () => {
    const started = start({ NODE_ENV: 'production', MASTER_KEY: masterKey }, START);
    await vi.waitUntil(() => /listens on/.test(started.said()) || started.exited(), {
      timeout: BOUND_MS,
      interval: 20,
    });
    expect(started.said()).toMatch(/listens on/);
    expect(readdirSync(folder)).not.toContain('demo-credentials.json');
    expect(await started.end('SIGTERM')).toBe(0);
  });
});
