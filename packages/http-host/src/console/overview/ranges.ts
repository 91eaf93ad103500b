/** The days that the overview is about, and those before them. */
import type { SalesUnit } from '@counterfoil/projections';

export const DAY_MS = 86_400_000;
const DAY_LENGTH = 'yyyy-mm-dd'.length;
const MONTH_LENGTH = 'yyyy-mm'.length;
const MONTHS = 12;

/** How far hours and days reach back. */
export const DAYS = { hour: 2, day: 30 } as const;

/** Both days included, GMT. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/** Up to a day, and as long a time right before it. Of months they are twelve whole ones. */
export function rangesTo(
  to: string,
  by: SalesUnit,
): { readonly range: Range; readonly earlier: Range } {
  const upTo = by === 'month' ? monthsTo : (day: string) => daysTo(day, DAYS[by]);
  const range = upTo(to);
  return { range, earlier: upTo(dayAfter(range.from, -1)) };
}

/** The end of as long a time right after it, at most today; undefined where it ends today. */
export function laterTo(
  to: string,
  { by, today }: { readonly by: SalesUnit; readonly today: string },
): string | undefined {
  if (to >= today) return undefined;
  const later = by === 'month' ? yearAfter(to) : dayAfter(to, DAYS[by]);
  return later < today ? later : today;
}

/** The last day of the month a year later. */
function yearAfter(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return new Date(Date.UTC(year + 1, month, 0)).toISOString().slice(0, DAY_LENGTH);
}

function daysTo(to: string, days: number): Range {
  return { from: dayAfter(to, 1 - days), to };
}

function monthsTo(to: string): Range {
  const first = new Date(`${to.slice(0, MONTH_LENGTH)}-01T00:00:00.000Z`);
  first.setUTCMonth(first.getUTCMonth() + 1 - MONTHS);
  return { from: first.toISOString().slice(0, DAY_LENGTH), to };
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, DAY_LENGTH);
}
