/** Lists as Stripe pages them: newest first, `starting_after`, `ending_before`, `limit`, `created`. */
import { either, integer, object, text } from './params.ts';
import { invalidRequest, missing } from './refusal.ts';
import type { Call } from './route.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

const range = object({ gt: integer, gte: integer, lt: integer, lte: integer });

export const paging = { limit: integer, starting_after: text, ending_before: text };
export const timeRange = either(range, integer);

export interface TimeRange {
  readonly gt?: number | undefined;
  readonly gte?: number | undefined;
  readonly lt?: number | undefined;
  readonly lte?: number | undefined;
}

export interface Page {
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
}

export function within(time: number, given: TimeRange | number | undefined): boolean {
  if (given === undefined) return true;
  if (typeof given === 'number') return time === given;
  const { gt, gte, lt, lte } = given;
  return (
    (gt === undefined || time > gt) &&
    (gte === undefined || time >= gte) &&
    (lt === undefined || time < lt) &&
    (lte === undefined || time <= lte)
  );
}

/** @param rows - All that match, newest first. @param all - Where cursors may point, newest first. */
export function listOf<T extends { id: string }>(
  call: Call,
  rows: readonly T[],
  all: readonly T[],
  page: Page,
): object {
  const limit = limitOf(page.limit);
  const { starting_after: after, ending_before: before } = page;
  const places = new Map(all.map((row, place) => [row.id, place]));
  const placeOf = (id: string, param: string): number => {
    const place = places.get(id);
    if (place === undefined) throw missing('object', id, param, 400);
    return place;
  };
  let data: readonly T[];
  let hasMore: boolean;
  if (before !== undefined) {
    const end = placeOf(before, 'ending_before');
    const newer = rows.filter((row) => placeOf(row.id, 'ending_before') < end);
    data = newer.slice(-limit);
    hasMore = newer.length > limit;
  } else {
    const start = after === undefined ? -1 : placeOf(after, 'starting_after');
    const older = rows.filter((row) => placeOf(row.id, 'starting_after') > start);
    data = older.slice(0, limit);
    hasMore = older.length > limit;
  }
  return { object: 'list', data, has_more: hasMore, url: call.path };
}

export function limitOf(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (limit < 1 || limit > MAX_LIMIT) {
    throw invalidRequest(`This value must be between 1 and ${MAX_LIMIT}.`, { param: 'limit' });
  }
  return limit;
}
