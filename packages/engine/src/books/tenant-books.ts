/** The books of one tenant, for one caller. */
import { TransactionId } from '@counterfoil/core';
import { monthAfter, monthsIn, type TrialBalance } from '@counterfoil/projections';
import { z } from 'zod';
import { type Acting, sandboxOf } from '../acting.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Books } from './books.ts';
import {
  AccountsQuery,
  BooksQuery,
  DEFAULT_MONTHS,
  DisputeRateQuery,
  MAX_MONTHS,
  MAX_SALES_DAYS,
  PostingsQuery,
  RecurringQuery,
  SalesQuery,
  StatementQuery,
} from './books-input.ts';

/** The length of `yyyy-mm`, the prefix of an instant. */
const MONTH_LENGTH = 7;
const DAY_MS = 86_400_000;

interface BookParts {
  readonly books: Books;
  readonly clock: Clock;
}

export class TenantBooks {
  readonly #books: Books;
  readonly #clock: Clock;
  readonly #acting: Acting;

  constructor({ books, clock }: BookParts, acting: Acting) {
    this.#books = books;
    this.#clock = clock;
    this.#acting = acting;
  }

  async trialBalance(query: BooksQuery = {}): Promise<TrialBalance> {
    return this.#books.trialBalance(this.#scoped(query));
  }

  async accounts(query: AccountsQuery): ReturnType<Books['accounts']> {
    return this.#books.accounts(this.#scoped(query));
  }

  /** The journal entries of a payment, in the order of its events; empty for another tenant's payment. */
  async entries(paymentId: string): ReturnType<Books['entries']> {
    const { tenantId, environment } = this.#acting;
    const { success, data } = TransactionId.safeParse(paymentId);
    const entries = success ? await this.#books.entries(tenantId, data) : [];
    return environment === 'live' ? entries : entries.filter(({ sandbox }) => sandbox);
  }

  /** What was posted to an account in one currency, entry by entry, the newest first. */
  async postings(query: PostingsQuery): ReturnType<Books['postings']> {
    return this.#books.postings(this.#scoped(query));
  }

  /** What a month posted to the books of a merchant account; without currencies where there are none. */
  async statement(query: StatementQuery): ReturnType<Books['statement']> {
    return this.#books.statement(this.#scoped(query));
  }

  /** Chargebacks over captures, by merchant account and month. Refuses with `MonthsOutOfRange`. */
  async disputeRates({ from, to, ...query }: DisputeRateQuery = {}) {
    const range = this.#range(from, to);
    const scoped = this.#scoped(query);
    const found = await this.#books.disputeRates({ ...scoped, ...range });
    return { ...range, sandbox: scoped.sandbox, ...found };
  }

  /** Recurring revenue and churn, month by month. Refuses with `MonthsOutOfRange`. */
  async recurring({ from, to, ...query }: RecurringQuery = {}) {
    const range = this.#range(from, to);
    const currencies = await this.#books.recurring({ ...this.#scoped(query), ...range });
    return { ...range, currencies };
  }

  /**
   * What was captured, refunded and declined, by hour, day or month. Refuses with `DaysOutOfRange`
   * or, by month, with `MonthsOutOfRange`.
   */
  async sales(query: SalesQuery) {
    const { unit, from, to } = query;
    if (unit === 'month') rangeOf(from.slice(0, MONTH_LENGTH), to.slice(0, MONTH_LENGTH));
    else checkDays(unit, from, to);
    return { unit, from, to, currencies: await this.#books.sales(this.#scoped(query)) };
  }

  #range(from: string | undefined, to: string | undefined) {
    return rangeOf(from, to ?? this.#clock.now().slice(0, MONTH_LENGTH));
  }

  #scoped<Query extends BooksQuery>({ sandbox, ...query }: Query) {
    const { tenantId } = this.#acting;
    return { ...definedOf(query), tenantId, sandbox: sandboxOf(this.#acting, sandbox) };
  }
}

function checkDays(unit: keyof typeof MAX_SALES_DAYS, from: string, to: string): void {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const max = MAX_SALES_DAYS[unit];
  if (days >= 1 && days <= max) return;
  throw refused({ type: 'DaysOutOfRange', from, to, days, max });
}

function rangeOf(first: string | undefined, to: string): { from: string; to: string } {
  const from = first ?? monthAfter(to, 1 - DEFAULT_MONTHS);
  const months = monthsIn({ from, to });
  if (months >= 1 && months <= MAX_MONTHS) return { from, to };
  throw refused({ type: 'MonthsOutOfRange', from, to, months, max: MAX_MONTHS });
}

export const BOOKS_INPUTS: CallInputs<TenantBooks> = {
  trialBalance: [BooksQuery.optional()],
  accounts: [AccountsQuery],
  entries: [z.string()],
  postings: [PostingsQuery],
  statement: [StatementQuery],
  recurring: [RecurringQuery.optional()],
  disputeRates: [DisputeRateQuery.optional()],
  sales: [SalesQuery],
};
