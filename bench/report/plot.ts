/** Plots each ratio relative to its target, as SVG. */
import type { Results, RowResult } from '../harness/results.ts';
import { figure } from './numbers.ts';

const WIDTH = 960;
const LABELS = 300;
const FIGURES = 150;
const TOP = 84;
const LINE = 30;
const BOTTOM = 44;
const MET = '#1a7f4b';
const MISSED = '#c0392b';

/** A ratio as a multiple of its target: at 1 it is reached, above 1 exceeded. */
interface Mark {
  readonly label: string;
  readonly middle: number;
  readonly low: number;
  readonly high: number;
  readonly figure: string;
  readonly met: boolean;
}

export function plotOf(results: Results): string {
  const marks = results.rows.flatMap((row) =>
    Object.entries(row.reach).flatMap(([peer, aim]) =>
      aim === null ? [] : [markOf(row, peer, aim)],
    ),
  );
  const scale = scaleOf(marks);
  const height = TOP + marks.length * LINE + BOTTOM;
  const kind = `${results.quick ? 'quick run' : 'full run'}${results.partial ? ', some rows' : ''}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13">
<title>Ratios to the peers, as multiples of what they are to reach</title>
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
<text x="20" y="30" font-size="18" font-weight="600" fill="#1c2733">Counterfoil beside its peers</text>
<text x="20" y="52" fill="#5b6875">Each ratio as a multiple of what it is to reach: right of the line is met. Median of ${results.rounds} rounds, bar from smallest to largest; ${kind}.</text>
${scale.ticks.map((tick) => gridOf(tick, scale.at(tick), height)).join('\n')}
${marks.map((mark, index) => lineOf(mark, TOP + index * LINE + LINE / 2, scale.at)).join('\n')}
</svg>
`;
}

function markOf(row: RowResult, peer: string, aim: number): Mark {
  const multiple = (ratio: number) => (row.better === 'higher' ? ratio / aim : aim / ratio);
  const ratio = row.ratios[peer] ?? Number.NaN;
  const { smallest = ratio, largest = ratio } = row.spread[peer] ?? {};
  const ends = [multiple(smallest), multiple(largest)];
  return {
    label: `${row.id} / ${peer}`,
    middle: multiple(ratio),
    low: Math.min(...ends),
    high: Math.max(...ends),
    figure: `${figure(ratio)} (${row.better === 'higher' ? '≥' : '≤'} ${aim.toLocaleString('en')})`,
    met: row.met[peer] ?? false,
  };
}

/** Logarithmic: half and double are equally far from 1. */
function scaleOf(marks: readonly Mark[]) {
  const low = Math.log10(Math.min(0.5, ...marks.map((mark) => mark.low)) * 0.9);
  const high = Math.log10(Math.max(2, ...marks.map((mark) => mark.high)) * 1.1);
  const span = WIDTH - LABELS - FIGURES;
  const at = (value: number) => LABELS + (span * (Math.log10(value) - low)) / (high - low);
  const candidates = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1_000, 10_000];
  const ticks = candidates.filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high);
  return { at, ticks };
}

function gridOf(tick: number, x: number, height: number): string {
  const isAim = tick === 1;
  const bottom = height - BOTTOM + 6;
  return `<line x1="${round(x)}" x2="${round(x)}" y1="${TOP - 8}" y2="${bottom}" stroke="${isAim ? '#1c2733' : '#dfe4e8'}" stroke-width="${isAim ? 1.5 : 1}"/>
<text x="${round(x)}" y="${bottom + 18}" text-anchor="middle" fill="#5b6875">${isAim ? 'to reach' : `${tick}×`}</text>`;
}

function lineOf(mark: Mark, y: number, at: (value: number) => number): string {
  const color = mark.met ? MET : MISSED;
  return `<text x="${LABELS - 14}" y="${y + 4}" text-anchor="end" fill="#1c2733">${mark.label}</text>
<line x1="${round(at(mark.low))}" x2="${round(at(mark.high))}" y1="${y}" y2="${y}" stroke="${color}" stroke-width="6" stroke-linecap="round" opacity="0.3"/>
<circle cx="${round(at(mark.middle))}" cy="${y}" r="5.5" fill="${color}"/>
<text x="${WIDTH - 16}" y="${y + 4}" text-anchor="end" fill="${color}">${mark.figure} ${mark.met ? 'met' : 'missed'}</text>`;
}

function round(value: number): string {
  return value.toFixed(1);
}
