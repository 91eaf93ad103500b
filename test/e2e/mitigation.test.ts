/** POST /api/mitigation/transactions and /search over HTTP, as the contract states them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from './api.ts';
import {
  type Caller,
  callerWith,
  expectRefusal,
  type Json,
  openAccount,
  openTenant,
  PRODUCT,
  type Running,
  startHost,
} from './running-host.ts';

const REDUCED =
  `gateway transactionId orderId sent email sandbox applicationId status statusId success completed
  currency amount mid descriptor customerId authCode gatewayTransactionId firstName lastName bin last4
  refunded refundable hasAlert chargedBack originalTransactionId`
    .split(/\s+/)
    .sort();
const MORE = `arn alertType alertSource refundedAmount refundDate chargebackDate chargebackStatus
  subscriptionActive`.split(/\s+/);

let now = Date.parse('2026-03-09T12:00:00.000Z');
let running: Running;
let caller: Caller;
let ada: Json;
let grace: Json;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
  caller = await openTenant(running, 12);
  await openAccount(running, 12, 122, { descriptor: 'Teapots & Co', mid: '900122' });
  await running.host.readSide.caughtUp(12);
  const customer = { firstName: 'Ada', lastName: 'Lovelace' };
  ada = await caller.paid({ email: 'ada@example.com', amount: 42.5, customer, productId: PRODUCT });
  now = Date.parse('2026-03-10T12:00:00.000Z');
  grace = await caller.paid({
    email: 'grace@example.com',
    amount: 42.5,
    merchantAccountId: 122,
    customer: { firstName: 'Grace', lastName: 'Hopper' },
  });
  now = Date.parse('2026-03-20T12:00:00.000Z');
  await caller.refund(ada.id, { amount: 2.5 });
});
afterAll(() => running.close());

const transactions = (body: Json) => caller.post('/api/mitigation/transactions', { body });
const search = (body: Json) => caller.post('/api/mitigation/search', { body });
const idsOf = ({ body }: { body: Json }) =>
  body.transactions.map(({ transactionId }: Json) => transactionId);

describe('POST /api/mitigation/transactions', () => {
  it('answers the reduced record alone', async () => {
    const { status, body } = await transactions({ emails: ['grace@example.com'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ count: 1, pageNumber: 1, moreResults: false });
    expect(Object.keys(present(body.transactions[0])).sort()).toEqual(REDUCED);
  });

  it('finds by the day of the last change with includeUpdated', async () => {
    const day = { dateFrom: '2026-03-20', dateTo: '2026-03-20' };
    expect(await transactions(day)).toMatchObject({ body: { count: 1 } });
    const found = await transactions({ ...day, includeUpdated: true });
    expect(idsOf(found).at(-1)).toBe(ada.id);
  });

  it('knows no affiliateIds', async () => {
    expectRefusal(await transactions({ affiliateIds: [1] }), 400, 'invalid_request');
  });

  it('shows a test key the sandbox alone', async () => {
    const tester = await callerWith(running, 12, { environment: 'test' });
    const asked = await tester.post('/api/mitigation/transactions', { body: { sandbox: false } });
    expectRefusal(asked, 403, 'live_data_forbidden');
  });
});

describe('POST /api/mitigation/search', () => {
  it('answers the reduced record and what became of the payment', async () => {
    const { status, body } = await search({ email: 'GRACE@example.com' });
    expect(status).toBe(200);
    expect(Object.keys(present(body.transactions[0])).sort()).toEqual([...REDUCED, ...MORE].sort());
  });

  const record = async (id: string) => {
    const { body } = await caller.search({ transactionIds: [id] });
    return body.transactions[0];
  };

  it.each([
    ['email', async () => ({ email: 'grace@example.com' })],
    ['orderId', async () => ({ orderId: (await record(grace.id))?.orderId })],
    ['authCode', async () => ({ authCode: (await record(grace.id))?.authCode })],
    ['arn', async () => ({ arn: (await arnOf(grace.id)).arn })],
    ['bin and last4', async () => ({ bin: '424242', last4: '4242', firstName: 'GRACE' })],
    ['mid and amount', async () => ({ mid: '900122', amount: 42.5 })],
    [
      'amount and dates',
      async () => ({ amount: 42.5, dateFrom: '2026-03-10', dateTo: '2026-03-10' }),
    ],
  ])('finds by %s', async (_, filterOf) => {
    expect(idsOf(await search(await filterOf()))).toEqual([grace.id]);
  });

  async function arnOf(id: string): Promise<Json> {
    const { body } = await search({ email: 'grace@example.com' });
    return body.transactions.find(({ transactionId }: Json) => transactionId === id);
  }

  it.each([
    ['firstName', { firstName: 'grace' }],
    ['lastName', { lastName: 'HOPPER' }],
    ['descriptorExactMatch', { descriptorExactMatch: 'teapots & co' }],
    ['descriptorContains', { descriptorContains: 'POTS' }],
    ['mid', { mid: '900122' }],
    ['dateFrom', { dateFrom: '2026-03-10' }],
  ])('narrows by %s', async (_, filter) => {
    const card = { bin: '424242', last4: '4242', amount: 42.5, currencyCode: 'GBP' };
    expect(idsOf(await search({ ...card, ...filter }))).toEqual([grace.id]);
    expect(idsOf(await search(card))).toEqual([grace.id, ada.id]);
  });

  it.each([
    ['descriptorExactMatch', { descriptorExactMatch: 'Teapots' }],
    ['currencyCode', { currencyCode: 'USD' }],
  ])('%s excludes the rest', async (_, filter) => {
    expect(idsOf(await search({ email: 'grace@example.com', ...filter }))).toEqual([]);
  });

  it.each([
    {},
    { firstName: 'Ada', lastName: 'Lovelace' },
    { bin: '424242' },
    { mid: '900122' },
    { amount: 42.5, dateFrom: '2026-03-10' },
    { email: '' },
  ])('refuses %o as too broad', async (filter) => {
    const code = 'email' in filter ? 'invalid_request' : 'search_too_broad';
    expectRefusal(await search(filter), 400, code);
  });

  it('needs the scope', async () => {
    const other = await callerWith(running, 12, { scopes: ['transactions:read'] });
    const asked = await other.post('/api/mitigation/search', {
      body: { email: 'ada@example.com' },
    });
    expectRefusal(asked, 403, 'insufficient_scope');
  });
});
