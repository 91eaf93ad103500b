/** What callers may pass to saved searches. */
import { SavedSearches } from '@counterfoil/core';
import { z } from 'zod';
import { wordsOf } from '../input/issue-words.ts';
import { CurrencyCode, Day, Id, IN_ORDER, inOrder, name, pattern, text } from '../input/texts.ts';
import { SearchFilters } from '../transactions/index.ts';

function listOf<Element extends z.ZodType>(element: Element) {
  return z.array(element).max(SavedSearches.MAX_VALUES).readonly().optional();
}
const ids = listOf(Id);

/** What a saved search may have. */
const kept = {
  /** The last so many days, today among them; instead of both dates. */
  days: z.int().min(1).max(SavedSearches.MAX_DAYS).optional(),
  dateFrom: Day.optional(),
  dateTo: Day.optional(),
  amounts: listOf(z.number()),
  currency: CurrencyCode.optional(),
  bin: pattern(/^(\d{6}|\d{8})$/, { max: 8, detail: 'must be 6 or 8 digits' }).optional(),
  descriptorContains: text(100).trim().min(1).optional(),
  merchantAccountIds: ids,
  companyIds: ids,
  applicationIds: ids,
  productIds: ids,
  campaignIds: ids,
  affiliateIds: ids,
};

/** Filters of a search that name a person, or a payment of one. */
const OF_ONE_PERSON = {
  emails: true,
  firstName: true,
  lastName: true,
  last4: true,
  orderIds: true,
  transactionIds: true,
  gatewayTransactionIds: true,
  authCodes: true,
  arns: true,
  subscriptionIds: true,
} as const;

const SavedFilters = z
  .strictObject({ ...SearchFilters.pick(OF_ONE_PERSON).shape, ...kept })
  .refine(inOrder, IN_ORDER)
  .refine(({ days, dateFrom, dateTo }) => days === undefined || !(dateFrom || dateTo), {
    message: 'must not be with dateFrom or dateTo',
    path: ['days'],
  })
  .refine((search) => givenIn(search).length > 0, 'must have a filter');

export const SavedSearchInput = z.strictObject({
  /** No other of the user has it, in capital letters or not. */
  name: name(SavedSearches.MAX_NAME_LENGTH),
  search: SavedFilters,
});
export type SavedSearchInput = z.input<typeof SavedSearchInput>;

export const SavedSearchId = text(64);

/** A refinement of a schema of the same filters: all that is wrong with them. */
export function checkSavedFilters(search: object, context: z.core.$RefinementCtx): void {
  const { error } = SavedFilters.safeParse(search, { error: wordsOf });
  for (const { path, message } of error?.issues ?? []) {
    context.addIssue({ code: 'custom', path, message });
  }
}

/** The filters of a search for one person, which is not saved: it would outlive the person's erasure. */
export function personFiltersOf(search: object): readonly string[] {
  return givenIn(search).filter((each) => each in OF_ONE_PERSON);
}

/** An empty list is no filter, nor is an empty text. */
function givenIn(search: object): readonly string[] {
  return Object.entries(search)
    .filter(([, value]) => value !== undefined && value !== '' && value?.length !== 0)
    .map(([each]) => each);
}
