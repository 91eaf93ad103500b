/** Read models that two threads fill are those that one fills, and those that the worker made live. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type CommandId,
  type Event,
  type EventStore,
  encodeEvent,
  type StreamName,
  type Subject,
  streamName,
  type TenantId,
} from '@counterfoil/core';
import { arbitraries } from '@counterfoil/core/testing';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { createProjector, openSqliteReadModelStore, PROJECTIONS } from '@counterfoil/projections';
import { syntheticPayment } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { PersonalKeys } from '../../personal-keys/personal-keys.ts';
import { type Beside, fill } from './filling.ts';
import type { FromThread, ProjectionThreadData } from './messages.ts';
import { besideInThread, isWorthAThread } from './rebuild-thread.ts';

const TIMEOUT_MS = 120_000;
const HOLDER = 'host';
const WRAPPING_KEY = new Uint8Array(32);
/** Whose events are mixed. */
const AT_ONCE = 8;
const PAYMENTS = 40;

interface History {
  readonly payments: number;
  /** Which of the payments under way goes on. */
  readonly picks: readonly number[];
  /** Payments after whose last event their customer is erased. */
  readonly erased: readonly number[];
  /** Events of any kind that follow a payment in its stream: most cannot be applied. */
  readonly strange: readonly (readonly [payment: number, event: Event])[];
  readonly maxBatchEvents: number;
  readonly batchEvents: number;
}

const history: fc.Arbitrary<History> = fc.record({
  payments: fc.integer({ min: 1, max: PAYMENTS }),
  picks: fc.array(fc.nat(AT_ONCE - 1), { minLength: 1, maxLength: 50 }),
  erased: fc.array(fc.nat(PAYMENTS - 1), { maxLength: 3 }),
  strange: fc.oneof(
    fc.constant([]),
    fc.array(fc.tuple(fc.nat(PAYMENTS - 1), arbitraries.event()), { maxLength: 5 }),
  ),
  maxBatchEvents: fc.integer({ min: 1, max: 60 }),
  batchEvents: fc.integer({ min: 1, max: 60 }),
});

/** A log of payments of three tenants, its keys, and what is asked of it. */
class Log {
  readonly folder: string;
  readonly events: EventStore;
  readonly keys: { readonly path: string; readonly wrappingKey: Uint8Array };
  readonly vault: PersonalKeys;

  private constructor(folder: string, events: EventStore) {
    this.folder = folder;
    this.events = events;
    this.keys = { path: join(folder, 'keys.db'), wrappingKey: WRAPPING_KEY };
    this.vault = new PersonalKeys(this.keys);
  }

  static async open(): Promise<Log> {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-filling-'));
    return new Log(folder, await openSqliteEventStore({ path: join(folder, 'events.db') }));
  }

  async close(): Promise<void> {
    await this.events.close();
    this.vault.close();
    rmSync(this.folder, { recursive: true });
  }

  async append(stream: StreamName, tenantId: TenantId, event: Event): Promise<void> {
    const encoded = encodeEvent(event, { tenantId, vault: this.vault });
    const [id, command] = [crypto.randomUUID(), crypto.randomUUID() as CommandId];
    const time = '2026-01-01T00:00:00.000Z';
    const { outcome } = await this.events.append({
      stream,
      events: [{ id, ...encoded, tenantId, time, metadata: '{"actor":"a@b.test"}' }],
      expected: { kind: 'any' },
      command: { id: command, fingerprint: 'f' },
    });
    expect(outcome).toBe('appended');
  }

  async play({ payments, picks, erased, strange }: History): Promise<void> {
    const waiting = Array.from({ length: payments }, (_, number) => {
      const { stream, tenantId, events } = syntheticPayment(number, { payments, tenants: 3 });
      const more = strange.filter(([payment]) => payment === number).map(([, event]) => event);
      return { number, stream, tenantId, events: [...events, ...more] };
    });
    const underWay = waiting.splice(0, AT_ONCE);
    for (let step = 0; underWay.length > 0; step += 1) {
      const at = (picks[step % picks.length] ?? 0) % underWay.length;
      const payment = underWay[at];
      const event = payment?.events.shift();
      if (payment !== undefined && event !== undefined) {
        await this.append(payment.stream, payment.tenantId, event);
        continue;
      }
      underWay.splice(at, 1, ...waiting.splice(0, 1));
      if (payment !== undefined && erased.includes(payment.number)) await this.#erase(payment);
    }
  }

