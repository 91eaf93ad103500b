/** Backups beside a host under load, what becomes of damaged and interrupted ones, and restores. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TenantId } from '@counterfoil/core';
import { readBackup, restoreBackup } from '@counterfoil/engine/backup';
import { readConfig } from '@counterfoil/http-host/config';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';
import { ranCommand } from '../setup/command-line.ts';
import type { Answer, Caller } from '../simulation/caller.ts';
import { issueKey, onboard } from '../simulation/local-host.ts';
import {
  callerOf,
  copyOf,
  hear,
  makeTruth,
  newFolder,
  openHost,
  paymentBody,
  removeFolder,
  settled,
  type Truth,
} from '../simulation/storage-faults-truth.ts';
import { counterfoilOn } from './doctor-findings.ts';

const TENANT_ID = 1 as TenantId;
const DYING = fileURLToPath(new URL('./dying-process.ts', import.meta.url));
const UNFINISHED = /restore was interrupted[\s\S]*empty the folder and restore again/;
/** Payments in flight at a time. */
const PAYERS = 4;

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** An empty place in a folder that goes with the test. */
function place(name: string): string {
  const folder = newFolder();
  onTestFinished(() => removeFolder(folder));
  return join(folder, name);
}

function run(folder: string, ...words: readonly string[]) {
  return ranCommand(words, { DATA_DIR: folder, LOG_LEVEL: 'silent' });
}

describe('a backup beside a host under load', () => {
  it('has every payment that was acknowledged before it began, and restores to a sound folder', async () => {
    const folder = place('data');
    const { host, url } = await openHost(folder);
    await onboard(host, TENANT_ID, { accounts: [{ id: 1 }] });
    const apiKey = await issueKey(host, TENANT_ID);
    const load = new Load(callerOf(url, apiKey));
    await vi.waitUntil(() => load.acknowledged.size > 2 * PAYERS);
    const before = new Map(load.acknowledged);
    const backup = place('backup');
    const made = await counterfoilOn(folder, ['backup', backup, '--with-master-key', '--json']);
    expect(made).toMatchObject({ code: 0 });
    expect(load.acknowledged.size).toBeGreaterThan(before.size);
    await load.stop();
    await host.close();

    const restored = place('restored');
    const { code, out } = await run(restored, 'restore', backup, '--json');
    expect(JSON.parse(out)).toMatchObject({ verdict: 'sound', head: JSON.parse(made.out).head });
    expect(code).toBe(0);
    const again = await openHost(restored);
    onTestFinished(() => again.host.close());
    await settled(again);
    const caller = callerOf(again.url, apiKey);
    for (const [key, { body, status }] of before) {
      const found = await caller.get('/v1/payments/{id}', { path: { id: body.id } });
      expect(found, key).toMatchObject({ status: 200, body: { status: body.status } });
      const { index } = load.bodyOf(key);
      const asked = { body: paymentBody(index), key };
      const repeated = await caller.post('/v1/payments', asked);
      expect(repeated, key).toMatchObject({ status, body: { id: body.id } });
    }
    const balance = await caller.get('/api/ledger/trial-balance');
    expect(balance.body.balanced).toBe(true);
  });
});

/** Pays without a pause until it is stopped. */
class Load {
  /** By `Idempotency-Key`. */
  readonly acknowledged = new Map<string, Answer>();
  readonly #caller: Caller;
  readonly #payers: Promise<void>[];
  #stopped = false;
  #next = 0;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.#payers = Array.from({ length: PAYERS }, () => this.#pay());
  }

  bodyOf(key: string): { readonly index: number } {
    return { index: Number(key.replace('load-', '')) };
  }

  async #pay(): Promise<void> {
    while (!this.#stopped) {
      const index = this.#next++;
      const key = `load-${index}`;
      const asked = { body: paymentBody(index), key };
      this.acknowledged.set(key, await this.#caller.post('/v1/payments', asked));
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#payers);
  }
}

