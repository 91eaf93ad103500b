/** What is answered from memory is what the file holds: the newest events, and where a stream ends. */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventStore, Position, StoredEvent, StreamName } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import fc from 'fast-check';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { idsOf, newAppend, wholeLog } from './support/appends.ts';
import { newFolder, removeFolders } from './support/folders.ts';

const PROPERTY_MS = 60_000;
/** More than is kept in memory. */
const MANY = 3_000;
/** Looks at the file until the writer's thread has committed. */
const MAX_TRIES = 2_000;
const PAUSE_MS = 5;

afterAll(removeFolders);

async function open(): Promise<EventStore> {
  const store = await openSqliteEventStore({ path: join(newFolder(), 'log.db') });
  onTestFinished(() => store.close());
  return store;
}

/** `count` events of a live subscription. */
async function followed(
  store: EventStore,
  options: { readonly after?: Position; readonly batchSize: number },
  count: number,
): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  if (count === 0) return found;
  for await (const batch of store.subscribe(options)) {
    found.push(...batch);
    if (found.length >= count) break;
  }
  return found;
}

const STREAMS = ['lead-7-a', 'lead-7-b'] as StreamName[];
const append = fc.record({
  stream: fc.constantFrom(...STREAMS),
  count: fc.integer({ min: 1, max: 5 }),
  /** A repeated command, or one for a stream that there is already, adds nothing. */
  kind: fc.constantFrom('new', 'new', 'new', 'repeated', 'conflicting'),
  isAwaited: fc.boolean(),
});

it('a live subscription has the events of the file, from wherever it begins', {
  timeout: PROPERTY_MS,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(append, { minLength: 1, maxLength: 30 }),
      fc.nat(),
      fc.integer({ min: 1, max: 7 }),
      async (appends, place, batchSize) => {
        const store = await openSqliteEventStore({ path: join(newFolder(), 'log.db') });
        let last = newAppend();
        const pending: Promise<unknown>[] = [];
        for (const { stream, count, kind, isAwaited } of appends) {
          if (kind === 'new') last = { ...newAppend(count), stream, expected: { kind: 'any' } };
          const request =
            kind === 'conflicting'
              ? { ...newAppend(count), stream, expected: { kind: 'exact', revision: 900 } as const }
              : last;
          const done = store.append(request);
          pending.push(done);
          if (isAwaited) await done;
        }
        await Promise.all(pending);
        const all = await wholeLog(store);
        const from = place % (all.length + 1);
        const after = all[from - 1]?.position;
        const options = { batchSize, ...(after !== undefined && { after }) };
        expect(await followed(store, options, all.length - from)).toEqual(all.slice(from));
        await store.close();
      },
    ),
    { numRuns: 15 },
  );
});

it('what is no longer in memory is read from the file', async () => {
  const store = await open();
  const sizes = Array.from({ length: MANY / 100 }, () => 100);
  await Promise.all(sizes.map((size) => store.append(newAppend(size))));
  const all = await wholeLog(store);
  expect(await followed(store, { batchSize: 50 }, MANY)).toEqual(all);
  const after = (all[MANY - 10] as StoredEvent).position;
  expect(await followed(store, { batchSize: 50, after }, 9)).toEqual(all.slice(-9));
});

it('a log that was opened again is read from the file, and goes on in memory', async () => {
  const path = join(newFolder(), 'log.db');
  const first = await openSqliteEventStore({ path });
  await first.append(newAppend(3));
  await first.close();
  const store = await openSqliteEventStore({ path });
  onTestFinished(() => store.close());
  await store.append(newAppend(2));
  const all = await wholeLog(store);
  expect(all).toHaveLength(5);
  expect(await followed(store, { batchSize: 500 }, 5)).toEqual(all);
});

it('a stream has the events that others see in the file while their append is not answered', async () => {
  const path = join(newFolder(), 'log.db');
  const store = await openSqliteEventStore({ path });
  onTestFinished(() => store.close());
  const other = await openSqliteEventStore({ path, follow: true });
  onTestFinished(() => other.close());
  const request = newAppend(2);
  const { stream } = request;
  await store.append(newAppend());
  expect(await store.read(stream)).toEqual([]);
  const appending = store.append(request);
  // Sent to the writer at the end of this turn.
  await nextTurn();
  // In one turn from here on: the answer of the writer is not read before the next one.
  const seen = await readWithinTurn(other, stream);
  expect(idsOf(seen)).toEqual(idsOf(request.events));
  expect(await store.read(stream)).toEqual(seen);
  await appending;
  expect(await store.read(stream, { from: 1 })).toEqual(seen.slice(1));
  expect(await store.read(stream, { from: 2 })).toEqual([]);
});

/** Blocks this thread until the file has events of the stream. */
async function readWithinTurn(
  store: EventStore,
  stream: StreamName,
): Promise<readonly StoredEvent[]> {
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = await store.read(stream);
    if (found.length > 0) return found;
    Atomics.wait(pause, 0, 0, PAUSE_MS);
  }
  throw new Error(`${stream} was not written`);
}
