/** What the overview compares. */
import { describe, expect, it } from 'vitest';
import { laterTo, rangesTo } from './ranges.ts';

describe('the time of the overview, and the time before', () => {
  it.each(['2024-02-29', '2024-12-31', '2025-01-31', '2026-11-23'])(
    'are twelve months each, of which none is in both, to %s',
    (to) => {
      const { range, earlier } = rangesTo(to, 'month');
      const [first, last] = [range.from, earlier.to].map((day) => indexOf(day));
      expect(indexOf(to) - indexOf(range.from)).toBe(11);
      expect(indexOf(earlier.to) - indexOf(earlier.from)).toBe(11);
      expect(last).toBe((first ?? 0) - 1);
    },
  );

  it('are as many days each', () => {
    expect(rangesTo('2024-03-01', 'day')).toEqual({
      range: { from: '2024-02-01', to: '2024-03-01' },
      earlier: { from: '2024-01-02', to: '2024-01-31' },
    });
  });
});

it.each([
  ['2010-12-20', 'day', '2011-01-19'],
  ['2010-12-20', 'hour', '2010-12-22'],
  ['2010-12-20', 'month', '2011-12-31'],
  ['2026-11-20', 'day', '2026-11-23'],
  ['2026-11-23', 'month', undefined],
] as const)('after the time to %s by %s is that to %s', (to, by, later) => {
  expect(laterTo(to, { by, today: '2026-11-23' })).toBe(later);
});

function indexOf(day: string): number {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return year * 12 + month;
}
