/** Reads a log for examination: every row as it is, damaged ones too, in bounded pages. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CommandId, Position, StoredEvent, StreamName, TenantId } from '@counterfoil/core';
import { checksumIn, EVENT_COLUMNS, type EventRow, nameless } from './event-rows.ts';
import { failing } from './failing.ts';
import { faultsIn } from './faults.ts';
import { positionOf } from './messages.ts';
import { openForReading } from './open-for-reading.ts';
import { checkLog } from './schema.ts';

const PAGE_EVENTS = 1_000;
const PAGE_PLACES = 20_000;
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

/** The first and the last event of a log. */
export interface LogEnds {
  readonly firstId: string;
  readonly head: Position;
}

/** Within the connection's transaction; undefined for an empty log. Throws for another database. */
export function endsOfLog(database: DatabaseSync, path: string): LogEnds | undefined {
  return failing(path, () => {
    checkLog(database, path);
    const row = database
      .prepare(
        'SELECT id, (SELECT max(position) FROM events) AS head FROM events ORDER BY position LIMIT 1',
      )
      .get();
    if (row === undefined) return undefined;
    return { firstId: String(row['id']), head: positionOf(Number(row['head'])) };
  });
}

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
        'SELECT position, time FROM events NOT INDEXED WHERE position > ? AND position <= ? ORDER BY position LIMIT ? + 0',
      );
      // The unary plus keeps the query on the index of streams.
      this.#streams = this.#rows(
        `SELECT ${EVENT_COLUMNS} FROM events LEFT JOIN streams ON streams.id = stream_id
         WHERE (stream_id, revision) > (?, ?) AND +position <= ?
         ORDER BY stream_id, revision LIMIT ? + 0`,
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
