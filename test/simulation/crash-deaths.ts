/** The ways in which the kill test ends a host: at instants drawn from a seed, wherever it is then. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import type { KilledHost } from './killed-host.ts';
import type { Load } from './load.ts';

/** Each of them ends with SIGKILL. */
export type Way = 'under load' | 'while it stops' | 'while it starts';

const MOST_ANSWERS = 100;
const LONGEST_DELAY_MS = 20;
/** Shorter than an orderly end takes under load, mostly. */
const LONGEST_STOP_MS = 60;
/** Beyond the first look of the sweeper: by then the host has begun to settle what was left open. */
const LONGEST_START_MS = 1_800;

export class Deaths {
  readonly #host: KilledHost;
  readonly #dice: Dice;
  readonly counts: Record<Way, number> = {
    'under load': 0,
    'while it stops': 0,
    'while it starts': 0,
  };
  /** How often a host that got SIGTERM ended before the kill. */
  stopped = 0;

  constructor(host: KilledHost, dice: Dice) {
    this.#host = host;
    this.#dice = dice;
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Lets a host that is up die, and then, at times, those that come after it before they are up. */
  async next(load: Load): Promise<void> {
    await this.#underLoad(load);
    while (this.#dice.roll(3) === 0) await this.#whileItStarts();
  }

  /** After a drawn number of answers and some milliseconds more. */
  async #underLoad(load: Load): Promise<void> {
    const answers = 1 + this.#dice.roll(MOST_ANSWERS);
    const delayMs = this.#dice.roll(LONGEST_DELAY_MS);
    const stopMs = this.#dice.roll(4) === 0 ? this.#dice.roll(LONGEST_STOP_MS) : undefined;
    let death: Promise<void> | undefined;
    await load.run((count) => {
      if (count < answers) return;
      death ??= sleep(delayMs).then(() => this.#die(stopMs));
    });
    if (death === undefined) throw new Error('the host was gone before it was killed');
    await death;
  }

  async #die(stopMs: number | undefined): Promise<void> {
    if (stopMs !== undefined) {
      this.#host.beginStop();
      await sleep(stopMs);
    }
    const killed = await this.#host.kill();
    if (!killed) this.stopped += 1;
    else this.counts[stopMs === undefined ? 'under load' : 'while it stops'] += 1;
  }

  async #whileItStarts(): Promise<void> {
    this.#host.spawn();
    await sleep(this.#dice.roll(LONGEST_START_MS));
    if (!(await this.#host.kill())) throw new Error('the host ended while it was starting');
    this.counts['while it starts'] += 1;
  }
}
