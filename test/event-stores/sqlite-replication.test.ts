/**
 * A process that replicates the write-ahead log of SQLite, as Litestream does, holds a read
 * transaction, so that nothing overwrites what it has not copied yet. The checkpoints of a log's
 * writer respect that.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CommandId, EventStore, StreamName, TenantId } from '@counterfoil/core';
import { emptyWal, openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';

/** 25 pages each: 200 are more than the 4,000 pages of a checkpoint. */
const EVENT_BYTES = 100_000;
const EVENTS = 200;
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

it('keeps what a replicating reader has not copied, and begins anew when it lets go', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-replication-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'events.db');
  const saltOf = () =>
    readFileSync(`${path}-wal`)
      .subarray(...SALT)
      .toString('hex');
  const store = await openSqliteEventStore({ path });
  onTestFinished(() => store.close());
  await append(store, 1);
  const replicator = new DatabaseSync(path);
  onTestFinished(() => replicator.close());
  replicator.exec('BEGIN');
  replicator.prepare('SELECT count(*) FROM events').get();
  const salt = saltOf();

  await append(store, EVENTS);
  // All of it is there still, although the writer has checkpointed meanwhile.
  expect(saltOf()).toBe(salt);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(EVENTS * EVENT_BYTES);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  expect(emptyWal(other)).toBe(false);
  expect(saltOf()).toBe(salt);

  replicator.exec('COMMIT');
  await append(store, EVENTS);
  expect(saltOf()).not.toBe(salt);
});
