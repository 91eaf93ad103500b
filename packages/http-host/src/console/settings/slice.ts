/** Settings of the tenant: users, roles, keys, domains and texts of mails. They hold for live and sandbox data alike. */
import { refuse } from '../../http/errors.ts';
import { consolePage, consoleSlice } from '../slice.ts';
import { DOMAIN_FORMS, DOMAIN_PAGES } from './domains.ts';
import { KEY_FORMS, KEY_PAGES } from './keys.ts';
import { LEAD_KEY_FORMS, LEAD_KEY_PAGES } from './lead-keys.ts';
import { MAIL_TEXT_FORMS, MAIL_TEXT_FRAMES, MAIL_TEXT_PAGES } from './mail-texts.ts';
import { ROLE_FORMS, ROLE_PAGES } from './roles.ts';
import { SETTINGS_SCOPES, tabsOf } from './tabs.ts';
import { USER_FORMS, USER_PAGES } from './users.ts';

const PATH = '/settings';

const settings = consolePage({
  path: PATH,
  title: 'Settings',
  template: '/settings/settings',
  async load(visit) {
    const tabs = tabsOf(visit);
    if (tabs.length > 0) return { tabs };
    throw refuse(
      'insufficient_scope',
      'Your roles allow none of the settings. An owner of the company can change that.',
    );
  },
});

export const SETTINGS = consoleSlice({
  nav: { title: 'Settings', key: 'x', path: PATH, anyOf: SETTINGS_SCOPES },
  pages: [
    settings,
    ...USER_PAGES,
    ...ROLE_PAGES,
    ...KEY_PAGES,
    ...LEAD_KEY_PAGES,
    ...DOMAIN_PAGES,
    ...MAIL_TEXT_PAGES,
  ],
  forms: [
    ...USER_FORMS,
    ...ROLE_FORMS,
    ...KEY_FORMS,
    ...LEAD_KEY_FORMS,
    ...DOMAIN_FORMS,
    ...MAIL_TEXT_FORMS,
  ],
  frames: MAIL_TEXT_FRAMES,
});
