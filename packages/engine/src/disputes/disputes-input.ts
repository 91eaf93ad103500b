/** What callers may search and report of disputes. */
import { z } from 'zod';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import { CurrencyCode, Day, EmailText, IN_ORDER, inOrder, pattern, text } from '../input/texts.ts';

// Filter values are neither stored nor logged, and references may have as many digits as a card.
const reference = mayHoldCardNumber(text(255));

/** All that is given must hold. Names, emails and descriptors: without regard to case. */
export const MitigationSearch = z
  .strictObject({
    email: EmailText.optional(),
    orderId: mayHoldCardNumber(z.int()).optional(),
    bin: pattern(/^(\d{6}|\d{8})$/, { max: 8, detail: 'must be 6 or 8 digits' }).optional(),
    last4: pattern(/^\d{4}$/, { max: 4, detail: 'must be 4 digits' }).optional(),
    firstName: text(200).optional(),
    lastName: text(200).optional(),
    authCode: text(64).optional(),
    /** The acquirer's reference of the payment, or of a refund. */
    arn: reference.optional(),
    /** `amount` of the search record, in major units, matched exactly. */
    amount: z.number().optional(),
    currencyCode: CurrencyCode.optional(),
    dateFrom: Day.optional(),
    dateTo: Day.optional(),
    mid: reference.optional(),
    descriptorExactMatch: text(100).optional(),
    descriptorContains: text(100).optional(),
  })
  .refine(inOrder, IN_ORDER);
export type MitigationSearch = z.input<typeof MitigationSearch>;

type Filter = keyof MitigationSearch;

/** A search must name all filters of one of these groups. */
const ENOUGH: readonly (readonly Filter[])[] = [
  ['email'],
  ['orderId'],
  ['arn'],
  ['authCode'],
  ['bin', 'last4'],
  ['mid', 'amount'],
  ['amount', 'dateFrom', 'dateTo'],
];

export function isNarrow(search: MitigationSearch): boolean {
  const isGiven = (filter: Filter) => search[filter] !== undefined && search[filter] !== '';
  return ENOUGH.some((group) => group.every(isGiven));
}
