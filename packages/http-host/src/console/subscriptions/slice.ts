/** Subscriptions: found, shown with their charges to come, and changed. */
import { consoleSlice } from '../slice.ts';
import { CHANGE_FORMS, CHANGE_PAGES } from './changes.ts';
import { detail } from './detail.ts';
import { find, PATH, SCOPE } from './find.ts';

export const SUBSCRIPTIONS = consoleSlice({
  nav: { title: 'Subscriptions', key: 's', path: PATH, scope: SCOPE },
  pages: [find, detail, ...CHANGE_PAGES],
  forms: CHANGE_FORMS,
});
