/** The list of transactions: one search box, all filters, and the same as a CSV file. */
import { personFiltersOf } from '@counterfoil/engine';
import type { SearchPage, SearchRecord } from '@counterfoil/projections';
import { z } from 'zod';
import { csvOf } from '../../api/csv.ts';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { Refusal } from '../../http/errors.ts';
import { addressWith } from '../list-address.ts';
import { type Option, type Options, optionsFor } from '../options.ts';
import { labelOf, problemOf } from '../problems.ts';
import { keptFor } from '../remembered.ts';
import { type Again, type ConsoleFile, consolePage, type Problem, type Visit } from '../slice.ts';
import {
  datedSearch,
  FILTERS,
  type Filter,
  ListQuery,
  savedAddress,
  searchesOf,
} from './search-filters.ts';
import { MEANINGS, type MeaningName } from './search-words.ts';
import { shownAmountOf, shownStatusOf } from './status.ts';

export const SCOPE = 'transactions:read';
export const PATH = '/transactions';
export const SAVED_PATH = '/transactions/saved';
export const SAVE_FORM = 'save-search';
const EXPORT_PATH = '/transactions/export.csv';
const PAGE_SIZE = 25;
/** Searches without days are of the latest ones only. */
export const LONG_AGO = '2000-01-01';
const SHOWN_DAYS = 30;
const DAY_MS = 86_400_000;
const DAY_LENGTH = 'yyyy-mm-dd'.length;

/** Of an input; a list of numbers is a text. */
const TYPES = {
  text: 'text',
  texts: 'text',
  numbers: 'text',
  number: 'number',
  day: 'date',
} as const;

const Place = z.strictObject({ sort: z.number(), key: z.string().max(1_000) });

interface Found {
  readonly page: SearchPage;
  readonly meaning: MeaningName | undefined;
}

export const list = consolePage({
  path: PATH,
  title: 'Transactions',
  scope: SCOPE,
  query: ListQuery,
  isList: true,
  template: '/transactions/list',
  async load(visit, { query: given, again }) {
    const query = again?.name === SAVE_FORM ? queryAgain(again) : given;
    const { page, meaning, problems } = await foundOrProblems(visit, query);
    const { after, as: _, ...asked } = query;
    const base = visit.href(PATH);
    const { meanings } = searchesOf(query);
    const state = { ...asked, ...(meaning !== undefined && { as: meaning }) };
    const isNarrowed = Object.values(asked).some((value) => value !== undefined);
    const saved = await savedBy(visit, addressWith(base, asked));
    const maySave =
      isNarrowed && problems.length === 0 && !saved.some(({ isCurrent }) => isCurrent);
    return {
      saved,
      saving: maySave ? savingOf(visit, state) : undefined,
      problems,
      query,
      isNarrowed,
      fields: await fieldsOf(visit, query),
      isFiltered: FILTERS.some(({ name }) => query[name] !== undefined),
      rows: page.transactions.map((record) => rowOf(visit, record)),
      found: meaning === undefined ? undefined : MEANINGS[meaning],
      others: meanings
        .filter((name) => name !== meaning)
        .map((name) => ({ name: MEANINGS[name], href: addressWith(base, { ...asked, as: name }) })),
      older: page.count === 0 ? await olderOf(visit, { isNarrowed, query }) : undefined,
      addresses: {
        list: base,
        first: after === undefined ? undefined : addressWith(base, state),
        next:
          page.moreResults && page.end !== undefined
            ? addressWith(base, { ...state, after: cursorOf(page.end) })
            : undefined,
        export: addressWith(visit.href(EXPORT_PATH), state),
      },
    };
  },
});

/** Of these a name is chosen, where the list is short. */
const CHOICES: Partial<Record<Filter['name'], keyof Options>> = {
  merchantAccountIds: 'merchantAccounts',
  companyIds: 'companies',
  applicationIds: 'applications',
  productIds: 'products',
  campaignIds: 'campaigns',
};

/** Where nothing is entered, a field is the same object each time, and its HTML is kept. */
const FIELDS = FILTERS.map((filter) => ({
  filter,
  blank: fieldOf(filter),
  blankOf: keptFor((options: readonly Option[]) => fieldOf(filter, { options })),
}));

interface Filled {
  readonly value?: string | undefined;
  readonly options?: readonly Option[] | undefined;
}

function fieldOf(filter: Filter, { value, options }: Filled = {}) {
  const isOfIds = CHOICES[filter.name] !== undefined && options === undefined;
  const label = isOfIds ? `${filter.label} id` : filter.label;
  return { ...filter, label, type: TYPES[filter.kind], value, options };
}

async function fieldsOf(visit: Visit, query: ListQuery) {
  const choices = await optionsFor(visit);
  return FIELDS.map(({ filter, blank, blankOf }) => {
    const value = query[filter.name];
    const kind = CHOICES[filter.name];
    const options = kind && choices[kind];
    const isChoice = options !== undefined && options.length > 0;
    if (value === undefined) return isChoice ? blankOf(options) : blank;
    // Several ids in one address are no choice of one.
    const isOne = isChoice && options.some((option) => option.value === value);
    return fieldOf(filter, { value, options: isOne ? options : undefined });
  });
}

interface Missed {
  readonly isNarrowed: boolean;
  readonly query: ListQuery;
}

