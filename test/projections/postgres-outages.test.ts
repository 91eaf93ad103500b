/** Read models in PostgreSQL through what happens to servers and workers: nothing is lost, nothing applied twice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Position } from '@counterfoil/core';
import {
  type Build,
  bringUpToDate,
  createMemoryReadModelStore,
  createProjector,
  openSqliteReadModelStore,
  PROJECTIONS,
  ReadModelError,
  type ReadModelStore,
  ReferenceView,
  runProjections,
  SearchView,
  type Summary,
} from '@counterfoil/projections';
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';
import { commitToAll, syntheticEventStore } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newDatabase } from '../setup/databases.ts';
import { queried } from '../setup/empty-database.ts';
import { startPostgresServer, TEST_SETTINGS } from '../setup/postgres-server.ts';

const TIMEOUT_MS = 120_000;
const NOW = Date.parse('2026-01-01T00:00:00.000Z');

async function opened(url: string) {
  const store = await openPostgresReadModelStore({ url });
  onTestFinished(() => store.close());
  return store;
}

function projecting(store: ReadModelStore, payments: number, maxBatchEvents = 50) {
  const events = syntheticEventStore({ payments });
  const projections = PROJECTIONS;
  const shared = { events, store, projections, holder: 'test', now: () => NOW };
  return { ...shared, maxBatchEvents, untilHead: true };
}

/** Stores have different numbers of shards, which are all at the same position. */
async function summariesOf(store: ReadModelStore): Promise<readonly (Summary | undefined)[]> {
  const live = await Promise.all(PROJECTIONS.map(({ name }) => store.live(name)));
  return Promise.all(
    live.map(async (build) => {
      const summary = await build?.summary();
      return summary && { ...summary, checkpoints: [...new Set(summary.checkpoints)] };
    }),
  );
}

/** What the reference implementation makes of so many payments. */
async function truthOf(payments: number): Promise<readonly (Summary | undefined)[]> {
  const store = createMemoryReadModelStore();
  await runProjections(projecting(store, payments));
  return summariesOf(store);
}

const KILL_ALL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

it('makes the same documents as the other adapters, live and rebuilt', {
  timeout: TIMEOUT_MS,
}, async () => {
  const store = await opened(await newDatabase());
  await runProjections(projecting(store, 200));
  const truth = await truthOf(200);
  expect(await summariesOf(store)).toEqual(truth);
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-read-models-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sqlite = openSqliteReadModelStore({ path: join(folder, 'read-models.db') });
  await runProjections(projecting(sqlite, 200));
  expect(await summariesOf(sqlite)).toEqual(truth);
  await sqlite.close();
  for (const { name } of PROJECTIONS) {
    const build = await store.live(name);
    build?.markDamaged('to be made anew');
  }
  await vi.waitUntil(async () => {
    const sound = PROJECTIONS.map(async ({ name }) => (await store.live(name))?.isSound());
    return (await Promise.all(sound)).every((each) => each === false);
  }, TIMEOUT_MS);
  const rebuilt = await bringUpToDate(projecting(store, 200));
  expect(rebuilt).toHaveLength(PROJECTIONS.length);
  expect(await summariesOf(store)).toEqual(truth);
});

it('loses nothing and doubles nothing while its connections are killed', {
  timeout: TIMEOUT_MS,
}, async () => {
  const truth = await truthOf(60);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(40), { minLength: 1, maxLength: 8 }), async (pauses) => {
      const url = await newDatabase();
      const store = await openPostgresReadModelStore({ url });
      try {
        const running = runProjections(projecting(store, 60, 20));
        let isRunning = true;
        const ended = running.finally(() => {
          isRunning = false;
        });
        for (const pauseMs of pauses) {
          await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
          if (isRunning) await queried(url, KILL_ALL);
        }
        await ended;
        expect(await summariesOf(store)).toEqual(truth);
      } finally {
        await store.close();
      }
    }),
    { numRuns: 8 },
  );
});

