/** What callers may ask the books of a tenant for. */
import { monthsIn } from '@counterfoil/projections';
import { z } from 'zod';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import { bounded, CurrencyCode, Id, Month, text } from '../input/texts.ts';

const MAX_LIMIT = 100;
const MAX_MONTHS = 120;

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

export const RecurringQuery = BooksQuery.omit({ merchantAccountId: true })
  .extend({
    /** `yyyy-mm`, the first month and the last, both included. */
    from: Month,
    to: Month,
  })
  .refine((range) => monthsIn(range) >= 1, { message: 'must not be after to', path: ['from'] })
  .refine((range) => monthsIn(range) <= MAX_MONTHS, {
    message: `must be at most ${MAX_MONTHS} months before to`,
    path: ['from'],
  });
export type RecurringQuery = z.input<typeof RecurringQuery>;
