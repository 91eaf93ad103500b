/** The global order of the PostgreSQL store: open appends hide later events, and readers do not wait. */
import type { EventStore, Position } from '@counterfoil/core';
import type pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { appendOf, idsOf, idsOfAll, newAppend, wholeLog } from './support/appends.ts';
import { follow } from './support/following.ts';
import { beforeEventOfType, newLog, type PostgresLog } from './support/postgres-log.ts';

const TIMEOUT_MS = 60_000;
const WAIT = { timeout: 20_000, interval: 10 };
const GATE = 7;
const OTHERS = 20;

/** A writer whose transaction has its id and stands before the gate until the test opens it. */
async function newGate(
  log: PostgresLog,
): Promise<{ client: pg.Client; open: () => Promise<void> }> {
  const client = await log.connect();
  await beforeEventOfType(client, 'Gated', `PERFORM pg_advisory_xact_lock(${GATE})`);
  await client.query(`SELECT pg_advisory_lock(${GATE})`);
  return {
    client,
    open: async () => {
      await client.query(`SELECT pg_advisory_unlock(${GATE})`);
    },
  };
}

/** The ids of the transactions that wait for a lock of this kind; null for one that has none yet. */
async function waiting(client: pg.Client, count: number): Promise<readonly (string | null)[]> {
  return vi.waitUntil(async () => {
    const { rows } = await client.query<{ xid: string | null }>(
      `SELECT backend_xid::text AS xid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'advisory'
      ORDER BY backend_xid::text NULLS LAST`,
    );
    return rows.length === count ? rows.map(({ xid }) => xid) : undefined;
  }, WAIT);
}

