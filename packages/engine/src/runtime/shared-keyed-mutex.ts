/** Per-key mutex across all hosts of a database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { refused } from '../refusal.ts';
import { Claims, type ClaimsOptions } from '../storage/claims.ts';
import { KeyedMutex, type Mutex } from './keyed-mutex.ts';

/** Longer than the timeout of a gateway call. */
const LONGEST_WAIT_MS = 30_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

export interface SharedKeyedMutexOptions extends ClaimsOptions {
  /** How long a caller waits, in milliseconds; 30 seconds when absent. */
  readonly longestWaitMs?: number;
}

/**
 * The lock is a claim that ends with its host. FIFO within a process; hosts poll without an order.
 */
export class SharedKeyedMutex implements Mutex {
  readonly #local = new KeyedMutex();
  readonly #claims: Claims;
  readonly #longestWaitMs: number;

  /** Needs the tables of `openHostDatabase`. Keeps one connection. */
  constructor({ longestWaitMs = LONGEST_WAIT_MS, ...claims }: SharedKeyedMutexOptions) {
    this.#claims = new Claims(claims);
    this.#longestWaitMs = longestWaitMs;
  }

  /** Refuses with `PaymentBusy` when another host holds the lock for too long. */
  async runExclusive<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const key = `turn ${name}`;
    return this.#local.runExclusive(name, async () => {
      await this.#claim(key);
      try {
        return await work();
      } finally {
        this.#claims.release(key);
      }
    });
  }

  async close(): Promise<void> {
    await this.#claims.close();
  }

  async #claim(key: string): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let waitedMs = 0; ; waitedMs += pauseMs) {
      const { is_mine } = await this.#claims.want({ key, fingerprint: '', nowMs: 0 });
      if (is_mine) return;
      if (waitedMs >= this.#longestWaitMs) {
        throw refused({ type: 'PaymentBusy' });
      }
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      await sleep(pauseMs);
    }
  }
}
