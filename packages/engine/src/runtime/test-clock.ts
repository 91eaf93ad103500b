/** Moves the test clock ahead, and runs all work that becomes due on the way. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, Position } from '@counterfoil/core';
import { type Progress, ReadModelError } from '@counterfoil/projections';
import { type Refused, refused } from '../refusal.ts';
import type { MovableClock } from './clock.ts';
import type { FollowerProgress } from './follower-progress.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import type { TimedWork, TimedWorks } from './timed-work.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The longest move: ten years of 365.25 days. */
export const MAX_MOVE_SECONDS = 315_576_000;
const MAX_MOVE_YEARS = 10;
/** Years have four digits: instants are compared as text. */
const END_OF_TIME_MS = Date.parse('9000-01-01T00:00:00.000Z');

/**
 * Work due within a step runs when the clock has reached its end, but as of its own due time; so a
 * year takes a few hundred steps.
 */
const STEPS_A_MOVE = 200;
const SHORTEST_STEP_MS = MINUTE_MS;
const LONGEST_STEP_MS = DAY_MS;

/** Bounds the rounds of a step: an endless loop ends in an error. */
const MAX_ROUNDS = 10_000;
/** Consecutive rounds without progress, while other processes write. */
const MAX_ALIKE = 100;
/** Bounds the wait for the head while other processes write. */
const MAX_LOOKS = 100;
/** Longer than read models and reactors need for the events of a round. */
const SETTLE_MS = 60_000;
const READY_PAUSE_MS = 50;

export interface TestClockOptions {
  readonly clock: MovableClock;
  readonly timed: TimedWorks;
  readonly events: Pick<EventStore, 'head'>;
  readonly progress: Progress;
  readonly followers: FollowerProgress;
}

/** The target: an instant, or an offset from the start of the move. */
export type Destination = { readonly toMs: number } | { readonly byMs: number };

export interface Moved {
  readonly now: string;
  /** How many times the clock stopped to run due work. */
  readonly steps: number;
  /** Work that is still due although nothing failed. It is retried. */
  readonly unfinished: readonly Unfinished[];
}

export interface Unfinished {
  readonly work: string;
  readonly dueAt: string;
}

interface MoveOptions {
  /** Progress callback, called after each step. */
  readonly onStep?: ((doneMs: number, totalMs: number) => void) | undefined;
}

export class TestClock {
  readonly #options: TestClockOptions;
  readonly #mutex = new KeyedMutex();
  readonly #stopping = new AbortController();
  #settledAt: Position | undefined;
  #target: string | undefined;

  constructor(options: TestClockOptions) {
    this.#options = options;
  }

  now(): string {
    return this.#options.clock.now();
  }

  /** How far the clock is ahead of the system's. */
  get aheadMs(): number {
    return this.#options.clock.aheadMs;
  }

  /** The target of the current move. */
  get movingTo(): string | undefined {
    return this.#target;
  }

