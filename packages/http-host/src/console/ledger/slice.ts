/** The ledger: its balances, months of merchant accounts, and journal entries with their payments. */
import { consoleSlice } from '../slice.ts';
import { account } from './account.ts';
import { accounts, trialBalance } from './books.ts';
import { entries, statement, statementFile } from './months.ts';
import { PATH, READ } from './words.ts';

export const LEDGER = consoleSlice({
  nav: { title: 'Ledger', key: 'l', path: PATH, scope: READ },
  pages: [trialBalance, accounts, account, statement, entries],
  files: [statementFile],
});
