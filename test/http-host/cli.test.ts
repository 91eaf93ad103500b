/** The command line, as those run it who have the data folder: what it does, says and exits with. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';
import { Folder, type Issued, issuedIn, statusWith, USER_EMAIL } from './command-folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
const POLLING = { timeout: 20_000, interval: 50 };

vi.setConfig({ testTimeout: 60_000 });

/** Starts a host in a process of its own, on a machine where core dumps are on; it ends with the test. */
async function startProcess(folder: Folder): Promise<{ url: string; pid: number | undefined }> {
  const script = 'ulimit -c unlimited; exec "$0" "$@"';
  const child: ChildProcess = spawn('sh', ['-c', script, process.execPath, CLI, 'start'], {
    env: { ...CHILD_ENV, ...folder.env, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let written = '';
  child.stdout?.on('data', (chunk) => {
    written += String(chunk);
    const url = /listens on (http:\S+)/.exec(written)?.[1];
    if (url !== undefined) resolve(url);
  });
  child.once('exit', () => reject(new Error(`the host ended: ${written}`)));
  return { url: await promise, pid: child.pid };
}

/** What a start in a process of its own says that is expected to fail: a sentence, and no stack. */
function failedStart(folder: Folder, variables: NodeJS.ProcessEnv): string {
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'start'], {
    env: { ...CHILD_ENV, ...folder.env, LOG_LEVEL: 'error', ...variables },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).not.toMatch(/^\s+at /m);
  return stderr;
}

describe('keys', () => {
  it('work from their making to their revocation, and through the overlap of a rotation', async () => {
    const folder = new Folder();
    await folder.done('tenants', 'onboard', '1', 'Acme');
    const create = ['keys', 'create', '1'];
    const kept = issuedIn(await folder.done(...create, '--label', 'kept', '--environment', 'test'));
    const before = issuedIn(await folder.done(...create));
    const rotate = ['keys', 'rotate', '1'];
    const rotated = issuedIn(await folder.done(...rotate, before.id));

    const { url } = await folder.start();
    const overlapping = issuedIn(await folder.done(...create));
    const after = issuedIn(await folder.done(...rotate, overlapping.id, '--overlap-days', '7'));
    const revoked = issuedIn(await folder.done(...create));
    expect(await folder.done('keys', 'revoke', '1', revoked.id)).toContain('is revoked');
    const narrow = issuedIn(await folder.done(...create, '--scopes', 'ledger:read'));
    expect(kept.key).toMatch(/^cf_test_/);
    for (const each of [kept, rotated, overlapping, after]) {
      expect(await statusWith(url, each)).toBe(200);
    }
    expect(await statusWith(url, before)).toBe(401);
    expect(await statusWith(url, revoked)).toBe(401);
    expect(await statusWith(url, narrow)).toBe(403);

    const list = await folder.done('keys', 'list', '1');
    for (const { id, key } of [kept, before, rotated, overlapping, after, revoked, narrow]) {
      expect(list).toContain(id);
      expect(list).not.toContain(key);
    }
    expect(list).toContain('kept');
  });

  it('are refused in a sentence', async () => {
    const folder = new Folder();
    await folder.start();
    expect(await folder.refused('keys', 'create', '1')).toMatch(/There is no tenant/);
    await folder.done('tenants', 'onboard', '1', 'Acme');
    expect(await folder.refused('keys', 'create', '1', '--expires-at', 'soon')).toMatch(/instant/);
    expect(await folder.refused('keys', 'create', '1', '--expires-at', '2001-01-01')).toMatch(
      /has passed/,
    );
    expect(await folder.refused('keys', 'create', '1', '--scopes', 'everything')).toMatch(/scope/);
    expect(await folder.refused('keys', 'revoke', '1', 'unknown')).toMatch(/must be a UUID/);
    expect(await folder.refused('keys', 'revoke', '1', randomUUID())).toMatch(/no such resource/);
    const { id } = issuedIn(await folder.done('keys', 'create', '1'));
    expect(await folder.refused('keys', 'rotate', '1', id, '--overlap-days', '8')).toMatch(
      /0 to 7/,
    );
  });
});

describe('words that mean nothing', () => {
  it.each([
    { words: ['keys', 'create', '1', '--forever'], says: /unknown option '--forever'/ },
    { words: ['keys', 'create', 'acme'], says: /positive whole number/ },
    { words: ['keys', 'create', '1', '--environment', 'mars'], says: /live, test/ },
    { words: ['keys', 'mint', '1'], says: /unknown command 'mint'/ },
    { words: ['tenants', 'onboard', '1'], says: /missing required argument 'name'/ },
    { words: ['tenants', 'set', '1', '--refund-window-days', '-3'], says: /whole number/ },
    {
      words: ['tenants', 'set', '1', '--requests-per-minute', '10000001'],
      says: /whole number from 1 to 10000000/,
    },
    { words: ['tenants', 'onboard', '1', 'A', '--reserve-hold-days', '3651'], says: /0 to 3650/ },
    { words: ['tenants', 'set', '1', '--retry-after-days', '1,31'], says: /from 1 to 30/ },
    { words: ['tenants', 'set', '1', '--retry-after-days', '1,1'], says: /must ascend/ },
    { words: ['tenants', 'set', '1', '--retry-after-days', '1,,2'], says: /whole number/ },
    {
      words: ['tenants', 'set', '1', '--retry-after-days', '1,2,3,4,5,6,7,8,9,10,11'],
      says: /at most 10/,
    },
    { words: ['tenants', 'set', '1', '--dunning-mails', 'frozen,frozen'], says: /each once/ },
    { words: ['tenants', 'set', '1', '--dunning-mails', 'thawed'], says: /renewed/ },
    { words: ['tenants', 'set', '1', '--unsubscribe-on-dispute', 'yes'], says: /true or false/ },
    { words: ['tenants', 'set', '1', '--late-capture', 'void'], says: /keep, refund/ },
    {
      words: ['tenants', 'set', '1', '--late-capture-after-minutes', '43201'],
      says: /from 0 to 43200/,
    },
    {
      words: ['read-models', 'rebuild', 'everything'],
      says: /reference, transactions, disputes, ledger/,
    },
    { words: ['dance'], says: /unknown command 'dance'/ },
  ])('$words', async ({ words, says }) => {
    const folder = new Folder();
    expect(await folder.refused(...words)).toMatch(says);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('the environment', async () => {
    const { code, err } = await new Folder().run('start', { PORT: 'http' });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/PORT must be a whole/) });
    expect(err).not.toMatch(/^\s+at /m);
  });
});

describe('a start that fails', () => {
  it('prints the reason, releases the log and ends', async () => {
    const folder = new Folder();
    const taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    expect(failedStart(folder, { PORT: String(port) })).toMatch(/EADDRINUSE/);
    expect(await folder.done('tenants', 'onboard', '1', 'Acme')).toContain('is onboarded');
  });

  it('reports a data folder that is a file', async () => {
    const folder = new Folder();
    const path = join(folder.path, 'file');
    writeFileSync(path, '');
    expect(failedStart(folder, { DATA_DIR: path })).toContain(path);
  });
});

describe('tenants', () => {
  it('are onboarded once and keep their settings', async () => {
    const folder = new Folder();
    const onboard = ['tenants', 'onboard', '1', 'Acme'];
    expect(await folder.done(...onboard)).toContain('Tenant 1 is onboarded');
    expect(await folder.done(...onboard)).toContain('Tenant 1 is onboarded');
    expect(await folder.refused('tenants', 'onboard', '1', 'Another')).toMatch(/exists already/);
    expect(await folder.refused('tenants', 'set', '2', '--refund-window-days', '1')).toMatch(
      /There is no tenant/,
    );
    expect(await folder.refused('tenants', 'set', '1', '--requests-per-minute', '0')).toMatch(
      /requests-per-minute.* from 1 to 10000000/,
    );
    expect(await folder.done('tenants', 'set', '1', '--requests-per-minute', '7')).toMatch(/kept/);
    const key = issuedIn(await folder.done('keys', 'create', '1'));
    const { url } = await folder.start();
    const headers = { Authorization: key.key, ClientId: '1', UserEmail: USER_EMAIL };
    const answer = await fetch(`${url}/v1/payments`, { headers });
    expect(answer.headers.get('ratelimit-policy')).toMatch(/q=7\b/);
  });
});

it('the dunning of a tenant is set part by part', async () => {
  const folder = new Folder();
  await folder.start();
  const set = (...words: string[]) => folder.done('tenants', 'set', '1', ...words);
  await folder.done('tenants', 'onboard', '1', 'Acme', '--dunning-mails', 'renewed');
  expect(await folder.settings()).toMatchObject({
    dunning: { retryAfterDays: [1, 3, 5, 7], mails: ['renewed'] },
    unsubscribeOnDispute: true,
  });
  await set('--retry-after-days', '2, 9', '--unsubscribe-on-dispute', 'false');
  expect(await folder.settings()).toMatchObject({
    dunning: { retryAfterDays: [2, 9], mails: ['renewed'] },
    unsubscribeOnDispute: false,
  });
  await set('--dunning-mails', 'none', '--retry-after-days', 'none');
  expect(await folder.settings()).toMatchObject({ dunning: { retryAfterDays: [], mails: [] } });
});

it('what happens to late captures is set part by part', async () => {
  const folder = new Folder();
  await folder.start();
  await folder.done('tenants', 'onboard', '1', 'Acme', '--late-capture', 'refund');
  expect((await folder.settings())?.lateCapture).toEqual({ action: 'refund', afterMinutes: 60 });
  await folder.done('tenants', 'set', '1', '--late-capture-after-minutes', '15');
  expect((await folder.settings())?.lateCapture).toEqual({ action: 'refund', afterMinutes: 15 });
});

const CREDENTIALS = { apiKey: 'top-secret', username: '', password: '', emailAddress: '' };
const DEFINITIONS = {
  companies: [{ companyId: 1, name: 'Acme Ltd' }],
  applications: [{ applicationId: 100, kind: 2, name: 'Web shop' }],
  merchantAccounts: [
    {
      id: 1,
      mid: '700000001',
      title: 'Main',
      companyId: 1,
      gatewayId: 1,
      descriptor: 'ACME',
      defaultCurrency: 'GBP',
      currencies: [{ currency: 'GBP', gatewayCredentials: CREDENTIALS }],
    },
  ],
};

/** A tenant that can take payments, and its key. */
async function openFolder(): Promise<{ folder: Folder; key: Issued }> {
  const folder = new Folder();
  await folder.done('tenants', 'onboard', '1', 'Acme');
  const file = folder.write('acme.json', JSON.stringify(DEFINITIONS));
  expect(await folder.done('define', '1', file)).toContain('has what the file defines');
  return { folder, key: issuedIn(await folder.done('keys', 'create', '1')) };
}

async function pay(url: string, { key }: Issued): Promise<{ status: number; id: string }> {
  const answer = await fetch(`${url}/v1/payments`, {
    method: 'POST',
    headers: { Authorization: key, ClientId: '1', 'Content-Type': 'application/json' },
    body: JSON.stringify({
      amount: 12.34,
      currency: 'GBP',
      email: 'ada@example.com',
      card: { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' },
    }),
  });
  const { id } = (await answer.json()) as { id: string };
  return { status: answer.status, id };
}

describe('settlements import', () => {
  it('says what was booked and what differs, with its progress', async () => {
    const folder = new Folder();
    await folder.done('tenants', 'onboard', '1', 'Acme');
    await folder.done('define', '1', join(ROOT, 'docs/acme.json'));
    const lines = ['reference,kind,arn,amount,currency,settledDate', 'a,sale,x,1,GBP,2026-02-01'];
    const file = folder.write('day-1.csv', `${lines.join('\n')}\nb,fee,x,1,GBP,2026-02-01\n`);
    const words = ['settlements', 'import', '1', file, '--merchant-account'];
    const ran = await folder.run(...words, '1');
    expect(ran).toMatchObject({ code: 0, err: expect.stringContaining('Settlement') });
    expect(ran.out).toBe('2 lines: 0 booked, 0 before\nmissing-here: 1\nunreadable: 1\n');
    expect(await folder.run(...words, '99')).toMatchObject({ code: 1 });
    expect(await folder.run(...words.with(3, 'nowhere.csv'), '1')).toMatchObject({ code: 1 });
  });
});

describe('merchant-accounts import', () => {
  const HEADER = 'mid,title,companyId,gatewayId,descriptor,defaultCurrency,apiKey';
  const line = (n: number, company = 1) => `70${n},Account ${n},${company},1,SHOP,GBP,SECRET-${n}`;
  const opened = async () => {
    const folder = new Folder();
    await folder.done('tenants', 'onboard', '1', 'Acme');
    const definitions = JSON.stringify({ companies: [{ companyId: 1, name: 'Acme' }] });
    await folder.done('define', '1', folder.write('acme.json', definitions));
    return folder;
  };

  it('opens each line once, and says what is wrong with the others', async () => {
    const folder = await opened();
    const file = folder.write('accounts.csv', [HEADER, line(1), line(2, 9), line(3)].join('\n'));
    const first = await folder.run('merchant-accounts', 'import', '1', file);
    expect(first.code).toBe(1);
    expect(first.out.split('\n')).toEqual([
      '1: opened as 1000000000',
      '2: reference_unknown: There is no companyId 9',
      '3: opened as 1000000002',
      'Opened 2 of 3',
      '',
    ]);
    expect(first.err).toContain('Merchant accounts');
    const again = await folder.run('merchant-accounts', 'import', '1', file);
    expect(again.out).toBe(first.out);
    expect(first.out + first.err).not.toContain('SECRET');
    // Once what was missing is there, the same file opens the rest.
    const definitions = JSON.stringify({ companies: [{ companyId: 9, name: 'Other' }] });
    await folder.done('define', '1', folder.write('other.json', definitions));
    const all = await folder.run('merchant-accounts', 'import', '1', file);
    expect([all.code, all.out]).toEqual([0, expect.stringContaining('2: opened as 1000000001')]);
  });

  it('opens nothing of a file with a wrong line, if it is asked', async () => {
    const folder = await opened();
    const lines = [{ mid: '7' }, { colour: 'red' }].map((each) => JSON.stringify(each));
    const file = folder.write('accounts.jsonl', lines.join('\n'));
    const ran = await folder.run('merchant-accounts', 'import', '1', file, '--atomic');
    expect([ran.code, ran.out]).toEqual([1, expect.stringContaining('Opened 0 of 2')]);
  });

  it('refuses a file that it cannot read, before the log is opened', async () => {
    const folder = new Folder();
    const refused = (name: string, text: string) =>
      folder.refused('merchant-accounts', 'import', '1', folder.write(name, text));
    expect(await refused('accounts.txt', 'mid')).toMatch(/must end in \.csv/);
    expect(await refused('a.csv', 'mid,colour\n1,red')).toMatch(/colour is not known/);
    expect(await refused('b.csv', HEADER)).toMatch(/1 to 10000 lines/);
  });
});

describe('define', () => {
  it('makes a tenant that takes payments, whose secrets no file shows', async () => {
    const { folder, key } = await openFolder();
    const again = await folder.done('define', '1', join(folder.path, 'acme.json'));
    expect(again).toContain('Nothing changed');
    rmSync(join(folder.path, 'acme.json'));
    const { url, stop } = await folder.start();
    expect(await pay(url, key)).toMatchObject({ status: 201 });
    await stop();
    const { out } = await folder.run('keys', 'list', '1');
    expect(out).not.toContain(key.key);
  });

  it('refuses a file that is not there, is no JSON, or does not fit', async () => {
    const folder = new Folder();
    await folder.done('tenants', 'onboard', '1', 'Acme');
    expect(await folder.refused('define', '1', join(folder.path, 'none.json'))).toMatch(/ENOENT/);
    expect(await folder.refused('define', '1', folder.write('a.json', '{bad'))).toMatch(/JSON/);
    const strange = folder.write('b.json', '{"companies":[{"companyId":"x","name":"y"}]}');
    expect(await folder.refused('define', '1', strange)).toMatch(/companies\[0\]\.companyId/);
    const unknown = folder.write('c.json', '{"compnies":[]}');
    expect(await folder.refused('define', '1', unknown)).toMatch(/compnies/);
  });
});

describe('a host on an empty log', () => {
  it.runIf(process.platform === 'linux')(
    'leaves no core dump, which could hold card numbers',
    async () => {
      const { pid } = await startProcess(new Folder());
      const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
      expect(limits).toMatch(/^Max core file size +0 +0 /m);
    },
  );

  it('is ready, the second time as the first', async () => {
    const folder = new Folder();
    for (const _ of [1, 2]) {
      const { url, stop } = await folder.start();
      await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, POLLING);
      await stop();
    }
  });
});

describe('clock', { timeout: 180_000 }, () => {
  const TEST = { TEST_CLOCK: '1' };
  const DAY_MS = 86_400_000;
  const PAST = '2020-01-01T00:00:00Z';

  /** The last line that a command on the clock prints. */
  async function clock(folder: Folder, ...words: readonly string[]): Promise<string> {
    const ran = await folder.run('clock', ...words, TEST);
    expect(ran, words.join(' ')).toMatchObject({ code: 0 });
    return ran.out.trim().split('\n').at(-1) ?? '';
  }

  function instantIn(line: string): number {
    return Date.parse(/\d{4}-\S+Z/.exec(line)?.[0] ?? '');
  }

  it('moves that of a stopped host', async () => {
    const folder = new Folder();
    expect((await folder.run('tenants', 'onboard', '1', 'Acme', TEST)).code).toBe(0);
    const before = Date.now();
    const advanced = await clock(folder, 'advance', '1w1d12h30m5s');
    expect(advanced).toMatch(/^The clock shows \S+ \(steps: 1\)$/);
    expect(instantIn(advanced) - before).toBeGreaterThanOrEqual(8.5 * DAY_MS + 1_805_000);
    const later = new Date(before + 20 * DAY_MS).toISOString();
    expect(instantIn(await clock(folder, 'set', later))).toBeGreaterThanOrEqual(Date.parse(later));
    const past = await folder.run('clock', 'set', PAST, TEST);
    expect(past).toMatchObject({ code: 1, err: expect.stringMatching(/^The clock only goes for/) });
    expect((await folder.run('tenants', 'onboard', '2', 'Later', TEST)).code).toBe(0);
    expect(instantIn(await clock(folder, 'show'))).toBeGreaterThanOrEqual(Date.parse(later));
    // Its events lie ahead of the system's clock, and not of its own.
    const examined = await folder.run('doctor');
    expect(examined, examined.out).toMatchObject({ code: 0 });
  });

  it('explains invalid arguments', async () => {
    const folder = new Folder();
    expect(await folder.refused('clock', 'show')).toContain('TEST_CLOCK must be 1');
    expect(await folder.refused('clock', 'advance', '12')).toContain('must be a duration');
    expect(await folder.refused('clock', 'advance', '3653d')).toContain('at most ten years');
    expect(await folder.refused('clock', 'set', '2031-01-31')).toContain('must be an instant');
  });
});
