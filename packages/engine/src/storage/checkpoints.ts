/** How far each reactor has read the log. */
import type { Position } from '@counterfoil/core';
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { RoundTrips } from './round-trips.ts';
import { type Insert, migration, openTables, type SqlTables } from './sql-tables.ts';

export interface Places {
  /**
   * Whether a host does not even start when these are places in another log. Where nothing ensures
   * that, a place beyond the log is taken for one in another.
   */
  readonly ofThisLog: boolean;
  get(reactor: string): Promise<Position | undefined>;
  set(reactor: string, position: Position): Promise<void>;
  /** The reactor then begins as if it had never read. */
  forget(reactor: string): Promise<void>;
}

/** Places that are opened and closed by themselves. */
export interface Checkpoints extends Places {
  close(): void;
}

export const placeMigrations: Readonly<Record<string, Migration>> = {
  // Positions are compared by their characters, wherever they are compared.
  '2026-11-21-places': migration(`
    CREATE TABLE counterfoil_host.places (
      reactor text PRIMARY KEY,
      position text COLLATE "C" NOT NULL
    )`),
};

export const PLACES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS checkpoints (reactor TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT;
`;

/**
 * In an SQLite file (or `:memory:`), or in a database that has the tables of `openHostDatabase`. Losing
 * the last write repeats some reactions, which are idempotent, so commits need not wait for the disk.
 */
export function openCheckpoints(place: string | Pool): Checkpoints {
  const tables = openTables(place, { schema: PLACES_SCHEMA, synchronous: 'NORMAL' });
  return { ...placesIn(tables), close: () => tables.close() };
}

/** Beside other tables of a database. */
export function placesIn(tables: SqlTables): Places {
  const { isShared, table } = tables.dialect;
  const places = table('checkpoints', 'places');
  // Of a host that is no longer the one to react, a late write must not take the place back.
  const onlyForward = isShared ? 'WHERE kept.position < excluded.position' : '';
  const write: Insert = {
    table: `${places} AS kept`,
    columns: { reactor: 'text', position: 'text' },
    suffix: `ON CONFLICT (reactor) DO UPDATE SET position = excluded.position ${onlyForward}`,
  };
  // A dozen followers get to the end of the log in one turn: most of the cost of a place is its transaction.
  const writes = new RoundTrips<readonly [string, Position], undefined>(async (asked) => {
    await tables.insert(write, asked);
    return asked.map(() => undefined);
  });
  return {
    ofThisLog: isShared,
    async get(reactor) {
      const read = `SELECT position FROM ${places} WHERE reactor = $1`;
      const [row] = await tables.all<{ position: Position }>(read, [reactor]);
      return row?.position;
    },
    async set(reactor, position) {
      const row = [reactor, position] as const;
      // Rows that several processes write in one statement could wait for each other.
      await (isShared ? tables.insert(write, [row]) : writes.ask(row));
    },
    async forget(reactor) {
      await tables.all(`DELETE FROM ${places} WHERE reactor = $1`, [reactor]);
    },
  };
}

/** For one process, and for as long as it runs. */
export function placesInMemory(): Places {
  return { ...openCheckpoints(':memory:'), ofThisLog: true };
}
