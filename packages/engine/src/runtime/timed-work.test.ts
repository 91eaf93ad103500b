/** The loop of scheduled work: every work runs, none delays another, and a stop waits. */
import { setImmediate } from 'node:timers/promises';
import { ReadModelError } from '@counterfoil/projections';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TimedWork, TimedWorks } from './timed-work.ts';

const POLLING = { timeout: 10_000, interval: 5 };

/** Work that reports its start, and waits until it is released. */
class Gated implements TimedWork {
  readonly name: string;
  rounds = 0;
  running = 0;
  fault: Error | undefined;
  gate: Promise<void> | undefined;
  readonly stopped: boolean[] = [];

  constructor(name: string) {
    this.name = name;
  }

  async nextDueAt(): Promise<string | undefined> {
    return undefined;
  }

  async runDue(stopping: AbortSignal): Promise<void> {
    this.running += 1;
    expect(this.running).toBe(1);
    this.rounds += 1;
    const { fault } = this;
    try {
      await this.gate;
      this.stopped.push(stopping.aborted);
      if (fault !== undefined) throw fault;
    } finally {
      this.running -= 1;
    }
  }
}

function start(...works: readonly Gated[]) {
  const errors: unknown[] = [];
  const logger = {
    debug() {},
    info() {},
    warn() {},
    error: (...line: unknown[]) => errors.push(line),
  };
  const timed = new TimedWorks({ works, intervalMs: 10, logger });
  void timed.repeat();
  onTestFinished(() => timed.stop());
  return { timed, errors };
}

describe('timed work', () => {
  it('continues after an error, which is logged, and does not delay other work', async () => {
    const [good, bad, slow] = [new Gated('good'), new Gated('bad'), new Gated('slow')];
    bad.fault = new Error('not today');
    const { promise, resolve } = Promise.withResolvers<void>();
    slow.gate = promise;
    const { errors } = start(good, bad, slow);
    await vi.waitUntil(() => bad.rounds >= 2 && good.rounds >= 2, POLLING);
    expect(slow.rounds).toBe(1);
    expect(errors[0]).toMatchObject([{ work: 'bad', err: bad.fault }, expect.any(String)]);
    resolve();
  });

  it('does not log read models that are being built', async () => {
    const early = new Gated('early');
    early.fault = new ReadModelError('not-ready', 'wait');
    const { errors } = start(early);
    await vi.waitUntil(() => early.rounds >= 2, POLLING);
    expect(errors).toEqual([]);
  });

  it('runs one round at a time for all callers', async () => {
    const work = new Gated('work');
    const { promise, resolve } = Promise.withResolvers<void>();
    work.gate = promise;
    const { timed } = start(work);
    const asked = [timed.run(work), timed.run(work), timed.run(work)];
    resolve();
    await Promise.all(asked);
    expect(work.rounds).toBeGreaterThanOrEqual(3);
  });

  it('rejects for the caller of a round that failed', async () => {
    const work = new Gated('work');
    work.fault = new Error('not today');
    const { timed } = start(work);
    await expect(timed.run(work)).rejects.toThrow('not today');
  });

  it('waits at a stop for the running round, and starts no other', async () => {
    const work = new Gated('work');
    const { promise, resolve } = Promise.withResolvers<void>();
    work.gate = promise;
    const { timed } = start(work);
    const asked = timed.run(work);
    let isStopped = false;
    const stopped = timed.stop().then(() => {
      isStopped = true;
    });
    await vi.waitUntil(() => work.running === 1, POLLING);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(isStopped).toBe(false);
    resolve();
    await Promise.all([asked, stopped]);
    expect(work.stopped).toEqual([true]);
    await timed.run(work);
    expect(work.rounds).toBe(1);
  });
});
