/** The next item is made while the one before is used: in order, and never more than one ahead. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ahead } from './ahead.ts';

describe('items made ahead', () => {
  it('come in order, each once, with one more under way at most', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(12), async (scheduler, count) => {
        let made = 0;
        const source = async function* () {
          for (let item = 0; item < count; item += 1) {
            await scheduler.schedule(Promise.resolve());
            made += 1;
            yield item;
          }
        };
        const used: number[] = [];
        const use = async () => {
          for await (const item of ahead(source())) {
            await scheduler.schedule(Promise.resolve());
            used.push(item);
            expect(made).toBeLessThanOrEqual(used.length + 1);
          }
        };
        await scheduler.waitFor(use());
        expect(used).toEqual(Array.from({ length: count }, (_, item) => item));
      }),
    );
  });

  it('are under way while the one before is used', async () => {
    const begun: string[] = [];
    const source = async function* () {
      for (const item of ['one', 'two', 'three']) {
        begun.push(item);
        yield item;
      }
    };
    const items = ahead(source());
    await items.next();
    expect(begun).toEqual(['one', 'two']);
  });

  it('fail where the item would have come, and the source ends with its consumer', async () => {
    let isEnded = false;
    const source = async function* () {
      try {
        yield 'one';
        throw new Error('no second');
      } finally {
        isEnded = true;
      }
    };
    const used: string[] = [];
    const use = async () => {
      for await (const item of ahead(source())) used.push(item);
    };
    await expect(use()).rejects.toThrow('no second');
    expect(used).toEqual(['one']);
    const endless = async function* () {
      isEnded = false;
      try {
        for (;;) yield 'more';
      } finally {
        isEnded = true;
      }
    };
    for await (const item of ahead(endless())) {
      expect(item).toBe('more');
      break;
    }
    await Promise.resolve();
    expect(isEnded).toBe(true);
  });
});
