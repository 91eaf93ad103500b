/** Ranges of days as ranges of instants. */
import { expect, it } from 'vitest';
import { spanOfDays } from './texts.ts';

it.each([
  [{}, {}],
  [{ dateFrom: '2026-03-02' }, { since: '2026-03-02T00:00:00.000Z' }],
  [{ dateTo: '2026-02-28' }, { until: '2026-03-01T00:00:00.000Z' }],
  [
    { dateFrom: '0000-01-01', dateTo: '9999-12-30' },
    { since: '0000-01-01T00:00:00.000Z', until: '9999-12-31T00:00:00.000Z' },
  ],
  // The day after has no text that could be compared.
  [{ dateTo: '9999-12-31' }, {}],
])('the days %j are the instants %j', (days, instants) => {
  expect(spanOfDays(days)).toEqual(instants);
});
