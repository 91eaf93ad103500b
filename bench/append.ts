/** Durable appends to the SQLite log beside raw inserts of the same bytes: `node bench/append.ts`. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type {
  AppendRequest,
  CommandId,
  EncodedEvent,
  TenantId,
} from '../packages/core/src/index.ts';
import { streamName } from '../packages/core/src/index.ts';
import { openSqliteEventStore } from '../packages/event-stores/src/sqlite.ts';

const ROUNDS = 5;
const SIZES = [
  { concurrent: 1, appends: 2_000 },
  { concurrent: 64, appends: 30_000 },
  { concurrent: 256, appends: 40_000 },
];
const TENANT = 1 as TenantId;
const TIME = new Date().toISOString();
const DATA = JSON.stringify({ order: 'x'.repeat(400) });
const METADATA = JSON.stringify({ actor: 'agent@example.com', requestId: 'y'.repeat(60) });

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
let serial = 0;

/** In the order of time, as the ids of payments are. */
function timeOrderedUuid(): string {
  const ms = Date.now().toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${randomUUID().slice(15)}`;
}

/** One event or two, by turns, to a new stream. */
function newAppend(): AppendRequest {
  serial += 1;
  const id = timeOrderedUuid() as CommandId;
  const event: EncodedEvent = {
    id,
    type: 'PaymentCaptured',
    schemaVersion: 1,
    tenantId: TENANT,
    time: TIME,
    data: DATA,
    metadata: METADATA,
  };
  return {
    stream: streamName('transaction', TENANT, timeOrderedUuid()),
    events: serial % 2 === 0 ? [event, { ...event, id: timeOrderedUuid() }] : [event],
    expected: { kind: 'noStream' },
    command: { id, fingerprint: '0123456789abcdef' },
  };
}

/** Events a second of plain inserts, so many appends a commit. */
function rawRate(appendsPerCommit: number, appends: number): number {
  const database = new DatabaseSync(join(folder, `raw-${randomUUID()}.db`));
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    CREATE TABLE events (
      position INTEGER PRIMARY KEY, stream TEXT, revision INTEGER, id TEXT, type TEXT,
      schema_version INTEGER, tenant INTEGER, time TEXT, command_id TEXT, fingerprint TEXT,
      data TEXT, metadata TEXT, UNIQUE (stream, revision)
    );
  `);
  const insert = database.prepare('INSERT INTO events VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?)');
  let events = 0;
  const begin = performance.now();
  for (let done = 0; done < appends; done += appendsPerCommit) {
    database.exec('BEGIN IMMEDIATE');
    for (let each = 0; each < appendsPerCommit; each += 1) {
      const { stream, events: made, command } = newAppend();
      for (const [revision, event] of made.entries()) {
        const { id, type, schemaVersion, tenantId, time, data, metadata } = event;
        const head = [stream, revision, id, type, schemaVersion, tenantId, time] as const;
        insert.run(...head, command.id, command.fingerprint, data, metadata);
        events += 1;
      }
    }
    database.exec('COMMIT');
  }
  const seconds = (performance.now() - begin) / 1_000;
  database.close();
  return events / seconds;
}

/** Events a second through the store, so many callers at once. */
async function storeRate(concurrent: number, appends: number): Promise<number> {
  const store = await openSqliteEventStore({ path: join(folder, `log-${randomUUID()}.db`) });
  let left = appends;
  let events = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: concurrent }, async () => {
      while (left > 0) {
        left -= 1;
        const request = newAppend();
        const { outcome } = await store.append(request);
        if (outcome !== 'appended') throw new Error(outcome);
        events += request.events.length;
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1_000;
  await store.close();
  return events / seconds;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

for (const { concurrent, appends } of SIZES) {
  const ratios: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const raw = rawRate(concurrent, appends);
    const rate = await storeRate(concurrent, appends);
    rates.push(rate);
    ratios.push(rate / raw);
  }
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(
    `append-${concurrent}: ${Math.round(median(rates))} events a second, ` +
      `${median(ratios).toFixed(2)} of raw-sqlite (spread ${spread})`,
  );
}
rmSync(folder, { recursive: true });
