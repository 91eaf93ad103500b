/** Ledger: the trial balance, and the balances of one account by merchant account. */
import { z } from 'zod';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { bounded, CurrencyCode, text } from '../../api/wire.ts';
import { addressWith } from '../list-address.ts';
import { optionsFor } from '../options.ts';
import { shownAccount } from '../shown.ts';
import { consolePage, type Visit } from '../slice.ts';
import {
  ACCOUNT_PATH,
  AccountNumber,
  accountNames,
  nameOf,
  PATH,
  READ,
  statementHref,
} from './words.ts';

const ACCOUNTS_PATH = '/ledger/accounts';
const PAGE_SIZE = 50;

const filters = {
  merchantAccountId: AccountNumber.optional(),
  currency: CurrencyCode.optional(),
};

export const trialBalance = consolePage({
  path: PATH,
  title: 'Ledger',
  scope: READ,
  query: z.object(filters),
  isList: true,
  template: '/ledger/trial-balance',
  async load(visit, { query }) {
    const [{ balanced, currencies }, names, { merchantAccounts: accounts }] = await Promise.all([
      visit.ledger.books.trialBalance(query),
      accountNames(visit),
      optionsFor(visit),
    ]);
    return {
      filter: query,
      accounts,
      isFiltered: Object.keys(query).length > 0,
      name: query.merchantAccountId && nameOf(names, query.merchantAccountId),
      statement: query.merchantAccountId && statementHref(visit, query.merchantAccountId),
      balanced,
      currencies: currencies.map(({ accounts, ...each }) => ({
        ...each,
        accounts: accounts.map((account) => ({
          ...account,
          href: accountHref(visit, { ...query, currency: each.currency, account: account.account }),
        })),
      })),
      addresses: { list: visit.href(PATH), accounts: visit.href(ACCOUNTS_PATH) },
    };
  },
});

interface AccountFilter {
  readonly merchantAccountId?: number | undefined;
  readonly currency?: string | undefined;
  readonly account?: string | undefined;
}

function accountHref(visit: Visit, { merchantAccountId, ...filter }: AccountFilter): string {
  return addressWith(visit.href(ACCOUNTS_PATH), {
    ...filter,
    merchantAccountId: merchantAccountId?.toString(),
  });
}

/** The entries of one account in one currency; undefined where either is not known. */
function entriesHref(visit: Visit, { merchantAccountId, ...filter }: AccountFilter) {
  if (filter.account === undefined || filter.currency === undefined) return undefined;
  const { account, currency } = filter;
  return addressWith(visit.href(ACCOUNT_PATH), {
    account,
    currency,
    merchantAccountId: merchantAccountId?.toString(),
  });
}

export const accounts = consolePage({
  path: ACCOUNTS_PATH,
  title: 'Accounts',
  scope: READ,
  query: z.object({
    ...filters,
    account: text(64).optional(),
    after: bounded(2_000).optional(),
  }),
  isList: true,
  template: '/ledger/accounts',
  async load(visit, { query: { after, ...filter } }) {
    const [page, names, { merchantAccounts: choices }] = await Promise.all([
      visit.ledger.books.accounts({
        ...filter,
        limit: PAGE_SIZE,
        ...(after !== undefined && { after: inCursor(after, z.string()) }),
      }),
      accountNames(visit),
      optionsFor(visit),
    ]);
    const base = accountHref(visit, filter);
    const joined = base.includes('?') ? '&' : '?';
    return {
      title: filter.account === undefined ? 'Accounts' : shownAccount(filter.account),
      filter,
      choices,
      isFiltered: Object.keys(filter).length > 0,
      accounts: page.accounts.map((each) => ({
        ...each,
        name: nameOf(names, each.merchantAccountId),
        href: statementHref(visit, each.merchantAccountId),
        entries: entriesHref(visit, each),
      })),
      entries: entriesHref(visit, filter),
      addresses: { ledger: visit.href(PATH), list: visit.href(ACCOUNTS_PATH) },
      first: after === undefined ? undefined : base,
      next:
        page.next === undefined
          ? undefined
          : `${base}${joined}${new URLSearchParams({ after: cursorOf(page.next) })}`,
    };
  },
});
