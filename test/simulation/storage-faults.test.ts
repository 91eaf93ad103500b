/** Bad disks and bad files under a whole host: a clear refusal or a clean recovery, never a wrong answer. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Examination, examine } from '@counterfoil/engine/doctor';
import { readConfig } from '@counterfoil/http-host/config';
import { PROJECTIONS } from '@counterfoil/projections';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { canMount, fillUp } from '../event-stores/support/folders.ts';
import { comparable } from './caller.ts';
import {
  boundByPermissions,
  expectNothingLost,
  payUntilRefused,
  startProcess,
} from './storage-faults-process.ts';
import {
  callerOf,
  copyOf,
  hear,
  makeTruth,
  newFolder,
  type Opened,
  openHost,
  paymentBody,
  removeFolder,
  settled,
  type Truth,
} from './storage-faults-truth.ts';

/** Of each property; `FAULT_RUNS=500` looks longer. */
const RUNS = Number(process.env['FAULT_RUNS'] ?? '2');
const LIMIT_MS = 60_000 + RUNS * 20_000;
const POLLING = { timeout: 20_000, interval: 25 };
const PAGE_BYTES = 4_096;
const DAY_MS = 86_400_000;
const bound = boundByPermissions();

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

let truth: Truth;
beforeAll(async () => {
  truth = await makeTruth();
});
afterAll(() => removeFolder(truth.folder));

function copied(): string {
  const folder = copyOf(truth);
  onTestFinished(() => removeFolder(folder));
  return folder;
}

function examined(folder: string): Promise<Examination> {
  return examine(readConfig({ DATA_DIR: folder }), {
    quick: false,
    now: Date.now,
    scratch: folder,
    onProgress: () => {},
    onChecked: () => {},
  });
}

type Attempt = { readonly refusal: Error } | { readonly refused: readonly string[] };

/**
 * Starts a host on the folder and asks it everything: wrong answers fail, refusals are handed back, and
 * with `heals` those that remain.
 */
async function attempt(folder: string, { heals = false } = {}): Promise<Attempt> {
  let opened: Opened;
  try {
    opened = await openHost(folder);
  } catch (error) {
    return { refusal: error as Error };
  }
  try {
    await settled(opened);
    let { wrong, refused } = await hear(opened.url, truth);
    while (heals && wrong.length === 0 && refused.length > 0) {
      ({ wrong, refused } = await hear(opened.url, truth));
    }
    expect(wrong).toEqual([]);
    expect(Number(await opened.host.events.head()), 'a repetition was done again').toBe(
      truth.events,
    );
    return { refused };
  } finally {
    await opened.host.close();
  }
}

type Harm = (bytes: Buffer) => Buffer;

