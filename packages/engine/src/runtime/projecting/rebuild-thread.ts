/** Rebuilds some of the read models in a thread of its own. */
import { Worker } from 'node:worker_threads';
import type { Beside } from './filling.ts';
import type { FromThread, ProjectionThreadData, ToThread } from './messages.ts';
import { projectionWorkerFile } from './projecting.ts';

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
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.on('error', reject);
    worker.on('exit', () => resolve());
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    // A thread that was stopped has ended without an error.
    signal.throwIfAborted();
  };
}
