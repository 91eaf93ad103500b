/** The books and reports: each query waits for its tenant's own writes. */
import {
  DisputeRateView,
  EntryView,
  LedgerView,
  RecurringView,
  SalesView,
  StatementView,
} from '@counterfoil/projections';
import { type Base, slice, tenantPart } from '../slice.ts';
import type { TenantParts } from '../tenants/index.ts';
import { Books } from './books.ts';
import { BOOKS_INPUTS, TenantBooks } from './tenant-books.ts';

export const BOOKS = slice({
  scopes: { 'ledger:read': 'Read the books and reports' },
  make({ stores, readSide, references }: Base & TenantParts) {
    const { readModels } = stores;
    const books = new Books({
      ledger: new LedgerView(readModels),
      journal: new EntryView(readModels),
      statements: new StatementView(readModels),
      disputeRates: new DisputeRateView(readModels),
      references,
      recurring: new RecurringView(readModels),
      sales: new SalesView(readModels),
      readSide,
    });
    return { books };
  },
  tenant: (parts) => ({
    books: tenantPart(BOOKS_INPUTS, (acting) => new TenantBooks(parts, acting), {}),
  }),
});
