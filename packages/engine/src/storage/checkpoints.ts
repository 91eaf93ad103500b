/** How far each reactor has read the log. */
import { DatabaseSync } from 'node:sqlite';
import type { Position } from '@counterfoil/core';

export interface Places {
  /**
   * Whether a host does not even start when these are places in another log. Where nobody makes sure
   * of that, a place beyond the log is taken for one in another.
   */
  readonly ofThisLog: boolean;
  get(reactor: string): Promise<Position | undefined>;
  set(reactor: string, position: Position): Promise<void>;
}

/** Places that are opened and closed by themselves. */
export interface Checkpoints extends Places {
  close(): void;
}

/**
 * Kept in an SQLite file (or `:memory:`). Losing the last write repeats some reactions, which are
 * idempotent, so commits need not wait for the disk.
 */
export function openCheckpoints(path: string): Checkpoints {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA busy_timeout = 5000;
  `);
  return { ...placesIn(database), close: () => database.close() };
}

/** Kept beside other things in a database that somebody else opens and closes. */
export function placesIn(database: DatabaseSync): Places {
  database.exec(
    'CREATE TABLE IF NOT EXISTS checkpoints (reactor TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT',
  );
  const read = database.prepare('SELECT position FROM checkpoints WHERE reactor = ?');
  const write = database.prepare(`
    INSERT INTO checkpoints (reactor, position) VALUES (?, ?)
    ON CONFLICT (reactor) DO UPDATE SET position = excluded.position
  `);
  return {
    ofThisLog: false,
    get: async (reactor) => read.get(reactor)?.['position'] as Position | undefined,
    set: async (reactor, position) => {
      write.run(reactor, position);
    },
  };
}

/** For one process, and for as long as it runs. */
export function placesInMemory(): Places {
  const places = new Map<string, Position>();
  return {
    ofThisLog: true,
    get: async (reactor) => places.get(reactor),
    set: async (reactor, position) => {
      places.set(reactor, position);
    },
  };
}
