/** Ledger: a month of a merchant account, and the journal entries of its payments. */
import { Month } from '@counterfoil/engine/input';
import { monthAfter, type StatementCurrency } from '@counterfoil/projections';
import { z } from 'zod';
import { CSV_TYPE } from '../../api/csv.ts';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { statementCsv } from '../../api/statements.ts';
import { bounded, text } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { addressWith } from '../list-address.ts';
import { type ConsoleFile, consolePage, type Visit } from '../slice.ts';
import {
  AccountNumber,
  accountNames,
  ENTRIES_PATH,
  nameOf,
  PATH,
  Place,
  READ,
  STATEMENT_PATH,
  statementHref,
  thisMonth,
} from './words.ts';

const CSV_PATH = '/ledger/statement.csv';
const PAGE_SIZE = 25;
const DAY_MS = 86_400_000;

type Amounts = Exclude<keyof StatementCurrency, 'currency' | 'fees'>;
/** In the order in which they add up. */
const LINES: readonly (readonly [name: Amounts, label: string])[] = [
  ['openingBalance', 'Owed by the acquirer when the month began'],
  ['gross', 'Captured'],
  ['voided', 'Voided'],
  ['refunds', 'Refunded'],
  ['chargebacks', 'Chargebacks'],
  ['chargebackReversals', 'Chargebacks won or withdrawn'],
  ['totalFees', 'Fees'],
  ['reserveHeld', 'Held in reserve'],
  ['reserveReleased', 'Released from the reserve'],
  ['settled', 'Settled'],
  ['closingBalance', 'Owed by the acquirer when the month ended'],
  ['margin', 'Margin'],
];
const SUMS: ReadonlySet<Amounts> = new Set(['openingBalance', 'closingBalance', 'margin']);

const Asked = z.object({ merchantAccountId: AccountNumber, month: Month.optional() });

/** Refuses an account that the company has not got: an empty statement would look like one without sales. */
async function statementOf(
  { ledger, services }: Visit,
  { merchantAccountId, month }: { readonly merchantAccountId: number; readonly month: string },
) {
  const found = await ledger.books.statement({ merchantAccountId, month });
  // What is posted to an account proves it.
  if (found.currencies.length > 0) return found;
  try {
    await ledger.merchantAccounts.get(merchantAccountId);
    return found;
  } catch (error) {
    if (services.refusalOf(error)?.code !== 'not_found') throw error;
    throw refuse('not_found', `This company has no merchant account ${merchantAccountId}.`);
  }
}

export const statement = consolePage({
  path: STATEMENT_PATH,
  title: 'Statement',
  scope: READ,
  query: Asked,
  isList: true,
  template: '/ledger/statement',
  async load(visit, { query: { merchantAccountId, month = thisMonth(visit) } }) {
    const [found, names] = await Promise.all([
      statementOf(visit, { merchantAccountId, month }),
      accountNames(visit),
    ]);
    const name = nameOf(names, merchantAccountId);
    const asked = { merchantAccountId: String(merchantAccountId), month };
    return {
      title: `${name}, ${month}`,
      name,
      merchantAccountId,
      month,
      currencies: found.currencies.map(({ currency, fees, ...amounts }) => ({
        currency,
        fees,
        lines: LINES.map(([key, label]) => ({
          label,
          amount: amounts[key],
          isSum: SUMS.has(key),
          fees: key === 'totalFees' ? fees : [],
        })),
      })),
      addresses: {
        ledger: visit.href(PATH),
        statement: visit.href(STATEMENT_PATH),
        before: statementHref(visit, merchantAccountId, monthAfter(month, -1)),
        next: statementHref(visit, merchantAccountId, monthAfter(month, 1)),
        csv: addressWith(visit.href(CSV_PATH), asked),
        entries: visit.may('transactions:read')
          ? addressWith(visit.href(ENTRIES_PATH), asked)
          : undefined,
      },
    };
  },
});

export const statementFile: ConsoleFile = {
  path: CSV_PATH,
  scope: READ,
  query: Asked,
  fileName: 'statement.csv',
  contentType: `${CSV_TYPE}; charset=utf-8; header=present`,
  async chunks(visit, { query }) {
    const { merchantAccountId, month = thisMonth(visit) } = query as z.output<typeof Asked>;
    return once(statementCsv(await statementOf(visit, { merchantAccountId, month })));
  },
};

async function* once(content: string): AsyncIterable<string> {
  yield content;
}

/** Entries of the payments that were sent in a month, each with all that it posted. */
export const entries = consolePage({
  path: ENTRIES_PATH,
  title: 'Journal entries',
  scope: READ,
  query: Asked.extend({ account: text(64).optional(), after: bounded(2_000).optional() }),
  isList: true,
  template: '/ledger/entries',
  async load(visit, { query: { merchantAccountId, month = thisMonth(visit), account, after } }) {
    if (!visit.may('transactions:read')) {
      throw refuse('insufficient_scope', 'Your roles do not allow it (transactions:read)');
    }
    const page = await visit.ledger.transactions.search({
      merchantAccountIds: [merchantAccountId],
      dateFrom: `${month}-01`,
      dateTo: lastDayOf(month),
      limit: PAGE_SIZE,
      ...(after !== undefined && { after: inCursor(after, Place) }),
    });
    const payments = page.transactions.filter(
      ({ originalTransactionId }) => originalTransactionId === '',
    );
    const names = await accountNames(visit);
    const filter = { merchantAccountId: String(merchantAccountId), month, account };
    const base = addressWith(visit.href(ENTRIES_PATH), filter);
    return {
      filter,
      name: nameOf(names, merchantAccountId),
      month,
      payments: await Promise.all(
        payments.map(async ({ transactionId, amount, currency, orderId, sent }) => ({
          ...{ transactionId, amount, currency, orderId, sent },
          href: visit.href(`/transactions/${transactionId}`),
          entries: await entriesOf(visit, { transactionId, account }),
        })),
      ),
      addresses: {
        ledger: visit.href(PATH),
        statement: statementHref(visit, merchantAccountId, month),
        list: visit.href(ENTRIES_PATH),
      },
      first: after === undefined ? undefined : base,
      next:
        page.moreResults && page.end !== undefined
          ? addressWith(visit.href(ENTRIES_PATH), { ...filter, after: cursorOf(page.end) })
          : undefined,
    };
  },
});

/** All of a payment, or those that post to an account. */
async function entriesOf(
  { ledger }: Visit,
  {
    transactionId,
    account,
  }: { readonly transactionId: string; readonly account?: string | undefined },
) {
  const all = await ledger.books.entries(transactionId);
  return account === undefined
    ? all
    : all.filter(({ lines }) => lines.some((line) => line.account === account));
}

function lastDayOf(month: string): string {
  const last = Date.parse(`${monthAfter(month, 1)}-01`) - DAY_MS;
  return new Date(last).toISOString().slice(0, 'yyyy-mm-dd'.length);
}
