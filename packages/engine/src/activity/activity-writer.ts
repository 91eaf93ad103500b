/** Writes activity to a file in a thread of its own, which waits for the disk in place of the callers. */
import { Worker } from 'node:worker_threads';
import { workerFile } from '@counterfoil/event-stores/sqlite';
import { type ActivityThreadData, END, type FromWriter, type ToWriter } from './messages.ts';

/** The file of the thread. Throws an Error where a bundle lacks it. */
export function activityWorkerFile(): string {
  return workerFile(() => new URL('./activity-worker.ts', import.meta.url));
}

type Request = Exclude<ToWriter, typeof END>;

/** A thread takes 15 MB. */
const IDLE_MS = 5_000;

/** The thread starts with the first request, ends when nothing is asked for, and starts again with the next. */
export class ActivityWriter {
  readonly #data: ActivityThreadData;
  readonly #file = activityWorkerFile();
  readonly #unanswered: PromiseWithResolvers<number>[] = [];
  #worker: Worker | undefined;
  /** Of every thread so far. */
  #ended: Promise<unknown> = Promise.resolve();
  /** Whether nothing has been asked for since the clock was read last. */
  #isIdle = false;
  #isClosed = false;

  constructor(data: ActivityThreadData) {
    this.#data = data;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Resolves with the number of records once they are committed. Rejects when none is. */
  ask(request: Request): Promise<number> {
    if (this.#isClosed) return Promise.reject(new Error('no more activity is written'));
    this.#worker ??= this.#start();
    this.#isIdle = false;
    const answered = Promise.withResolvers<number>();
    this.#unanswered.push(answered);
    this.#worker.postMessage(request satisfies ToWriter);
    return answered.promise;
  }

  /** Ends the thread after what was asked for. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#worker?.postMessage(END satisfies ToWriter);
    await this.#ended;
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
    const watch = setInterval(() => this.#endIfIdle(worker), IDLE_MS).unref();
    const exit = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        clearInterval(watch);
        resolve();
        if (this.#worker !== worker) return;
        this.#worker = undefined;
        const error = new Error('the thread that writes activity has ended', { cause });
        for (const answered of this.#unanswered.splice(0)) answered.reject(error);
      });
    });
    this.#ended = Promise.all([this.#ended, exit]);
    return worker;
  }

  #endIfIdle(worker: Worker): void {
    if (this.#isIdle && this.#unanswered.length === 0 && this.#worker === worker) {
      // What is asked for from now on is for another thread.
      this.#worker = undefined;
      worker.postMessage(END satisfies ToWriter);
    }
    this.#isIdle = true;
  }
}
