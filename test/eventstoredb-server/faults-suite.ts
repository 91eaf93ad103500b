// What each fault switch of the protocol server does to a real client.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openClient, type TestClient } from './clients.ts';
import { events, newStream } from './protocol-suite.ts';
import {
  type ClientKind,
  type ProtocolServer,
  type Refusal,
  startProtocolServer,
} from './server.ts';

const PATIENCE = { timeout: 10_000, interval: 5 };
/** For a whole case, on a machine that others use as well. */
const TIMEOUT_MS = 30_000;
/** How long a call waits for an answer that never comes. */
const SHORT_DEADLINE_MS = 300;
/** How many calls one connection carries at a time. */
const STREAMS_OF_CONNECTION = 100;

/** What a single append and a batched one end with, where the clients agree. */
const REFUSALS: readonly (readonly [Refusal, single: string, batched: string])[] = [
  ['diskFull', 'unknown', 'unknown'],
  ['notReady', 'unavailable', 'unavailable'],
  ['tooBusy', 'unavailable', 'unavailable'],
  ['noLeader', 'unknown', 'unknown'],
  ['accessDenied', 'access-denied', 'access-denied'],
  ['appendTooLarge', 'maximum-append-size-exceeded', 'maximum-append-size-exceeded'],
];

export function faultsSuite(kind: ClientKind): void {
  describe(`the faults of the protocol server and the client ${kind}`, {
    timeout: TIMEOUT_MS,
  }, () => {
    let server: ProtocolServer;
    let client: TestClient;

    beforeEach(async () => {
      server = await startProtocolServer();
      client = await openClient(kind, server.connectionString(kind));
    });

    afterEach(async () => {
      server.faults.release();
      await client.dispose();
      await server.close();
    });

    for (const batch of [false, true]) {
      const on = batch ? 'batchAppend' : 'append';

      describe(batch ? 'a batch append' : 'an append', () => {
        test('whose connection breaks before it is applied leaves nothing', async () => {
          const stream = newStream();
          server.faults.set({ on, kind: 'drop', when: 'beforeApply' });
          expect(await client.append(stream, events(1), { batch })).toEqual({
            failed: 'unavailable',
          });
          expect(server.log.view(stream).kind).toBe('notFound');
          expect(await client.append(stream, events(1), { batch })).toMatchObject({ revision: 0n });
        });

        test('whose connection breaks after it is applied can be repeated', async () => {
          const stream = newStream();
          const repeated = events(2);
          server.faults.set({ on, kind: 'drop', when: 'afterApply' });
          expect(await client.append(stream, repeated, { expected: 'noStream', batch })).toEqual({
            failed: 'unavailable',
          });
          expect(await client.readStream(stream)).toHaveLength(2);
          expect(
            await client.append(stream, repeated, { expected: 'noStream', batch }),
          ).toMatchObject({ revision: 1n });
          expect(await client.readStream(stream)).toHaveLength(2);
        });

        for (const [reason, single, batched] of REFUSALS) {
          test(`that is refused (${reason}) leaves nothing`, async () => {
            const stream = newStream();
            server.faults.set({ on, kind: 'refuse', reason });
            expect(await client.append(stream, events(1), { batch })).toEqual({
              failed: batch ? batched : single,
            });
            expect(server.log.view(stream).kind).toBe('notFound');
          });
        }

        test('may time out although it is applied', async () => {
          const stream = newStream();
          server.faults.set({ on, kind: 'refuse', reason: 'commitTimeout', when: 'afterApply' });
          const singly = kind === 'eventstore' ? 'timeout' : 'unknown';
          expect(await client.append(stream, events(1), { batch })).toEqual({
            failed: batch ? 'deadline-exceeded' : singly,
          });
          expect(await client.readStream(stream)).toHaveLength(1);
        });

        test('can be refused by count and by stream', async () => {
          const [one, other] = [newStream(), newStream()];
          server.faults.set({
            on,
            kind: 'refuse',
            reason: 'appendTooLarge',
            stream: one,
            times: 2,
            skip: 1,
          });
          const answers = [];
          for (const stream of [one, other, one, one, one]) {
            answers.push('failed' in (await client.append(stream, events(1), { batch })));
          }
          expect(answers).toEqual([false, false, true, true, false]);
          expect(server.faults).toMatchObject({ fired: 2, waiting: 0 });
        });
      });
    }

    test('an append whose answer never comes meets its deadline', async () => {
      const stream = newStream();
      server.faults.set({ on: 'append', kind: 'stall', when: 'afterApply' });
      expect(await client.append(stream, events(1), { deadline: SHORT_DEADLINE_MS })).toEqual({
        failed: 'deadline-exceeded',
      });
      expect(server.faults.stalled).toBe(1);
      expect(await client.readStream(stream)).toHaveLength(1);
    });

    test('an append that is stalled may be applied after its caller gave up', async () => {
      const stream = newStream();
      server.faults.set({ on: 'append', kind: 'stall', when: 'beforeApply' });
      expect(await client.append(stream, events(1), { deadline: SHORT_DEADLINE_MS })).toEqual({
        failed: 'deadline-exceeded',
      });
      expect(server.log.view(stream).kind).toBe('notFound');
      server.faults.release();
      await vi.waitFor(() => expect(server.log.view(stream).kind).toBe('found'), PATIENCE);
    });

    test('an append may be the last that its server did', async () => {
      const stream = newStream();
      server.faults.set({ on: 'append', kind: 'die', when: 'afterApply' });
      expect(await client.append(stream, events(1))).toEqual({ failed: 'unavailable' });
      expect(await client.append(stream, events(1), { deadline: 1_000 })).toHaveProperty('failed');
      await server.start();
      await vi.waitFor(
        async () => expect(await client.readStream(stream)).toHaveLength(1),
        PATIENCE,
      );
    });

    test('an append that arrives twice is applied once', async () => {
      const stream = newStream();
      server.faults.set({ on: 'append', kind: 'duplicate' });
      const answer = await client.append(stream, events(2), { expected: 'noStream' });
      expect(answer).toMatchObject({ revision: 1n });
      expect(await client.readStream(stream)).toHaveLength(2);
    });

    // The older client takes a second response for an unknown call, and ends the process.
    test.skipIf(kind === 'eventstore')('a batch append may be answered twice', async () => {
      const stream = newStream();
      server.faults.set({ on: 'batchAppend', kind: 'duplicate' });
      expect(await client.append(stream, events(2), { batch: true })).toMatchObject({
        revision: 1n,
      });
      expect(await client.append(stream, events(1), { batch: true })).toMatchObject({
        revision: 2n,
      });
    });

    test('a read may break off', async () => {
      const stream = newStream();
      await client.append(stream, events(10));
      server.faults.set({ on: 'read', kind: 'cut', afterEvents: 3, how: 'drop' });
      await expect(client.readStream(stream)).rejects.toThrow();
      expect(await client.readStream(stream)).toHaveLength(10);
    });

    test('a read may be refused', async () => {
      const stream = newStream();
      await client.append(stream, events(1));
      server.faults.set({ on: 'read', kind: 'refuse', reason: 'accessDenied' });
      await expect(client.readStream(stream)).rejects.toMatchObject({ type: 'access-denied' });
    });

    describe('a subscription', () => {
      const ends = [
        ['drop', 'unavailable'],
        ['slowConsumer', 'unknown'],
        ['cancel', 'cancelled'],
      ] as const;
      for (const [how, failed] of ends) {
        test(`may be ended by the server (${how})`, async () => {
          const stream = newStream();
          await client.append(stream, events(10));
          server.faults.set({ on: 'subscribe', kind: 'cut', afterEvents: 3, how });
          const followed = client.follow({ stream });
          await vi.waitFor(() => expect(followed.failed).toBe(failed), PATIENCE);
          expect(followed.events).toHaveLength(3);
        });
      }

      test('may stall, and go on once it is released', async () => {
        const stream = newStream();
        await client.append(stream, events(10));
        server.faults.set({ on: 'subscribe', kind: 'cut', afterEvents: 3, how: 'stall' });
        const followed = client.follow({ stream });
        await vi.waitFor(() => expect(server.faults.stalled).toBe(1), PATIENCE);
        await vi.waitFor(() => expect(followed.events).toHaveLength(3), PATIENCE);
        server.faults.release();
        await vi.waitFor(() => expect(followed.events).toHaveLength(10), PATIENCE);
        expect(followed.failed).toBeUndefined();
        await followed.stop();
      });

      test('may give its events twice', async () => {
        const stream = newStream();
        await client.append(stream, events(2));
        server.faults.set({ on: 'subscribe', kind: 'duplicate' });
        const followed = client.follow({ stream });
        await vi.waitFor(() => expect(followed.events).toHaveLength(4), PATIENCE);
        expect(followed.events.map(({ revision }) => Number(revision))).toEqual([0, 0, 1, 1]);
        await followed.stop();
      });
    });

    test('a restart keeps the log, ends subscriptions, and forgets which ids it saw', async () => {
      const stream = newStream();
      const repeated = events(1);
      await client.append(stream, repeated);
      const followed = client.follow({ stream });
      await vi.waitFor(() => expect(followed.timesCaughtUp).toBe(1), PATIENCE);
      await server.restart();
      await vi.waitFor(() => expect(followed.failed).toBe('unavailable'), PATIENCE);
      await vi.waitFor(
        async () => expect(await client.readStream(stream)).toHaveLength(1),
        PATIENCE,
      );
      const place = { expected: 'noStream' } as const;
      await vi.waitFor(
        async () =>
          expect(await client.append(stream, repeated, place)).toMatchObject({ revision: 0n }),
        PATIENCE,
      );
      // Only the revision shows that it is repeated.
      expect(await client.append(stream, repeated)).toMatchObject({ revision: 1n });
    });

    test('a server that is stopped is unavailable until it starts', async () => {
      const stream = newStream();
      await client.append(stream, events(1));
      await server.stop();
      expect(await client.append(stream, events(1), { deadline: 1_000 })).toHaveProperty('failed');
      await server.start();
      await vi.waitFor(
        async () => expect(await client.append(stream, events(1))).toMatchObject({ revision: 1n }),
        PATIENCE,
      );
    });

    // Only the newer client passes it on.
    test.skipIf(kind === 'eventstore')('from version 25 on sends the position', async () => {
      await server.close();
      server = await startProtocolServer({ version: '25.0.0' });
      client = await openClient(kind, server.connectionString(kind));
      const stream = newStream();
      await client.append(stream, events(3));
      const [ofStream, ofAll] = [client.follow({ stream }), client.follow({})];
      await vi.waitFor(() => expect(ofStream.timesCaughtUp).toBe(1), PATIENCE);
      await vi.waitFor(() => expect(ofAll.timesCaughtUp).toBe(1), PATIENCE);
      expect(ofStream.caughtUpAt).toEqual([{ date: expect.any(Date), revision: 2n }]);
      const position = ofAll.events.at(-1)?.position;
      expect(ofAll.caughtUpAt).toEqual([{ date: expect.any(Date), position }]);
      await Promise.all([ofStream.stop(), ofAll.stop()]);
    });

    test('a connection carries at most a hundred concurrent calls', async () => {
      const stream = newStream();
      const followed = Array.from({ length: STREAMS_OF_CONNECTION }, () =>
        client.follow({ stream }),
      );
      await vi.waitFor(
        () => expect(followed.every(({ confirmed }) => confirmed)).toBe(true),
        PATIENCE,
      );
      const one = { deadline: SHORT_DEADLINE_MS };
      expect(await client.append(stream, events(1), one)).toEqual({ failed: 'deadline-exceeded' });
      await followed[0]?.stop();
      // Node's HTTP/2 counts a call for a moment after it was cancelled.
      await vi.waitFor(
        async () => expect(await client.append(stream, events(1))).toMatchObject({ revision: 0n }),
        PATIENCE,
      );
      await Promise.all(followed.slice(1).map((subscription) => subscription.stop()));
    });
  });
}
