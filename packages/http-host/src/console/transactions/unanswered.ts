/** Payments of unknown outcome, those that have waited longest first. */
import { z } from 'zod';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { bounded } from '../../api/wire.ts';
import { addressWith } from '../list-address.ts';
import { consolePage } from '../slice.ts';
import { PATH, SCOPE } from './list.ts';

export const UNANSWERED_PATH = `${PATH}/unanswered`;
const PAGE_SIZE = 25;

export const unanswered = consolePage({
  path: UNANSWERED_PATH,
  title: 'Payments without an answer',
  scope: SCOPE,
  query: z.object({ after: bounded(2_000).optional() }),
  isList: true,
  template: '/transactions/unanswered',
  async load(visit, { query: { after } }) {
    const { items, next } = await visit.ledger.transactions.unanswered({
      limit: PAGE_SIZE,
      ...(after !== undefined && { after: inCursor(after, z.string()) }),
    });
    const base = visit.href(UNANSWERED_PATH);
    return {
      rows: items.map((each) => ({
        ...each,
        href: visit.href(`${PATH}/${each.transactionId}`),
        account: each.midName || String(each.merchantAccountId),
      })),
      addresses: {
        transactions: visit.href(PATH),
        first: after === undefined ? undefined : base,
        next: next === undefined ? undefined : addressWith(base, { after: cursorOf(next) }),
      },
    };
  },
});