/** Anywhere in a file, each place as likely as any other. */
const place = fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1_000_000);
const flip = fc.tuple(place, fc.noBias(fc.nat(7))).map(([at, bit]): [string, Harm] => [
  `bit ${bit} at ${at}`,
  (bytes) => {
    const offset = Math.floor(at * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
    return bytes;
  },
]);
const structural = fc.oneof(
  place.map((at): [string, Harm] => [
    `cut at ${at}`,
    (bytes) => bytes.subarray(0, Math.floor(at * bytes.length)),
  ]),
  place.map((at): [string, Harm] => [
    `page of zeros at ${at}`,
    (bytes) => {
      const start = pageAt(bytes, at);
      return bytes.fill(0, start, start + PAGE_BYTES);
    },
  ]),
  fc.tuple(place, place).map(([from, to]): [string, Harm] => [
    `page of ${from} at ${to}`,
    (bytes) => {
      const start = pageAt(bytes, from);
      bytes.copyWithin(pageAt(bytes, to), start, start + PAGE_BYTES);
      return bytes;
    },
  ]),
);

function pageAt(bytes: Buffer, at: number): number {
  return Math.floor((at * bytes.length) / PAGE_BYTES) * PAGE_BYTES;
}

function harm(path: string, harmed: Harm): void {
  writeFileSync(path, harmed(readFileSync(path)));
}

describe('damaged files', () => {
  /** What cannot be made again: the start is refused and the file left alone, or what is sound is answered. */
  it.each(['events.db', 'keys.db', 'sandbox-gateway.db'])('%s', async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(flip, structural), async ([, harmed]) => {
        const folder = copyOf(truth);
        const path = join(folder, name);
        harm(path, harmed);
        const bytes = readFileSync(path);
        const tried = await attempt(folder);
        if ('refusal' in tried) {
          expect(tried.refusal.message).toContain(path);
          expect(['EventStoreError', 'StorageError']).toContain(tried.refusal.name);
          expect(readFileSync(path).equals(bytes)).toBe(true);
        }
        const isHarmless = 'refused' in tried && tried.refused.length === 0;
        if (!isHarmless) expect((await examined(folder)).verdict).toBe('damage');
        removeFolder(folder);
      }),
      { numRuns: RUNS },
    );
  });

  /**
   * What the log can make again is made again, and everything is answered: at once where the start finds
   * the damage, else after the reads that found it were refused. What neither comes upon, the doctor names.
   */
  it.each([
    ['idempotency.db', fc.oneof(flip, structural)],
    ['reactors.db', fc.oneof(flip, structural)],
    ['mails.db', fc.oneof(flip, structural)],
    ['webhooks.db', fc.oneof(flip, structural)],
    ['read-models.db', fc.oneof(flip, structural)],
    ['read-models.db-transactions-1', structural],
    ['read-models.db-ledger-1', structural],
    ['read-models.db-reference-1', structural],
  ])('%s', async (name, harms) => {
    await fc.assert(
      fc.asyncProperty(harms, async ([, harmed]) => {
        const folder = copyOf(truth);
        harm(join(folder, name), harmed);
        expect(await attempt(folder, { heals: true })).toEqual({ refused: [] });
        const found = (await examined(folder)).checks.flatMap(({ findings }) => findings);
        const damaged = found.filter(({ severity }) => severity === 'damage');
        expect(damaged.filter(({ check }) => check !== 'read-models')).toEqual([]);
        removeFolder(folder);
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });

  it('a catalog of read models that ends within a page is made again', async () => {
    const folder = copied();
    harm(join(folder, 'read-models.db'), (bytes) =>
      bytes.subarray(0, bytes.length - PAGE_BYTES + 1),
    );
    expect(await attempt(folder)).toEqual({ refused: [] });
  });

  it('answers that are gone are made again, from the log', async () => {
    const folder = copied();
    rmSync(join(folder, 'idempotency.db'));
    expect(await attempt(folder)).toEqual({ refused: [] });
  });

  it('swapped read models are rebuilt', async () => {
    const folder = copied();
    const [ledger, reference, aside] = ['ledger-1', 'reference-1', 'aside'].map((name) =>
      join(folder, `read-models.db-${name}`),
    ) as [string, string, string];
    renameSync(ledger, aside);
    renameSync(reference, ledger);
    renameSync(aside, reference);
    expect((await examined(folder)).verdict).toBe('damage');
    expect(await attempt(folder)).toEqual({ refused: [] });
    expect((await examined(folder)).verdict).not.toBe('damage');
  });

  it('a letter in a read model is for the doctor to find', async () => {
    const folder = copied();
    const [name = ''] = readdirSync(folder).filter((each) => /-ledger-\d+$/.test(each));
    // Pages that were split may hold a row's bytes twice: all of them are changed.
    harm(join(folder, name), (bytes) =>
      Buffer.from(
        bytes.toString('latin1').replaceAll('PaymentCaptured', 'QaymentCaptured'),
        'latin1',
      ),
    );
    const { checks, verdict } = await examined(folder);
    expect(verdict).toBe('damage');
    expect(checks.flatMap(({ findings }) => findings)).toMatchObject([
      { check: 'read-models', advice: expect.stringMatching(/read-models rebuild ledger/) },
    ]);
  });
});

describe('a letter in a read model that is asked for', () => {
  it('is refused, and rebuilt', async () => {
    const folder = copied();
    harm(join(folder, 'read-models.db-transactions-1'), (bytes) =>
      Buffer.from(bytes.toString('latin1').replaceAll('"customer1@', '"dustomer1@'), 'latin1'),
    );
    const { host, url, logs } = await openHost(folder);
    onTestFinished(() => host.close());
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, POLLING);
    // A host that was quick has begun to answer already, and nothing wrong.
    const { wrong, refused } = await hear(url, truth);
    expect(wrong).toEqual([]);
    expect(refused).toContain('/api/transactions/search: 503 overloaded');
    await vi.waitUntil(() => logs.some((line) => /"damaged"/.test(line)), POLLING);
    await vi.waitUntil(async () => (await hear(url, truth)).refused.length === 0, POLLING);
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, POLLING);
    expect(await hear(url, truth)).toMatchObject({ wrong: [], refused: [] });
    // Beside the host, which follows the new build.
    expect((await examined(folder)).verdict).not.toBe('damage');
  });
});

