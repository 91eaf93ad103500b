/** A rebuild makes what the live worker made, beside it, and the swap can be taken back. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStore, TransactionId } from '@counterfoil/core';
import {
  bringUpToDate,
  dropOldBuilds,
  ledger,
  openSqliteReadModelStore,
  PROJECTIONS,
  type Projection,
  rebuild,
  reference,
  rollBack,
  swap,
  transactions,
} from '@counterfoil/projections';
import { syntheticPayment } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adaptersInFolder } from './adapters.ts';
import { append, NOW, paymentStream, TENANT, type World, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

const { adapters, folder } = adaptersInFolder();

async function fill(here: World, from: number, payments: number): Promise<void> {
  for (let number = from; number < from + payments; number += 1) {
    const { stream, tenantId, events } = syntheticPayment(number, { payments: 100, tenants: 2 });
    await append(here.events, { stream, tenantId }, events);
  }
}

function optionsOf(here: World, projection: Projection) {
  const { events, store } = here;
  return { events, store, projection, holder: 'rebuilder', now: () => Date.parse(NOW) };
}

/** The log in small batches, so that a few payments make several. */
function withBatches(events: EventStore, subscribe: EventStore['subscribe']): EventStore {
  return {
    append: (request) => events.append(request),
    read: (stream, range) => events.read(stream, range),
    head: () => events.head(),
    close: () => events.close(),
    subscribe: (range) => subscribe({ ...range, batchSize: 10 }),
  };
}

function take({ store }: World, holder: string, nowMs: number) {
  return store.acquireLease({ name: 'rebuild-transactions', holder, nowMs, ttlMs: 1_000 });
}

