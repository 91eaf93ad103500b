/** Refuses a log that has lost its end or is another one: files made from it know how far they have read. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { type EventStore, EventStoreError, type Position } from '@counterfoil/core';
import { openForReading } from '@counterfoil/event-stores/sqlite';
import { positionIn } from '@counterfoil/projections';
import { firstEventOf } from '../personal-keys/keys-and-log.ts';
import { type DataFiles, isFile, readModelFiles } from './stores.ts';

/** Something that has read the log up to this position: a file, or a row of a database. */
export interface LogReader {
  readonly name: string;
  readonly position: Position;
}

/** The followers of the log and the read models. Files that cannot be read are left out: they have findings of their own. */
export function readersIn(files: DataFiles): readonly LogReader[] {
  const { readModels, checkpoints } = files;
  const builds = readModelFiles(files).filter((path) => path !== readModels);
  return [
    ...checkpointsIn(checkpoints),
    ...builds.flatMap((path) => readerIn(path, (database) => positionIn(database))),
  ];
}

/** How far the followers of the log have read. */
function checkpointsIn(path: string): readonly LogReader[] {
  return readerIn(path, (database) => {
    const row = database.prepare('SELECT max(position) AS position FROM checkpoints').get();
    return row?.['position'];
  });
}

function readerIn(path: string, ask: (of: DatabaseSync) => unknown): readonly LogReader[] {
  if (!isFile(path)) return [];
  try {
    const database = openForReading(path);
    try {
      const position = ask(database);
      return typeof position === 'string' ? [{ name: path, position: position as Position }] : [];
    } finally {
      database.close();
    }
  } catch {
    return [];
  }
}

export function beyond(
  readers: readonly LogReader[],
  head: Position | undefined,
): readonly LogReader[] {
  return readers.filter(({ position }) => head === undefined || position > head);
}

/**
 * Refuses a log that ends before what was made from it: positions would be given a second time.
 * Refuses another log than the folder had before as well; the first start that finds an event keeps
 * its id. Throws an `EventStoreError`.
 */
export async function refuseLostEvents(files: DataFiles, events: EventStore): Promise<void> {
  const head = await events.head();
  const [first] = beyond(readersIn(files), head);
  if (first !== undefined) {
    throw new EventStoreError('corrupt', `${files.events}: ${lossOf(first, head)}. ${LOSS_ADVICE}`);
  }
  if (existsSync(files.logMark) && !isFile(files.logMark)) {
    throw new EventStoreError('unavailable', `${files.logMark} is not a file: remove it`);
  }
  const firstEvent = await firstEventOf(events);
  const kept = keptFirstEvent(files);
  if (kept === undefined && firstEvent !== undefined) {
    writeFileSync(files.logMark, `${firstEvent}\n`, { mode: 0o600 });
  } else if (kept !== firstEvent) {
    throw new EventStoreError('corrupt', `${files.events}: ${ANOTHER_LOG}. ${ANOTHER_ADVICE}`);
  }
}

/** The id of the first event of the log that belongs to the folder. A power cut may leave the file empty. */
export function keptFirstEvent({ logMark }: DataFiles): string | undefined {
  if (!isFile(logMark)) return undefined;
  return readFileSync(logMark, 'utf8').trim() || undefined;
}

export const ANOTHER_LOG =
  'this is another log than the one that belongs here: its first event is not the same';
export const ANOTHER_ADVICE =
  'Is events.db, or an events.db-wal beside it, that of another folder? Put back the right one. If this log is meant to take its place, remove log.check, idempotency.db, reactors.db and the files of the read models.';
export const LOSS_ADVICE =
  'Look for events.db-wal or a newer backup first, and run `counterfoil doctor`. If the log is to be taken as it is, remove idempotency.db, reactors.db and the files of the read models (with -wal and -shm): the host makes them again.';

export function lossOf({ name, position }: LogReader, head: Position | undefined): string {
  return `the log ends at position ${head ?? '0'}, but ${name} has read it up to ${position}: events are lost, or an older log was put back`;
}
