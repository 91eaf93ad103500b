/** Commands that look at a ledger: tail, search and show, beside a host and without one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';
import { Folder, type Issued, issuedIn, type Started, USER_EMAIL } from './command-folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
const ACME = join(ROOT, 'docs/acme.json');
const EMAIL = 'ada@example.com';
const ORDER = 4711;

vi.setConfig({ testTimeout: 60_000 });

let folder: Folder;
let started: Started;
let key: Issued;
let paymentId: string;

beforeEach(async () => {
  folder = new Folder();
  started = await folder.start();
  await folder.done('tenants', 'onboard', '1', 'Acme');
  await folder.done('define', '1', ACME);
  key = issuedIn(await folder.done('keys', 'create', '1'));
  paymentId = (await pay()).id;
});

async function send(path: string, body: object): Promise<{ id: string }> {
  const answer = await fetch(started.url + path, {
    method: 'POST',
    headers: {
      Authorization: key.key,
      ClientId: '1',
      UserEmail: USER_EMAIL,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as { id: string };
}

function pay(): Promise<{ id: string }> {
  return send('/v1/payments', {
    amount: 12.34,
    currency: 'GBP',
    companyId: 1,
    orderId: ORDER,
    email: EMAIL,
    card: { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' },
  });
}

function refund(): Promise<{ id: string }> {
  return send(`/v1/payments/${paymentId}/refund`, { amount: 2 });
}

describe('search', () => {
  it('finds by the filters of the interface, beside the host, at its address and without it', async () => {
    const { id } = await refund();
    const query = ['search', '1', '--order-ids', `1,${ORDER}`, '--emails', EMAIL];
    const idsIn = ({ transactions }: { transactions: { transactionId: string }[] }) =>
      transactions.map(({ transactionId }) => transactionId);
    expect(idsIn(await folder.json(...query))).toEqual([id, paymentId]);
    const address = ['--url', started.url, '--user', USER_EMAIL];
    const remote = await folder.json(...query, ...address, { COUNTERFOIL_KEY: key.key });
    expect(idsIn(remote)).toEqual([id, paymentId]);
    expect(await folder.done('search', '1', '--amounts', '12.34', '--last4', '4242')).toContain(
      EMAIL,
    );
    await started.stop();
    expect(idsIn(await folder.json(...query, '--limit', '1'))).toEqual([id]);
    expect(idsIn(await folder.json(...query, '--sandbox'))).toEqual([]);
  });

  it('refuses what the interface refuses', async () => {
    expect(await folder.refused('search', '1', '--bin', '12')).toMatch(/6 digits/);
    expect(await folder.refused('search', '1', '--order-ids', 'x')).toMatch(/must be numbers/);
    expect(await folder.refused('search', '9')).toMatch(/no tenant 9/);
  });
});

describe('show', () => {
  it('shows the record and the events of a payment, by the id of it, of its refund and of its order', async () => {
    const { id } = await refund();
    for (const asked of [paymentId, id, String(ORDER)]) {
      const { items } = await folder.json('show', '1', asked);
      expect(items).toMatchObject([{ payment: { id: paymentId, refundedAmount: 2 } }]);
      const types = items[0].events.map(({ type }: { type: string }) => type);
      expect(types.at(0)).toBe('PaymentSubmitted');
      expect(types.at(-1)).toBe('Refunded');
    }
    const out = await folder.done('show', '1', paymentId);
    expect(out).toMatch(/Captured {2}12\.34 GBP/);
    expect(out).toMatch(/RefundRequested .*amount=2\.00 GBP .*agent@example\.com/);
  });

  it('says that there is none', async () => {
    expect(await folder.refused('show', '1', '12')).toMatch(/no such payment/);
    expect(await folder.refused('show', '1', 'x')).toMatch(/must be the id/);
  });
});

describe('tail', () => {
  function typesIn(out: string): readonly string[] {
    return out
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).type);
  }

  it('filters by tenant, type, stream and position', async () => {
    await folder.done('tenants', 'onboard', '2', 'Second');
    const tail = (...words: string[]) => folder.done('tail', '--no-follow', '--json', ...words);
    const all = typesIn(await tail('--from', 'start'));
    expect(all.at(-1)).toBe('TenantOnboarded');
    expect(typesIn(await tail('--from', 'start', '--tenant', '2'))).toEqual(['TenantOnboarded']);
    const ofPayment = await tail('--from', 'start', '--stream', paymentId);
    expect(typesIn(ofPayment)).toEqual(['PaymentSubmitted', 'AttemptStarted', 'PaymentCaptured']);
    const captured = await tail('--from', 'start', '--type', 'PaymentCaptured,Refunded');
    const { position } = JSON.parse(captured);
    expect(typesIn(await tail('--from', position)).length).toBeLessThan(all.length);
    expect(typesIn(await tail())).toEqual([]);
    expect(await folder.refused('tail', '--from', 'x', '--no-follow')).toMatch(/position/);
    const none = ['tail', '--from', 'start', '--no-follow', '--type'];
    expect(await folder.refused(...none, 'Refunded,PaymentCapturd')).toMatch(
      /'--type <types>'.*PaymentCapturd is not known; did you mean PaymentCaptured\?/,
    );
    expect(await folder.refused(...none, '')).toMatch(/must be types of events/);
    expect(await folder.refused('tail', { EVENT_STORE_URL: 'memory:' })).toMatch(/in the memory/);
  });

  it('shows no personal data', async () => {
    for (const form of [[], ['--json']]) {
      const out = await folder.done('tail', '--from', 'start', '--no-follow', ...form);
      expect(out).toContain('PaymentSubmitted');
      expect(out).not.toContain(EMAIL);
    }
  });

  it('follows the log until it is interrupted', async () => {
    const child = spawn(process.execPath, [CLI, 'tail', '--from', 'start', '--json'], {
      env: { ...CHILD_ENV, ...folder.env },
    });
    const seen: string[] = [];
    createInterface(child.stdout).on('line', (line) => seen.push(JSON.parse(line).type));
    await vi.waitUntil(() => seen.includes('PaymentCaptured'), { timeout: 20_000 });
    await refund();
    await vi.waitUntil(() => seen.includes('Refunded'), { timeout: 20_000 });
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
