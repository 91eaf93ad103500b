/** The books over HTTP: what each event posts, and that they balance after everything. */
import type { TenantId } from '@counterfoil/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CARDS,
  type Caller,
  callerWith,
  card,
  eventually,
  expectRefusal,
  type Json,
  openAccount,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

const FEES = {
  discountRatePercentage: 1.4,
  gatewayTransactionFee: 0.05,
  bankAuthFee: 0.1,
  bankDeclineFee: 0.2,
  chargebackFee: 15,
  alertProviderFee: 5,
};

let running: Running;

/** One for each test. */
let tenantId = 10;

beforeAll(async () => {
  running = await startHost({ env: { GATEWAY_TIMEOUT_MS: '2000' } });
});
beforeEach(() => {
  tenantId += 1;
});
afterAll(async () => running.close());

/** A tenant that has sold 9 pounds and 11 dollars on its first merchant account, 7 pounds on its second. */
async function soldOnTwoAccounts() {
  const caller = await newTenant();
  const [first, second] = [tenantId * 10 + 1, tenantId * 10 + 2];
  await openAccount(running, tenantId, second);
  await running.host.readSide.caughtUp(tenantId as TenantId);
  await caller.paid({ merchantAccountId: second, amount: 7 });
  await caller.paid({ merchantAccountId: first, amount: 9 });
  await caller.paid({ currency: 'USD', merchantAccountId: first, amount: 11 });
  return { caller, first, second };
}

const newTenant = (options?: Parameters<typeof openTenant>[2]) =>
  openTenant(running, tenantId, options);

/** All accounts but the receivable, and the receivable as their difference. */
function expectReceivableToBalance(balances: Record<string, number>): void {
  const sum = Object.values(balances).reduce(
    (all, balance) => all + Math.round(balance * 1_000),
    0,
  );
  expect(sum).toBe(0);
}

describe('postings without fees', () => {
  it('a refund: debit refunds, credit acquirer receivable', async () => {
    const caller = await newTenant();
    const { id } = await caller.paid();
    await caller.refund(id, { amount: 30.01 });
    expect(await caller.balances()).toEqual({
      'acquirer-receivable': 69.99,
      refunds: 30.01,
      sales: -100,
    });
  });
});

describe('fees', () => {
  it('of an approved payment are debited to accounts of their own', async () => {
    const other = await newTenant({ account: FEES });
    await other.paid({ amount: 100 });
    const { sales, 'acquirer-receivable': receivable, ...fees } = await other.balances();
    expect(sales).toBe(-100);
    expect(Object.values(fees).toSorted()).toEqual([0.05, 0.1, 1.4]);
    expect(receivable).toBe(98.45);
  });

  it('of a decline are debited without a sale', async () => {
    const other = await newTenant({ account: FEES });
    await other.pay({ card: card(CARDS.stolen) });
    const { sales = 0, 'acquirer-receivable': receivable, ...fees } = await other.balances();
    expect(sales).toBe(0);
    expect(Object.values(fees)).toContain(0.2);
    expect(receivable).toBeLessThan(0);
  });

  it('of a chargeback and of an alert', async () => {
    const other = await newTenant({
      account: { chargebackFee: 15, alertProviderFee: 5 },
    });
    const charged = await other.paid({ card: card(CARDS.chargeback) });
    const alerted = await other.paid({ card: card(CARDS.alert) });
    await eventually(
      () => Promise.all([other.transaction(charged.id), other.transaction(alerted.id)]),
      ([one, two]) => one.chargedBack && two.hasAlert,
    );
    const balances = await other.balances();
    expect(balances).toMatchObject({ chargebacks: 100, sales: -200, 'acquirer-receivable': 80 });
    expect(Object.values(balances)).toEqual(expect.arrayContaining([15, 5]));
    expectReceivableToBalance(balances);
  });

  it('of the address check are debited when an address was checked', async () => {
    const other = await newTenant({ account: { bankAVSFee: 0.03 } });
    await other.paid({
      addresses: [
        { addressType: 'DEFAULT', address: '1 Mill Lane', city: 'Leeds', countryCode: 'GB' },
      ],
    });
    const balances = await other.balances();
    expect(Object.values(balances)).toContain(0.03);
    expect(balances['acquirer-receivable']).toBe(99.97);
  });

  it.each([
    [0.5, 0],
    [1.5, 0.02],
    [2.5, 0.02],
    [3.5, 0.04],
  ])('in per cent round half to even: 1%% of %d is %d', async (amount, fee) => {
    const other = await newTenant({ account: { discountRatePercentage: 1 } });
    await other.paid({ amount });
    const { sales, 'acquirer-receivable': receivable } = await other.balances();
    expect(sales).toBe(-amount);
    expect(receivable).toBe(Math.round((amount - fee) * 100) / 100);
  });

  it('hold a rolling reserve back', async () => {
    const other = await newTenant({ account: { reservePercentage: 10 } });
    await other.paid();
    expect(await other.balances()).toEqual({
      'acquirer-receivable': 90,
      reserve: 10,
      sales: -100,
    });
  });

  it('in the account’s currency do not turn into the same number of another', async () => {
    const other = await newTenant({ account: { gatewayTransactionFee: 0.05 } });
    await other.paid({ currency: 'JPY', amount: 1_000 });
    const { body } = await other.get('/api/ledger/trial-balance');
    expect(body.balanced).toBe(true);
    const fees = body.currencies.flatMap(({ currency, accounts }: Json) =>
      accounts
        .filter(({ account }: Json) => account.startsWith('fees'))
        .map(({ balance }: Json) => [currency, balance]),
    );
    expect(fees).toEqual([['GBP', 0.05]]);
  });
});

