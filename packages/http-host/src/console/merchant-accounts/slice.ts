/** Merchant accounts: opening, settings, credentials, cap and dispute rates. */
import { consoleSlice } from '../slice.ts';
import { credentials, replaceCredentials } from './credentials.ts';
import { detail } from './detail.ts';
import { change, edit } from './edit.ts';
import { list, PATH, SCOPE } from './list.ts';
import { open, opening } from './new.ts';

export const MERCHANT_ACCOUNTS = consoleSlice({
  nav: { title: 'Merchant accounts', key: 'a', path: PATH, scope: SCOPE },
  pages: [list, opening, detail, edit, credentials],
  forms: [open, change, replaceCredentials],
});