describe('a commit whose connection is lost', () => {
  const changes = [{ collection: 'things', after: { key: 'a', body: '1' } }];
  const commit = { expected: undefined, checkpoint: '1' as Position, epoch: 0, changes };

  async function made(url: string): Promise<Build> {
    const store = await opened(url);
    const collections = [{ name: 'things', kind: 'keyed' }] as const;
    return store.createBuild({ projection: 'sample', version: '1', collections, purpose: 'live' });
  }

  /** Runs work while something holds the rows of the build's shards, and ends that when the work waits for it. */
  async function whileHeld(
    url: string,
    { work, end }: { work: () => Promise<unknown>; end: (holder: pg.Client) => Promise<unknown> },
  ): Promise<unknown> {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM counterfoil_read_models.shards FOR UPDATE');
    const working = work();
    await vi.waitUntil(async () => {
      const { rows } = await holder.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rows.length > 0;
    }, TIMEOUT_MS);
    await end(holder);
    const result = await working;
    await holder.end();
    return result;
  }

  it('is made again when it had not been carried out', async () => {
    const url = await newDatabase();
    const build = await made(url);
    const result = await whileHeld(url, {
      work: () => commitToAll(build, commit),
      end: async (holder) => {
        await holder.query(KILL_ALL);
        await holder.query('COMMIT');
      },
    });
    expect(result).toEqual({ outcome: 'committed' });
    expect(await build.get('things', ['a'])).toEqual(['1']);
    expect(await build.revision()).toBe(1);
  });

  it('is not made again when only its answer was lost', async () => {
    const lossy = await losingAnswers(await newDatabase());
    const build = await made(lossy.url);
    lossy.loseNextCommit();
    expect(await commitToAll(build, commit)).toEqual({ outcome: 'committed' });
    expect(lossy.lost()).toBe(1);
    expect(await commitToAll(build, commit)).toEqual({ outcome: 'stale' });
    expect(await build.revision()).toBe(1);
  });

  it('is stale when another worker was faster', async () => {
    const url = await newDatabase();
    const build = await made(url);
    const result = await whileHeld(url, {
      work: () => commitToAll(build, commit),
      end: async (holder) => {
        await holder.query(
          `UPDATE counterfoil_read_models.shards SET position = '5' WHERE shard = 3`,
        );
        await holder.query('COMMIT');
      },
    });
    expect(result).toEqual({ outcome: 'stale' });
    expect(await build.get('things', ['a'])).toEqual([undefined]);
  });
});

it('reports an unavailable server, and recovers', {
  timeout: TIMEOUT_MS,
}, async () => {
  const server = await startPostgresServer(TEST_SETTINGS);
  const writer = await openPostgresReadModelStore({ url: server.url });
  const store = await openPostgresReadModelStore({ url: server.url, readOnly: true });
  try {
    await runProjections(projecting(writer, 20));
    await writer.close();
    const live = await store.live('ledger');
    await queried(server.url, KILL_ALL);
    expect(await live?.isSound()).toBe(true);
  } finally {
    await server.stop();
  }
  const failed = await store.live('transactions').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ReadModelError);
  expect(failed).toMatchObject({ code: 'unavailable' });
  await store.close();
});

