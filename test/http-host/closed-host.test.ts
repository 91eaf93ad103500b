/** What a closed host leaves behind in its process: nothing that grows with the number of hosts. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { startHost } from '../e2e/running-host.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

async function closedHost(): Promise<WeakRef<object>> {
  const running = await startHost();
  const engine = new WeakRef(running.host.engine);
  await running.close();
  return engine;
}

it('is collected', async () => {
  const engine = await closedHost();
  await vi.waitUntil(
    () => {
      collectGarbage();
      return engine.deref() === undefined;
    },
    { timeout: 20_000 },
  );
  expect(engine.deref()).toBeUndefined();
});
