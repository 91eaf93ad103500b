/** What the ledger answers where the core has no answer of the domain. */
import {
  createMemoryEventStore,
  type EventStore,
  fingerprintOf,
  Tenant,
  type TenantId,
} from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import { CommandRunner } from './command-runner.ts';
import { createStateCache } from './runtime/state-cache.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const COMMAND_ID = '0195a000-0000-8000-8000-000000000001';
const COMMAND: Tenant.Command = {
  type: 'OnboardTenant',
  tenantId: 1 as TenantId,
  name: 'Tenant',
  settings: {},
  at: NOW,
};

const settingsOf = (days: number): Tenant.Command => ({
  ...{ type: 'ChangeSettings', tenantId: COMMAND.tenantId, at: NOW },
  settings: { refundWindowDays: days },
});
const idOf = (n: number) => `0195a000-0000-8000-8000-${String(n + 100).padStart(12, '0')}`;

it('may be repeated where others kept winning', async () => {
  const store = createMemoryEventStore();
  const losing = {
    ...store,
    read: store.read.bind(store),
    append: async () => ({ outcome: 'conflict', actual: 0 }) as const,
  };
  const commands = new CommandRunner({ store: losing as never }, { now: () => NOW }, () => {});
  const asked = commands.execute(Tenant, COMMAND, { commandId: COMMAND_ID }, { actor: 'a' });
  await expect(asked).rejects.toMatchObject({
    code: 'ConcurrentUpdate',
    isTransient: true,
  });
});

describe('commands on one stream', () => {
  /** A store that takes its time over each read and append, as one on a disk or a server does. */
  function slow(store: EventStore): EventStore {
    const later = () => new Promise<void>((resolve) => setImmediate(resolve));
    return {
      ...store,
      read: async (...asked) => later().then(() => store.read(...asked)),
      append: async (asked) => later().then(() => store.append(asked)),
    };
  }

  it('wait for each other in the order of their coming, and none loses a race', async () => {
    const commands = new CommandRunner(
      { store: slow(createMemoryEventStore()) },
      { now: () => NOW },
      () => {},
    );
    await commands.execute(Tenant, COMMAND, { commandId: COMMAND_ID }, { actor: 'a' });
    const days = Array.from({ length: 40 }, (_, index) => index + 1);
    const done = await Promise.all(
      days.map((day) =>
        commands.execute(Tenant, settingsOf(day), { commandId: idOf(day) }, { actor: 'a' }),
      ),
    );
    expect(done.map(({ state }) => state?.settings.refundWindowDays)).toEqual(days);
  });

  it('wait no longer than is allowed, and hold up no other stream', async () => {
    const store = createMemoryEventStore();
    const { promise: stuck, resolve: release } = Promise.withResolvers<void>();
    const held: EventStore = {
      ...store,
      read: (...asked) => store.read(...asked),
      append: async (asked) => {
        if (asked.stream === Tenant.streamOf(COMMAND)) await stuck;
        return store.append(asked);
      },
    };
    const commands = new CommandRunner({ store: held }, { now: () => NOW }, () => {}, undefined, {
      longestWaitMs: 1,
    });
    const first = commands.execute(Tenant, COMMAND, { commandId: COMMAND_ID }, { actor: 'a' });
    const second = commands.execute(Tenant, settingsOf(9), { commandId: idOf(9) }, { actor: 'a' });
    await expect(second).rejects.toMatchObject({ code: 'StreamBusy' });
    const other = { ...COMMAND, tenantId: 2 as TenantId };
    const elsewhere = await commands.execute(Tenant, other, { commandId: idOf(2) }, { actor: 'a' });
    expect(elsewhere.events).toHaveLength(1);
    release();
    expect((await first).events).toHaveLength(1);
  });
});