describe.each(adapters)('a rebuild on %s', (name, open) => {
  it('equals the live build, for any log and any batches', { timeout: 60_000 }, async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 40 }), async (batches, maxBatchEvents) => {
        const here = world(await open());
        let from = 0;
        for (const payments of batches) {
          await fill(here, from, payments);
          await here.catchUp({ maxBatchEvents });
          from += payments;
        }
        for (const projection of PROJECTIONS) {
          const rebuilt = await rebuild(optionsOf(here, projection));
          expect(rebuilt.differences).toEqual([]);
          expect(rebuilt.position).toBe(await here.events.head());
        }
        await here.store.close();
      }),
      { numRuns: name === 'memory' ? 20 : 4 },
    );
  });

  it('loads tenants whose payments are months apart', async () => {
    const here = world(await open());
    await fill(here, 99, 1);
    await fill(here, 0, 1);
    await here.catchUp();
    const rebuilt = await rebuild(optionsOf(here, transactions));
    expect(rebuilt.differences).toEqual([]);
    await here.store.close();
  });

  it('excludes others until it ends', async () => {
    const here = world(await open());
    await fill(here, 0, 20);
    let nowMs = 0;
    const events = withBatches(here.events, (range) => here.events.subscribe(range));
    const taken: (number | undefined)[] = [];
    await rebuild({
      ...optionsOf(here, transactions),
      events,
      now: () => nowMs,
      // Each batch takes a good part of a lease, all of them take many.
      onProgress: async ({ phase }) => {
        nowMs += 20_000;
        if (phase === 'loading') taken.push(await take(here, 'another', nowMs));
      },
    });
    expect(taken.length).toBeGreaterThan(3);
    expect(new Set(taken)).toEqual(new Set([undefined]));
    expect(await take(here, 'another', nowMs)).toBeDefined();
    await here.store.close();
  });

  it('ends when another took its place, and leaves the other’s build alone', async () => {
    const here = world(await open());
    await fill(here, 0, 20);
    let nowMs = 0;
    const options = { ...optionsOf(here, transactions), now: () => nowMs };
    let other: Promise<unknown> | undefined;
    const events = withBatches(here.events, async function* (range) {
      for await (const batch of here.events.subscribe(range)) {
        yield batch;
        nowMs += other === undefined ? 1_000_000 : 0;
        other ??= rebuild({ ...options, holder: 'another' });
        await other;
      }
    });
    await expect(rebuild({ ...options, events })).rejects.toThrow('another took the lease');
    const builds = await here.store.builds(transactions.name);
    expect(builds.map(({ state }) => state)).toEqual(['ready']);
    await here.store.close();
  });

  it('shows what differs, and leaves the live build alone until the swap', async () => {
    const here = world(await open());
    await append(here.events, { stream: paymentStream(A.PAYMENT) }, [A.submitted()]);
    await here.catchUp();
    const different: Projection = {
      ...transactions,
      derive: (key, state) => transactions.derive?.(key, state as never).slice(0, 0) ?? [],
    };
    const rebuilt = await rebuild(optionsOf(here, different));
    expect(
      rebuilt.differences?.map(({ collection, live, rebuilt: other }) => [
        collection,
        live?.count,
        other?.count,
      ]),
    ).toEqual([
      ['records', 1, 0],
      ['open_intents', 1, 0],
    ]);
    const count = async () =>
      (await here.search.search({ tenantId: TENANT, filter: { orderIds: [5001] }, now: NOW }))
        .count;
    expect(await count()).toBe(1);
    await swap(here.store, rebuilt);
    expect(await count()).toBe(0);
    expect(await rollBack(here.store, transactions)).toBe(1);
    expect(await count()).toBe(1);
    expect(await rollBack(here.store, transactions)).toBeUndefined();
    await here.store.close();
  });

  it('can be followed by the worker after the swap, and after the way back', async () => {
    const here = world(await open());
    await fill(here, 0, 10);
    await here.catchUp();
    await swap(here.store, await rebuild(optionsOf(here, transactions)));
    await fill(here, 10, 10);
    await here.catchUp();
    expect((await rebuild(optionsOf(here, transactions))).differences).toEqual([]);
    await rollBack(here.store, transactions);
    await here.catchUp();
    expect((await rebuild(optionsOf(here, transactions))).differences).toEqual([]);
    await here.store.close();
  });

  it('goes no further than a live build that is behind the log', async () => {
    const here = world(await open());
    await fill(here, 0, 5);
    await here.catchUp();
    const behind = await here.events.head();
    await fill(here, 5, 5);
    const rebuilt = await rebuild(optionsOf(here, transactions));
    expect(rebuilt).toMatchObject({ differences: [], position: behind });
    await here.store.close();
  });

  it('compares at the position of a live build that runs ahead of it', async () => {
    const here = world(await open());
    await fill(here, 0, 5);
    await here.catchUp();
    let ahead = false;
    const rebuilt = await rebuild({
      ...optionsOf(here, transactions),
      onProgress: () => undefined,
      events: new Proxy(here.events, {
        get: (target, member) => {
          if (member !== 'subscribe') return Reflect.get(target, member).bind(target);
          return async function* (options: Parameters<typeof target.subscribe>[0]) {
            yield* target.subscribe(options);
            if (ahead) return;
            ahead = true;
            // While the load ends, the live build goes on.
            await fill(here, 5, 5);
            await here.catchUp();
          };
        },
      }),
    });
    expect(rebuilt.differences).toEqual([]);
    expect(rebuilt.position).toBe(await here.events.head());
    await here.store.close();
  });

  it('brings projections without a build of their version up to date, and no others', async () => {
    const here = world(await open());
    await fill(here, 0, 10);
    const options = { ...optionsOf(here, transactions), projections: PROJECTIONS };
    const first = await bringUpToDate(options);
    expect(first.map(({ projection }) => projection)).toEqual(PROJECTIONS.map(({ name }) => name));
    expect(await bringUpToDate(options)).toEqual([]);
    const newer: Projection = { ...ledger, version: 'newer' };
    const second = await bringUpToDate({ ...options, projections: [reference, newer] });
    expect(second).toMatchObject([{ projection: 'ledger', differences: undefined }]);
    // A build of another version is nothing to roll back to.
    expect(await rollBack(here.store, newer)).toBeUndefined();
    await here.catchUp({ projections: [reference, transactions, newer] });
    await here.store.close();
  });

  it('leaves no build over for each try when one of several cannot be ended', async () => {
    const here = world(await open());
    await fill(here, 0, 3);
    const { store } = here;
    const create = store.createBuild.bind(store);
    store.createBuild = async (request) => {
      const build = await create(request);
      if (request.projection !== 'ledger') return build;
      build.finishLoad = () => Promise.reject(new Error('no room'));
      return build;
    };
    const options = { ...optionsOf(here, reference), projections: PROJECTIONS };
    await expect(bringUpToDate(options)).rejects.toThrow('no room');
    const live = await store.live('transactions');
    expect(live?.info.state).toBe('ready');
    await expect(bringUpToDate(options)).rejects.toThrow('no room');
    expect(await store.builds('transactions')).toEqual([live?.info]);
    await store.close();
  });

  it('keeps one build of those that it replaced', async () => {
    const here = world(await open());
    await fill(here, 0, 3);
    for (const version of ['a', 'b', 'c', 'd']) {
      await bringUpToDate({ ...optionsOf(here, ledger), projections: [{ ...ledger, version }] });
    }
    const builds = await here.store.builds('ledger');
    expect(builds.map(({ version }) => version)).toEqual(['c', 'd']);
    await here.store.close();
  });

  it('drops builds that nothing leads back to, and loads that broke off', async () => {
    const here = world(await open());
    await fill(here, 0, 3);
    await here.catchUp();
    for (let round = 0; round < 3; round += 1) {
      await swap(here.store, await rebuild(optionsOf(here, transactions)));
    }
    const broken: Projection = {
      ...transactions,
      apply: () => {
        throw new Error('x');
      },
      encode: transactions.encode as Projection['encode'],
    };
    expect((await rebuild(optionsOf(here, broken))).parked).toHaveLength(3);
    const abort = AbortSignal.abort(new Error('stopped'));
    await expect(rebuild({ ...optionsOf(here, transactions), signal: abort })).rejects.toThrow(
      'stopped',
    );
    const states = async () => (await here.store.builds('transactions')).map(({ state }) => state);
    expect(await states()).toContain('loading');
    await rebuild(optionsOf(here, transactions));
    expect(await states()).not.toContain('loading');
    await dropOldBuilds(here.store, 'transactions');
    const left = await here.store.builds('transactions');
    expect(left.map(({ build }) => build)).toEqual([3, 4]);
    await here.store.close();
  });
});

