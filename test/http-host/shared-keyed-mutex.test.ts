/** The mutex across hosts: exclusive per key, and released when a host dies. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SharedKeyedMutex, type SharedKeyedMutexOptions } from '@counterfoil/engine';
import { type HostDatabase, openHostDatabase } from '@counterfoil/engine/storage';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { newDatabase } from '../setup/databases.ts';

const TIMEOUT_MS = 120_000;

/** Hosts on one database, each with its own mutex and pool. */
async function hosts(count: number, options: Omit<SharedKeyedMutexOptions, 'pool'> = {}) {
  const url = await newDatabase();
  const opened: { database: HostDatabase; mutex: SharedKeyedMutex }[] = [];
  for (let host = 0; host < count; host += 1) {
    const database = await openHostDatabase(url);
    opened.push({ database, mutex: new SharedKeyedMutex({ pool: database.pool, ...options }) });
  }
  onTestFinished(async () => {
    for (const { database, mutex } of opened) {
      await mutex.close();
      await database.close();
    }
  });
  return opened;
}

it('never has two at one name, whichever hosts ask', { timeout: TIMEOUT_MS }, async () => {
  const opened = await hosts(3);
  const work = fc.record({
    host: fc.nat({ max: 2 }),
    name: fc.constantFrom('a', 'b'),
    steps: fc.nat({ max: 3 }),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(work, { minLength: 2, maxLength: 12 }), async (asked) => {
      const atWork = new Set<string>();
      let most = 0;
      const ended = await Promise.allSettled(
        asked.map(({ host, name, steps, fails }) =>
          opened[host]?.mutex.runExclusive(name, async () => {
            expect(atWork.has(name)).toBe(false);
            atWork.add(name);
            most = Math.max(most, atWork.size);
            for (let step = 0; step < steps; step += 1) await nextTurn();
            atWork.delete(name);
            if (fails) throw new Error('as it was to be');
          }),
        ),
      );
      const faults = ended.map(({ status }) => status === 'rejected');
      expect(faults).toEqual(asked.map(({ fails }) => fails));
      expect(most).toBeLessThanOrEqual(2);
    }),
    { numRuns: 30 },
  );
});

it('is released when its host ends', { timeout: TIMEOUT_MS }, async () => {
  const [one, other] = await hosts(2);
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const first = one?.mutex.runExclusive('payment', async () => {
    begin();
    await gate;
  });
  await begun;
  // As the server sees the death of a host: its connections end.
  await one?.mutex.close();
  expect(await other?.mutex.runExclusive('payment', async () => 'went on')).toBe('went on');
  open();
  await first;
});

it('times out while another host holds it', { timeout: TIMEOUT_MS }, async () => {
  const [one, other] = await hosts(2, { longestWaitMs: 50 });
  await one?.mutex.runExclusive('payment', async () => {
    const waiting = other?.mutex.runExclusive('payment', async () => 'never');
    await expect(waiting).rejects.toMatchObject({ code: 'PaymentBusy' });
    expect(await other?.mutex.runExclusive('another', async () => 'at once')).toBe('at once');
  });
});
