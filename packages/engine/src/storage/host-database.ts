/** The PostgreSQL of hosts that share a log: connection pool and migrations of the engine's own tables. */
import { withConnectAdvice } from '@counterfoil/event-stores/postgres';
import type { Migration } from 'kysely/migration';
import pg from 'pg';
import { activityMigrations } from '../activity/activity-store.ts';
import { evidenceMigrations } from '../disputes/evidence-store.ts';
import { pendingAnswerMigrations } from '../disputes/pending-answers.ts';
import { gatewayEventMigrations } from '../gateway-events/taken-events.ts';
import { sandboxBooksMigrations } from '../gateways/sandbox/books.ts';
import { outboxMigrations } from '../mail/outbox.ts';
import { personalKeyMigrations } from '../personal-keys/key-rows.ts';
import { credentialMigrations } from '../users/credentials.ts';
import { webhookMigrations } from '../webhooks/delivery-store.ts';
import { placeMigrations } from './checkpoints.ts';
import { HostDatabaseError } from './host-database-error.ts';
import { markMigrations } from './host-marks.ts';
import { answerMigrations } from './kept-answers-tables.ts';
import { rateLimitMigrations } from './rate-limit-table.ts';

export type { Checkpoints, Places } from './checkpoints.ts';

/** The schema of all tables, that of the migrations included. */
export const HOST_SCHEMA = 'counterfoil_host';

const APPLICATION_NAME = 'counterfoil-host';
/** Statements are batched per turn of the event loop, so a few connections suffice. */
const DEFAULT_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** Ten times what any statement takes: beyond it there is a lock, or the server is gone. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** For a server that does not answer, and so does not end the statement itself. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
const IDLE_TIMEOUT_MS = 60_000;

/** Each statement sees what was committed before it, whatever the database's own default is. */
const SESSION = `
  SELECT set_config('default_transaction_isolation', 'read committed', false),
    set_config('statement_timeout', '${STATEMENT_TIMEOUT_MS}', false),
    set_config('idle_in_transaction_session_timeout', '${STATEMENT_TIMEOUT_MS}', false)`;

/**
 * The tables, as their owners declare them, under names that sort by date. A released migration is
 * never changed: the next one corrects it.
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  ...activityMigrations,
  ...sandboxBooksMigrations,
  ...answerMigrations,
  ...evidenceMigrations,
  ...gatewayEventMigrations,
  ...markMigrations,
  ...outboxMigrations,
  ...pendingAnswerMigrations,
  ...personalKeyMigrations,
  ...placeMigrations,
  ...rateLimitMigrations,
  ...credentialMigrations,
  ...webhookMigrations,
};

export interface HostDatabase {
  /** Replaces broken connections. */
  readonly pool: pg.Pool;
  /** Host, port and name of the database, for people. */
  readonly place: string;
  close(): Promise<void>;
}

export interface HostDatabaseOptions {
  /** The most connections at once. */
  readonly connections?: number;
  /** Called for idle connections that broke. */
  readonly onLostConnection?: (error: Error) => void;
}

/** Connects and runs the migrations; a lock admits one host at a time. */
export async function openHostDatabase(
  url: string,
  options: HostDatabaseOptions = {},
): Promise<HostDatabase> {
  const { connections = DEFAULT_CONNECTIONS, onLostConnection = () => undefined } = options;
  const place = placeOf(url);
  await migrate(url, place);
  const pool = makePool(url, {
    max: connections,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    // Awaited by the pool. Not startup parameters: poolers refuse those that they do not know.
    onConnect: async (client) => {
      await client.query(SESSION);
    },
  });
  // Not the error itself: the driver attaches its connection to it, password included.
  pool.on('error', (error) =>
    onLostConnection(new HostDatabaseError('unavailable', `${place}: ${reasonOf(error)}`)),
  );
  return { pool, place, close: () => pool.end() };
}

/** A host database that is only read. */
export interface ReadHostDatabase extends HostDatabase {
  /** False where no host has ever started on it. */
  readonly hasTables: boolean;
}

/** Connects with read-only transactions. Throws for the tables of another version. */
export async function openHostDatabaseToRead(url: string): Promise<ReadHostDatabase> {
  const place = placeOf(url);
  const pool = makePool(url, {
    max: DEFAULT_CONNECTIONS,
    query_timeout: QUERY_TIMEOUT_MS,
    onConnect: async (client) => {
      await client.query(SESSION);
      await client.query('SET default_transaction_read_only = on');
    },
  });
  // The next query reports it.
  pool.on('error', () => undefined);
  try {
    const hasTables = await hasTablesOfHosts(pool);
    if (hasTables) await refuseOtherVersion(pool, place);
    return { pool, place, hasTables, close: () => pool.end() };
  } catch (error) {
    await pool.end();
    if (error instanceof HostDatabaseError) throw error;
    throw new HostDatabaseError(
      'unavailable',
      `the database of the read models, ${place}, cannot be read: ${reasonOf(withConnectAdvice(error))}`,
    );
  }
}

async function hasTablesOfHosts(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ made: boolean }>(
    `SELECT to_regclass('${HOST_SCHEMA}.kysely_migration') IS NOT NULL AS made`,
  );
  return rows[0]?.made === true;
}

async function refuseOtherVersion(pool: pg.Pool, place: string): Promise<void> {
  const made = await madeMigrations(pool);
  if (made.some(isUnknown)) throw newer(place, made.filter(isUnknown));
  if (made.length === Object.keys(MIGRATIONS).length) return;
  throw new HostDatabaseError(
    'unavailable',
    `the database of the read models, ${place}, is that of an earlier version of this program: start a process of this one first`,
  );
}

/** Never the password; nothing of an invalid URL, which may contain one anywhere. */
function placeOf(url: string): string {
  const { protocol, hostname, port, pathname } = URL.parse(url) ?? {};
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
    throw new HostDatabaseError(
      'unavailable',
      'the URL of the read models must have the form postgres://user@host:5432/database',
    );
  }
  return `${hostname || 'localhost'}:${port || '5432'}${pathname}`;
}

function makePool(url: string, config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    ...config,
  });
  // Without a listener the error of a broken connection would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** On a connection without a timeout: another host may be migrating. */
async function migrate(url: string, place: string): Promise<void> {
  // Here, because they are many modules, and tables in files need none of them.
  const [{ Kysely, PostgresDialect }, { Migrator }] = await Promise.all([
    import('kysely'),
    import('kysely/migration'),
  ]);
  const pool = makePool(url, { max: 1 });
  pool.on('error', () => undefined);
  const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({
      db: database,
      provider: { getMigrations: async () => MIGRATIONS },
      migrationTableSchema: HOST_SCHEMA,
    });
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    const unknown = (await madeMigrations(pool).catch((): readonly string[] => [])).filter(
      isUnknown,
    );
    if (unknown.length > 0) throw newer(place, unknown);
    throw new HostDatabaseError(
      'unavailable',
      `the database of the read models, ${place}, cannot be used: ${reasonOf(withConnectAdvice(error))}`,
      { cause: error },
    );
  } finally {
    await database.destroy();
  }
}

function newer(place: string, unknown: readonly string[]): HostDatabaseError {
  return new HostDatabaseError(
    'newer',
    `the database of the read models, ${place}, is that of a later version of this program: it has ${unknown.join(', ')}. Run that version`,
  );
}

function isUnknown(migration: string): boolean {
  return !Object.hasOwn(MIGRATIONS, migration);
}

async function madeMigrations(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT name FROM ${HOST_SCHEMA}.kysely_migration ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

/** The error of several failed addresses has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
