/** Connections of a log and their settings. */
import pg from 'pg';

const CONNECT_TIMEOUT_MS = 10_000;
/** Later answers never come: the server would have ended the statement. */
const ANSWER_TIMEOUT_FACTOR = 1.25;
/** A wait for a stream that another host appends to ends before the statement that waits. */
const LOCK_TIMEOUT_FACTOR = 0.5;

/** How a log is reached. */
export interface Server {
  readonly url: string;
  /** How long the server may work at one statement; 0 for as long as it takes. */
  readonly statementTimeoutMs: number;
}

/**
 * What each connection has for its life. Set by a statement, for a pooler refuses most of it when a
 * connection starts, and joined with what the server knows, for older ones lack some. The log is read
 * by its indices alone: a plan that was made while the log was empty must not stay a scan when it has
 * grown. A lost client is noticed within a minute, so that it does not hold the horizon back.
 */
function settingsOf({ statementTimeoutMs }: Server): Readonly<Record<string, string>> {
  const limit = String(statementTimeoutMs);
  return {
    default_transaction_isolation: 'read committed',
    statement_timeout: limit,
    lock_timeout: String(Math.ceil(statementTimeoutMs * LOCK_TIMEOUT_FACTOR)),
    transaction_timeout: limit,
    idle_in_transaction_session_timeout: limit,
    tcp_keepalives_idle: '30',
    tcp_keepalives_interval: '10',
    tcp_keepalives_count: '3',
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
    plan_cache_mode: 'force_generic_plan',
  };
}
const APPLY_SETTINGS = `
  SELECT set_config(wanted.name, wanted.value, false)
  FROM unnest($1::text[], $2::text[]) AS wanted(name, value)
  JOIN pg_settings AS known ON known.name = wanted.name`;

function configOf({ url, statementTimeoutMs }: Server, role: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: `counterfoil log ${role}`,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, statementTimeoutMs || CONNECT_TIMEOUT_MS),
    query_timeout: Math.ceil(statementTimeoutMs * ANSWER_TIMEOUT_FACTOR),
    keepAlive: true,
  };
}

async function prepare(client: pg.ClientBase, server: Server): Promise<void> {
  const settings = settingsOf(server);
  await client.query(APPLY_SETTINGS, [Object.keys(settings), Object.values(settings)]);
}

/** Opens one connection. Calls `onLoss` when it breaks, also while it is idle. */
export async function connect(
  server: Server,
  role: string,
  onLoss: (lost: pg.Client) => void,
): Promise<pg.Client> {
  const client = new pg.Client(configOf(server, role));
  client.on('error', () => onLoss(client));
  try {
    await client.connect();
    await prepare(client, server);
    return client;
  } catch (error) {
    disconnect(client);
    throw error;
  }
}

/** Ends a connection without waiting for the server, which may not answer any more. */
export function disconnect(client: pg.Client): void {
  client.end().catch(() => undefined);
}

/** A pool for reading: a connection is taken for one statement at a time. */
export function readingPool(server: Server, size: number): pg.Pool {
  const onConnect = (client: pg.ClientBase) => prepare(client, server);
  const pool = new pg.Pool({ ...configOf(server, 'reader'), max: size, onConnect });
  // Lost while it was idle: the pool makes another when one is needed.
  pool.on('error', () => undefined);
  // Lost while it is in use between two statements: the next one fails, the process does not.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Names a log in messages: never with a user or a password. */
export function placeOf(url: string, schema: string): string {
  if (!URL.canParse(url)) return `PostgreSQL, schema ${schema}`;
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}, schema ${schema}`;
}