  /**
   * Moves the clock, one caller at a time; resolves when all due work has run. Not cancelled when the
   * caller disconnects. A failure or crash leaves the clock at the last step; the next move starts
   * with the work due there.
   */
  async move(destination: Destination, { onStep }: MoveOptions = {}): Promise<Moved> {
    return this.#mutex.runExclusive('move', async () => {
      const fromMs = this.#nowMs();
      const targetMs = 'toMs' in destination ? destination.toMs : fromMs + destination.byMs;
      checkTarget(fromMs, targetMs, this.now());
      this.#target = new Date(targetMs).toISOString();
      try {
        return await this.#move(fromMs, targetMs, onStep);
      } finally {
        this.#target = undefined;
      }
    });
  }

  /** Stops a move at its current step, refuses new ones, and stores the clock's time. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#mutex.runExclusive('move', async () => {
      // The clock has advanced since, and must not go back after a restart.
      if (this.aheadMs > 0) this.#options.clock.moveTo(this.#nowMs());
    });
  }

  async #move(fromMs: number, targetMs: number, onStep: MoveOptions['onStep']): Promise<Moved> {
    const totalMs = targetMs - fromMs;
    const widthMs = Math.min(
      Math.max(Math.ceil(totalMs / STEPS_A_MOVE), SHORTEST_STEP_MS),
      LONGEST_STEP_MS,
    );
    let unfinished = await this.#doDue();
    let steps = 0;
    while (this.#nowMs() < targetMs) {
      this.#expectToGoOn();
      const nextMs = await this.#nextDueMs();
      const stepMs = Math.max(nextMs, this.#nowMs() + widthMs);
      const toMs = Math.min(stepMs, targetMs);
      unfinished = await this.#options.clock.step(toMs, () => this.#doDue());
      steps += 1;
      onStep?.(Math.min(this.#nowMs() - fromMs, totalMs), totalMs);
    }
    return { now: this.now(), steps, unfinished };
  }

  #nowMs(): number {
    return Date.parse(this.now());
  }

  /** Runs due work, and work that becomes due by it; returns work that is still due. */
  async #doDue(): Promise<readonly Unfinished[]> {
    let before: { readonly head: Position | undefined; readonly list: string } | undefined;
    let alike = 0;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      await this.#settled();
      const due = await this.#due();
      const left = due.map(({ work, dueAt }) => ({ work: work.name, dueAt }));
      const head = this.#settledAt;
      const list = JSON.stringify(left);
      alike = list === before?.list ? alike + 1 : 0;
      // The round changed nothing, so another one would not either.
      const isIdle = alike > 0 && head === before?.head;
      if (left.length === 0 || isIdle || alike === MAX_ALIKE) return left;
      before = { head, list };
      for (const { work } of due) {
        this.#expectToGoOn();
        await this.#options.timed.run(work);
      }
    }
    throw new Error(`timed work was due after ${MAX_ROUNDS} rounds at one instant`);
  }

  async #due(): Promise<readonly { readonly work: TimedWork; readonly dueAt: string }[]> {
    const due: { work: TimedWork; dueAt: string }[] = [];
    for (const work of this.#options.timed.works) {
      const dueAt = await this.#nextDueAt(work);
      if (dueAt !== undefined && dueAt <= this.now()) due.push({ work, dueAt });
    }
    return due;
  }

  /** The earliest future due time; infinity when there is none. */
  async #nextDueMs(): Promise<number> {
    const nowMs = this.#nowMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const work of this.#options.timed.works) {
      const dueAt = await this.#nextDueAt(work);
      if (dueAt === undefined) continue;
      // Unfinished work hides the next due time of its kind, so the clock goes on in small steps.
      nextMs = Math.min(nextMs, Math.max(Date.parse(dueAt), nowMs));
    }
    return nextMs;
  }

  /** Waits for read models that are being built. */
  async #nextDueAt(work: TimedWork): Promise<string | undefined> {
    for (let waitedMs = 0; ; waitedMs += READY_PAUSE_MS) {
      try {
        return await work.nextDueAt();
      } catch (error) {
        if (!(error instanceof ReadModelError) || error.code !== 'not-ready') throw error;
        if (waitedMs >= SETTLE_MS) throw this.#broken('The read models are still being built');
        this.#expectToGoOn();
        await sleep(READY_PAUSE_MS);
      }
    }
  }

  /** Waits until the read models and the reactors have processed the whole log. */
  async #settled(): Promise<void> {
    const { events, progress, followers } = this.#options;
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const head = await events.head();
      if (head === undefined || head === this.#settledAt) return;
      const limit = { timeoutMs: SETTLE_MS };
      // The reactors first: the read models must include what they write.
      const reached =
        (await followers.reached(head, limit)) && (await progress.reached(head, limit));
      if (!reached) throw this.#broken('The read models or the reactors are behind');
      this.#settledAt = head;
    }
  }

  #expectToGoOn(): void {
    if (this.#stopping.signal.aborted) throw this.#broken('The host is stopping');
  }

  #broken(reason: string): Refused {
    return refused({ type: 'ClockHeldUp', reason, now: this.now() });
  }
}

function checkTarget(fromMs: number, targetMs: number, now: string): void {
  if (targetMs < fromMs) throw refused({ type: 'ClockCannotGoBack', now });
  if (targetMs - fromMs > MAX_MOVE_SECONDS * SECOND_MS) {
    throw refused({ type: 'ClockMoveTooLong', now, maxYears: MAX_MOVE_YEARS });
  }
  if (targetMs > END_OF_TIME_MS) {
    throw refused({ type: 'ClockBeyondEnd', end: new Date(END_OF_TIME_MS).toISOString() });
  }
}