describe('a row of the catalog of the read models that changes under a host', () => {
  it('is refused and healed', async () => {
    const { host, url, logs } = await openHost(copied());
    onTestFinished(() => host.close());
    const readiness = async () => (await fetch(`${url}/readyz`)).status;
    await vi.waitUntil(async () => (await readiness()) === 200, POLLING);
    const catalog = new DatabaseSync(host.config.readModelUrl.replace('sqlite:', ''));
    onTestFinished(() => catalog.close());
    catalog.exec('PRAGMA busy_timeout = 5000');
    catalog.exec("UPDATE live SET build = build + 1 WHERE projection = 'transactions'");
    await vi.waitUntil(() => logs.some((line) => /"damaged"/.test(line)), POLLING);
    await vi.waitUntil(async () => (await readiness()) === 200, POLLING);
    const caller = callerOf(url, truth.apiKey);
    const healed = await caller.post('/v1/payments', { body: paymentBody(1), key: 'healed' });
    expect(healed.status).toBe(201);
    await host.readSide.caughtUp(1 as never);
    const figures = await (await fetch(`${url}/metrics`)).text();
    expect(figures.match(/^projection_ready\{.*\} 1$/gm)).toHaveLength(PROJECTIONS.length);
  });
});

describe('a position that a read model has not reached', () => {
  it('is not believed: no events are lost', async () => {
    const folder = copied();
    const model = new DatabaseSync(join(folder, 'read-models.db-ledger-1'));
    model.exec("UPDATE meta SET position = '9' || substr(position, 2)");
    model.close();
    expect(await attempt(folder)).toEqual({ refused: [] });
  });
});

/** The folder as a kill at this moment leaves it, with its write-ahead logs. */
async function killedFolder(): Promise<{ folder: string; acknowledged: string; events: number }> {
  const living = copied();
  const { host, url } = await openHost(living);
  onTestFinished(() => host.close());
  const caller = callerOf(url, truth.apiKey);
  const asked = { body: paymentBody(1), key: 'before-the-kill' };
  const { status, body } = await caller.post('/v1/payments', asked);
  expect(status).toBe(201);
  await host.readSide.caughtUp(1 as never);
  const events = Number(await host.events.head());
  const folder = newFolder();
  // The socket goes with the process.
  const filter = (path: string) => !path.endsWith('.sock');
  cpSync(living, folder, { recursive: true, filter });
  onTestFinished(() => removeFolder(folder));
  return { folder, acknowledged: body.id, events };
}

