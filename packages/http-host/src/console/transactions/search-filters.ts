/** The filters of the contract's search in the address of a page. */
import type { SavedSearchView } from '@counterfoil/engine';
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { addressWith } from '../list-address.ts';
import { MEANINGS, type MeaningName, meaningsOf, type Search } from './search-words.ts';

/** A search of the list: it may be of the last days. */
export interface ListSearch extends Search {
  /** Today among them. */
  readonly days?: number;
}

export interface Filter {
  readonly name: keyof ListSearch & string;
  readonly label: string;
  readonly kind: 'text' | 'day' | 'texts' | 'number' | 'numbers';
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
  filter('days', 'Or the last days', 'number', 'Such as 7'),
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
  filter('merchantAccountIds', 'Merchant account'),
  filter('companyIds', 'Company'),
  filter('applicationIds', 'Application'),
  filter('productIds', 'Product'),
  filter('campaignIds', 'Campaign'),
  filter('affiliateIds', 'Affiliate id'),
];

const MAX_WORDS = 320;
const MAX_FILTER = 1_000;
const MAX_CURSOR = 1_500;
const MAX_DAYS = 366;
const DAY_MS = 86_400_000;
const DAY_LENGTH = 'yyyy-mm-dd'.length;

/** The state of a list, as its address has it. */
export interface ListQuery extends Readonly<Partial<Record<keyof ListSearch, string | undefined>>> {
  /** Of the search box. */
  readonly q?: string | undefined;
  /** What the words of the box stand for; absent: the first meaning that finds something. */
  readonly as?: MeaningName | undefined;
}

const given = bounded(MAX_FILTER).optional();
export const LIST_FIELDS = {
  q: bounded(MAX_WORDS).optional(),
  as: z.enum(Object.keys(MEANINGS) as [MeaningName, ...MeaningName[]]).optional(),
  after: bounded(MAX_CURSOR).optional(),
  ...Object.fromEntries(FILTERS.map(({ name }) => [name, given])),
};
export const ListQuery: z.ZodType<ListQuery> = z.object(LIST_FIELDS);

/** The search of the filters alone. What is no number is refused by the search. */
export function filtersOf(query: ListQuery): ListSearch {
  const entries = FILTERS.flatMap(({ name, kind }) => {
    const text = query[name]?.trim();
    return text === undefined || text === '' ? [] : [[name, filterValue(text, kind)] as const];
  });
  return Object.fromEntries(entries);
}

/** A list has commas between its elements. */
function filterValue(text: string, kind: Filter['kind']): unknown {
  if (kind === 'text' || kind === 'day') return text;
  if (kind === 'number') return Number(text);
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
    searchOf: (name: MeaningName | undefined): ListSearch => ({
      // What stands in a filter counts.
      ...meanings.find((each) => each.name === name)?.search,
      ...filters,
    }),
    meanings: meanings.map(({ name }) => name),
  };
}

/** What the engine searches for: the last days are counted from now. */
export function datedSearch({ days, ...search }: ListSearch, now: string): Search {
  if (days === undefined) return search;
  const isInRange = Number.isInteger(days) && days >= 1 && days <= MAX_DAYS;
  if (!isInRange) throw wrongDays(`must be a number from 1 to ${MAX_DAYS}`);
  if (search.dateFrom || search.dateTo) throw wrongDays('must be empty where a day is given');
  const first = new Date(Date.parse(now) - (days - 1) * DAY_MS);
  return { ...search, dateFrom: first.toISOString().slice(0, DAY_LENGTH) };
}

function wrongDays(detail: string) {
  return refuse('invalid_request', undefined, { errors: [{ pointer: '/days', detail }] });
}

/** The address of the list that a saved search opens: the inverse of `filtersOf`. */
export function savedAddress(path: string, search: SavedSearchView['search']): string {
  const saved: Partial<Record<string, unknown>> = search;
  const query = FILTERS.map(({ name }) => [name, saved[name]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)]);
  return addressWith(path, Object.fromEntries(query));
}
