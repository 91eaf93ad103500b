/** Workers that share the shards of the tenants make what one worker makes, however they come and go. */
import { join } from 'node:path';
import type { EventStore, Position } from '@counterfoil/core';
import {
  createMemoryReadModelStore,
  createProjector,
  openSqliteReadModelStore,
  PROJECTIONS,
  Progress,
  type ProjectorOptions,
  type ReadModelStore,
  rebuild,
  reference,
  runProjections,
  shardOf,
  swap,
  transactions,
} from '@counterfoil/projections';
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';
import { syntheticPayment } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDatabase } from '../setup/databases.ts';
import { casesOfProject } from '../setup/stores.ts';
import { adaptersInFolder } from './adapters.ts';
import { append, NOW, paymentStream, tenant, type World, world } from './ledger-of-events.ts';
import * as A from './payments.ts';
import { crashing } from './watched-store.ts';

const SHARDS = 4;
const TENANTS = 9;
const TIMEOUT_MS = 120_000;
const HOUR_MS = 3_600_000;
const WAIT = { timeout: 20_000, interval: 20 };

const { folder } = adaptersInFolder();

type Sharded = readonly [string, () => Promise<ReadModelStore>];
let database: ReturnType<typeof createDatabase> | undefined;
let made = 0;
const sharded = casesOfProject<Sharded>({
  embedded: [['memory', async () => createMemoryReadModelStore({ shards: SHARDS })]],
  postgres: [
    [
      'postgres',
      async () => {
        made += 1;
        database ??= createDatabase();
        const { url } = await database;
        return openPostgresReadModelStore({ url, schema: `shards_${made}`, shards: SHARDS });
      },
    ],
  ],
});
afterAll(async () => (await database)?.drop());

async function fill(events: EventStore, from: number, payments: number): Promise<void> {
  for (let number = from; number < from + payments; number += 1) {
    const payment = syntheticPayment(number, { payments: 100, tenants: TENANTS });
    await append(events, payment, payment.events);
  }
}

function optionsOf({ events, store }: Pick<World, 'events' | 'store'>): ProjectorOptions {
  return { events, store, projections: PROJECTIONS, holder: 'test', now: () => Date.parse(NOW) };
}

async function documentsOf(store: ReadModelStore): Promise<unknown> {
  const live = PROJECTIONS.map(async ({ name }) => {
    const build = await store.live(name);
    return [(await build?.summary())?.collections, await build?.parked()];
  });
  return Promise.all(live);
}

/** What one worker makes of a log, in a store of one shard. */
async function truthOf(events: EventStore): Promise<unknown> {
  const store = createMemoryReadModelStore();
  await runProjections({ ...optionsOf({ events, store }), untilHead: true });
  return documentsOf(store);
}

async function opened(open: () => Promise<ReadModelStore>): Promise<World> {
  const store = await open();
  onTestFinished(() => store.close());
  return world(store);
}

/** A worker that runs until it is stopped. */
function working(here: World, holder: string, more: Partial<ProjectorOptions> = {}) {
  const ending = new AbortController();
  const options = { ...optionsOf(here), now: Date.now, holder, signal: ending.signal, ...more };
  const projector = createProjector(options);
  const running = projector.run();
  onTestFinished(async () => {
    ending.abort();
    await running;
  });
  return {
    projector,
    async stop() {
      ending.abort();
      await running;
    },
  };
}

/** How many shards each holder has. */
async function sharesIn(store: ReadModelStore): Promise<Readonly<Record<string, number>>> {
  const held = await store.leases('projections/', Date.now());
  const shares: Record<string, number> = {};
  for (const { name, holder } of held) {
    if (/^projections\/\d+$/.test(name)) shares[holder] = (shares[holder] ?? 0) + 1;
  }
  return shares;
}

async function untilApplied({ store, events }: World): Promise<void> {
  const head = await events.head();
  await vi.waitUntil(async () => {
    const places = PROJECTIONS.map(async ({ name }) => (await store.live(name))?.checkpoint());
    return (await Promise.all(places)).every((place) => place === head);
  }, WAIT);
}

