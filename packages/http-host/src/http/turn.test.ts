/** The end of a turn: one for all that arrive in it, as far as they are not too many. */
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

it('lets a hundred go on before the others are read', async () => {
  const turn = new Turn();
  let gone = 0;
  const seen: number[] = [];
  for (let arrived = 1; arrived <= 250; arrived += 1) {
    void turn.end().then(() => {
      gone += 1;
    });
    // As the next socket that is ready, after the microtasks of the one before.
    await Promise.resolve();
    if (arrived === 99 || arrived === 200 || arrived === 250) seen.push(gone);
  }
  expect(seen).toEqual([0, 200, 200]);
  await turn.end();
  expect(gone).toBe(250);
});
