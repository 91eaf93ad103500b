/** Moves of the test clock: steps, order, unfinished work, and stopping. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Position } from '@counterfoil/core';
import { Progress, ReadModelError } from '@counterfoil/projections';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '../logger.ts';
import { type MovableClock, openTestClock } from './clock.ts';
import { FollowerProgress } from './follower-progress.ts';
import { TestClock } from './test-clock.ts';
import { type TimedWork, TimedWorks } from './timed-work.ts';

const BEGIN_MS = Date.parse('2026-03-01T12:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const POLLING = { timeout: 10_000, interval: 5 };

/** Work at given instants. Records when each was done. */
class Agenda implements TimedWork {
  readonly name: string;
  readonly done: { readonly dueMs: number; readonly atMs: number }[] = [];
  waiting: number[];
  /** The limit of a round. */
  atOnce = Number.POSITIVE_INFINITY;
  fault: Error | undefined;
  gate: Promise<void> | undefined;
  /** Due times that the work adds. */
  follows: (dueMs: number) => readonly number[] = () => [];
  readonly #bench: Bench;

  constructor(bench: Bench, name: string, waiting: readonly number[]) {
    this.#bench = bench;
    this.name = name;
    this.waiting = [...waiting];
  }

  async nextDueAt(): Promise<string | undefined> {
    const { readyAfter } = this.#bench;
    if (readyAfter > 0) {
      this.#bench.readyAfter -= 1;
      throw new ReadModelError('not-ready', 'there is no live build yet');
    }
    const next = Math.min(...this.waiting);
    return Number.isFinite(next) ? new Date(next).toISOString() : undefined;
  }

  async runDue(): Promise<void> {
    await this.gate;
    if (this.fault !== undefined) throw this.fault;
    const atMs = Date.parse(this.#bench.clock.now());
    const due = this.waiting.filter((dueMs) => dueMs <= atMs).toSorted((a, b) => a - b);
    for (const dueMs of due.slice(0, this.atOnce)) {
      this.waiting.splice(this.waiting.indexOf(dueMs), 1);
      this.waiting.push(...this.follows(dueMs));
      this.done.push({ dueMs, atMs });
      this.#bench.writes();
    }
  }
}

/** A test clock on a fixed system clock, and a log with read models and reactors. */
class Bench {
  readonly clock: MovableClock;
  readonly works: Agenda[] = [];
  readonly progress = new Progress();
  readonly followers = new FollowerProgress();
  /** How many queries fail because the read models are not built yet. */
  readyAfter = 0;
  /** Whether read models and reactors follow at once. */
  follows = true;
  head: Position | undefined;
  /** Whether another process writes at every look. */
  isBusy = false;
  #events = 0;

  constructor(clock: MovableClock = openTestClock({ systemNow: () => BEGIN_MS })) {
    this.clock = clock;
  }

  open(...agendas: readonly (readonly number[])[]): TestClock {
    this.works.push(...agendas.map((waiting, index) => new Agenda(this, `work-${index}`, waiting)));
    const logger = silentLogger;
    const timed = new TimedWorks({ works: this.works, intervalMs: 1_000, logger });
    const test = new TestClock({
      clock: this.clock,
      timed,
      events: {
        head: async () => {
          if (this.isBusy) this.writes();
          return this.head;
        },
      },
      progress: this.progress,
      followers: this.followers,
    });
    onTestFinished(() => test.stop());
    return test;
  }