describe('commands on several streams', () => {
  const step = (tenantId: number, n: number) => ({
    aggregate: Tenant,
    command: { ...COMMAND, tenantId: tenantId as TenantId },
    name: { commandId: idOf(n) },
  });

  /** Whose appends of several wait until they are released. */
  function held(store = createMemoryEventStore()) {
    const { promise: stuck, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const holding: EventStore = {
      ...store,
      append: (request) => store.append(request),
      read: (...asked) => store.read(...asked),
      appendAll: async (requests) => {
        begin();
        await stuck;
        const result = await store.appendAll?.(requests);
        if (result === undefined) throw new Error('the store appends to one stream at a time');
        return result;
      },
    };
    return { store: holding, begun, release };
  }

  it('are acknowledged each at its position', async () => {
    const acknowledged: unknown[][] = [];
    const store = createMemoryEventStore();
    const commands = new CommandRunner({ store }, { now: () => NOW }, (...each) =>
      acknowledged.push(each),
    );
    const done = await commands.executeTogether([step(1, 1), step(2, 2)], { actor: 'a' });
    expect(done?.map(({ events }) => events.length)).toEqual([1, 1]);
    const log: unknown[] = [];
    for await (const batch of store.subscribe({ untilHead: true })) {
      for (const { tenantId, position, stream } of batch) log.push([tenantId, position, stream]);
    }
    expect(log).toHaveLength(2);
    expect(acknowledged).toEqual(log);
  });

  it('are left to their single execution where one of them is under way or twice there', async () => {
    const { store, begun, release } = held();
    const commands = new CommandRunner({ store }, { now: () => NOW }, () => {});
    const first = commands.executeTogether([step(1, 1), step(2, 2)], { actor: 'a' });
    await begun;
    const crossing = [step(3, 3), step(2, 4)] as const;
    expect(await commands.executeTogether(crossing, { actor: 'a' })).toBeUndefined();
    expect(
      await commands.executeTogether([step(4, 5), step(4, 6)], { actor: 'a' }),
    ).toBeUndefined();
    // One by itself waits for its turn.
    const single = commands.execute(Tenant, step(2, 7).command, step(2, 7).name, { actor: 'a' });
    release();
    expect(await first).toHaveLength(2);
    expect((await single).events).toEqual([]);
    expect(await commands.executeTogether([step(3, 8), step(4, 9)], { actor: 'a' })).toHaveLength(
      2,
    );
  });
});

describe('the mark of a command', () => {
  const STREAM = Tenant.streamOf(COMMAND);
  const CALLER = { actor: 'a' };
  const named = (content?: unknown) => ({ commandId: COMMAND_ID, content });

  function ledgerOf(store: EventStore, secret?: Buffer): CommandRunner {
    return new CommandRunner({ store }, { now: () => NOW }, () => {}, secret);
  }

  async function markIn(store: EventStore): Promise<string | undefined> {
    return (await store.read(STREAM))[0]?.commandFingerprint;
  }

  it.each([
    ['its content', { email: 'ada@example.com' }, { email: 'ada@example.com' }],
    ['the command itself', undefined, { ...COMMAND, at: undefined }],
  ])('under a secret cannot be made by guessing %s', async (_what, content, guess) => {
    const store = createMemoryEventStore();
    await ledgerOf(store, Buffer.alloc(32, 1)).execute(Tenant, COMMAND, named(content), CALLER);
    const mark = await markIn(store);
    expect(mark).toMatch(/^[0-9a-f]{32}$/);
    expect(mark).not.toContain(fingerprintOf(guess));
    const elsewhere = createMemoryEventStore();
    const other = ledgerOf(elsewhere, Buffer.alloc(32, 2));
    await other.execute(Tenant, COMMAND, named(content), CALLER);
    expect(await markIn(elsewhere)).not.toBe(mark);
  });

  it.each([
    ['under a secret', Buffer.alloc(32, 1)],
    ['in the open, by a version of before', undefined],
  ])('that was kept %s tells a repetition from another use', async (_how, secret) => {
    const store = createMemoryEventStore();
    await ledgerOf(store, secret).execute(Tenant, COMMAND, named('said'), CALLER);
    const commands = ledgerOf(store, Buffer.alloc(32, 1));
    const again = await commands.execute(Tenant, COMMAND, named('said'), CALLER);
    expect(again).toMatchObject({ repeated: true, events: [{ type: 'TenantOnboarded' }] });
    const asked = { commandId: COMMAND_ID, content: 'said' };
    expect(await commands.isRepeat(Tenant, STREAM, asked)).toBe(true);
    const reused = { code: 'IdempotencyKeyReused' };
    const other = commands.execute(Tenant, COMMAND, named('other'), CALLER);
    await expect(other).rejects.toMatchObject(reused);
    const looked = commands.isRepeat(Tenant, STREAM, { commandId: COMMAND_ID, content: 'other' });
    await expect(looked).rejects.toMatchObject(reused);
    expect(await store.read(STREAM)).toHaveLength(1);
  });
});

describe('the event at a place of a stream', () => {
  const stream = Tenant.streamOf(COMMAND);
  const caller = { actor: 'a' };

  it('is the same from the cache as from the log, and the last one is not read again', async () => {
    const store = createMemoryEventStore();
    let reads = 0;
    const counting: EventStore = {
      ...store,
      append: (asked) => store.append(asked),
      read: (...asked) => {
        reads += 1;
        return store.read(...asked);
      },
    };
    const cache = createStateCache();
    const clock = { now: () => NOW };
    const cached = new CommandRunner({ store: counting, cache }, clock, () => {});
    const plain = new CommandRunner({ store }, clock, () => {});
    await cached.execute(Tenant, COMMAND, { commandId: COMMAND_ID }, caller);
    await cached.execute(Tenant, settingsOf(7), { commandId: idOf(7) }, caller);
    const last = await plain.asOf(Tenant, stream, 1);
    reads = 0;
    expect(await cached.asOf(Tenant, stream, 1)).toEqual(last);
    expect(reads).toBe(0);
    for (const revision of [0, 1, 2]) {
      const read = await plain.asOf(Tenant, stream, revision);
      expect(await cached.asOf(Tenant, stream, revision)).toEqual(read);
    }
    // Loaded by a command that changed nothing, on another host.
    const other = new CommandRunner(
      { store: counting, cache: createStateCache() },
      clock,
      () => {},
    );
    await other.stateOf(Tenant, stream);
    reads = 0;
    expect(await other.asOf(Tenant, stream, 1)).toEqual(last);
    expect(reads).toBe(0);
    cache.clear();
    expect(await cached.asOf(Tenant, stream, 1)).toEqual(last);
    expect(reads).toBe(1);
  });
});
