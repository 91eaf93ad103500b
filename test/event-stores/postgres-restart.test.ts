/** The PostgreSQL store when its server itself crashes and comes back. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { AppendRequest, StoredEvent } from '@counterfoil/core';
import { openPostgresEventStore } from '@counterfoil/event-stores/postgres';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startPostgresServer } from '../setup/postgres-server.ts';
import { idsOf, idsOfAll, newAppend, wholeLog } from './support/appends.ts';

const TIMEOUT_MS = 120_000;
const WAIT = { timeout: 60_000, interval: 20 };
const WRITERS = 16;
const CRASHES = 2;
const APPENDS_BETWEEN = 100;

/** Ends the server at `folder` without a word to anybody, as a crash would; `restart` brings it back. */
function control(folder: string, action: 'stop' | 'restart'): void {
  const data = join(folder, 'data');
  const { uid, gid } = statSync(data);
  const program = join(folder, 'native', 'bin', 'pg_ctl');
  execFileSync(program, ['-D', data, '-m', 'immediate', '-w', action], {
    cwd: folder,
    stdio: 'ignore',
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
  });
}

it('postgres: a server that crashes under load loses and doubles nothing', {
  timeout: TIMEOUT_MS,
}, async () => {
  const server = await startPostgresServer({ shared_buffers: '32MB', max_connections: '50' });
  onTestFinished(() => server.stop());
  // Before that: once it was restarted it is no child of this process any more.
  onTestFinished(() => control(server.folder, 'stop'));
  const store = await openPostgresEventStore({ url: server.url });
  onTestFinished(() => store.close());
  const seen: StoredEvent[] = [];
  const following = (async () => {
    for await (const batch of store.subscribe()) seen.push(...batch);
  })();

  const acknowledged: AppendRequest[] = [];
  let isOver = false;
  const write = async () => {
    while (!isOver) {
      const request = newAppend(2);
      const { outcome } = await store.append(request);
      // Reported as repeated where the response to the first attempt was lost.
      expect(['appended', 'repeated']).toContain(outcome);
      acknowledged.push(request);
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, write));
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const enough = acknowledged.length + APPENDS_BETWEEN;
    await vi.waitUntil(() => acknowledged.length > enough, WAIT);
    control(server.folder, 'restart');
  }
  const enough = acknowledged.length + APPENDS_BETWEEN;
  await vi.waitUntil(() => acknowledged.length > enough, WAIT);
  isOver = true;
  await writers;

  const ids = idsOf(await wholeLog(store));
  const wanted = idsOfAll(acknowledged);
  expect([...ids].sort()).toEqual(wanted.sort());
  await vi.waitUntil(() => seen.length >= ids.length, WAIT);
  expect(idsOf(seen)).toEqual(ids);
  await store.close();
  await following;
});
