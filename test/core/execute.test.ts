/** `execute`: a command runs once, is decided on the present state, and is appended whole or not at all. */
import {
  type CommandContext,
  type CommandId,
  createMemoryEventStore,
  type Decision,
  type EventStore,
  type Execution,
  execute,
  type Loaded,
  load,
  loadRecords,
  MAX_DECISIONS,
  type StateCache,
  type StreamName,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import { answer, ask, type Command } from './payment-commands.ts';
import { happened, idOf, past } from './payment-story.ts';

type Executed = Execution<typeof Transaction>;

const commandId = (n: number): CommandId =>
  `0192f000-0000-4000-8000-0000000${String(n).padStart(2, '0')}000` as CommandId;
const contextOf = (n: number): CommandContext => ({
  commandId: commandId(n),
  metadata: { actor: 'ada@example.com' },
  recordedAt: '2026-01-10T12:00:00.000Z',
});

const send = (store: EventStore, command: Command, n: number, cache?: StateCache) =>
  execute(cache === undefined ? { store } : { store, cache }, Transaction, command, contextOf(n));

const stream = Transaction.streamOf(ask.submit());

/** A store that holds a capture of 100. */
async function captured(amountMinor = 100n): Promise<EventStore> {
  const store = createMemoryEventStore();
  await send(store, ask.submit({ amountMinor }), 1);
  await send(store, ask.recordOutcome(answer.captured), 2);
  return store;
}

const refund = (n: number, amountMinor: bigint): Command =>
  ask.refund({ refundId: idOf('refund', n), amountMinor });

const nthAlert = (n: number): TransactionId =>
  `0192f000-0000-7000-8000-f000000000${String(n).padStart(2, '0')}` as TransactionId;

/** A store whose appends meet what the test lets happen just before them. */
function interrupted(
  store: EventStore,
  before: (attempt: number) => Promise<unknown>,
): EventStore & { readonly appends: () => number } {
  let attempts = 0;
  return {
    append: async (request) => {
      attempts += 1;
      await before(attempts);
      return store.append(request);
    },
    read: (name, options) => store.read(name, options),
    subscribe: (options) => store.subscribe(options),
    head: () => store.head(),
    close: () => store.close(),
    appends: () => attempts,
  };
}

function mapCache(): StateCache & { readonly kept: Map<StreamName, Loaded<unknown>> } {
  const kept = new Map<StreamName, Loaded<unknown>>();
  return { kept, get: (name) => kept.get(name), set: (name, loaded) => kept.set(name, loaded) };
}

async function stateOf(store: EventStore): Promise<Transaction.Payment> {
  const { state } = await load({ store }, Transaction, stream);
  return state as Transaction.Payment;
}

describe('a command', () => {
  it('is accepted with its events, its receipt and the state after them', async () => {
    const store = createMemoryEventStore();
    const executed = await send(store, ask.submit(), 1);
    expect(executed).toEqual({
      outcome: 'accepted',
      events: past.processing,
      state: await stateOf(store),
      receipt: { revision: 1, position: await store.head() },
      repeated: false,
    });
  });

  it('is stored with actor, time, tenant and command', async () => {
    const store = createMemoryEventStore();
    const metadata = { actor: 'ada@example.com', keyId: 'key-1', requestId: 'request-1' };
    await execute({ store }, Transaction, ask.submit(), { ...contextOf(1), metadata });
    const stored = await store.read(stream);
    expect(stored.map(({ type, revision }) => [type, revision])).toEqual([
      ['PaymentSubmitted', 0],
      ['AttemptStarted', 1],
    ]);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(2);
    expect(stored.map(({ schemaVersion }) => schemaVersion)).toEqual([4, 1]);
    for (const each of stored) {
      expect(each).toMatchObject({
        tenantId: 1,
        commandId: commandId(1),
        time: '2026-01-10T12:00:00.000Z',
      });
      expect(JSON.parse(each.metadata)).toEqual(metadata);
    }
  });

  it('is rejected without a trace', async () => {
    const store = await captured();
    const head = await store.head();
    const executed = await send(store, refund(1, 101n), 3);
    expect(executed).toMatchObject({
      outcome: 'rejected',
      rejection: { type: 'RefundExceedsRemaining', remainingMinor: 100n },
      state: { status: 'Captured' },
    });
    expect(await store.head()).toBe(head);
  });

  it('that has nothing to do is accepted without a trace', async () => {
    const store = await captured();
    const head = await store.head();
    const executed = await send(store, ask.recordOutcome(answer.captured), 3);
    expect(executed).toMatchObject({ outcome: 'accepted', events: [], repeated: false });
    expect((executed as Extract<Executed, { outcome: 'accepted' }>).receipt).toBeUndefined();
    expect(await store.head()).toBe(head);
  });

  it('whose events could not be read again is not written', async () => {
    const store = createMemoryEventStore();
    await expect(send(store, ask.submit({ orderId: 0 }), 1)).rejects.toThrow();
    expect(await store.head()).toBeUndefined();
  });

  it('meets the failures of the store as they are', async () => {
    const store = await captured();
    await store.close();
    await expect(send(store, refund(1, 1n), 3)).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a command that begins a stream', () => {
  it('is decided without reading', async () => {
    const store = createMemoryEventStore();
    const unread: EventStore = {
      ...interrupted(store, async () => undefined),
      read: () => Promise.reject(new Error('read')),
    };
    expect(await send(unread, ask.submit(), 1)).toMatchObject({ outcome: 'accepted' });
  });

  it('is decided on what the stream holds when there is one', async () => {
    const store = createMemoryEventStore();
    await send(store, ask.submit(), 1);
    const exists = { outcome: 'rejected', rejection: { type: 'TransactionExists' } };
    expect(await send(store, ask.submit({ amountMinor: 7n }), 2)).toMatchObject(exists);
    expect(await send(store, ask.submit({ amountMinor: 0n }), 3)).toMatchObject(exists);
    expect(await send(store, ask.submit(), 4)).toMatchObject({ outcome: 'accepted', events: [] });
  });
});

describe('a repeat', () => {
  it('gives the first receipt and the first events, however much came later', async () => {
    const store = await captured();
    const first = await send(store, refund(1, 60n), 3);
    await send(store, ask.recordRefund(1), 4);
    const head = await store.head();
    const again = await send(store, refund(1, 60n), 3);
    expect(again).toEqual({ ...first, state: await stateOf(store), repeated: true });
    expect(await store.head()).toBe(head);
  });

  it('is one even when the clock has moved', async () => {
    const store = await captured();
    await send(store, refund(1, 60n), 3);
    const later = { ...refund(1, 60n), at: '2026-01-11T00:00:00.000Z' };
    expect(await send(store, later, 3)).toMatchObject({ outcome: 'accepted', repeated: true });
  });

  it('gives all the events of a command that had several', async () => {
    const store = await captured();
    expect(await send(store, ask.submit({ amountMinor: 100n }), 1)).toMatchObject({
      repeated: true,
      events: [{ type: 'PaymentSubmitted' }, { type: 'AttemptStarted' }],
      receipt: { revision: 1 },
    });
  });

  it('with other content is refused', async () => {
    const store = await captured();
    await send(store, refund(1, 60n), 3);
    const head = await store.head();
    expect(await send(store, refund(1, 61n), 3)).toEqual({ outcome: 'command-id-reused' });
    expect(await send(store, ask.void(), 3)).toEqual({ outcome: 'command-id-reused' });
    expect(await store.head()).toBe(head);
  });

  it('is recognized by the caller’s fingerprint if given', async () => {
    const store = await captured();
    const marked = (command: Command, fingerprint: string) =>
      execute({ store }, Transaction, command, { ...contextOf(3), fingerprint });
    await marked(refund(1, 60n), 'same');
    expect(await marked(refund(2, 10n), 'same')).toMatchObject({ repeated: true });
    expect(await marked(refund(1, 60n), 'other')).toEqual({ outcome: 'command-id-reused' });
  });

  it('of another content that races with its first is refused', async () => {
    const store = await captured();
    const both = await Promise.all([
      send(store, refund(1, 60n), 3),
      send(store, refund(2, 10n), 3),
    ]);
    expect(both.map(({ outcome }) => outcome)).toEqual(['accepted', 'command-id-reused']);
  });
});

describe('a conflict', () => {
  it('is decided again, a bounded number of times', async () => {
    const store = await captured(10_000n);
    const busy = interrupted(store, (attempt) =>
      send(
        store,
        ask.receiveAlert({ reference: `a-${attempt}`, alertId: nthAlert(attempt) }),
        10 + attempt,
      ),
    );
    const head = (await stateOf(store)).refunds.length;
    expect(await send(busy, refund(1, 60n), 3)).toEqual({ outcome: 'conflict' });
    expect(busy.appends()).toBe(MAX_DECISIONS);
    expect((await stateOf(store)).refunds).toHaveLength(head);
    expect((await stateOf(store)).alerts).toHaveLength(MAX_DECISIONS);
  });

  it('is met on the last decision too', async () => {
    const store = await captured(10_000n);
    const busy = interrupted(store, async (attempt) => {
      if (attempt === MAX_DECISIONS) return;
      const facts = { reference: `a-${attempt}`, alertId: nthAlert(attempt) };
      await send(store, ask.receiveAlert(facts), 10 + attempt);
    });
    expect(await send(busy, refund(1, 60n), 3)).toMatchObject({ outcome: 'accepted' });
  });

  it('may turn an acceptance into a rejection', async () => {
    const store = await captured();
    const busy = interrupted(store, async (attempt) => {
      if (attempt === 1) await send(store, ask.void(), 10);
    });
    expect(await send(busy, refund(1, 60n), 3)).toMatchObject({
      outcome: 'rejected',
      rejection: { type: 'RequestUnderWay', request: 'void' },
    });
  });

  it('on the first event of a stream counts as well', async () => {
    const store = createMemoryEventStore();
    const busy = interrupted(store, async (attempt) => {
      if (attempt === 1) await send(store, ask.submit(), 10);
    });
    expect(await send(busy, ask.submit(), 3)).toMatchObject({ outcome: 'accepted', events: [] });
    expect(await store.read(stream)).toHaveLength(2);
  });
});

describe('regressions', () => {
  it('two racing refunds of 60 on a capture of 100 give one refund', async () => {
    const store = await captured(100n);
    const both = await Promise.all([
      send(store, refund(1, 60n), 3),
      send(store, refund(2, 60n), 4),
    ]);
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'rejected']);
    expect(both.find(({ outcome }) => outcome === 'rejected')).toMatchObject({
      rejection: { type: 'RefundExceedsRemaining', requestedMinor: 60n, remainingMinor: 40n },
    });
    const { refunds } = await stateOf(store);
    expect(refunds.map(({ amountMinor }) => amountMinor)).toEqual([60n]);
  });

  it('a retried refund after a conflict is not applied twice', async () => {
    const store = await captured(100n);
    // The first try is appended, and its answer is lost: the store says conflict all the same.
    let lost = true;
    const flaky: EventStore = {
      ...interrupted(store, async () => undefined),
      append: async (request) => {
        const result = await store.append(request);
        if (!lost) return result;
        lost = false;
        return { outcome: 'conflict', actual: 2 };
      },
    };
    const executed = await send(flaky, refund(1, 30n), 3);
    expect(executed).toMatchObject({
      outcome: 'accepted',
      repeated: true,
      receipt: { revision: 3 },
    });
    expect(await send(store, refund(1, 30n), 3)).toMatchObject({ repeated: true });
    const { refunds } = await stateOf(store);
    expect(refunds.map(({ amountMinor }) => amountMinor)).toEqual([30n]);
  });
});

describe('the cache', () => {
  it('gives records their state, and is not filled with what is looked at', async () => {
    const store = await captured();
    const cache = mapCache();
    const read = () => loadRecords({ store, cache }, Transaction, stream);
    const { records, state } = await read();
    expect(records.map(({ revision, event }) => [revision, event.type])).toEqual([
      [0, 'PaymentSubmitted'],
      [1, 'AttemptStarted'],
      [2, 'PaymentCaptured'],
    ]);
    expect(records[0]?.metadata).toEqual({ actor: 'ada@example.com' });
    expect(state).toEqual(await stateOf(store));
    expect(cache.kept.size).toBe(0);
    const loaded = await load({ store, cache }, Transaction, stream);
    expect((await read()).state).toBe(loaded.state);
    await send(store, refund(1, 1n), 3);
    expect((await read()).state?.refunds).toHaveLength(1);
    expect(cache.kept.get(stream)).toBe(loaded);
  });

  it('answers as no cache would, however stale it is', async () => {
    const store = await captured();
    const cache = mapCache();
    await send(store, refund(1, 1n), 3, cache);
    const stale = new Map(cache.kept);
    await send(store, refund(2, 60n), 4);
    for (const [name, loaded] of stale) cache.set(name, loaded);
    expect(await send(store, refund(3, 60n), 5, cache)).toMatchObject({
      outcome: 'rejected',
      rejection: { type: 'RefundExceedsRemaining', remainingMinor: 39n },
    });
    expect(cache.kept.get(stream)?.state).toEqual(await stateOf(store));
  });

  it('knows the commands that it has not seen happen', async () => {
    const store = await captured();
    const cache = mapCache();
    await load({ store, cache }, Transaction, stream);
    await send(store, refund(1, 60n), 3);
    expect(await send(store, refund(1, 60n), 3, cache)).toMatchObject({ repeated: true });
    expect(await send(store, ask.submit({ amountMinor: 100n }), 1, cache)).toMatchObject({
      repeated: true,
      receipt: { revision: 1 },
    });
  });

  it('holds what a reader without it would fold', async () => {
    const store = createMemoryEventStore();
    const cache = mapCache();
    const commands = [ask.submit(), ask.recordOutcome(answer.captured), refund(1, 60n)];
    for (const [index, command] of commands.entries()) {
      await send(store, command, index, cache);
      expect(cache.kept.get(stream)).toEqual(await load({ store }, Transaction, stream));
    }
  });

  it('takes no command for executed beyond what was read', async () => {
    const store = await captured();
    const cache = mapCache();
    await load({ store, cache }, Transaction, stream);
    let reads = 0;
    const slow: EventStore = {
      ...interrupted(store, async () => undefined),
      read: async (name, options) => {
        const before = await store.read(name, options);
        reads += 1;
        // The same command comes in by another way while this is on its way back.
        if (reads === 1) await send(store, refund(1, 60n), 3, cache);
        return before;
      },
    };
    const again = await send(slow, refund(1, 60n), 3, cache);
    expect(again).toMatchObject({
      outcome: 'accepted',
      repeated: true,
      state: { refunds: [{ amountMinor: 60n }] },
    });
  });

  it('lets only the news be read', async () => {
    const store = await captured();
    const froms: (number | undefined)[] = [];
    const watched: EventStore = {
      ...interrupted(store, async () => undefined),
      read: (name, options) => {
        froms.push(options?.from);
        return store.read(name, options);
      },
    };
    const cache = mapCache();
    await send(watched, refund(1, 60n), 3, cache);
    await send(watched, ask.recordRefund(1), 4, cache);
    expect(froms).toEqual([0, 4]);
  });
});

it('loads nothing from a stream that is not there', async () => {
  const store = createMemoryEventStore();
  const loaded = await load({ store }, Transaction, stream);
  expect(loaded).toEqual({ state: null, revision: -1, commands: new Map(), characters: 0 });
});

it('works for any aggregate of the same shape', async () => {
  const counting = {
    events: Transaction.events,
    initial: 0,
    evolve: (count: number) => count + 1,
    decide: (count: number, _: Command): Decision<Transaction.Event, never> => ({
      _tag: 'Right',
      right: count < 3 ? [happened.failed()] : [],
    }),
    streamOf: Transaction.streamOf,
  };
  const store = createMemoryEventStore();
  for (const n of [1, 2, 3, 4]) {
    await execute({ store }, counting, ask.startAttempt(n), contextOf(n));
  }
  expect((await load({ store }, counting, stream)).state).toBe(3);
});
