/** What callers may ask the books of a tenant for. */
import { z } from 'zod';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import {
  bounded,
  CurrencyCode,
  DAYS_IN_ORDER,
  Day,
  daysInOrder,
  Id,
  Month,
  text,
} from '../input/texts.ts';

const MAX_LIMIT = 100;
/** Of a report of months. */
export const MAX_MONTHS = 120;
export const DEFAULT_MONTHS = 12;

export const BooksQuery = z.strictObject({
  /** Live books when absent. */
  sandbox: z.boolean().optional(),
  /** All of the tenant's when absent. */
  merchantAccountId: Id.optional(),
  /** All when absent. */
  currency: CurrencyCode.optional(),
});
export type BooksQuery = z.input<typeof BooksQuery>;

export const AccountsQuery = BooksQuery.extend({
  account: text(64).optional(),
  limit: z.int().min(1).max(MAX_LIMIT),
  /** `next` of the page before. */
  after: mayHoldCardNumber(bounded(1_000)).optional(),
});
export type AccountsQuery = z.input<typeof AccountsQuery>;

export const StatementQuery = BooksQuery.extend({
  merchantAccountId: Id,
  /** `yyyy-mm`, GMT. */
  month: Month,
});
export type StatementQuery = z.input<typeof StatementQuery>;

export const DisputeRateQuery = BooksQuery.omit({ currency: true }).extend({
  /** `yyyy-mm`, the first month and the last, both included. Default: the last twelve. */
  from: Month.optional(),
  to: Month.optional(),
});
export type DisputeRateQuery = z.input<typeof DisputeRateQuery>;

export const RecurringQuery = BooksQuery.omit({ merchantAccountId: true }).extend({
  /** `yyyy-mm`, the first month and the last, both included. Default: the last twelve. */
  from: Month.optional(),
  to: Month.optional(),
});
export type RecurringQuery = z.input<typeof RecurringQuery>;

/** The longest ranges, in days: of hours and of days. Of months it is that of the other reports. */
export const MAX_SALES_DAYS = { hour: 14, day: 400 } as const;

export const SalesQuery = BooksQuery.extend({
  unit: z.enum(['hour', 'day', 'month']),
  /** The first day and the last, both included, GMT. Of months only the months count. */
  from: Day,
  to: Day,
});
export type SalesQuery = z.input<typeof SalesQuery>;

export const PostingsQuery = BooksQuery.extend({
  account: text(64),
  currency: CurrencyCode,
  /** The first day and the last, both included, GMT; without end when absent. */
  from: Day.optional(),
  to: Day.optional(),
  limit: z.int().min(1).max(MAX_LIMIT),
  /** `end` of the page before. */
  after: mayHoldCardNumber(z.strictObject({ sort: z.number(), key: bounded(1_000) })).optional(),
}).refine(daysInOrder, DAYS_IN_ORDER);
export type PostingsQuery = z.input<typeof PostingsQuery>;
