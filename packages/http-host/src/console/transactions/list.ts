/** The list of transactions: one search box, all filters, and the same as a CSV file. */
import type { SearchPage, SearchRecord } from '@counterfoil/projections';
import { z } from 'zod';
import { csvOf } from '../../api/csv.ts';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { addressWith } from '../list-address.ts';
import { type ConsoleFile, consolePage, type Problem, type Visit } from '../slice.ts';
import { FILTERS, ListQuery, searchesOf } from './search-filters.ts';
import { MEANINGS, type MeaningName } from './search-words.ts';
import { shownStatusOf } from './status.ts';

export const SCOPE = 'transactions:read';
export const PATH = '/transactions';
const EXPORT_PATH = '/transactions/export.csv';
const PAGE_SIZE = 25;

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
  template: '/transactions/list',
  async load(visit, { query }) {
    const { page, meaning, problems } = await foundOrProblems(visit, query);
    const { after, as: _, ...asked } = query;
    const base = visit.href(PATH);
    const { meanings } = searchesOf(query);
    const state = { ...asked, ...(meaning !== undefined && { as: meaning }) };
    const isNarrowed = Object.values(asked).some((value) => value !== undefined);
    return {
      problems,
      query,
      isNarrowed,
      fields: FILTERS.map((each) => ({ ...each, value: query[each.name] })),
      isFiltered: FILTERS.some(({ name }) => query[name] !== undefined),
      rows: page.transactions.map((record) => rowOf(visit, record)),
      found: meaning === undefined ? undefined : MEANINGS[meaning],
      others: meanings
        .filter((name) => name !== meaning)
        .map((name) => ({ name: MEANINGS[name], href: addressWith(base, { ...asked, as: name }) })),
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
    const refusal = visit.services.refusalOf(error);
    if (refusal?.status !== 400) throw error;
    const problems = (refusal.errors ?? []).map(({ pointer, detail }) => {
      const field = pointer.split('/', 2)[1] ?? '';
      const { label = field } = FILTERS.find(({ name }) => name === field) ?? {};
      return { field, text: `${label} ${detail}` };
    });
    const none = [{ field: '', text: refusal.message }];
    return {
      page: NOTHING,
      meaning: undefined,
      problems: problems.length === 0 ? none : problems,
    };
  }
}

/** By the first meaning of the words that finds something. */
async function found({ ledger }: Visit, query: ListQuery): Promise<Found> {
  const { tried, searchOf } = searchesOf(query);
  const after = query.after === undefined ? undefined : inCursor(query.after, Place);
  const paging = { limit: PAGE_SIZE, ...(after !== undefined && { after }) };
  let first: Found | undefined;
  for (const meaning of tried) {
    const page = await ledger.transactions.search({ ...searchOf(meaning), ...paging });
    const each = { page, meaning };
    if (page.count > 0) return each;
    first ??= each;
  }
  return first ?? { page: NOTHING, meaning: undefined };
}

function rowOf(visit: Visit, record: SearchRecord) {
  const { transactionId, status, last4, midName, merchantAccountId } = record;
  const name = `${record.firstName} ${record.lastName}`.trim();
  return {
    ...record,
    name,
    isChild: record.originalTransactionId !== '',
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
    const pages = await visit.ledger.transactions.export(searchesOf(asked).searchOf(meaning));
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
