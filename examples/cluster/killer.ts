/** Kills hosts and workers at random, and starts them again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '@counterfoil/test/dice';
import type { Member } from './member.ts';

/** Between one kill and the next. */
const LEAST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 4_000;
/** How long a killed one stays away. */
const MOST_AWAY_MS = 1_500;

export class Killer {
  readonly #members: readonly Member[];
  readonly #dice: Dice;
  /** Each starts again after a while, whatever happens to the others meanwhile. */
  readonly #returning = new Set<Promise<void>>();

  constructor(members: readonly Member[], dice: Dice) {
    this.#members = members;
    this.#dice = dice;
  }

  /** Until the signal; then all that were killed have been started again. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = LEAST_PAUSE_MS + this.#dice.roll(MOST_PAUSE_MS - LEAST_PAUSE_MS);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      await this.#killOne();
    }
    await Promise.all(this.#returning);
  }

  /** One that is at work, or, at times, one that is only just starting. */
  async #killOne(): Promise<void> {
    const isSparing = this.#dice.roll(4) > 0;
    const candidates = this.#members.filter(
      (member) => member.isRunning && (member.isAtWork || !isSparing),
    );
    const member = candidates[this.#dice.roll(Math.max(1, candidates.length))];
    const awayMs = this.#dice.roll(MOST_AWAY_MS);
    if (member === undefined) return;
    await member.kill();
    const returning = sleep(awayMs).then(() => {
      member.start();
      this.#returning.delete(returning);
    });
    this.#returning.add(returning);
  }
}
