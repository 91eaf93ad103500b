/** Statements: what a month posted to the books of a merchant account, from one balance to the next. */
import { type RawNumber, toExactMajor } from '@counterfoil/core';
import type { ReadModelStore } from '../read-model-store.ts';
import { added, type Balance, type Books, NOTHING_POSTED, type PeriodTotals } from './ledger.ts';
import { bookedMonths } from './ledger-months.ts';
import { LEDGER, liveModel } from './live-model.ts';

const RECEIVABLE = 'acquirer-receivable';
const FEES = 'fees:';

export interface StatementQuery extends Books {
  /** `yyyy-mm`, GMT. */
  readonly month: string;
  /** All when absent. */
  readonly currency?: string;
}

type Money = number | RawNumber;

/**
 * One currency of a statement, in major units:
 * `closingBalance = openingBalance + gross - voided - refunds - chargebacks + chargebackReversals -
 * totalFees - reserveHeld + reserveReleased - settled`.
 */
export interface StatementCurrency {
  readonly currency: string;
  /** What the acquirer owed when the month began. */
  readonly openingBalance: Money;
  /** Captured. */
  readonly gross: Money;
  readonly voided: Money;
  readonly refunds: Money;
  readonly chargebacks: Money;
  /** Of chargebacks that were won or withdrawn. */
  readonly chargebackReversals: Money;
  /** Each fee that was charged, less what voids gave back, by the name of its account. */
  readonly fees: readonly { readonly account: string; readonly amount: Money }[];
  readonly totalFees: Money;
  readonly reserveHeld: Money;
  /** Released, or given back by voids. */
  readonly reserveReleased: Money;
  /** What reached the bank, less what the acquirer took back. */
  readonly settled: Money;
  /** What the acquirer owed when the month ended. */
  readonly closingBalance: Money;
  /** Gross less voids, refunds, chargebacks that were not reversed, and fees. */
  readonly margin: Money;
}

export interface Statement {
  readonly merchantAccountId: number;
  readonly sandbox: boolean;
  readonly month: string;
  /** Those with anything posted up to the end of the month, in the order of their codes. */
  readonly currencies: readonly StatementCurrency[];
}

interface Found {
  readonly opening: bigint;
  readonly totals: PeriodTotals['accounts'];
}

/** Queries over the monthly totals of the ledger read model. */
export class StatementView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  async statement({ month, currency, ...books }: StatementQuery): Promise<Statement> {
    const model = await liveModel(this.#store, LEDGER);
    const found = new Map<string, Found>();
    for await (const each of bookedMonths(model, books)) {
      // Of declines without a fee there is nothing but their number.
      const isAsked = each.month <= month && (currency ?? each.currency) === each.currency;
      if (!isAsked || each.accounts.size === 0) continue;
      const { opening, totals } = found.get(each.currency) ?? { opening: 0n, totals: new Map() };
      found.set(
        each.currency,
        each.month === month
          ? { opening, totals: each.accounts }
          : { opening: opening + owed(each.accounts), totals },
      );
    }
    const { merchantAccountId, sandbox } = books;
    const currencies = [...found].map(([code, { opening, totals }]) =>
      shownOf(code, opening, totals),
    );
    return { merchantAccountId, sandbox, month, currencies };
  }
}

/** What the acquirer owes more than before. */
function owed(accounts: PeriodTotals['accounts']): bigint {
  return netOf(accounts.get(RECEIVABLE) ?? NOTHING_POSTED);
}

function netOf({ debitMinor, creditMinor }: Balance): bigint {
  return debitMinor - creditMinor;
}

function shownOf(
  currency: string,
  openingMinor: bigint,
  accounts: PeriodTotals['accounts'],
): StatementCurrency {
  const of = (name: string) => accounts.get(name) ?? NOTHING_POSTED;
  const shown = (minor: bigint) => toExactMajor(minor, currency);
  const fees = [...accounts].filter(([name]) => name.startsWith(FEES));
  const totalFees = fees.map(([, each]) => each).reduce(added, NOTHING_POSTED);
  const spent = [of('refunds'), of('chargebacks'), totalFees].reduce(added);
  return {
    currency,
    openingBalance: shown(openingMinor),
    gross: shown(of('sales').creditMinor),
    voided: shown(of('sales').debitMinor),
    refunds: shown(netOf(of('refunds'))),
    chargebacks: shown(of('chargebacks').debitMinor),
    chargebackReversals: shown(of('chargebacks').creditMinor),
    fees: fees.map(([account, each]) => ({ account, amount: shown(netOf(each)) })),
    totalFees: shown(netOf(totalFees)),
    reserveHeld: shown(of('reserve').debitMinor),
    reserveReleased: shown(of('reserve').creditMinor),
    settled: shown(netOf(of('bank'))),
    closingBalance: shown(openingMinor + owed(accounts)),
    margin: shown(-netOf(of('sales')) - netOf(spent)),
  };
}
