/**
 * Faults of a database and of a log. The writer's thread loads this file, which therefore imports
 * nothing of the core: its modules take longer to load than a log to open.
 */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { checksumIn, EVENT_COLUMNS, type EventRow } from './event-rows.ts';
import { isLog } from './schema.ts';

/** Events of a page. */
const PAGE_EVENTS = 1_000;
/** A heading above the faults. */
const HEADING = /^\*\*\* in database /;
/** Faults that are reported at most. */
const MAX_FAULTS = 20;
/** Files up to this size are checked at every start: SQLite takes half a second for it. */
const MOST_BYTES_AT_START = 128 * 1024 * 1024;

/** The faults of an open database, as SQLite reports them. */
export function faultsIn(
  database: DatabaseSync,
  { thorough, limit = MAX_FAULTS }: { readonly thorough: boolean; readonly limit?: number },
): readonly string[] {
  const check = thorough ? 'integrity_check' : 'quick_check';
  return database
    .prepare(`PRAGMA ${check}(${limit})`)
    .all()
    .flatMap((row) => String(Object.values(row)[0]).split('\n'))
    .filter((line) => line !== 'ok' && !HEADING.test(line));
}

/**
 * A fault of a database that is about to be opened; undefined when it is sound, absent, or too large
 * to be checked at every start. Throws when it cannot be read at all. Uses a read-only connection:
 * one that writes would copy the write-ahead log of another file, left beside this one, into it.
 */
export function faultAtStart(path: string): string | undefined {
  if (!isExaminedAtStart(path)) return undefined;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return faultsIn(database, { thorough: true, limit: 1 })[0];
  } finally {
    database.close();
  }
}

function isExaminedAtStart(path: string): boolean {
  if (!existsSync(path)) return false;
  const stats = statSync(path);
  // Opening a pipe blocks until its other end is opened.
  if (!stats.isFile()) throw new Error('what stands there is not a file');
  return stats.size > 0 && stats.size <= MOST_BYTES_AT_START;
}

/**
 * The same for a log, which also verifies every event. An index that has lost an entry makes a stream
 * look shorter than it is, which only SQLite's check finds; a changed character, only a checksum.
 */
export function logFaultAtStart(path: string): string | undefined {
  const fault = faultAtStart(path);
  if (fault !== undefined || !isExaminedAtStart(path)) return fault;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return isLog(database) ? faultInEvents(database) : undefined;
  } finally {
    database.close();
  }
}

/** Reads a log by position; memory grows with the number of streams only. */
function faultInEvents(database: DatabaseSync): string | undefined {
  const page = database.prepare(
    `SELECT ${EVENT_COLUMNS} FROM events LEFT JOIN streams ON streams.id = stream_id
     WHERE position > ? ORDER BY position LIMIT ${PAGE_EVENTS}`,
  );
  page.setReturnArrays(true);
  const revisions = new Map<number, number>();
  let before: EventRow | undefined;
  for (;;) {
    const rows = page.all(before?.[0] ?? 0) as unknown as EventRow[];
    for (const row of rows) {
      const fault = faultOf(row, before, revisions.get(row[1]) ?? -1);
      if (fault !== undefined) return fault;
      revisions.set(row[1], row[2]);
      before = row;
    }
    if (rows.length < PAGE_EVENTS) break;
  }
  return before?.[10] === 0 ? `command ${before[8]} has no last event` : undefined;
}

/** The fault of an event, given the event before it in the log and the last revision of its stream. */
function faultOf(
  row: EventRow,
  before: EventRow | undefined,
  lastRevision: number,
): string | undefined {
  const due = (before?.[0] ?? 0) + 1;
  if (row[0] !== due) return `position ${due} is missing`;
  if (checksumIn(row) !== row[11]) {
    return `the event at position ${due} does not match its checksum`;
  }
  if (row[2] !== lastRevision + 1) return `${row[14]}@${lastRevision + 1} is missing`;
  const isWithin = before?.[10] === 0;
  if (isWithin && (before[1] !== row[1] || before[8] !== row[8])) {
    return `command ${before[8]} has no last event`;
  }
  return undefined;
}
