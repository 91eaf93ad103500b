/** The protocol server as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf } from './stripe-clients.ts';

it('prints its address and keys, and serves', async () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const server = JSON.parse(printed.toString('utf8')) as {
    readonly url: string;
    readonly account: string;
    readonly secretKey: string;
  };
  const shown = await clientOf(server).accounts.retrieveCurrent();
  expect(shown.id).toBe(server.account);
});
