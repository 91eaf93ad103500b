/** What callers may search transactions with. */
import { z } from 'zod';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import {
  bounded,
  CurrencyCode,
  Day,
  EmailText,
  IN_ORDER,
  inOrder,
  pattern,
  text,
} from '../input/texts.ts';

const MAX_ELEMENTS = 1_000;
const MAX_LIMIT = 100;

function listOf<Element extends z.ZodType>(element: Element) {
  return z.array(element).max(MAX_ELEMENTS).readonly().optional();
}

// Filter values are neither stored nor logged, and ids may have as many digits as a card.
const ids = listOf(mayHoldCardNumber(z.int()));
const reference = mayHoldCardNumber(text(255));

/** Where a page ended. */
const Anchor = mayHoldCardNumber(z.strictObject({ sort: z.number(), key: bounded(1_000) }));

export const SearchFilters = z.strictObject({
  emails: listOf(EmailText),
  orderIds: ids,
  transactionIds: listOf(text(255)),
  gatewayTransactionIds: listOf(reference),
  /** 6 digits match the first six of a bin, 8 digits all of one that was kept with eight. */
  bin: pattern(/^(\d{6}|\d{8})?$/, { max: 8, detail: 'must be 6 or 8 digits' }).optional(),
  last4: pattern(/^(\d{4})?$/, { max: 4, detail: 'must be 4 digits' }).optional(),
  firstName: text(200).optional(),
  lastName: text(200).optional(),
  authCodes: listOf(text(64)),
  currency: CurrencyCode.optional(),
  /** Days in GMT (`yyyy-MM-dd`) of `sent`, both included. */
  dateFrom: Day.optional(),
  dateTo: Day.optional(),
  descriptorContains: text(100).optional(),
  descriptor: text(100).optional(),
  /** Live when absent. */
  sandbox: z.boolean().optional(),
  applicationIds: ids,
  productIds: ids,
  campaignIds: ids,
  merchantAccountIds: ids,
  /** The merchant id, as the payment was routed. */
  mid: reference.optional(),
  companyIds: ids,
  subscriptionIds: ids,
  affiliateIds: ids,
  /** `amount` of the search record, in major units, matched exactly. */
  amounts: listOf(z.number()),
  /** What was asked of the card, in major units, matched exactly: finds payments alone. */
  askedAmounts: listOf(z.number()),
  arns: listOf(reference),
  /** Application kinds: 1 to 5 for payments alone. */
  kinds: listOf(z.int()),
  /** The days also match the last refund, chargeback or alert, and what became of it. */
  includeUpdated: z.boolean().optional(),
});

export const SearchInput = SearchFilters.extend({
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
  pageNumber: z.int().min(1).max(1_000_000_000).optional(),
  /** The `end` of the previous page. */
  after: Anchor.optional(),
}).refine(inOrder, IN_ORDER);
export type Search = z.input<typeof SearchInput>;

/** All that a search finds, without pages. */
export const ExportInput = SearchFilters.refine(inOrder, IN_ORDER);
export type Export = z.input<typeof ExportInput>;

export const UnansweredInput = z.strictObject({
  /** Live data when absent. */
  sandbox: z.boolean().optional(),
  limit: z.int().min(1).max(MAX_LIMIT),
  /** `next` of the page before. */
  after: mayHoldCardNumber(bounded(1_000)).optional(),
});
export type Unanswered = z.input<typeof UnansweredInput>;
