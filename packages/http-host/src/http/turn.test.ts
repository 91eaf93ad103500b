/** The end of a turn: one for all that arrive in it, and another for what comes later. */
import { expect, it } from 'vitest';
import { Turn } from './turn.ts';

it('lets what arrived in one turn go on together, after all of it has been read', async () => {
  const turn = new Turn();
  const steps: string[] = [];
  const arrive = async (name: string) => {
    steps.push(`${name} arrives`);
    await turn.end();
    steps.push(`${name} goes on`);
  };
  const first = arrive('first');
  // As the next socket that is ready, after the microtasks of the one before.
  await Promise.resolve().then(() => undefined);
  await Promise.all([first, arrive('second')]);
  expect(steps).toEqual(['first arrives', 'second arrives', 'first goes on', 'second goes on']);
});

it('has another end for what arrives later', async () => {
  const turn = new Turn();
  const first = turn.end();
  expect(turn.end()).toBe(first);
  await first;
  const second = turn.end();
  expect(second).not.toBe(first);
  await second;
});
