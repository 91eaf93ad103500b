/** The doctor, on a sound folder and on copies of it that were each harmed in one way. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { type CommandId, type Event, encodeEvent, type StreamName } from '@counterfoil/core';
import type { Examination } from '@counterfoil/engine/doctor';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { boundByPermissions } from '../simulation/storage-faults-process.ts';
import {
  copyOf,
  makeTruth,
  newFolder,
  openHost,
  removeFolder,
  type Truth,
} from '../simulation/storage-faults-truth.ts';
import {
  type Asked,
  checkOf,
  complaintsOf,
  doctorOn,
  examinationOf,
  expectFinding,
  type Ran,
} from './doctor-findings.ts';

const DAY_MS = 86_400_000;
const TENANT_ID = 1 as never;
const bound = boundByPermissions();

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

function examined(asked: Asked = {}): Promise<Examination> {
  return examinationOf(folder, asked);
}

function change(name: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(join(folder, name));
  for (const sql of statements) {
    const { changes } = database.prepare(sql).run();
    expect(changes, sql).not.toBe(0);
  }
  database.close();
}

/** A text and its seal as the read models keep them, as two values of SQL. */
function sealed(where: string, text: string): readonly [body: string, seal: number] {
  return [`'${text}'`, crc32(`${where}\n${text}`)];
}

const CUT = ['DELETE FROM events WHERE position > 40'];
let appended = 0;

/** Appends an event as a program of one's own would: the checksum fits, the rest is as it is given. */
async function append(
  stream: string,
  { event, ...parts }: { event: Event; id?: string; time?: string; type?: string },
): Promise<void> {
  const store = await openSqliteEventStore({ path: join(folder, 'events.db') });
  appended += 1;
  const suffix = String(appended).padStart(12, '0');
  await store.append({
    stream: stream as StreamName,
    expected: { kind: 'any' },
    command: { id: `0195a000-0000-8000-8000-${suffix}` as CommandId, fingerprint: 'f' },
    events: [
      {
        id: `0195a000-0000-8000-9000-${suffix}`,
        tenantId: TENANT_ID,
        time: new Date().toISOString(),
        metadata: '{"actor":"a@example.com"}',
        ...encodeEvent(event),
        ...parts,
      },
    ],
  });
  await store.close();
}

function paymentStream(): string {
  const id = truth.questions[0]?.answer.body.id;
  return `transaction-1-${id}`;
}

const settled: Event = {
  type: 'PaymentSettled',
  sandbox: false,
  merchantAccountId: 1,
  currency: 'GBP',
  amountMinor: 1n,
  reference: 'r',
  at: '2026-01-01T00:00:00.000Z',
};

