/** What happened to a payment, over HTTP: its events and its journal entries, for its own tenant alone. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Caller, openTenant, type Running, startHost } from './running-host.ts';

let running: Running;
let caller: Caller;
let other: Caller;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, 63);
  other = await openTenant(running, 64);
});
afterAll(() => running.close());

it('lists the events of a payment and its refund, oldest first, with who caused them', async () => {
  const { id } = await caller.paid();
  await caller.refund(id, { amount: 5 });
  const events = (by: Caller) => by.get('/api/transactions/{id}/events', { path: { id } });
  const { body } = await events(caller);
  expect(body).toMatchObject({ count: 5, moreResults: false });
  expect(body.items.map(({ type }) => type)).toEqual([
    'PaymentSubmitted',
    'AttemptStarted',
    'PaymentCaptured',
    'RefundRequested',
    'Refunded',
  ]);
  const [submitted, attempt, captured, , refunded] = body.items;
  expect(submitted).toMatchObject({ revision: 0, transactionId: id, code: null });
  expect(attempt?.merchantAccountId).toBeGreaterThan(0);
  expect(captured?.authCode).not.toBeNull();
  expect(captured?.actor).toMatch(/@/);
  expect(captured?.keyId).not.toBeNull();
  expect(refunded).toMatchObject({ amount: 5, currency: captured?.currency });
  expect(refunded?.transactionId).not.toBe(id);
  expect((await events(other)).body.code).toBe('not_found');
});

it('lists what a payment posted, and each entry balances', async () => {
  const { id } = await caller.paid();
  await caller.refund(id, { amount: 5 });
  const entries = (by: Caller) => by.get('/api/transactions/{id}/entries', { path: { id } });
  const { body } = await entries(caller);
  const descriptions = body.items.map(({ description }) => description);
  expect(descriptions).toEqual(expect.arrayContaining(['PaymentCaptured', 'Refunded']));
  for (const { lines } of body.items) {
    const cents = (side: 'debit' | 'credit') =>
      lines.reduce((sum, line) => sum + Math.round(line[side] * 100), 0);
    expect(cents('debit')).toBe(cents('credit'));
    expect(cents('debit')).toBeGreaterThan(0);
  }
  expect((await entries(other)).body.code).toBe('not_found');
});

it.each(['events', 'entries'] as const)('refuses %s of what is no payment', async (what) => {
  const of = (id: string) => caller.get(`/api/transactions/{id}/${what}`, { path: { id } });
  const { status, body } = await of('none');
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect((await of('01890000-0000-7000-8000-000000000000')).body.code).toBe('not_found');
});
