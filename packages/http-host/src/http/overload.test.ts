/** When a request is refused because of overload. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Overload } from './overload.ts';

const LIMITS = { maxInFlight: 100, maxLoopDelayMs: 200 };

/** Begins requests in one turn, one every `stepMs`; returns the indices of those refused. */
function refusedOf(overload: Overload, requests: number, stepMs: number): number[] {
  const refused: number[] = [];
  for (let request = 0; request < requests; request += 1) {
    const nowMs = request * stepMs;
    overload.begin(nowMs);
    if (overload.isTooMuch(nowMs)) refused.push(request);
  }
  return refused;
}

describe('overload', () => {
  it('is more in flight than is allowed, until some of it is answered', () => {
    const overload = new Overload(LIMITS);
    expect(refusedOf(overload, 102, 0)).toEqual([100, 101]);
    for (let answered = 0; answered < 3; answered += 1) overload.end();
    overload.begin(0);
    expect(overload.isTooMuch(0)).toBe(false);
    expect(overload.inFlight).toBe(100);
  });

  it('is a turn of the event loop that takes too long', () => {
    expect(refusedOf(new Overload(LIMITS), 84, 2.5)).toEqual([81, 82, 83]);
  });

  it('is a wait for the answers of the turn before', async () => {
    const overload = new Overload({ ...LIMITS, maxInFlight: 1_000 }, () => -201);
    expect(refusedOf(overload, 60, 0)).toEqual([]);
    await setImmediate();
    // Its requests are answered; these are read then.
    expect(refusedOf(overload, 52, 0)).toEqual([49, 50, 51]);
  });

  it('is over with the turn', async () => {
    const overload = new Overload({ ...LIMITS, maxInFlight: 1_000 });
    expect(refusedOf(overload, 84, 2.5)).toHaveLength(3);
    await setImmediate();
    await setImmediate();
    overload.begin(1_000);
    expect(overload.isTooMuch(1_000)).toBe(false);
  });

  it('is not one slow request, nor a few', () => {
    expect(refusedOf(new Overload(LIMITS), 49, 1_000)).toEqual([]);
  });
});
