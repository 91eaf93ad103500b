/** The books and reports: each query waits for its tenant's own writes. */
import { LedgerView, RecurringView, StatementView } from '@counterfoil/projections';
import { type Base, slice, tenantPart } from '../slice.ts';
import { Books } from './books.ts';
import { BOOKS_INPUTS, TenantBooks } from './tenant-books.ts';

export const BOOKS = slice({
  scopes: { 'ledger:read': 'Read the books and reports' },
  make({ stores, readSide }: Base) {
    const { readModels } = stores;
    const books = new Books({
      ledger: new LedgerView(readModels),
      statements: new StatementView(readModels),
      recurring: new RecurringView(readModels),
      readSide,
    });
    return { books };
  },
  tenant: (parts) => ({
    books: tenantPart(BOOKS_INPUTS, (acting) => new TenantBooks(parts, acting), {}),
  }),
});
