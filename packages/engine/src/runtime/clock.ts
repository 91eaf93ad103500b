/** The host's clock: the system's, or a test clock that can be moved forward. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ConfigError, type Settings } from '../settings.ts';
import { isFile } from '../storage/stores.ts';

const HOUR_MS = 3_600_000;

/** The only source of the current time. */
export interface Clock {
  /** ISO 8601, GMT, with milliseconds. */
  now(): string;
}

/** Called many times in a request: caches the text of a millisecond. */
function textOf(nowMs: () => number): () => string {
  let lastMs = Number.NaN;
  let text = '';
  return () => {
    const ms = nowMs();
    if (ms !== lastMs) {
      text = new Date(ms).toISOString();
      lastMs = ms;
    }
    return text;
  };
}

export function systemClock(): Clock {
  return { now: textOf(Date.now) };
}

/**
 * The configured clock. Throws a ConfigError for a folder whose test clock is ahead of the system
 * clock: work scheduled by it would wait for years.
 */
export function openClock(config: Settings): Clock {
  const path = testClockOf(config);
  if (config.testClock) return openTestClock(path === undefined ? {} : { path });
  const aheadMs = path === undefined ? 0 : (keptClock(path)?.aheadMs ?? 0);
  if (aheadMs === 0) return systemClock();
  throw new ConfigError([
    `TEST_CLOCK must be 1 for ${config.dataDir}: its clock was moved ${Math.ceil(aheadMs / HOUR_MS)} hours ahead`,
  ]);
}

/**
 * The current time in a data folder, in milliseconds, without opening a ledger. Falls back to the
 * system clock when the file of the test clock is unreadable; `problem` says why.
 */
export function presentIn(config: Settings): { readonly nowMs: number; readonly problem?: string } {
  const path = testClockOf(config);
  try {
    const kept = path === undefined ? undefined : keptClock(path);
    if (kept === undefined) return { nowMs: Date.now() };
    return { nowMs: Math.max(kept.reachedMs, Date.now() + kept.aheadMs) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { nowMs: Date.now(), problem: error.problems.join('; ') };
  }
}

/** The file of the test clock; undefined where the log is in memory. */
function testClockOf({ dataDir, eventStoreUrl }: Settings): string | undefined {
  return eventStoreUrl === 'memory:' ? undefined : testClockFileIn(dataDir);
}

/** A running clock that can be set ahead of the system's. */
export interface MovableClock extends Clock {
  /** How far it is ahead of the system's clock. */
  readonly aheadMs: number;
  /**
   * Sets the clock to an instant, or to its current time if that is later. The offset is durable before
   * the new time is visible.
   */
  moveTo(instantMs: number): void;
  /** Moves the clock, and runs what became due on the way. */
  step<Result>(instantMs: number, act: () => Promise<Result>): Promise<Result>;
  /**
   * During a step, runs `act` with the clock at an instant of that step: the start or the end where the
   * instant is before or after it. Otherwise at the present.
   */
  asOf<Result>(instant: string, act: () => Result): Result;
}

/** Runs work that became due by a step of a test clock at its due time; all other work at the present. */
export function atDueTime<Result>(clock: Clock, dueAt: string, act: () => Result): Result {
  return isMovable(clock) ? clock.asOf(dueAt, act) : act();
}

export function isMovable(clock: Clock): clock is MovableClock {
  return 'moveTo' in clock;
}

export interface TestClockOptions {
  /** The file of the offset; in memory when absent. */
  readonly path?: string;
  /** The system's clock, in milliseconds. */
  readonly systemNow?: () => number;
}

/** The offset, and the latest instant that the clock is known to have shown. */
const Kept = z.strictObject({ aheadMs: z.int().nonnegative(), reachedMs: z.int().nonnegative() });
type Kept = z.output<typeof Kept>;

export function testClockFileIn(dataDir: string): string {
  return join(dataDir, 'test-clock.json');
}

/**
 * Opens a test clock. It is monotonic, also when the system clock is set back and across restarts.
 * Throws a ConfigError when its file is unreadable.
 */
export function openTestClock({ path, systemNow = Date.now }: TestClockOptions): MovableClock {
  const kept = path === undefined ? undefined : keptClock(path);
  let aheadMs = kept?.aheadMs ?? 0;
  let reachedMs = kept?.reachedMs ?? 0;
  const nowMs = () => {
    reachedMs = Math.max(reachedMs, systemNow() + aheadMs);
    return reachedMs;
  };
  const moveTo = (instantMs: number) => {
    const toMs = Math.max(instantMs, nowMs());
    const next: Kept = { aheadMs: Math.max(0, toMs - systemNow()), reachedMs: toMs };
    if (path !== undefined) keep(path, next);
    ({ aheadMs, reachedMs } = next);
  };
  const present = textOf(nowMs);
  const shown = new AsyncLocalStorage<string>();
  let stepFromMs: number | undefined;
  return {
    now: () => shown.getStore() ?? present(),
    get aheadMs() {
      return aheadMs;
    },
    moveTo,
    async step(instantMs, act) {
      stepFromMs = nowMs();
      moveTo(instantMs);
      try {
        return await act();
      } finally {
        stepFromMs = undefined;
      }
    },
    asOf(instant, act) {
      if (stepFromMs === undefined) return act();
      const atMs = Math.min(Math.max(Date.parse(instant), stepFromMs), nowMs());
      return shown.run(new Date(atMs).toISOString(), act);
    },
  };
}

/** Undefined when no test clock was moved. */
function keptClock(path: string): Kept | undefined {
  if (!existsSync(path)) return undefined;
  try {
    // Reading a named pipe would block.
    if (!isFile(path)) throw new Error('not a file');
    return Kept.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new ConfigError([
      `${path} does not tell how far the test clock was moved: put it back from a copy of the folder, or start on an empty DATA_DIR`,
    ]);
  }
}

/** Durable before it takes effect: a time that was visible survives a power loss. */
function keep(path: string, kept: Kept): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const written = `${path}.new`;
  const file = openSync(written, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify(kept)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(written, path);
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
