/** Kills hosts and workers at random, and starts them again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '@counterfoil/test/dice';
import type { Member } from './member.ts';

/** The pause between kills. */
const LEAST_PAUSE_MS = 300;
const MOST_PAUSE_MS = 2_500;
/** How long a killed process stays down. */
const MOST_AWAY_MS = 1_500;
/** One kill in this many may hit a process that is still starting. */
const ONE_IN_EARLY = 6;
/** One kill in this many may hit the last running host or worker. */
const ONE_IN_LAST = 4;

export class Killer {
  readonly #members: readonly Member[];
  readonly #dice: Dice;
  /** Pending restarts, independent of each other. */
  readonly #returning = new Set<Promise<void>>();

  constructor(members: readonly Member[], dice: Dice) {
    this.#members = members;
    this.#dice = dice;
  }

  /** Runs until the signal; then waits for all restarts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = LEAST_PAUSE_MS + this.#dice.roll(MOST_PAUSE_MS - LEAST_PAUSE_MS);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      await this.#killOne();
    }
    await Promise.all(this.#returning);
  }

  /** Kills a running process, usually one with a running peer. */
  async #killOne(): Promise<void> {
    const [isEarly, isLast] = [
      this.#dice.roll(ONE_IN_EARLY) === 0,
      this.#dice.roll(ONE_IN_LAST) === 0,
    ];
    const candidates = this.#members.filter(
      (member) =>
        member.hasStarted &&
        (member.hasStarted || isEarly) &&
        (isLast || this.#members.some((other) => isPeer(other, member) && other.hasStarted)),
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
