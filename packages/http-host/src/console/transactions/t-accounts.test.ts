/** T-accounts of journal entries. */
import { expect, it } from 'vitest';
import { tAccountsOf } from './t-accounts.ts';

const line = (account: string, debit: number, credit: number) => ({
  ...{ account, currency: 'GBP', debit, credit },
});
const entry = (description: string, at: string, lines: ReturnType<typeof line>[]) => ({
  ...{ description, at, merchantAccountId: 1, lines },
});

it('sums both sides of each account, and says on which its balance is', () => {
  const accounts = tAccountsOf([
    entry('PaymentCaptured', '2026-01-01T00:00:00Z', [
      line('acquirer-receivable', 100, 0),
      line('sales', 0, 100),
    ]),
    entry('Refunded', '2026-01-02T00:00:00Z', [
      line('refunds', 30.1, 0),
      line('acquirer-receivable', 0, 30.1),
    ]),
    entry('PaymentSettled', '2026-01-03T00:00:00Z', [
      line('bank', 69.9, 0),
      line('acquirer-receivable', 0, 69.9),
    ]),
  ] as unknown as Parameters<typeof tAccountsOf>[0]);
  expect(accounts.map(({ account, balance, side }) => [account, balance, side])).toEqual([
    ['acquirer-receivable', '0.00', 'none'],
    ['sales', '100.00', 'credit'],
    ['refunds', '30.10', 'debit'],
    ['bank', '69.90', 'debit'],
  ]);
  const [receivable] = accounts;
  expect(receivable?.debits.map(({ type, amount }) => [type, amount])).toEqual([
    ['PaymentCaptured', '100.00'],
  ]);
  expect(receivable?.credits.map(({ type, amount }) => [type, amount])).toEqual([
    ['Refunded', '30.10'],
    ['PaymentSettled', '69.90'],
  ]);
});
