/** Kills hosts and workers at random, and starts them again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '@counterfoil/test/dice';
import type { Member } from './member.ts';

/** Between one kill and the next. */
const LEAST_PAUSE_MS = 300;
const MOST_PAUSE_MS = 2_500;
/** How long a killed one stays away. */
const MOST_AWAY_MS = 1_500;
/** One in so many may hit a process that is only just starting. */
const ONE_IN_EARLY = 6;
/** One in so many may hit the last host, or the last worker, that is at work. */
const ONE_IN_LAST = 4;

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

  /** One that is at work, mostly; and mostly one that leaves another of its kind at work. */
  async #killOne(): Promise<void> {
    const [isEarly, isLast] = [
      this.#dice.roll(ONE_IN_EARLY) === 0,
      this.#dice.roll(ONE_IN_LAST) === 0,
    ];
    const candidates = this.#members.filter(
      (member) =>
        member.isRunning &&
        (member.isAtWork || isEarly) &&
        (isLast || this.#members.some((other) => isPeer(other, member) && other.isAtWork)),
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

function isPeer(other: Member, member: Member): boolean {
  return other !== member && other.role === member.role;
}
