/** The doctor on the keys of customers, of folders that were each harmed in one way. */
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Customer, execute } from '@counterfoil/core';
import { openKeysToRead } from '@counterfoil/engine';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { readConfig } from '@counterfoil/http-host/config';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { CLI, run } from '../docs/commands.ts';
import { ROOT } from '../docs/markdown.ts';
import { CHILD_ENV } from '../setup/child-env.ts';
import { present } from '../simulation/caller.ts';
import {
  callerOf,
  copyOf,
  makeTruth,
  openHost,
  removeFolder,
  type Truth,
} from '../simulation/storage-faults-truth.ts';
import { checkOf, complaintsOf, examinationOf, expectFinding } from './doctor-findings.ts';

const POLLING = { timeout: 20_000, interval: 20 };

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let truth: Truth;
let folder: string;
let keys: string;
beforeAll(async () => {
  truth = await makeTruth();
});
afterAll(() => removeFolder(truth.folder));
beforeEach(() => {
  folder = copyOf(truth);
  keys = join(folder, 'keys.db');
  onTestFinished(() => removeFolder(folder));
});

function change(sql: string): void {
  const database = new DatabaseSync(keys);
  expect(database.prepare(sql).run().changes).not.toBe(0);
  database.close();
}

const refused = async (reason: RegExp) => {
  const bytes = readFileSync(keys, { flag: 'a+' });
  await expect(openHost(folder)).rejects.toThrow(reason);
  return bytes;
};

it('counts them, and leaves them as they are', async () => {
  const names = readdirSync(folder);
  const before = names.map((name) => readFileSync(join(folder, name)));
  const examination = await examinationOf(folder);
  expect(complaintsOf(examination)).toEqual([]);
  expect(checkOf(examination, 'personal-keys').looked).toMatch(/^\d+ customers$/);
  const after = names.map((name) => readFileSync(join(folder, name)));
  expect(after.every((bytes, index) => before[index]?.equals(bytes))).toBe(true);
});

it('finds that they are missing, which refuses a start', async () => {
  rmSync(keys);
  const examination = await examinationOf(folder);
  expect(examination.verdict).toBe('damage');
  expectFinding(examination, 'personal-keys', { severity: 'warning', message: /does not exist/ });
  expectFinding(examination, 'streams', { message: /there is no vault to open it/ });
  expectFinding(await examinationOf(folder, { quick: true }), 'personal-keys', {
    severity: 'warning',
    message: /does not exist/,
  });
  await expect(openHost(folder)).rejects.toThrow(/keys\.db has no keys.*from a backup/);
  expect(readdirSync(folder)).not.toContain('keys.db');
});

it('finds that they are no database', async () => {
  writeFileSync(keys, 'not a database, and longer than a header of one'.repeat(100));
  expectFinding(await examinationOf(folder), 'personal-keys', { message: /cannot be used/ });
  const bytes = await refused(/keys\.db.*from a backup/);
  expect(readFileSync(keys).equals(bytes)).toBe(true);
});

it('finds that they were emptied', async () => {
  change('DELETE FROM personal_key');
  const examination = await examinationOf(folder);
  expectFinding(examination, 'personal-keys', { message: /has no keys/ });
  expectFinding(examination, 'streams', { message: /there is no key of customer 1\/live\/\d+/ });
});

it('finds that one is missing, which refuses a start', async () => {
  change('DELETE FROM personal_key WHERE customer = (SELECT min(customer) FROM personal_key)');
  const message = /lacks the key of customer 1\/live\/\d+/;
  expectFinding(await examinationOf(folder), 'personal-keys', { message });
  await refused(message);
  const env = { ...CHILD_ENV, DATA_DIR: folder };
  const args = [CLI, 'customers', 'erase-unreadable'];
  const asked = await run(process.execPath, args, { cwd: ROOT, env });
  expect([asked.stdout, asked.status]).toEqual([expect.stringContaining('1 customer without'), 1]);
  const confirmed = await run(process.execPath, [...args, '--confirm'], { cwd: ROOT, env });
  expect([confirmed.stderr, confirmed.status]).toEqual(['', 0]);
  const { host, url } = await openHost(folder);
  const caller = callerOf(url, truth.apiKey);
  const { request, answer } = present(truth.questions[0]);
  const lost = answer.body;
  const path = { id: lost.customerId };
  await vi.waitUntil(
    async () => (await caller.get('/customers/{id}', { path })).body.erased === true,
    POLLING,
  );
  const body = { ...request.body, email: lost.email };
  const again = await caller.post('/v1/payments', { body });
  expect([again.status, again.body.email]).toEqual([201, lost.email]);
  expect(again.body.customerId).not.toBe(lost.customerId);
  await host.close();
  expect(complaintsOf(await examinationOf(folder))).toEqual([]);
});

