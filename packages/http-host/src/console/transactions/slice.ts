/** Transactions: searched, shown, and acted upon. */
import { consoleSlice } from '../slice.ts';
import { detail } from './detail.ts';
import { exported, list, PATH, SCOPE } from './list.ts';
import { MONEY_FORMS, MONEY_PAGES } from './money.ts';

export const TRANSACTIONS = consoleSlice({
  nav: { title: 'Transactions', path: PATH, scope: SCOPE },
  pages: [list, detail, ...MONEY_PAGES],
  forms: MONEY_FORMS,
  files: [exported],
});