describe('write-ahead logs', () => {
  it('of a killed host are taken in; cut anywhere, the loss is noticed', async () => {
    const { folder, acknowledged, events } = await killedFolder();
    await fc.assert(
      fc.asyncProperty(place, async (at) => {
        const copy = newFolder();
        cpSync(folder, copy, { recursive: true });
        const wal = join(copy, 'events.db-wal');
        harm(wal, (bytes) => bytes.subarray(0, Math.floor(at * bytes.length)));
        await expect(openHost(copy)).rejects.toThrow(
          /events\.db: the log ends at position \d+, but .*counterfoil doctor/,
        );
        const { checks, verdict } = await examined(copy);
        expect(verdict).toBe('damage');
        const bad = checks.filter(({ findings }) => findings.length > 0).map(({ check }) => check);
        expect(bad).toEqual(expect.arrayContaining(['loss']));
        removeFolder(copy);
      }),
      { numRuns: RUNS },
    );
    const opened = await openHost(folder);
    onTestFinished(() => opened.host.close());
    await settled(opened);
    expect(Number(await opened.host.events.head())).toBe(events);
    const caller = callerOf(opened.url, truth.apiKey);
    const found = await caller.get('/v1/payments/{id}', { path: { id: acknowledged } });
    expect(found.status).toBe(200);
    // Searches and books include the payment after the recorded state.
    const { wrong } = await hear(opened.url, truth);
    expect(wrong.filter((each) => !/^.api.(transactions|ledger)/.test(each))).toEqual([]);
  });

  it('of another folder are refused, and the log is unchanged once they are removed', async () => {
    const folder = copied();
    const path = join(folder, 'events.db');
    // The first start marks the log of the folder.
    expect(await attempt(folder)).toEqual({ refused: [] });
    const before = readFileSync(path);
    const strange = await makeTruth();
    onTestFinished(() => removeFolder(strange.folder));
    const { host } = await openHost(strange.folder);
    onTestFinished(() => host.close());
    const settings = { refundWindowDays: 7 };
    await host.tenants.changeSettings(1 as never, settings, { actor: 'a@example.com' });
    cpSync(join(strange.folder, 'events.db-wal'), `${path}-wal`);
    const refusal = { name: 'EventStoreError', message: expect.stringContaining(path) };
    expect(await attempt(folder)).toMatchObject({ refusal });
    expect((await examined(folder)).verdict).toBe('damage');
    expect(readFileSync(path).equals(before)).toBe(true);
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    expect(await attempt(folder)).toEqual({ refused: [] });
  });
});

describe('a disk that is full', () => {
  it('for files beyond a size: refuses, and loses nothing over a restart', async () => {
    const folder = copied();
    const limited = await startProcess(folder, { fileBlocks: 1_600 });
    onTestFinished(() => limited.stop('SIGKILL'));
    const paid = await payUntilRefused(callerOf(limited.url ?? '', truth.apiKey), 10);
    expect(paid.acknowledged.size).toBeGreaterThan(0);
    await limited.stop('SIGKILL');
    const roomy = await startProcess(folder);
    onTestFinished(() => roomy.stop());
    await vi.waitUntil(async () => (await fetch(`${roomy.url}/readyz`)).status === 200, POLLING);
    await expectNothingLost(roomy.url ?? '', truth, paid);
    await roomy.stop();
    expect((await examined(folder)).verdict).not.toBe('damage');
  });

  it.skipIf(!canMount())('is not ready, and goes on when there is room (needs mount)', async () => {
    const folder = newFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', folder]);
      removeFolder(folder);
    });
    cpSync(truth.folder, folder, { recursive: true });
    const running = await startProcess(folder);
    onTestFinished(() => running.stop('SIGKILL'));
    const url = running.url ?? '';
    const readiness = async () => (await fetch(`${url}/readyz`)).status;
    await vi.waitUntil(async () => (await readiness()) === 200, POLLING);
    fillUp(join(folder, 'filler'));
    expect(await readiness()).toBe(503);
    const paid = await payUntilRefused(callerOf(url, truth.apiKey), 10);
    rmSync(join(folder, 'filler'));
    await vi.waitUntil(async () => (await readiness()) === 200, POLLING);
    await expectNothingLost(url, truth, paid);
    expect(running.output()).toMatch(/MiB are free on the disk/);
    await running.stop();
    expect((await examined(folder)).verdict).not.toBe('damage');
  });
});

