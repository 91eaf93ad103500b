/** How far each reactor has read the log, for all hosts: whoever takes one over goes on at its place. */
import type { Position } from '@counterfoil/core';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import type { Checkpoints } from './checkpoints.ts';

export const placeMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-places': {
    async up(database: Kysely<unknown>) {
      // Positions are compared by their characters, wherever they are compared.
      await sql`
        CREATE TABLE counterfoil_host.places (
          reactor text PRIMARY KEY,
          position text COLLATE "C" NOT NULL
        )
      `.execute(database);
    },
  },
};

/** A place never goes back: a host that is no longer the one to react may still have to write its own. */
const WRITE = `
  INSERT INTO counterfoil_host.places AS kept (reactor, position) VALUES ($1, $2)
  ON CONFLICT (reactor) DO UPDATE SET position = excluded.position
  WHERE kept.position < excluded.position`;

/** Of a database that has the tables of `openHostDatabase`, which stays open. */
export function openSharedCheckpoints(pool: Pool): Checkpoints {
  return {
    ofThisLog: true,
    async get(reactor) {
      const { rows } = await pool.query<{ position: Position }>({
        name: 'place-read',
        text: 'SELECT position FROM counterfoil_host.places WHERE reactor = $1',
        values: [reactor],
      });
      return rows[0]?.position;
    },
    async set(reactor, position) {
      await pool.query({ name: 'place-write', text: WRITE, values: [reactor, position] });
    },
    close: () => undefined,
  };
}
