/** What activity records of the calls of a ledger in process, and of sign-ins. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TenantId } from '@counterfoil/core';
import {
  type ActivityRecord,
  openLedger,
  silentLogger,
  type TenantLedger,
} from '@counterfoil/engine';
import { ActivityStore } from '@counterfoil/engine/storage';
import { expect, it, onTestFinished } from 'vitest';
import { CARD, codeOf, order, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const PASSWORD = 'correct horse battery';
/** Passwords are slow on purpose. */
const SLOW_MS = 60_000;
const DAY_MS = 86_400_000;

type Options = Partial<Parameters<typeof openLedger>[0]>;

async function openShop(options: Options = {}) {
  const ledger = await openLedger({ storage: 'memory:', logger: silentLogger, ...options });
  onTestFinished(() => ledger.close());
  await withShop(ledger, TENANT);
  const shop = ledger.as({ tenantId: TENANT, actor: 'shop', requestId: 'r-1' });
  return { ledger, shop };
}

async function recorded({ activity }: TenantLedger): Promise<ActivityRecord[]> {
  return (await activity.list()).items.toReversed();
}

/** Action and outcome of each, the oldest first. */
async function story(shop: TenantLedger): Promise<string[]> {
  return (await recorded(shop)).map(({ action, outcome }) => `${action} ${outcome}`);
}

it('has one record for each command and each refused one, and of reads for details and customers', async () => {
  const { shop } = await openShop();
  const { id, customerId } = await shop.payments.submit(order());
  await codeOf(shop.payments.refund(id, { amount: '20.00' }));
  const back = await shop.payments.refund(id, { amount: '5.00' });
  await shop.customers.get(customerId);
  await shop.transactions.detail(back.id);
  await shop.payments.get(id);
  await shop.transactions.search();
  await shop.references.create('campaigns', { name: 'Spring' });
  const made = await shop.keys.create({});
  await shop.keys.revoke(made.id);
  expect(await recorded(shop)).toMatchObject([
    { action: 'payments.submit', subject: id, outcome: 'done', code: null },
    { action: 'payments.refund', subject: id, outcome: 'refused', code: 'RefundExceedsRemaining' },
    { action: 'payments.refund', subject: id, outcome: 'done' },
    { action: 'customers.get', subject: String(customerId), outcome: 'done' },
    { action: 'transactions.detail', subject: back.id, outcome: 'done' },
    { action: 'references.create', subject: 'campaigns/1', outcome: 'done' },
    { action: 'keys.create', subject: made.id, outcome: 'done' },
    { action: 'keys.revoke', subject: made.id, outcome: 'done' },
  ]);
  const [first] = await recorded(shop);
  expect(first).toMatchObject({
    environment: 'live',
    actor: 'shop',
    keyId: null,
    requestId: 'r-1',
    remoteAddress: null,
  });
});

it('has one record for a payment that was read with its history', async () => {
  const { ledger, shop } = await openShop();
  const { id } = await shop.payments.submit(order());
  const back = await shop.payments.refund(id, { amount: '5.00' });
  const test = ledger.as({ tenantId: TENANT, actor: 'shop', environment: 'test' });
  expect(await test.transactions.story(id)).toBeUndefined();
  const before = (await recorded(shop)).length;
  const whole = await shop.transactions.story(back.id.toUpperCase());
  expect(whole?.detail).toEqual(await shop.transactions.detail(id));
  expect(whole?.history).toEqual(await shop.transactions.history(id));
  expect(whole?.entries).toEqual(await shop.books.entries(id));
  expect(whole?.entries).toHaveLength(2);
  expect(whole?.history.map(({ event }) => event.type)).toEqual([
    'PaymentSubmitted',
    'AttemptStarted',
    'PaymentCaptured',
    'RefundRequested',
    'Refunded',
  ]);
  expect(await shop.transactions.story('0192f000-0000-7000-8000-000000000001')).toBeUndefined();
  expect((await recorded(shop)).slice(before).map(({ action }) => action)).toEqual([
    'transactions.story',
    'transactions.detail',
    'transactions.history',
    'transactions.story',
  ]);
});

it('keeps nothing of an argument that does not fit', async () => {
  const { shop } = await openShop();
  await codeOf(shop.payments.refund(CARD.number));
  await codeOf(shop.payments.submit(order({ email: CARD.number })));
  await shop.transactions.detail('ann@shop.example');
  expect(await recorded(shop)).toMatchObject([
    { action: 'payments.refund', subject: null, outcome: 'refused', code: 'InputInvalid' },
    { action: 'payments.submit', subject: null, outcome: 'refused', code: 'InputInvalid' },
    { action: 'transactions.detail', subject: null, outcome: 'done' },
  ]);
});

