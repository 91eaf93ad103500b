/** The cache is cleared at the end of a turn of the event loop, and at the writer's news. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TurnCache } from './turn-cache.ts';

function counting() {
  const world = { news: 'a', asked: 0 };
  const memory = new TurnCache(() => world.news);
  const ask = (question = 'q') =>
    memory.recall(question, () => {
      world.asked += 1;
      return world.asked;
    });
  return { world, ask };
}

it('asks once a turn', async () => {
  const { world, ask } = counting();
  expect([ask(), ask(), await Promise.resolve().then(() => ask())]).toEqual([1, 1, 1]);
  await nextTurn();
  expect([ask(), ask()]).toEqual([2, 2]);
  expect(world.asked).toBe(2);
});

it('keeps different questions apart', () => {
  const { ask } = counting();
  expect([ask('one'), ask('other'), ask('one')]).toEqual([1, 2, 1]);
});

it('asks again in the same turn after news of the writer', () => {
  const { world, ask } = counting();
  expect(ask()).toBe(1);
  world.news = 'b';
  expect([ask(), ask()]).toEqual([2, 2]);
});

it('caches undefined', () => {
  const memory = new TurnCache(() => undefined);
  let asked = 0;
  const ask = () =>
    memory.recall('q', () => {
      asked += 1;
      return undefined;
    });
  ask();
  ask();
  expect(asked).toBe(1);
});

it('calls back once when it is cleared: at the end of the turn, or at news of the writer', async () => {
  const world = { news: 'a' };
  const memory = new TurnCache(() => world.news);
  const ended: string[] = [];
  const begin = (name: string) =>
    memory.recall('moment', () => memory.onClear(() => ended.push(name)));
  begin('first');
  begin('the same');
  expect(ended).toEqual([]);
  world.news = 'b';
  begin('second');
  expect(ended).toEqual(['first']);
  await nextTurn();
  expect(ended).toEqual(['first', 'second']);
});

it('asks again after a question that failed', () => {
  const memory = new TurnCache(() => undefined);
  const fail = () => {
    throw new Error('busy');
  };
  expect(() => memory.recall('q', fail)).toThrow('busy');
  expect(memory.recall('q', () => 1)).toBe(1);
});
