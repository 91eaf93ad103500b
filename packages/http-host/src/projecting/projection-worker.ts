/** The projection thread: its own connections to the log and to the read models. */
import { parentPort, workerData } from 'node:worker_threads';
import { openEventStore, openReadModels } from '../stores.ts';
import type { FromThread, ProjectionThreadData, ToThread } from './messages.ts';
import { prepareProjector } from './project.ts';

const port = parentPort;
if (port === null) throw new Error('the projection worker runs in a thread of the host');

const { eventStoreUrl, readModelUrl } = workerData as ProjectionThreadData;
const stopping = new AbortController();
const { signal } = stopping;

const events = await openEventStore(eventStoreUrl, { follow: true });
const store = openReadModels(readModelUrl);
const notify = (message: FromThread) => port.postMessage(message);
const projector = await prepareProjector({ events, store, signal, notify });

port.on('message', async (request: ToThread) => {
  if (request.type === 'stop') return stopping.abort();
  const { projection, stream } = request;
  const freed = await projector.retryParked(projection, stream);
  notify({ type: 'retried', projection, stream, freed });
});

try {
  await projector.run();
} finally {
  await events.close();
  await store.close();
  port.close();
}