  writes(): void {
    this.#events += 1;
    this.head = String(this.#events).padStart(16, '0') as Position;
    if (this.follows) this.followed();
  }

  followed(): void {
    if (this.head !== undefined) this.followers.report('reactor', this.head);
    this.readModelsFollowed();
  }

  readModelsFollowed(): void {
    const { head } = this;
    if (head === undefined) return;
    this.progress.receive({ type: 'caught-up-to', position: head, events: 1, behindMs: 0 });
  }
}

describe('a move', () => {
  it('stands still at the instants at which something is due, and does it there', async () => {
    const bench = new Bench();
    const dues = [3 * DAY, 40 * DAY, 41 * DAY + HOUR, 100 * DAY].map((ms) => BEGIN_MS + ms);
    const test = bench.open(dues);
    const moved = await test.move({ byMs: 100 * DAY });
    expect(bench.works[0]?.done).toEqual(dues.map((dueMs) => ({ dueMs, atMs: dueMs })));
    const now = new Date(BEGIN_MS + 100 * DAY).toISOString();
    expect(moved).toEqual({ now, steps: 4, unfinished: [] });
  });

  it('does not run work that is due a millisecond later', async () => {
    const bench = new Bench();
    const test = bench.open([BEGIN_MS + DAY]);
    await test.move({ toMs: BEGIN_MS + DAY - 1 });
    expect(bench.works[0]?.done).toEqual([]);
    await test.move({ byMs: 1 });
    expect(bench.works[0]?.done).toEqual([{ dueMs: BEGIN_MS + DAY, atMs: BEGIN_MS + DAY }]);
  });

  it('does first what is due where it begins', async () => {
    const bench = new Bench();
    const test = bench.open([BEGIN_MS - HOUR]);
    expect(await test.move({ byMs: 0 })).toMatchObject({ steps: 0 });
    expect(bench.works[0]?.done).toEqual([{ dueMs: BEGIN_MS - HOUR, atMs: BEGIN_MS }]);
  });

  it('does all of a long list at one instant, and what doing it makes due', async () => {
    const bench = new Bench();
    const test = bench.open(Array.from({ length: 20 }, () => BEGIN_MS + DAY));
    const [work] = bench.works as [Agenda];
    work.atOnce = 3;
    work.follows = (dueMs) => (dueMs === BEGIN_MS + DAY ? [dueMs + 1] : []);
    await test.move({ byMs: 2 * DAY });
    expect(work.done).toHaveLength(40);
    expect(work.waiting).toEqual([]);
  });

  it('takes a few hundred steps for a year of work at every minute', async () => {
    const bench = new Bench();
    const minutes = Array.from({ length: 5_000 }, (_, index) => BEGIN_MS + index * 100 * MINUTE);
    const test = bench.open(minutes);
    const { steps } = await test.move({ byMs: 365 * DAY });
    expect(steps).toBeLessThanOrEqual(400);
    expect(bench.works[0]?.done).toHaveLength(5_000);
    for (const { dueMs, atMs } of bench.works[0]?.done ?? []) {
      expect(atMs - dueMs).toBeGreaterThanOrEqual(0);
      expect(atMs - dueMs).toBeLessThanOrEqual(DAY);
    }
  });

  it('leaves no due work behind', async () => {
    const dues = fc.array(fc.integer({ min: -DAY, max: 400 * DAY }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(dues, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(200 * DAY), { minLength: 1, maxLength: 4 }),
        async (agendas, moves) => {
          const bench = new Bench();
          const test = bench.open(...agendas.map((list) => list.map((ms) => BEGIN_MS + ms)));
          let toMs = BEGIN_MS;
          for (const byMs of moves) {
            toMs += byMs;
            const { now, unfinished } = await test.move({ byMs });
            expect({ now, unfinished }).toEqual({
              now: new Date(toMs).toISOString(),
              unfinished: [],
            });
            for (const { waiting, done } of bench.works) {
              expect(waiting.filter((dueMs) => dueMs <= toMs)).toEqual([]);
              for (const { dueMs, atMs } of done) {
                expect(atMs >= dueMs && atMs <= dueMs + DAY).toBe(true);
              }
            }
          }
          for (const [index, list] of agendas.entries()) {
            const due = list.filter((ms) => BEGIN_MS + ms <= toMs).length;
            expect(bench.works[index]?.done).toHaveLength(due);
          }
        },
      ),
    );
  });

  it('waits until the read models and the reactors have followed', async () => {
    const bench = new Bench();
    const test = bench.open([BEGIN_MS + HOUR], [BEGIN_MS + 2 * HOUR]);
    bench.follows = false;
    bench.followers.report('reactor', undefined);
    let isOver = false;
    const moving = test.move({ byMs: DAY }).then(() => {
      isOver = true;
    });
    await vi.waitUntil(() => bench.works[0]?.done.length === 1, POLLING);
    expect({ isOver, second: bench.works[1]?.done }).toEqual({ isOver: false, second: [] });
    expect(test.movingTo).toBe(new Date(BEGIN_MS + DAY).toISOString());
    bench.readModelsFollowed();
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    expect({ isOver, second: bench.works[1]?.done }).toEqual({ isOver: false, second: [] });
    bench.follows = true;
    bench.followed();
    await moving;
    expect(bench.works[1]?.done).toHaveLength(1);
    expect(test.movingTo).toBeUndefined();
  });

  it('waits for read models that are being built', async () => {
    const bench = new Bench();
    const test = bench.open([BEGIN_MS + HOUR]);
    bench.readyAfter = 3;
    await test.move({ byMs: DAY });
    expect(bench.works[0]?.done).toHaveLength(1);
  });

  it('reports unfinished work, and goes on', async () => {
    const bench = new Bench();
    const stuck = BEGIN_MS + HOUR;
    const test = bench.open([stuck], [BEGIN_MS + 30 * DAY]);
    const [work] = bench.works as [Agenda, Agenda];
    work.atOnce = 0;
    const { unfinished } = await test.move({ byMs: 60 * DAY });
    expect(unfinished).toEqual([{ work: 'work-0', dueAt: new Date(stuck).toISOString() }]);
    expect(bench.works[1]?.done).toHaveLength(1);
    work.atOnce = 1;
    expect(await test.move({ byMs: 0 })).toMatchObject({ unfinished: [] });
  });

  it('ends although others keep writing and some work stays unfinished', async () => {
    const bench = new Bench();
    const test = bench.open([BEGIN_MS + HOUR], [BEGIN_MS + 30 * DAY]);
    const [work, other] = bench.works as [Agenda, Agenda];
    work.atOnce = 0;
    bench.isBusy = true;
    const { unfinished } = await test.move({ byMs: 31 * DAY });
    expect(unfinished.map((left) => left.work)).toEqual(['work-0']);
    expect(other.done).toHaveLength(1);
  });

  it('ends where a work fails, and the next one goes on from there', async () => {
    const bench = new Bench();
    const test = bench.open([BEGIN_MS + 10 * DAY], [BEGIN_MS + 20 * DAY]);
    const [work, later] = bench.works as [Agenda, Agenda];
    work.fault = new Error('the disk is full');
    await expect(test.move({ byMs: 30 * DAY })).rejects.toThrow('the disk is full');
    expect(test.now()).toBe(new Date(BEGIN_MS + 10 * DAY).toISOString());
    expect(test.movingTo).toBeUndefined();
    work.fault = undefined;
    await test.move({ byMs: 20 * DAY });
    expect([work.done.length, later.done.length]).toEqual([1, 1]);
  });

  it('runs one at a time', async () => {
    const bench = new Bench();
    const test = bench.open([BEGIN_MS + HOUR]);
    const moves = await Promise.all([test.move({ byMs: DAY }), test.move({ byMs: 2 * DAY })]);
    const after = [DAY, 3 * DAY].map((ms) => new Date(BEGIN_MS + ms).toISOString());
    expect(moves.map(({ now }) => now)).toEqual(after);
  });

  it('reports its progress', async () => {
    const bench = new Bench();
    const test = bench.open([BEGIN_MS + DAY]);
    const told: number[][] = [];
    await test.move({ byMs: 4 * DAY }, { onStep: (...step) => told.push(step) });
    expect(told).toEqual([
      [DAY, 4 * DAY],
      [4 * DAY, 4 * DAY],
    ]);
  });

  it.each([
    ['backwards', { toMs: BEGIN_MS - 1 }, 'ClockCannotGoBack'],
    ['more than ten years', { byMs: 315_576_000_001 }, 'ClockMoveTooLong'],
    ['beyond the years', { toMs: Date.parse('9999-01-01T00:00:00Z') }, 'ClockMoveTooLong'],
  ] as const)('does not go %s', async (_, destination, code) => {
    const bench = new Bench();
    const test = bench.open([]);
    await expect(test.move(destination)).rejects.toMatchObject({ code });
    expect(test.now()).toBe(new Date(BEGIN_MS).toISOString());
  });

  it('reaches the end of time in jumps of ten years, and no further', async () => {
    const bench = new Bench();
    const test = bench.open([]);
    const end = Date.parse('9000-01-01T00:00:00.000Z');
    while (end - Date.parse(test.now()) > 315_576_000_000)
      await test.move({ byMs: 315_576_000_000 });
    await test.move({ toMs: end });
    await expect(test.move({ byMs: 1 })).rejects.toMatchObject({ code: 'ClockBeyondEnd' });
    expect(test.now()).toBe('9000-01-01T00:00:00.000Z');
  });
});

describe('a stop', () => {
  it('ends a move at the step it is at, and lets none begin', async () => {
    const bench = new Bench();
    const test = bench.open([DAY, 10 * DAY, 20 * DAY].map((ms) => BEGIN_MS + ms));
    const [work] = bench.works as [Agenda];
    const { promise, resolve } = Promise.withResolvers<void>();
    work.gate = promise;
    const moving = test.move({ byMs: 30 * DAY });
    const waiting = test.move({ byMs: DAY });
    await vi.waitUntil(() => Date.parse(test.now()) === BEGIN_MS + DAY, POLLING);
    const stopped = test.stop();
    resolve();
    await expect(moving).rejects.toMatchObject({ code: 'ClockHeldUp' });
    await expect(waiting).rejects.toMatchObject({ code: 'ClockHeldUp' });
    await stopped;
    expect(test.now()).toBe(new Date(BEGIN_MS + DAY).toISOString());
    // The current step was finished; the rest waits for the next start.
    expect(work.done).toEqual([{ dueMs: BEGIN_MS + DAY, atMs: BEGIN_MS + DAY }]);
    await expect(test.move({ byMs: DAY })).rejects.toThrow(/The host is stopping/);
  });

  it('keeps what the clock shows, for a system clock that is set back before the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-clock-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    let systemMs = BEGIN_MS;
    const options = { path: join(folder, 'test-clock.json'), systemNow: () => systemMs };
    const test = new Bench(openTestClock(options)).open([]);
    await test.move({ byMs: DAY });
    systemMs += 5 * HOUR;
    const shown = test.now();
    await test.stop();
    systemMs -= 8 * HOUR;
    expect(openTestClock(options).now()).toBe(shown);
  });
});
