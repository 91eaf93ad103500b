/** Lines of merchant accounts: CSV and JSON, to the objects that they mean. */
import { MerchantAccount } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../http/errors.ts';
import { COLUMN_NAMES, readCsv, readJsonLines, Unreadable } from './merchant-account-lines.ts';

const csv = (...lines: string[]) => readCsv(Buffer.from(lines.join('\r\n')));

/** The detail of what is refused. */
function detailOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.errors?.[0]?.detail ?? error.code;
  }
}

describe('CSV', () => {
  it('has a column for every field', () => {
    const fields = Object.keys(MerchantAccount.Settings.shape);
    expect(COLUMN_NAMES).toEqual(expect.arrayContaining(fields));
  });

  it('is read by the types of its columns; an empty cell is absent', () => {
    const [account] = csv(
      'mid,title,companyId,forceAllowRefunds,monthlyCap,notes,mcc,id',
      '0070,"Main, ""GBP""",1,TRUE,50.5,"two\nlines",,9',
    );
    expect(account).toEqual({
      mid: '0070',
      title: 'Main, "GBP"',
      companyId: 1,
      forceAllowRefunds: true,
      monthlyCap: 50.5,
      notes: 'two\nlines',
      currencies: [],
    });
  });

  it('has the same credentials for all currencies, and the default one without any', () => {
    const lines = csv('defaultCurrency,currencies,apiKey,password', 'EUR,EUR;USD,k,', 'EUR,,,p');
    expect(lines).toMatchObject([
      {
        currencies: [
          { currency: 'EUR', gatewayCredentials: { apiKey: 'k' } },
          { currency: 'USD', gatewayCredentials: { apiKey: 'k' } },
        ],
      },
      { currencies: [{ currency: 'EUR', gatewayCredentials: { password: 'p' } }] },
    ]);
  });

  it('keeps what is no number or boolean, to be refused by name', () => {
    expect(csv('companyId,fullyLive,maxPrice', 'one,yes,"1,000"')).toMatchObject([
      { companyId: 'one', fullyLive: 'yes', maxPrice: '1,000' },
    ]);
  });

  it('may begin with a byte order mark, and have empty lines', () => {
    expect(csv('\ufeffmid', '', '7', '')).toMatchObject([{ mid: '7' }]);
  });

  it.each<[string, () => unknown, string | RegExp]>([
    ['an unknown column', () => csv('mid,colour', '7,red'), /colour is not known/],
    ['a mistyped column', () => csv('mid,monthlycap', '7,1'), /did you mean monthlyCap\?/],
    ['a column twice', () => csv('mid,mid', '7,8'), /stands twice/],
    ['a record of another length', () => csv('mid,title', '7'), /cannot be read at line 2/],
    ['an open quote', () => csv('mid,apiKey', '7,"SECRET'), /cannot be read/],
    ['no UTF-8', () => readCsv(Buffer.from([0xff, 0xfe])), 'invalid_utf8'],
  ])('refuses %s', (_, read, detail) => {
    expect(detailOf(read)).toMatch(detail);
    expect(detailOf(read)).not.toMatch(/SECRET/);
  });
});

describe('JSON lines', () => {
  it('are one value each, and say which is none', () => {
    const lines = readJsonLines(Buffer.from('{"mid":"7"}\r\n\n{"mid":\n[]\n'));
    expect(lines).toEqual([{ mid: '7' }, expect.any(Unreadable), []]);
  });

  it('refuse what is no UTF-8', () => {
    expect(detailOf(() => readJsonLines(Buffer.from([0xff])))).toBe('invalid_utf8');
  });
});
