/** What callers may ask of settlements. */
import { z } from 'zod';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import { bounded, Day, Id, name, Uuid } from '../input/texts.ts';

const MAX_LIMIT = 100;
const MAX_GRACE_DAYS = 60;

export const SettlementImport = z.strictObject({
  merchantAccountId: Id,
  /** Live data when absent. */
  sandbox: z.boolean().optional(),
  /** Names the file within its account: the same name again completes or repeats its import. */
  name: name(200).optional(),
  /** A movement is missing in a file that ends so many days after it. Default: 3. */
  graceDays: z.int().min(0).max(MAX_GRACE_DAYS).optional(),
});
export type SettlementImport = z.input<typeof SettlementImport>;

export const PayoutSettlement = z.strictObject({
  merchantAccountId: Id,
  /** Live data when absent. */
  sandbox: z.boolean().optional(),
  /**
   * Payouts that were made on this day (GMT) or later, those with differences again. Default: what is new
   * since the last time, and of the last 35 days at first.
   */
  since: Day.optional(),
});
export type PayoutSettlement = z.input<typeof PayoutSettlement>;

export const SettlementsQuery = z.strictObject({
  /** Live data when absent. */
  sandbox: z.boolean().optional(),
  /** All of the tenant's when absent. */
  merchantAccountId: Id.optional(),
  limit: z.int().min(1).max(MAX_LIMIT),
  /** `next` of the page before. */
  after: mayHoldCardNumber(bounded(1_000)).optional(),
});
export type SettlementsQuery = z.input<typeof SettlementsQuery>;

export const UnmatchedQuery = SettlementsQuery.extend({
  /** Found by this import; by any when absent. */
  settlementId: Uuid.optional(),
});
export type UnmatchedQuery = z.input<typeof UnmatchedQuery>;

/** Bytes, as a request or a file gives them. */
export const Content = z.custom<AsyncIterable<Uint8Array>>(
  (given) => typeof given === 'object' && given !== null && Symbol.asyncIterator in given,
  'must be an AsyncIterable of bytes',
);

export const SandboxOnly = z.strictObject({ sandbox: z.boolean().optional() });