describe('GET /api/ledger/trial-balance', () => {
  it('is zero after everything, by currency and exact', async () => {
    const other = await newTenant({ account: { ...FEES, reservePercentage: 7.5 } });
    const { id } = await other.ordered();
    await other.refund(id, {
      amount: 10,
      refundItems: [{ StorefrontVariantId: 501, Quantity: 1 }],
    });
    await other.paid({ currency: 'KWD', amount: 10.005 });
    await other.paid({ currency: 'JPY', amount: 1_999 });
    await other.pay({ card: card(CARDS.stolen) });
    for (let index = 0; index < 20; index += 1) await other.paid({ amount: 0.1 });
    const charged = await other.paid({ card: card(CARDS.chargeback) });
    await eventually(
      () => other.transaction(charged.id),
      ({ chargedBack }) => chargedBack,
    );
    const { body } = await other.get('/api/ledger/trial-balance');
    expect(body).toMatchObject({ success: true, balanced: true });
    expect(body.currencies.map(({ currency }: Json) => currency).toSorted()).toEqual(
      expect.arrayContaining(['GBP', 'JPY', 'KWD']),
    );
    for (const { currency, debit, credit, difference, accounts } of body.currencies) {
      expect(difference, currency).toBe(0);
      expect(debit).toBe(credit);
      const sum = accounts.reduce(
        (all: number, each: Json) => all + Math.round(each.balance * 1_000),
        0,
      );
      expect(sum).toBe(0);
    }
    const kwd = body.currencies.find(({ currency }: Json) => currency === 'KWD');
    expect(kwd?.accounts).toEqual(
      expect.arrayContaining([expect.objectContaining({ account: 'sales', balance: -10.005 })]),
    );
    const gbp = await other.balances();
    expect(gbp['sales']).toBe(-202);
    expect(gbp['refunds']).toBe(10);
  });

  it('keeps the sandbox apart', async () => {
    const caller = await newTenant();
    await caller.paid({ amount: 3 });
    await caller.paid({ amount: 5, sandbox: true });
    expect((await caller.balances())['sales']).toBe(-3);
    expect((await caller.balances('GBP', { sandbox: true }))['sales']).toBe(-5);
    const tester = await callerWith(running, tenantId, { environment: 'test' });
    expect((await tester.balances())['sales']).toBe(-5);
    const live = await tester.get('/api/ledger/trial-balance', { query: { sandbox: false } });
    expectRefusal(live, 403);
  });

  it('is of one merchant account or currency on request', async () => {
    const { caller, second } = await soldOnTwoAccounts();
    expect((await caller.balances('GBP', { merchantAccountId: second }))['sales']).toBe(-7);
    expect((await caller.balances())['sales']).toBe(-16);
    const { body } = await caller.get('/api/ledger/trial-balance', { query: { currency: 'USD' } });
    expect(body.currencies).toMatchObject([{ currency: 'USD', debit: 11, credit: 11 }]);
  });
});

describe('GET /api/ledger/accounts', () => {
  it('gives the balances of each merchant account and currency, page by page', async () => {
    const { caller, first, second } = await soldOnTwoAccounts();
    const { body } = await caller.get('/api/ledger/accounts');
    const key = ({ merchantAccountId, currency, account }: Json) =>
      `${merchantAccountId} ${currency} ${account}`;
    expect(body.accounts.map(key).toSorted()).toEqual([
      `${first} GBP acquirer-receivable`,
      `${first} GBP sales`,
      `${first} USD acquirer-receivable`,
      `${first} USD sales`,
      `${second} GBP acquirer-receivable`,
      `${second} GBP sales`,
    ]);
    const seen: Json[] = [];
    let more = {};
    for (let page = 0; page < 10; page += 1) {
      const answer = await caller.get('/api/ledger/accounts', { query: { limit: 2, ...more } });
      seen.push(...answer.body.accounts);
      if (answer.body.nextCursor === null) break;
      more = { cursor: answer.body.nextCursor };
    }
    expect(seen).toEqual(body.accounts);
    const sales = await caller.get('/api/ledger/accounts', {
      query: { account: 'sales', currency: 'GBP' },
    });
    expect(sales.body.accounts.map(({ balance }: Json) => balance).toSorted()).toEqual([-7, -9]);
  });
});

