/** The projection thread: its own connections to the log and to the read models. */
import { parentPort, workerData } from 'node:worker_threads';
import { releaseMemory } from '@counterfoil/event-stores/sqlite';
import { openKeysInThread } from '../../personal-keys/open-personal-keys.ts';
import { openEventStore, openReadModels } from '../../storage/stores.ts';

import type { FromThread, ProjectionThreadData, ToThread } from './messages.ts';
import { prepareProjector } from './project.ts';

const port = parentPort;
if (port === null) throw new Error('the projection worker runs in a thread of the host');

const { log, readModelUrl, shards, holder, keys } = workerData as ProjectionThreadData;
const stopping = new AbortController();
const { signal } = stopping;

const events = await openEventStore(log, { follow: true });
const store = await openReadModels(readModelUrl, { shards });
const vault = keys && (await openKeysInThread(keys));
const notify = (message: FromThread) => port.postMessage(message);
const preparing = prepareProjector({ events, store, vault, holder, signal, notify });

// Registered before the rebuild, so that a stop can interrupt it.
port.on('message', async (request: ToThread) => {
  if (request.type === 'stop') return stopping.abort();
  const { projection, stream } = request;
  try {
    const freed = await (await preparing).retryParked(projection, stream);
    notify({ type: 'retried', projection, stream, freed });
  } catch {
    notify({ type: 'retried', projection, stream });
  }
});

try {
  const projector = await preparing;
  releaseMemory();
  notify({ type: 'started' });
  await projector.run();
} catch (error) {
  // A rebuild that is stopped throws.
  if (!signal.aborted) throw error;
} finally {
  await events.close();
  await store.close();
  await vault?.close();
  port.close();
}
