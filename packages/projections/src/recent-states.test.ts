/** What a projection keeps decoded between batches is bounded, by number and by size. */
import { expect, it } from 'vitest';
import { RecentStates } from './recent-states.ts';

const ROOM = 8 * 2 ** 20;

it('keeps all that a batch needs, and no more than its room afterwards', () => {
  const states = new RecentStates();
  for (let number = 0; number < 100; number += 1) states.set(`${number}`, number, 2 ** 20);
  expect(states.get('0')).toBe(0);
  states.trim();
  expect(states.characters).toBeLessThanOrEqual(ROOM);
  expect([states.get('0'), states.get('99')]).toEqual([undefined, 99]);
});

it('counts a state that is set again once, and as the newest', () => {
  const states = new RecentStates();
  states.set('a', 1, 5 * 2 ** 20);
  states.set('b', 1, 2 ** 20);
  states.set('a', 2, ROOM);
  states.trim();
  expect(states.characters).toBe(ROOM);
  expect([states.get('a'), states.has('b')]).toEqual([2, false]);
});
