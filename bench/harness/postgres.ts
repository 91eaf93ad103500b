/** The PostgreSQL of a run: started on first use, shared by all its rows. */
import pg from 'pg';
import { startPostgresServer } from '../../test/setup/postgres-server.ts';
import { isInMemory } from './disk.ts';
import { once } from './once.ts';

/**
 * Common settings for a machine with a few gigabytes; JIT is off, since it slows short queries. The
 * first three are the defaults, stated explicitly because they make commits durable.
 */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  random_page_cost: '1.1',
  max_wal_size: '8GB',
  jit: 'off',
} as const;
/** On a disk (it survives a restart), and readable by another user: PostgreSQL may run as one. */
const PARENT = '/var/tmp';

/** An empty database of one side, without other writers. */
export interface PostgresDatabase {
  readonly name: string;
  readonly url: string;
  /** The same over a Unix socket. */
  readonly local: pg.ClientConfig;
  /** Drops it and its connections. */
  drop(): Promise<void>;
}

export class RunPostgres {
  readonly #server = once(() => startPostgresServer(SETTINGS, PARENT));
  #databases = 0;

  newDatabase(): Promise<PostgresDatabase> {
    return this.#create('');
  }

  /** Creates a database for `work`, and drops it in any case. */
  async inDatabase<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
    const database = await this.newDatabase();
    try {
      return await work(database.url);
    } finally {
      await database.drop();
    }
  }

  /** A copy of a database without open connections. */
  copyOf({ name }: PostgresDatabase): Promise<PostgresDatabase> {
    return this.#create(` TEMPLATE ${name} STRATEGY file_copy`);
  }

  async #create(from: string): Promise<PostgresDatabase> {
    const { url, folder } = await this.#server();
    this.#databases += 1;
    const name = `bench_${this.#databases}`;
    await statement(url, `CREATE DATABASE ${name}${from}`);
    const own = new URL(url);
    own.pathname = `/${name}`;
    return {
      name,
      url: own.href,
      local: { host: folder, port: Number(own.port), user: own.username, database: name },
      drop: async () => {
        await statement(url, `DROP DATABASE ${name} WITH (FORCE)`);
      },
    };
  }

  /** Run after loading, so that autovacuum does not run during a measurement. */
  async tidyUp(url: string): Promise<void> {
    await statement(url, 'VACUUM ANALYZE');
  }

  /** Version and settings, for the results. */
  async facts(): Promise<string> {
    const { url, folder } = await this.#server();
    const version = await statement(url, 'SHOW server_version');
    const settings = Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`);
    const disk = isInMemory(folder) ? ['in memory: nothing was durable'] : [];
    return [version, ...settings, ...disk].join(', ');
  }

  async stop(): Promise<void> {
    if (!this.#server.made()) return;
    // A server that failed to start has stopped itself.
    const server = await this.#server().catch(() => undefined);
    await server?.stop();
  }
}

export async function connect(config: string | pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  // The next query reports a lost connection. Without a listener it would crash the run.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The first value of the result, as text. */
async function statement(url: string, text: string): Promise<string> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    return String(rows[0]?.[0] ?? '');
  } finally {
    await client.end();
  }
}
