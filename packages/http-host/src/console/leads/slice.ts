/** Leads: who came to a page of payment, and whether they paid. */
import { toMajor } from '@counterfoil/core';
import { IN_ORDER, inOrder } from '@counterfoil/engine/input';
import { LEAD_STATUS, type LeadRecord } from '@counterfoil/projections';
import { z } from 'zod';
import { CSV_TYPE } from '../../api/csv.ts';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { leadRows, leadsHeader } from '../../api/customer-leads.ts';
import { bounded, Day, Email, text } from '../../api/wire.ts';
import { addressWith } from '../list-address.ts';
import { consolePage, consoleSlice, type Visit } from '../slice.ts';

const PATH = '/leads';
const CSV_PATH = '/leads.csv';
const SCOPE = 'leads:read';
const PAGE_SIZE = 25;
const Place = z.strictObject({ sort: z.number(), key: z.string().max(1_000) });

const STATES = {
  new: { text: 'New', tone: 'neutral' },
  paid: { text: 'Paid', tone: 'good' },
} as const satisfies Record<LeadRecord['status'], object>;

const filters = {
  email: Email.optional(),
  sessionId: text(255).min(1).optional(),
  status: z.enum(LEAD_STATUS).optional(),
  dateFrom: Day.optional(),
  dateTo: Day.optional(),
};
const Filter = z.object(filters).refine(inOrder, IN_ORDER);
type Filter = z.output<typeof Filter>;
const Listed = z.object({ ...filters, after: bounded(2_000).optional() }).refine(inOrder, IN_ORDER);

const list = consolePage({
  path: PATH,
  title: 'Leads',
  scope: SCOPE,
  query: Listed,
  isList: true,
  template: '/leads/list',
  async load(visit, { query: { after, ...filter } }) {
    const page = await visit.ledger.leads.list({
      ...filter,
      limit: PAGE_SIZE,
      ...(after !== undefined && { after: inCursor(after, Place) }),
    });
    const base = visit.href(PATH);
    return {
      filter,
      isFiltered: Object.keys(filter).length > 0,
      statuses: LEAD_STATUS.map((value) => ({ value, label: STATES[value].text })),
      leads: page.leads.map((lead) => rowOf(visit, lead)),
      addresses: {
        list: base,
        csv: addressWith(visit.href(CSV_PATH), filter),
        first: after === undefined ? undefined : addressWith(base, filter),
        next:
          page.moreResults && page.end !== undefined
            ? addressWith(base, { ...filter, after: cursorOf(page.end) })
            : undefined,
      },
    };
  },
});

function rowOf(visit: Visit, { transaction, ...lead }: LeadRecord) {
  return {
    ...lead,
    name: `${lead.firstName} ${lead.lastName}`.trim(),
    state: STATES[lead.status],
    paid: transaction && {
      amount: toMajor(transaction.amountMinor, transaction.currency),
      currency: transaction.currency,
      source: transaction.source,
      // A payment of another gateway is not in the ledger.
      href:
        transaction.source === '' && visit.may('transactions:read')
          ? visit.href(`/transactions/${transaction.transactionId}`)
          : undefined,
    },
  };
}

async function* csvOfPages(pages: AsyncIterable<readonly LeadRecord[]>): AsyncGenerator<string> {
  yield leadsHeader();
  for await (const leads of pages) yield leadRows(leads);
}

export const LEADS = consoleSlice({
  nav: { title: 'Leads', key: 'e', path: PATH, scope: SCOPE },
  pages: [list],
  files: [
    {
      path: CSV_PATH,
      scope: SCOPE,
      query: Filter,
      fileName: 'leads.csv',
      contentType: `${CSV_TYPE}; charset=utf-8; header=present`,
      chunks: async (visit, { query }) =>
        csvOfPages(await visit.ledger.leads.export(query as Filter)),
    },
  ],
});
