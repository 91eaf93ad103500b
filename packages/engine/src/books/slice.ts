/** The books and reports: each query waits for its tenant's own writes. */
import { LedgerView, RecurringView, StatementView } from '@counterfoil/projections';
import { type Base, slice } from '../slice.ts';
import { Books } from './books.ts';

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
});