/** Where nothing is found in the latest days: the newest ones, or the same search of all days. */
async function olderOf(visit: Visit, { isNarrowed, query }: Missed) {
  const base = visit.href(PATH);
  if (isNarrowed) {
    if (query.dateFrom || query.dateTo || query.days) return undefined;
    return { href: addressWith(base, { ...query, dateFrom: LONG_AGO }), action: 'Search all days' };
  }
  const found = await visit.ledger.transactions.search({ dateFrom: LONG_AGO, limit: 1 });
  const newest = found.transactions[0]?.sent.slice(0, DAY_LENGTH);
  if (newest === undefined) return undefined;
  const first = new Date(Date.parse(newest) - (SHOWN_DAYS - 1) * DAY_MS);
  const dateFrom = first.toISOString().slice(0, DAY_LENGTH);
  const href = addressWith(base, { dateFrom, dateTo: newest });
  return { href, action: `Show the newest, to ${newest}` };
}

const NOTHING: SearchPage = {
  count: 0,
  pageNumber: 1,
  moreResults: false,
  transactions: [],
  end: undefined,
};

/** What the search refuses is said beside its filter. */
async function foundOrProblems(
  visit: Visit,
  query: ListQuery,
): Promise<Found & { readonly problems: readonly Problem[] }> {
  try {
    return { ...(await found(visit, query)), problems: [] };
  } catch (error) {
    const refusal = error instanceof Refusal ? error : visit.services.refusalOf(error);
    if (refusal?.status !== 400) throw error;
    const problems = (refusal.errors ?? []).map((each) => problemOf(each, labelOfFilter));
    const none = [{ field: '', text: refusal.message }];
    return {
      page: NOTHING,
      meaning: undefined,
      problems: problems.length === 0 ? none : problems,
    };
  }
}

function labelOfFilter(field: string): string {
  return FILTERS.find(({ name }) => name === field)?.label ?? labelOf(field);
}

/** By the first meaning of the words that finds something. */
async function found({ ledger, services }: Visit, query: ListQuery): Promise<Found> {
  const { tried, searchOf } = searchesOf(query);
  const after = query.after === undefined ? undefined : inCursor(query.after, Place);
  const paging = { limit: PAGE_SIZE, ...(after !== undefined && { after }) };
  let first: Found | undefined;
  for (const meaning of tried) {
    const search = datedSearch(searchOf(meaning), services.now());
    const page = await ledger.transactions.search({ ...search, ...paging });
    const each = { page, meaning };
    if (page.count > 0) return each;
    first ??= each;
  }
  return first ?? { page: NOTHING, meaning: undefined };
}

/** Of the user, by their names. */
async function savedBy(visit: Visit, address: string) {
  const { items } = await visit.ledger.savedSearches.list();
  return items
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
    .map(({ id, name, search }) => {
      const href = savedAddress(visit.href(PATH), search);
      const removal = visit.href(`${SAVED_PATH}/${id}/remove`);
      return { name, href, removal, isCurrent: href === address };
    });
}

/** The form that saves what is shown; a search for one person is not saved. */
function savingOf(visit: Visit, state: ListQuery) {
  const { searchOf } = searchesOf(state);
  return {
    isOfOnePerson: personFiltersOf(searchOf(state.as)).length > 0,
    action: visit.href(SAVED_PATH),
    hidden: Object.entries(state).filter(([, value]) => value !== undefined),
  };
}

/** The list that a search was to be saved of. */
function queryAgain({ values }: Again): ListQuery {
  return ListQuery.safeParse(values).data ?? {};
}

function rowOf(visit: Visit, record: SearchRecord) {
  const { transactionId, status, last4, midName, merchantAccountId } = record;
  const name = `${record.firstName} ${record.lastName}`.trim();
  return {
    ...record,
    name,
    amount: shownAmountOf({ ...record, status }),
    href: visit.href(`${PATH}/${transactionId}`),
    shownStatus: shownStatusOf({ ...record, status }),
    card: last4 === '' ? '' : `•••• ${last4}`,
    account: midName || (merchantAccountId === 0 ? '' : String(merchantAccountId)),
  };
}

const COLUMNS = [
  'sent',
  'completed',
  'transactionId',
  'originalTransactionId',
  'orderId',
  'application',
  'status',
  'amount',
  'currency',
  'email',
  'firstName',
  'lastName',
  'customerId',
  'bin',
  'last4',
  'merchantAccountId',
  'midName',
  'mid',
  'descriptor',
  'gateway',
  'gatewayTransactionId',
  'authCode',
  'companyId',
  'company',
  'subId',
  'refunded',
  'chargedBack',
] as const satisfies readonly (keyof SearchRecord)[];

export const exported: ConsoleFile = {
  path: EXPORT_PATH,
  scope: SCOPE,
  query: ListQuery,
  fileName: 'transactions.csv',
  contentType: 'text/csv; charset=utf-8',
  async chunks(visit, { query }) {
    const asked = { ...(query as ListQuery), after: undefined };
    const { meaning } = await found(visit, asked);
    const search = datedSearch(searchesOf(asked).searchOf(meaning), visit.services.now());
    const pages = await visit.ledger.transactions.export(search);
    return csvOfPages(pages);
  },
};

async function* csvOfPages(pages: AsyncIterable<readonly SearchRecord[]>): AsyncGenerator<string> {
  yield csvOf(COLUMNS, []);
  for await (const records of pages) {
    yield csvOf(
      undefined,
      records.map((record) => COLUMNS.map((name) => record[name] ?? '')),
    );
  }
}
