/** Edges of the default ranges, and custom tables. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { BinRanges, cardBrands, DEFAULT_BIN_RANGES } from './card-brands.ts';

describe('the default table', () => {
  const brandOf = cardBrands();

  test.each([
    ['400000', 1],
    ['499999', 1],
    ['500000', 0],
    ['510000', 2],
    ['559999', 2],
    ['560000', 0],
    ['222099', 0],
    ['222100', 2],
    ['272099', 2],
    ['272100', 0],
    ['340000', 3],
    ['349999', 3],
    ['350000', 0],
    ['370000', 3],
    ['601099', 0],
    ['601100', 4],
    ['601199', 4],
    ['601200', 0],
    ['643999', 0],
    ['644000', 4],
    ['649999', 4],
    ['650000', 4],
    ['659999', 4],
    ['660000', 0],
    ['352799', 0],
    ['352800', 5],
    ['358999', 5],
    ['359000', 0],
    ['360000', 6],
    ['380000', 6],
    ['390000', 0],
    ['299999', 0],
    ['300000', 6],
    ['305999', 6],
    ['306000', 0],
    ['', 0],
  ])('%j belongs to network %i', (bin, brandId) => {
    expect(brandOf(bin)).toBe(brandId);
  });

  it('gives the same result for a number and its BIN', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{12,19}$/), (number) => {
        expect(brandOf(number)).toBe(brandOf(number.slice(0, 6)));
      }),
    );
  });

  it('is a valid configuration', () => {
    expect(BinRanges.parse(DEFAULT_BIN_RANGES)).toEqual(DEFAULT_BIN_RANGES);
  });
});

describe('a custom table', () => {
  it('replaces the default', () => {
    const brandOf = cardBrands([{ first: '9', last: '9', cardBrandId: 3 }]);
    expect([brandOf('912345'), brandOf('424242')]).toEqual([3, 0]);
  });

  it('prefers the longer prefix, in any order of ranges', () => {
    const ranges = [
      { first: '4', last: '4', cardBrandId: 1 },
      { first: '424242', last: '424243', cardBrandId: 5 },
    ];
    for (const table of [ranges, ranges.toReversed()]) {
      expect(['424241', '424242', '424243', '424244'].map(cardBrands(table))).toEqual([1, 5, 5, 1]);
    }
  });

  test.each([
    [{ first: '4', last: '42', cardBrandId: 1 }],
    [{ first: '55', last: '51', cardBrandId: 1 }],
    [{ first: '', last: '', cardBrandId: 1 }],
    [{ first: '4x', last: '4x', cardBrandId: 1 }],
    [{ first: '4', last: '4', cardBrandId: 7 }],
    [{ first: '4', last: '4' }],
  ])('%j is refused', (range) => {
    expect(BinRanges.safeParse([range]).success).toBe(false);
  });
});
