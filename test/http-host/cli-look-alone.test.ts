/** Commands that look at the folder of a stopped host: they move no money, send nothing and make nothing. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { describe, expect, it, vi } from 'vitest';
import { CARDS, type Json } from '../e2e/running-host.ts';
import { CLUB } from '../e2e/subscribers.ts';
import { Folder, issuedIn, type Started, USER_EMAIL } from './command-folder.ts';

const ACME = join(import.meta.dirname, '../../docs/acme.json');
const DAY_MS = 86_400_000;
/** A host that leaves all work that is due to the next one. */
const IDLE_HOST = { TEST_CLOCK: '1', DUE_WORK_INTERVAL_MS: '3600000' };
/** A command in which everything due would begin at once. */
const EAGER = { TEST_CLOCK: '1', DUE_WORK_INTERVAL_MS: '1' };

vi.setConfig({ testTimeout: 60_000 });

interface Shop {
  readonly folder: Folder;
  readonly paymentId: string;
  readonly keyId: string;
}

/** Stopped, past the due date of a subscription, with a payment whose outcome is to be asked for. */
async function stoppedShop(): Promise<Shop> {
  const folder = new Folder();
  const started = await folder.start(IDLE_HOST);
  await folder.done('tenants', 'onboard', '1', 'Acme');
  await folder.done('define', '1', ACME);
  const { id: keyId, key } = issuedIn(await folder.done('keys', 'create', '1'));
  const paid = await pay(started, key, { number: CARDS.approve, subscription: CLUB });
  const open = await pay(started, key, { number: CARDS.timeoutApprove });
  expect([paid.status, open.status]).toEqual([201, 202]);
  await started.stop();
  const nowMs = Date.now() + 40 * DAY_MS;
  const clock = { aheadMs: 40 * DAY_MS, reachedMs: nowMs };
  writeFileSync(join(folder.path, 'test-clock.json'), JSON.stringify(clock));
  return { folder, paymentId: paid.id, keyId };
}

async function pay(
  { url }: Started,
  key: string,
  { number, ...more }: { readonly number: string; readonly subscription?: Json },
): Promise<{ readonly status: number; readonly id: string }> {
  const answer = await fetch(`${url}/v1/payments`, {
    method: 'POST',
    headers: {
      Authorization: key,
      ClientId: '1',
      UserEmail: USER_EMAIL,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({
      amount: 12.34,
      currency: 'GBP',
      companyId: 1,
      email: 'ada@example.com',
      card: { number, expMonth: 12, expYear: 2040, cvv: '123' },
      ...more,
    }),
  });
  const { id } = (await answer.json()) as { id: string };
  return { status: answer.status, id };
}

/** The types of all events. */
async function logOf(folder: Folder): Promise<readonly string[]> {
  const events = await openSqliteEventStore({ path: join(folder.path, 'events.db'), follow: true });
  try {
    const types: string[] = [];
    for await (const batch of events.subscribe({ untilHead: true })) {
      types.push(...batch.map(({ type }) => type));
    }
    return types;
  } finally {
    await events.close();
  }
}

describe('beside no host', () => {
  it('a command that looks appends nothing, and one that writes what it was asked for', async () => {
    const { folder, paymentId, keyId } = await stoppedShop();
    const before = await logOf(folder);
    for (const words of [
      ['search', '1'],
      ['show', '1', paymentId],
      ['keys', 'list', '1'],
      ['tenants', 'list'],
      ['clock', 'show'],
    ]) {
      await folder.done(...words, EAGER);
      expect(await logOf(folder), words.join(' ')).toEqual(before);
    }
    await folder.done('keys', 'revoke', '1', keyId, EAGER);
    expect(await logOf(folder)).toEqual([...before, 'KeyRevoked']);
    // The host does what was left to it.
    await folder.start(EAGER);
    await expect.poll(() => logOf(folder)).toContain('SubscriptionRenewed');
  });
});

describe('on a folder without a ledger', () => {
  it.each([
    'search 7',
    'show 7 12',
    'keys list 7',
    'keys create 7',
    'tenants list',
    'clock show',
    'clock advance 12h',
    'clock set 2031-01-31T12:00:00Z',
    'tail --no-follow',
    'read-models parked list',
    'customers erase-unreadable',
  ])('%s is refused, and makes nothing', async (command) => {
    const folder = new Folder();
    const path = join(folder.path, 'mistyped');
    const refused = await folder.refused(...command.split(' '), {
      DATA_DIR: path,
      TEST_CLOCK: '1',
    });
    expect(refused).toBe(`there is no log: ${join(path, 'events.db')} does not exist\n`);
    expect(existsSync(path)).toBe(false);
  });
});
