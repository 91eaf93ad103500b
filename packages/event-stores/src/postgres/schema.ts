/** The log's tables in PostgreSQL, and the migrations that bring them to what this build needs. */
import { EventStoreError } from '@counterfoil/core';
import type { Migration } from 'kysely/migration';
import type pg from 'pg';
import { appendFunction, beginEraFunction, settledHeadFunction } from './functions.ts';
import { readingPool, type Server } from './sessions.ts';

const MIGRATION_TABLE = 'migrations';
const MIGRATION_LOCK_TABLE = 'migrations_lock';
/** A schema is part of statements, of a channel's name and of messages: no quotes are ever needed. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,47}$/;
const OLDEST_SERVER = 130_000;
const INVALID_SCHEMA_NAME = '3F000';
const UNDEFINED_TABLE = '42P01';

/**
 * `transaction` is where a transaction stands in the log: its era, and its id (`xid8`). With the
 * ordinal in that transaction it is an event's position. A command is found by the last event of its
 * append. Texts compare by their bytes, so that streams whose names begin with the time lie together
 * and no change of a collation can harm an index.
 */
function tables(schema: string): readonly string[] {
  return [
    `CREATE TABLE ${schema}.log (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      era int NOT NULL
    )`,
    `INSERT INTO ${schema}.log (era) VALUES (0)`,
    `CREATE TABLE ${schema}.events (
      transaction bigint NOT NULL,
      tenant_id bigint NOT NULL,
      ordinal int NOT NULL,
      revision int NOT NULL,
      schema_version int NOT NULL,
      ends_command boolean NOT NULL,
      stream text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      type text COLLATE "C" NOT NULL,
      time text COLLATE "C" NOT NULL,
      command_id text COLLATE "C" NOT NULL,
      command_fingerprint text COLLATE "C" NOT NULL,
      data text COLLATE "C" NOT NULL,
      metadata text COLLATE "C" NOT NULL,
      CONSTRAINT events_in_order PRIMARY KEY (transaction, ordinal)
    )`,
    `CREATE UNIQUE INDEX events_of_stream ON ${schema}.events (stream, revision)`,
    `CREATE UNIQUE INDEX commands_of_stream ON ${schema}.events (command_id, stream)
      WHERE ends_command`,
    `CREATE FUNCTION ${schema}.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $function$
    BEGIN
      RAISE EXCEPTION 'events are never changed' USING ERRCODE = 'integrity_constraint_violation';
    END $function$`,
    `CREATE TRIGGER events_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE
      ON ${schema}.events FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse_change()`,
    appendFunction(schema, { asOne: false }),
    settledHeadFunction(schema),
    beginEraFunction(schema),
  ];
}

/** Forward only: what a release has applied is not changed any more. */
function migrationsOf(schema: string): Record<string, Migration> {
  return {
    '2026-11-21-log': {
      async up(database) {
        const { sql } = await import('kysely');
        for (const statement of tables(schema)) await sql.raw(statement).execute(database);
      },
    },
    '2026-11-26-appends-as-one': {
      async up(database) {
        const { sql } = await import('kysely');
        await sql.raw(appendFunction(schema, { asOne: true })).execute(database);
      },
    },
  };
}

export function checkSchemaName(schema: string): void {
  if (SCHEMA_NAME.test(schema)) return;
  throw new RangeError(`not a schema of up to 48 letters, digits and _ in lower case: ${schema}`);
}

export interface Log {
  readonly server: Server;
  readonly schema: string;
  /** Names the log in messages. */
  readonly place: string;
}

/**
 * Applies the migrations that are missing, also while other processes do: they run under a lock. Refuses
 * a server that is too old and a log of a newer build, before anything is changed.
 */
export async function migrate(pool: pg.Pool, log: Log): Promise<void> {
  const { schema, place } = log;
  await checkServer(pool, place);
  const migrations = migrationsOf(schema);
  const applied = await appliedMigrations(pool, schema);
  const unknown = applied.filter((name) => !(name in migrations));
  if (unknown.length > 0) {
    throw new EventStoreError(
      'corrupt',
      `${place}: the log has the migrations ${unknown.join(', ')} of a newer build: use that one`,
    );
  }
  if (applied.length === Object.keys(migrations).length) return;
  // Here, because a log in a file never needs them, and they take longer to load than it to open.
  const [{ Kysely, PostgresDialect }, { Migrator }] = await Promise.all([
    import('kysely'),
    import('kysely/migration'),
  ]);
  // A migration may take long, and so may the wait for one of another process.
  const ownPool = readingPool({ ...log.server, statementTimeoutMs: 0 }, 1);
  const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: ownPool }) });
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => migrations },
    migrationTableSchema: schema,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
  try {
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  } finally {
    await database.destroy();
  }
}

async function checkServer(pool: pg.Pool, place: string): Promise<void> {
  const { rows } = await pool.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS version,
      current_setting('server_encoding') AS encoding`,
  );
  const [server] = rows;
  if (server === undefined || server.version < OLDEST_SERVER) {
    throw new EventStoreError('unavailable', `${place}: a log needs PostgreSQL 13 or newer`);
  }
  if (server.encoding !== 'UTF8') {
    throw new EventStoreError('unavailable', `${place}: a log needs a database in UTF8`);
  }
}

async function appliedMigrations(pool: pg.Pool, schema: string): Promise<readonly string[]> {
  try {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT name FROM ${schema}.${MIGRATION_TABLE} ORDER BY name`,
    );
    return rows.map(({ name }) => name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === UNDEFINED_TABLE || code === INVALID_SCHEMA_NAME) return [];
    throw error;
  }
}
