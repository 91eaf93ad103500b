/** The doctor, on folders where a file is missing, empty, or stands where it does not belong. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Examination } from '@counterfoil/engine/doctor';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  copyOf,
  hear,
  makeTruth,
  newFolder,
  openHost,
  removeFolder,
  settled,
  type Truth,
} from '../simulation/storage-faults-truth.ts';
import { complaintsOf, doctorOn, examinationOf, expectFinding } from './doctor-findings.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let truth: Truth;
let folder: string;
beforeAll(async () => {
  truth = await makeTruth();
});
afterAll(() => removeFolder(truth.folder));
beforeEach(() => {
  folder = copyOf(truth);
  onTestFinished(() => removeFolder(folder));
});

function at(name: string): string {
  return join(folder, name);
}

function swap(one: string, other: string): void {
  renameSync(at(one), at('aside'));
  renameSync(at(other), at(one));
  renameSync(at('aside'), at(other));
}

async function expectAnswersAsBefore(): Promise<void> {
  const opened = await openHost(folder);
  try {
    await settled(opened);
    expect(await hear(opened.url, truth)).toMatchObject({ wrong: [], refused: [] });
  } finally {
    await opened.host.close();
  }
}

describe('a log that is not there', () => {
  it('is a first start that was broken off, where nothing remembers one', async () => {
    const broken = newFolder();
    onTestFinished(() => removeFolder(broken));
    await (await openHost(broken)).host.close();
    rmSync(join(broken, 'events.db'));
    const examination = await examinationOf(broken);
    expect(examination.verdict).toBe('warnings');
    expectFinding(examination, 'loss', {
      severity: 'warning',
      message: /there is no log: .*events\.db does not exist/,
    });
    await (await openHost(broken)).host.close();
    expect((await examinationOf(broken)).verdict).toBe('sound');
  });

  it.each([
    ['reactors.db', /reactors\.db has read a log/],
    ['log.check', /the id of its first event was kept/],
  ])('is missing, where only %s refers to one', async (witness, message) => {
    for (const name of readdirSync(folder)) if (name !== witness) rmSync(at(name));
    if (witness === 'log.check') writeFileSync(at(witness), 'the id of the first event');
    expectFinding(await examinationOf(folder), 'loss', { message });
  });
});

describe('something else in the place of a file', () => {
  it('a meaningless text as the test clock', async () => {
    writeFileSync(at('test-clock.json'), '{"aheadMs":');
    const { code, out } = await doctorOn(folder, ['--json']);
    expect(code, out).toBe(2);
    const examination = await examinationOf(folder);
    expect(complaintsOf(examination)).toEqual(['files']);
    expectFinding(examination, 'files', { message: /test-clock\.json does not tell how far/ });
    await expect(openHost(folder)).rejects.toThrow(/test-clock\.json does not tell how far/);
  });

  it.each([
    ['a text', () => writeFileSync(at('events.db-lock'), 'a text')],
    ['a folder', () => mkdirSync(at('events.db-lock'))],
    ['a pipe', () => execFileSync('mkfifo', [at('events.db-lock')])],
  ])('%s, in that of the lock', async (_what, put) => {
    rmSync(at('events.db-lock'), { force: true });
    put();
    const examination = await examinationOf(folder);
    expect(complaintsOf(examination)).toEqual(['files']);
    expectFinding(examination, 'files', { severity: 'warning', message: /db-lock is no lock/ });
    await expect(openHost(folder)).rejects.toThrow(/events\.db-lock, the lock of the log/);
    rmSync(at('events.db-lock'), { recursive: true });
    await expectAnswersAsBefore();
  });

  it.each([
    'events.db',
    'sandbox-gateway.db',
    'idempotency.db',
    'reactors.db',
    'mails.db',
    'webhooks.db',
    'users.db',
    'activity.db',
    'read-models.db',
    'read-models.db-ledger-1',
    'secrets.json',
    'log.check',
    'test-clock.json',
  ])('a pipe named %s does not block', async (name) => {
    rmSync(at(name), { force: true });
    execFileSync('mkfifo', [at(name)]);
    const { code, out } = await doctorOn(folder, ['--json']);
    expect(code, out).toBe(2);
    const examination = JSON.parse(out) as Examination;
    expectFinding(examination, 'files', { message: new RegExp(`${name} is not a file`) });
  });

  // Pipes are refused by the same look, which a test in this process would wait for if it were gone.
  it.each([
    'events.db',
    'sandbox-gateway.db',
    'idempotency.db',
    'reactors.db',
    'mails.db',
    'webhooks.db',
    'users.db',
    'activity.db',
    'read-models.db',
  ])('no host starts on a folder named %s', async (name) => {
    rmSync(at(name));
    mkdirSync(at(name));
    await expect(openHost(folder)).rejects.toThrow(
      new RegExp(`${name}: what stands there is not a file`),
    );
  });

  it('two files that were swapped are each said to be another', async () => {
    swap('idempotency.db', 'reactors.db');
    for (const quick of [true, false]) {
      const examination = await examinationOf(folder, { quick });
      for (const name of ['idempotency', 'reactors']) {
        expectFinding(examination, 'pages', {
          message: new RegExp(`${name}\\.db is another database: it has no table`),
        });
      }
    }
  });

  it('swapped read models are reported, with --quick too', async () => {
    swap('read-models.db-ledger-1', 'read-models.db-reference-1');
    for (const quick of [true, false]) {
      const examination = await examinationOf(folder, { quick });
      expect(examination.verdict).toBe('damage');
      expectFinding(examination, 'parked', { message: /this is ledger .*, and not reference / });
    }
  });

  it('an empty file is reported, and the host fills it', async () => {
    writeFileSync(at('reactors.db'), '');
    const examination = await examinationOf(folder);
    expect(examination.verdict).toBe('warnings');
    expectFinding(examination, 'pages', {
      severity: 'warning',
      message: /reactors\.db is empty/,
    });
    await expectAnswersAsBefore();
    expect((await examinationOf(folder)).verdict).toBe('sound');
  });
});
