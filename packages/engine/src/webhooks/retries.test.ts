/** When deliveries are tried again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delayAfter, MAX_RETRY_AFTER_MS, retryAfterMs, TRY_AFTER_MS } from './retries.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the delay after a failure', () => {
  it('is that of the table, a fifth longer at most, and ends with the last try', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), random, (tries, chance) => {
        const delayMs = delayAfter(tries, { random: chance });
        const least = TRY_AFTER_MS[tries];
        if (least === undefined) return delayMs === undefined;
        return delayMs !== undefined && delayMs >= least && delayMs <= least * 1.2;
      }),
    );
  });

  it('is never shorter than the receiver asks, up to a day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.nat(1e9), random, (tries, asked, chance) => {
        const delayMs = delayAfter(tries, { retryAfterMs: asked, random: chance }) ?? 0;
        return delayMs >= Math.min(asked, MAX_RETRY_AFTER_MS) && delayMs <= MAX_RETRY_AFTER_MS;
      }),
    );
  });
});

it.each([
  [undefined, 0],
  ['120', 120_000],
  [' 5 ', 5_000],
  ['Sun, 01 Mar 2026 12:01:00 GMT', 60_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['-5', 0],
  ['soon', 0],
  ['', 0],
])('Retry-After %j asks for %i ms', (header, ms) => {
  expect(retryAfterMs(header, NOW)).toBe(ms);
});
