/** Tables as CSV: quoting, exact numbers, and nothing that a spreadsheet runs. */
import { toExactMajor } from '@counterfoil/core';
import { expect, it } from 'vitest';
import { csvOf } from './csv.ts';

it('quotes what needs it, and ends each row with CR LF', () => {
  expect(csvOf(['a', 'b'], [['x,y', 'say "no"\nor yes']])).toBe(
    'a,b\r\n"x,y","say ""no""\nor yes"\r\n',
  );
});

it('writes totals beyond a double exactly', () => {
  const total = toExactMajor(9_007_199_254_740_993n, 'GBP');
  expect(csvOf(['amount'], [[total], [-1.5]])).toBe('amount\r\n90071992547409.93\r\n-1.5\r\n');
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('keeps %j from being run', (text) => {
  const [, cell = ''] = csvOf(['text'], [[text]]).split('\r\n');
  expect(cell.replace(/^"/, '')).toMatch(/^'/);
});