describe('postgres: order', { timeout: TIMEOUT_MS }, () => {
  it('blocked insert: one writer is held open while others commit; none waits and nothing is skipped', async () => {
    const log = await newLog();
    const [held, other] = [await log.openHost(), await log.openHost()];
    const gate = await newGate(log);
    const before = newAppend();
    const first = await other.append(before);
    const seen = follow(other);

    const blocked = appendOf({ type: 'Gated' });
    const answer = held.append(blocked);
    await waiting(gate.client, 1);
    const requests = Array.from({ length: OTHERS }, () => newAppend(2));
    for (const request of requests) {
      expect(await other.append(request)).toMatchObject({ outcome: 'appended' });
      expect(await other.read(request.stream)).toHaveLength(2);
    }
    // Neither does its own host wait for the one that is held open.
    const own = newAppend();
    const newest = (await held.append(own)) as { outcome: string; position: Position };
    expect(newest.outcome).toBe('appended');
    requests.push(own);
    // The subscriber has looked at a log that has all of them, and shows none of them.
    expect(await other.head()).toBe((first as { position: Position }).position);
    // Which does not keep anybody from knowing how far it goes.
    expect(await other.newest?.()).toBe(newest.position);
    expect(idsOf(seen)).toEqual([before.events[0]?.id]);

    await gate.open();
    expect(await answer).toMatchObject({ outcome: 'appended' });
    const all = idsOfAll([before, blocked, ...requests]);
    await vi.waitUntil(() => seen.length >= all.length, WAIT);
    expect(idsOf(seen)).toEqual(all);
    expect(idsOf(await wholeLog(held))).toEqual(all);
  });

  it('shows what was hidden when the one before it ends without a commit', async () => {
    const log = await newLog();
    const [held, other] = [await log.openHost({ retryForMs: 0 }), await log.openHost()];
    const gate = await newGate(log);
    const seen = follow(other);
    const lost = held.append(appendOf({ type: 'Gated' }));
    const outcome = expect(lost).rejects.toMatchObject({ code: 'unavailable' });
    await waiting(gate.client, 1);
    const request = newAppend();
    await other.append(request);
    expect(await other.head()).toBeUndefined();
    await gate.client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'advisory'`,
    );
    await outcome;
    await vi.waitUntil(() => seen.length > 0, WAIT);
    expect(idsOf(seen)).toEqual([request.events[0]?.id]);
  });

  it('is not held back by transactions that do not write to the log', async () => {
    const log = await newLog();
    const store = await log.openHost();
    const stranger = await log.connect();
    await stranger.query('CREATE TABLE elsewhere (id int)');
    await stranger.query('BEGIN');
    await stranger.query('INSERT INTO elsewhere VALUES (1)');
    const request = newAppend();
    const result = await store.append(request);
    expect(await store.head()).toBe((result as { position: Position }).position);
    expect(await wholeLog(store)).toHaveLength(1);
    await stranger.query('ROLLBACK');
  });

  it('a stream is in the log in the order of its revisions', async () => {
    const log = await newLog();
    const hosts = [await log.openHost(), await log.openHost(), await log.openHost()];
    const [first, second, third] = hosts as [EventStore, EventStore, EventStore];
    const gate = await newGate(log);
    const held = appendOf({ type: 'Gated' });
    const answers = [first.append(held)];
    await waiting(gate.client, 1);
    const late = newAppend(1, { stream: held.stream });
    answers.push(second.append(late));
    // The second waits for the first, and has no id that would place it before the third.
    expect(await waiting(gate.client, 2)).toEqual([expect.any(String), null]);
    const between = newAppend();
    await third.append(between);
    await gate.open();
    expect(await Promise.all(answers)).toMatchObject([{ revision: 0 }, { revision: 1 }]);
    const ids = idsOf(await wholeLog(first));
    expect(ids).toEqual([held, between, late].map(({ events }) => events[0]?.id));
  });

  it('refuses an append in a transaction that has its place already', async () => {
    const log = await newLog();
    await log.openHost();
    const client = await log.connect();
    const call = `SELECT counterfoil_log.append(
      '{s}', '{1}', '{-2}', '{c}', '{f}', '{1}', '{1}', '{e}', '{T}', '{1}', '{1}', '{t}', '{{}}', '{{}}')`;
    await client.query('BEGIN');
    await client.query('SELECT pg_current_xact_id()');
    await expect(client.query(call)).rejects.toMatchObject({ code: '25000' });
    await client.query('ROLLBACK');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await expect(client.query(call)).rejects.toMatchObject({ code: '25000' });
    await client.query('ROLLBACK');
  });

  it('polls for events without a notification', async () => {
    const log = await newLog();
    const store = await log.openHost({ pollIntervalMs: 20 });
    const seen = follow(store);
    const client = await log.connect();
    await client.query(`SELECT counterfoil_log.append(
      '{s}', '{1}', '{-2}', '{c}', '{f}', '{1}', '{1}', '{e}', '{T}', '{1}', '{1}', '{t}', '{d}', '{m}')`);
    await vi.waitUntil(() => seen.length === 1, WAIT);
    expect(seen[0]).toMatchObject({ id: 'e', stream: 's', data: 'd', metadata: 'm' });
  });

  it('is notified of events by other hosts', async () => {
    const log = await newLog();
    const never = TIMEOUT_MS * 10;
    const [one, other] = [await log.openHost(), await log.openHost({ pollIntervalMs: never })];
    const seen = follow(other);
    // Notifications before it listens are lost; the next one covers both.
    await vi.waitUntil(async () => {
      await one.append(newAppend());
      return seen.length > 0;
    }, WAIT);
  });
});

describe('postgres: a log that came from another server', { timeout: TIMEOUT_MS }, () => {
  /** Rows of transactions that this server will not reach for a long time. */
  async function moveFromAfar(client: pg.Client): Promise<void> {
    await client.query(`
      INSERT INTO counterfoil_log.events
      SELECT (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000) , 1, at, at - 1, 1,
        true, 'old', 'old-' || at, 'Old', 'time', 'command-' || at, 'print', '{}', '{}'
      FROM generate_series(1, 3) AS at`);
  }

  it('begins a new era, and appends after the existing events', async () => {
    const log = await newLog();
    const before = await log.openHost();
    await before.append(newAppend());
    await before.close();
    await moveFromAfar(await log.connect());
    const store = await log.openHost();
    expect((await wholeLog(store)).map((event) => event.type)).toEqual([
      'Captured',
      'Old',
      'Old',
      'Old',
    ]);
    const request = newAppend();
    const result = await store.append(request);
    expect(await store.head()).toBe((result as { position: Position }).position);
    const again = await log.openHost();
    const ids = idsOf(await wholeLog(again));
    expect(ids.slice(1)).toEqual(['old-1', 'old-2', 'old-3', request.events[0]?.id]);
  });

  it('does so under stores that are open, which lose and misplace nothing', async () => {
    const log = await newLog();
    const stores = [await log.openHost(), await log.openHost()];
    const [store, follower] = stores as [EventStore, EventStore];
    const seen = follow(follower);
    await store.append(newAppend());
    await vi.waitUntil(() => seen.length === 1, WAIT);
    await moveFromAfar(await log.connect());
    const requests = Array.from({ length: 8 }, () => newAppend());
    const results = await Promise.all(
      requests.map((request, index) => stores[index % 2]?.append(request)),
    );
    for (const result of results) expect(result).toMatchObject({ outcome: 'appended' });
    await vi.waitUntil(() => seen.length === 12, WAIT);
    expect(seen.slice(1, 4).map((event) => event.type)).toEqual(['Old', 'Old', 'Old']);
    const positions = seen.map((event) => event.position);
    expect(positions).toEqual([...new Set(positions)].sort());
    const client = await log.connect();
    expect((await client.query('SELECT era FROM counterfoil_log.log')).rows).toEqual([{ era: 1 }]);
  });
});
