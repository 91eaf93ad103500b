/** The projection thread, and the one that fills beside it: own connections to the log and to the read models. */
import { parentPort, workerData } from 'node:worker_threads';
import { releaseMemory } from '@counterfoil/event-stores/sqlite';
import { bringUpToDate, PROJECTIONS, type Projector } from '@counterfoil/projections';
import { openKeysInThread } from '../../personal-keys/open-personal-keys.ts';
import { openEventStore, openReadModels } from '../../storage/stores.ts';
import type { Part } from './filling.ts';
import { ONLY_HOST } from './holder.ts';
import type { FromThread, ProjectionThreadData, ToThread } from './messages.ts';
import { prepareProjector } from './project.ts';
import { besideInThread, isWorthAThread } from './rebuild-thread.ts';

const port = parentPort;
if (port === null) throw new Error('the projection worker runs in a thread of the host');

const data = workerData as ProjectionThreadData;
const { log, readModelUrl, shards, holder, keys, rebuild } = data;
const stopping = new AbortController();
const { signal } = stopping;

const events = await openEventStore(log, { follow: true });
const store = await openReadModels(readModelUrl, { shards });
const vault = keys && (await openKeysInThread(keys));
const notify = (message: FromThread) => port.postMessage(message);
const work = rebuild === undefined ? following() : filling(rebuild);

try {
  await work;
} catch (error) {
  // A rebuild that is stopped throws.
  if (!signal.aborted) throw error;
} finally {
  await events.close();
  await store.close();
  await vault?.close();
  port.close();
}

async function following(): Promise<void> {
  // Where hosts share read models, another may fill the others.
  const isShared = holder === ONLY_HOST && isWorthAThread(log);
  const beside = isShared ? besideInThread(data, notify) : undefined;
  const preparing = prepareProjector({ events, store, vault, holder, signal, notify, beside });
  let projector: Projector | undefined;
  // Registered before the rebuild, so that a stop can interrupt it.
  port?.on('message', async (request: ToThread) => {
    if (request.type === 'stop') return stopping.abort();
    // What is still being prepared reads without pauses.
    if (request.type === 'hurry') return projector?.hurry(request.position);
    const { projection, stream } = request;
    try {
      const freed = await (await preparing).retryParked(projection, stream);
      notify({ type: 'retried', projection, stream, freed });
    } catch {
      notify({ type: 'retried', projection, stream });
    }
  });
  projector = await preparing;
  releaseMemory();
  notify({ type: 'started' });
  await projector.run();
}

async function filling({ names, batchEvents }: Part): Promise<void> {
  port?.on('message', ({ type }: ToThread) => {
    if (type === 'stop') stopping.abort();
  });
  await bringUpToDate({
    events,
    store,
    vault,
    holder,
    signal,
    batchEvents,
    now: Date.now,
    projections: PROJECTIONS.filter(({ name }) => names.includes(name)),
    onProgress: (progress) => notify({ type: 'rebuilding', progress }),
  });
}
