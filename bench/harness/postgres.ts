/** The one PostgreSQL of a run: started when it is first wanted, for every row that is measured on it. */
import pg from 'pg';
import { startPostgresServer } from '../../test/setup/postgres-server.ts';
import { isInMemory } from './disk.ts';
import { once } from './once.ts';

/**
 * What a machine with a few gigabytes is commonly given; compiling short queries would only cost.
 * The first three are the defaults, and are said aloud because they are what makes a commit durable.
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
/** Its user may be another than ours, who cannot enter a folder of the run. This one outlives a restart, so it is on a disk. */
const PARENT = '/var/tmp';

/** An empty database of one side, which nothing else writes to. */
export interface PostgresDatabase {
  readonly name: string;
  readonly url: string;
  /** The same by a Unix socket, as one connects who is on the same machine. */
  readonly local: pg.ClientConfig;
  /** Drops it, whoever is still connected. */
  drop(): Promise<void>;
}

export class RunPostgres {
  readonly #server = once(() => startPostgresServer(SETTINGS, PARENT));
  #databases = 0;

  newDatabase(): Promise<PostgresDatabase> {
    return this.#create('');
  }

  /** Lends a new database, and drops it whatever comes of it. */
  async inDatabase<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
    const database = await this.newDatabase();
    try {
      return await work(database.url);
    } finally {
      await database.drop();
    }
  }

  /** A database with all that is in another, to which nobody is connected at the moment. */
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

  /** After loading: what autovacuum would do while something else is measured. */
  async tidyUp(url: string): Promise<void> {
    await statement(url, 'VACUUM ANALYZE');
  }

  /** Its version and what it was started with, for the results. */
  async facts(): Promise<string> {
    const { url, folder } = await this.#server();
    const version = await statement(url, 'SHOW server_version');
    const settings = Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`);
    const disk = isInMemory(folder) ? ['in memory: nothing was durable'] : [];
    return [version, ...settings, ...disk].join(', ');
  }

  async stop(): Promise<void> {
    if (!this.#server.made()) return;
    // One that failed to start has stopped itself.
    const server = await this.#server().catch(() => undefined);
    await server?.stop();
  }
}

export async function connect(config: string | pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  // A connection that was lost is told by the next query. Without a listener it would end the run.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The first value of the answer, as text. */
async function statement(url: string, text: string): Promise<string> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    return String(rows[0]?.[0] ?? '');
  } finally {
    await client.end();
  }
}
