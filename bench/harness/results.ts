/** The results of a run, as written to `latest.json`. */
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { isInMemory } from './disk.ts';
import type { Measured, Spread } from './rounds.ts';
import type { Row } from './stage.ts';

const BENCH = join(import.meta.dirname, '..');

export interface Range {
  readonly smallest: number;
  readonly largest: number;
}

export interface RowResult {
  readonly id: string;
  /** Median of the rounds, in `unit`. */
  readonly value: number;
  readonly unit: string;
  /** Median of own divided by the peer, by the name of the peer. */
  readonly ratios: Readonly<Record<string, number>>;
  /** Of `value` and of each ratio, over the rounds. */
  readonly spread: Readonly<Record<string, Range>>;
  readonly what: string;
  readonly better: Row['better'];
  readonly reach: Row['reach'];
  /** Whether each ratio reaches its target; null without a target. */
  readonly met: Readonly<Record<string, boolean | null>>;
  readonly durability: string;
  readonly seed: number;
  readonly data: Readonly<Record<string, string>>;
}

export interface Failure {
  readonly id: string;
  readonly error: string;
}

export interface Run {
  /** Smaller data and shorter rounds: not to be compared with a full run. */
  readonly quick: boolean;
  /** Only some rows were selected. */
  readonly partial: boolean;
  readonly rounds: number;
  readonly seed: number;
  readonly startedAt: Date;
  readonly results: readonly RowResult[];
  readonly failures: readonly Failure[];
}

export type Results = ReturnType<typeof resultsOf>;

export function rowResultOf(
  { row, value, ratios }: Measured,
  { seed, data }: Pick<RowResult, 'seed' | 'data'>,
): RowResult {
  const { id, unit, what, better, reach, durability } = row;
  const peers = Object.entries(ratios);
  const met = peers.map(([peer, { median }]) => {
    const aim = reach[peer] ?? null;
    if (aim === null) return [peer, null] as const;
    return [peer, better === 'higher' ? median >= aim : median <= aim] as const;
  });
  return {
    id,
    value: value.median,
    unit,
    ratios: Object.fromEntries(peers.map(([peer, { median }]) => [peer, median])),
    spread: Object.fromEntries(
      [['value', value] as const, ...peers].map(([of, one]) => [of, rangeOf(one)]),
    ),
    what,
    better,
    reach,
    met: Object.fromEntries(met),
    durability,
    seed,
    data,
  };
}

function rangeOf({ smallest, largest }: Spread): Range {
  return { smallest, largest };
}

export function resultsOf({ results, failures, startedAt, ...run }: Run) {
  return {
    ...run,
    startedAt: startedAt.toISOString(),
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1_000),
    machine: machine(),
    versions: versions(),
    rows: results,
    failures,
  };
}

function machine() {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? 'unknown',
    processors: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    disk: isInMemory(BENCH) ? 'memory: nothing was durable' : 'file system',
  };
}

/** Versions of the runtime and of all installed peers. */
function versions(): Record<string, string> {
  const { dependencies, optionalDependencies } = manifestOf(BENCH);
  const peers = Object.keys({ ...dependencies, ...optionalDependencies })
    .filter((name) => !name.startsWith('@counterfoil/'))
    .map((name) => [name, installedVersion(name)] as const);
  const { node, sqlite = 'unknown', v8 } = process.versions;
  const { version } = manifestOf(join(BENCH, '..'));
  return { counterfoil: version, node, sqlite, v8, ...Object.fromEntries(peers) };
}

function installedVersion(name: string): string {
  try {
    return manifestOf(join(BENCH, 'node_modules', name)).version;
  } catch {
    // Optional peers may be absent; their rows then report why.
    return 'not installed';
  }
}

interface Manifest {
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
