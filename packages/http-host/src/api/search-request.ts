/** The request filters of the transaction searches. */
import { IN_ORDER, inOrder, mayHoldCardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import { CurrencyCode, Day, Email, optionalClaims, pattern, text, Uuid } from './wire.ts';

const MAX_ELEMENTS = 1_000;

function listOf<Element extends z.ZodType>(element: Element) {
  return z.array(element).max(MAX_ELEMENTS).optional();
}

// Filter values are neither stored nor logged, and ids may have as many digits as a card.
const ids = listOf(mayHoldCardNumber(z.int()));
const day = Day.optional().meta({ description: 'A day in GMT, included', example: '2010-12-01' });

export const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 10;

/**
 * Every filter of the contract. Fields are ANDed, elements of an array ORed; an empty array means
 * no filter.
 */
export const searchFilters = {
  emails: listOf(Email),
  orderIds: ids,
  transactionIds: listOf(Uuid),
  gatewayTransactionIds: listOf(mayHoldCardNumber(text(255))),
  bin: pattern(/^\d{6}$/, { max: 6, detail: 'must be exactly 6 digits' })
    .optional()
    .meta({
      description: 'The first six digits of the card, all that is stored',
      example: '424242',
    }),
  last4: pattern(/^\d{4}$/, { max: 4, detail: 'must be 4 digits' }).optional(),
  firstName: text(200).optional(),
  lastName: text(200).optional(),
  authCodes: listOf(text(64)),
  currency: CurrencyCode.optional(),
  dateFrom: day,
  dateTo: day,
  descriptorContains: text(100).optional(),
  sandbox: z.boolean().optional().meta({ description: 'Absent: live data only' }),
  applicationIds: ids,
  productIds: ids,
  campaignIds: ids,
  merchantAccountIds: ids,
  companyIds: ids,
  subscriptionIds: ids.meta({
    description:
      'The rebills of a subscription, and the payment that started it; one that started two is found by the first',
  }),
  affiliateIds: ids,
  amounts: listOf(z.number()).meta({
    description: 'The `amount` of the record, matched exactly: what was captured, once anything is',
  }),
};

export const paging = {
  pageNumber: z.int().min(1).max(1_000_000_000).default(1),
  limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
};

export const SearchInput = z
  .object({ ...optionalClaims, ...searchFilters, ...paging })
  .refine(inOrder, IN_ORDER)
  .meta({ id: 'TransactionSearch' });
export type SearchInput = z.output<typeof SearchInput>;