  async #erase({ number, tenantId }: { number: number; tenantId: TenantId }): Promise<void> {
    const [submitted] = syntheticPayment(number, { payments: 1, tenants: 3 }).events;
    if (submitted?.type !== 'PaymentSubmitted') throw new Error('no payment');
    const { customerId, sandbox } = submitted;
    this.vault.destroy({ tenantId, customerId, sandbox } as Subject);
    const stream = streamName('customer_account', tenantId, String(customerId));
    const at = '2026-01-01T00:00:00.000Z';
    await this.append(stream, tenantId, { type: 'CustomerErased', customerId, sandbox, at });
  }

  /** Opens read models, and says what a thread needs to open them. */
  models(name: string) {
    const path = join(this.folder, `${name}.db`);
    const data: ProjectionThreadData = {
      log: { eventStoreUrl: `sqlite:${join(this.folder, 'events.db')}` },
      readModelUrl: `sqlite:${path}`,
      holder: HOLDER,
      keys: { ...this.keys, readOnly: true },
    };
    return { data, store: openSqliteReadModelStore({ path }) };
  }

  options(store: ReturnType<typeof openSqliteReadModelStore>) {
    const { events, vault } = this;
    const { signal } = new AbortController();
    return { events, vault, store, holder: HOLDER, signal, projections: PROJECTIONS };
  }

  /** All rows of all builds, in the order in which they lie in their tables. */
  rows(name: string): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    for (const file of readdirSync(this.folder).sort()) {
      if (!new RegExp(`^${name}\\.db-[a-z_]+-\\d+$`).test(file)) continue;
      const database = new DatabaseSync(join(this.folder, file), { readOnly: true });
      const tables = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .all();
      for (const { name: table } of tables) {
        const rows = database.prepare(`SELECT * FROM "${table}"`);
        rows.setReadBigInts(true);
        found[`${file.slice(name.length)} ${table}`] = rows.all();
      }
      database.close();
    }
    return found;
  }
}

async function opened(): Promise<Log> {
  const log = await Log.open();
  onTestFinished(() => log.close());
  return log;
}

async function summariesOf(store: ReturnType<typeof openSqliteReadModelStore>) {
  const found = [];
  for (const { name } of PROJECTIONS) {
    const live = await store.live(name);
    found.push({ name, summary: await live?.summary(), parked: await live?.parked() });
  }
  return found;
}

const ignored = () => undefined;

const SOME: History = {
  payments: PAYMENTS,
  picks: [0, 3, 1, 7],
  erased: [5],
  strange: [],
  maxBatchEvents: 50,
  batchEvents: 10,
};

/** Fills in two threads what one has filled as well, and compares the two. */
async function expectFilled(log: Log, name: string): Promise<void> {
  const { batchEvents } = SOME;
  const [one, two] = [log.models('one'), log.models(name)];
  await fill({ ...log.options(one.store), batchEvents });
  const beside = besideInThread(two.data, ignored);
  await fill({ ...log.options(two.store), batchEvents, beside });
  expect(await summariesOf(two.store)).toEqual(await summariesOf(one.store));
  for (const { store } of [one, two]) await store.close();
}

it('makes the same rows as one thread, and the documents of the worker', {
  timeout: TIMEOUT_MS,
}, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (any) => {
      const log = await Log.open();
      try {
        await log.play(any);
        const { batchEvents, maxBatchEvents } = any;
        const [live, one, two] = [log.models('live'), log.models('one'), log.models('two')];
        const following = { ...log.options(live.store), now: Date.now, untilHead: true };
        await createProjector({ ...following, maxBatchEvents }).run();
        await fill({ ...log.options(one.store), batchEvents });
        const filling = { ...log.options(two.store), batchEvents };
        await fill({ ...filling, beside: besideInThread(two.data, ignored) });
        const documents = await summariesOf(two.store);
        expect(documents).toEqual(await summariesOf(one.store));
        // What cannot be written is parked with the events of its batch, and the worker has other batches.
        if (any.strange.length === 0) expect(documents).toEqual(await summariesOf(live.store));
        for (const { store } of [live, one, two]) await store.close();
        expect(log.rows('two')).toEqual(log.rows('one'));
        expect(Object.keys(log.rows('two')).length).toBeGreaterThan(PROJECTIONS.length);
      } finally {
        await log.close();
      }
    }),
    { numRuns: 5 },
  );
});

it('ends both threads when it is stopped, and begins anew', { timeout: TIMEOUT_MS }, async () => {
  const log = await opened();
  await log.play(SOME);
  const { data, store } = log.models('stopped');
  const stopping = new AbortController();
  const stop = ({ type }: FromThread) => {
    if (type === 'rebuilding') stopping.abort(new Error('stopped'));
  };
  const { events } = log;
  const options = { ...log.options(store), signal: stopping.signal, batchEvents: 1 };
  const waiting = {
    ...events,
    head: () => events.head(),
    subscribe: slow(events, stopping.signal),
  };
  const beside = besideInThread(data, stop);
  await expect(fill({ ...options, events: waiting as EventStore, beside })).rejects.toThrow();
  for (const { name } of PROJECTIONS) expect(await store.live(name)).toBeUndefined();
  await store.close();
  await expectFilled(log, 'stopped');
});

