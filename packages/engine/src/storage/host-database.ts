/** The PostgreSQL in which hosts that share a log keep what they keep beside it: its pool, its tables. */
import { withConnectAdvice } from '@counterfoil/event-stores/postgres';
import { Kysely, PostgresDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { sandboxBooksMigrations } from '../gateways/sandbox/books.ts';
import { outboxMigrations } from '../mail/outbox.ts';
import { personalKeyMigrations } from '../personal-keys/key-rows.ts';
import { placeMigrations } from './checkpoints.ts';
import { markMigrations } from './host-marks.ts';
import { answerMigrations } from './kept-answers-tables.ts';
import { rateLimitMigrations } from './rate-limit-table.ts';

export type { Checkpoints, Places } from './checkpoints.ts';
export { mark, setMarkOnce } from './host-marks.ts';

/** Everything stands in this schema, the table of migrations too. */
export const HOST_SCHEMA = 'counterfoil_host';

const APPLICATION_NAME = 'counterfoil-host';
/** What a turn of the event loop asks for travels together: few connections carry many requests. */
const DEFAULT_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** Nothing that a host asks takes a tenth of it: what does has met a lock, or a server that is gone. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** For a server that does not answer at all, so that it cannot end the statement itself. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
const IDLE_TIMEOUT_MS = 60_000;

/** Each statement sees what was committed before it, whatever the database's own default is. */
const SESSION = `
  SELECT set_config('default_transaction_isolation', 'read committed', false),
    set_config('statement_timeout', '${STATEMENT_TIMEOUT_MS}', false),
    set_config('idle_in_transaction_session_timeout', '${STATEMENT_TIMEOUT_MS}', false)`;

/**
 * The tables, as their owners declare them, under names that sort in the order in which they came to
 * be. A migration that was released is never changed: the next one mends it.
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  ...sandboxBooksMigrations,
  ...answerMigrations,
  ...markMigrations,
  ...outboxMigrations,
  ...personalKeyMigrations,
  ...placeMigrations,
  ...rateLimitMigrations,
};

export type HostDatabaseErrorCode =
  /** It cannot be reached, or does not take us. */
  | 'unavailable'
  /** Its tables are those of a later program. */
  | 'newer';

export class HostDatabaseError extends Error {
  override readonly name = 'HostDatabaseError';
  readonly code: HostDatabaseErrorCode;

  constructor(code: HostDatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface HostDatabase {
  /** Outlives connections that break: the next query opens another. */
  readonly pool: pg.Pool;
  /** Host, port and name of the database, for people. */
  readonly place: string;
  close(): Promise<void>;
}

export interface HostDatabaseOptions {
  /** At most so many connections at once. */
  readonly connections?: number;
  /** Told of connections that broke while nobody used them. */
  readonly onLostConnection?: (error: Error) => void;
}

/** Connects, and brings the tables up to date: any host may, for a lock lets one at a time. */
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
    // Awaited by the pool. Not told in the greeting: poolers refuse greetings that they do not know.
    onConnect: async (client) => {
      await client.query(SESSION);
    },
  });
  // Not the error itself: the driver hangs its connection onto it, with all that it knows.
  pool.on('error', (error) =>
    onLostConnection(new HostDatabaseError('unavailable', `${place}: ${reasonOf(error)}`)),
  );
  return { pool, place, close: () => pool.end() };
}

/** A host database for those who only look at it. */
export interface ReadHostDatabase extends HostDatabase {
  /** False where no host has ever started on it. */
  readonly hasTables: boolean;
}

/** Connects and changes nothing, whatever is asked. Throws for the tables of another version. */
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
  // Who asks next is told.
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
      `the host database of READ_MODEL_URL, ${place}, cannot be read: ${reasonOf(withConnectAdvice(error))}`,
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
    `the host database of READ_MODEL_URL, ${place}, is that of an earlier version of this program: start a host of this one first`,
  );
}

/** Never the password, and nothing of a URL that is none: a part of it may be one. */
function placeOf(url: string): string {
  const { protocol, hostname, port, pathname } = URL.parse(url) ?? {};
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
    throw new HostDatabaseError(
      'unavailable',
      'READ_MODEL_URL, that of the host database, must have the form postgres://user@host:5432/database',
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
  // A connection that breaks fails its query, if it has one; without this it would end the process too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Over a connection of its own: whoever waits for another host's migration waits without a limit. */
async function migrate(url: string, place: string): Promise<void> {
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
      `the host database of READ_MODEL_URL, ${place}, cannot be used: ${reasonOf(withConnectAdvice(error))}`,
      { cause: error },
    );
  } finally {
    await database.destroy();
  }
}

function newer(place: string, unknown: readonly string[]): HostDatabaseError {
  return new HostDatabaseError(
    'newer',
    `the host database of READ_MODEL_URL, ${place}, is that of a later version of this program: it has ${unknown.join(', ')}. Run that version`,
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

/** Of several addresses that were tried in vain, the error is one without words. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
