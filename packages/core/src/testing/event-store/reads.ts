/** Cases of the event-store contract about reading: a stream by pages, the log by subscriptions. */
import { describe, expect, it } from 'vitest';
import type { EventStore } from '../../event-store.ts';
import type { StoredEvent } from '../../kernel/envelope.ts';
import type { Harness } from './harness.ts';
import {
  append,
  appended,
  collect,
  exact,
  expectRisingPositions,
  expectWholeStreams,
  fromHere,
  idsOf,
  newEvents,
  newStream,
  storedAs,
  take,
} from './harness.ts';

const WRITERS = 16;
const APPENDS_PER_WRITER = 12;
const LONG_STREAM = 2_500;
const LONG_STREAM_APPEND = 500;

function readCases(harness: Harness): void {
  it('reads nothing of a stream that is not there', async () => {
    const store = await harness.open();
    expect(await store.read(newStream())).toEqual([]);
    expect(await store.read(newStream(), { from: 3, limit: 2 })).toEqual([]);
  });

  it('reads a stream by pages', async () => {
    const store = await harness.open();
    const request = append({ events: newEvents(10) });
    await appended(store, request);
    await appended(store, append());
    const page = async (from?: number, limit?: number) => {
      const options = {
        ...(from === undefined ? {} : { from }),
        ...(limit === undefined ? {} : { limit }),
      };
      return (await store.read(request.stream, options)).map((event) => event.revision);
    };
    expect(await page(0, 3)).toEqual([0, 1, 2]);
    expect(await page(3, 3)).toEqual([3, 4, 5]);
    expect(await page(8, 3)).toEqual([8, 9]);
    expect(await page(7)).toEqual([7, 8, 9]);
    expect(await page(undefined, 1)).toEqual([0]);
    expect(await page(10, 3)).toEqual([]);
    expect(await page(99)).toEqual([]);
    expect(await page(2, 0)).toEqual([]);
  });

  it('reads a long stream whole and in order', async () => {
    const store = await harness.open();
    const stream = newStream();
    const appends = LONG_STREAM / LONG_STREAM_APPEND;
    const requests = Array.from({ length: appends }, () =>
      append({ stream, events: newEvents(LONG_STREAM_APPEND) }),
    );
    for (const request of requests) await appended(store, request);
    const all = await store.read(stream);
    expect(idsOf(all)).toEqual(requests.flatMap(({ events }) => idsOf(events)));
    expectWholeStreams(all);
    expectRisingPositions(all);
    expect(idsOf(await store.read(stream, { from: 1, limit: 2_000 }))).toEqual(
      idsOf(all.slice(1, 2_001)),
    );
  });

  it('reads what it has just acknowledged', async () => {
    const store = await harness.open();
    const stream = newStream();
    for (let revision = 0; revision < 20; revision += 1) {
      await appended(store, append({ stream }));
      expect(await store.read(stream, { from: revision })).toHaveLength(1);
    }
  });
}

function headCases(harness: Harness): void {
  if (!harness.contract.sharedLog) {
    it('an empty log has no head and no events', async () => {
      const store = await harness.open();
      expect(await store.head()).toBeUndefined();
      expect(await collect(store)).toEqual([]);
    });
  }

  it('the head is where a subscription ends', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    for (let turn = 0; turn < 3; turn += 1) await appended(store, append({ events: newEvents(2) }));
    const log = await collect(store, here);
    expect(log).toHaveLength(6);
    expect(await store.head()).toBe(log.at(-1)?.position);
    expect(await collect(store, await fromHere(store))).toEqual([]);
  });
}

function catchUpCases(harness: Harness): void {
  it('delivers the whole event, in the order of the log', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const first = append({ events: newEvents(2) });
    const second = append();
    const third = append({ stream: first.stream });
    for (const request of [first, second, third]) await appended(store, request);
    expect(await collect(store, here)).toStrictEqual([
      ...storedAs(first, 0),
      ...storedAs(second, 0),
      ...storedAs(third, 2),
    ]);
  });

  it('resumes after any position, without gap or repeat', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    for (let turn = 0; turn < 4; turn += 1) await appended(store, append({ events: newEvents(3) }));
    const log = await collect(store, here);
    expectRisingPositions(log);
    for (const [index, { position }] of log.entries()) {
      expect(idsOf(await collect(store, { after: position }))).toEqual(idsOf(log.slice(index + 1)));
    }
  });

  it.each([1, 2, 5, 100])('delivers batches of at most %i', async (batchSize) => {
    const store = await harness.open();
    const here = await fromHere(store);
    for (let turn = 0; turn < 4; turn += 1) await appended(store, append({ events: newEvents(3) }));
    const sizes: number[] = [];
    for await (const batch of store.subscribe({ ...here, batchSize, untilHead: true })) {
      sizes.push(batch.length);
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(batchSize);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(12);
  });

  it('until head ends where the head was, though the log grows meanwhile', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const request = append({ events: newEvents(4) });
    await appended(store, request);
    const seen: StoredEvent[] = [];
    for await (const batch of store.subscribe({ ...here, batchSize: 1, untilHead: true })) {
      seen.push(...batch);
      // An adapter that follows the moving head must fail here, and not run without end.
      if (seen.length > request.events.length) break;
      await appended(store, append());
    }
    expect(idsOf(seen)).toEqual(idsOf(request.events));
  });
}

