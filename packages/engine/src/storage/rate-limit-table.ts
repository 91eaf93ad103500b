/** The table of request counts that several hosts share; a host's rate limiter reads and writes it. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const rateLimitMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-rate-limits': {
    async up(database: Kysely<unknown>) {
      // As rate-limiter-flexible wants it. Not logged: a crash of the server begins all windows anew.
      // Half of each page is left free, so that a count is changed where it stands.
      await sql`
        CREATE UNLOGGED TABLE counterfoil_host.rate_limits (
          key varchar(255) PRIMARY KEY,
          points integer NOT NULL DEFAULT 0,
          expire bigint
        ) WITH (fillfactor = 50)
      `.execute(database);
    },
  },
};
