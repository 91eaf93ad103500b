/** Where a subscription goes on after it was cut off: after what was taken, and after checkpoints that it has reached. */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Followed, LogClient } from './client.ts';
import { Connection, ConnectionPool } from './connection.ts';
import { newAttempt, propose } from './envelope.ts';
import { Follower } from './follower.ts';
import type { LogBounds } from './log-bounds.ts';
import type { Place } from './positions.ts';
import { StreamNames } from './stream-names.ts';

const at = (commit: number): Place => ({ commit: BigInt(commit), prepare: BigInt(commit) });

function event(place: number, data = '{}'): Followed {
  const encoded = {
    id: crypto.randomUUID(),
    type: 'Captured',
    schemaVersion: 1,
    tenantId: 1,
    time: '2024-02-29T12:34:56.789Z',
    data,
    metadata: '{}',
  };
  const command = { id: crypto.randomUUID(), fingerprint: 'f' };
  const proposed = propose(encoded as never, command as never, newAttempt());
  const metadata: unknown = JSON.parse(new TextDecoder().decode(proposed.metadata));
  const { id, type } = proposed;
  const streamId = 'log.transaction-1-1';
  return {
    event: { streamId, id, revision: 0n, type, data: proposed.data, metadata, position: at(place) },
  };
}

/** A client whose subscriptions bring these items one after the other, and then break. */
function clientOf(subscriptions: readonly (readonly Followed[])[]) {
  const starts: bigint[] = [];
  const client = {
    follow: (after: Place) => {
      const items = subscriptions[starts.length] ?? [];
      starts.push(after.commit);
      const stream = Readable.from(
        (function* () {
          yield* items;
          throw new Error('cut off');
        })(),
      );
      stream.on('error', () => {});
      return Object.assign(stream, { unsubscribe: async () => {} });
    },
    dispose: async () => {},
  };
  return { starts, make: () => client as unknown as LogClient };
}

async function follow(subscriptions: readonly (readonly Followed[])[], until: number) {
  const { starts, make } = clientOf(subscriptions);
  const passed: string[] = [];
  const bounds = {
    startAfter: () => at(1),
    saw: () => {},
    passed: (after: Place, upTo: Place) => passed.push(`${after.commit}-${upTo.commit}`),
    head: async () => undefined,
  };
  const follower = new Follower(
    {
      connections: new ConnectionPool(make),
      names: new StreamNames('log.'),
      bounds: bounds as unknown as LogBounds,
      stallMs: 60_000,
      onNews: () => {},
    },
    { after: undefined, until: at(until), batchSize: 3, signal: new AbortController().signal },
  );
  const batches: bigint[][] = [];
  for await (const batch of follower.batches()) {
    batches.push(batch.map(({ position }) => BigInt(`0x${position.slice(0, 16)}`)));
  }
  return { starts, passed, delivered: batches.flat().map(Number), batches };
}

it('goes on after a checkpoint where nothing of the log came since', async () => {
  const { starts, passed, delivered } = await follow(
    [[event(5), { checkpoint: at(900) }], [{ checkpoint: at(1_800) }], [event(2_000)]],
    2_000,
  );
  expect(delivered).toEqual([5, 2_000]);
  expect(starts).toEqual([1n, 900n, 1_800n]);
  expect(passed).toEqual(['5-900', '900-1800']);
});

it('goes on after the last event that was taken, though its batch was not full', async () => {
  const items = [event(5), event(6), event(7), event(8)];
  const { starts, delivered, batches } = await follow([items, [event(8), event(9)]], 9);
  expect(delivered).toEqual([5, 6, 7, 8, 9]);
  expect(starts).toEqual([1n, 8n]);
  expect(Math.max(...batches.map(({ length }) => length))).toBe(3);
});

it('ends a batch early where events are large', async () => {
  const large = JSON.stringify('x'.repeat(20 * 2 ** 20));
  const items = [event(5, large), event(6, large), event(7)];
  const { delivered, batches } = await follow([items], 7);
  expect(delivered).toEqual([5, 6, 7]);
  expect(batches.map(({ length }) => length)).toEqual([2, 1]);
});

it('never goes back, and stops at the last event that is wanted', async () => {
  const repeated = [event(5), event(5), { checkpoint: at(3) }, event(4), event(6)];
  const { starts, delivered } = await follow([repeated, [event(7), event(8)]], 7);
  expect(delivered).toEqual([5, 6, 7]);
  expect(starts).toEqual([1n, 6n]);
});

it('a client that fails is replaced, and ended when its last user is done', async () => {
  const ended: string[] = [];
  let made = 0;
  const connection = new Connection(() => {
    made += 1;
    const name = `client ${made}`;
    return { dispose: async () => void ended.push(name) } as unknown as LogClient;
  });
  const [one, other] = [connection.take(), connection.take()];
  connection.failed(one, Object.assign(new Error('gone'), { type: 'unavailable' }));
  connection.failed(other, Object.assign(new Error('gone'), { type: 'unavailable' }));
  connection.giveBack(one);
  expect(ended).toEqual([]);
  const next = connection.take();
  expect([made, next.client === one.client]).toEqual([2, false]);
  connection.giveBack(other);
  expect(ended).toEqual(['client 1']);
  connection.failed(next, Object.assign(new Error('too large'), { type: 'stream-not-found' }));
  connection.giveBack(next);
  expect(connection.take().client).toBe(next.client);
});
