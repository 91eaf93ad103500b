/** Merchant accounts: settings, cap and dispute rates. */
import { consoleSlice } from '../slice.ts';
import { detail } from './detail.ts';
import { list, PATH, SCOPE } from './list.ts';

export const MERCHANT_ACCOUNTS = consoleSlice({
  nav: { title: 'Merchant accounts', path: PATH, scope: SCOPE },
  pages: [list, detail],
});
