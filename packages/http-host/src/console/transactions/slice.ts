/** Transactions: searched, shown, and acted upon. */
import { consoleSlice } from '../slice.ts';
import { detail } from './detail.ts';
import { exported, list, PATH, SCOPE } from './list.ts';
import { MONEY_FORMS, MONEY_PAGES } from './money.ts';
import { SAVED_FORMS } from './saved.ts';
import { unanswered } from './unanswered.ts';

export const TRANSACTIONS = consoleSlice({
  nav: { title: 'Transactions', key: 't', path: PATH, scope: SCOPE },
  pages: [list, unanswered, detail, ...MONEY_PAGES],
  forms: [...MONEY_FORMS, ...SAVED_FORMS],
  files: [exported],
});
