/** The measurements of two commits for one row, pass by pass. */
import type { Results, RowResult } from '../harness/results.ts';
import { type Spread, spreadOf } from '../harness/rounds.ts';
import { figure } from '../report/numbers.ts';

/** Every pass must lose more than this before a row counts as slower. */
const TOLERANCE = 0.02;

/** One pass: both sides were measured directly after each other. */
export interface Pass {
  readonly base: RowResult;
  readonly here: RowResult;
}

export interface Compared {
  readonly id: string;
  readonly unit: string;
  readonly base: Spread;
  readonly here: Spread;
  /** This commit divided by base, over the passes; above 1 is faster, whatever the unit. */
  readonly speed: Spread;
  /** Slower in every pass, beyond the tolerance. */
  readonly isSlower: boolean;
}

export function compared(passes: readonly [Pass, ...Pass[]]): Compared {
  const [{ here }] = passes;
  const speed = spreadOf(passes.map(speedOf));
  return {
    id: here.id,
    unit: here.unit,
    base: spreadOf(passes.map(({ base }) => base.value)),
    here: spreadOf(passes.map((pass) => pass.here.value)),
    speed,
    isSlower: speed.largest < 1 - TOLERANCE,
  };
}

function speedOf({ base, here }: Pass): number {
  return here.better === 'higher' ? here.value / base.value : base.value / here.value;
}

/** The row of a run; throws the reported error if it failed. */
export function rowIn({ rows, failures }: Results, id: string): RowResult {
  const row = rows.find((one) => one.id === id);
  if (row !== undefined) return row;
  throw new Error(`${id} failed: ${failures.find((one) => one.id === id)?.error ?? 'no result'}`);
}

const HEAD = `| row | base | here | speed | spread | |
|---|---|---|---|---|---|`;

export function comparisonTable(rows: readonly Compared[]): string {
  const lines = rows.map(({ id, unit, base, here, speed, isSlower }) => {
    const cells = [
      `\`${id}\``,
      `${figure(base.median)} ${unit}`,
      `${figure(here.median)} ${unit}`,
      figure(speed.median),
      `${figure(speed.smallest)} to ${figure(speed.largest)}`,
      isSlower ? '**slower**' : '',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [HEAD, ...lines].join('\n');
}
