/** Money: wire decimals to minor units and back, and no cent lost on the way. */
import {
  allocate,
  currencyCodes,
  currencyOf,
  divideHalfEven,
  MAX_AMOUNT_MINOR,
  percentOf,
  toDecimal,
  toExactMajor,
  toMajor,
  toMinor,
} from '@counterfoil/core';
import { arbitraries } from '@counterfoil/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const right = (value: bigint) => ({ _tag: 'Right', right: value });
const left = (rejection: object) => ({ _tag: 'Left', left: rejection });

describe('currency table', () => {
  /** ISO 4217 list one: every currency whose exponent is not 2. */
  const EXPONENTS = {
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  };
  const all = [...currencyCodes()].map((code) => currencyOf(code));

  it.each(Object.entries(EXPONENTS))('knows the currencies of exponent %s', (exponent, codes) => {
    const found = all.filter((each) => each?.exponent === Number(exponent));
    expect(found.map((each) => each?.code)).toEqual(codes.split(' '));
  });

  it('gives all others two decimals', () => {
    expect(new Set(all.map((each) => each?.exponent))).toEqual(new Set([0, 2, 3, 4]));
  });

  it.each([
    ['GBP', 826],
    ['EUR', 978],
    ['USD', 840],
    ['JPY', 392],
    ['KWD', 414],
    ['CLF', 990],
    ['CHF', 756],
    ['ALL', 8],
  ])('knows %s as %i', (code, numericCode) => {
    expect(currencyOf(code)?.numericCode).toBe(numericCode);
  });

  it('has three-letter codes in order, each code and number once', () => {
    const codes = all.map((each) => each?.code ?? '');
    expect(codes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
    expect(codes).toEqual([...new Set(codes)].sort());
    expect(new Set(all.map((each) => each?.numericCode)).size).toBe(all.length);
  });

  it.each(['gbp', 'XXX', '', 'GBPP', 'constructor'])('knows no currency %j', (code) => {
    expect(currencyOf(code)).toBeUndefined();
  });
});

describe('toMinor', () => {
  it.each([
    ['12.50', 'GBP', 1_250n],
    [12.5, 'GBP', 1_250n],
    [0.1, 'GBP', 10n],
    ['12', 'GBP', 1_200n],
    ['12.5000', 'GBP', 1_250n],
    ['007', 'GBP', 700n],
    [-0.01, 'GBP', -1n],
    ['-0', 'GBP', 0n],
    [-0, 'GBP', 0n],
    ['1250', 'JPY', 1_250n],
    ['1250.0', 'JPY', 1_250n],
    [1.234, 'KWD', 1_234n],
    ['1.2345', 'CLF', 12_345n],
    [1e-4, 'CLF', 1n],
    ['9999999999999.99', 'GBP', MAX_AMOUNT_MINOR],
    [9999999999999.99, 'GBP', MAX_AMOUNT_MINOR],
  ])('reads %s %s', (amount, currency, minor) => {
    expect(toMinor(amount, currency)).toEqual(right(minor));
  });

  it.each([
    [1.234, 'GBP', 2],
    ['0.5', 'JPY', 0],
    ['1.2345', 'KWD', 3],
    ['1.23456', 'CLF', 4],
    [0.1 + 0.2, 'GBP', 2],
  ])('refuses the decimals of %j %s', (amount, currency, exponent) => {
    const rejection = { type: 'TooManyDecimals', amount: String(amount), currency, exponent };
    expect(toMinor(amount, currency)).toEqual(left(rejection));
  });

  it.each([
    [1e-7, 'TooManyDecimals'],
    [-1.5e-7, 'TooManyDecimals'],
    [5e-324, 'TooManyDecimals'],
    [1e21, 'AmountTooLarge'],
    [-1.25e21, 'AmountTooLarge'],
    [Number.MAX_VALUE, 'AmountTooLarge'],
    ['10000000000000.00', 'AmountTooLarge'],
    ['-10000000000000', 'AmountTooLarge'],
    ['9'.repeat(30), 'AmountTooLarge'],
  ])('refuses %j as %s', (amount, type) => {
    expect(toMinor(amount, 'GBP')).toMatchObject(left({ type }));
  });

  it.each([
    ...['', ' ', '1 ', ' 1', '+1', '.5', '1.', '1,5', '1,000', '1.2.3', '--1', '0x10', '1_000'],
    ...['1e5', '1e+5', '1e-2', 'NaN', 'Infinity', '£5', '१', '1\n', '9'.repeat(100_000)],
    ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ])('does not take %j for an amount', (amount) => {
    const rejection = { type: 'NotAnAmount', amount: String(amount) };
    expect(toMinor(amount, 'GBP')).toEqual(left(rejection));
  });

  it('looks at the currency first, then the form, the decimals and the size', () => {
    expect(toMinor('x', 'XXX')).toEqual(left({ type: 'UnknownCurrency', currency: 'XXX' }));
    expect(toMinor('99999999999999.999', 'GBP')).toMatchObject(left({ type: 'TooManyDecimals' }));
  });
});

describe('toExactMajor', () => {
  it.each([
    [9_007_199_254_740_991n, 'GBP', '90071992547409.91'],
    [9_007_199_254_740_993n, 'GBP', '90071992547409.93'],
    [-9_007_199_254_740_993n, 'JPY', '-9007199254740993'],
    [123_456_789_012_345_678_901n, 'KWD', '123456789012345678.901'],
    [1_250n, 'GBP', '12.5'],
  ])('writes %s of %s exactly', (minor, currency, text) => {
    expect(JSON.stringify({ total: toExactMajor(minor, currency) })).toBe(`{"total":${text}}`);
  });
});

describe('toDecimal and toMajor', () => {
  it.each([
    [1_250n, 'GBP', '12.50', 12.5],
    [-1n, 'GBP', '-0.01', -0.01],
    [0n, 'GBP', '0.00', 0],
    [5n, 'KWD', '0.005', 0.005],
    [1n, 'CLF', '0.0001', 0.0001],
    [1_250n, 'JPY', '1250', 1250],
    [-12_345n, 'CLF', '-1.2345', -1.2345],
  ])('writes %s minor units of %s', (minor, currency, decimal, major) => {
    expect(toDecimal(minor, currency)).toBe(decimal);
    expect(toMajor(minor, currency)).toBe(major);
  });

  it('refuses to write an unknown currency', () => {
    expect(() => toDecimal(1n, 'XXX')).toThrow(RangeError);
  });

  it('round-trips every amount as text and as number', () => {
    fc.assert(
      fc.property(arbitraries.money(), ({ minor, currency }) => {
        expect(toMinor(toDecimal(minor, currency), currency)).toEqual(right(minor));
        expect(toMinor(toMajor(minor, currency), currency)).toEqual(right(minor));
      }),
    );
  });
});

describe('allocate', () => {
  it.each([
    [100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    [101n, [1n, 1n, 1n], [34n, 34n, 33n]],
    [-100n, [1n, 1n, 1n], [-34n, -33n, -33n]],
    [5n, [3n, 7n], [2n, 3n]],
    [10n, [0n, 1n], [0n, 10n]],
    [1n, [0n, 0n, 1n], [0n, 0n, 1n]],
    [0n, [1n, 2n], [0n, 0n]],
  ])('splits %s by %s', (minor, weights, shares) => {
    expect(allocate(minor, weights)).toEqual(shares);
  });

  it.each([[[]], [[0n, 0n]], [[2n, -1n]]])('refuses the weights %s', (weights) => {
    expect(() => allocate(1n, weights)).toThrow(RangeError);
  });

  it('keeps the sum, and every share within one unit of its exact part', () => {
    const weights = fc
      .array(fc.bigInt({ min: 0n, max: 1_000_000n }), { minLength: 1, maxLength: 20 })
      .filter((each) => each.some((weight) => weight > 0n));
    fc.assert(
      fc.property(arbitraries.money(), weights, ({ minor }, parts) => {
        const shares = allocate(minor, parts);
        const whole = parts.reduce((sum, weight) => sum + weight, 0n);
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(minor);
        shares.forEach((share, index) => {
          const off = share * whole - minor * (parts[index] ?? 0n);
          expect(off < whole && off > -whole).toBe(true);
        });
      }),
    );
  });

  it('gives equal weights shares that differ by at most one unit, the larger first', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: MAX_AMOUNT_MINOR }),
        fc.integer({ min: 1, max: 30 }),
        (minor, count) => {
          const shares = allocate(
            minor,
            Array.from({ length: count }, () => 7n),
          );
          expect(shares).toEqual([...shares].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
          expect((shares[0] ?? 0n) - (shares.at(-1) ?? 0n)).toBeLessThanOrEqual(1n);
        },
      ),
    );
  });
});

