/** The filters of the contract's search in the address of a page. */
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { MEANINGS, type MeaningName, meaningsOf, type Search } from './search-words.ts';

interface Filter {
  readonly name: keyof Search & string;
  readonly label: string;
  readonly kind: 'text' | 'day' | 'texts' | 'numbers';
  readonly hint?: string;
}

const filter = (
  name: Filter['name'],
  label: string,
  kind: Filter['kind'] = 'numbers',
  hint?: string,
): Filter => ({ name, label, kind, ...(hint !== undefined && { hint }) });

/** In the order of the form. */
export const FILTERS: readonly Filter[] = [
  filter('dateFrom', 'From', 'day'),
  filter('dateTo', 'To, included', 'day'),
  filter('emails', 'Email', 'texts'),
  filter('firstName', 'First name', 'text'),
  filter('lastName', 'Last name', 'text'),
  filter('amounts', 'Amount'),
  filter('currency', 'Currency', 'text', 'Such as GBP'),
  filter('bin', 'Card begins with', 'text', 'Six or eight digits'),
  filter('last4', 'Card ends in', 'text', 'Four digits'),
  filter('orderIds', 'Order id'),
  filter('transactionIds', 'Transaction id', 'texts'),
  filter('gatewayTransactionIds', 'Reference of the gateway', 'texts'),
  filter('arns', 'ARN', 'texts'),
  filter('authCodes', 'Authorization code', 'texts'),
  filter('descriptorContains', 'Descriptor contains', 'text'),
  filter('subscriptionIds', 'Subscription id'),
  filter('merchantAccountIds', 'Merchant account id'),
  filter('companyIds', 'Company id'),
  filter('applicationIds', 'Application id'),
  filter('productIds', 'Product id'),
  filter('campaignIds', 'Campaign id'),
  filter('affiliateIds', 'Affiliate id'),
];

const MAX_WORDS = 320;
const MAX_FILTER = 1_000;
const MAX_CURSOR = 1_500;

/** The state of a list, as its address has it. */
export interface ListQuery extends Readonly<Partial<Record<keyof Search, string | undefined>>> {
  /** Of the search box. */
  readonly q?: string | undefined;
  /** What the words of the box stand for; absent: the first meaning that finds something. */
  readonly as?: MeaningName | undefined;
}

const given = bounded(MAX_FILTER).optional();
export const ListQuery: z.ZodType<ListQuery> = z.object({
  q: bounded(MAX_WORDS).optional(),
  as: z.enum(Object.keys(MEANINGS) as [MeaningName, ...MeaningName[]]).optional(),
  after: bounded(MAX_CURSOR).optional(),
  ...Object.fromEntries(FILTERS.map(({ name }) => [name, given])),
});

/** The search of the filters alone. What is no number is refused by the search. */
export function filtersOf(query: ListQuery): Search {
  const entries = FILTERS.flatMap(({ name, kind }) => {
    const text = query[name]?.trim();
    return text === undefined || text === '' ? [] : [[name, filterValue(text, kind)] as const];
  });
  return Object.fromEntries(entries);
}

/** A list has commas between its elements. */
function filterValue(text: string, kind: Filter['kind']): unknown {
  if (kind === 'text' || kind === 'day') return text;
  const each = text.split(',').map((element) => element.trim());
  return kind === 'texts' ? each : each.map(Number);
}

/** The searches that a query may stand for: one, or one for each meaning of the words. */
export function searchesOf(query: ListQuery) {
  const filters = filtersOf(query);
  const { q = '', as } = query;
  const meanings = meaningsOf(q);
  const asked = meanings.filter(({ name }) => as === undefined || name === as);
  const tried = asked.length === 0 ? meanings : asked;
  return {
    /** Undefined where nothing stands in the box. */
    tried: tried.length === 0 ? [undefined] : tried.map(({ name }) => name),
    searchOf: (name: MeaningName | undefined): Search => ({
      // What stands in a filter counts.
      ...meanings.find((each) => each.name === name)?.search,
      ...filters,
    }),
    meanings: meanings.map(({ name }) => name),
  };
}
