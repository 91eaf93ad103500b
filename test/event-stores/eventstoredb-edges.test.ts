/** The sharp edges of `@eventstore/db-client` 6.2.1: each is shown by itself, so that its mending is noticed, and built around. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ProtocolServer, startProtocolServer } from '../eventstoredb-server/server.ts';
import { appendOf, idsOf, idsOfAll, newAppend, wholeLog } from './support/appends.ts';
import { closeStores, newPrefix, open, serverForThisFile } from './support/eventstoredb.ts';

const TIMEOUT_MS = 60_000;
const WAIT = { timeout: TIMEOUT_MS };

const server = serverForThisFile();
const openHere = (options: object = {}) => open({ url: server().url, ...options });

afterEach(async () => {
  server().faults.clear();
  server().faults.release();
  await closeStores();
});

/** The client as it is, without what the adapter builds around it. */
function bare(options = '', at: ProtocolServer = server()): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(`${at.url}${options}`);
  onTestFinished(() => client.dispose());
  return client;
}

const newEvent = () => jsonEvent({ type: 'Captured', data: { amountMinor: '1' } });

/** Settles with what a promise came to, or is `pending` for as long as it has come to nothing. */
function watch(promise: Promise<unknown>): { outcome: 'pending' | 'resolved' | 'rejected' } {
  const watched: ReturnType<typeof watch> = { outcome: 'pending' };
  promise.then(
    () => {
      watched.outcome = 'resolved';
    },
    () => {
      watched.outcome = 'rejected';
    },
  );
  return watched;
}

describe('pending batch appends live in a map of the whole process', {
  timeout: TIMEOUT_MS,
}, () => {
  it('the client: a broken connection rejects the appends of another client', async () => {
    const other = await startProtocolServer();
    onTestFinished(() => other.close());
    const [broken, sound] = [bare(), bare('', other)];
    await broken.appendToStream('warm-1', newEvent());
    other.faults.set({ kind: 'stall', when: 'beforeApply', on: 'batchAppend' });
    const pending = sound.appendToStream('sound-1', newEvent());
    const watched = watch(pending);
    await vi.waitUntil(() => other.faults.stalled === 1, WAIT);
    server().dropConnections();
    await vi.waitUntil(() => watched.outcome === 'rejected', WAIT);
  });

  it('the adapter: appends one by one, and another store does not notice', async () => {
    const other = await startProtocolServer();
    const store = await openHere();
    const sound = await open({ url: other.url });
    await store.append(newAppend());
    other.faults.set({ kind: 'stall', when: 'beforeApply', on: 'append' });
    const pending = sound.append(newAppend());
    await vi.waitUntil(() => other.faults.stalled === 1, WAIT);
    const appends = other.calls.append;
    server().dropConnections();
    await store.append(newAppend());
    other.faults.release();
    expect(await pending).toMatchObject({ outcome: 'appended' });
    expect(other.calls.append).toBe(appends);
    expect([other.calls.batchAppend, other.calls.features]).toEqual([0, 0]);
    await closeStores();
    await other.close();
  });

  it('the adapter: one store of a process may append in batches', async () => {
    const store = await openHere({ batchAppends: true });
    await expect(openHere({ batchAppends: true })).rejects.toThrow(/one store of a process/);
    const batches = server().calls.batchAppend;
    await store.append(newAppend());
    await store.append(newAppend());
    expect(server().calls.batchAppend).toBeGreaterThan(batches);
    await store.close();
    expect(await openHere({ batchAppends: true })).toBeDefined();
  });
});

