/** The first page of the console: sales against the time before, and what needs a person. */
import { nearestNumber } from '@counterfoil/core';
import type { SalesUnit } from '@counterfoil/projections';
import { z } from 'zod';
import { CurrencyCode, Day } from '../../api/wire.ts';
import { hrefOf, statusOf } from '../disputes/queue.ts';
import { accountNames } from '../ledger/words.ts';
import { addressWith } from '../list-address.ts';
import { consolePage, consoleSlice, type Visit } from '../slice.ts';
import { LONG_AGO } from '../transactions/list.ts';
import { needsOf } from './needs.ts';
import { DAY_MS, DAYS, laterTo, type Range, rangesTo } from './ranges.ts';
import { type SalesCurrency, salesChart, shownPeriod } from './sales-chart.ts';

const PATH = '/overview';
const DAY_LENGTH = 'yyyy-mm-dd'.length;
const MONTH_LENGTH = 'yyyy-mm'.length;
const MAX_DISPUTES = 6;
const PERCENT = 100;
const TRANSACTIONS = 'transactions:read';
const UNKNOWN_BRAND = 0;

const TITLES: Readonly<Record<SalesUnit, string>> = {
  hour: 'Two days, by hour',
  day: '30 days, by day',
  month: '12 months, by month',
};

const overview = consolePage({
  path: PATH,
  title: 'Overview',
  query: z.object({
    by: z.enum(['hour', 'day', 'month']).optional(),
    to: Day.optional(),
    currency: CurrencyCode.optional(),
  }),
  isList: true,
  template: '/overview/overview',
  async load(visit, { query: { by = 'day', to, currency } }) {
    const mayReadBooks = visit.may('ledger:read');
    const today = visit.services.now().slice(0, DAY_LENGTH);
    const last = to ?? (await lastDay(visit, today));
    const { range, earlier } = rangesTo(last, by);
    const [sales, subscriptions, disputes, needs, before] = await Promise.all([
      mayReadBooks ? salesOf(visit, { by, range, earlier, currency }) : undefined,
      mayReadBooks ? subscriptionsOf(visit) : [],
      visit.may('disputes:read') ? visit.ledger.disputes.list({ limit: MAX_DISPUTES }) : undefined,
      needsOf(visit),
      newestDay(visit, earlier.to),
    ]);
    return {
      by,
      range,
      periods: {
        earlier: earlier.to,
        later: laterTo(last, { by, today }),
        before,
        isLatest: to === undefined,
      },
      transactions: visit.may(TRANSACTIONS)
        ? addressWith(visit.href('/transactions'), {
            dateFrom: range.from,
            dateTo: range.to,
            currency: sales?.shown,
          })
        : undefined,
      newestHref: addressWith(visit.href(PATH), { by, currency }),
      units: Object.entries(TITLES).map(([unit, title]) => ({ unit, title })),
      hrefOf: (change: Record<string, string>) => {
        const asked = { by, to: last, ...(currency !== undefined && { currency }), ...change };
        return `${visit.href(PATH)}?${new URLSearchParams(asked)}`;
      },
      sales,
      subscriptions,
      disputes: disputes?.disputes.map((each) => ({
        ...each,
        href: hrefOf(visit, each.disputeId),
        shownStatus: statusOf(each),
      })),
      needs,
    };
  },
});

/** Today; where nothing happened for long, the day of the newest transaction. */
async function lastDay(visit: Visit, today: string): Promise<string> {
  const newest = (await newestDay(visit, today)) ?? today;
  return Date.parse(today) - Date.parse(newest) > DAYS.day * DAY_MS ? newest : today;
}

/** The day of the newest transaction up to a day; undefined without one. */
async function newestDay(visit: Visit, dateTo: string): Promise<string | undefined> {
  if (!visit.may(TRANSACTIONS)) return undefined;
  const asked = { dateFrom: LONG_AGO, dateTo, limit: 1 };
  const { transactions } = await visit.ledger.transactions.search(asked);
  return transactions[0]?.sent.slice(0, DAY_LENGTH);
}

interface SalesAsked {
  readonly by: SalesUnit;
  readonly range: Range;
  readonly earlier: Range;
  readonly currency: string | undefined;
}

