// The protocol server as a process of its own, and what happens where both clients share a process.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openClient } from './clients.ts';
import { events, newStream } from './protocol-suite.ts';
import { startProtocolServer } from './server.ts';

/** A process takes its time to start. */
const TIMEOUT_MS = 30_000;
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** Appends a batch through the older client, after the newer one was loaded. */
const BOTH_CLIENTS = `
  const { EventStoreDBClient, jsonEvent } = await import('@eventstore/db-client');
  await import('@kurrent/kurrentdb-client');
  const client = EventStoreDBClient.connectionString(process.argv[1]);
  const event = jsonEvent({ type: 'Happened', data: {} });
  const answer = await client.appendToStream('both', event).catch(({ message }) => message);
  console.log(answer.success ?? answer);
  await client.dispose();
  process.exit();
`;

test('it prints its connection string, and serves', { timeout: TIMEOUT_MS }, async () => {
  const child = spawn(process.execPath, [MAIN], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const url = printed.toString('utf8').trim();
  expect(url).toMatch(/^esdb:\/\/127\.0\.0\.1:\d+\?tls=false&discoveryInterval=\d+$/);
  const client = await openClient('eventstore', url);
  expect(await client.append(newStream(), events(1))).toMatchObject({ revision: 0n });
  await client.dispose();
});

// Why the tests of the two clients stand in two files. A client that mends it is noticed here.
test('both clients in one process break the batch appends of the older', {
  timeout: TIMEOUT_MS,
}, async () => {
  const server = await startProtocolServer();
  onTestFinished(() => server.close());
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', BOTH_CLIENTS, server.url],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  expect(stdout.trim()).toContain('message.getDeadline21100 is not a function');
});
