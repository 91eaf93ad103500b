/** Values that all hosts of a database agree on: the first write of a name wins. */
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { migration, PostgresTables } from './sql-tables.ts';

export const markMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-marks': migration(`
    CREATE TABLE counterfoil_host.marks (name text PRIMARY KEY, value text NOT NULL)`),
};

const READ = 'SELECT value FROM counterfoil_host.marks WHERE name = $1';
/** The kept value is written again: only so does the statement see what another host just wrote. */
const SET_ONCE = `
  INSERT INTO counterfoil_host.marks AS kept (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = kept.value
  RETURNING value`;

interface Row {
  readonly value: string;
}

/** Undefined before it is set. */
export async function mark(pool: Pool, name: string): Promise<string | undefined> {
  const [row] = await new PostgresTables(pool).all<Row>(READ, [name]);
  return row?.value;
}

/** Sets it where it is not set; answers the value that is kept. */
export async function setMarkOnce(pool: Pool, name: string, value: string): Promise<string> {
  const [row] = await new PostgresTables(pool).all<Row>(SET_ONCE, [name, value]);
  if (row === undefined) throw new Error(`the mark ${name} was neither set nor found`);
  return row.value;
}

const SET = `
  INSERT INTO counterfoil_host.marks (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const REMOVE = 'DELETE FROM counterfoil_host.marks WHERE name = $1';

export async function setMark(pool: Pool, name: string, value: string): Promise<void> {
  await new PostgresTables(pool).all(SET, [name, value]);
}

export async function removeMark(pool: Pool, name: string): Promise<void> {
  await new PostgresTables(pool).all(REMOVE, [name]);
}
