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
  await onServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
