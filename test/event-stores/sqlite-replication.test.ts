/**
 * A process that replicates the write-ahead log of SQLite, as Litestream does, holds a read
 * transaction, so that nothing overwrites what it has not copied yet. The checkpoints of a log's
 * writer respect that.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CommandId, EventStore, StreamName, TenantId } from '@counterfoil/core';
import { emptyWal, openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { beforeEach, expect, it, onTestFinished } from 'vitest';

/** 25 pages each: 200 are more than the 4,000 pages of a checkpoint. */
const EVENT_BYTES = 100_000;
const EVENTS = 200;
/** A page and the header before it. */
const FRAME_BYTES = 4096 + 24;
/** Bytes of the header of the write-ahead log that change when it begins anew (sqlite.org/fileformat.html). */
const SALT = [16, 24] as const;

async function append(store: EventStore, count: number): Promise<void> {
  for (let appended = 0; appended < count; appended += 1) {
    const { outcome } = await store.append({
      stream: `tenant-1-${randomUUID()}` as StreamName,
      expected: { kind: 'any' },
      command: { id: randomUUID() as CommandId, fingerprint: 'f' },
      events: [
        {
          id: randomUUID(),
          type: 'Filled',
          schemaVersion: 1,
          tenantId: 1 as TenantId,
          time: '2026-01-01T00:00:00.000Z',
          data: JSON.stringify('x'.repeat(EVENT_BYTES)),
          metadata: '{}',
        },
      ],
    });
    expect(outcome).toBe('appended');
  }
}

let folder: string;
let path: string;
let store: EventStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-replication-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'events.db');
  store = await openSqliteEventStore({ path });
  onTestFinished(() => store.close());
  await append(store, 1);
});

function connect(): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}

function startReading(replicator: DatabaseSync): void {
  replicator.exec('BEGIN');
  replicator.prepare('SELECT count(*) FROM events').get();
}

const log = () => readFileSync(`${path}-wal`);
const saltOf = () =>
  log()
    .subarray(...SALT)
    .toString('hex');

/** How many events a replica has: a copy of the database, and the write-ahead log from then on. */
function eventsIn(copy: Buffer): unknown {
  const replica = join(folder, 'replica.db');
  rmSync(`${replica}-shm`, { force: true });
  writeFileSync(replica, copy);
  writeFileSync(`${replica}-wal`, log());
  const database = new DatabaseSync(replica);
  try {
    return database.prepare('SELECT count(*) AS count FROM events').get()?.['count'];
  } finally {
    database.close();
  }
}

it('keeps what a replicating reader has not copied, and begins anew when it lets go', async () => {
  const replicator = connect();
  startReading(replicator);
  const copy = readFileSync(path);
  const salt = saltOf();

  await append(store, EVENTS);
  // All of it is there still, although the writer has checkpointed meanwhile.
  expect(readFileSync(path).equals(copy)).toBe(false);
  expect(saltOf()).toBe(salt);
  expect(log().length).toBeGreaterThan(EVENTS * EVENT_BYTES);
  expect(emptyWal(connect())).toBe(false);
  expect(saltOf()).toBe(salt);
  expect(eventsIn(copy)).toBe(1 + EVENTS);

  replicator.exec('COMMIT');
  await append(store, EVENTS);
  expect(saltOf()).not.toBe(salt);
});

it('shows by another salt that a checkpoint came between two transactions of the reader', async () => {
  const replicator = connect();
  startReading(replicator);
  const salt = saltOf();
  await append(store, 2);

  replicator.exec('COMMIT');
  expect(emptyWal(connect())).toBe(true);
  expect(log()).toHaveLength(0);
  startReading(replicator);
  await append(store, 1);
  expect(saltOf()).not.toBe(salt);
  expect(eventsIn(readFileSync(path))).toBe(4);
});

it.each([
  ['passive', 'PASSIVE', true],
  ['truncating', 'TRUNCATE', false],
])('is not emptied beside a reader after its own %s checkpoint', async (_, mode, isLeft) => {
  const replicator = connect();
  startReading(replicator);
  await append(store, 2);
  const copied = log();
  // As Litestream does: it lets go, checkpoints, reads again, and writes a page to begin the log anew.
  replicator.exec(`COMMIT; PRAGMA wal_checkpoint(${mode})`);
  startReading(replicator);
  await append(store, 1);
  const last = copied.subarray(-FRAME_BYTES);
  expect(log().includes(last)).toBe(isLeft);
  expect(emptyWal(connect())).toBe(false);

  replicator.exec('COMMIT');
  expect(emptyWal(connect())).toBe(true);
  expect(log()).toHaveLength(0);
});
