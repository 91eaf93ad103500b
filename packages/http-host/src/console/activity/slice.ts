/** What was done in the name of the tenant, and by whom. */
import { OUTCOMES } from '@counterfoil/engine';
import { IN_ORDER, inOrder } from '@counterfoil/engine/input';
import { z } from 'zod';
import { activityCsv } from '../../api/activity.ts';
import { CSV_TYPE } from '../../api/csv.ts';
import { Day, text } from '../../api/wire.ts';
import { consolePage, consoleSlice } from '../slice.ts';
import { subjectHref } from './subjects.ts';

const PATH = '/activity';
const SCOPE = 'activity:read';
const PAGE_SIZE = 50;

const filters = {
  actor: text(255).optional(),
  action: text(100).optional(),
  subject: text(100).optional(),
  outcome: z.enum(OUTCOMES).optional(),
  dateFrom: Day.optional(),
  dateTo: Day.optional(),
};
const Filter = z.object(filters).refine(inOrder, IN_ORDER);
const Listed = z.object({ ...filters, after: text(64).optional() }).refine(inOrder, IN_ORDER);

const activity = consolePage({
  path: PATH,
  title: 'Activity',
  scope: SCOPE,
  query: Listed,
  isList: true,
  template: '/activity/activity',
  async load(visit, { query: { after, ...filter } }) {
    const page = await visit.ledger.activity.list({
      ...filter,
      limit: PAGE_SIZE,
      ...(after !== undefined && { after }),
    });
    const given = new URLSearchParams(filter as Record<string, string>);
    const asked = (change: Record<string, string>) =>
      new URLSearchParams([...given, ...Object.entries(change)]);
    return {
      filter,
      outcomes: OUTCOMES,
      records: page.items.map((each) => ({ ...each, href: subjectHref(visit, each) })),
      isFiltered: given.size > 0,
      action: visit.href(PATH),
      csv: `${visit.href('/activity.csv')}?${given}`,
      first: after === undefined ? undefined : `${visit.href(PATH)}?${given}`,
      next: page.next && `${visit.href(PATH)}?${asked({ after: page.next })}`,
    };
  },
});

export const ACTIVITY = consoleSlice({
  nav: { title: 'Activity', key: 'y', path: PATH, scope: SCOPE },
  pages: [activity],
  files: [
    {
      path: '/activity.csv',
      scope: SCOPE,
      query: Filter,
      fileName: 'activity.csv',
      contentType: `${CSV_TYPE}; charset=utf-8; header=present`,
      async chunks(visit, { query }) {
        return activityCsv(await visit.ledger.activity.export(query as z.output<typeof Filter>));
      },
    },
  ],
});
