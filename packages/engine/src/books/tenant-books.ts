/** The books of one tenant, for one caller. */
import { TransactionId } from '@counterfoil/core';
import type { TrialBalance } from '@counterfoil/projections';
import { z } from 'zod';
import type { Acting } from '../acting.ts';
import { checkedCalls } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import type { Books } from './books.ts';
import { AccountsQuery, BooksQuery, RecurringQuery, StatementQuery } from './books-input.ts';

export interface TenantBooks {
  trialBalance(query?: BooksQuery): Promise<TrialBalance>;
  accounts(query: AccountsQuery): ReturnType<Books['accounts']>;
  /** The journal entries of a payment, in the order of its events; empty for another tenant's payment. */
  entries(paymentId: string): ReturnType<Books['entries']>;
  /** What a month posted to the books of a merchant account; without currencies where there are none. */
  statement(query: StatementQuery): ReturnType<Books['statement']>;
  recurring(query: RecurringQuery): ReturnType<Books['recurring']>;
}

export function booksOf(books: Books, { tenantId, environment }: Acting): TenantBooks {
  const scoped = <Query extends BooksQuery>({ sandbox = false, ...query }: Query) => ({
    ...definedOf(query),
    tenantId,
    sandbox: environment === 'test' || sandbox,
  });
  const calls: TenantBooks = {
    trialBalance: (query = {}) => books.trialBalance(scoped(query)),
    accounts: (query) => books.accounts(scoped(query)),
    entries: async (paymentId) => {
      const { success, data } = TransactionId.safeParse(paymentId);
      const entries = success ? await books.entries(tenantId, data) : [];
      return environment === 'live' ? entries : entries.filter(({ sandbox }) => sandbox);
    },
    statement: (query) => books.statement(scoped(query)),
    recurring: (query) => books.recurring(scoped(query)),
  };
  return checkedCalls(calls, {
    trialBalance: [BooksQuery.optional()],
    accounts: [AccountsQuery],
    entries: [z.string()],
    statement: [StatementQuery],
    recurring: [RecurringQuery],
  });
}
