/** Opens a log to be examined, wherever it is, without making one. */
import { type EventStore, EventStoreError, type Position } from '@counterfoil/core';
import { inspectSqliteLog, type LogInspection } from '@counterfoil/event-stores/sqlite';
import type { Settings } from '../settings.ts';
import { engineOf, fileOf, isFile, openEventStore } from '../storage/stores.ts';
import { reasonOf } from './finding.ts';
import { type LogWalks, PortWalks } from './log-walks.ts';

const LOG_TABLE = 'counterfoil_log.events';

export interface OpenedLog {
  /** Undefined where it cannot be opened as hosts open it; `reason` says why. */
  readonly events: EventStore | undefined;
  readonly reason: string;
  /** The last position of the log when it was opened. */
  readonly head: Position | undefined;
  /** A damaged file may be walked through although it cannot be opened otherwise. */
  readonly walks: LogWalks | undefined;
  close(): Promise<void>;
}

/** Throws where a server cannot be reached. */
export async function openLog(config: Settings): Promise<OpenedLog> {
  const { eventStoreUrl: url } = config;
  const path = fileOf(url);
  if (path !== undefined)
    return isFile(path) ? openFile(url, path) : none(`there is no log: ${path} does not exist`);
  if (engineOf(url) === 'postgres' && !(await hasLog(url))) return none('there is no log');
  let events: EventStore;
  try {
    events = await openEventStore(config);
  } catch (error) {
    if (!(error instanceof EventStoreError) || error.code !== 'corrupt') throw error;
    return none(reasonOf(error));
  }
  const close = () => events.close();
  try {
    const head = await events.head();
    return { events, reason: '', head, walks: new PortWalks(events, head), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function none(reason: string): OpenedLog {
  return { events: undefined, reason, head: undefined, walks: undefined, close: async () => {} };
}

async function openFile(url: string, path: string): Promise<OpenedLog> {
  let walks: LogInspection;
  try {
    walks = inspectSqliteLog(path);
  } catch (error) {
    return none(reasonOf(error));
  }
  const { head } = walks;
  try {
    const events = await openEventStore({ eventStoreUrl: url }, { follow: true });
    const close = async () => {
      walks.close();
      await events.close();
    };
    return { events, reason: '', head, walks, close };
  } catch (error) {
    const close = async () => walks.close();
    return { events: undefined, reason: reasonOf(error), head, walks, close };
  }
}

/** Opening a log makes its tables. What cannot be asked here fails when the log itself is opened. */
async function hasLog(connectionString: string): Promise<boolean> {
  const { default: pg } = await import('pg');
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
