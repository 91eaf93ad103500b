/** Controls the projections of the host: in a thread, or in-process for logs in memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Position } from '@counterfoil/core';
import { workerFile } from '@counterfoil/event-stores/sqlite';
import {
  PROJECTIONS,
  type Progress,
  type Projection,
  type ProjectionMessage,
  type Projector,
} from '@counterfoil/projections';
import type { PostgresReadModelStore } from '@counterfoil/projections/postgres';
import type { Logger } from '../../logger.ts';
import type { FromThread, ProjectionThreadData, ToThread } from './messages.ts';
import { type ProjectOptions, prepareProjector } from './project.ts';

/** Delay before a failed thread is restarted. */
const RESTART_MS = 1_000;
/** How long a shutdown waits for the projections to reach the head. */
const FLUSH_MS = 10_000;
/** How long a shutdown waits for an unresponsive thread, such as one blocked on a database. */
const STOP_MS = 10_000;

export interface Projecting {
  /** Whether the projections are following the log. */
  readonly running: boolean;
  /** Resolves when the read models answer queries, whichever worker prepared them. */
  readonly started: Promise<void>;
  /**
   * Applies the parked events of a stream: false when they fail again, undefined where this process does
   * not follow the projection at the moment.
   */
  retryParked(projection: string, stream: string): Promise<boolean | undefined>;
  /** Waits until the read models reach a position, then stops. */
  stop(position: Position | undefined): Promise<void>;
}

interface Options {
  readonly progress: Progress;
  readonly logger: Logger;
}

/** Handles messages of the projections. */
function receive({ progress, logger }: Options, message: FromThread): void {
  switch (message.type) {
    case 'started':
    case 'retried':
      return;
    case 'rebuilding':
      logger.debug(message.progress, 'rebuilding a read model');
      return;
    case 'parked':
      logger.error({ ...message }, 'a stream was parked: its events could not be applied');
      return;
    case 'erasing':
      logErasing(message.pending, logger);
      progress.receive(message);
      return;
    default:
      progress.receive(message);
  }
}

function logErasing(pending: number, logger: Logger): void {
  if (pending === 0) {
    logger.info({}, 'the read models hold no erased persons');
  } else {
    const what = 'read models may hold erased persons until a reader or a rebuild ends';
    logger.warn({ pending }, what);
  }
}

/** The entry file of the thread. Throws an Error when a bundle lacks it. */
export function projectionWorkerFile(): string {
  return workerFile(() => new URL('./projection-worker.ts', import.meta.url));
}

export class ProjectionThread implements Projecting {
  readonly #data: ProjectionThreadData;
  readonly #options: Options;
  readonly #started = Promise.withResolvers<void>();
  #worker: Worker;
  #ended: Promise<void>;
  #running = false;
  #stopping = false;