/** Goes on from its first batch only when the signal has fired. */
function slow(events: EventStore, signal: AbortSignal): EventStore['subscribe'] {
  return async function* (options) {
    for await (const batch of events.subscribe(options)) {
      yield batch;
      if (signal.aborted) continue;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }
  };
}

it.each(['transactions', 'ledger'])(
  'ends both threads when %s cannot be filled, and says why',
  { timeout: TIMEOUT_MS },
  async (name) => {
    const log = await opened();
    await log.play(SOME);
    const { data, store } = log.models('held');
    const lease = { name: `rebuild-${name}`, holder: 'another', ttlMs: 600_000, nowMs: Date.now() };
    expect(await store.acquireLease(lease)).toBeDefined();
    const options = { ...log.options(store), batchEvents: 1 };
    const filling = fill({ ...options, beside: besideInThread(data, ignored) });
    await expect(filling).rejects.toThrow(`${name} is being rebuilt by another`);
    expect(await store.live(name)).toBeUndefined();
    // The thread is told to stop before it has begun.
    expect(await store.live('transactions')).toBeUndefined();
    await store.releaseLease(lease.name, lease.holder);
    await store.close();
    await expectFilled(log, 'held');
  },
);

/** Fills in two threads, and is killed when one of them sends its nth message. */
const KILLED = `
  import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
  import { openSqliteReadModelStore, PROJECTIONS } from '@counterfoil/projections';
  const [modules, data, nth] = process.argv.slice(1);
  const { fill } = await import(new URL('filling.ts', modules));
  const { besideInThread } = await import(new URL('rebuild-thread.ts', modules));
  const { openKeysInThread } = await import(new URL('../../personal-keys/open-personal-keys.ts', modules));
  const thread = JSON.parse(data);
  const { log, readModelUrl, holder } = thread;
  const keys = { ...thread.keys, wrappingKey: Uint8Array.from(thread.keys.wrappingKey) };
  const pathOf = (url) => url.slice('sqlite:'.length);
  let left = Number(nth);
  const count = () => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  await fill({
    events: await openSqliteEventStore({ path: pathOf(log.eventStoreUrl), follow: true }),
    store: openSqliteReadModelStore({ path: pathOf(readModelUrl) }),
    vault: await openKeysInThread(keys),
    holder,
    signal: new AbortController().signal,
    projections: PROJECTIONS,
    batchEvents: 10,
    onProgress: count,
    beside: besideInThread({ ...thread, keys }, count),
  });
`;

it('is filled anew after a kill at any instant', { timeout: TIMEOUT_MS }, async () => {
  for (const nth of [1, 40, 110]) {
    const log = await Log.open();
    try {
      await log.play(SOME);
      const { data, store } = log.models('killed');
      await store.close();
      const keys = { ...log.keys, wrappingKey: [...WRAPPING_KEY], readOnly: true };
      const thread = JSON.stringify({ ...data, keys });
      const code = ['-e', KILLED, import.meta.url, thread, String(nth)];
      const { signal, stderr } = spawnSync(process.execPath, code, {
        cwd: import.meta.dirname,
        encoding: 'utf8',
      });
      expect([signal, stderr]).toEqual(['SIGKILL', '']);
      await expectFilled(log, 'killed');
    } finally {
      await log.close();
    }
  }
});

it('asks for no thread to fill a part of the projections', async () => {
  const log = await opened();
  await log.play({ ...SOME, payments: 3 });
  const { store } = log.models('part');
  const asked: string[] = [];
  const beside: Beside = async ({ names }) => void asked.push(...names);
  const others = PROJECTIONS.filter(({ name }) => name !== 'transactions');
  await fill({ ...log.options(store), projections: others, beside });
  expect(asked).toEqual([]);
  await fill({ ...log.options(store), beside });
  expect(asked).toEqual(['transactions']);
  await store.close();
});

it('is worth a thread for large logs in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const isWorth = (eventStoreUrl: string, processors = 4) =>
    isWorthAThread({ eventStoreUrl }, processors);
  const path = join(folder, 'events.db');
  expect(isWorth(`sqlite:${path}`)).toBe(false);
  writeFileSync(path, 'small');
  expect(isWorth(`sqlite:${path}`)).toBe(false);
  truncateSync(path, 200 * 2 ** 20);
  expect(isWorth(`sqlite:${path}`)).toBe(true);
  expect(isWorth(`sqlite:${path}`, 2)).toBe(false);
  expect(isWorth('postgres://localhost/log')).toBe(false);
});
