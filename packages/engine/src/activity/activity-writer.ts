/** Writes activity to a file in a thread of its own, which waits for the disk in place of the callers. */
import { Worker } from 'node:worker_threads';
import { workerFile } from '@counterfoil/event-stores/sqlite';
import { type ActivityThreadData, END, type FromWriter, type ToWriter } from './messages.ts';

/** The file of the thread. Throws an Error where a bundle lacks it. */
export function activityWorkerFile(): string {
  return workerFile(() => new URL('./activity-worker.ts', import.meta.url));
}

type Request = Exclude<ToWriter, typeof END>;

/** The thread starts with the first request, and again after it has failed. */
export class ActivityWriter {
  readonly #data: ActivityThreadData;
  readonly #file = activityWorkerFile();
  readonly #unanswered: PromiseWithResolvers<number>[] = [];
  #worker: Worker | undefined;
  #isClosed = false;

  constructor(data: ActivityThreadData) {
    this.#data = data;
  }

  /** Resolves with the number of records once they are committed. Rejects when none is. */
  ask(request: Request): Promise<number> {
    if (this.#isClosed) return Promise.reject(new Error('no more activity is written'));
    this.#worker ??= this.#start();
    const answered = Promise.withResolvers<number>();
    this.#unanswered.push(answered);
    this.#worker.postMessage(request satisfies ToWriter);
    return answered.promise;
  }

  /** Ends the thread after what was asked for. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage(END satisfies ToWriter);
    await ended;
  }

  #start(): Worker {
    const worker = new Worker(this.#file, {
      workerData: this.#data,
      name: 'counterfoil-activity-writer',
    });
    worker.on('message', (message: FromWriter) => {
      const answered = this.#unanswered.shift();
      if ('error' in message) answered?.reject(message.error);
      else answered?.resolve(message.changed);
    });
    // Listened to, so that it does not end the process: whoever waits is told.
    let cause: unknown;
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      const error = new Error('the thread that writes activity has ended', { cause });
      for (const answered of this.#unanswered.splice(0)) answered.reject(error);
    });
    return worker;
  }
}