async function salesOf(visit: Visit, { by, range, earlier, currency }: SalesAsked) {
  const [now, before] = await Promise.all([
    visit.ledger.books.sales({ unit: by, ...range }),
    visit.ledger.books.sales({ unit: by, ...earlier }),
  ]);
  const most = now.currencies.toSorted((a, b) => b.totals.captures - a.totals.captures)[0];
  const shown = now.currencies.find((each) => each.currency === currency) ?? most;
  if (shown === undefined)
    return { currencies: [], shown: undefined, hasBefore: before.currencies.length > 0 };
  const same = before.currencies.find((each) => each.currency === shown.currency);
  return {
    currencies: now.currencies.map((each) => each.currency),
    shown: shown.currency,
    hasBefore: before.currencies.length > 0,
    figures: figuresOf(shown, same),
    chart: salesChart(shown, same?.periods ?? []),
    rows: shown.periods.map((each) => ({
      ...each,
      period: shownPeriod(each.period),
      tried: triedOf(each),
    })),
    accounts: await accountsOf(visit, shown),
    brands: shown.brands.map((each) => ({
      ...each,
      title: each.cardBrandId === UNKNOWN_BRAND ? 'Unknown, or no card' : each.cardBrand,
      tried: triedOf(each),
      rate: rateOf(each),
    })),
  };
}

function figuresOf({ currency, totals }: SalesCurrency, before: SalesCurrency | undefined) {
  const amount = (
    name: string,
    pick: (sold: SalesCurrency['totals']) => SalesCurrency['totals']['net'],
  ) => ({
    name,
    amount: pick(totals),
    currency,
    change: changeOf(nearestNumber(pick(totals)), before && nearestNumber(pick(before.totals))),
  });
  const tried = triedOf(totals);
  return [
    {
      ...amount('Captured', ({ captured }) => captured),
      of: counted(totals.captures, 'payment'),
    },
    {
      ...amount('Refunded', ({ refunded }) => refunded),
      of: `${shareOf(nearestNumber(totals.refunded), nearestNumber(totals.captured))} of what was captured`,
      isBad: true,
    },
    { ...amount('Net', ({ net }) => net), of: 'after refunds, chargebacks and fees' },
    {
      name: 'Declined',
      count: totals.declines,
      of: tried === 0 ? 'of no payments' : `of ${counted(tried, 'payment')}`,
      change: changeOf(totals.declines, before?.totals.declines),
      isBad: true,
    },
  ];
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((part / whole) * PERCENT).toFixed(1)} %`;
}

/** In percent; undefined where there was nothing before. */
function changeOf(now: number, before: number | undefined): number | undefined {
  if (!before) return undefined;
  return Math.round(((now - before) / Math.abs(before)) * PERCENT);
}

async function accountsOf(visit: Visit, { accounts, currency }: SalesCurrency) {
  const titles = await accountNames(visit);
  return accounts.map((each) => ({
    ...each,
    title: titles.get(each.merchantAccountId) ?? `Merchant account ${each.merchantAccountId}`,
    tried: triedOf(each),
    rate: rateOf(each),
    currency,
  }));
}

type Tried = Pick<SalesCurrency['totals'], 'captures' | 'declines'>;

/** Payments, approved or declined. */
function triedOf({ captures, declines }: Tried): number {
  return captures + declines;
}

/** Approved of those that were tried, in percent; undefined when none was. */
function rateOf(each: Tried): string | undefined {
  const tried = triedOf(each);
  return tried === 0 ? undefined : ((each.captures / tried) * PERCENT).toFixed(1);
}

/** Of the present month. */
async function subscriptionsOf(visit: Visit) {
  const month = visit.services.now().slice(0, MONTH_LENGTH);
  const { currencies } = await visit.ledger.books.recurring({ from: month, to: month });
  return currencies.map(({ currency, totals }) => ({
    currency,
    ...totals,
    // As the list of subscriptions has them: those that are frozen are not among them.
    active: totals.activeAtEnd - totals.frozenAtEnd,
  }));
}

export const OVERVIEW = consoleSlice({
  nav: { title: 'Overview', key: 'o', path: PATH },
  pages: [overview],
});
