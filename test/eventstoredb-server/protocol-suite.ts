// What a server of the protocol does, seen by a real client. It runs against the protocol server,
// and against a real one where ESDB_URL names one: that is what keeps the protocol server honest.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type EventData,
  type Filter,
  openClient,
  type RecordedEvent,
  type TestClient,
} from './clients.ts';
import { isBefore, type Position } from './position.ts';
import type { ClientKind } from './server.ts';

/** What a real server may take to answer; the protocol server needs a fraction. */
const PATIENCE = { timeout: 10_000, interval: 5 };
/** For a whole case, on a machine that others use as well. */
const TIMEOUT_MS = 30_000;
const ONE_MEBIBYTE = 1024 * 1024;

export interface ServerUnderTest {
  readonly name: string;
  /** Opens the server, and says where it is. */
  open(): Promise<{ readonly url: string; close(): Promise<void> }>;
}

export function protocolSuite(kind: ClientKind, server: ServerUnderTest): void {
  describe(`${server.name} and the client ${kind}`, { timeout: TIMEOUT_MS }, () => {
    let client: TestClient;
    let close: () => Promise<void>;

    beforeAll(async () => {
      const opened = await server.open();
      client = await openClient(kind, opened.url);
      close = opened.close;
    });

    afterAll(async () => {
      await client.dispose();
      await close();
    });

    describe('reads of a stream', () => {
      test('give the events as they were appended, in their order', async () => {
        const stream = newStream();
        const id = randomUUID();
        await client.append(stream, [
          { id, type: 'Opened', data: { amount: 1, name: 'Müller' }, metadata: { by: 'me' } },
          { type: 'Closed', data: Buffer.from([0, 255, 7]), binary: true },
        ]);
        const [opened, closed] = await client.readStream(stream);
        expect(opened).toMatchObject({
          streamId: stream,
          id,
          revision: 0n,
          type: 'Opened',
          isJson: true,
          data: { amount: 1, name: 'Müller' },
          metadata: { by: 'me' },
        });
        expect(closed).toMatchObject({ revision: 1n, type: 'Closed', isJson: false });
        expect(Buffer.from(closed?.data as Uint8Array)).toEqual(Buffer.from([0, 255, 7]));
        expect(closed?.metadata).toBeUndefined();
        expect(Math.abs(Date.now() - Number(opened?.created))).toBeLessThan(60_000);
      });

      test('go forwards and backwards, from a revision, up to a count', async () => {
        const stream = await streamOf(5);
        const read = async (options: Parameters<TestClient['readStream']>[1]) =>
          (await client.readStream(stream, options)).map(({ revision }) => Number(revision));
        expect(await read({})).toEqual([0, 1, 2, 3, 4]);
        expect(await read({ from: 2n })).toEqual([2, 3, 4]);
        expect(await read({ from: 1n, maxCount: 2 })).toEqual([1, 2]);
        expect(await read({ from: 9n })).toEqual([]);
        expect(await read({ direction: 'backwards', from: 'end' })).toEqual([4, 3, 2, 1, 0]);
        expect(await read({ direction: 'backwards', from: 2n, maxCount: 2 })).toEqual([2, 1]);
        expect(await read({ direction: 'backwards', from: 'end', maxCount: 1 })).toEqual([4]);
      });

      test('carry on over many pages', async () => {
        const stream = await streamOf(500);
        const events = await client.readStream(stream);
        expect(events.map(({ revision }) => Number(revision))).toEqual([...Array(500).keys()]);
      });

      test('leave out what the metadata of the stream hides', async () => {
        const stream = await streamOf(5);
        const hide = (data: object) => client.append(`$$${stream}`, [{ type: '$metadata', data }]);
        const read = async () =>
          (await client.readStream(stream)).map(({ revision }) => Number(revision));
        await hide({ $maxCount: 2 });
        expect(await read()).toEqual([3, 4]);
        await hide({ $tb: 1 });
        expect(await read()).toEqual([1, 2, 3, 4]);
        await hide({});
        expect(await read()).toEqual([0, 1, 2, 3, 4]);
      });

      test('fail where there is no stream', async () => {
        await expect(client.readStream(newStream())).rejects.toMatchObject({
          type: 'stream-not-found',
        });
      });
    });

    describe('reads of $all', () => {
      test('start at a position, itself included, in the order of positions', async () => {
        const [first, , third] = await appendedOneByOne(3);
        const events = await client.readAll({ from: first?.position, maxCount: 100 });
        const positions = events.map(({ position }) => position);
        expect(events[0]?.id).toBe(first?.id);
        expect(events.map(({ id }) => id)).toContain(third?.id);
        expect([...positions].sort((a, b) => (isBefore(a, b) ? -1 : 1))).toEqual(positions);
      });

      test('go backwards from a position, itself excluded', async () => {
        const [first, second] = await appendedOneByOne(2);
        const events = await client.readAll({
          direction: 'backwards',
          from: second?.position,
          maxCount: 50,
        });
        const ids = events.map(({ id }) => id);
        expect(ids).toContain(first?.id);
        expect(ids).not.toContain(second?.id);
      });

      test('hold the events of the server itself', async () => {
        await appendedOneByOne(1);
        const events = await client.readAll({ maxCount: 200 });
        expect(events.some(({ type }) => type.startsWith('$'))).toBe(true);
      });

      // The older client sends no filter with a read of $all, whatever it is given.
      test.skipIf(kind === 'eventstore')('pass over what a filter leaves out', async () => {
        const prefix = newStream();
        await client.append(`${prefix}-a`, events(3));
        await client.append(newStream(), events(50));
        await client.append(`${prefix}-b`, events(3));
        const read = await client.readAll({
          filter: { filterOn: 'streamName', prefixes: [prefix] },
          maxCount: 5,
        });
        expect(read.map(({ streamId }) => streamId.at(-1)).join('')).toBe('aaabb');
      });
    });

    for (const batch of [false, true]) {
      describe(batch ? 'batch appends' : 'appends', () => {
        test('answer the last revision and its position', async () => {
          const stream = newStream();
          const answer = await client.append(stream, events(3), { batch });
          const last = (await client.readStream(stream)).at(-1);
          expect(answer).toEqual({ revision: 2n, position: last?.position });
        });

        test('take what they expect for what it is', async () => {
          const present = await streamOf(3);
          const append = (stream: string, expected: AppendExpectation) =>
            client.append(stream, events(1), { expected, batch });
          expect(await append(newStream(), 'any')).toMatchObject({ revision: 0n });
          expect(await append(newStream(), 'noStream')).toMatchObject({ revision: 0n });
          expect(await append(newStream(), 'streamExists')).toEqual({ current: 'no_stream' });
          expect(await append(newStream(), 0n)).toEqual({ current: 'no_stream' });
          expect(await append(present, 'noStream')).toEqual({ current: 2n });
          expect(await append(present, 1n)).toEqual({ current: 2n });
          expect(await append(present, 3n)).toEqual({ current: 2n });
          expect(await append(present, 2n)).toMatchObject({ revision: 3n });
          expect(await append(present, 'streamExists')).toMatchObject({ revision: 4n });
          expect(await append(present, 'any')).toMatchObject({ revision: 5n });
        });

        test('are repeated without effect after the same revision', async () => {
          const stream = await streamOf(2);
          const repeated = events(2);
          const first = await client.append(stream, repeated, { expected: 1n, batch });
          await client.append(stream, events(2), { batch });
          expect(await client.append(stream, repeated, { expected: 1n, batch })).toEqual(first);
          expect(await client.readStream(stream)).toHaveLength(6);
        });

        test('are repeated without effect where any revision is expected', async () => {
          const stream = newStream();
          const repeated = events(2);
          const first = await client.append(stream, repeated, { batch });
          await client.append(stream, events(1), { batch });
          expect(await client.append(stream, repeated, { batch })).toEqual(first);
          expect(await client.readStream(stream)).toHaveLength(3);
        });

        test('are refused where only some of their events are repeated', async () => {
          const stream = newStream();
          const [known, other] = [...events(1), ...events(1)] as [EventData, EventData];
          await client.append(stream, [known], { expected: 'noStream', batch });
          const mixed = [known, other];
          expect(await client.append(stream, mixed, { expected: 'noStream', batch })).toEqual({
            current: 0n,
          });
          expect(await client.append(stream, mixed, { batch })).toEqual({ current: 0n });
          expect(await client.readStream(stream)).toHaveLength(1);
        });

        test('write a known event again after the revision that the stream has', async () => {
          const stream = newStream();
          const repeated = events(1);
          await client.append(stream, repeated, { expected: 'noStream', batch });
          expect(await client.append(stream, repeated, { expected: 0n, batch })).toMatchObject({
            revision: 1n,
          });
        });

        test('know an event of another stream for a new one', async () => {
          const repeated = events(1);
          await client.append(newStream(), repeated, { batch });
          expect(await client.append(newStream(), repeated, { batch })).toMatchObject({
            revision: 0n,
          });
        });

        test('are refused beyond a mebibyte', async () => {
          const stream = newStream();
          const text = 'x'.repeat(ONE_MEBIBYTE);
          const large = [{ type: 'Large', data: { text } }];
          expect(await client.append(stream, large, { batch })).toEqual({
            failed: 'maximum-append-size-exceeded',
          });
          await expect(client.readStream(stream)).rejects.toMatchObject({
            type: 'stream-not-found',
          });
        });

        test('to one stream at a time are all or nothing', async () => {
          const stream = newStream();
          const racing = await Promise.all(
            Array.from({ length: 20 }, () =>
              client.append(stream, events(3), { expected: 'noStream', batch }),
            ),
          );
          expect(racing.filter((answer) => 'revision' in answer)).toHaveLength(1);
          expect(await client.readStream(stream)).toHaveLength(3);
        });
      });
    }

    describe('deletion', () => {
      test('hides a stream until something is appended to it', async () => {
        const stream = await streamOf(3);
        expect(await client.softDelete(stream, 1n)).toBe('wrong-expected-version');
        expect(await client.softDelete(stream, 2n)).toBe('done');
        await expect(client.readStream(stream)).rejects.toMatchObject({
          type: 'stream-not-found',
        });
        expect(await client.append(stream, events(1), { expected: 'streamExists' })).toEqual({
          failed: 'stream-deleted',
        });
        expect(await client.append(stream, events(2), { expected: 'noStream' })).toMatchObject({
          revision: 4n,
        });
        expect((await client.readStream(stream)).map(({ revision }) => revision)).toEqual([3n, 4n]);
      });

      test('ends a stream permanently by a tombstone', async () => {
        const stream = await streamOf(1);
        expect(await client.tombstone(stream)).toBe('done');
        await expect(client.readStream(stream)).rejects.toMatchObject({ type: 'stream-deleted' });
        expect(await client.append(stream, events(1))).toEqual({ failed: 'stream-deleted' });
        expect(await client.append(stream, events(1), { batch: true })).toEqual({
          failed: 'stream-deleted',
        });
        expect(await client.tombstone(stream)).toBe('stream-deleted');
      });
    });

    describe('subscriptions', () => {
      test('to a stream give what is there, say so, and go on with what comes', async () => {
        const stream = await streamOf(40);
        const followed = client.follow({ stream });
        await vi.waitFor(() => expect(followed.timesCaughtUp).toBe(1), PATIENCE);
        expect(followed.events).toHaveLength(40);
        await client.append(stream, events(2));
        await vi.waitFor(() => expect(followed.events).toHaveLength(42), PATIENCE);
        expect(followed.events.map(({ revision }) => Number(revision))).toEqual([
          ...Array(42).keys(),
        ]);
        await followed.stop();
      });

      test('to a stream start after a revision', async () => {
        const stream = await streamOf(5);
        const followed = client.follow({ stream, from: 2n });
        await vi.waitFor(() => expect(followed.events).toHaveLength(2), PATIENCE);
        expect(followed.events[0]?.revision).toBe(3n);
        await followed.stop();
      });

      test('to a stream that is not there wait for it, and are caught up then', async () => {
        const stream = newStream();
        const followed = client.follow({ stream });
        await vi.waitFor(() => expect(followed.confirmed).toBe(true), PATIENCE);
        const other = client.follow({ stream: await streamOf(1) });
        await vi.waitFor(() => expect(other.timesCaughtUp).toBe(1), PATIENCE);
        expect(followed.timesCaughtUp).toBe(0);
        await client.append(stream, events(2));
        await vi.waitFor(() => expect(followed.timesCaughtUp).toBe(1), PATIENCE);
        await vi.waitFor(() => expect(followed.events).toHaveLength(2), PATIENCE);
        await Promise.all([followed.stop(), other.stop()]);
      });

      test('to $all start after a position, or at the end', async () => {
        const [first, second] = await appendedOneByOne(2);
        const after = client.follow({ from: first?.position });
        const fromEnd = client.follow({ from: 'end' });
        await vi.waitFor(() => expect(fromEnd.timesCaughtUp).toBe(1), PATIENCE);
        const [third] = await appendedOneByOne(1);
        const has = (id?: string) => (event: RecordedEvent) => event.id === id;
        await vi.waitFor(() => expect(after.events.some(has(third?.id))).toBe(true), PATIENCE);
        await vi.waitFor(() => expect(fromEnd.events.some(has(third?.id))).toBe(true), PATIENCE);
        expect(after.events.some(has(first?.id))).toBe(false);
        expect(after.events.some(has(second?.id))).toBe(true);
        expect(fromEnd.events.some(has(second?.id))).toBe(false);
        await Promise.all([after.stop(), fromEnd.stop()]);
      });

      test('give only what their filter lets through', async () => {
        const prefix = newStream();
        const [before] = await appendedOneByOne(1);
        await client.append(`${prefix}-a`, [{ type: 'Kept', data: {} }, ...events(2)]);
        await client.append(newStream(), [{ type: `Other${prefix}`, data: {} }]);
        await client.append(`${prefix}-b`, events(2));
        const from = before?.position;
        const byPrefix = client.follow({
          from,
          filter: { filterOn: 'streamName', prefixes: ['unknown-', prefix] },
        });
        const byRegex = client.follow({ from, filter: { filterOn: 'streamName', regex: '^[^$]' } });
        const byType = client.follow({
          from,
          filter: { filterOn: 'eventType', prefixes: [`Other${prefix}`] },
        });
        await vi.waitFor(() => expect(byPrefix.events).toHaveLength(5), PATIENCE);
        await vi.waitFor(() => expect(byType.events).toHaveLength(1), PATIENCE);
        await vi.waitFor(() => expect(byRegex.timesCaughtUp).toBeGreaterThan(0), PATIENCE);
        expect(byPrefix.events.every(({ streamId }) => streamId.startsWith(prefix))).toBe(true);
        expect(byRegex.events.some(({ streamId }) => streamId.startsWith('$'))).toBe(false);
        await Promise.all([byPrefix.stop(), byRegex.stop(), byType.stop()]);
      });

      test('come past a long stretch of foreign events by checkpoints', async () => {
        const prefix = newStream();
        const [before] = await appendedOneByOne(1);
        for (let round = 0; round < 10; round += 1) await client.append(newStream(), events(100));
        const filter: Filter = { filterOn: 'streamName', prefixes: [prefix], maxSearchWindow: 50 };
        const followed = client.follow({ from: before?.position, filter });
        await vi.waitFor(() => expect(followed.timesCaughtUp).toBe(1), PATIENCE);
        expect(followed.events).toEqual([]);
        expect(followed.checkpoints.length).toBeGreaterThanOrEqual(1000 / 50 - 2);
        expect(inOrder(followed.checkpoints)).toBe(true);
        await client.append(`${prefix}-mine`, events(1));
        await vi.waitFor(() => expect(followed.events).toHaveLength(1), PATIENCE);
        // A subscription from any of the checkpoints misses no later event.
        const resumed = client.follow({ from: followed.checkpoints.at(-1), filter });
        await vi.waitFor(() => expect(resumed.events).toHaveLength(1), PATIENCE);
        await Promise.all([followed.stop(), resumed.stop()]);
      });

      test('get checkpoints while foreign events come', async () => {
        const filter: Filter = {
          filterOn: 'streamName',
          prefixes: [newStream()],
          maxSearchWindow: 10,
        };
        const followed = client.follow({ from: 'end', filter });
        await vi.waitFor(() => expect(followed.timesCaughtUp).toBe(1), PATIENCE);
        const [marker] = await appendedOneByOne(1);
        for (let round = 0; round < 5; round += 1) await client.append(newStream(), events(10));
        const passed = (position: Position) =>
          marker !== undefined && isBefore(marker.position, position);
        await vi.waitFor(
          () => expect(followed.checkpoints.filter(passed).length).toBeGreaterThanOrEqual(4),
          PATIENCE,
        );
        await followed.stop();
      });

      test('give every event once and in order while it is appended', async () => {
        const prefix = newStream();
        const followed = client.follow({
          from: 'end',
          filter: { filterOn: 'streamName', prefixes: [prefix] },
        });
        await vi.waitFor(() => expect(followed.timesCaughtUp).toBe(1), PATIENCE);
        await Promise.all(
          Array.from({ length: 50 }, (_, n) => client.append(`${prefix}-${n}`, events(4))),
        );
        await vi.waitFor(() => expect(followed.events).toHaveLength(200), PATIENCE);
        expect(inOrder(followed.events.map(({ position }) => position))).toBe(true);
        await followed.stop();
      });

      test('to a stream end with its tombstone', async () => {
        const stream = await streamOf(1);
        const followed = client.follow({ stream });
        await vi.waitFor(() => expect(followed.timesCaughtUp).toBe(1), PATIENCE);
        await client.tombstone(stream);
        await vi.waitFor(() => expect(followed.failed).toBe('stream-deleted'), PATIENCE);
      });
    });

    async function streamOf(count: number): Promise<string> {
      const stream = newStream();
      await client.append(stream, events(count));
      return stream;
    }

    /** Events of streams of their own, as they are read back. */
    async function appendedOneByOne(count: number): Promise<readonly RecordedEvent[]> {
      const recorded: RecordedEvent[] = [];
      for (let n = 0; n < count; n += 1) {
        recorded.push(...(await client.readStream(await streamOf(1))));
      }
      return recorded;
    }
  });
}

type AppendExpectation = NonNullable<NonNullable<Parameters<TestClient['append']>[2]>['expected']>;

export function newStream(): string {
  return `suite-${randomUUID()}`;
}

export function events(count: number): readonly (EventData & { readonly id: string })[] {
  return Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    type: 'Happened',
    data: { n },
  }));
}

function inOrder(positions: readonly Position[]): boolean {
  return positions.every((position, index) => {
    const before = positions[index - 1];
    return before === undefined || isBefore(before, position);
  });
}
