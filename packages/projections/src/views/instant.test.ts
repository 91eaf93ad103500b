/** Instants are written as `toISOString` writes them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { instant } from './instant.ts';

/** The latest that a date holds. */
const LATEST_MS = 8.64e15;

it('writes every instant that a date holds', () => {
  fc.assert(
    fc.property(fc.integer({ min: -LATEST_MS, max: LATEST_MS }), (ms) => {
      expect(instant(ms)).toBe(new Date(ms).toISOString());
    }),
  );
});

it('writes all instants of a day, and more days than it keeps', () => {
  const day = Date.parse('2026-02-28T00:00:00.000Z');
  for (let ms = day; ms < day + 86_400_000; ms += 59_999) {
    expect(instant(ms)).toBe(new Date(ms).toISOString());
  }
  for (let days = 0; days < 3_000; days += 1) {
    const ms = day + days * 86_400_000 - 1;
    expect(instant(ms)).toBe(new Date(ms).toISOString());
  }
});

it.each([Number.NaN, LATEST_MS + 1, -LATEST_MS - 1])('refuses %d', (ms) => {
  expect(() => instant(ms)).toThrow(RangeError);
});
