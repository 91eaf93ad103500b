/** The inspection of a log: what a doubter is shown of sound and of damaged files. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoredEvent } from '@counterfoil/core';
import {
  inspectSqliteLog,
  type LogInspection,
  openSqliteEventStore,
} from '@counterfoil/event-stores/sqlite';
import { afterEach, expect, it, vi } from 'vitest';
import { newAppend, wholeLog } from './support/appends.ts';
import { newFolder, removeFolders } from './support/folders.ts';

vi.setConfig({ testTimeout: 60_000 });
afterEach(removeFolders);

/** A closed log of streams that were written in turn; hands back its path and its events. */
async function writeLog(): Promise<{ path: string; log: readonly StoredEvent[] }> {
  const path = join(newFolder(), 'log.db');
  const store = await openSqliteEventStore({ path });
  const requests = Array.from({ length: 9 }, (_, index) => newAppend(1 + (index % 3)));
  for (const request of requests) await store.append(request);
  const log = await wholeLog(store);
  await store.close();
  return { path, log };
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** Adds a row to the table alone, as a damaged index would have it: the index knows nothing of it. */
function hideFromIndex(path: string): void {
  const database = new DatabaseSync(path, { defensive: false });
  const definition = database
    .prepare("SELECT rootpage, sql FROM sqlite_schema WHERE name = 'events_of_stream'")
    .get();
  database.exec(`
    PRAGMA writable_schema = ON;
    DELETE FROM sqlite_schema WHERE name = 'events_of_stream';
    PRAGMA writable_schema = RESET;
    INSERT INTO events SELECT position + 1, stream_id, revision + 1, id, type, schema_version,
      tenant_id, time, command_id, command_fingerprint, 0, checksum, data, metadata
      FROM events ORDER BY position DESC LIMIT 1;
    PRAGMA writable_schema = ON;
  `);
  database
    .prepare("INSERT INTO sqlite_schema VALUES ('index', 'events_of_stream', 'events', ?, ?)")
    .run(definition?.['rootpage'] ?? 0, definition?.['sql'] ?? '');
  database.close();
}

function inspecting<Result>(path: string, look: (inspection: LogInspection) => Result): Result {
  const inspection = inspectSqliteLog(path);
  try {
    return look(inspection);
  } finally {
    inspection.close();
  }
}

it('shows every event of a sound log, by position and by stream', async () => {
  const { path, log } = await writeLog();
  inspecting(path, (inspection) => {
    expect(inspection.head).toBe(log.at(-1)?.position);
    expect(inspection.events).toBe(log.length);
    expect(inspection.faults({ thorough: true })).toEqual([]);
    expect([...inspection.inOrder()].flat()).toEqual(
      log.map(({ position, time }) => ({ position, time, missingBefore: 0 })),
    );
    const shown = [...inspection.byStream()].flat();
    expect(shown.every(({ intact }) => intact)).toBe(true);
    // One append a stream, so the streams stand in the order of the log.
    expect(shown.map(({ stored }) => stored)).toStrictEqual(log);
    expect(shown.filter(({ endsCommand }) => endsCommand)).toHaveLength(9);
  });
});

it('shows damaged events unchanged, and continues after them', async () => {
  const { path, log } = await writeLog();
  change(path, "UPDATE events SET data = replace(data, 'paid', 'laid') WHERE position = 5");
  change(path, 'DELETE FROM events WHERE position IN (7, 8)');
  inspecting(path, (inspection) => {
    expect(inspection.events).toBe(log.length);
    const gaps = [...inspection.inOrder()].flat().filter(({ missingBefore }) => missingBefore > 0);
    expect(gaps).toMatchObject([{ position: log[8]?.position, missingBefore: 2 }]);
    const shown = [...inspection.byStream()].flat();
    expect(shown).toHaveLength(log.length - 2);
    const damaged = shown.filter(({ intact }) => !intact);
    expect(damaged.map(({ stored }) => stored.position)).toEqual([log[4]?.position]);
  });
});

it('detects an index that lacks an event, and so does the writer', async () => {
  const { path } = await writeLog();
  hideFromIndex(path);
  inspecting(path, (inspection) => {
    expect(inspection.faults({ thorough: true }).join()).toMatch(/missing from index/);
    expect([...inspection.byStream()].flat()).toHaveLength(inspection.events - 1);
  });
  await expect(openSqliteEventStore({ path })).rejects.toMatchObject({
    name: 'EventStoreError',
    code: 'corrupt',
    message: expect.stringMatching(/the log is damaged: .*index events_of_stream/),
  });
});

it('refuses what is not a log', () => {
  const path = join(newFolder(), 'log.db');
  change(path, 'CREATE TABLE other (x)');
  expect(() => inspectSqliteLog(path)).toThrow(/not an event log of Counterfoil/);
});
