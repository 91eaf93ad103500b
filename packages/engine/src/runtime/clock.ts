/** The present, for everything that waits: the system's clock, or one that a test may move forward. */
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

/** The host's clock: the only source of the present. */
export interface Clock {
  /** ISO 8601, GMT, with milliseconds. */
  now(): string;
}

/** Asked many times in a request; the text of one millisecond is made once. */
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
 * The clock that a configuration asks for. Throws a ConfigError for a folder in which it is later
 * already: what was put off to then would wait for years.
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
 * What time it is in a data folder, in milliseconds, for those who look at it without a host; the
 * system's where the file of a test clock says nothing, which is `problem` then.
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

/** A clock that goes on by itself like the system's, and that may be set ahead of it. */
export interface MovableClock extends Clock {
  /** How far it is ahead of the system's clock. */
  readonly aheadMs: number;
  /**
   * Sets it to an instant, or to the present where that is past by it: it goes on by itself between a
   * look and a move. What it reaches is kept before anybody sees it.
   */
  moveTo(instantMs: number): void;
}

export function isMovable(clock: Clock): clock is MovableClock {
  return 'moveTo' in clock;
}

export interface TestClockOptions {
  /** Where the offset is kept; in memory when absent. */
  readonly path?: string;
  /** The system's clock, in milliseconds. */
  readonly systemNow?: () => number;
}

/** What is kept: the offset, and the latest instant that the clock is known to have shown. */
const Kept = z.strictObject({ aheadMs: z.int().nonnegative(), reachedMs: z.int().nonnegative() });
type Kept = z.output<typeof Kept>;

export function testClockFileIn(dataDir: string): string {
  return join(dataDir, 'test-clock.json');
}

/**
 * Opens the clock of a test environment. It never goes back: not when the system's clock does, and
 * not over a restart. Throws a ConfigError when its file cannot be made out.
 */
export function openTestClock({ path, systemNow = Date.now }: TestClockOptions): MovableClock {
  const kept = path === undefined ? undefined : keptClock(path);
  let aheadMs = kept?.aheadMs ?? 0;
  let reachedMs = kept?.reachedMs ?? 0;
  const nowMs = () => {
    reachedMs = Math.max(reachedMs, systemNow() + aheadMs);
    return reachedMs;
  };
  return {
    now: textOf(nowMs),
    get aheadMs() {
      return aheadMs;
    },
    moveTo(instantMs) {
      const toMs = Math.max(instantMs, nowMs());
      const next: Kept = { aheadMs: Math.max(0, toMs - systemNow()), reachedMs: toMs };
      if (path !== undefined) keep(path, next);
      ({ aheadMs, reachedMs } = next);
    },
  };
}

/** Undefined where no test clock was moved. */
function keptClock(path: string): Kept | undefined {
  if (!existsSync(path)) return undefined;
  try {
    // Whoever reads a pipe waits for ever.
    if (!isFile(path)) throw new Error('not a file');
    return Kept.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new ConfigError([
      `${path} does not tell how far the test clock was moved: put it back from a copy of the folder, or start on an empty DATA_DIR`,
    ]);
  }
}

/** Durable before it is in force: a clock that was seen ahead is ahead after a loss of power. */
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
