/** A worker of the read models in a thread of its own: it takes its share, and begins when it is told to. */
import { parentPort, workerData } from 'node:worker_threads';
import type { EventStore } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { createProjector, PROJECTIONS } from '@counterfoil/projections';
import { openPostgresReadModelStore } from '@counterfoil/projections/postgres';

export interface GatedWorkerData {
  readonly logPath: string;
  readonly url: string;
  readonly holder: string;
}

const { logPath, url, holder } = workerData as GatedWorkerData;
const log = await openSqliteEventStore({ path: logPath, follow: true });
const store = await openPostgresReadModelStore({ url });
const stopping = new AbortController();
const { promise: gate, resolve: open } = Promise.withResolvers<void>();
parentPort?.on('message', (message: 'go' | 'stop') => {
  if (message === 'go') open();
  else stopping.abort();
});

/** Behind the gate; a worker whose share changes meanwhile asks again. */
const events: EventStore = {
  append: (request) => log.append(request),
  read: (stream, range) => log.read(stream, range),
  head: () => log.head(),
  close: () => log.close(),
  async *subscribe(options = {}) {
    const ended = new Promise<void>((resolve) => {
      if (options.signal?.aborted === true) resolve();
      options.signal?.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([gate, ended]);
    if (options.signal?.aborted !== true) yield* log.subscribe(options);
  },
};

await createProjector({
  events,
  store,
  projections: PROJECTIONS,
  holder,
  now: Date.now,
  signal: stopping.signal,
}).run();
await store.close();
await log.close();
parentPort?.close();
