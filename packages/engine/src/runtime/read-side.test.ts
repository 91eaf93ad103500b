/** Read-your-writes, across hosts. */
import type { Position } from '@counterfoil/core';
import { Progress, shardOf } from '@counterfoil/projections';
import { describe, expect, it } from 'vitest';
import { ReadSide } from './read-side.ts';

const at = (position: string) => position as Position;

function reach(progress: Progress, position: string): void {
  progress.receive({ type: 'caught-up-to', position: at(position), events: 1, behindMs: 0 });
}

/** Whether a promise has settled, after the pending microtasks. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

describe('a read on a log that other hosts write to', () => {
  it('waits for the head of the log as it is when the read comes', async () => {
    const progress = new Progress();
    let head = '5';
    const readSide = new ReadSide(progress, at('3'), async () => at(head));
    reach(progress, '4');
    const first = readSide.caughtUp(1);
    expect(await isDone(first)).toBe(false);
    head = '6';
    reach(progress, '5');
    await first;
    const second = readSide.caughtUp(1);
    expect(await isDone(second)).toBe(false);
    reach(progress, '6');
    await second;
  });

  it('waits for the shard of its tenant alone', async () => {
    const progress = new Progress();
    const readSide = new ReadSide(progress, at('3'));
    const [early, late] = [shardOf(1, 8), shardOf(2, 8)];
    const reachOf = (...these: number[]) =>
      progress.receive({
        type: 'caught-up-to',
        position: at('3'),
        events: 1,
        behindMs: 0,
        shards: { these, of: 8 },
      });
    reachOf(early);
    expect(await isDone(readSide.caughtUp(1))).toBe(true);
    const waiting = readSide.caughtUp(2);
    expect(await isDone(waiting)).toBe(false);
    reachOf(late);
    await waiting;
  });

  it('never uses the result of a query that started before it', async () => {
    const progress = new Progress();
    reach(progress, '1');
    const answers: ((position: Position) => void)[] = [];
    const ask = () => new Promise<Position>((resolve) => answers.push(resolve));
    const readSide = new ReadSide(progress, undefined, ask);
    const before = readSide.caughtUp(1);
    expect(await isDone(before)).toBe(false);
    const after = [readSide.caughtUp(1), readSide.caughtUp(2)];
    expect(answers).toHaveLength(1);
    answers[0]?.(at('1'));
    await before;
    expect(await isDone(Promise.race(after))).toBe(false);
    // Both share one query.
    expect(answers).toHaveLength(2);
    answers[1]?.(at('2'));
    expect(await isDone(Promise.race(after))).toBe(false);
    reach(progress, '2');
    await Promise.all(after);
  });

  it('queries again after a failed query', async () => {
    const progress = new Progress();
    reach(progress, '1');
    let failures = 1;
    const readSide = new ReadSide(progress, undefined, async () => {
      if (failures > 0) {
        failures -= 1;
        throw new Error('the log is away');
      }
      return at('1');
    });
    await expect(readSide.caughtUp(1)).rejects.toThrow('the log is away');
    await readSide.caughtUp(1);
  });
});