describe('percentages', () => {
  it.each([
    [10_000n, '2.9', 290n],
    [50n, '1', 0n],
    [150n, '1', 2n],
    [250n, '1', 2n],
    [350n, '1', 4n],
    [251n, '1', 3n],
    [249n, '1', 2n],
    [-150n, '1', -2n],
    [-250n, '1', -2n],
    [1n, '100', 1n],
    [12_345n, '0', 0n],
    [1_000_000n, '0.000001', 0n],
    [100_000_000n, '0.000001', 1n],
    [50_000_000n, '0.000001', 0n],
    [150_000_000n, '0.000001', 2n],
  ])('takes of %s minor units %s %%: %s', (minor, percent, part) => {
    expect(percentOf(minor, percent)).toBe(part);
  });

  it.each(['', '-1', '1e2', '2.', '.5', '1.1234567', '1000', 'x'])('refuses %j', (percent) => {
    expect(() => percentOf(100n, percent)).toThrow(RangeError);
  });

  it('is at most half a unit off, and on a tie even', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
        fc.oneof(fc.constantFrom(1n, 2n, 4n, 10n), fc.bigInt({ min: 1n, max: 10n ** 9n })),
        (dividend, divisor) => {
          const quotient = divideHalfEven(dividend, divisor);
          const twiceOff = 2n * (dividend - quotient * divisor);
          expect(twiceOff <= divisor && twiceOff >= -divisor).toBe(true);
          if (twiceOff === divisor || twiceOff === -divisor) expect(quotient % 2n).toBe(0n);
        },
      ),
    );
  });
});
