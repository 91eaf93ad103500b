/** Settlements: what differs between files or payouts and the books, by age, and their imports. */
import type { Settlement } from '@counterfoil/core';
import type { TenantLedger } from '@counterfoil/engine';
import { z } from 'zod';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { bounded, Uuid } from '../../api/wire.ts';
import { AccountNumber, accountNames, nameOf } from '../ledger/words.ts';
import { addressWith } from '../list-address.ts';
import { optionsFor } from '../options.ts';
import { shownMoney } from '../shown.ts';
import { consolePage, consoleSlice, type Visit } from '../slice.ts';

export const PATH = '/settlements';
export const SCOPE = 'settlements:read';
const IMPORTS_PATH = '/settlements/imports';
const PAGE_SIZE = 25;

type Unmatched = Awaited<ReturnType<TenantLedger['settlements']['unmatched']>>['items'][number];

const DIFFERENCES: Readonly<Record<Settlement.DifferenceType, string>> = {
  'missing-here': 'Not in the books',
  'missing-there': 'In no file',
  currency: 'Another currency',
  amount: 'Another amount',
  fee: 'Another fee',
  settled: 'Settled before',
  unreadable: 'Unreadable',
};

const filters = { merchantAccountId: AccountNumber.optional() };
const after = bounded(2_000).optional();

function placeOf(cursor: string | undefined) {
  return cursor === undefined ? {} : { after: inCursor(cursor, z.string()) };
}

function tabsOf(visit: Visit, current: string) {
  const tab = (title: string, path: string) => {
    return { title, href: visit.href(path), isCurrent: path === current };
  };
  return [tab('What differs', PATH), tab('Imports', IMPORTS_PATH)];
}

interface Listed {
  readonly path: string;
  readonly filter: Readonly<Record<string, string | undefined>>;
  readonly cursor: string | undefined;
  readonly next: string | undefined;
}

function addressesOf(visit: Visit, { path, filter, cursor, next }: Listed) {
  const base = visit.href(path);
  return {
    list: base,
    first: cursor === undefined ? undefined : addressWith(base, filter),
    next: next === undefined ? undefined : addressWith(base, { ...filter, after: cursorOf(next) }),
  };
}

const unmatched = consolePage({
  path: PATH,
  title: 'Settlements: what differs',
  scope: SCOPE,
  query: z.object({ ...filters, settlementId: Uuid.optional(), after }),
  isList: true,
  template: '/settlements/unmatched',
  async load(visit, { query: { after: cursor, ...asked } }) {
    const [{ items, next }, names, { merchantAccounts: accounts }] = await Promise.all([
      visit.ledger.settlements.unmatched({ ...asked, limit: PAGE_SIZE, ...placeOf(cursor) }),
      accountNames(visit),
      optionsFor(visit),
    ]);
    const { merchantAccountId, settlementId } = asked;
    const filter = { merchantAccountId: merchantAccountId?.toString(), settlementId };
    const mayRead = visit.may('transactions:read');
    return {
      tabs: tabsOf(visit, PATH),
      filter,
      accounts,
      isFiltered: Object.keys(asked).length > 0,
      rows: items.map((each) => ({
        ...each,
        title: DIFFERENCES[each.type],
        account: nameOf(names, each.merchantAccountId),
        expected: expectedOf(each),
        href:
          each.transactionId !== null && mayRead
            ? visit.href(`/transactions/${each.childId ?? each.transactionId}`)
            : undefined,
      })),
      addresses: addressesOf(visit, { path: PATH, filter, cursor, next }),
    };
  },
});

/** What the books say instead: an amount, or a text. */
function expectedOf({ expected, currency }: Unmatched): string {
  if (expected === null) return '';
  return typeof expected === 'number' ? shownMoney(expected, currency) : expected;
}

const imports = consolePage({
  path: IMPORTS_PATH,
  title: 'Settlements: imports',
  scope: SCOPE,
  query: z.object({ ...filters, after }),
  isList: true,
  template: '/settlements/imports',
  async load(visit, { query: { after: cursor, ...asked } }) {
    const [{ items, next }, names, { merchantAccounts: accounts }] = await Promise.all([
      visit.ledger.settlements.list({ ...asked, limit: PAGE_SIZE, ...placeOf(cursor) }),
      accountNames(visit),
      optionsFor(visit),
    ]);
    const filter = { merchantAccountId: asked.merchantAccountId?.toString() };
    return {
      tabs: tabsOf(visit, IMPORTS_PATH),
      filter,
      accounts,
      isFiltered: asked.merchantAccountId !== undefined,
      rows: items.map((each) => ({
        ...each,
        account: nameOf(names, each.merchantAccountId),
        differing: Object.values(each.differences).reduce((sum, count) => sum + count, 0),
        href: addressWith(visit.href(PATH), { settlementId: each.id }),
      })),
      addresses: addressesOf(visit, { path: IMPORTS_PATH, filter, cursor, next }),
    };
  },
});

export const SETTLEMENTS = consoleSlice({
  nav: { title: 'Settlements', key: 'b', path: PATH, scope: SCOPE },
  pages: [unmatched, imports],
});
