/** `executeTogether`: several commands are appended as one, exactly as each would have been by itself. */
import {
  type CommandContext,
  type CommandId,
  createMemoryEventStore,
  type EventStore,
  execute,
  executeTogether,
  type Loaded,
  load,
  Sequence,
  type StateCache,
  type Step,
  type StoredEvent,
  type StreamName,
  type TenantId,
  Transaction,
} from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import { answer, ask } from './payment-commands.ts';

const contextOf = (n: number): CommandContext => ({
  commandId: `0192f000-0000-4000-8000-00000000000${n}` as CommandId,
  metadata: { actor: 'ada@example.com' },
  recordedAt: '2026-01-10T12:00:00.000Z',
});

const submit = (n: number): Step<typeof Transaction> => ({
  aggregate: Transaction,
  command: ask.submit(),
  context: contextOf(n),
});
const capture = (n: number): Step<typeof Transaction> => ({
  aggregate: Transaction,
  command: ask.recordOutcome(answer.captured),
  context: contextOf(n),
});
const reserve = (n: number): Step<typeof Sequence> => ({
  aggregate: Sequence,
  command: {
    type: 'ReserveBlock',
    tenantId: 1 as TenantId,
    sequence: 'order',
    size: 10,
    at: '2026-01-10T12:00:00.000Z',
  },
  context: contextOf(n),
});

function mapCache(): StateCache & { readonly kept: Map<StreamName, Loaded<unknown>> } {
  const kept = new Map<StreamName, Loaded<unknown>>();
  return { kept, get: (name) => kept.get(name), set: (name, loaded) => kept.set(name, loaded) };
}

async function logOf(store: EventStore): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe({ untilHead: true })) events.push(...batch);
  return events;
}

/** A store that counts its appends, and meets what the test lets happen just before them. */
function watched(store: EventStore, before: () => Promise<unknown> = async () => {}) {
  const sizes: number[] = [];
  const watching: EventStore = {
    append: async (request) => {
      sizes.push(1);
      return store.append(request);
    },
    appendAll: async (requests) => {
      await before();
      sizes.push(requests.length);
      const result = await store.appendAll?.(requests);
      if (result === undefined) throw new Error('the store appends to one stream at a time');
      return result;
    },
    read: (...asked) => store.read(...asked),
    subscribe: (options) => store.subscribe(options),
    head: () => store.head(),
    close: () => store.close(),
  };
  return { store: watching, sizes };
}

describe('commands executed together', () => {
  it('leave the log, the states and the cache that they leave one after the other', async () => {
    const single = { store: createMemoryEventStore(), cache: mapCache() };
    const together = { store: createMemoryEventStore(), cache: mapCache() };
    const asOne = watched(together.store);
    for (const steps of [[reserve(1), submit(2)] as const, [capture(3), reserve(4)] as const]) {
      const done = await executeTogether({ ...together, store: asOne.store }, steps);
      for (const [index, { aggregate, command, context }] of steps.entries()) {
        const alone = await execute(single, aggregate as never, command as never, context);
        expect(done?.[index]).toEqual(alone);
      }
    }
    expect(asOne.sizes).toEqual([2, 2]);
    expect(await logOf(together.store)).toEqual(await logOf(single.store));
    expect(together.cache.kept).toEqual(single.cache.kept);
  });

  it('are not executed where a stream has moved on since the others were made', async () => {
    const store = createMemoryEventStore();
    const [reserved, submitted] = [reserve(1), submit(2)];
    const steps = (revision: number) => [reserved, { ...submitted, revision }] as const;
    expect(await executeTogether({ store }, steps(0))).toBeUndefined();
    expect(await store.head()).toBeUndefined();
    expect(await executeTogether({ store }, steps(-1))).toBeDefined();
  });

  it('are repetitions of it when they come again by themselves', async () => {
    const store = createMemoryEventStore();
    await executeTogether({ store }, [reserve(1), submit(2)]);
    const head = await store.head();
    for (const { aggregate, command, context } of [reserve(1), submit(2)]) {
      const again = await execute({ store }, aggregate as never, command as never, context);
      expect(again).toMatchObject({ outcome: 'accepted', repeated: true });
    }
    expect(await store.head()).toBe(head);
  });
});

describe('nothing is written', () => {
  it('where the store appends to one stream at a time', async () => {
    const store = createMemoryEventStore();
    const single: EventStore = Object.assign(Object.create(store), { appendAll: undefined });
    expect(await executeTogether({ store: single }, [reserve(1), submit(2)])).toBeUndefined();
    expect(await store.head()).toBeUndefined();
  });

  it.each([
    ['a command is refused', [reserve(8), capture(9)]],
    ['a command was executed before', [reserve(1), submit(9)]],
    ['a command has nothing to do', [reserve(8), capture(9)]],
    ['a stream that is nearly always new is there', [reserve(8), submit(9)]],
  ])('where %s', async (name, steps) => {
    const store = createMemoryEventStore();
    await execute({ store }, Sequence, reserve(1).command, contextOf(1));
    if (name.startsWith('a stream') || name.endsWith('to do')) {
      await execute({ store }, Transaction, ask.submit(), contextOf(2));
    }
    if (name.endsWith('to do')) {
      await execute({ store }, Transaction, capture(3).command, contextOf(3));
    }
    const before = await logOf(store);
    const cache = mapCache();
    expect(await executeTogether({ store, cache }, steps)).toBeUndefined();
    expect(await logOf(store)).toEqual(before);
    const sequence = await load({ store, cache }, Sequence, Sequence.streamOf(reserve(1).command));
    expect(sequence.revision).toBe(0);
  });

  it('where another writer was faster on one of the streams', async () => {
    const store = createMemoryEventStore();
    const asOne = watched(store, () =>
      execute({ store }, Sequence, reserve(1).command, contextOf(1)),
    );
    const cache = mapCache();
    const steps = [reserve(8), submit(9)];
    expect(await executeTogether({ store: asOne.store, cache }, steps)).toBeUndefined();
    expect(await logOf(store)).toHaveLength(1);
    // What is known of the streams is not beyond the log.
    const { command } = submit(9);
    const submitted = await execute({ store, cache }, Transaction, command, contextOf(9));
    expect(submitted).toMatchObject({ outcome: 'accepted', repeated: false, receipt: {} });
  });
});
