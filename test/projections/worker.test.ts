/** The worker applies every event once, despite other workers and failing streams. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event, Position, StreamName, TransactionId } from '@counterfoil/core';
import {
  createProjector,
  openSqliteReadModelStore,
  PROJECTIONS,
  Progress,
  type Projection,
  type ProjectionMessage,
  type ReadModelStore,
  rebuild,
  reference,
  runProjections,
  swap,
  transactions,
} from '@counterfoil/projections';
import { syntheticPayment } from '@counterfoil/projections/testing';
import { afterAll, describe, expect, it } from 'vitest';
import {
  append,
  appendEncoded,
  NOW,
  paymentStream,
  TENANT,
  tenant,
  type World,
  world,
} from './ledger-of-events.ts';
import * as A from './payments.ts';
import { crashing, watching } from './watched-store.ts';

const CAPTURED = [A.submitted(), A.started(), A.captured()];
const OTHER = `${A.PAYMENT.slice(0, -1)}2` as TransactionId;

async function fill(here: World, payments: number): Promise<void> {
  for (let number = 0; number < payments; number += 1) {
    const { stream, tenantId, events } = syntheticPayment(number, { payments, tenants: 2 });
    await append(here.events, { stream, tenantId }, events);
  }
}

async function summaries(store: ReadModelStore): Promise<unknown> {
  return Promise.all(PROJECTIONS.map(async ({ name }) => (await store.live(name))?.summary()));
}

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-worker-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the worker', () => {
  it('makes the same documents whatever the batches', async () => {
    const [one, many] = [world(), world()];
    for (const here of [one, many]) await fill(here, 60);
    await one.catchUp({ maxBatchEvents: 10_000 });
    await many.catchUp({ maxBatchEvents: 7 });
    // Ids of commands differ between the two logs, positions do not.
    expect(await summaries(many.store)).toEqual(await summaries(one.store));
    const sqlite = openSqliteReadModelStore({ path: join(folder, 'batches.db') });
    await runProjections({ ...optionsOf(one), store: sqlite, maxBatchEvents: 50 });
    expect(await summaries(sqlite)).toEqual(await summaries(one.store));
    await sqlite.close();
  });

  it('continues where it stopped, between any batches', async () => {
    const whole = world();
    await fill(whole, 25);
    await whole.catchUp();
    const broken = world();
    await fill(broken, 25);
    let commits = 0;
    for (let run = 0; run < 200; run += 1) {
      // Each run crashes at its third commit, before or after that commit was made.
      const store = crashing(broken.store, 3, run % 2 === 0 ? 'before' : 'after');
      try {
        await runProjections({ ...optionsOf(broken), store, maxBatchEvents: 5 });
        break;
      } catch (error) {
        expect((error as Error).message).toBe('crash');
        commits += 1;
      }
    }
    expect(commits).toBeGreaterThan(5);
    expect(await summaries(broken.store)).toEqual(await summaries(whole.store));
  });

  it('applies to each read model what it lacks, when some are ahead of others', async () => {
    const [whole, uneven] = [world(), world()];
    for (const here of [whole, uneven]) await fill(here, 5);
    await uneven.catchUp({ projections: [reference, transactions] });
    for (const here of [whole, uneven]) {
      await append(here.events, { stream: paymentStream(A.PAYMENT) }, CAPTURED);
      await here.catchUp();
    }
    expect(await summaries(uneven.store)).toEqual(await summaries(whole.store));
  });

  it('lets only one of two workers apply', async () => {
    const here = world();
    await fill(here, 20);
    const alone = world();
    await fill(alone, 20);
    await alone.catchUp();
    // The clock has run on for the second: the first one's lease is over, and it does not know.
    const hour = 3_600_000;
    const first = createProjector({ ...optionsOf(here), holder: 'one', maxBatchEvents: 5 });
    const second = createProjector({
      ...optionsOf(here),
      holder: 'two',
      maxBatchEvents: 5,
      now: () => Date.parse(NOW) + hour,
    });
    await Promise.all([first.run(), second.run()]);
    expect(await summaries(here.store)).toEqual(await summaries(alone.store));
  });

  it('refuses the commit of a worker whose lease was taken over', async () => {
    const here = world();
    await append(here.events, { stream: paymentStream(A.PAYMENT) }, CAPTURED);
    let taken: Promise<void> | undefined;
    const outcomes: string[] = [];
    const store = watching(here.store, async (build, commit) => {
      if (taken === undefined) {
        // Between reading and writing, another worker comes, does the work and leaves.
        taken = runProjections({
          ...optionsOf(here),
          holder: 'two',
          now: () => Date.parse(NOW) + 10_800_000,
        });
        await taken;
      }
      const result = await commit();
      outcomes.push(`${build.info.projection} ${result.outcome}`);
      return result;
    });
    const controller = new AbortController();
    const { untilHead: _, ...options } = optionsOf(here);
    const running = runProjections({
      ...options,
      store,
      holder: 'one',
      now: () => Date.parse(NOW) + 7_200_000,
      signal: controller.signal,
      notify: () => controller.abort(),
    });
    await running;
    expect(outcomes).toContain('reference stale');
    expect((await here.search.record(TENANT, A.PAYMENT, NOW))?.status).toBe('Captured');
  });

  it('refuses to follow with a build of another version', async () => {
    const here = world();
    await here.catchUp();
    const newer: Projection = { ...transactions, version: 'newer' };
    await expect(here.catchUp({ projections: [newer] })).rejects.toMatchObject({
      code: 'outdated',
    });
  });

  it('continues with the build that becomes live', async () => {
    const here = world();
    await fill(here, 20);
    const stopping = new AbortController();
    const options = { ...optionsOf(here), untilHead: false, signal: stopping.signal };
    const running = runProjections(options);
    const atHead = async () => {
      const head = await here.events.head();
      const builds = await Promise.all(PROJECTIONS.map(({ name }) => here.store.live(name)));
      const checkpoints = await Promise.all(builds.map((build) => build?.checkpoint()));
      return checkpoints.every((checkpoint) => checkpoint === head);
    };
    await expect.poll(atHead, { timeout: 10_000 }).toBe(true);
    const rebuilt = await rebuild({ ...options, projection: transactions, holder: 'rebuilder' });
    const other = { stream: paymentStream(OTHER), tenantId: TENANT };
    await append(here.events, other, [A.submitted({ transactionId: OTHER })]);
    await swap(here.store, rebuilt);
    await expect.poll(atHead, { timeout: 10_000 }).toBe(true);
    expect((await here.store.live(transactions.name))?.info.build).toBe(rebuilt.build);
    await append(here.events, other, [A.started()]);
    await expect.poll(atHead, { timeout: 10_000 }).toBe(true);
    stopping.abort();
    await running;
  });

  it('reads nothing of streams that no projection follows', async () => {
    const here = world();
    const stream = 'unheard_of-1-1' as ReturnType<typeof paymentStream>;
    const unknown = { type: 'Unheard', schemaVersion: 1, data: '{}' };
    await appendEncoded(here.events, { stream, tenantId: TENANT }, unknown);
    await here.catchUp();
    expect(here.messages.filter(({ type }) => type === 'parked')).toEqual([]);
  });

  it('reads a type of event in the streams of a payment whatever it is elsewhere', async () => {
    const here = world();
    const unknown = { type: 'Mystery', schemaVersion: 1, data: '{}' };
    const elsewhere = `mystery-${TENANT}-1` as StreamName;
    await appendEncoded(here.events, { stream: elsewhere, tenantId: TENANT }, unknown);
    const stream = paymentStream(A.PAYMENT);
    await append(here.events, { stream }, CAPTURED);
    await appendEncoded(here.events, { stream, tenantId: TENANT }, unknown);
    await here.catchUp();
    const parked = await (await here.store.live('transactions'))?.parkedStreams();
    expect(parked).toEqual(new Set([stream]));
  });
});

describe('a stream that fails', () => {
  const damaged = { type: 'PaymentCaptured', schemaVersion: 1, data: '{"broken":true}' };

  async function withDamage(here: World): Promise<void> {
    const stream = paymentStream(A.PAYMENT);
    await append(here.events, { stream }, [A.submitted(), A.started()]);
    await appendEncoded(here.events, { stream, tenantId: TENANT }, damaged);
    await append(here.events, { stream: paymentStream(OTHER) }, [
      A.submitted({ transactionId: OTHER }),
      A.started(),
      A.captured(),
    ]);
    await append(here.events, { stream }, [A.refundRequested()]);
  }

  it.each([1, 2, 1_000])(
    'is parked from there on while others go on, in batches of %i',
    async (maxBatchEvents) => {
      const here = world();
      await withDamage(here);
      await here.catchUp({ maxBatchEvents });
      const parked = await (await here.store.live('transactions'))?.parked();
      expect(parked).toHaveLength(1);
      expect(parked?.[0]?.stream).toBe(paymentStream(A.PAYMENT));
      expect(parked?.[0]?.error).toContain('cannot be read');
      expect(parked?.[0]?.events.map(({ revision }) => revision)).toEqual([2, 3]);
      // What was before the failure is shown, what is after it is not; the other payment is whole.
      expect((await here.search.record(TENANT, A.PAYMENT, NOW))?.status).toBe('Processing');
      expect(await here.search.record(TENANT, A.REFUND, NOW)).toBeUndefined();
      expect((await here.search.record(TENANT, OTHER, NOW))?.status).toBe('Captured');
      const messages = here.messages.filter(({ type }) => type === 'parked');
      expect(messages).toHaveLength(2);
      expect(messages).toMatchObject([{ projection: 'transactions' }, { projection: 'ledger' }]);
    },
  );

  it('is applied by a retry once it can be, and stays parked until then', async () => {
    const here = world();
    let fails = true;
    const apply: typeof transactions.apply = (record, states) => {
      if (fails && record.event.type === 'PaymentCaptured') throw new Error('not today');
      return transactions.apply(record, states);
    };
    const projection: Projection = { ...transactions, apply: apply as Projection['apply'] };
    await append(here.events, { stream: paymentStream(A.PAYMENT) }, [
      ...CAPTURED,
      A.refundRequested(),
    ]);
    const controller = new AbortController();
    const { untilHead: _, ...options } = optionsOf(here);
    const progress = new Progress();
    const projector = createProjector({
      ...options,
      projections: [reference, projection],
      signal: controller.signal,
      notify: (message) => progress.receive(message),
    });
    const running = projector.run();
    const head = (await here.events.head()) as Position;
    expect(await progress.reached(head, { timeoutMs: 5_000 })).toBe(true);
    const stream = paymentStream(A.PAYMENT);
    expect(await projector.retryParked('transactions', stream)).toBe(false);
    expect(await (await here.store.live('transactions'))?.parkedStreams()).toEqual(
      new Set([stream]),
    );
    fails = false;
    expect(await projector.retryParked('transactions', stream)).toBe(true);
    expect(await (await here.store.live('transactions'))?.parkedStreams()).toEqual(new Set());
    expect((await here.search.record(TENANT, A.REFUND, NOW))?.status).toBe('RefundPending');
    // The stream goes on by itself.
    const position = await append(here.events, { stream }, [A.refunded()]);
    expect(await progress.reached(position, { timeoutMs: 5_000 })).toBe(true);
    expect((await here.search.record(TENANT, A.REFUND, NOW))?.status).toBe('Refunded');
    controller.abort();
    await running;
  });

  it('is parked when its records cannot be made', async () => {
    const here = world();
    const derive: NonNullable<typeof transactions.derive> = (key, payment) => {
      if (payment.refunds.length > 0) throw new Error('no record of that');
      return transactions.derive?.(key, payment) ?? [];
    };
    const projection: Projection = {
      ...transactions,
      derive: derive as Projection['derive'] & object,
    };
    await append(here.events, { stream: paymentStream(A.PAYMENT) }, [
      ...CAPTURED,
      A.refundRequested(),
    ]);
    await append(here.events, { stream: paymentStream(OTHER) }, [
      A.submitted({ transactionId: OTHER }),
    ]);
    await here.catchUp({ projections: [reference, projection] });
    const parked = await (await here.store.live('transactions'))?.parked();
    // Which event of the batch is at fault is not known: all of the stream's wait.
    expect(parked?.map(({ stream, events }) => [stream, events.length])).toEqual([
      [paymentStream(A.PAYMENT), 4],
    ]);
    expect((await here.search.record(TENANT, OTHER, NOW))?.status).toBe('Created');
  });

  it.each(['one batch', 'two batches'])(
    'is parked when it claims a record of another, in %s',
    async (how) => {
      const here = world();
      const claim = async (id: TransactionId) => {
        const story: Event[] = [
          A.submitted({ transactionId: id }),
          A.started(),
          A.captured(),
          A.refundRequested(),
        ];
        await append(here.events, { stream: paymentStream(id) }, story);
        if (how === 'two batches') await here.catchUp();
      };
      await claim(A.PAYMENT);
      await claim(OTHER);
      await here.catchUp();
      const parked = await (await here.store.live('transactions'))?.parked();
      expect(parked?.map(({ stream }) => stream)).toEqual([paymentStream(OTHER)]);
      expect(parked?.[0]?.error).toContain(A.REFUND);
      expect((await here.search.record(TENANT, A.REFUND, NOW))?.originalTransactionId).toBe(
        A.PAYMENT,
      );
    },
  );

  it('of one tenant does not touch the same ids of another', async () => {
    const here = world();
    await withDamage(here);
    const two = { stream: paymentStream(A.PAYMENT, tenant(2)), tenantId: tenant(2) };
    await append(here.events, two, [...CAPTURED, A.refundRequested()]);
    await here.catchUp();
    expect((await here.search.record(2, A.PAYMENT, NOW))?.status).toBe('Captured');
    expect((await here.search.record(2, A.REFUND, NOW))?.status).toBe('RefundPending');
    expect((await here.search.record(1, A.PAYMENT, NOW))?.status).toBe('Processing');
  });
});

describe('progress', () => {
  const message = (position: string): ProjectionMessage => ({
    type: 'caught-up-to',
    position: position as Position,
    events: 1,
    behindMs: 5,
  });

  it('wakes only those that wait for a position', async () => {
    const progress = new Progress();
    const [near, far] = ['0002', '0009'].map((position) =>
      progress.reached(position as Position, { timeoutMs: 60_000 }),
    );
    const state = (wait: Promise<boolean> | undefined) =>
      Promise.race([wait, new Promise((resolve) => setImmediate(resolve, 'waiting'))]);
    progress.receive(message('0001'));
    expect([await state(near), await state(far)]).toEqual(['waiting', 'waiting']);
    progress.receive(message('0005'));
    expect([await state(near), await state(far)]).toEqual([true, 'waiting']);
    progress.receive(message('0010'));
    expect(await far).toBe(true);
    expect(progress.position).toBe('0010');
    expect(progress.behindMs).toBe(5);
    progress.receive(message('0003'));
    expect(progress.position).toBe('0010');
  });

  it('asks the worker to hurry once, and again for those who still wait after its news', async () => {
    const progress = new Progress();
    const asked: string[] = [];
    progress.onWait((position) => asked.push(position));
    const wait = (position: string) =>
      progress.reached(position as Position, { timeoutMs: 60_000 });
    const waits = ['0002', '0009', '0004'].map(wait);
    progress.receive(message('0003'));
    progress.receive(message('0009'));
    await Promise.all(waits);
    expect(asked).toEqual(['0002', '0009']);
    expect(await wait('0005')).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('gives up when the wait is over', async () => {
    expect(await new Progress().reached('0001' as Position, { timeoutMs: 0 })).toBe(false);
  });
});

function optionsOf(here: World) {
  return {
    events: here.events,
    store: here.store,
    projections: PROJECTIONS,
    holder: 'test',
    now: () => Date.parse(NOW),
    untilHead: true,
  };
}
