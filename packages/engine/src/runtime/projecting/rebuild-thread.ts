/** Rebuilds some of the read models in a thread of its own. */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type EventLogSettings, fileOf } from '../../storage/stores.ts';
import type { Beside } from './filling.ts';
import type { FromThread, ProjectionThreadData, ToThread } from './messages.ts';
import { projectionWorkerFile } from './projecting.ts';

/** Of about 100,000 events: fewer are replayed before a thread has started. */
const MIN_LOG_BYTES = 128 * 2 ** 20;
/** Two threads take a third more of all processors, V8's helpers included: two processors are full with one. */
const MIN_PROCESSORS = 4;

/** Whether there are processors for a thread, and as much to read as pays for it from a file, which several can read. */
export function isWorthAThread(
  { eventStoreUrl }: EventLogSettings,
  processors = availableParallelism(),
): boolean {
  const path = fileOf(eventStoreUrl);
  const size = path === undefined ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return size >= MIN_LOG_BYTES && processors >= MIN_PROCESSORS;
}

/** The thread has its own connections; it is stopped by the signal, and ends when it has filled its read models. */
export function besideInThread(
  data: ProjectionThreadData,
  notify: (message: FromThread) => void,
): Beside {
  return async (part, signal) => {
    signal.throwIfAborted();
    const workerData: ProjectionThreadData = { ...data, rebuild: part };
    const worker = new Worker(projectionWorkerFile(), { workerData, name: 'rebuild' });
    const stop = () => worker.postMessage({ type: 'stop' } satisfies ToThread);
    signal.addEventListener('abort', stop);
    worker.on('message', notify);
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    let failure: unknown;
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', (code) => {
      if (code === 0) resolve();
      else reject(failure ?? new Error(`the thread that fills read models has ended with ${code}`));
    });
    try {
      await ended;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    // A thread that was stopped has ended without an error.
    signal.throwIfAborted();
  };
}
