/** Merchant accounts: settings, cap and dispute rates. */
import { consoleSlice } from '../slice.ts';
import { detail } from './detail.ts';
import { change, edit } from './edit.ts';
import { list, PATH, SCOPE } from './list.ts';

export const MERCHANT_ACCOUNTS = consoleSlice({
  nav: { title: 'Merchant accounts', path: PATH, scope: SCOPE },
  pages: [list, detail, edit],
  forms: [change],
});