describe('damage', () => {
  it('that a read finds ends the worker, and the next one rebuilds', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const url = await newDatabase();
    const store = await opened(url);
    await runProjections(projecting(store, 30));
    const truth = await summariesOf(store);
    const live = await store.live('transactions');
    const { rows } = await queried(
      url,
      `SELECT tablename FROM pg_tables WHERE tablename LIKE 'b%_records'`,
    );
    await queried(url, `DROP TABLE counterfoil_read_models.${rows[0]?.tablename}`);

    const reader = await openPostgresReadModelStore({ url, readOnly: true, marksDamage: true });
    onTestFinished(() => reader.close());
    const search = new SearchView(reader, new ReferenceView(reader));
    const asked = search.search({ tenantId: 1, filter: {}, now: '2025-02-01T00:00:00.000Z' });
    await expect(asked).rejects.toMatchObject({ code: 'damaged' });
    await vi.waitUntil(async () => (await live?.isSound()) === false, TIMEOUT_MS);

    const { untilHead: _, ...endless } = projecting(store, 30);
    const ended = runProjections({ ...endless, events: quiet(endless.events) });
    await expect(ended).rejects.toMatchObject({ code: 'damaged' });
    await bringUpToDate(projecting(store, 30));
    expect(await summariesOf(store)).toEqual(truth);
    expect(await (await store.live('transactions'))?.isSound()).toBe(true);
  });

  it('is what a worker finds when a document that it replaces is not there', async () => {
    const url = await newDatabase();
    const store = await opened(url);
    const collections = [{ name: 'things', kind: 'keyed' }] as const;
    const request = { projection: 'sample', version: '1', collections, purpose: 'live' } as const;
    const build = await store.createBuild(request);
    const thing = { key: 'a', body: '1' };
    const changes = [{ collection: 'things', before: thing, after: thing }];
    const commit = { expected: undefined, checkpoint: '1' as Position, epoch: 0, changes };
    await expect(commitToAll(build, commit)).rejects.toMatchObject({ code: 'damaged' });
    expect(await build.checkpoint()).toBeUndefined();
    await vi.waitUntil(async () => !(await build.isSound()), TIMEOUT_MS);
  });
});

describe('workers of several processes', () => {
  it('apply each event once, and take over from one that is killed', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const url = await newDatabase();
    const payments = 400;
    const leaseTtlMs = 1_500;
    const store = await opened(url);
    const workers = new Map(
      ['a', 'b'].map((holder) => [
        holder,
        worker([url, holder, String(payments), String(leaseTtlMs)]),
      ]),
    );
    const holderNow = async () => {
      const { rows } = await queried(
        url,
        `SELECT holder FROM counterfoil_read_models.leases WHERE name = 'projections/0'`,
      );
      return rows[0]?.holder as string | undefined;
    };
    const positionNow = async () => (await (await store.live('ledger'))?.checkpoint()) ?? '';
    await vi.waitUntil(async () => (await positionNow()) > '', TIMEOUT_MS);
    const first = (await holderNow()) ?? '';
    workers.get(first)?.kill('SIGKILL');
    // Within the lease and its poll, on a busy machine too, and sooner than half a minute.
    await vi.waitUntil(async () => (await holderNow()) !== first, 15 * leaseTtlMs);
    const [other] = [...workers].filter(([name]) => name !== first).map(([, each]) => each);
    if (other !== undefined && other.exitCode === null) await once(other, 'exit');
    expect(other?.exitCode).toBe(0);
    expect(await summariesOf(store)).toEqual(await truthOf(payments));
  });

  it('of which both have the lease apply each event once', { timeout: TIMEOUT_MS }, async () => {
    const url = await newDatabase();
    const [one, two] = [await opened(url), await opened(url)];
    const first = createProjector({ ...projecting(one, 60, 10), holder: 'one' });
    const later = { holder: 'two', now: () => NOW + 3_600_000 };
    const second = createProjector({ ...projecting(two, 60, 10), ...later });
    await Promise.all([first.run(), second.run()]);
    expect(await summariesOf(one)).toEqual(await truthOf(60));
  });
});

/** Stands before the server, and cuts the line when it says that it has committed. */
async function losingAnswers(url: string) {
  const behind = new URL(url);
  let isArmed = false;
  let lost = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(behind.port), behind.hostname);
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const each of [client, server]) each.on('error', end).on('close', end);
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      if (isArmed && chunk.includes('COMMIT\0')) {
        isArmed = false;
        lost += 1;
        end();
      } else if (!client.destroyed) client.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
  });
  const before = new URL(url);
  before.port = String((proxy.address() as AddressInfo).port);
  const loseNextCommit = () => {
    isArmed = true;
  };
  return { url: before.href, loseNextCommit, lost: () => lost };
}

function worker(args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL('./postgres-worker.ts', import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** A log that has nothing new, and waits. */
function quiet(events: ReturnType<typeof syntheticEventStore>): typeof events {
  return {
    ...events,
    async *subscribe({ signal } = {}) {
      if (signal !== undefined && !signal.aborted) await once(signal, 'abort');
      yield [];
    },
  };
}