function writeProtect(folder: string): void {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
  chmodSync(folder, 0o555);
  onTestFinished(() => chmodSync(folder, 0o755));
}

describe.skipIf(bound === undefined)('a folder that may not be written', () => {
  it('refuses the start with an error that names it, and is unchanged', async () => {
    const folder = copied();
    writeProtect(folder);
    const before = readdirSync(folder);
    const refused = await startProcess(folder, bound);
    expect(refused.url).toBeUndefined();
    expect(refused.code()).toBe(1);
    expect(refused.output()).toContain(folder);
    expect(refused.output()).toMatch(/permission denied|EACCES/);
    expect(refused.output()).not.toMatch(/^\s+at /m);
    expect(readdirSync(folder)).toEqual(before);
  });
});

/** Two days in the past of a clock that stood right until now. */
async function liveInThePast(folder: string): Promise<void> {
  let nowMs = Date.now() - 2 * DAY_MS;
  const clock = { now: () => new Date(nowMs).toISOString() };
  const opened = await openHost(folder, { clock });
  const { host, url } = opened;
  try {
    await settled(opened);
    expect(await hear(url, truth)).toMatchObject({ wrong: [], refused: [] });
    const caller = callerOf(url, truth.apiKey);
    const before = await host.events.head();
    const late = { body: paymentBody(0), key: 'late' };
    const { status, body } = await caller.post('/v1/payments', late);
    expect(status).toBe(201);
    expect(Number(await host.events.head())).toBeGreaterThan(Number(before));
    // A payment of the future, as this clock sees it, can be refunded too.
    const old = truth.questions[0]?.answer.body.id;
    for (const id of [body.id, old]) {
      const asked = { path: { id }, body: { amount: 1 }, key: `late-${id}` };
      const refund = await caller.post('/v1/payments/{id}/refund', asked);
      expect(refund.status, JSON.stringify(refund.body)).toBe(201);
      const again = await caller.post('/v1/payments/{id}/refund', asked);
      expect(comparable(again)).toEqual({ ...comparable(refund), replayed: true });
    }
    // The response for this card is lost; the sweeper queries it as the clock advances.
    const timeout = { body: paymentBody(0, 'timeout-approve'), key: 'lost' };
    const lost = await caller.post('/v1/payments', timeout);
    expect(lost).toMatchObject({ status: 202, body: { status: 'Unknown' } });
    await vi.waitUntil(async () => {
      nowMs += 1_000;
      const now = await caller.get('/v1/payments/{id}', { path: { id: lost.body.id } });
      return now.body.status === 'Captured';
    }, POLLING);
  } finally {
    await host.close();
  }
}

describe('a clock that was set back', () => {
  it('changes no order and refuses nothing, and the doctor reports it', async () => {
    const folder = copied();
    await liveInThePast(folder);
    const { checks, verdict } = await examined(folder);
    expect(verdict).toBe('warnings');
    expect(checks.flatMap(({ findings }) => findings)).toMatchObject([
      { check: 'order', severity: 'warning', message: expect.stringMatching(/clock went back/) },
    ]);
    // The clock is correct again.
    expect(Number((await reopened(folder)) ?? 0)).toBeGreaterThan(truth.events);
  });
});

async function reopened(folder: string): Promise<string | undefined> {
  const opened = await openHost(folder);
  await settled(opened);
  const head = await opened.host.events.head();
  await opened.host.close();
  return head;
}