describe('a backup of a stopped host', () => {
  let truth: Truth;
  let backup: string;
  beforeAll(async () => {
    truth = await makeTruth();
    backup = join(newFolder(), 'backup');
    const made = await run(truth.folder, 'backup', backup, '--with-master-key');
    expect(made).toMatchObject({ code: 0 });
    expect(made.out).toContain('The master key is in it');
  });
  afterAll(() => {
    removeFolder(truth.folder);
    removeFolder(dirname(backup));
  });

  it('restores what the host answered', async () => {
    const folder = place('data');
    const { code, out } = await run(folder, 'restore', backup);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('Sound.') });
    const opened = await openHost(folder);
    onTestFinished(() => opened.host.close());
    await settled(opened);
    expect(await hear(opened.url, truth)).toMatchObject({ refused: [], wrong: [] });
  });

  it('puts the log where the environment has it, and nothing beside one that is there', async () => {
    const [folder, logs] = [place('data'), place('logs')];
    const env = { DATA_DIR: folder, EVENT_STORE_URL: `sqlite:${join(logs, 'ledger.db')}` };
    const { code } = await ranCommand(['restore', backup, '--quick'], env);
    expect(code).toBe(0);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['keys.db', 'log.check']));
    expect(readdirSync(folder)).not.toContain('events.db');
    expect(readdirSync(logs)).toContain('ledger.db');
    const again = { ...env, DATA_DIR: place('data') };
    const { err } = await ranCommand(['restore', backup], again);
    expect(err).toMatch(/logs is not empty \(ledger\.db/);
  });

  it('holds no key and no read model where none was asked for', async () => {
    const plain = place('backup');
    const { out } = await run(truth.folder, 'backup', plain);
    expect(out).toContain('The master key is not in it');
    const names = readdirSync(plain);
    expect(names.filter((name) => /read-models|secrets|lock|-wal|-shm/.test(name))).toEqual([]);
    const { masterKey } = JSON.parse(readFileSync(join(truth.folder, 'secrets.json'), 'utf8'));
    for (const name of names) {
      expect(readFileSync(join(plain, name)).includes(masterKey), name).toBe(false);
      expect(statSync(join(plain, name)).mode & 0o077, name).toBe(0);
    }
  });

  it('is refused with any byte changed or cut off, and nothing is written', async () => {
    const names = readdirSync(backup);
    const copy = place('copy');
    const folder = place('data');
    cpSync(backup, copy, { recursive: true });
    const harm = fc.record({
      name: fc.constantFrom(...names),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      bit: fc.option(fc.integer({ min: 0, max: 7 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(harm, async ({ name, at, bit }) => {
        const path = join(copy, name);
        const whole = readFileSync(path);
        const offset = Math.floor(at * whole.length);
        const harmed = Buffer.from(bit === undefined ? whole.subarray(0, offset) : whole);
        if (bit !== undefined) harmed[offset] = (whole[offset] ?? 0) ^ (1 << bit);
        writeFileSync(path, harmed);
        const { code, err } = await run(folder, 'restore', copy);
        writeFileSync(path, whole);
        expect(code).toBe(1);
        expect(err).toContain(name);
        expect(existsSync(folder)).toBe(false);
      }),
      { numRuns: 40 },
    );
    expect(await readBackup(copy)).toBeTruthy();
  });

  it.each([1, 8])('leaves no folder when it is killed at report %i', async (report) => {
    const target = place('backup');
    await died(truth.folder, 'backup', target, report);
    expect(existsSync(target)).toBe(false);
    const [left = ''] = readdirSync(dirname(target));
    const { code, err } = await run(place('data'), 'restore', join(dirname(target), left));
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/no whole backup/) });
  });

  it.each([2, 12])('starts no host on a restore that was killed at report %i', async (report) => {
    const folder = place('data');
    await died(folder, 'restore', backup, report);
    const { code, err } = await run(folder, 'restore', backup);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/is not empty/) });
    const before = readdirSync(folder);
    await expect(openHost(folder)).rejects.toThrow(UNFINISHED);
    expect(readdirSync(folder)).toEqual(before);
    const examined = await run(folder, 'doctor');
    expect({ code: examined.code, out: examined.out }).toMatchObject({
      code: 2,
      out: expect.stringMatching(UNFINISHED),
    });
  });

  it('is restored beside the master key that was put in place first', async () => {
    const plain = place('backup');
    expect(await run(truth.folder, 'backup', plain)).toMatchObject({ code: 0 });
    for (const from of [plain, backup]) {
      const folder = place('data');
      mkdirSync(folder);
      cpSync(join(truth.folder, 'secrets.json'), join(folder, 'secrets.json'));
      const { code, out, err } = await run(folder, 'restore', from);
      expect({ code, out }, err).toMatchObject({ code: 0, out: expect.stringContaining('Sound.') });
    }
  });

  it('is not restored over another master key, and one that is not its own is found', async () => {
    const plain = place('backup');
    expect(await run(truth.folder, 'backup', plain)).toMatchObject({ code: 0 });
    const folder = place('data');
    mkdirSync(folder);
    const masterKey = Buffer.alloc(32, 7).toString('base64');
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ masterKey }));
    const { code, err } = await run(folder, 'restore', backup);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/secrets\.json/) });
    expect(readdirSync(folder)).toEqual(['secrets.json']);
    const other = await run(folder, 'restore', plain);
    expect({ code: other.code, out: other.out }).toMatchObject({
      code: 2,
      out: expect.stringContaining('under another master key'),
    });
  });

  it('is not restored beside a host, onto files, or by another restore at the same time', async () => {
    const folder = copyOf(truth);
    onTestFinished(() => removeFolder(folder));
    const opened = await openHost(folder);
    onTestFinished(() => opened.host.close());
    const refused = { code: 1, err: expect.stringContaining('is not empty') };
    expect(await run(folder, 'restore', backup)).toMatchObject(refused);
    const config = readConfig({ DATA_DIR: place('data') });
    const manifest = await readBackup(backup);
    const both = [0, 1].map(() => restoreBackup(config, { folder: backup, manifest }));
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('never replaces a folder', async () => {
    const { code, err } = await run(truth.folder, 'backup', backup);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/exists/) });
    expect(readdirSync(dirname(backup))).toEqual([basename(backup)]);
  });
});

describe('what is not in files', () => {
  it.each([
    [{ EVENT_STORE_URL: 'memory:' }, /in memory/],
    [{ READ_MODEL_URL: 'postgres://localhost/none' }, /pg_dump/],
  ])('is refused with what to do instead', async (env, message) => {
    const { code, err } = await ranCommand(['backup', place('backup')], {
      DATA_DIR: place('data'),
      ...env,
    });
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(message) });
  });

  it('needs a log, and with --with-master-key a key in the folder', async () => {
    const empty = newFolder();
    onTestFinished(() => removeFolder(empty));
    const target = place('backup');
    expect((await run(empty, 'backup', target)).err).toContain('there is no log');
    writeFileSync(join(empty, 'events.db'), '');
    const { err } = await run(empty, 'backup', target, '--with-master-key');
    expect(err).toContain('MASTER_KEY of the environment');
  });
});

async function died(dataDir: string, verb: string, folder: string, report: number): Promise<void> {
  const child = fork(DYING, [verb, folder, String(report)], {
    env: { ...CHILD_ENV, DATA_DIR: dataDir },
  });
  const [code, signal] = await once(child, 'exit');
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
}
