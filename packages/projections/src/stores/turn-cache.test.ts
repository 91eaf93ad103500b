/** A reader's memory lasts for one turn of the event loop, or until the writer's next word. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TurnMemory } from './turn-memory.ts';

function counting() {
  const world = { told: 'a', asked: 0 };
  const memory = new TurnMemory(() => world.told);
  const ask = (question = 'q') =>
    memory.recall(question, () => {
      world.asked += 1;
      return world.asked;
    });
  return { world, ask };
}

it('asks once a turn, whoever asks', async () => {
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

it('asks anew in the same turn after a word of the writer', () => {
  const { world, ask } = counting();
  expect(ask()).toBe(1);
  world.told = 'b';
  expect([ask(), ask()]).toEqual([2, 2]);
});

it('remembers that there is nothing', () => {
  const memory = new TurnMemory(() => undefined);
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

it('tells once when it forgets: at the end of the turn, or at a word of the writer', async () => {
  const world = { told: 'a' };
  const memory = new TurnMemory(() => world.told);
  const ended: string[] = [];
  const begin = (name: string) =>
    memory.recall('moment', () => memory.whenForgotten(() => ended.push(name)));
  begin('first');
  begin('the same');
  expect(ended).toEqual([]);
  world.told = 'b';
  begin('second');
  expect(ended).toEqual(['first']);
  await nextTurn();
  expect(ended).toEqual(['first', 'second']);
});

it('asks again after a question that failed', () => {
  const memory = new TurnMemory(() => undefined);
  const fail = () => {
    throw new Error('busy');
  };
  expect(() => memory.recall('q', fail)).toThrow('busy');
  expect(memory.recall('q', () => 1)).toBe(1);
});
