/** What is remembered of streams is true, has no holes, and is bounded. */
import type { CommandId, StoredEvent, StreamName } from '@counterfoil/core';
import { expect, it } from 'vitest';
import { KnownStreams } from './known-streams.ts';

const name = (text: string) => text as StreamName;
const command = (text: string) => text as CommandId;
const events = (from: number, ...commands: string[]) =>
  commands.map((id, index) => ({ revision: from + index, commandId: id }) as StoredEvent);

it('begins with the first event of a stream, and with an empty one', () => {
  const known = new KnownStreams();
  known.learn(name('a'), 3, events(3, 'x'));
  expect(known.get(name('a'))).toBeUndefined();
  known.learn(name('a'), 0, []);
  expect(known.get(name('a'))?.revision).toBe(-1);
  known.learn(name('a'), 0, events(0, 'x', 'x', 'y'));
  expect(known.get(name('a'))).toMatchObject({ revision: 2 });
  expect(known.get(name('a'))?.commands).toEqual(
    new Map([
      ['x', 1],
      ['y', 2],
    ]),
  );
});

it('takes nothing that would leave a hole, and nothing back', () => {
  const known = new KnownStreams();
  known.learn(name('a'), 0, events(0, 'x', 'y'));
  known.learn(name('a'), 3, events(3, 'z'));
  known.appended(name('a'), 4, command('w'), 5);
  expect(known.get(name('a'))?.revision).toBe(1);
  known.learn(name('a'), 0, events(0, 'x'));
  known.learn(name('a'), 2, []);
  known.appended(name('a'), 0, command('y'), 1);
  expect(known.get(name('a'))?.revision).toBe(1);
  known.appended(name('a'), 1, command('z'), 3);
  expect(known.get(name('a'))?.commands.get(command('z'))).toBe(3);
});

it('begins with an append to a stream that was not there', () => {
  const known = new KnownStreams();
  known.appended(name('a'), -1, command('x'), 2);
  known.appended(name('b'), 0, command('y'), 1);
  expect(known.get(name('a'))?.revision).toBe(2);
  expect(known.get(name('b'))).toBeUndefined();
});

it('forgets what was not used for longest, and never what is used now', () => {
  const known = new KnownStreams(6);
  for (const stream of ['a', 'b', 'c']) known.appended(name(stream), -1, command('x'), 0);
  known.get(name('a'));
  known.appended(name('d'), -1, command('x'), 0);
  expect(['a', 'b', 'c', 'd'].map((stream) => known.get(name(stream)) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ]);
  known.learn(name('long'), 0, events(0, '1', '2', '3', '4', '5', '6', '7', '8'));
  expect(known.get(name('long'))?.commands.size).toBe(8);
  expect(known.get(name('d'))).toBeUndefined();
  known.appended(name('e'), -1, command('x'), 0);
  expect(known.get(name('long'))).toBeUndefined();
});
