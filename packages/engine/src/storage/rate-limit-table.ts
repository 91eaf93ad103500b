/** The table of request counts that several hosts share; a host's rate limiter reads and writes it. */
import type { Migration } from 'kysely/migration';
import { migration } from './sql-tables.ts';

export const rateLimitMigrations: Readonly<Record<string, Migration>> = {
  // As rate-limiter-flexible wants it. Not logged: a crash of the server resets all windows. Half of
  // each page is left free, so that a count is changed where it stands.
  '2026-11-21-rate-limits': migration(`
    CREATE UNLOGGED TABLE counterfoil_host.rate_limits (
      key varchar(255) PRIMARY KEY,
      points integer NOT NULL DEFAULT 0,
      expire bigint
    ) WITH (fillfactor = 50)`),
};
