/** The year of the club in figures, compared with the ledger. */
import { FEE_MINOR } from './club.ts';
import { answerOf, type ClubApi } from './club-api.ts';

const REBILL_RETRY = 4;
const PAGE = 100;
const OF_THE_CLUB = { sandbox: true, currency: 'GBP' };

interface Figures {
  readonly joined: number;
  readonly renewed: number;
  readonly revenue: number;
  readonly frozen: number;
  readonly unfrozen: number;
  readonly left: number;
  readonly activeAtEnd: number;
}

/** Prints the table; resolves with whether its money equals the ledger. */
export async function showClubYear(api: ClubApi): Promise<boolean> {
  const { now } = await answerOf(api.client.GET('/v1/test/clock'));
  const to = now.slice(0, 7);
  const from = `${Number(to.slice(0, 4)) - 1}${to.slice(4)}`;
  const query = { ...OF_THE_CLUB, from, to };
  const { currencies } = await answerOf(
    api.client.GET('/api/ledger/recurring', { params: { query } }),
  );
  const [report] = currencies;
  if (report === undefined) throw new Error('the club has no members');
  const { months, totals } = report;
  const retries = await retriesByMonth(api);
  const ofAll = [...retries.values()].reduce((sum, count) => sum + count, 0);
  console.table([
    ...months.map((each) => rowOf(each.month, each, retries.get(each.month) ?? 0)),
    rowOf('the year', totals, ofAll),
  ]);

  const renewalsMinor = minor(totals.revenue);
  const feesMinor = totals.joined * Number(FEE_MINOR);
  const salesMinor = await salesOf(api);
  const agree = salesMinor === feesMinor + renewalsMinor;
  console.log(
    `Joining fees ${decimal(feesMinor)} and renewals ${decimal(renewalsMinor)} ` +
      `come to ${decimal(feesMinor + renewalsMinor)} GBP; the ledger's sales are ${decimal(salesMinor)} GBP.`,
  );
  return agree;
}

function rowOf(month: string, figures: Figures, retries: number) {
  const { joined, renewed, frozen, unfrozen, left, activeAtEnd, revenue } = figures;
  return {
    month,
    joined,
    renewals: renewed,
    retries,
    frozen,
    'new cards': unfrozen,
    left,
    active: activeAtEnd,
    revenue: revenue.toFixed(2),
  };
}

/** Retries by the month in which they were made. */
async function retriesByMonth({ client }: ClubApi): Promise<ReadonlyMap<string, number>> {
  const byMonth = new Map<string, number>();
  for (let pageNumber = 1; ; pageNumber += 1) {
    const body = {
      sandbox: true,
      applicationIds: [REBILL_RETRY],
      dateFrom: '2000-01-01',
      limit: PAGE,
      pageNumber,
    };
    const found = await answerOf(client.POST('/api/transactions/search', { body }));
    for (const { sent } of found.transactions) {
      const month = sent.slice(0, 7);
      byMonth.set(month, (byMonth.get(month) ?? 0) + 1);
    }
    if (!found.moreResults) return byMonth;
  }
}

/** The sales account of the test environment, which only the club uses. */
async function salesOf({ client }: ClubApi): Promise<number> {
  const { balanced, currencies } = await answerOf(
    client.GET('/api/ledger/trial-balance', { params: { query: OF_THE_CLUB } }),
  );
  if (!balanced) throw new Error('the trial balance is not zero');
  const accounts = currencies.flatMap((each) => each.accounts);
  return minor(accounts.find(({ account }) => account === 'sales')?.credit ?? 0);
}

function minor(amount: number): number {
  return Math.round(amount * 100);
}

function decimal(amountMinor: number): string {
  return (amountMinor / 100).toFixed(2);
}
