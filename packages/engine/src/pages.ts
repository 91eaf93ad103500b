/** Pages of lists that are in memory as a whole. */
import { z } from 'zod';
import { text } from './input/texts.ts';

const MAX_LIMIT = 100;

export const Listing = z.strictObject({
  /** Default: 100. */
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
  /** `next` of the page before. */
  after: text(64).optional(),
});
export type Listing = z.input<typeof Listing>;

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** A page in ascending order of the ids. */
export function pageOf<Item extends { readonly id: string | number }>(
  all: readonly Item[],
  { limit = MAX_LIMIT, after }: Listing,
): Page<Item> {
  const sorted = all.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const first = after === undefined ? 0 : sorted.findIndex((each) => isBeyond(each.id, after));
  if (first < 0) return { items: [] };
  const items = sorted.slice(first, first + limit);
  const last = items.at(-1);
  const isLast = first + limit >= sorted.length;
  return isLast || last === undefined ? { items } : { items, next: String(last.id) };
}

function isBeyond(id: string | number, after: string): boolean {
  return typeof id === 'number' ? id > Number(after) : id > after;
}
