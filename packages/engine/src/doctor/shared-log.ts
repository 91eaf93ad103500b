/** Opens the log of hosts that keep everything else in a database, wherever it is, without making one. */
import type { EventStore, Position } from '@counterfoil/core';
import { inspectSqliteLog } from '@counterfoil/event-stores/sqlite';
import pg from 'pg';
import type { Settings } from '../settings.ts';
import { engineOf, fileOf, isFile, openEventStore } from '../storage/stores.ts';
import { type LogStreams, type LogWalks, PortWalks, streamsOf } from './log-streams.ts';

/** Where the log on PostgreSQL is. */
const LOG_TABLE = 'counterfoil_log.events';

export interface OpenedLog {
  readonly events: EventStore;
  readonly streams: LogStreams;
  /** Whether it finds the names of streams without reading all of it. */
  readonly hasNames: boolean;
  /** The last position of the log when it was opened. */
  readonly head: Position | undefined;
  readonly walks: LogWalks;
  close(): Promise<void>;
}

/** Undefined where there is none. Throws an `EventStoreError` where it cannot be opened. */
export async function openLog(config: Settings): Promise<OpenedLog | undefined> {
  const { eventStoreUrl: url } = config;
  const path = fileOf(url);
  if (path !== undefined) return isFile(path) ? openFile(url, path) : undefined;
  if (engineOf(url) === 'postgres' && !(await hasLog(url))) return undefined;
  const events = await openEventStore(config);
  try {
    const head = await events.head();
    const walks = new PortWalks(events, head);
    const streams = streamsOf(events);
    return { events, streams, hasNames: false, head, walks, close: () => events.close() };
  } catch (error) {
    await events.close();
    throw error;
  }
}

async function openFile(url: string, path: string): Promise<OpenedLog> {
  const inspection = inspectSqliteLog(path);
  try {
    const events = await openEventStore({ eventStoreUrl: url }, { follow: true });
    return {
      events,
      streams: inspection,
      hasNames: true,
      head: inspection.head,
      walks: inspection,
      async close() {
        inspection.close();
        await events.close();
      },
    };
  } catch (error) {
    inspection.close();
    throw error;
  }
}

/** Whoever opens a log that is not there makes it. What cannot be asked is for the log itself to tell. */
async function hasLog(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ made: boolean }>(
      'SELECT to_regclass($1) IS NOT NULL AS made',
      [LOG_TABLE],
    );
    return rows[0]?.made === true;
  } catch {
    return true;
  } finally {
    await client.end();
  }
}
