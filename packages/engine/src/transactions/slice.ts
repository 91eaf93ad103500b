/** The search of transactions and their detail: each query waits for its tenant's own writes. */
import { DetailView, SearchView, UnansweredView } from '@counterfoil/projections';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import {
  TenantTransactions,
  TRANSACTION_CALLS,
  TRANSACTION_INPUTS,
} from './tenant-transactions.ts';
import { Transactions } from './transactions.ts';

export type TransactionParts = PartsOf<typeof TRANSACTIONS>;

export const TRANSACTIONS = slice({
  scopes: { 'transactions:read': 'Search transactions and read their details' },
  make({ stores, readSide, clock, commands, referenceView }: Base & TenantParts) {
    const { readModels } = stores;
    const transactions = new Transactions({
      details: new DetailView(readModels, referenceView),
      searches: new SearchView(readModels, referenceView),
      unanswered: new UnansweredView(readModels),
      readSide,
      clock,
      commands,
    });
    return { transactions };
  },
  tenant: ({ transactions }) => ({
    transactions: tenantPart(
      TRANSACTION_INPUTS,
      (acting) => new TenantTransactions(transactions, acting),
      TRANSACTION_CALLS,
    ),
  }),
});
