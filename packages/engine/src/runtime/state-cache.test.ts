/** What the cache of folded streams keeps and evicts. */
import type { CommandId, Loaded, StreamName } from '@counterfoil/core';
import { expect, it } from 'vitest';
import { createStateCache } from './state-cache.ts';

const LONG = 10_000;
/** More than the cache has room for. */
const MANY_LONG = 120;
const ROOM_BYTES = 128 * 2 ** 20;
/** The event of the largest request body. */
const LARGE = 2 ** 20;

function loaded(commands: number, characters = 0): Loaded<unknown> {
  const carried = { fingerprint: 'f', firstRevision: 0, receipt: { revision: 0, position: '' } };
  const ids = Array.from({ length: commands }, (_, number) => `${number}` as CommandId);
  return {
    state: {},
    revision: commands - 1,
    commands: new Map(ids.map((id) => [id, carried as never])),
    characters,
  };
}

function nameOf(number: number): StreamName {
  return `sample-1-${number}` as StreamName;
}

it('evicts the least recently used long streams', () => {
  const cache = createStateCache();
  for (let number = 0; number < MANY_LONG; number += 1) cache.set(nameOf(number), loaded(LONG));
  expect(cache.get(nameOf(0))).toBeUndefined();
  expect(cache.get(nameOf(MANY_LONG - 1))).toBeDefined();
});

it('keeps a stream however long it is, and thousands of short ones beside it', () => {
  const cache = createStateCache();
  cache.set(nameOf(0), loaded(60 * LONG));
  for (let number = 1; number < LONG; number += 1) cache.set(nameOf(number), loaded(5));
  expect(cache.get(nameOf(0))).toBeDefined();
  expect(cache.get(nameOf(1))).toBeDefined();
});

it('holds no more for those who send large orders', () => {
  const cache = createStateCache();
  for (let number = 0; number < 1_000; number += 1) cache.set(nameOf(number), loaded(1, LARGE));
  expect(cache.bytes).toBeLessThanOrEqual(ROOM_BYTES);
  expect(cache.get(nameOf(0))).toBeUndefined();
  expect(cache.get(nameOf(999))).toBeDefined();
});
