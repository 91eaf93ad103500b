/** The connections of a PostgreSQL read-model store, with retries and classified errors. */
import pg from 'pg';
import { ReadModelError } from '../read-model-store.ts';
import { BackOff } from './back-off.ts';

const APPLICATION_NAME = 'counterfoil-read-models';
const DEFAULT_CONNECTIONS = 8;
/** A worker writes the commits of its projections side by side. */
const WRITING_CONNECTIONS = 6;
const CONNECT_TIMEOUT_MS = 5_000;
/** Detects a lost server also during long waits. */
const KEEP_ALIVE_AFTER_MS = 10_000;
/** Far more than any query needs. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** For a server that does not answer at all. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** For a commit of many events on a slow disk; others wait for its row lock. */
export const COMMIT_TIMEOUT_MS = 120_000;
/** How long a client that is lost between two statements keeps its locks. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/**
 * Walks read along an index that has the order, whatever the statistics are: tables grow. `options` of
 * the URL follow these.
 */
const SETTINGS = [
  'jit=off',
  'enable_seqscan=off',
  'enable_sort=off',
  `statement_timeout=${STATEMENT_TIMEOUT_MS}`,
  `idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
  'tcp_keepalives_idle=5',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=3',
];

/** How long idempotent work is retried while the server is unavailable. */
const RETRY_FOR_MS = 20_000;

/** Shapes of statements that are kept prepared in every connection; further ones are parsed each time. */
const MAX_NAMED = 150;
const NAMED_FOR_MS = 600_000;

/** SQLSTATE classes and codes of an outage that passes. */
const PASSING_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57P']);
const PASSING: ReadonlySet<string> = new Set([
  '40001', // a replica had to give way to what it replays, or two transactions met
  '40P01', // deadlock
  '55000', // the database takes no connections for now
  '55P03', // a lock was not to be had in time
  '25P03', // idle in transaction for too long
  '57014', // it took too long, or was cancelled
]);
const NETWORK: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** What the driver says, without a code, of a connection that is gone or does not answer. */
const LOST =
  /^(Connection terminated|Client has encountered|Client was closed|timeout exc|timeout expired|Query read timeout)/;
/** Data or index corrupted, a file of a table gone, no such table, column or function. */
const DAMAGE: ReadonlySet<string> = new Set(['XX001', 'XX002', '58P01', '42P01', '42703']);
/** No such schema, no such table. */
const ABSENT: ReadonlySet<string> = new Set(['3F000', '42P01']);

const SCHEMA_NAME = /^[a-z][a-z0-9_]{0,39}$/;
const FORM = 'postgres://user@host:5432/database';

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Asked for often in exactly this text: it is kept prepared. */
  readonly isNamed?: boolean;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly schema: string;
  readonly connections?: number | undefined;
  /** Whether reads are retried like writes. */
  readonly retriesReads: boolean;
}

export type Rows = readonly (readonly unknown[])[];

export class Database {
  readonly schema: string;
  /** Host, port and name of the database, for people; never the password. */
  readonly place: string;
  readonly #config: pg.ClientConfig;
  readonly #pool: pg.Pool;
  readonly #writers: pg.Pool;
  readonly #retriesReads: boolean;
  readonly #names = new Map<string, string>();
  #made = 0;
  #renamed = performance.now();
  #closed: Promise<void> | undefined;

  constructor({ url, schema, connections = DEFAULT_CONNECTIONS, retriesReads }: DatabaseOptions) {
    this.#retriesReads = retriesReads;
    if (!SCHEMA_NAME.test(schema)) throw new RangeError(`not a name of a schema: ${schema}`);
    this.schema = schema;
    const { place, config } = configOf(url);
    this.place = place;
    this.#config = config;
    this.#pool = poolOf({ ...config, max: connections, query_timeout: QUERY_TIMEOUT_MS });
    this.#writers = poolOf({
      ...config,
      max: WRITING_CONNECTIONS,
      // What does not depend on answers is sent without waiting for them.
      pipeline: true,
      query_timeout: COMMIT_TIMEOUT_MS + QUERY_TIMEOUT_MS,
    });
  }

  /** A connection of its own, neither pooled nor connected yet. */
  client(queryTimeoutMs = 0): pg.Client {
    this.refuseWhenClosed();
    const client = new pg.Client({ ...this.#config, query_timeout: queryTimeoutMs });
    client.on('error', () => undefined);
    return client;
  }

  /** A pool for migrations by `kysely`, to be ended by the caller. */
  migrating(): pg.Pool {
    const { options: _, ...config } = this.#config;
    return poolOf({ ...config, max: 1 });
  }

  /** Reads: retried once when the connection is lost, or longer with `retriesReads`. */
  async read(statement: Statement): Promise<Rows> {
    if (this.#retriesReads) return (await this.write(statement)).rows;
    this.refuseWhenClosed();
    try {
      return (await this.#run(statement)).rows;
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    return this.#judged(async () => (await this.#run(statement)).rows);
  }

  /** Idempotent writes: retried until the server is available, within a time limit. */
  async write(statement: Statement): Promise<{ readonly rows: Rows; readonly count: number }> {
    return this.withRetries(async () => {
      const { rows, rowCount } = await this.#run(statement);
      return { rows, count: rowCount ?? 0 };
    });
  }

  /** Retries work during an outage. Throws a `ReadModelError` at the time limit. */
  async withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
    const backOff = new BackOff();
    let end = Number.POSITIVE_INFINITY;
    for (;;) {
      this.refuseWhenClosed();
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error) && !isUnavailable(error)) throw error;
        const now = performance.now();
        if (now > end) throw this.#unavailable(error);
        // From the first failure on: the work itself may have taken long.
        end = Math.min(end, now + RETRY_FOR_MS);
      }
      await backOff.pause();
    }
  }

  /** Runs work in a transaction that ends with it; `begin` is its first statement. */
  async transaction<Result>(
    begin: string,
    work: (client: pg.PoolClient) => Promise<Result>,
  ): Promise<Result> {
    this.refuseWhenClosed();
    const client = await this.#writers.connect();
    let broken: Error | undefined;
    try {
      // Pipelined: the work does not wait for `begin`. When that fails, all that follows fails.
      const [, result] = await Promise.all([client.query(begin), work(client)]);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      try {
        await client.query('ROLLBACK');
      } catch {
        broken = error as Error;
      }
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Runs work on its own connection, without a time limit for answers. */
  async alone<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = this.client();
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** The name under which a text is kept prepared; none when there are too many. */
  nameOf(text: string): { readonly name?: string } {
    const known = this.#names.get(text);
    if (known !== undefined) return { name: known };
    if (this.#names.size >= MAX_NAMED) {
      if (performance.now() < this.#renamed + NAMED_FOR_MS) return {};
      // Some are of builds that were dropped since; the connections that knew them have ended.
      this.#names.clear();
      this.#renamed = performance.now();
    }
    this.#made += 1;
    const name = `counterfoil_${this.#made}`;
    this.#names.set(text, name);
    return { name };
  }

  refuseWhenClosed(): void {
    if (this.#closed !== undefined) {
      throw new ReadModelError('closed', 'the read-model store is closed');
    }
  }

  async close(): Promise<void> {
    this.#closed ??= Promise.all([this.#pool.end(), this.#writers.end()]).then(() => undefined);
    await this.#closed;
  }

  async #run({ text, values = [], isNamed = false }: Statement): Promise<pg.QueryArrayResult> {
    const name = isNamed ? this.nameOf(text) : {};
    return this.#pool.query({ ...name, text, values: [...values], rowMode: 'array' });
  }

  async #judged<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw isPassing(error) ? this.#unavailable(error) : error;
    }
  }

  /** Without the error itself: the driver attaches its connection to it, password included. */
  #unavailable(error: unknown): ReadModelError {
    if (error instanceof ReadModelError) return error;
    const text = `the read models at ${this.place} cannot be reached: ${reasonOf(error)}`;
    return new ReadModelError('unavailable', text);
  }
}