it('is read in pages and exported, the export itself recorded; tenants and environments apart', async () => {
  const { ledger, shop } = await openShop();
  for (const name of ['a', 'b', 'c']) await shop.references.create('campaigns', { name });
  const first = await shop.activity.list({ limit: 2 });
  expect(first.items).toHaveLength(2);
  const rest = await shop.activity.list({ limit: 2, ...(first.next && { after: first.next }) });
  expect([...first.items, ...rest.items].map(({ subject }) => subject)).toEqual([
    'campaigns/3',
    'campaigns/2',
    'campaigns/1',
  ]);
  expect(rest.next).toBeUndefined();
  const subjects = [];
  for await (const page of await shop.activity.export({ action: 'references.create' })) {
    subjects.push(...page.map(({ subject }) => subject));
  }
  expect(subjects).toEqual(['campaigns/3', 'campaigns/2', 'campaigns/1']);
  expect((await story(shop)).at(-1)).toBe('activity.export done');

  const other = ledger.as({ tenantId: 8, actor: 'other' });
  const test = ledger.as({ tenantId: TENANT, actor: 'test', environment: 'test' });
  for (const each of [other, test]) expect(await recorded(each)).toEqual([]);
  expect(await codeOf(test.activity.list({ environment: 'live' }))).toBe('LiveDataForbidden');
  expect(await codeOf(shop.activity.list({ dateFrom: '2026-02-02', dateTo: '2026-02-01' }))).toBe(
    'InputInvalid',
  );
});

it('has sign-ins, failed ones too, and names nobody who is not a user', {
  timeout: SLOW_MS,
}, async () => {
  const { ledger, shop } = await openShop();
  const email = 'ada@example.com';
  const { id, token } = await shop.users.invite({ email, name: 'Ada', roleIds: ['owner'] });
  const whose = await ledger.signIns.setPassword(token ?? '', PASSWORD);
  const from = { address: '10.0.0.1', agent: 'browser' };
  const signIn = (who: string, password: string) =>
    codeOf(ledger.signIns.signIn({ tenantId: TENANT, email: who, password, ...from }));
  await signIn(email, 'wrong');
  await signIn('nobody@example.com', PASSWORD);
  await signIn(email, PASSWORD);
  await ledger.signIns.signOut(whose);
  expect(await recorded(shop)).toMatchObject([
    { action: 'users.invite', subject: id, actor: 'shop' },
    { action: 'signIns.setPassword', subject: id, actor: email },
    { action: 'signIns.signIn', subject: id, actor: email, code: 'SignInRefused' },
    { action: 'signIns.signIn', subject: null, actor: 'unknown', code: 'SignInRefused' },
    { action: 'signIns.signIn', subject: id, outcome: 'done', remoteAddress: '10.0.0.1' },
    { action: 'signIns.signOut', subject: id, outcome: 'done' },
  ]);
  expect(JSON.stringify(await recorded(shop))).not.toContain(PASSWORD);
});

it('answers while it cannot be written, says so, and writes it with the next record', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-activity-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const errors: string[] = [];
  const logger = { ...silentLogger, error: (_: object, text: string) => void errors.push(text) };
  const { ledger, shop } = await openShop({ storage: folder, logger });
  const gauges = new Map<string, () => unknown>();
  ledger.registerMetrics({
    gauge: (name, _, read) => gauges.set(name, read),
    counter: (name, _, read) => gauges.set(name, read),
    gauges: () => undefined,
  });
  const path = join(folder, 'activity.db');
  const other = new DatabaseSync(path);
  other.exec('ALTER TABLE activity RENAME TO away');
  other.close();
  const { id } = await shop.payments.submit(order());
  await shop.payments.refund(id, { amount: '5.00' });
  // Work by the clock may fail meanwhile, and says so in words of its own.
  expect(errors.filter((text) => text.startsWith('activity'))).toEqual([
    'activity cannot be written for now',
  ]);
  expect(gauges.get('activity_unwritten_records')?.()).toBe(2);
  new ActivityStore(path).close();
  await shop.payments.refund(id, { amount: '6.00' });
  const refund = 'payments.refund done';
  expect(await story(shop)).toEqual(['payments.submit done', refund, refund]);
  expect(gauges.get('activity_unwritten_records')?.()).toBe(0);
  expect(gauges.get('activity_lost_total')?.()).toBe(0);
});

it('is removed after its days', async () => {
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(nowMs).toISOString() };
  const { ledger, shop } = await openShop({ clock, activityDays: 10 });
  await shop.references.create('campaigns', { name: 'a' });
  nowMs += 6 * DAY_MS;
  await shop.references.create('campaigns', { name: 'b' });
  await ledger.runDue();
  expect(await recorded(shop)).toHaveLength(2);
  nowMs += 6 * DAY_MS;
  await ledger.runDue();
  expect((await recorded(shop)).map(({ subject }) => subject)).toEqual(['campaigns/2']);
});
