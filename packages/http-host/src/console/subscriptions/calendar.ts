/** Months with the days that something falls on, as weeks from Monday to Sunday. All days are in GMT. */

const DAY_MS = 86_400_000;
const DAYS_OF_WEEK = 7;
const MONTH_LENGTH = 'yyyy-mm'.length;
const DAY_LENGTH = 'yyyy-mm-dd'.length;

interface CalendarDay {
  readonly day: number;
  /** What falls on it; none: an ordinary day. */
  readonly texts: readonly string[];
}

interface CalendarMonth {
  /** `2026-11`. */
  readonly month: string;
  readonly title: string;
  /** Undefined: of another month. */
  readonly weeks: readonly (readonly (CalendarDay | undefined)[])[];
}

interface Dated {
  readonly at: string;
  readonly text: string;
}

const TITLE = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The months that have something, in order. */
export function monthsOf(dated: readonly Dated[]): readonly CalendarMonth[] {
  const months = new Set(dated.map(({ at }) => at.slice(0, MONTH_LENGTH)));
  return [...months].toSorted().map((month) => monthOf(month, dated));
}

function monthOf(month: string, dated: readonly Dated[]): CalendarMonth {
  const first = new Date(`${month}-01T00:00:00.000Z`);
  const cells: (CalendarDay | undefined)[] = new Array(daysSinceMonday(first)).fill(undefined);
  for (let at = first; isoDay(at).startsWith(month); at = new Date(at.getTime() + DAY_MS)) {
    const texts = dated.filter((each) => each.at.startsWith(isoDay(at))).map(({ text }) => text);
    cells.push({ day: at.getUTCDate(), texts });
  }
  while (cells.length % DAYS_OF_WEEK > 0) cells.push(undefined);
  const weeks = Array.from({ length: cells.length / DAYS_OF_WEEK }, (_, week) =>
    cells.slice(week * DAYS_OF_WEEK, (week + 1) * DAYS_OF_WEEK),
  );
  return { month, title: TITLE.format(first), weeks };
}

function daysSinceMonday(date: Date): number {
  return (date.getUTCDay() + DAYS_OF_WEEK - 1) % DAYS_OF_WEEK;
}

function isoDay(date: Date): string {
  return date.toISOString().slice(0, DAY_LENGTH);
}
