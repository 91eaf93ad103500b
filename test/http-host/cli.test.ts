/** The command line, as those run it who have the data folder: what it does, says and exits with. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { load, Tenant, type TenantId } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { PROJECTIONS } from '@counterfoil/projections';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';
import { type Ran, ranCommand } from '../setup/command-line.ts';
import { appendUnknown } from './unknown-event.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
const POLLING = { timeout: 20_000, interval: 50 };
const USER_EMAIL = 'agent@example.com';

vi.setConfig({ testTimeout: 60_000 });

/** A data folder of its own for each test, and commands that are run on it. */
class Folder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'counterfoil-cli-'));

  constructor() {
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
  }

  get #env(): NodeJS.ProcessEnv {
    return { ...CHILD_ENV, DATA_DIR: this.path, PORT: '0', LOG_LEVEL: 'error' };
  }

  /** Runs a command; variables of the environment may stand behind its words. */
  async run(...line: readonly (string | NodeJS.ProcessEnv)[]): Promise<Ran> {
    const words = line.filter((each) => typeof each === 'string');
    const variables = line.filter((each) => typeof each !== 'string');
    const env = Object.assign({}, this.#env, ...variables) as NodeJS.ProcessEnv;
    return ranCommand(words, env);
  }

  /** What a start in a process of its own says that is expected to fail: a sentence, and no stack. */
  async failedStart(variables: NodeJS.ProcessEnv): Promise<string> {
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'start'], {
      env: { ...this.#env, ...variables },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).not.toMatch(/^\s+at /m);
    return stderr;
  }

  /** The output of a command that must succeed. */
  async done(...words: readonly string[]): Promise<string> {
    const ran = await this.run(...words);
    expect(ran, words.join(' ')).toMatchObject({ code: 0, err: '' });
    return ran.out;
  }

  /** What a command prints that is expected to refuse: a sentence, and no stack. */
  async refused(...words: readonly string[]): Promise<string> {
    const ran = await this.run(...words);
    expect(ran, words.join(' ')).toMatchObject({ code: 1, out: '' });
    expect(ran.err).not.toMatch(/^\s+at /m);
    return ran.err;
  }

  /** The settings of tenant 1, straight from its events. */
  async settings(): Promise<Tenant.Settings | undefined> {
    const events = await openSqliteEventStore({ path: join(this.path, 'events.db') });
    const tenantId = 1 as TenantId;
    try {
      const { state } = await load({ store: events }, Tenant, Tenant.streamOf({ tenantId }));
      return state?.settings;
    } finally {
      await events.close();
    }
  }

  write(name: string, content: string): string {
    const path = join(this.path, name);
    writeFileSync(path, content);
    return path;
  }

  /** Starts a host; it ends with the test. */
  async start(
    variables: NodeJS.ProcessEnv = {},
  ): Promise<{ url: string; pid: number | undefined; stop: () => Promise<void> }> {
    // Where core dumps are on, as many machines have them.
    const script = 'ulimit -c unlimited; exec "$0" "$@"';
    const child: ChildProcess = spawn('sh', ['-c', script, process.execPath, CLI, 'start'], {
      env: { ...this.#env, ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const stop = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    };
    onTestFinished(stop);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let written = '';
    child.stdout?.on('data', (chunk) => {
      written += String(chunk);
      const url = /listens on (http:\S+)/.exec(written)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`the host ended: ${written}`)));
    return { url: await promise, pid: child.pid, stop };
  }
}

interface Issued {
  readonly id: string;
  readonly key: string;
}

function issuedIn(out: string): Issued {
  const [, id = '', key = ''] = /^id:\s+(\S+)\nkey: (\S+)$/m.exec(out) ?? [];
  expect(key).toMatch(/^cf_(live|test)_[\w-]{43}$/);
  return { id, key };
}

async function statusWith(url: string, { key }: Issued): Promise<number> {
  const headers = { Authorization: key, ClientId: '1', UserEmail: USER_EMAIL };
  return (await fetch(`${url}/v1/payments`, { headers })).status;
}

describe('keys', () => {
  it('work from their making to their revocation, and through the overlap of a rotation', async () => {
    const folder = new Folder();
    await folder.done('tenants', 'onboard', '1', 'Acme');
    const create = ['keys', 'create', '1'];
    const kept = issuedIn(await folder.done(...create, '--label', 'kept', '--environment', 'test'));
    const overlapping = issuedIn(await folder.done(...create));
    const replaced = issuedIn(await folder.done(...create));
    const revoked = issuedIn(await folder.done(...create));
    const narrow = issuedIn(await folder.done(...create, '--scopes', 'ledger:read'));
    const rotate = ['keys', 'rotate', '1'];
    const after = issuedIn(await folder.done(...rotate, overlapping.id, '--overlap-days', '7'));
    const successor = issuedIn(await folder.done(...rotate, replaced.id));
    expect(await folder.done('keys', 'revoke', '1', revoked.id)).toContain('is revoked');

    const list = await folder.done('keys', 'list', '1');
    for (const { id, key } of [kept, overlapping, after, replaced, successor, revoked, narrow]) {
      expect(list).toContain(id);
      expect(list).not.toContain(key);
    }
    expect(list).toContain('kept');

    const { url } = await folder.start();
    expect(kept.key).toMatch(/^cf_test_/);
    for (const each of [kept, overlapping, after, successor]) {
      expect(await statusWith(url, each)).toBe(200);
    }
    expect(await statusWith(url, replaced)).toBe(401);
    expect(await statusWith(url, revoked)).toBe(401);
    expect(await statusWith(url, narrow)).toBe(403);
  });

  it('are refused in a sentence', async () => {
    const folder = new Folder();
    expect(await folder.refused('keys', 'create', '1')).toMatch(/no such resource/);
    await folder.done('tenants', 'onboard', '1', 'Acme');
    expect(await folder.refused('keys', 'create', '1', '--expires-at', 'soon')).toMatch(/instant/);
    expect(await folder.refused('keys', 'create', '1', '--expires-at', '2001-01-01')).toMatch(
      /has passed/,
    );
    expect(await folder.refused('keys', 'create', '1', '--scopes', 'everything')).toMatch(/scope/);
    expect(await folder.refused('keys', 'revoke', '1', 'unknown')).toMatch(/no such resource/);
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
    expect(await folder.failedStart({ PORT: String(port) })).toMatch(/EADDRINUSE/);
    expect(await folder.done('tenants', 'onboard', '1', 'Acme')).toContain('is onboarded');
  });

  it('reports a data folder that is a file', async () => {
    const folder = new Folder();
    const path = join(folder.path, 'file');
    writeFileSync(path, '');
    expect(await folder.failedStart({ DATA_DIR: path })).toContain(path);
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
      /no such resource/,
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

async function soldIn(url: string, { key }: Issued): Promise<number> {
  const headers = { Authorization: key, ClientId: '1' };
  const answer = await fetch(`${url}/api/ledger/accounts?account=sales`, { headers });
  const { accounts } = (await answer.json()) as { accounts: { credit: number }[] };
  return accounts[0]?.credit ?? 0;
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

describe('beside a running host', () => {
  it('what writes is refused, what reads and rebuilds is not', async () => {
    const { folder, key } = await openFolder();
    const { url } = await folder.start();
    await pay(url, key);
    expect(await folder.refused('keys', 'create', '1')).toMatch(
      /another process|open for writing/i,
    );
    expect(
      await folder.refused('read-models', 'parked', 'retry', 'ledger', 'transaction-1-x'),
    ).toMatch(/another process|open for writing/i);
    const kept = await folder.done('read-models', 'rebuild', '--keep');
    expect(kept.match(/equal to the live build/g)).toHaveLength(PROJECTIONS.length);
    expect(kept).not.toMatch(/is live/);
    const swapped = await folder.done('read-models', 'rebuild', 'ledger');
    expect(swapped).toMatch(/Build \d+ of ledger is live/);
    expect(await folder.done('read-models', 'roll-back', 'ledger')).toMatch(
      /Build \d+ of ledger is live/,
    );
    // The host goes on with the build that is live now.
    expect(await pay(url, key)).toMatchObject({ status: 201 });
    await vi.waitUntil(async () => (await soldIn(url, key)) === 24.68, POLLING);
  });
});

describe('a host on an empty log', () => {
  it.runIf(process.platform === 'linux')(
    'leaves no core dump, which could hold card numbers',
    async () => {
      const { pid } = await new Folder().start();
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

describe('a stream that cannot be applied', () => {
  it('is parked and listed, the others go on, and it is applied once it can be', async () => {
    const { folder, key } = await openFolder();
    const first = await folder.start();
    const { id } = await pay(first.url, key);
    await first.stop();
    const path = join(folder.path, 'events.db');
    await appendUnknown(await openSqliteEventStore({ path }), 1 as TenantId, id);

    const { url, stop } = await folder.start();
    const other = await pay(url, key);
    const headers = { Authorization: key.key, ClientId: '1', UserEmail: USER_EMAIL };
    const search = await fetch(`${url}/api/transactions/search`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{}',
    });
    const { transactions } = (await search.json()) as {
      transactions: { transactionId: string }[];
    };
    expect(transactions.map(({ transactionId }) => transactionId)).toContain(other.id);
    await stop();

    const stream = `transaction-1-${id}`;
    const list = ['read-models', 'parked', 'list'];
    expect(await folder.done(...list)).toMatch(
      new RegExp(`transactions {2}${stream} {2}1 event\\n`),
    );
    const retry = ['read-models', 'parked', 'retry', 'transactions', stream];
    const failed = await folder.run(...retry);
    expect(failed).toMatchObject({ code: 1, out: expect.stringMatching(/stays parked/) });
    makeKnown(folder);
    expect(await folder.done(...retry)).toMatch(/is applied/);
    expect(await folder.done(...list)).not.toContain(`transactions  ${stream}`);
    expect(await folder.refused(...retry)).toMatch(/is not parked/);
  });
});

/** What an upgrade of the host would do for the event that waits: it can be read. */
function makeKnown(folder: Folder): void {
  const [build = ''] = readdirSync(folder.path).filter((name) => /-transactions-\d+$/.test(name));
  const database = new DatabaseSync(join(folder.path, build));
  const row = database.prepare('SELECT stream, revision, event FROM parked_events').get();
  const event = String(row?.['event']).replace('PaymentTeleported', 'PaymentSettled');
  // Written as the host would have written it: under a seal over where it stands.
  const seal = crc32(`parked ${row?.['stream']} ${row?.['revision']}\n${event}`);
  const { changes } = database
    .prepare('UPDATE parked_events SET event = ?, seal = ?')
    .run(event, seal);
  database.close();
  expect(changes).toBe(1);
}

describe('clock', { timeout: 180_000 }, () => {
  const TEST = { TEST_CLOCK: '1' };
  const DAY_MS = 86_400_000;
  const PAST = '2020-01-01T00:00:00Z';

  /** The last line that a command on the clock prints. */
  async function clock(folder: Folder, ...words: readonly string[]): Promise<string> {
    const ran = await folder.run('clock', ...words, TEST);
    expect(ran, words.join(' ')).toMatchObject({ code: 0, err: '' });
    return ran.out.trim().split('\n').at(-1) ?? '';
  }

  function instantIn(line: string): number {
    return Date.parse(/\d{4}-\S+Z/.exec(line)?.[0] ?? '');
  }

  it('moves that of a stopped host', async () => {
    const folder = new Folder();
    const before = Date.now();
    const advanced = await clock(folder, 'advance', '1w1d12h30m5s');
    expect(advanced).toMatch(/^The clock shows \S+ \(steps: 1\)$/);
    expect(instantIn(advanced) - before).toBeGreaterThanOrEqual(8.5 * DAY_MS + 1_805_000);
    const later = new Date(before + 20 * DAY_MS).toISOString();
    expect(instantIn(await clock(folder, 'set', later))).toBeGreaterThanOrEqual(Date.parse(later));
    const past = await folder.run('clock', 'set', PAST, TEST);
    expect(past).toMatchObject({ code: 1, err: expect.stringMatching(/^The clock only goes for/) });
    expect((await folder.run('tenants', 'onboard', '1', 'Acme', TEST)).code).toBe(0);
    expect(instantIn(await clock(folder, 'show'))).toBeGreaterThanOrEqual(Date.parse(later));
    // Its events lie ahead of the system's clock, and not of its own.
    const examined = await folder.run('doctor');
    expect(examined, examined.out).toMatchObject({ code: 0 });
  });

  it('moves that of a running host', async () => {
    const folder = new Folder();
    expect((await folder.run('tenants', 'onboard', '1', 'Acme')).code).toBe(0);
    const issued = issuedIn((await folder.run('keys', 'create', '1')).out);
    const { url, stop } = await folder.start(TEST);
    const there = ['--url', url, '--key', issued.key, '--tenant', '1'];
    const before = Date.now();
    const advanced = instantIn(await clock(folder, 'advance', '1d', ...there));
    expect(advanced).toBeGreaterThanOrEqual(before + DAY_MS);
    expect(instantIn(await clock(folder, 'show', ...there))).toBeGreaterThanOrEqual(advanced);
    const refused = await folder.run('clock', 'set', PAST, ...there);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/^The clock only goes/) });
    const stranger = await folder.run('clock', 'show', '--url', url, '--key', 'x', '--tenant', '1');
    expect(stranger).toMatchObject({ code: 1, err: expect.stringMatching(/not valid|not known/) });
    await stop();
    const silent = await folder.run('clock', 'show', ...there);
    expect(silent).toMatchObject({ code: 1, err: expect.stringMatching(/does not answer: /) });
  });

  it('explains invalid arguments', async () => {
    const folder = new Folder();
    expect(await folder.refused('clock', 'show')).toContain('TEST_CLOCK must be 1');
    expect(await folder.refused('clock', 'advance', '12')).toContain('must be a duration');
    expect(await folder.refused('clock', 'advance', '3653d')).toContain('at most ten years');
    expect(await folder.refused('clock', 'set', '2031-01-31')).toContain('must be an instant');
    expect(await folder.refused('clock', 'show', '--url', 'http://127.0.0.1')).toContain('--key');
    const nowhere = ['--url', 'here', '--key', 'x', '--tenant', '1'];
    expect(await folder.refused('clock', 'show', ...nowhere)).toContain('here is not an address');
  });
});
