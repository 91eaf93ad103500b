/**
 * The EventStoreDB adapter as a process: which packages it loads, that it ends, and that it never
 * prints a password.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type ClientKind,
  type EventStoreDbOptions,
  openEventStoreDb,
} from '@counterfoil/event-stores/eventstoredb';
import { describe, expect, it } from 'vitest';
import { serverForThisFile } from './support/eventstoredb.ts';

const TIMEOUT_MS = 60_000;
const run = promisify(execFile);
const pathOf = (name: string) => fileURLToPath(new URL(`./support/${name}`, import.meta.url));
const PACKAGES: Readonly<Record<ClientKind, string>> = {
  eventstore: '@eventstore/db-client',
  kurrentdb: '@kurrent/kurrentdb-client',
};
const CLIENTS: readonly ClientKind[] = ['eventstore', 'kurrentdb'];

const server = serverForThisFile();

/** Runs the program; it is ended, and fails, when it does not end by itself. */
function runUser(client: ClientKind, options: { batches?: boolean; hidden?: string } = {}) {
  const { batches = false, hidden = '' } = options;
  return run(
    process.execPath,
    [
      '--import',
      pathOf('hide-packages.ts'),
      pathOf('eventstoredb-user.ts'),
      server().url,
      client,
      String(batches),
    ],
    {
      env: { PATH: process.env['PATH'], HIDDEN_PACKAGES: hidden },
      timeout: TIMEOUT_MS / 2,
      killSignal: 'SIGKILL',
    },
  );
}

describe.each(CLIENTS)('eventstoredb, client %s: a process', { timeout: TIMEOUT_MS }, (client) => {
  const other = PACKAGES[client === 'eventstore' ? 'kurrentdb' : 'eventstore'];

  it.each([false, true])(
    'ends by itself when its store is closed; batches: %s',
    async (batches) => {
      const { stdout, stderr } = await runUser(client, { batches, hidden: other });
      expect(stdout).toBe('closed\n');
      expect(stderr).toBe('');
    },
  );

  it('names the missing package', async () => {
    const missing = runUser(client, { hidden: PACKAGES[client] });
    await expect(missing).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`needs ${PACKAGES[client]}: install it`),
    });
  });
});

describe('eventstoredb: the URL', () => {
  const wrong: readonly EventStoreDbOptions[] = [
    { url: 'mysql://user:hunter2@host:2113' },
    { url: 'esdb://user:hunter2@host:2113?unknown=1' },
    { url: 'esdb://user:hunter2@host:2113?tls' },
    { url: 'esdb://user:hunter2@ho st:2113' },
    { url: 'esdb://user:hunter2@host:port' },
    { url: 'esdb://user:hunter2@host:2113?tls=perhaps' },
    { url: 'esdb://user:hunter2@host:2113?nodePreference=follower' },
    { url: 'esdb://user:hunter2@host:2113?tlsVerifyCert=false' },
    { url: 'esdb://user:hunter2@host:2113?tlsCAFile=/not/there.pem' },
    { url: 'esdb://user:hunter2%@host:2113' },
    { url: 'esdb://user:hunter2@host:2113?tls=false', prefix: 'no-dot' },
    { url: 'esdb://user:hunter2@host:2113?tls=false', prefix: '$system.' },
  ];
  it.each(wrong)('is refused without telling its password: $url $prefix', async (options) => {
    const refused: unknown = await openEventStoreDb(options).catch((error) => error);
    expect(refused).toBeInstanceOf(TypeError);
    expect(String((refused as Error).stack)).not.toContain('hunter2');
    expect((refused as Error).cause).toBeUndefined();
  });

  it('of a server that is not there fails as unavailable, without telling its password', async () => {
    const url = 'esdb+discover://user:hunter2@127.0.0.1:9?tls=false&maxDiscoverAttempts=1';
    const refused: unknown = await openEventStoreDb({ url, retryMs: 200 }).catch((error) => error);
    expect(refused).toMatchObject({ name: 'EventStoreError', code: 'unavailable' });
    expect(String((refused as Error).stack)).not.toContain('hunter2');
  });

  it('may have any of the schemes, for either client', async () => {
    for (const scheme of ['esdb', 'kurrentdb', 'kurrent', 'kdb', 'esdb+discover']) {
      const store = await openEventStoreDb({ url: server().url.replace('esdb', scheme) });
      await store.close();
    }
  });
});