describe('a sound folder', () => {
  it('is sound in every check, and unchanged', async () => {
    const files = readdirSync(folder);
    const before = files.map((name) => readFileSync(join(folder, name)));
    const examination = await examined();
    expect(complaintsOf(examination)).toEqual([]);
    expect(examination).toMatchObject({ verdict: 'sound', hostRuns: false });
    expect(Number(examination.head)).toBe(truth.events);
    expect(examination.checks.filter(({ skipped }) => skipped !== undefined)).toEqual([]);
    expect(checkOf(examination, 'streams').looked).toContain(`${truth.events} events in`);
    expect(files.map((name) => readFileSync(join(folder, name)))).toEqual(before);
  });

  it('is examined quickly without its events', async () => {
    const examination = await examined({ quick: true });
    expect(examination.verdict).toBe('sound');
    const leftOut = examination.checks.filter(({ skipped }) => skipped !== undefined);
    expect(leftOut.map(({ check }) => check)).toEqual([
      'order',
      'streams',
      'journal',
      'read-models',
    ]);
  });

  it('is examined beside its host, while it writes', async () => {
    const { host, url } = await openHost(folder);
    onTestFinished(() => host.close());
    const at = host.commands.clock.now();
    const company = { companyId: 9, name: 'Late', at };
    await host.tenants.define(
      { type: 'DefineCompany', tenantId: TENANT_ID, ...company },
      { actor: 'operator@example.com' },
    );
    const examination = await examined();
    expect(complaintsOf(examination)).toEqual([]);
    expect(examination.hostRuns).toBe(true);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });

  it('is accessible to its owner only; wider permissions are reported', async () => {
    const { host } = await openHost(folder);
    onTestFinished(() => host.close());
    const names = readdirSync(folder).filter((each) => each.includes('.db'));
    expect(names.filter((each) => each.endsWith('-wal')).length).toBeGreaterThan(0);
    for (const name of names) {
      expect((statSync(join(folder, name)).mode & 0o077).toString(8), name).toBe('0');
    }
    chmodSync(join(folder, 'sandbox-gateway.db'), 0o644);
    const examination = await examined({ quick: true });
    expect(complaintsOf(examination)).toEqual(['files']);
    expectFinding(examination, 'files', {
      severity: 'warning',
      message: /sandbox-gateway\.db holds .* others than its owner may read it/,
    });
  });

  it('needs only its log and its keys', async () => {
    for (const name of readdirSync(folder)) {
      if (!/^(events|keys|sandbox-gateway)\.db$|^secrets/.test(name)) rmSync(join(folder, name));
    }
    const examination = await examined();
    expect(examination.verdict).toBe('warnings');
    expect(complaintsOf(examination)).toEqual(['master-key', 'read-models']);
  });
});

