/** Turns over all hosts of a database: one at a time for each name, wherever it is asked for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { refused } from '../refusal.ts';
import { Claims, type ClaimsOptions } from '../storage/claims.ts';
import { Turns, type TurnTaking } from './turns.ts';

/** Longer than a gateway's answer is waited for: who still waits then is told to come back. */
const LONGEST_WAIT_MS = 30_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

export interface SharedTurnsOptions extends ClaimsOptions {
  /** How long a turn is waited for, in milliseconds; 30 seconds when absent. */
  readonly longestWaitMs?: number;
}

/**
 * A turn is a claim that ends with its host. Within a process those who wait are in order of their
 * coming; between hosts whoever looks first goes on.
 */
export class SharedTurns implements TurnTaking {
  readonly #here = new Turns();
  readonly #claims: Claims;
  readonly #longestWaitMs: number;

  /** Over a database that has the tables of `openHostDatabase`, one connection of which is kept. */
  constructor({ longestWaitMs = LONGEST_WAIT_MS, ...claims }: SharedTurnsOptions) {
    this.#claims = new Claims(claims);
    this.#longestWaitMs = longestWaitMs;
  }

  /** Refuses with `PaymentBusy` when another host does not come to its end. */
  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const key = `turn ${name}`;
    return this.#here.take(name, async () => {
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