/** Whether the server or the network failed in a transient way. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPassing);
  if (!(error instanceof Error) || error instanceof ReadModelError) return false;
  const code = codeOf(error);
  if (code === undefined) return LOST.test(error.message);
  return (
    PASSING.has(code) ||
    NETWORK.has(code) ||
    PASSING_CLASSES.has(code.slice(0, 2)) ||
    PASSING_CLASSES.has(code.slice(0, 3))
  );
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ReadModelError && error.code === 'unavailable';
}

export function isDamage(error: unknown): boolean {
  return DAMAGE.has(codeOf(error) ?? '');
}

/** The table or its schema does not exist. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.has(codeOf(error) ?? '');
}

export function codeOf(error: unknown): string | undefined {
  return (error as { readonly code?: string } | undefined)?.code;
}

/** When several addresses failed, the error itself has no message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

function configOf(text: string): { place: string; config: pg.ClientConfig } {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    // Without any part of the text: it may contain a password.
    throw new TypeError(`the URL of the read models must have the form ${FORM}`);
  }
  const place = `${url.hostname || 'localhost'}:${url.port || '5432'}${url.pathname}`;
  const theirs = url.searchParams.get('options') ?? '';
  url.searchParams.delete('options');
  const config = {
    connectionString: url.href,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    options: `${SETTINGS.map((setting) => `-c ${setting}`).join(' ')} ${theirs}`.trim(),
  };
  return { place, config };
}

function poolOf(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, maxLifetimeSeconds: NAMED_FOR_MS / 1_000 });
  // A connection that breaks fails its query; an unhandled error event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
