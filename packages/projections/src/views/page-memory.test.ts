/** What the memory of pages holds is bounded in bytes, whatever is searched for. */
import { expect, it } from 'vitest';
import { PageMemory, searchName } from './page-memory.ts';

const ROOM_BYTES = 8 * 2 ** 20;
const KEY = `1/${'0'.repeat(36)}`;

it('holds little of searches whose filters are as large as a request', () => {
  const memory = new PageMemory();
  const texts = Array.from({ length: 100 }, () => 'x'.repeat(6_000));
  for (let search = 0; search < 500; search += 1) {
    const name = searchName('1/live', 10, { emails: [...texts, String(search)] });
    memory.remember(name, '1 1', 2, { sort: 1, key: KEY });
  }
  expect(memory.bytes).toBeLessThan(500 * 600);
});

it('evicts the least recently used, and never exceeds its size', () => {
  const memory = new PageMemory();
  const first = searchName('1/live', 10, {});
  for (let page = 2; page < 40_000; page += 1) {
    memory.remember(first, '1 1', page, { sort: page, key: KEY });
  }
  expect(memory.bytes).toBeLessThanOrEqual(ROOM_BYTES);
  expect(memory.nearest(first, '1 1', 2)).toBeUndefined();
  expect(memory.nearest(first, '1 1', 40_002)).toEqual({
    page: 39_999,
    anchor: { sort: 39_999, key: KEY },
  });
  expect(memory.nearest(first, '1 2', 39_999)).toBeUndefined();
});

it('distinguishes searches by partition, page size and filter', () => {
  const names = [
    searchName('1/live', 10, {}),
    searchName('2/live', 10, {}),
    searchName('1/live', 11, {}),
    searchName('1/live', 10, { currency: 'GBP' }),
  ];
  expect(new Set(names).size).toBe(names.length);
});
