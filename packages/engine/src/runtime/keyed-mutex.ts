/** Per-key mutex, FIFO. */
import { refused } from '../refusal.ts';

export interface Mutex {
  runExclusive<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

export interface KeyedMutexOptions {
  /** How long a caller waits, in milliseconds. Unlimited when absent. */
  readonly longestWaitMs?: number;
}

/** Within one process. */
export class KeyedMutex implements Mutex {
  /** Waiting callers of each held key. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #longestWaitMs: number | undefined;

  constructor({ longestWaitMs }: KeyedMutexOptions = {}) {
    this.#longestWaitMs = longestWaitMs;
  }

  /** Refuses with `StreamBusy` after the longest wait; the work is then not started. */
  async runExclusive<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) this.#waiting.set(name, []);
    else await this.#turn(waiting);
    try {
      return await work();
    } finally {
      this.#release(name);
    }
  }

  /** Holds several keys at once. Undefined, and nothing is started, where one of them is held. */
  async tryExclusive<Result>(
    names: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    if (names.some((name) => this.#waiting.has(name))) return undefined;
    for (const name of names) this.#waiting.set(name, []);
    try {
      return await work();
    } finally {
      for (const name of names) this.#release(name);
    }
  }

  #release(name: string): void {
    const next = this.#waiting.get(name)?.shift();
    if (next === undefined) this.#waiting.delete(name);
    else next();
  }

  #turn(waiting: (() => void)[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.push(begin);
      if (this.#longestWaitMs === undefined) return;
      timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(refused({ type: 'StreamBusy' }));
      }, this.#longestWaitMs);
    });
  }
}
