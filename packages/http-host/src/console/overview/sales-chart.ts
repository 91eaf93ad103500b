/** The chart of sales as shapes of SVG, and the words for its numbers. */
import { currencyOf, nearestNumber } from '@counterfoil/core';
import type { TenantLedger } from '@counterfoil/engine';
import { scaleBand, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { shownMoney } from '../shown.ts';

type Sales = Awaited<ReturnType<TenantLedger['books']['sales']>>;
export type SalesCurrency = Sales['currencies'][number];
export type Period = SalesCurrency['periods'][number];

const WIDTH = 960;
const HEIGHT = 240;
/** The axis is beside the newest: a narrow page shows the end of the chart. */
const RIGHT = 904;
const BOTTOM = 28;
const TOP = 12;
const TICKS = 4;
const MAX_LABELS = 12;
/** Half as wide as the label of an hour: the first one of narrow bars would begin beyond the edge. */
const HALF_LABEL = 18;

interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly label: string;
}

export interface SalesChart {
  readonly width: number;
  readonly height: number;
  readonly captured: readonly Bar[];
  /** Refunded and charged back, below the line of nothing. */
  readonly returned: readonly Bar[];
  /** Captured in the time before, as a path. */
  readonly before: string;
  readonly zero: number;
  /** Where the bars end, and the axis begins. */
  readonly right: number;
  readonly ticks: readonly { readonly y: number; readonly text: string }[];
  readonly labels: readonly { readonly x: number; readonly text: string }[];
}

/** Amounts are only drawn here: what is beyond a double does not show. */
export function salesChart(
  { periods, currency }: SalesCurrency,
  before: readonly Period[],
): SalesChart {
  const names = periods.map(({ period }) => period);
  const captured = periods.map((each) => nearestNumber(each.captured));
  const returned = periods.map(
    (each) => nearestNumber(each.refunded) + nearestNumber(each.chargedBack),
  );
  const earlier = before.map((each) => nearestNumber(each.captured));
  const most = Math.max(1, ...captured, ...earlier);
  const least = Math.min(0, ...returned.map((each) => -each), ...captured);
  const y = scaleLinear([least, most], [HEIGHT - BOTTOM, TOP]).nice(TICKS);
  const x = scaleBand(names, [0, RIGHT]).padding(0.25);
  const decimals = currencyOf(currency)?.exponent ?? 0;
  const moneyOf = (value: number) => shownMoney(Math.abs(value).toFixed(decimals), currency);
  const barOf = (value: number, index: number, what: string): Bar => {
    const name = names[index] ?? '';
    const [high, low] = value > 0 ? [y(value), y(0)] : [y(0), y(value)];
    return {
      x: rounded(x(name) ?? 0),
      y: rounded(high),
      width: rounded(x.bandwidth()),
      height: rounded(low - high),
      label: `${shownPeriod(name)}: ${moneyOf(value)} ${what}`,
    };
  };
  const isShown = ({ height }: Bar) => height > 0;
  const path = line<number>()
    .x((_, index) => (x(names[index] ?? '') ?? 0) + x.bandwidth() / 2)
    .y((value) => y(value))
    .digits(1);
  const every = Math.ceil(names.length / MAX_LABELS);
  const labels = names
    .map((name) => ({
      x: rounded(Math.max(HALF_LABEL, (x(name) ?? 0) + x.bandwidth() / 2)),
      text: shortPeriod(name),
    }))
    .filter((_, index) => index % every === 0);
  return {
    width: WIDTH,
    height: HEIGHT,
    captured: captured.map((each, index) => barOf(each, index, 'captured')).filter(isShown),
    returned: returned.map((each, index) => barOf(-each, index, 'given back')).filter(isShown),
    before: earlier.some((each) => each !== 0) ? (path(earlier.slice(0, names.length)) ?? '') : '',
    zero: rounded(y(0)),
    right: RIGHT,
    ticks: y.ticks(TICKS).map((tick) => ({ y: rounded(y(tick)), text: compact(tick) })),
    labels,
  };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function compact(value: number): string {
  return COMPACT.format(value);
}

/** `2026-11-23T20` as `2026-11-23 20:00`. */
export function shownPeriod(period: string): string {
  return period.includes('T') ? `${period.replace('T', ' ')}:00` : period;
}

function shortPeriod(period: string): string {
  if (period.includes('T')) return `${period.slice('yyyy-mm-ddT'.length)}:00`;
  return period.length > 'yyyy-mm'.length ? period.slice('yyyy-'.length) : period;
}