describe('GET /api/ledger/statements', () => {
  const month = new Date().toISOString().slice(0, 7);
  const statement = (by: Caller, merchantAccountId: number, headers = {}) =>
    by.get('/api/ledger/statements', { query: { month, merchantAccountId }, headers });

  it('is a month of one merchant account, by currency', async () => {
    const { caller, first } = await soldOnTwoAccounts();
    const { id } = await caller.paid({ merchantAccountId: first, amount: 9 });
    await caller.refund(id, { amount: 4 });
    const { body } = await statement(caller, first);
    expect(body).toMatchObject({
      merchantAccountId: first,
      month,
      currencies: [
        { currency: 'GBP', openingBalance: 0, gross: 18, refunds: 4, margin: 14 },
        { currency: 'USD', closingBalance: 11 },
      ],
    });
    expectRefusal(
      await caller.wire.get(`/api/ledger/statements?month=${month}`),
      400,
      'invalid_request',
    );
    const stranger = await openTenant(running, tenantId + 1_000);
    const { body: empty } = await statement(stranger, first);
    expect(empty.currencies).toEqual([]);
  });

  it('is CSV for who prefers it', async () => {
    const { caller, second } = await soldOnTwoAccounts();
    const asked = (accept: string) =>
      caller.wire.get(`/api/ledger/statements?month=${month}&merchantAccountId=${second}`, {
        Accept: accept,
      });
    const { text, headers } = await asked('text/csv, application/json;q=0.5');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const rows = text.split('\r\n');
    expect(rows[0]).toBe('merchantAccountId,month,currency,item,amount');
    expect(rows[1]).toBe(`${second},${month},GBP,openingBalance,0`);
    expect(rows).toContain(`${second},${month},GBP,margin,7`);
    expect((await asked('*/*')).body.currencies).toHaveLength(1);
    expectRefusal(await asked('text/html'), 406, 'not_acceptable');
  });
});

describe('GET /api/ledger/dispute-rates', () => {
  const month = new Date().toISOString().slice(0, 7);
  const path = '/api/ledger/dispute-rates';

  async function charged() {
    const sold = await soldOnTwoAccounts();
    const { id } = await sold.caller.paid({ merchantAccountId: sold.first, amount: 9 });
    const report = { reference: 'one', amount: 9, currency: 'GBP', transactionId: id };
    await sold.caller.post('/api/mitigation/chargebacks', {
      query: { provider: 'acme' },
      body: report,
    });
    return sold;
  }

  it('is a row for each account and month, beside the thresholds of the tenant', async () => {
    const { caller, first, second } = await charged();
    const disputeThresholds = { warning: { percent: 30, chargebacks: 1 } };
    const changed = await caller.patch('/api/admin/settings', { body: { disputeThresholds } });
    expect(changed.body.item.disputeThresholds.excessive).toEqual({
      percent: 0.9,
      chargebacks: 100,
    });
    const { body } = await caller.get('/api/ledger/dispute-rates');
    expect(body).toMatchObject({ success: true, to: month, sandbox: false });
    expect(body.thresholds).toMatchObject(disputeThresholds);
    const none = { alerts: 0, fraudWarnings: 0 };
    expect(body.rates).toEqual([
      {
        merchantAccountId: first,
        month,
        status: 'warning',
        ...{ captures: 3, chargebacks: 1, rate: 33.3333, ...none },
        amounts: [
          { currency: 'GBP', captured: 18, chargedBack: 9, rate: 50 },
          { currency: 'USD', captured: 11, chargedBack: 0, rate: 0 },
        ],
      },
      {
        merchantAccountId: second,
        month,
        status: 'ok',
        ...{ captures: 1, chargebacks: 0, rate: 0, ...none },
        amounts: [{ currency: 'GBP', captured: 7, chargedBack: 0, rate: 0 }],
      },
    ]);
    expectRefusal(
      await caller.get('/api/ledger/dispute-rates', { query: { from: '2026-05', to: '2026-04' } }),
      400,
      'invalid_request',
    );
    const stranger = await openTenant(running, tenantId + 1_000);
    expect((await stranger.get('/api/ledger/dispute-rates')).body.rates).toEqual([]);
  });

  it('is CSV for who prefers it, a row for each currency', async () => {
    const { caller, first } = await charged();
    const asked = (accept: string) =>
      caller.wire.get(`${path}?merchantAccountId=${first}`, { Accept: accept });
    const { text, headers } = await asked('text/csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(text.split('\r\n').slice(1)).toEqual([
      `${first},${month},ok,3,1,33.3333,0,0,GBP,18,9,50`,
      `${first},${month},ok,3,1,33.3333,0,0,USD,11,0,0`,
      '',
    ]);
    expectRefusal(await asked('text/html'), 406, 'not_acceptable');
  });
});
