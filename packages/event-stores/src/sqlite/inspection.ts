/** Reads a log for examination: every row as it is, damaged ones too, in bounded pages. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { CommandId, Position, StoredEvent, StreamName, TenantId } from '@counterfoil/core';
import { checksumOf } from './checksum.ts';
import { failing } from './failing.ts';
import { positionOf } from './messages.ts';
import { openForReading } from './open-for-reading.ts';
import { checkLog, isLog } from './schema.ts';

const PAGE_EVENTS = 1_000;
const PAGE_PLACES = 20_000;
/** A heading above the faults. */
const HEADING = /^\*\*\* in database /;
/** Faults that are reported at most. */
const MAX_FAULTS = 20;
/** Files up to this size are checked at every start: SQLite takes half a second for it. */
const MOST_BYTES_AT_START = 128 * 1024 * 1024;

/** An event as its row has it; to be trusted only when intact. */
export interface InspectedEvent {
  readonly stored: StoredEvent;
  /** Whether it matches its checksum. */
  readonly intact: boolean;
  /** Whether it is marked as the last of its append. */
  readonly endsCommand: boolean;
}

/** The place of an event in the order of the log. */
export interface InspectedPlace {
  readonly position: Position;
  readonly time: string;
  /** Positions between this one and the one before that no event has. */
  readonly missingBefore: number;
}

/** A snapshot of a log: later appends are left out. Any read may throw `corrupt`. */
export interface LogInspection {
  readonly head: Position | undefined;
  /** By the position of the last event. */
  readonly events: number;
  /**
   * The faults that SQLite finds. `thorough` also compares the indices with their tables, at about
   * 200 MiB a second.
   */
  faults(options: { readonly thorough: boolean }): readonly string[];
  /** Every event by its position. */
  inOrder(): Generator<readonly InspectedPlace[]>;
  /** Every event by stream and revision. A stream may go on in the next page. */
  byStream(): Generator<readonly InspectedEvent[]>;
  close(): void;
}

/** Opens a log for reading, beside its writer or without one. Throws like `openSqliteEventStore`. */
export function inspectSqliteLog(path: string): LogInspection {
  return failing(path, () => new Inspection(path));
}

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

type EventRow = readonly [
  position: number,
  streamId: number,
  revision: number,
  id: string,
  type: string,
  schemaVersion: number,
  tenantId: number,
  time: string,
  commandId: string,
  fingerprint: string,
  endsCommand: number,
  checksum: number,
  data: string,
  metadata: string,
  name: string | null,
];

class Inspection implements LogInspection {
  readonly head: Position | undefined;
  readonly events: number;
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #places: StatementSync;
  readonly #streams: StatementSync;

  constructor(path: string) {
    this.#path = path;
    this.#database = openForReading(path);
    try {
      checkLog(this.#database, path);
      const [last] = this.#rows('SELECT max(position) FROM events').get() as unknown as [
        number | null,
      ];
      this.events = last ?? 0;
      this.head = last === null ? undefined : positionOf(last);
      this.#places = this.#rows(
        'SELECT position, time FROM events NOT INDEXED WHERE position > ? AND position <= ? ORDER BY position LIMIT ?',
      );
      // The unary plus keeps the query on the index of streams.
      this.#streams = this.#rows(
        `SELECT ${COLUMNS} FROM events LEFT JOIN streams ON streams.id = stream_id
         WHERE (stream_id, revision) > (?, ?) AND +position <= ?
         ORDER BY stream_id, revision LIMIT ?`,
      );
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  #rows(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  faults({ thorough }: { readonly thorough: boolean }): readonly string[] {
    return failing(this.#path, () => faultsIn(this.#database, { thorough }));
  }

  *inOrder(): Generator<readonly InspectedPlace[]> {
    let before = 0;
    for (;;) {
      const rows = failing(
        this.#path,
        () =>
          this.#places.all(before, this.events, PAGE_PLACES) as unknown as [
            position: number,
            time: string,
          ][],
      );
      if (rows.length === 0) return;
      yield rows.map(([position, time]) => {
        const missingBefore = position - before - 1;
        before = position;
        return { position: positionOf(position), time, missingBefore };
      });
    }
  }

  *byStream(): Generator<readonly InspectedEvent[]> {
    let after: readonly [streamId: number, revision: number] = [
      Number.MIN_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ];
    for (;;) {
      const rows = failing(
        this.#path,
        () => this.#streams.all(...after, this.events, PAGE_EVENTS) as unknown as EventRow[],
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      after = [last[1], last[2]];
      yield rows.map(inspected);
    }
  }

  close(): void {
    this.#database.close();
  }
}

const COLUMNS = `position, stream_id, revision, events.id, type, schema_version, tenant_id, time,
  command_id, command_fingerprint, ends_command, checksum, data, metadata, name`;

/** Reads a log by position; memory grows with the number of streams only. */
function faultInEvents(database: DatabaseSync): string | undefined {
  const page = database.prepare(
    `SELECT ${COLUMNS} FROM events LEFT JOIN streams ON streams.id = stream_id
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

function checksumIn(row: EventRow): number {
  // biome-ignore format: the order of the columns
  const [
    position, streamId, revision, id, type, schemaVersion, tenantId, time, commandId, fingerprint, , , data, metadata, name,
  ] = row;
  // biome-ignore format: the order of the columns
  return checksumOf(
    position, name ?? nameless(streamId), revision, id, type, schemaVersion, tenantId, time, commandId, fingerprint, data, metadata,
  );
}

function nameless(streamId: number): string {
  return `(stream ${streamId}, whose name is gone)`;
}

function inspected(row: EventRow): InspectedEvent {
  // biome-ignore format: the order of the columns
  const [
    position, streamId, revision, id, type, schemaVersion, tenantId, time, commandId, fingerprint, endsCommand,
    checksum, data, metadata, name,
  ] = row;
  const stream = name ?? nameless(streamId);
  return {
    intact: checksumIn(row) === checksum,
    endsCommand: endsCommand === 1,
    stored: {
      id,
      type,
      schemaVersion,
      tenantId: tenantId as TenantId,
      time,
      data,
      metadata,
      stream: stream as StreamName,
      revision,
      position: positionOf(position),
      commandId: commandId as CommandId,
      commandFingerprint: fingerprint,
    },
  };
}
