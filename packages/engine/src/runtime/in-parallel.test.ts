/** Bounded concurrency, each item once, no work left running. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inParallel } from './in-parallel.ts';

describe('work in parallel', () => {
  it('does each thing once, and never more at a time than it may', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat(20),
        fc.integer({ min: 1, max: 6 }),
        async (scheduler, count, atOnce) => {
          const items = Array.from({ length: count }, (_, index) => index);
          const done: number[] = [];
          let underWay = 0;
          const all = inParallel({
            items,
            atOnce,
            act: async (item) => {
              underWay += 1;
              expect(underWay).toBeLessThanOrEqual(atOnce);
              await scheduler.schedule(Promise.resolve());
              underWay -= 1;
              done.push(item);
            },
          });
          await scheduler.waitFor(all);
          expect(done.toSorted((a, b) => a - b)).toEqual(items);
        },
      ),
    );
  });

  it('begins no more once it is to stop, and ends what it has begun', async () => {
    const done: number[] = [];
    const act = async (item: number) => {
      await Promise.resolve();
      done.push(item);
    };
    await inParallel({ items: [1, 2, 3, 4, 5], atOnce: 2, act, stops: () => done.length >= 2 });
    expect(done).toEqual([1, 2]);
  });

  it('throws the first failure, when nothing is under way any more', async () => {
    const ended: number[] = [];
    const act = async (item: number) => {
      for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
      ended.push(item);
      if (item !== 9) throw new Error(`failure of ${item}`);
    };
    const all = inParallel({ items: [1, 3, 9, 2], atOnce: 3, act });
    await expect(all).rejects.toThrow('failure of 1');
    expect(ended).toEqual([1, 3, 9]);
  });
});