describe('batch appends ignore deadlines', { timeout: TIMEOUT_MS }, () => {
  it('the client: an append outlives its deadline', async () => {
    const client = bare();
    await client.appendToStream('warm-2', newEvent());
    server().faults.set({ kind: 'stall', when: 'beforeApply', on: 'batchAppend' });
    const watched = watch(client.appendToStream('late-1', newEvent(), { deadline: 20 }));
    await vi.waitUntil(() => server().faults.stalled === 1, WAIT);
    const deadline = Date.now() + 200;
    await vi.waitUntil(() => Date.now() > deadline, WAIT);
    expect(watched.outcome).toBe('pending');
    server().faults.release();
    await vi.waitUntil(() => watched.outcome === 'resolved', WAIT);
  });

  it('the adapter: sets deadlines, in batches too', async () => {
    const store = await openHere({ batchAppends: true, deadlineMs: 200 });
    const request = newAppend(2);
    server().faults.set({ kind: 'stall', when: 'afterApply', on: 'batchAppend' });
    expect(await store.append(request)).toMatchObject({ outcome: 'appended', revision: 1 });
    expect(await store.read(request.stream)).toHaveLength(2);
  });

  it('the adapter: has deadlines for reads, which never have one in the client', async () => {
    const store = await openHere({ deadlineMs: 200 });
    server().faults.set({ kind: 'stall', when: 'beforeApply', on: 'read', times: 2 });
    expect(await store.read(newAppend().stream)).toEqual([]);
    const impatient = await openHere({ deadlineMs: 200, retryMs: 0 });
    server().faults.set({ kind: 'stall', when: 'beforeApply', on: 'read' });
    await expect(impatient.head()).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a BigInt in data leaves the append pending', () => {
  it('the client: the failure is an unhandled rejection', async () => {
    // Vitest's own listeners would fail the test for what is expected here.
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const unhandled = once(process, 'unhandledRejection');
    try {
      const event = { ...newEvent(), data: { amountMinor: 1n } as never };
      const watched = watch(
        bare().appendToStream('big-1', event, { credentials: { username: 'a', password: 'b' } }),
      );
      const [reason] = (await unhandled) as [Error];
      expect(reason.message).toMatch(/BigInt/);
      await nextTurn();
      expect(watched.outcome).toBe('pending');
    } finally {
      for (const listener of listeners) process.on('unhandledRejection', listener);
    }
  });

  it('the adapter: data is text, and what it cannot parse is sent beside', async () => {
    const store = await openHere();
    const request = appendOf({ data: '{"a":1n}' });
    expect(await store.append(request)).toMatchObject({ outcome: 'appended' });
    expect(await store.read(request.stream)).toMatchObject([{ data: '{"a":1n}' }]);
  });
});

describe('conflicts', () => {
  it('the client: throwOnAppendFailure=false answers a wrong next revision in batches', async () => {
    const client = bare('&throwOnAppendFailure=false');
    const events = Array.from({ length: 5 }, newEvent);
    const stream = `wrong-${crypto.randomUUID()}`;
    await client.appendToStream(stream, events);
    const answer = await client.appendToStream(stream, newEvent(), {
      expectedRevision: 'no_stream',
    });
    // The stream is at revision 4: 1 is `true`, counted as a number.
    expect(answer).toMatchObject({ success: false, nextExpectedRevision: 1n });
  });

  it('the client: their errors have an empty message', async () => {
    const client = bare();
    const options = { expectedRevision: 7n };
    const failed = client.appendToStream('empty-1', newEvent(), options);
    await expect(failed).rejects.toMatchObject({ type: 'wrong-expected-version', message: '' });
  });

  it.each([false, true])(
    'the adapter: returns the actual revision, in batches: %s',
    async (batches) => {
      const url = `${server().url}&throwOnAppendFailure=false`;
      const store = await open({ url, batchAppends: batches });
      const { stream } = newAppend();
      await store.append(newAppend(5, { stream }));
      const late = newAppend(1, { stream, expected: { kind: 'noStream' } });
      expect(await store.append(late)).toEqual({ outcome: 'conflict', actual: 4 });
    },
  );
});

describe('a connection has room for 100 streams', { timeout: TIMEOUT_MS }, () => {
  it('the client: two clients with the same URL share one connection, and its room', async () => {
    // Of its own, as a connection to the one of this file would be shared too.
    const full = await startProtocolServer();
    onTestFinished(() => full.close());
    const [first, second] = [bare('', full), bare('', full)];
    for (let place = 0; place < 100; place += 1) {
      const subscription = first.subscribeToAll({ fromPosition: 'end' });
      await once(subscription, 'confirmation');
      subscription.on('error', () => {});
    }
    const options = { credentials: { username: 'a', password: 'b' }, deadline: 300 };
    const append = second.appendToStream('no-room-1', newEvent(), options);
    await expect(append).rejects.toMatchObject({ type: 'deadline-exceeded' });
  });

  it('the adapter: 130 subscriptions and 300 concurrent calls do not block', async () => {
    const store = await openHere();
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const counts = Array.from({ length: 130 }, () => 0);
    for (const index of counts.keys()) {
      void (async () => {
        for await (const batch of store.subscribe({ signal: controller.signal })) {
          counts[index] = (counts[index] ?? 0) + batch.length;
        }
      })();
    }
    await store.append(newAppend());
    await vi.waitUntil(() => counts.every((count) => count === 1), WAIT);
    const calls = Array.from({ length: 300 }, (_, index) =>
      index % 2 === 0 ? store.append(newAppend()) : store.read(newAppend().stream),
    );
    expect(await Promise.all(calls)).toHaveLength(300);
    await vi.waitUntil(() => counts.every((count) => count === 151), WAIT);
  });
});

describe('subscriptions', { timeout: TIMEOUT_MS }, () => {
  it('the client: does not resubscribe', async () => {
    const subscription = bare().subscribeToAll({ fromPosition: 'end' });
    await once(subscription, 'confirmation');
    const failed = once(subscription, 'error');
    const subscribed = server().calls.subscribe;
    server().dropConnections();
    // `once` rejects with an error event only where it waits for another one.
    expect(await failed).toMatchObject([{ type: 'unavailable' }]);
    expect(server().calls.subscribe).toBe(subscribed);
  });

  it('the adapter: subscribes again, from the last event', async () => {
    const store = await openHere();
    const first = newAppend(3);
    await store.append(first);
    const subscription = store.subscribe({ batchSize: 2 })[Symbol.asyncIterator]();
    expect((await subscription.next()).value).toHaveLength(2);
    const subscribed = server().calls.subscribe;
    server().dropConnections();
    const second = newAppend(2);
    await store.append(second);
    const seen: string[] = [];
    while (seen.length < 3) {
      for (const { id } of (await subscription.next()).value) seen.push(id);
    }
    expect(seen).toEqual([first.events[2]?.id, ...idsOf(second.events)]);
    expect(server().calls.subscribe).toBe(subscribed + 1);
    await subscription.return?.();
  });

  it('the adapter: a slow consumer holds the server back, and misses nothing', async () => {
    const store = await openHere();
    const requests = Array.from({ length: 60 }, () => newAppend(50));
    const subscription = store.subscribe({ batchSize: 10 })[Symbol.asyncIterator]();
    const ids: string[] = [];
    const take = async () => {
      for (const { id } of (await subscription.next()).value) ids.push(id);
    };
    const first = take();
    for (const request of requests) await store.append(request);
    await first;
    while (ids.length < 3_000) await take();
    expect(ids).toEqual(idsOfAll(requests));
    await subscription.return?.();
  });
});

describe('readAll without bounds exhausts memory', { timeout: TIMEOUT_MS }, () => {
  it('the adapter: reads the log by subscriptions, and its end by bounded pages', async () => {
    const store = await openHere({ prefix: newPrefix() });
    await store.append(newAppend());
    const [reads, subscribed] = [server().calls.read, server().calls.subscribe];
    expect(await wholeLog(store)).toHaveLength(1);
    expect(server().calls.subscribe).toBe(subscribed + 1);
    // The head alone, which is looked for in the last events.
    expect(server().calls.read).toBe(reads + 1);
  });
});