/** The next `count` events, in any number of batches. */
async function nextIds(
  subscription: AsyncIterator<readonly StoredEvent[]>,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(...idsOf((await subscription.next()).value));
  return ids;
}

function liveCases(harness: Harness): void {
  it('catches up, then delivers what is appended', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const past = append({ events: newEvents(2) });
    await appended(store, past);
    const subscription = store.subscribe(here)[Symbol.asyncIterator]();
    expect(await nextIds(subscription, 2)).toEqual(idsOf(past.events));
    for (let turn = 0; turn < 3; turn += 1) {
      const pending = nextIds(subscription, 2);
      const live = append({ events: newEvents(2) });
      await appended(store, live);
      expect(await pending).toEqual(idsOf(live.events));
    }
    await subscription.return?.();
  });

  it('ends when its signal fires while it waits', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const controller = new AbortController();
    const options = { ...here, signal: controller.signal };
    const subscription = store.subscribe(options)[Symbol.asyncIterator]();
    const pending = subscription.next();
    controller.abort();
    expect((await pending).done).toBe(true);
    await appended(store, append());
    expect((await subscription.next()).done).toBe(true);
  });

  it('ends when its signal fires between batches, or had fired before', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    await appended(store, append({ events: newEvents(3) }));
    const controller = new AbortController();
    const options = { ...here, batchSize: 1, signal: controller.signal };
    let batches = 0;
    for await (const _batch of store.subscribe(options)) {
      batches += 1;
      controller.abort();
    }
    expect(batches).toBe(1);
    for await (const batch of store.subscribe(options)) expect(batch).toBe('never delivered');
  });

  it('serves several subscriptions, each at its own pace', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const slow = store.subscribe({ ...here, batchSize: 1 })[Symbol.asyncIterator]();
    const fast = take(store, 6, here);
    const batched = take(store, 6, { ...here, batchSize: 2 });
    const waiting = slow.next();
    for (let turn = 0; turn < 3; turn += 1) await appended(store, append({ events: newEvents(2) }));
    const log = idsOf(await collect(store, here));
    expect(idsOf(await fast)).toEqual(log);
    expect(idsOf(await batched)).toEqual(log);
    const first = idsOf((await waiting).value);
    expect([...first, ...(await nextIds(slow, log.length - first.length))]).toEqual(log);
    await slow.return?.();
  });
}

/** Appends to shared and to own streams in turn; returns the ids of all it has appended. */
async function write(store: EventStore, writer: number): Promise<readonly string[]> {
  const ids: string[] = [];
  const own = newStream();
  for (let turn = 0; turn < APPENDS_PER_WRITER; turn += 1) {
    const events = newEvents(1 + ((writer + turn) % 3));
    const stream = turn % 3 === 0 ? newStream() : own;
    await appended(store, append({ stream, events }));
    ids.push(...idsOf(events));
  }
  return ids;
}

function gapCases(harness: Harness): void {
  it('misses and repeats nothing while many write at once', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const controller = new AbortController();
    const follow = async (batchSize: number) => {
      const events: StoredEvent[] = [];
      const options = { ...here, batchSize, signal: controller.signal };
      for await (const batch of store.subscribe(options)) {
        events.push(...batch);
        if (events.some((event) => event.id === last.events[0]?.id)) break;
      }
      return events;
    };
    const last = append();
    const followers = [follow(1), follow(7), follow(1_000)];
    const written = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => write(store, writer)),
    );
    await appended(store, last);
    const ids = new Set([...written.flat(), ...idsOf(last.events)]);
    for (const events of await Promise.all(followers)) {
      expectRisingPositions(events);
      expectWholeStreams(events);
      expect(events).toHaveLength(ids.size);
      expect(new Set(idsOf(events))).toEqual(ids);
    }
  });

  it('delivers the winners of races only', async () => {
    const store = await harness.open();
    const here = await fromHere(store);
    const stream = newStream();
    await appended(store, append({ stream }));
    for (let revision = 0; revision < 10; revision += 1) {
      const racers = Array.from({ length: 4 }, () =>
        store.append(append({ stream, expected: exact(revision) })),
      );
      await Promise.all(racers);
    }
    const log = await collect(store, here);
    expect(log.map((event) => event.revision)).toEqual(Array.from({ length: 11 }, (_, at) => at));
    expect(await store.read(stream)).toStrictEqual(log);
  });
}

export function describeReads(harness: Harness): void {
  describe('read', () => readCases(harness));
  describe('head', () => headCases(harness));
  describe('catch-up', () => catchUpCases(harness));
  describe('live', () => liveCases(harness));
  describe('no gap', () => gapCases(harness));
}
