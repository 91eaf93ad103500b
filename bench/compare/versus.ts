/** The measurements of two commits for one row, pass by pass. */
import { type Spread, spreadOf } from '../harness/rounds.ts';
import type { Row } from '../harness/stage.ts';
import { figure } from '../report/numbers.ts';

/** Every pass must lose more than this before a row counts as slower. */
const TOLERANCE = 0.02;

/** One pass: both sides were measured directly after each other. In the unit of the row. */
export interface Pass {
  readonly base: number;
  readonly here: number;
}

export type ComparedRow = Pick<Row, 'id' | 'unit' | 'better'>;

export interface Compared extends ComparedRow {
  readonly base: Spread;
  readonly here: Spread;
  /** This commit divided by base, over the passes; above 1 is faster, whatever the unit. */
  readonly speed: Spread;
  /** Slower in every pass, beyond the tolerance. */
  readonly isSlower: boolean;
}

export function compared({ id, unit, better }: ComparedRow, passes: readonly Pass[]): Compared {
  const speed = spreadOf(
    passes.map(({ base, here }) => (better === 'higher' ? here / base : base / here)),
  );
  return {
    id,
    unit,
    better,
    base: spreadOf(passes.map(({ base }) => base)),
    here: spreadOf(passes.map(({ here }) => here)),
    speed,
    isSlower: speed.largest < 1 - TOLERANCE,
  };
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
