/** The dates of cycles: counted from an anchor, so that no delay, short month or leap day moves the next. */
import { divideHalfEven } from '../../kernel/money.ts';

export const DAY_MS = 86_400_000;
export const DAYS_OF_WEEK = 7;
const MONTHS_OF_YEAR = 12;

export const INTERVALS = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

/** How often a plan is charged. */
export interface Cadence {
  readonly interval: Interval;
  readonly intervalCount: number;
}

/** Cycle `anchorCycle` is due at `anchorAt`; the others follow from there. */
export interface Grid extends Cadence {
  readonly anchorCycle: number;
  readonly anchorAt: string;
  /** The day of the month that charges of calendar plans fall on, or the last of a shorter month. */
  readonly anchorDay: number;
}

/** When a cycle is due. */
export function dueAt(grid: Grid, cycle: number): string {
  const { anchorAt, anchorDay, intervalCount } = grid;
  const intervals = (cycle - grid.anchorCycle) * intervalCount;
  const days = daysOf(grid.interval);
  if (days !== undefined) return later(anchorAt, intervals * days);
  return monthsLater(anchorAt, intervals * monthsOf(grid.interval), anchorDay);
}

/** The cycle that runs at an instant: the last that is due by then. Before the anchor, an earlier one. */
export function cycleAt(grid: Grid, at: string): number {
  const { anchorCycle, anchorAt, interval, intervalCount } = grid;
  const days = daysOf(interval);
  if (days !== undefined) {
    const passedMs = Date.parse(at) - Date.parse(anchorAt);
    return anchorCycle + Math.floor(passedMs / (intervalCount * days * DAY_MS));
  }
  const months = monthIndexOf(at) - monthIndexOf(anchorAt);
  const cycle = anchorCycle + Math.floor(months / (intervalCount * monthsOf(interval)));
  // Within its month the date may still be to come.
  return dueAt(grid, cycle) > at ? cycle - 1 : cycle;
}

/** The days of the cycle that begins at a due date. */
export function daysOfCycle(grid: Grid, cycle: number): number {
  return (Date.parse(dueAt(grid, cycle + 1)) - Date.parse(dueAt(grid, cycle))) / DAY_MS;
}

/** The grid of a plan whose first cycle begins at an instant: that gives the day of the month. */
export function gridFrom({ interval, intervalCount }: Cadence, beginning: string): Grid {
  const anchorDay = dayOfMonth(beginning);
  return { interval, intervalCount, anchorCycle: 1, anchorAt: beginning, anchorDay };
}

/** The instant `days` times 24 hours later. */
export function later(instant: string, days: number): string {
  return new Date(Date.parse(instant) + days * DAY_MS).toISOString();
}

/** GMT. */
export function dayOfMonth(instant: string): number {
  return new Date(instant).getUTCDate();
}

/** Whether its cycles have the lengths of months or years. */
export function isOfCalendar({ interval }: Cadence): boolean {
  return daysOf(interval) === undefined;
}

/** Undefined for intervals of the calendar. */
function daysOf(interval: Interval): number | undefined {
  if (interval === 'day') return 1;
  return interval === 'week' ? DAYS_OF_WEEK : undefined;
}

function monthsOf(interval: Interval): number {
  return interval === 'year' ? MONTHS_OF_YEAR : 1;
}

/** So many months later, at the same time of the day `day`, or of the last of a shorter month. */
function monthsLater(instant: string, months: number, day: number): string {
  const date = new Date(instant);
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.toISOString();
}

function monthIndexOf(instant: string): number {
  const date = new Date(instant);
  return date.getUTCFullYear() * MONTHS_OF_YEAR + date.getUTCMonth();
}

/** Of the Gregorian calendar's 400 years. */
const MEAN_DAYS_OF_MONTH = { days: 146_097n, months: 4_800n };

/**
 * What a plan brings in a month on average: an amount for each cycle, over the months of a cycle. Days
 * and weeks are converted by the mean month of 30.436875 days. Rounded half to even.
 */
export function monthlyMinor(
  { interval, intervalCount }: Cadence,
  rebillAmountMinor: bigint,
): bigint {
  const days = daysOf(interval);
  if (days === undefined) {
    return divideHalfEven(rebillAmountMinor, BigInt(intervalCount * monthsOf(interval)));
  }
  const { days: meanDays, months } = MEAN_DAYS_OF_MONTH;
  return divideHalfEven(rebillAmountMinor * meanDays, months * BigInt(intervalCount * days));
}
