/** Commands beside a running host: through the socket of its data folder, and at its address with a key. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Tenant, type TenantId } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { PROJECTIONS } from '@counterfoil/projections';
import { describe, expect, it, vi } from 'vitest';
import { ranCommand } from '../setup/command-line.ts';
import {
  Folder,
  type Issued,
  issuedIn,
  type Started,
  statusWith,
  USER_EMAIL,
} from './command-folder.ts';
import { appendUnknown, makeKnown } from './unknown-event.ts';

const ACME = fileURLToPath(new URL('../../docs/acme.json', import.meta.url));
const POLLING = { timeout: 20_000, interval: 20 };
const DAY_MS = 86_400_000;

vi.setConfig({ testTimeout: 60_000 });

interface Shop extends Started {
  readonly folder: Folder;
  readonly key: Issued;
}

/** A host whose tenant was made beside it, and can take payments. */
async function openShop(env: Readonly<Record<string, string>> = {}): Promise<Shop> {
  const folder = new Folder();
  const started = await folder.start(env);
  expect(await folder.done('tenants', 'onboard', '1', 'Acme')).toBe('Tenant 1 is onboarded\n');
  expect(await folder.done('define', '1', ACME)).toContain('has what the file defines');
  return { ...started, folder, key: issuedIn(await folder.done('keys', 'create', '1')) };
}