describe('the log', () => {
  it('with a changed event', async () => {
    change('events.db', `UPDATE events SET data = replace(data, 'GBP', 'EUR') WHERE position = 20`);
    expectFinding(await examined(), 'streams', {
      message: /position 0*20 \(\S+@\d+\) does not match its checksum/,
    });
  });

  it('with missing events, and what is read from it', async () => {
    change('events.db', 'DELETE FROM events WHERE position IN (20, 21)');
    const examination = await examined();
    expectFinding(examination, 'order', { message: /^2 positions before 0*22 are missing/ });
    expect(checkOf(examination, 'streams').findings.length).toBeGreaterThan(0);
    expect(checkOf(examination, 'read-models').skipped).toMatch(/no sound log/);
  });

  it('with a command that does not end', async () => {
    change(
      'events.db',
      `UPDATE events SET ends_command = 0
       WHERE position = (SELECT min(position) FROM events WHERE ends_command = 1 AND position > 20)`,
    );
    expectFinding(await examined(), 'streams', { message: /has no last event/ });
  });

  it('with an index that lacks an event', async () => {
    const path = join(folder, 'events.db');
    const database = new DatabaseSync(path);
    const { rootpage } = database
      .prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'events_of_stream'`)
      .get() as { rootpage: number };
    database.close();
    const bytes = readFileSync(path);
    // One entry fewer in the header of the index's page.
    const header = (rootpage - 1) * 4_096;
    bytes.writeUInt16BE(bytes.readUInt16BE(header + 3) - 1, header + 3);
    writeFileSync(path, bytes);
    const examination = await examined();
    expectFinding(examination, 'pages', { message: /events\.db is damaged: .*index/ });
  });

  it('with an event of an unknown type, of another aggregate, or under a foreign id', async () => {
    await append(paymentStream(), { event: settled, type: 'PaymentTeleported' });
    expectFinding(await examined(), 'streams', {
      message: /PaymentTeleported .* unknown event type/,
    });

    await append('company-1-77', { event: settled });
    const examination = await examined();
    expectFinding(examination, 'streams', {
      message: /is a PaymentSettled, which does not belong/,
    });
    expectFinding(examination, 'streams', {
      severity: 'warning',
      message: /does not follow from its command/,
    });
  });

  it('with an event that no payment can have had', async () => {
    await append('transaction-1-0195a000-0000-8000-8000-0000000000ff', { event: settled });
    expectFinding(await examined(), 'streams', {
      message: /cannot follow: PaymentSettled without a payment/,
    });
  });

  it('with more refunded than was captured', async () => {
    const at = new Date().toISOString();
    const refundId = '0195a000-0000-8000-8000-0000000000aa' as never;
    const event: Event = {
      type: 'NetworkRefunded',
      refundId,
      alertId: refundId,
      sandbox: false,
      merchantAccountId: 1,
      currency: 'GBP',
      amountMinor: 1_000_000n,
      arn: '',
      note: '',
      fees: [],
      at,
    };
    await append(paymentStream(), { event });
    expectFinding(await examined(), 'streams', { message: /exceed what was captured/ });
  });

  it('with a clock that went back', async () => {
    await append('company-1-78', {
      event: {
        type: 'CompanyDefined',
        companyId: 78,
        name: 'Late',
        at: '2020-01-01T00:00:00.000Z',
      },
      time: '2020-01-01T00:00:00.000Z',
    });
    const examination = await examined();
    expectFinding(examination, 'order', {
      severity: 'warning',
      message: /clock went back .* to 2020/,
    });
    expect(examination.verdict).toBe('warnings');
    expectFinding(await examined({ nowMs: 0 }), 'order', {
      severity: 'warning',
      message: /yet to come/,
    });
  });

  it('that was cut off: what has read it remembers', async () => {
    change('events.db', ...CUT);
    for (const quick of [false, true]) {
      const examination = await examined({ quick });
      expectFinding(examination, 'loss', { message: /ends at position 0*40, but \S+reactors\.db/ });
      expectFinding(examination, 'loss', {
        message: /read-models\.db-ledger-\d+ has read it up to/,
      });
    }
    await expect(openHost(folder)).rejects.toThrow(
      /ends at position 0*40, but .*counterfoil doctor/,
    );
  });

  it('that is missing, or not a database', async () => {
    writeFileSync(join(folder, 'events.db'), 'no database');
    const damaged = await examined();
    expectFinding(damaged, 'pages', { message: /not a database/ });
    expect(checkOf(damaged, 'streams').skipped).toMatch(/not a database/);
    rmSync(join(folder, 'events.db'));
    expectFinding(await examined(), 'loss', {
      message: /there is no log: .* has read a log up to/,
    });
  });

  it.each([
    ['an empty file', () => writeFileSync(join(folder, 'events.db'), '')],
    [
      'another database',
      () => copyFileSync(join(folder, 'sandbox-gateway.db'), join(folder, 'events.db')),
    ],
  ])('replaced by %s', async (_what, harm) => {
    harm();
    for (const quick of [true, false]) {
      expectFinding(await examined({ quick }), 'loss', {
        message: /not an event log.* has read a log up to/,
      });
    }
    await expect(openHost(folder)).rejects.toThrow();
  });
});

describe('files beside the log', () => {
  it('a read model that the log does not give', async () => {
    const [name = ''] = readdirSync(folder).filter((each) => /-ledger-\d+$/.test(each));
    const account = '1/live/0000000001/GBP/acquirer-receivable';
    const [body, seal] = sealed(`balances ${account}`, '["1","1"]');
    change(name, `UPDATE balances SET body = ${body}, seal = ${seal} WHERE key = '${account}'`);
    const examination = await examined();
    expect(complaintsOf(examination)).toEqual(['read-models']);
    expectFinding(examination, 'read-models', { message: /ledger differs .*balances/ });
  });

  it('a read model with a changed letter', async () => {
    const [name = ''] = readdirSync(folder).filter((each) => /-ledger-\d+$/.test(each));
    change(name, `UPDATE balances SET body = '["1","1"]' WHERE rowid = 1`);
    const examination = await examined();
    expect(complaintsOf(examination)).toEqual(['read-models']);
    expectFinding(examination, 'read-models', { message: /balances .* is not what was written/ });
  });

  it('a stream that is parked', async () => {
    const [name = ''] = readdirSync(folder).filter((each) => /-ledger-\d+$/.test(each));
    const stream = 'transaction-1-x';
    const reason = sealed(`parked ${stream}`, 'a reason');
    change(name, `INSERT INTO parked_streams VALUES ('${stream}', ${reason})`);
    expectFinding(await examined({ quick: true }), 'parked', {
      severity: 'warning',
      message: /transaction-1-x is parked in ledger/,
    });
  });

  it('an intent that is no longer retried', async () => {
    const [build = ''] = readdirSync(folder).filter((each) => /-transactions-\d+$/.test(each));
    const intent = {
      tenantId: 1,
      transactionId: 'p',
      sandbox: false,
      status: 'Unknown',
      reasons: ['payment'],
      refundIds: [],
      changedAt: '2026-01-01T00:00:00.000Z',
    };
    const kept = sealed('open_intents k', JSON.stringify(intent));
    change(build, `INSERT INTO open_intents VALUES ('k', ${kept})`);
    const beginning = Date.parse(intent.changedAt);
    const early = await examined({ quick: true, nowMs: beginning + 5 * DAY_MS });
    expect(checkOf(early, 'open-intents')).toMatchObject({ looked: '1 open', findings: [] });
    expectFinding(await examined({ quick: true, nowMs: beginning + 6 * DAY_MS }), 'open-intents', {
      severity: 'warning',
      message: /payment p of tenant 1 is Unknown since 2026-01-01/,
    });
  });

  it.each([
    'idempotency.db',
    'reactors.db',
    'mails.db',
    'webhooks.db',
    'users.db',
    'activity.db',
    'sandbox-gateway.db',
    'read-models.db',
  ])('a damaged %s', async (name) => {
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, name), bytes.fill(0, 0, 64));
    const examination = await examined();
    expectFinding(examination, 'pages', { message: /is damaged: file is not a database/ });
  });

  it('another master key, none, or one that others may read', async () => {
    const other = Buffer.alloc(32, 7).toString('base64');
    const wrong = await examined({ quick: true, env: { MASTER_KEY: other } });
    expectFinding(wrong, 'master-key', { message: /under another master key/ });
    chmodSync(join(folder, 'secrets.json'), 0o644);
    expectFinding(await examined({ quick: true }), 'files', {
      severity: 'warning',
      message: /others than its owner may read it/,
    });
    rmSync(join(folder, 'secrets.json'));
    const quick = await examined({ quick: true });
    expect(quick.verdict).toBe('unexamined');
    expectFinding(quick, 'master-key', { severity: 'unexamined', message: /is absent/ });
  });

  it('a write-ahead log of a host that was killed', async () => {
    const { host } = await openHost(folder);
    onTestFinished(() => host.close());
    const at = host.commands.clock.now();
    await host.tenants.define(
      { type: 'DefineCompany', tenantId: TENANT_ID, companyId: 9, name: 'Late', at },
      { actor: 'operator@example.com' },
    );
    const killed = newFolder();
    onTestFinished(() => removeFolder(killed));
    for (const name of readdirSync(folder).filter((each) => !each.endsWith('.sock'))) {
      copyFileSync(join(folder, name), join(killed, name));
    }
    expect(statSync(join(killed, 'events.db-wal')).size).toBeGreaterThan(0);
    folder = killed;
    const examination = await examined();
    expectFinding(examination, 'files', { severity: 'warning', message: /events\.db-wal is left/ });
    expect(Number(examination.head)).toBeGreaterThan(truth.events);
    expect(examination.verdict).toBe('warnings');
  });
});

function run(...words: readonly string[]): Promise<Ran> {
  const isProtected = (statSync(folder).mode & 0o200) === 0;
  return doctorOn(folder, words, isProtected ? bound : undefined);
}

describe('the command', () => {
  it('ends with 0 on a sound folder, 3 on warnings, 2 on damage, and says what to do', async () => {
    const sound = await run();
    expect(sound).toMatchObject({ code: 0, err: '' });
    expect(sound.out).toMatch(
      /sound +read models +reference, transactions, disputes, ledger, subscriptions, recurring, settlements, black_list, leads, customers\n/,
    );
    expect(sound.out).toMatch(/no host is running on it\.\n\nSound\.\n$/);

    chmodSync(join(folder, 'secrets.json'), 0o644);
    const warned = await run('--quick');
    expect(warned).toMatchObject({ code: 3, err: '' });
    expect(warned.out).toMatch(/What to do: chmod 600 /);
    expect(warned.out).toMatch(/Checks left out, of which nothing is known: 4\.\n$/);

    change('events.db', ...CUT);
    const result = await run('--json', '--quick');
    expect(result).toMatchObject({ code: 2, err: '' });
    const examination = JSON.parse(result.out) as Examination;
    expect(examination).toMatchObject({ verdict: 'damage', folder });
    expect(complaintsOf(examination)).toEqual(['files', 'loss']);
    expect(existsSync(join(folder, 'events.db-lock'))).toBe(true);
  });

  it.skipIf(bound === undefined)(
    'reads the log of a folder that it may not write, and calls nothing damaged',
    async () => {
      for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
      chmodSync(folder, 0o555);
      onTestFinished(() => chmodSync(folder, 0o755));
      const { code, out } = await run('--json');
      expect(code, out).toBe(3);
      const examination = JSON.parse(out) as Examination;
      expect(examination.verdict).toBe('warnings');
      expect(complaintsOf(examination)).toEqual(['files']);
      expectFinding(examination, 'files', { severity: 'warning', message: /cannot be written/ });
      expect(checkOf(examination, 'streams').looked).toContain(`${truth.events} events in`);
    },
  );

  it('ends with 1 where it has no place to rebuild in, and calls nothing damaged', async () => {
    const { code, out } = await run('--scratch', join(folder, 'nowhere'));
    expect(code, out).toBe(1);
    expect(out).toMatch(/It could not examine\n.*no read model can be made in .*nowhere: ENOENT/);
    expect(out).not.toMatch(/DAMAGE|read-models rebuild/);
  });

  it('ends with 1 where there is no folder', async () => {
    const { code, out } = await doctorOn(join(folder, 'nowhere'), []);
    expect(code, out).toBe(1);
    expect(out).toMatch(/nowhere is not a folder/);
    expect(out).not.toContain('DAMAGE');
  });

  it('ends with 1 where the master key is absent, in one sentence', async () => {
    rmSync(join(folder, 'secrets.json'));
    const { code, out } = await run('--json');
    expect(code, out).toBe(1);
    const examination = JSON.parse(out) as Examination;
    expect(examination.verdict).toBe('unexamined');
    expect(complaintsOf(examination)).toEqual(['master-key']);
    expectFinding(examination, 'master-key', {
      severity: 'unexamined',
      message: /^the master key of the data is absent, so that .* cannot be examined$/,
    });
    expect(checkOf(examination, 'streams').looked).toMatch(/of which \d+ stayed sealed$/);
    rmSync(join(folder, 'master-key.check'));
    expectFinding(await examined({ quick: true }), 'master-key', {
      severity: 'unexamined',
      message: /is absent/,
    });
  });

  it('finds damage although the master key is absent', async () => {
    rmSync(join(folder, 'secrets.json'));
    change('events.db', `UPDATE events SET data = replace(data, 'GBP', 'EUR') WHERE position = 20`);
    const { code, out } = await run();
    expect(code, out).toBe(2);
    expect(out).toContain('does not match its checksum');
    expect(out).not.toContain('restore keys.db');
  });

  it('ends with 1 where there is nothing to examine', async () => {
    const { code } = await doctorOn(folder, [], { env: { EVENT_STORE_URL: 'memory:' } });
    expect(code).toBe(1);
  });
});