it('puts a tenant into the same shard for ever, and tenants in equal numbers', () => {
  expect([0, 1, 2, 3, 4, 1_000_001, 2 ** 40].map((id) => shardOf(id, 8))).toEqual(STABLE);
  for (const step of [1, 2, 8, 1_000]) {
    const counts = Array.from({ length: 8 }, () => 0);
    for (let index = 0; index < 8_000; index += 1) {
      const shard = shardOf(index * step, 8);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  }
});

/** Read models on disk depend on these. */
const STABLE: readonly number[] = [0, 7, 6, 7, 5, 2, 7];

describe.each(sharded)('workers that share read models on %s', (name, open) => {
  it('make what one worker makes, though they are killed in any commit and lose their leases', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const lives = fc.array(
      fc.record({ at: fc.integer({ min: 1, max: 40 }), when: fc.constantFrom('before', 'after') }),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(lives, { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 5, max: 40 }),
        async (workers, maxBatchEvents) => {
          const here = world(await open());
          await fill(here.events, 0, 30);
          // With each life the clock of all goes on, and leases of living workers end too. Those that a
          // request of the dead has taken, after the last life began, end in their time.
          let hours = 0;
          const begunMs = Date.now();
          const now = () => Date.parse(NOW) + hours * HOUR_MS + Date.now() - begunMs;
          const live = async (holder: string, store: ReadModelStore) => {
            hours += 1;
            const options = { ...optionsOf(here), store, holder, now, maxBatchEvents };
            await runProjections({ ...options, untilHead: true });
          };
          const worker = async (deaths: (typeof workers)[number], index: number) => {
            for (const { at, when } of deaths) {
              const killed = crashing(here.store, at, when as 'before' | 'after');
              const end = await live(`${index}`, killed).catch((error: Error) => error);
              if (end === undefined) return;
              expect(end.message).toBe('crash');
            }
            await live(`${index}`, here.store);
          };
          await Promise.all(workers.map(worker));
          expect(await documentsOf(here.store)).toEqual(await truthOf(here.events));
          await here.store.close();
        },
      ),
      { numRuns: name === 'memory' ? 12 : 4 },
    );
  });

  it('have equal shares, and move shards when one comes or goes, without loss', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const here = await opened(open);
    await fill(here.events, 0, 10);
    const one = working(here, 'one');
    await vi.waitUntil(async () => (await sharesIn(here.store))['one'] === SHARDS, WAIT);
    await untilApplied(here);
    const two = working(here, 'two');
    const shares = () => sharesIn(here.store);
    await vi.waitFor(async () => expect(await shares()).toEqual({ one: 2, two: 2 }), WAIT);
    await fill(here.events, 10, 10);
    await untilApplied(here);
    working(here, 'three');
    await vi.waitFor(
      async () => expect(Object.values(await shares()).sort()).toEqual([1, 1, 2]),
      WAIT,
    );
    await fill(here.events, 20, 10);
    await untilApplied(here);
    await one.stop();
    await vi.waitFor(async () => expect(await shares()).toEqual({ two: 2, three: 2 }), WAIT);
    await two.stop();
    await vi.waitFor(async () => expect(await shares()).toEqual({ three: SHARDS }), WAIT);
    await fill(here.events, 30, 5);
    await untilApplied(here);
    expect(await documentsOf(here.store)).toEqual(await truthOf(here.events));
  });

  it('take over from one that has died, when its leases end', { timeout: TIMEOUT_MS }, async () => {
    const here = await opened(open);
    for (const lease of ['0', '1', '2', '3', 'worker/0']) {
      const dead = { name: `projections/${lease}`, holder: 'dead', ttlMs: 1_000 };
      await here.store.acquireLease({ ...dead, nowMs: Date.now() });
    }
    await fill(here.events, 0, 5);
    working(here, 'heir');
    await vi.waitFor(
      async () => expect(await sharesIn(here.store)).toEqual({ heir: SHARDS }),
      WAIT,
    );
    await untilApplied(here);
    expect(await documentsOf(here.store)).toEqual(await truthOf(here.events));
  });

  it('stand by where there are as many as shards', { timeout: TIMEOUT_MS }, async () => {
    const here = await opened(open);
    const names = [...Array(SHARDS + 1).keys()].map((number) => `w${number}`);
    const workers = names.map((holder) => working(here, holder));
    const each = Array.from({ length: SHARDS }, () => 1);
    const shares = async () => Object.values(await sharesIn(here.store));
    await vi.waitFor(async () => expect(await shares()).toEqual(each), WAIT);
    await workers[0]?.stop();
    await fill(here.events, 0, 10);
    await untilApplied(here);
    await vi.waitFor(async () => expect(await shares()).toEqual(each), WAIT);
  });

  it('are rebuilt beside, at whatever position each shard is, and follow the new build', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const here = await opened(open);
    const options = { ...optionsOf(here), untilHead: true };
    await fill(here.events, 0, 12);
    await runProjections(options);
    for (const [index, onlyShard] of [2, 0].entries()) {
      await fill(here.events, 12 + 4 * index, 4);
      await runProjections({ ...options, onlyShard });
    }
    const places = await (await here.store.live('transactions'))?.checkpoints();
    expect(new Set(places).size).toBe(3);
    const scratch = openSqliteReadModelStore({ path: join(folder, `scratch-${name}.db`) });
    for (const projection of PROJECTIONS) {
      const rebuilding = { ...optionsOf(here), projection };
      const live = await here.store.live(projection.name);
      if (live === undefined) throw new Error(`no ${projection.name}`);
      const compared = { ...rebuilding, store: scratch, compareWith: live };
      expect((await rebuild(compared)).differences).toEqual([]);
      const rebuilt = await rebuild(rebuilding);
      expect(rebuilt.differences).toEqual([]);
      await swap(here.store, rebuilt);
    }
    await scratch.close();
    // Read from the last shard on, and not applied again to those ahead of it.
    await fill(here.events, 20, 10);
    await runProjections(options);
    expect(await documentsOf(here.store)).toEqual(await truthOf(here.events));
  });

  it('retry a parked stream where its shard is followed', { timeout: TIMEOUT_MS }, async () => {
    const here = await opened(open);
    let fails = true;
    const apply: typeof transactions.apply = (record, states) => {
      if (fails && record.event.type === 'PaymentCaptured') throw new Error('not yet');
      return transactions.apply(record, states);
    };
    const projections = [reference, { ...transactions, apply }] as ProjectorOptions['projections'];
    const tenantId = tenant(3);
    const stream = paymentStream(A.PAYMENT, tenantId);
    const story = [A.submitted(), A.started(), A.captured()];
    await append(here.events, { stream, tenantId }, story);
    await runProjections({ ...optionsOf(here), projections, untilHead: true });
    const parked = async () => (await here.store.live('transactions'))?.parkedStreams();
    expect(await parked()).toEqual(new Set([stream]));
    const shard = shardOf(tenantId, SHARDS);
    const retrying = async (onlyShard: number) => {
      const progress = new Progress();
      const notify = progress.receive.bind(progress);
      const worker = working(here, `of ${onlyShard}`, { projections, onlyShard, notify });
      await vi.waitUntil(() => progress.shards.some(({ position }) => position), WAIT);
      return worker.projector.retryParked('transactions', stream).finally(() => worker.stop());
    };
    await expect(retrying((shard + 1) % SHARDS)).rejects.toThrow(RangeError);
    expect(await retrying(shard)).toBe(false);
    fails = false;
    expect(await retrying(shard)).toBe(true);
    expect(await parked()).toEqual(new Set());
  });

  it('let a read of a tenant wait for its shard alone', { timeout: TIMEOUT_MS }, async () => {
    const here = await opened(open);
    const [early, late] = [tenant(1), tenant(2)];
    expect(shardOf(early, SHARDS)).not.toBe(shardOf(late, SHARDS));
    await fill(here.events, 0, 4);
    const head = (await here.events.head()) as Position;
    const progress = new Progress();
    const notify = progress.receive.bind(progress);
    const once = { ...optionsOf(here), untilHead: true, notify };
    await runProjections({ ...once, onlyShard: shardOf(early, SHARDS) });
    const now = { timeoutMs: 0 };
    expect(await progress.reached(head, { ...now, tenantId: early })).toBe(true);
    expect(await progress.reached(head, { ...now, tenantId: late })).toBe(false);
    expect(await progress.reached(head, now)).toBe(false);
    const waiting = progress.reached(head, { tenantId: late, timeoutMs: 60_000 });
    await runProjections(once);
    expect(await waiting).toBe(true);
    expect(await progress.reached(head, now)).toBe(true);
  });
});