describe('the files of a rebuild', () => {
  it('go with their build', async () => {
    const here = world(openSqliteReadModelStore({ path: join(folder, 'files.db') }));
    await append(here.events, { stream: paymentStream(A.PAYMENT) }, [
      A.submitted({ transactionId: A.PAYMENT as TransactionId }),
    ]);
    await here.catchUp();
    const { build } = await rebuild(optionsOf(here, transactions));
    const ofBuild = () =>
      readdirSync(folder).filter((file) => file.startsWith(`files.db-transactions-${build}`));
    expect(ofBuild()).not.toEqual([]);
    await here.store.dropBuild('transactions', build);
    expect(ofBuild()).toEqual([]);
    await here.store.close();
  });

  it('can be read by another connection while they are written', async () => {
    const path = join(folder, 'read-only.db');
    const reader = openSqliteReadModelStore({ path, readOnly: true });
    expect(await reader.live('transactions')).toBeUndefined();
    const here = world(openSqliteReadModelStore({ path }));
    const seen = world(reader);
    await append(here.events, { stream: paymentStream(A.PAYMENT) }, [A.submitted()]);
    await here.catchUp();
    expect((await seen.search.record(TENANT, A.PAYMENT, NOW))?.status).toBe('Created');
    await append(here.events, { stream: paymentStream(A.PAYMENT) }, [A.started(), A.captured()]);
    await here.catchUp();
    expect((await seen.search.record(TENANT, A.PAYMENT, NOW))?.status).toBe('Captured');
    await swap(here.store, await rebuild(optionsOf(here, transactions)));
    expect((await reader.live('transactions'))?.info.build).toBe(2);
    await expect(reader.makeLive('transactions', 1)).rejects.toMatchObject({ code: 'read-only' });
    await reader.close();
    await here.store.close();
  });
});
