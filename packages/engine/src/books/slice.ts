/** The books and reports: each query waits for its tenant's own writes. */
import { LedgerView, RecurringView } from '@counterfoil/projections';
import { type Base, slice } from '../slice.ts';
import { Books } from './books.ts';

export const BOOKS = slice({
  scopes: { 'ledger:read': 'Read the books and reports' },
  make({ stores, readSide }: Base) {
    const { readModels } = stores;
    const ledger = new LedgerView(readModels);
    return { books: new Books({ ledger, recurring: new RecurringView(readModels), readSide }) };
  },
});
