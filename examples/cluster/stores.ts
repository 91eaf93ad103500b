/** The servers of the cluster: PostgreSQL, and the event store. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createDatabaseOn } from '@counterfoil/test/empty-database';
import { startPostgresServer } from '@counterfoil/test/postgres-server';
import type { Log } from './options.ts';

/** Durable commits, as in production. */
const POSTGRES_SETTINGS = { max_connections: '200' };

export interface Servers {
  readonly eventStoreUrl: string;
  readonly readModelUrl: string;
  /** The servers, for the printed summary. */
  readonly described: string;
}

/** Starts the servers that the environment does not name; they end with `making`. */
export async function openServers(log: Log, making: AsyncDisposableStack): Promise<Servers> {
  const { server, described } = await postgresServer(making);
  const database = async () => {
    const { url, drop } = await createDatabaseOn(server);
    making.defer(drop);
    return url;
  };
  const readModelUrl = await database();
  if (log === 'postgres') {
    return {
      eventStoreUrl: await database(),
      readModelUrl,
      described: `log and read models on ${described}`,
    };
  }
  const events = await eventServer(making);
  return {
    eventStoreUrl: events.url,
    readModelUrl,
    described: `log on ${events.described}, read models on ${described}`,
  };
}

async function postgresServer(
  making: AsyncDisposableStack,
): Promise<{ server: string; described: string }> {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined && given !== '') {
    return { server: given, described: 'the PostgreSQL of DATABASE_URL' };
  }
  const { url, stop } = await startPostgresServer(POSTGRES_SETTINGS);
  making.defer(stop);
  return { server: url, described: 'a PostgreSQL of this run' };
}

/** The server of the environment; otherwise the protocol server of the tests, which is in memory. */
async function eventServer(
  making: AsyncDisposableStack,
): Promise<{ url: string; described: string }> {
  const given = process.env['ESDB_URL'];
  if (given !== undefined && given !== '') {
    return { url: given, described: 'the server of ESDB_URL' };
  }
  const entry = fileURLToPath(import.meta.resolve('@counterfoil/test/protocol-server'));
  const child = spawn(process.execPath, [entry], { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  making.defer(async () => {
    process.removeListener('exit', end);
    await ended(child);
  });
  const url = await firstLineOf(child);
  return { url, described: 'a protocol server of the tests' };
}

async function firstLineOf(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  if (child.stdout !== null) createInterface(child.stdout).once('line', resolve);
  child.once('exit', (code) => reject(new Error(`the protocol server ended with ${code}`)));
  child.once('error', reject);
  return promise;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
