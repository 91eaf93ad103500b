/** Settlement files: what agrees is booked once, and every difference is listed until it is resolved. */
import { nearestNumber, TenantId } from '@counterfoil/core';
import { type Ledger, silentLogger as logger, openLedger } from '@counterfoil/engine';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, OPERATOR, order, SHOP_ACCOUNT, withShop } from './shop.ts';

const HEADER = 'reference,kind,gatewayTransactionId,amount,currency,fee,settledDate';
const DAY = '2026-03-10';
const FEES = { discountRatePercentage: 1, gatewayTransactionFee: 0.1, reservePercentage: 5 };

let ledger: Ledger;
let now = '2026-03-05T12:00:00.000Z';
let next = 100;
let tenantId: TenantId;

beforeAll(async () => {
  ledger = await openLedger({ storage: 'memory:', logger, clock: { now: () => now } });
});
afterAll(() => ledger.close());
beforeEach(async () => {
  now = '2026-03-05T12:00:00.000Z';
  next += 1;
  tenantId = TenantId.parse(next);
  await withShop(ledger, tenantId);
});

const shop = (environment: 'live' | 'test' = 'live') =>
  ledger.as({ tenantId, actor: 'shop', environment });

async function* bytes(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

const fileOf = (...lines: readonly string[]) => `${[HEADER, ...lines].join('\n')}\n`;

async function take(lines: readonly string[], more: object = {}) {
  now = `${DAY}T12:00:00.000Z`;
  return shop().settlements.import({ merchantAccountId: 1, ...more }, bytes(fileOf(...lines)));
}

/** Captured pounds, with the gateway's id. */
async function sold(amount: string, more: object = {}): Promise<{ id: string; gatewayId: string }> {
  const { id } = await shop().payments.submit(order({ amount, ...more }));
  const { transactions } = await shop().transactions.search({ transactionIds: [id] });
  return { id, gatewayId: transactions[0]?.gatewayTransactionId ?? '' };
}

async function balances(): Promise<Record<string, number>> {
  const { currencies } = await shop().books.trialBalance();
  const accounts = currencies.flatMap((each) => each.accounts);
  return Object.fromEntries(accounts.map((each) => [each.account, nearestNumber(each.balance)]));
}

const unmatched = async (more: object = {}) =>
  (await shop().settlements.unmatched({ limit: 100, ...more })).items;
const typesOf = async () => (await unmatched()).map(({ type }) => type);

describe('what agrees', () => {
  it('is booked: the bank gets what is left, and the payment is settled', async () => {
    const costly = { ...SHOP_ACCOUNT, ...FEES };
    await ledger.merchantAccounts.openOnce(tenantId, 2, costly, OPERATOR);
    const { id, gatewayId } = await sold('100.00', { merchantAccountId: 2 });
    const line = `a-1,capture,${gatewayId},100.00,GBP,1.10,${DAY}`;
    const done = await take([line], { merchantAccountId: 2 });
    expect(done).toMatchObject({ lines: 1, agreed: 1, booked: 1, differences: {}, from: DAY });
    expect(await balances()).toMatchObject({ bank: 93.9, 'acquirer-receivable': 0, reserve: 5 });
    expect(await shop().payments.get(id)).toMatchObject({ status: 'Settled' });
  });

  it('of a refund is taken back', async () => {
    const { id, gatewayId } = await sold('50.00');
    await shop().payments.refund(id, { amount: '20.00' });
    await take([
      `r-1,refund,${gatewayId},20.00,GBP,,${DAY}`,
      `c-1,capture,${gatewayId},50.00,GBP,,${DAY}`,
    ]);
    expect(await balances()).toMatchObject({ bank: 30, 'acquirer-receivable': 0 });
    expect(await unmatched()).toEqual([]);
  });

  it('is booked once, by the same file and by one that overlaps', async () => {
    const [one, two] = [await sold('10.00'), await sold('20.00')];
    const first = `a,capture,${one.gatewayId},10.00,GBP,0,${DAY}`;
    const second = `b,capture,${two.gatewayId},20.00,GBP,0,${DAY}`;
    const done = await take([first], { name: 'day-1.csv' });
    const again = await take([first], { name: 'day-1.csv' });
    expect(again).toEqual({ ...done, booked: 0 });
    expect(await take([first, second, second])).toMatchObject({ agreed: 3, booked: 1 });
    expect((await balances())['bank']).toBe(30);
    expect((await shop().settlements.list({ limit: 10 })).items).toHaveLength(2);
  });

  it('goes on after an import that was cut off, under the same name', async () => {
    const [one, two] = [await sold('10.00'), await sold('20.00')];
    const lines = [
      `a,capture,${one.gatewayId},10.00,GBP,0,${DAY}`,
      `b,capture,${two.gatewayId},20.00,GBP,0,${DAY}`,
    ];
    const cutOff = async function* () {
      yield* bytes(fileOf(...Array<string>(600).fill(lines[0] ?? '')));
      throw new Error('the power went out');
    };
    const named = { merchantAccountId: 1, name: 'day-2.csv' };
    now = `${DAY}T12:00:00.000Z`;
    await expect(shop().settlements.import(named, cutOff())).rejects.toThrow('power');
    const [left] = (await shop().settlements.list({ limit: 10 })).items;
    expect(left).toMatchObject({ status: 'importing', finishedAt: null });
    expect((await balances())['bank']).toBe(10);
    const done = await take(lines, { name: 'day-2.csv' });
    expect(done).toMatchObject({ id: left?.id, status: 'finished', agreed: 2, booked: 1 });
    expect((await balances())['bank']).toBe(30);
  });
});

describe('what differs', () => {
  it('is listed, each with what the books say, and books nothing', async () => {
    const { gatewayId } = await sold('10.00');
    const other = await sold('11.00');
    const done = await take([
      `h,capture,unknown,10.00,GBP,0,${DAY}`,
      `c,capture,${gatewayId},10.00,USD,0,${DAY}`,
      `a,capture,${gatewayId},10.01,GBP,0,${DAY}`,
      `f,capture,${gatewayId},10.00,GBP,0.30,${DAY}`,
      `u,sale,${gatewayId},10.00,GBP,0,${DAY}`,
      `k,capture,4242424242424242,10.00,GBP,0,${DAY}`,
    ]);
    const ofLines = { 'missing-here': 2, currency: 1, amount: 1, fee: 1, unreadable: 1 };
    // What a line is about is not missing there, though the line differs.
    const counts = { ...ofLines, 'missing-there': 1 };
    expect(done).toMatchObject({ agreed: 0, differences: counts });
    const items = await unmatched();
    const of = (type: string) => items.find((each) => each.type === type);
    expect(of('missing-here')).toMatchObject({ reference: 'h', line: 2, transactionId: null });
    expect(of('currency')).toMatchObject({ expected: 'GBP', currency: 'USD' });
    expect(of('amount')).toMatchObject({ amount: 10.01, expected: 10 });
    expect(of('fee')).toMatchObject({ fee: 0.3, expected: 0 });
    expect(of('missing-there')).toMatchObject({
      gatewayTransactionId: other.gatewayId,
      ageDays: 5,
    });
    expect(JSON.stringify(items)).not.toContain('4242424242424242');
    expect((await balances())['bank']).toBeUndefined();
  });

  it('ends when a later line agrees, under its own reference or as what was missing', async () => {
    const { gatewayId } = await sold('10.00');
    const line = (amount: string) => `a,capture,${gatewayId},${amount},GBP,0,${DAY}`;
    await take([`x,capture,nobody,1.00,GBP,0,${DAY}`]);
    expect((await typesOf()).sort()).toEqual(['missing-here', 'missing-there']);
    await take([line('9.99')]);
    expect((await typesOf()).sort()).toEqual(['amount', 'missing-here']);
    await take([line('10.00')]);
    expect(await typesOf()).toEqual(['missing-here']);
    await take([`b,capture,${gatewayId},10.00,GBP,0,${DAY}`]);
    const again = (await unmatched()).filter(({ reference }) => reference === 'b');
    expect(again).toMatchObject([{ type: 'settled', expected: 'a' }]);
  });

  it('is not missing there before the grace days have passed', async () => {
    await sold('10.00');
    const other = `x,capture,unknown,1.00,GBP,0,${DAY}`;
    const graced = await take([other], { graceDays: 6 });
    expect(graced.differences).toEqual({ 'missing-here': 1 });
    expect((await take([other], { graceDays: 5 })).differences).toMatchObject({
      'missing-there': 1,
    });
  });

  it('pages by age, and by account and import', async () => {
    const lines = [8, 9, 10].map((day) => {
      const on = `2026-03-${String(day).padStart(2, '0')}`;
      return `x-${day},capture,none-${day},1.00,GBP,0,${on}`;
    });
    const { id } = await take(lines.toReversed());
    const first = await shop().settlements.unmatched({ limit: 2 });
    expect(first.items.map(({ ageDays }) => ageDays)).toEqual([2, 1]);
    const { next: after } = first;
    if (after === undefined) throw new Error('there is another page');
    expect(await unmatched({ limit: 2, after })).toMatchObject([{ reference: 'x-10' }]);
    expect(await unmatched({ merchantAccountId: 2 })).toEqual([]);
    expect(await unmatched({ settlementId: id })).toHaveLength(3);
  });
});

describe('what is apart', () => {
  it('is another account, another environment and another tenant', async () => {
    const { gatewayId } = await sold('10.00');
    await ledger.merchantAccounts.openOnce(tenantId, 2, SHOP_ACCOUNT, OPERATOR);
    const line = `a,capture,${gatewayId},10.00,GBP,0,${DAY}`;
    const nothing = { agreed: 0, differences: { 'missing-here': 1 } };
    expect(await take([line], { merchantAccountId: 2 })).toMatchObject(nothing);
    expect(await take([line], { sandbox: true })).toMatchObject(nothing);
    const stranger = TenantId.parse(next + 1_000);
    await withShop(ledger, stranger);
    const other = ledger.as({ tenantId: stranger, actor: 'shop' });
    const done = await other.settlements.import({ merchantAccountId: 1 }, bytes(fileOf(line)));
    expect(done).toMatchObject(nothing);
    expect(await shop().settlements.get(done.id)).toBeUndefined();
    expect((await shop('test').settlements.list({ limit: 10 })).items).toHaveLength(1);
  });

  it('is refused: an account that is not there, and a table without the columns', async () => {
    const { gatewayId } = await sold('10.00');
    const importing = (content: string, merchantAccountId = 1) =>
      codeOf(shop().settlements.import({ merchantAccountId }, bytes(content)));
    expect(await importing(fileOf(), 9)).toBe('ReferenceUnknown');
    expect(await importing('')).toBe('InputInvalid');
    const latin1 = (async function* () {
      yield Buffer.from([0xff, 0x0a]);
    })();
    const importingLatin1 = shop().settlements.import({ merchantAccountId: 1 }, latin1);
    expect(await codeOf(importingLatin1)).toBe('InputInvalid');
    expect(await importing(`reference,amount\na,1\n`)).toBe('InputInvalid');
    expect(await importing(`${HEADER},colour\n`)).toBe('InputInvalid');
    expect(await importing(`${HEADER}\n"a,capture,${gatewayId}${'x'.repeat(70_000)}`)).toBe(
      'InputInvalid',
    );
    expect((await shop().settlements.list({ limit: 10 })).items).toEqual([]);
  });

  it.each(['', '\n'])('lists what follows a quote that is never closed (end: %j)', async (end) => {
    const { gatewayId } = await sold('10.00');
    const right = `a,capture,${gatewayId},10.00,GBP,0,${DAY}`;
    const open = `"b,capture,${gatewayId},10.00,GBP,0,${DAY}`;
    const text = `${HEADER}\n${right}\n${open}\n${right}${end}`;
    const done = await shop().settlements.import({ merchantAccountId: 1 }, bytes(text));
    expect(done).toMatchObject({ lines: 2, booked: 1, differences: { unreadable: 1 } });
    expect(await unmatched()).toMatchObject([{ type: 'unreadable', line: 3 }]);
  });

  it('is unreadable on a day that no calendar has', async () => {
    const { gatewayId } = await sold('10.00');
    const done = await take([`a,capture,${gatewayId},10.00,GBP,0,2026-02-30`]);
    expect(done).toMatchObject({ booked: 0, differences: { unreadable: 1 }, to: '' });
  });

  it('reads quotes, either end of line and a byte order mark, however it is cut', async () => {
    const { gatewayId } = await sold('10.00');
    const text = `\uFEFF${HEADER}\r\n"a,""1""",capture,"${gatewayId}",10.00,GBP,0,${DAY}\r\n`;
    const pieces = [...text].map((each) => each);
    const content = bytes(...pieces);
    const done = await shop().settlements.import({ merchantAccountId: 1 }, content);
    expect(done).toMatchObject({ lines: 1, agreed: 1 });
    expect((await shop().payments.list({ limit: 1 })).payments).toMatchObject([
      { status: 'Settled' },
    ]);
  });
});

it('books the same whatever the order of lines and files, and however often they come', async () => {
  const sales: string[] = [];
  for (const amount of ['10.00', '20.00', '30.00', '40.00']) {
    const { gatewayId } = await sold(amount);
    sales.push(`s-${amount},capture,${gatewayId},${amount},GBP,0,${DAY}`);
  }
  const wrong = [
    `w-1,capture,nobody,1.00,GBP,0,${DAY}`,
    sales[3]?.replace('s-40.00', 'w-2').replace(',40.00', ',4.00') ?? '',
  ];
  const right = sales.slice(0, 3);
  const lines = [...right, ...wrong];
  const expected = { bank: 60, 'acquirer-receivable': 40 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.shuffledSubarray(lines, { minLength: 1 }), { minLength: 1, maxLength: 3 }),
      fc.shuffledSubarray(lines, { minLength: lines.length }),
      async (files, whole) => {
        for (const file of [...files, whole]) await take(file);
        expect(await balances()).toMatchObject(expected);
        const found = (await unmatched()).map(({ type, reference }) => `${type} ${reference}`);
        expect(found.sort()).toEqual(['amount w-2', 'missing-here w-1']);
      },
    ),
    { numRuns: 15 },
  );
});