async function pay(url: string, { key }: Issued): Promise<{ status: number; id: string }> {
  const answer = await fetch(`${url}/v1/payments`, {
    method: 'POST',
    headers: { Authorization: key, ClientId: '1', 'Content-Type': 'application/json' },
    body: JSON.stringify({
      amount: 12.34,
      currency: 'GBP',
      companyId: 1,
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

/** Whose signed messages are taken. */
async function sourcesIn(url: string, { key }: Issued): Promise<string[]> {
  const headers = { Authorization: key, ClientId: '1', UserEmail: USER_EMAIL };
  const answer = await fetch(`${url}/api/admin/webhookendpoints?direction=in`, { headers });
  const { items } = (await answer.json()) as { items: { source: string }[] };
  return items.map(({ source }) => source);
}

describe('through the socket of the data folder', () => {
  it('makes a tenant, its definitions and its keys, which the host knows at once', async () => {
    const { folder, url, key } = await openShop();
    expect(await pay(url, key)).toMatchObject({ status: 201 });
    expect(await folder.done('define', '1', ACME)).toContain('Nothing changed');
    expect(await folder.refused('define', '2', ACME)).toMatch(/no tenant 2/);
    const successor = issuedIn(await folder.done('keys', 'rotate', '1', key.id));
    expect(await statusWith(url, key)).toBe(401);
    expect(await statusWith(url, successor)).toBe(200);
    expect(await folder.done('keys', 'revoke', '1', successor.id)).toContain('is revoked');
    expect(await statusWith(url, successor)).toBe(401);
    const { items } = await folder.json('keys', 'list', '1');
    expect(items.map(({ id }: Issued) => id)).toEqual([key.id, successor.id]);
  });

  it('lists tenants, and changes what they have set', async () => {
    const { folder, host } = await openShop();
    await folder.done('tenants', 'onboard', '12', 'Second', '--refund-window-days', '7');
    expect(await folder.refused('tenants', 'onboard', '12', 'Another')).toMatch(/exists already/);
    const { items } = await folder.json('tenants', 'list');
    expect(items).toEqual([
      { id: 1, name: 'Acme', createdAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      { id: 12, name: 'Second', createdAt: expect.any(String) },
    ]);
    await folder.done('tenants', 'set', '12', '--requests-per-minute', '9');
    const tenant = await host.tenants.tenant(12 as TenantId);
    expect(tenant?.settings).toMatchObject({ requestsPerMinute: 9, refundWindowDays: 7 });
  });

  it('names the operator in the events and in the activity', async () => {
    const { host } = await openShop();
    const stream = Tenant.streamOf({ tenantId: 1 as TenantId });
    const [event] = await host.events.read(stream, { limit: 1 });
    expect(JSON.parse(event?.metadata ?? '')).toMatchObject({ actor: 'operator@localhost' });
    const operator = { tenantId: 1, actor: 'operator@localhost' };
    const { items } = await host.engine.as(operator).activity.list({ action: 'keys.create' });
    expect(items).toMatchObject([{ actor: 'operator@localhost', keyId: 'operator' }]);
  });

  it('sets and removes the secrets of providers, which stand in no list of processes', async () => {
    const { folder, url, key } = await openShop();
    const given = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
    const file = folder.write('secret', `${given}\n`);
    const words = ['disputes', 'set-secret', '1', 'acme-alerts'];
    expect(await folder.json(...words, '--secret-file', file)).toEqual({
      provider: 'acme-alerts',
      secret: given,
    });
    expect(await folder.done(...words)).toMatch(/^secret: whsec_/);
    expect(await folder.refused(...words.with(3, 'No Name'))).toMatch(/provider must be a name/);
    expect(await sourcesIn(url, key)).toEqual(['acme-alerts']);
    await folder.done('disputes', 'remove', '1', 'acme-alerts');
    expect(await sourcesIn(url, key)).toEqual([]);
  });

  it('imports files, each of their lines once', async () => {
    const { folder } = await openShop();
    const head = 'mid,title,companyId,gatewayId,descriptor,defaultCurrency';
    const lines = Array.from({ length: 600 }, (_, n) => `71${n},Account ${n},1,1,SHOP,GBP`);
    const accounts = folder.write(
      'accounts.csv',
      [head, ...lines, '72,No company,9,1,S,GBP'].join('\n'),
    );
    const words = ['merchant-accounts', 'import', '1', accounts];
    const first = await folder.run(...words);
    expect(first.out).toMatch(/601: reference_unknown: .*\nOpened 600 of 601\n$/);
    expect(first.err).toContain('Merchant accounts');
    expect((await folder.run(...words)).out).toBe(first.out);
    const otherwise = await folder.run(...words, '--atomic');
    expect(otherwise).toMatchObject({ code: 1, err: expect.stringMatching(/otherwise before/) });

    const columns = 'reference,kind,arn,amount,currency,settledDate';
    const file = folder.write('day.csv', `${columns}\na,sale,x,1,GBP,2026-02-01\n`);
    const settle = ['settlements', 'import', '1', file, '--merchant-account', '1'];
    const { item: _, ...imported } = await folder.json(...settle);
    expect(imported).toMatchObject({ lines: 1, booked: 0, name: 'day.csv' });
    const unknown = await folder.run(...settle.with(5, '99'));
    expect(unknown).toMatchObject({ code: 1, err: expect.stringMatching(/merchantAccountId 99/) });
    const payouts = ['settle', '1', '--merchant-account', '1'];
    expect(await folder.refused(...payouts)).toMatch(/gateway that says its payouts/);
  });

  it('moves the clock', async () => {
    const { folder } = await openShop({ TEST_CLOCK: '1' });
    const before = Date.now();
    const moved = await folder.json('clock', 'advance', '1d');
    expect(Date.parse(moved.now)).toBeGreaterThanOrEqual(before + DAY_MS);
    const { now } = await folder.json('clock', 'show');
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before + DAY_MS);
    expect(await folder.refused('clock', 'set', '2020-01-01T00:00:00Z')).toMatch(/^The clock only/);
  });

  it('says which process to stop for what cannot be done beside it', async () => {
    const { folder } = await openShop();
    const words = ['customers', 'erase-unreadable', '--confirm'];
    expect(await folder.refused(...words)).toContain(`stop the process ${process.pid} first`);
    expect(JSON.parse(await folder.refused(...words, '--json'))).toMatchObject({
      success: false,
      code: 'host_running',
    });
    expect(await folder.refused('clock', 'show')).toMatch(/has no test clock/);
  });

  it('rebuilds and rolls back while the host goes on', async () => {
    const { folder, url, key } = await openShop();
    await pay(url, key);
    const kept = await folder.json('read-models', 'rebuild', '--keep');
    expect(kept.items).toHaveLength(PROJECTIONS.length);
    for (const each of kept.items) expect(each).toMatchObject({ differences: [], live: false });
    expect(await folder.done('read-models', 'rebuild', 'ledger')).toMatch(/of ledger is live/);
    expect(await folder.done('read-models', 'roll-back', 'ledger')).toMatch(/of ledger is live/);
    // The host goes on with the build that is live now.
    expect(await pay(url, key)).toMatchObject({ status: 201 });
    await vi.waitUntil(async () => (await soldIn(url, key)) === 24.68, POLLING);
  });

  it('applies a parked stream once its events can be read', async () => {
    const { folder, key, ...first } = await openShop();
    const { id } = await pay(first.url, key);
    await first.stop();
    const path = join(folder.path, 'events.db');
    await appendUnknown(await openSqliteEventStore({ path }), 1 as TenantId, id);

    const { url, stop } = await folder.start();
    // The others go on.
    const other = await pay(url, key);
    await vi.waitUntil(async () => (await soldIn(url, key)) === 24.68, POLLING);
    const stream = `transaction-1-${id}`;
    const list = ['read-models', 'parked', 'list'];
    expect(await folder.done(...list)).toMatch(
      new RegExp(`transactions {2}${stream} {2}1 event\\n`),
    );
    const retry = ['read-models', 'parked', 'retry', 'transactions', stream];
    const failed = await folder.run(...retry);
    expect(failed).toMatchObject({ code: 1, out: expect.stringMatching(/stays parked/) });
    expect(await folder.refused(...retry.with(4, `transaction-1-${other.id}`))).toMatch(
      /is not parked/,
    );
    makeKnown(folder.path);
    expect(await folder.json(...retry)).toMatchObject({ stream, applied: true });
    expect(await folder.done(...list)).not.toContain(`transactions  ${stream}`);

    // Without a host the command does it itself.
    await stop();
    expect(await folder.refused(...retry)).toMatch(/is not parked/);
  });
});

describe('at an address', () => {
  it('does what the key may, wherever it is read from', async () => {
    const { folder, url, key } = await openShop();
    const there = new Folder();
    const at = ['--url', url, '--user', USER_EMAIL];
    const env = { COUNTERFOIL_KEY: key.key };
    const made = await there.json('keys', 'create', '1', '--scopes', 'ledger:read', ...at, env);
    expect(made).toMatchObject({ scopes: ['ledger:read'], key: expect.any(String) });
    const keyFile = folder.write('key', `${key.key}\n`);
    const set = ['tenants', 'set', '1', '--refund-window-days', '5', ...at];
    expect(await there.done(...set, '--key-file', keyFile)).toMatch(/are kept/);
    const listing = ['keys', 'list', '1', '--json', ...at, '--key-file', '-'];
    const { out } = await ranCommand(listing, there.env, Readable.from([key.key]));
    expect(JSON.parse(out).items).toHaveLength(2);
    // Not beside the host, and without a folder of its own.
    expect(readdirSync(there.path)).toEqual([]);
  });

  it('is refused what the key may not, and without a key', async () => {
    const { folder, url, key } = await openShop();
    const at = ['--url', url, '--user', USER_EMAIL];
    const narrow = await folder.json('keys', 'create', '1', '--scopes', 'ledger:read');
    const other = { COUNTERFOIL_KEY: narrow.key };
    expect(await folder.refused('keys', 'list', '1', ...at, other)).toMatch(/keys:read/);
    const own = { COUNTERFOIL_KEY: key.key };
    const elsewhere = await folder.refused('keys', 'list', '2', ...at, '--json', own);
    expect(JSON.parse(elsewhere)).toMatchObject({ success: false, code: 'tenant_mismatch' });
    expect(await folder.refused('keys', 'list', '1', ...at)).toMatch(/COUNTERFOIL_KEY/);
    const wrong = { COUNTERFOIL_KEY: 'secret-of-mine' };
    expect(await folder.refused('keys', 'list', '1', ...at, wrong)).not.toContain(
      wrong.COUNTERFOIL_KEY,
    );
    expect(await folder.refused('keys', 'list', '1', '--key-file', 'x')).toMatch(/needs --url/);
    expect(await folder.refused('keys', 'list', '1', ...at.with(1, 'here'), own)).toMatch(
      /here is not an address/,
    );
    expect(await folder.refused('tenants', 'list', ...at, own)).toMatch(/unknown option '--url'/);
    expect(await folder.refused('keys', 'list', '1', ...at, '--key', 'x')).toMatch(
      /unknown option '--key'/,
    );
  });

  it('moves the clock, imports, and says when nobody answers', async () => {
    const { folder, url, key, stop } = await openShop({ TEST_CLOCK: '1' });
    const at = ['--url', url, { COUNTERFOIL_KEY: key.key }];
    const before = Date.now();
    const { now } = await folder.json('clock', 'advance', '1d', '--tenant', '1', ...at);
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before + DAY_MS);
    expect(await folder.refused('clock', 'show', ...at)).toMatch(/--tenant/);
    const past = ['clock', 'set', '2020-01-01T00:00:00Z', '--tenant', '1', ...at];
    expect(await folder.refused(...past)).toMatch(/^The clock only goes/);
    const accounts = folder.write(
      'accounts.jsonl',
      '{"mid":"7","title":"A","companyId":1,"gatewayId":1,"descriptor":"S","defaultCurrency":"GBP","currencies":[{"currency":"GBP"}]}\n{bad\n',
    );
    const user = { COUNTERFOIL_USER: USER_EMAIL };
    const imported = await folder.run('merchant-accounts', 'import', '1', accounts, ...at, user);
    expect(imported.out).toMatch(/^1: opened as \d+\n2: invalid_request: .*\nOpened 1 of 2\n$/);
    await stop();
    expect(await folder.refused('keys', 'list', '1', ...at)).toMatch(/--user/);
    expect(await folder.refused('keys', 'list', '1', ...at, user)).toMatch(/does not answer: /);
  });
});

describe('a data folder that another process has', () => {
  it('is not worked on where its host cannot be reached', async () => {
    const { folder, stop } = await openShop();
    rmSync(join(folder.path, 'events.db.sock'));
    const refused = await folder.refused('keys', 'list', '1');
    expect(refused).toMatch(/open for writing.*no host answers at .*events\.db\.sock/);
    await stop();
    await folder.done('keys', 'list', '1');
  });
});
