import { describe, expect, it } from 'vitest';
import { compared, comparisonTable, type Pass } from './versus.ts';

const ROW = { id: 'http-detail', unit: 'requests/s', better: 'higher' } as const;

const passes = (...values: [base: number, here: number][]) =>
  compared(
    ROW,
    values.map(([base, here]): Pass => ({ base, here })),
  );

describe('two commits compared', () => {
  it('finds a row slower that lost in every pass', () => {
    expect(passes([100, 90], [110, 95], [80, 70]).isSlower).toBe(true);
  });

  it('finds no row slower that won a pass', () => {
    expect(passes([100, 50], [110, 55], [80, 81]).isSlower).toBe(false);
  });

  it('finds no row slower that lost next to nothing', () => {
    expect(passes([100, 99], [100, 98.5], [100, 97]).isSlower).toBe(false);
  });

  it('compares each pass with itself, as the machine is not as fast in all of them', () => {
    const { speed } = passes([100, 120], [50, 60], [10, 12]);
    expect(speed).toEqual({ median: 1.2, smallest: 1.2, largest: 1.2 });
  });

  it('takes less for faster where lower is better', () => {
    const { speed, isSlower } = compared({ ...ROW, better: 'lower' }, [{ base: 10, here: 20 }]);
    expect(speed.median).toBe(0.5);
    expect(isSlower).toBe(true);
  });

  it('marks what is slower in its table', () => {
    const table = comparisonTable([passes([100, 50])]);
    expect(table).toContain('| `http-detail` | 100 requests/s | 50 requests/s | 0.5 |');
    expect(table).toContain('**slower**');
  });
});
