/** The parts of the settings, and who may see them. */
import type { Visit } from '../slice.ts';

export const PATHS = {
  users: '/settings/users',
  roles: '/settings/roles',
  keys: '/settings/keys',
  domains: '/settings/domains',
  mailTexts: '/settings/mail-texts',
} as const;

const TABS = [
  {
    title: 'Users',
    path: PATHS.users,
    scope: 'users:read',
    text: 'Who signs in, and with which roles',
  },
  { title: 'Roles', path: PATHS.roles, scope: 'users:read', text: 'What users may do' },
  { title: 'Keys', path: PATHS.keys, scope: 'keys:read', text: 'What programs sign in with' },
  {
    title: 'Domains',
    path: PATHS.domains,
    scope: 'senderdomains:read',
    text: 'What mail may be sent from',
  },
  {
    title: 'Texts of mails',
    path: PATHS.mailTexts,
    scope: 'mails:read',
    text: 'What the ledger mails by itself, and how it says it',
  },
] as const;

export const SETTINGS_SCOPES: readonly string[] = TABS.map(({ scope }) => scope);

export function tabsOf(visit: Visit, current?: string) {
  return TABS.filter(({ scope }) => visit.may(scope)).map(({ path, ...tab }) => ({
    ...tab,
    href: visit.href(path),
    isCurrent: path === current,
  }));
}
