/** Addresses of the list: of saved searches, and of the last days. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { datedSearch, filtersOf, ListQuery, savedAddress } from './search-filters.ts';

const LIST = '/console/live/transactions';
const NOW = '2026-03-01T23:30:00.000Z';

const ids = fc.array(
  fc.nat().map((id) => id + 1),
  { minLength: 1, maxLength: 40 },
);
const day = fc.constantFrom('2026-01-01', '2026-02-28');
const saved = fc.record(
  {
    days: fc.integer({ min: 1, max: 366 }),
    dateFrom: day,
    dateTo: day,
    amounts: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: 0.001 }), {
      minLength: 1,
      maxLength: 40,
    }),
    currency: fc.constantFrom('GBP', 'JPY'),
    bin: fc.constantFrom('424242', '42424242'),
    descriptorContains: fc.stringMatching(/^[\p{L}&=?+%,#*]( ?[\p{L}&=?+%,#*])*$/u),
    merchantAccountIds: ids,
    companyIds: ids,
    applicationIds: ids,
    productIds: ids,
    campaignIds: ids,
    affiliateIds: ids,
  },
  { requiredKeys: [] },
);

describe('the address of a saved search', () => {
  it('opens the filters that were saved', () => {
    fc.assert(
      fc.property(saved, (search) => {
        const { searchParams } = new URL(savedAddress(LIST, search), 'http://localhost');
        const query = ListQuery.parse(Object.fromEntries(searchParams));
        expect(filtersOf(query)).toEqual(search);
      }),
    );
  });
});

describe('the last days', () => {
  it.each([
    [1, '2026-03-01'],
    [2, '2026-02-28'],
    [7, '2026-02-23'],
    [366, '2025-03-01'],
  ])('are %i with today', (days, dateFrom) => {
    expect(datedSearch({ days, currency: 'GBP' }, NOW)).toEqual({ dateFrom, currency: 'GBP' });
  });

  it.each([
    [{ days: 0 }],
    [{ days: 367 }],
    [{ days: 1.5 }],
    [{ days: Number.NaN }],
    [{ days: 7, dateFrom: '2026-01-01' }],
    [{ days: 7, dateTo: '2026-01-01' }],
  ])('are refused: %o', (search) => {
    expect(() => datedSearch(search, NOW)).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/days' })] }),
    );
  });
});
