/** What all hosts of a database agree on: whoever says it first has said it for all. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';

export const markMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-marks': {
    async up(database: Kysely<unknown>) {
      await sql`
        CREATE TABLE counterfoil_host.marks (name text PRIMARY KEY, value text NOT NULL)
      `.execute(database);
    },
  },
};

/** What was said of it; undefined while nobody has. */
export async function mark(pool: Pool, name: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ value: string }>({
    name: 'host-mark',
    text: 'SELECT value FROM counterfoil_host.marks WHERE name = $1',
    values: [name],
  });
  return rows[0]?.value;
}

/** Says it, if nobody has; answers what stands. */
export async function setMarkOnce(pool: Pool, name: string, value: string): Promise<string> {
  // What stands is written again: only so does the statement see what another just wrote.
  const { rows } = await pool.query<{ value: string }>({
    name: 'host-set-mark-once',
    text: `
      INSERT INTO counterfoil_host.marks AS kept (name, value) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET value = kept.value
      RETURNING value`,
    values: [name, value],
  });
  const stands = rows[0]?.value;
  if (stands === undefined) throw new Error(`the mark ${name} was neither set nor found`);
  return stands;
}
