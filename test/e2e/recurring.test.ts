/** The report of recurring revenue and churn over HTTP: range, figures and access. */
import { type TransactionId, toMajor } from '@counterfoil/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryOf } from './api.ts';
import {
  CALLER,
  type Caller,
  callerWith,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';
import { CLUB, happensTo, startedBy } from './subscribers.ts';

const TENANT = 51;
const OTHER = 52;
const TRY = '0195a000-0000-7000-8000-0000000000e1' as TransactionId;

let now = Date.parse('2026-01-31T23:59:59.999Z');
let running: Running;
let caller: Caller;
let stranger: Caller;
let tester: Caller;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
  caller = await openTenant(running, TENANT);
  stranger = await openTenant(running, OTHER);
  tester = await callerWith(running, TENANT, { environment: 'test' });
  // Only the history is billed.
  await running.host.timed.stop();
  await history();
});
afterAll(async () => running.close());

const on = (instant: string) => {
  now = Date.parse(instant);
};

function happens(subscriptionId: number, act: Parameters<typeof happensTo>[2]): Promise<void> {
  return happensTo(running, { tenantId: TENANT, subscriptionId }, act);
}

async function subscribed(email: string, currency = 'GBP', by = caller): Promise<number> {
  const payment = await by.paid({ email, currency, subscription: { ...CLUB, rebillAmount: 20 } });
  return startedBy(payment)[0] ?? 0;
}

/** Two join in pounds and one in yen; one renews, one freezes and leaves frozen. */
async function history(): Promise<void> {
  const ada = await subscribed('ada@example.com');
  on('2026-02-01T00:00:00.000Z');
  const ben = await subscribed('ben@example.com');
  await subscribed('cleo@example.com', 'JPY');
  await subscribed('dora@example.com', 'GBP', tester);
  on('2026-03-02T23:59:59.999Z');
  const tried = { cycle: 2, attempt: 1, transactionId: TRY };
  await happens(ada, { type: 'BeginRebill', ...tried });
  await happens(ada, { type: 'RecordRenewal', ...tried, amountMinor: 2_000n });
  await happens(ben, { type: 'Freeze', note: '' });
  on('2026-05-15T12:00:00.000Z');
  const asked = { requestedBy: CALLER.actor, notifyCustomer: false } as const;
  await happens(ben, { type: 'Unsubscribe', reason: 'customer-service', ...asked });
}

async function report(query = '', by = caller): Promise<Json> {
  const { status, text, body } = await by.get('/api/ledger/recurring', { query: queryOf(query) });
  expect(status, text).toBe(200);
  return body;
}

const QUIET = { joined: 0, renewed: 0, revenue: 0, frozen: 0, unfrozen: 0, left: 0 };

describe('the report', () => {
  it('shows every month of the range, and carries active subscriptions forward', async () => {
    const body = await report('from=2026-01&to=2026-06&currency=GBP');
    expect(body).toMatchObject({ success: true, from: '2026-01', to: '2026-06' });
    const [{ currency, months, totals }, ...others] = body.currencies;
    expect([currency, others]).toEqual(['GBP', []]);
    const stock = (activeAtStart: number, activeAtEnd: number, frozenAtEnd: number) => ({
      activeAtStart,
      activeAtEnd,
      frozenAtEnd,
      // 20.00 for 30 days.
      mrrAtEnd: toMajor(2_029n * BigInt(activeAtEnd - frozenAtEnd), 'GBP'),
      churnRate: activeAtStart === 0 ? null : 0,
    });
    expect(months).toEqual([
      { month: '2026-01', ...QUIET, joined: 1, ...stock(0, 1, 0) },
      { month: '2026-02', ...QUIET, joined: 1, ...stock(1, 2, 0) },
      { month: '2026-03', ...QUIET, renewed: 1, revenue: 20, frozen: 1, ...stock(2, 2, 1) },
      { month: '2026-04', ...QUIET, ...stock(2, 2, 1) },
      { month: '2026-05', ...QUIET, left: 1, ...stock(2, 1, 0), churnRate: 0.5 },
      { month: '2026-06', ...QUIET, ...stock(1, 1, 0) },
    ]);
    expect(totals).toEqual({
      ...QUIET,
      joined: 2,
      renewed: 1,
      revenue: 20,
      frozen: 1,
      left: 1,
      ...stock(0, 1, 0),
    });
  });

  it('is of the last twelve months of the host’s clock unless asked otherwise', async () => {
    on('2026-05-15T12:00:00.000Z');
    const { from, to, currencies } = await report();
    expect([from, to]).toEqual(['2025-06', '2026-05']);
    const names = currencies.map(({ currency }: Json) => currency);
    expect(names).toEqual(['GBP', 'JPY']);
    for (const { months } of currencies) expect(months).toHaveLength(12);
    expect(await report('to=2026-02')).toMatchObject({ from: '2025-03', to: '2026-02' });
    expect(await report('from=2026-04')).toMatchObject({ from: '2026-04', to: '2026-05' });
  });

  it('keeps the sandbox, and other tenants, out of it', async () => {
    const joined = ({ currencies }: Json) =>
      currencies.map(({ currency, totals }: Json) => [currency, totals.joined]);
    expect(joined(await report('sandbox=true'))).toEqual([['GBP', 1]]);
    expect(joined(await report('', tester))).toEqual([['GBP', 1]]);
    expect(joined(await report('', stranger))).toEqual([]);
    expect(joined(await report('currency=EUR'))).toEqual([]);
    expect(joined(await report('currency=AAA'))).toEqual([]);
    const live = await tester.get('/api/ledger/recurring', { query: { sandbox: false } });
    expectRefusal(live, 403, 'live_data_forbidden');
    const limited = await callerWith(running, TENANT, { scopes: ['subscriptions:read'] });
    expectRefusal(await limited.get('/api/ledger/recurring'), 403, 'insufficient_scope');
  });

  it('may span at most 120 months', async () => {
    const { currencies } = await report('from=2020-01&to=2029-12');
    expect(currencies[0].months).toHaveLength(120);
    const answer = await caller.get('/api/ledger/recurring', {
      query: { from: '2020-01', to: '2030-01' },
    });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors).toEqual([
      { in: 'query', pointer: '/query/from', detail: expect.stringContaining('121') },
    ]);
  });

  it.each([
    'from=2026-02&to=2026-01',
    'from=2026-13',
    'from=2026-00',
    'to=2026',
    'to=2026-1',
    'from=2026-01-01',
    'from=1899-12',
    'to=9999-01',
    'currency=gbp',
    'sandbox=perhaps',
    'from=2026-01&from=2026-02',
    // Before the present month there is no range that begins then.
    'from=2026-06',
  ])('is refused with %s', async (query) => {
    on('2026-05-15T12:00:00.000Z');
    const answer = await caller.get('/api/ledger/recurring', { query: queryOf(query) });
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors?.[0]?.pointer).toMatch(/^\/query\/(from|to|currency|sandbox)$/);
  });
});
