/** Counts requests per window and bounds the number of windows in memory. */
import { expect, it } from 'vitest';
import { MemoryCounter } from './counter.ts';

const MAX_WINDOWS = 50_000;

it('counts in windows of its own for each key', async () => {
  let nowMs = 0;
  const counter = new MemoryCounter({ durationMs: 1_000, now: () => nowMs });
  expect(await counter.consume('a')).toEqual({ consumedPoints: 1, msBeforeNext: 1_000 });
  nowMs = 400;
  expect(await counter.consume('a', 2)).toEqual({ consumedPoints: 3, msBeforeNext: 600 });
  expect(await counter.consume('b')).toEqual({ consumedPoints: 1, msBeforeNext: 1_000 });
  nowMs = 1_000;
  expect(await counter.consume('a')).toEqual({ consumedPoints: 1, msBeforeNext: 1_000 });
  nowMs = 0;
  expect(await counter.consume('a')).toEqual({ consumedPoints: 1, msBeforeNext: 1_000 });
});

it('bounds the number of windows', async () => {
  const counter = new MemoryCounter({ durationMs: 1_000, now: () => 0 });
  for (let network = 0; network < MAX_WINDOWS + 10; network += 1) {
    await counter.consume(`2001:db8:${network}:1`);
  }
  expect(counter.size).toBe(MAX_WINDOWS);
});
