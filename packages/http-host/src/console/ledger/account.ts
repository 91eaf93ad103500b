/** Ledger: the entries of an account by their days, each with its payment. */
import { nearestNumber } from '@counterfoil/core';
import { DAYS_IN_ORDER, daysInOrder } from '@counterfoil/engine/input';
import type { Posting } from '@counterfoil/projections';
import { z } from 'zod';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { bounded, CurrencyCode, Day, text } from '../../api/wire.ts';
import { addressWith } from '../list-address.ts';
import { optionsFor } from '../options.ts';
import { shownAccount } from '../shown.ts';
import { consolePage } from '../slice.ts';
import { ACCOUNT_PATH, AccountNumber, accountNames, nameOf, PATH, Place, READ } from './words.ts';

const PAGE_SIZE = 50;
const DAY_LENGTH = 'yyyy-mm-dd'.length;

export const account = consolePage({
  path: ACCOUNT_PATH,
  title: 'Entries of an account',
  scope: READ,
  query: z
    .object({
      account: text(64).min(1),
      currency: CurrencyCode,
      merchantAccountId: AccountNumber.optional(),
      from: Day.optional(),
      to: Day.optional(),
      after: bounded(2_000).optional(),
    })
    .refine(daysInOrder, DAYS_IN_ORDER),
  isList: true,
  template: '/ledger/account',
  async load(visit, { query: { after, ...asked } }) {
    const [page, names, { merchantAccounts: accounts }] = await Promise.all([
      visit.ledger.books.postings({
        ...asked,
        limit: PAGE_SIZE,
        ...(after !== undefined && { after: inCursor(after, Place) }),
      }),
      accountNames(visit),
      optionsFor(visit),
    ]);
    const { merchantAccountId } = asked;
    const filter = { ...asked, merchantAccountId: merchantAccountId?.toString() };
    const base = visit.href(ACCOUNT_PATH);
    const mayRead = visit.may('transactions:read');
    const shown = page.postings.map((each) => ({
      ...each,
      debit: ifAny(each.debit),
      credit: ifAny(each.credit),
      name: nameOf(names, each.merchantAccountId),
      href: mayRead ? visit.href(`/transactions/${each.transactionId}`) : undefined,
    }));
    return {
      title: `${shownAccount(asked.account)}, ${asked.currency}`,
      filter,
      accounts,
      name: merchantAccountId && nameOf(names, merchantAccountId),
      isNarrowed: asked.from !== undefined || asked.to !== undefined,
      days: [...Map.groupBy(shown, ({ at }) => at.slice(0, DAY_LENGTH))].map(([day, postings]) => ({
        day,
        postings,
      })),
      addresses: {
        ledger: visit.href(PATH),
        list: base,
        all: addressWith(base, { ...filter, from: undefined, to: undefined }),
      },
      first: after === undefined ? undefined : addressWith(base, filter),
      next:
        page.moreResults && page.end !== undefined
          ? addressWith(base, { ...filter, after: cursorOf(page.end) })
          : undefined,
    };
  },
});

/** Undefined instead of nothing. */
function ifAny(amount: Posting['debit']): Posting['debit'] | undefined {
  return nearestNumber(amount) === 0 ? undefined : amount;
}