  constructor(data: ProjectionThreadData, options: Options) {
    this.#data = data;
    this.#options = options;
    [this.#worker, this.#ended] = this.#start();
    options.progress.onWait((position) => {
      const request: ToThread = { type: 'hurry', position };
      this.#worker.postMessage(request);
    });
  }

  get running(): boolean {
    return this.#running;
  }

  get started(): Promise<void> {
    return this.#started.promise;
  }

  #start(): [Worker, Promise<void>] {
    const { logger } = this.#options;
    const worker = new Worker(projectionWorkerFile(), {
      workerData: this.#data,
      name: 'projections',
    });
    worker.on('message', (message: FromThread) => {
      if (message.type !== 'rebuilding') this.#running = true;
      if (message.type === 'started') this.#started.resolve();
      receive(this.#options, message);
    });
    worker.on('error', (error) => logger.error({ err: error }, 'the projection thread failed'));
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        this.#running = false;
        resolve();
        if (!this.#stopping) setTimeout(() => this.#restart(), RESTART_MS);
      });
    });
    return [worker, ended];
  }

  #restart(): void {
    if (!this.#stopping) [this.#worker, this.#ended] = this.#start();
  }

  async retryParked(projection: string, stream: string): Promise<boolean | undefined> {
    if (!this.#running) return undefined;
    const worker = this.#worker;
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    const answered = (message: FromThread) => {
      if (message.type !== 'retried') return;
      if (message.projection === projection && message.stream === stream) resolve(message.freed);
    };
    const ended = () => resolve(undefined);
    worker.on('message', answered).once('exit', ended);
    const request: ToThread = { type: 'retry-parked', projection, stream };
    worker.postMessage(request);
    try {
      return await promise;
    } finally {
      worker.off('message', answered).off('exit', ended);
    }
  }

  async stop(position: Position | undefined): Promise<void> {
    this.#stopping = true;
    if (position !== undefined && this.#running) {
      await this.#options.progress.reached(position, { timeoutMs: FLUSH_MS });
    }
    const stop: ToThread = { type: 'stop' };
    this.#worker.postMessage(stop);
    // The next worker redoes uncommitted work.
    const tooLate = setTimeout(() => void this.#worker.terminate(), STOP_MS);
    await this.#ended;
    clearTimeout(tooLate);
  }
}

interface SharedReadModels {
  readonly store: PostgresReadModelStore;
  /** This host's worker, one of several that share a lease; undefined without one. */
  readonly own: Projecting | undefined;
  /** Whether the log was empty when this host started. */
  readonly isNew: boolean;
  /** Default: those of the ledger. */
  readonly projections?: readonly Projection[];
}

/** For read models shared by several hosts: their progress is read from the database. */
export class SharedProjections implements Projecting {
  readonly #own: Projecting | undefined;
  readonly #progress: Progress;
  readonly #stopping = new AbortController();
  readonly #following: Promise<void>;
  readonly #isNew: boolean;
  /** Resolved at once for a host without a worker. */
  readonly started: Promise<void>;

  constructor(
    { store, own, isNew, projections = PROJECTIONS }: SharedReadModels,
    progress: Progress,
  ) {
    this.#own = own;
    this.started = own?.started ?? Promise.resolve();
    this.#isNew = isNew;
    this.#progress = progress;
    const names = projections.map(({ name }) => name);
    const receive = (message: ProjectionMessage) => progress.receive(message);
    this.#following = store.followProgress(names, receive, this.#stopping.signal);
  }

  /** Without a worker, judged by the progress. See also `projection_behind_seconds`. */
  get running(): boolean {
    return this.#own?.running ?? (this.#isNew || this.#progress.position !== undefined);
  }

  async retryParked(projection: string, stream: string): Promise<boolean | undefined> {
    return this.#own?.retryParked(projection, stream);
  }

  /** Without a worker, does not wait for the read models: those of others continue. */
  async stop(position: Position | undefined): Promise<void> {
    if (position !== undefined && this.#own?.running) {
      await this.#progress.reached(position, { timeoutMs: FLUSH_MS });
    }
    this.#stopping.abort();
    await this.#following;
    await this.#own?.stop(undefined);
  }
}

/** The class provides the omitted options. */
type InProcessOptions = Options & Omit<ProjectOptions, 'signal' | 'notify'>;

/** For stores in memory, and for custom projections. */
export class ProjectionInProcess implements Projecting {
  readonly #options: InProcessOptions;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  readonly #started = Promise.withResolvers<void>();
  #projector: Projector | undefined;

  constructor(options: InProcessOptions) {
    this.#options = options;
    this.#ended = this.#repeat();
    options.progress.onWait((position) => this.#projector?.hurry(position));
  }

  get running(): boolean {
    return this.#projector !== undefined;
  }

  get started(): Promise<void> {
    return this.#started.promise;
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#run();
      } catch (error) {
        // A rebuild that is stopped throws.
        if (signal.aborted) return;
        this.#options.logger.error({ err: error }, 'the projections failed');
        await sleep(RESTART_MS, undefined, { signal }).catch(() => undefined);
      } finally {
        this.#projector = undefined;
      }
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const notify = (message: FromThread) => receive(this.#options, message);
    this.#projector = await prepareProjector({ ...this.#options, signal, notify });
    this.#started.resolve();
    await this.#projector.run();
  }

  async retryParked(projection: string, stream: string): Promise<boolean | undefined> {
    return this.#projector?.retryParked(projection, stream).catch(() => undefined);
  }

  async stop(position: Position | undefined): Promise<void> {
    if (position !== undefined && this.running) {
      await this.#options.progress.reached(position, { timeoutMs: FLUSH_MS });
    }
    this.#stopping.abort();
    await this.#ended;
  }
}
