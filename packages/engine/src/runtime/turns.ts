/** Per-key mutex, FIFO: whoever comes while another is at work waits for their turn. */
import { refused } from '../refusal.ts';

export interface TurnTaking {
  take<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

export interface TurnsOptions {
  /** How long a turn is waited for, in milliseconds; without an end when absent. */
  readonly longestWaitMs?: number;
}

/** Within one process. */
export class Turns implements TurnTaking {
  /** By name, while somebody is at work: those who wait. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #longestWaitMs: number | undefined;

  constructor({ longestWaitMs }: TurnsOptions = {}) {
    this.#longestWaitMs = longestWaitMs;
  }

  /** Refuses with `StreamBusy` when the turn does not come in time; the work is then not begun. */
  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) this.#waiting.set(name, []);
    else await this.#turn(waiting);
    try {
      return await work();
    } finally {
      const next = this.#waiting.get(name)?.shift();
      if (next === undefined) this.#waiting.delete(name);
      else next();
    }
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
