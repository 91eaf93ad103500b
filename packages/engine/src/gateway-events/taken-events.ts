/** Which events of gateways were taken, and up to when each account was caught up. */
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { type Insert, migration, openTables } from '../storage/sql-tables.ts';

/** Losing the last writes repeats some events, which changes nothing. */
export interface TakenEvents {
  /** @param owner - The account that the events are of. */
  has(owner: string, eventId: string): Promise<boolean>;
  add(owner: string, event: { readonly id: string; readonly at: string }): Promise<void>;
  /** Up to when all events of a place were taken; undefined before the first time. */
  caughtUpTo(place: string): Promise<string | undefined>;
  setCaughtUpTo(place: string, at: string): Promise<void>;
  /** Events of before a time (ISO 8601, GMT); places stay. */
  forget(before: string): Promise<void>;
  close(): void;
}

/** The row of a place has no event. */
const PLACE = '';

export const gatewayEventMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-25-gateway-events': migration(
    `CREATE TABLE counterfoil_host.gateway_events (
      owner text NOT NULL,
      event_id text NOT NULL,
      happened_at text NOT NULL,
      PRIMARY KEY (owner, event_id)
    )`,
  ),
};

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS gateway_events (
    owner TEXT NOT NULL,
    event_id TEXT NOT NULL,
    happened_at TEXT NOT NULL,
    PRIMARY KEY (owner, event_id)
  ) STRICT`;

/** In an SQLite file (or `:memory:`), or in a database that has the tables of `openHostDatabase`. */
export function openTakenEvents(place: string | Pool): TakenEvents {
  const tables = openTables(place, { schema: SCHEMA, synchronous: 'NORMAL' });
  const table = tables.dialect.table('gateway_events', 'gateway_events');
  const insert: Insert = {
    table,
    columns: { owner: 'text', event_id: 'text', happened_at: 'text' },
    suffix: 'ON CONFLICT (owner, event_id) DO UPDATE SET happened_at = excluded.happened_at',
  };
  const read = `SELECT happened_at FROM ${table} WHERE owner = $1 AND event_id = $2`;
  const remove = `DELETE FROM ${table} WHERE event_id <> '${PLACE}' AND happened_at < $1`;
  const happenedAt = async (owner: string, eventId: string) => {
    const [row] = await tables.all<{ happened_at: string }>(read, [owner, eventId]);
    return row?.happened_at;
  };
  return {
    has: async (owner, eventId) => (await happenedAt(owner, eventId)) !== undefined,
    async add(owner, { id, at }) {
      await tables.insert(insert, [[owner, id, at]]);
    },
    caughtUpTo: (owner) => happenedAt(owner, PLACE),
    async setCaughtUpTo(owner, at) {
      await tables.insert(insert, [[owner, PLACE, at]]);
    },
    async forget(before) {
      await tables.all(remove, [before]);
    },
    close: () => tables.close(),
  };
}
