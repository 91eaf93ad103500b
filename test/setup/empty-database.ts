/** An empty database with a unique name, on a server of tests or examples. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';

export interface EmptyDatabase {
  readonly url: string;
  /** Closes remaining connections. */
  readonly drop: () => Promise<void>;
}

/** Creates one on the server with this URL. */
export async function createDatabaseOn(server: string): Promise<EmptyDatabase> {
  const name = `counterfoil_${randomUUID().replaceAll('-', '')}`;
  await queried(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      await queried(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Runs SQL on a connection of its own. */
export async function queried(connectionString: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}