it('finds one that does not open', async () => {
  change("UPDATE personal_key SET wrapped = x'00112233' WHERE wrapped IS NOT NULL");
  const examination = await examinationOf(folder);
  expectFinding(examination, 'personal-keys', { message: /customer 1\/live\/\d+ does not open/ });
  expectFinding(examination, 'streams', { message: /key of customer 1\/live\/\d+ does not open/ });
});

it('finds those of another folder, which refuse a start', async () => {
  // The first start marks the folder by its log.
  const { host } = await openHost(folder);
  await host.close();
  const other = await makeTruth();
  onTestFinished(() => removeFolder(other.folder));
  const again = await openHost(other.folder);
  await again.host.close();
  copyFileSync(join(other.folder, 'keys.db'), keys);
  const quick = await examinationOf(folder, { quick: true });
  expectFinding(quick, 'personal-keys', { message: /of another log/ });
  await refused(/of another log/);
});

it('finds that others may read them', async () => {
  chmodSync(keys, 0o644);
  expectFinding(await examinationOf(folder), 'files', {
    severity: 'warning',
    message: /keys\.db/,
  });
});

it('finds a restored key of an erased person, which the host destroys again', async () => {
  const former = readFileSync(keys);
  const opened = await openHost(folder);
  const caller = callerOf(opened.url, truth.apiKey);
  const id = truth.questions[0]?.answer.body.customerId;
  const path = { id };
  await vi.waitUntil(
    async () => (await caller.get('/customers/{id}', { path })).status === 200,
    POLLING,
  );
  expect((await caller.delete('/customers/{id}', { path })).status).toBe(200);
  await opened.host.close();
  expect((await examinationOf(folder)).verdict).toBe('sound');
  writeFileSync(keys, former);
  const message = /the customer is erased, and has a key again/;
  expectFinding(await examinationOf(folder), 'streams', { message });
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(join(folder, `reactors.db${suffix}`), { force: true });
  }
  const again = await openHost(folder);
  const isErased = async () => {
    const { tenantId } = caller;
    const subject = { tenantId: tenantId as never, sandbox: false, customerId: id };
    const stored = await openKeysToRead(readConfig({ DATA_DIR: folder }));
    const state = await stored?.stateOf(subject);
    await stored?.close();
    return state === 'erased';
  };
  await vi.waitUntil(isErased, POLLING);
  await again.host.close();
  expect((await examinationOf(folder)).verdict).toBe('sound');
});

it('finds an erasure that was requested and never finished', async () => {
  const opened = await openHost(folder);
  const customerId = truth.questions[0]?.answer.body.customerId;
  const who = { tenantId: 1 as never, sandbox: false, customerId };
  const caller = callerOf(opened.url, truth.apiKey);
  await vi.waitUntil(
    async () => (await caller.get('/customers/{id}', { path: { id: customerId } })).status === 200,
    POLLING,
  );
  await opened.host.close();
  // The intent alone, as a kill right behind it leaves it.
  const reading = await openKeysToRead(readConfig({ DATA_DIR: folder }));
  const store = await openSqliteEventStore({ path: join(folder, 'events.db') });
  await execute(
    { store, ...(reading !== undefined && { vault: reading }) },
    Customer,
    { type: 'RequestErasure', ...who, at: new Date().toISOString() },
    {
      commandId: '0195a000-0000-8000-8000-0000000000ee' as never,
      metadata: { actor: 'a@example.com' },
      recordedAt: new Date().toISOString(),
    },
  );
  await store.close();
  await reading?.close();
  expectFinding(await examinationOf(folder), 'streams', {
    severity: 'warning',
    message: /the erasure that was requested at .* is not finished/,
  });
});
