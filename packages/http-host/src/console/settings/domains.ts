/** Settings: the domains that mail may be sent from. */
import {
  DkimPrivateKey,
  DkimSelector,
  DomainName,
  type SenderDomainView,
} from '@counterfoil/engine';
import { z } from 'zod';
import { text } from '../../api/wire.ts';
import { Before, changedOnce, compared, type Texts } from '../compared.ts';
import { Ticked } from '../fields.ts';
import { consoleForm, consolePage } from '../slice.ts';
import { PATHS, tabsOf } from './tabs.ts';

const READ = 'senderdomains:read';
const WRITE = 'senderdomains:write';
const NEW = '/settings/new-domain';
const Id = z.object({ id: text(64) });
const dkim = { dkimSelector: DkimSelector.optional(), dkimPrivateKey: DkimPrivateKey.optional() };

const domains = consolePage({
  path: PATHS.domains,
  title: 'Domains',
  scope: READ,
  template: '/settings/domains',
  async load(visit) {
    const { items } = await visit.ledger.senderDomains.list();
    return {
      tabs: tabsOf(visit, PATHS.domains),
      domains: items.map((each) => ({ ...each, href: visit.href(`${PATHS.domains}/${each.id}`) })),
      newHref: visit.may(WRITE) ? visit.href(NEW) : undefined,
    };
  },
});

const newDomain = consolePage({
  path: NEW,
  title: 'New domain',
  scope: WRITE,
  template: '/settings/domain',
  load: async (visit) => ({
    tabs: tabsOf(visit, PATHS.domains),
    back: visit.href(PATHS.domains),
    domain: undefined,
    mayChange: true,
    action: visit.href(NEW),
  }),
});

const create = consoleForm({
  name: 'create-domain',
  path: NEW,
  scope: WRITE,
  body: z.object({ domain: DomainName.min(1), includeSubdomains: Ticked, ...dkim }),
  page: newDomain,
  async act(visit, { body }) {
    await visit.ledger.senderDomains.create(body);
    return { to: visit.href(PATHS.domains), notice: `Mail may be sent from ${body.domain}.` };
  },
});

const STATES = { authorized: 'Authorized', disabled: 'Disabled' } as const;
const KEPT = 'kept';

const COMPARED = [
  {
    name: 'status',
    label: 'State',
    shown: (text: string) => STATES[text as keyof typeof STATES] ?? text,
  },
  {
    name: 'includeSubdomains',
    label: 'Domains below it',
    shown: (text: string) => (text === '' ? 'No' : 'Yes'),
  },
  { name: 'dkimSelector', label: 'DKIM selector' },
  {
    name: 'dkimPrivateKey',
    label: 'DKIM private key',
    shown: (text: string) => (text === '' ? '' : text === KEPT ? 'Kept' : 'A new one'),
  },
];

function textsOf(found: SenderDomainView): Texts {
  return {
    status: found.status,
    includeSubdomains: found.includeSubdomains ? 'yes' : '',
    dkimSelector: found.dkimSelector ?? '',
    dkimPrivateKey: found.dkimPrivateKey === null ? '' : KEPT,
  };
}

/** A key or a selector that is not given stays as it was shown. */
function enteredOf(values: Readonly<Record<string, unknown>>, before: Texts): Texts {
  const entered = (name: string, fallback = '') => String(values[name] ?? fallback);
  return {
    status: entered('status'),
    includeSubdomains: entered('includeSubdomains'),
    dkimSelector: entered('dkimSelector') || (before['dkimSelector'] ?? ''),
    dkimPrivateKey: entered('dkimPrivateKey') || (before['dkimPrivateKey'] ?? ''),
  };
}

const CHANGE = 'change-domain';

const domain = consolePage({
  path: `${PATHS.domains}/{id}`,
  title: 'Domain',
  scope: READ,
  params: Id,
  template: '/settings/domain',
  async load(visit, { params: { id }, again }) {
    const found = await visit.ledger.senderDomains.get(id);
    const changing = again?.name === CHANGE ? again : undefined;
    const { values, conflicts, before } = compared({
      fields: COMPARED,
      now: textsOf(found),
      again: changing,
      enteredOf,
    });
    return {
      tabs: tabsOf(visit, PATHS.domains),
      back: visit.href(PATHS.domains),
      title: found.domain,
      domain: found,
      given: values,
      conflicts,
      hidden: { before },
      // What was typed is not sent back.
      isSecretLost: (changing?.values['dkimPrivateKey'] ?? '') !== '',
      mayChange: visit.may(WRITE),
      action: visit.href(`${PATHS.domains}/${id}`),
      removal: visit.href(`${PATHS.domains}/${id}/remove`),
    };
  },
});

const change = consoleForm({
  name: CHANGE,
  path: `${PATHS.domains}/{id}`,
  scope: WRITE,
  params: Id,
  body: z.object({
    includeSubdomains: Ticked,
    status: z.enum(['authorized', 'disabled']),
    ...dkim,
    before: Before,
  }),
  page: domain,
  async act(visit, { params: { id }, body: { before, ...given } }) {
    const { senderDomains } = visit.ledger;
    const found = await senderDomains.get(id);
    const { includeSubdomains, ...texts } = given;
    return changedOnce(visit, {
      fields: COMPARED,
      before,
      entered: enteredOf({ ...texts, includeSubdomains: includeSubdomains ? 'yes' : '' }, before),
      now: textsOf(found),
      what: 'domain',
      to: visit.href(PATHS.domains),
      act: () => senderDomains.change(id, { ...given, rowVersion: found.rowVersion }),
    });
  },
});

const remove = consoleForm({
  name: 'remove-domain',
  path: `${PATHS.domains}/{id}/remove`,
  scope: WRITE,
  params: Id,
  page: domain,
  async act(visit, { params: { id } }) {
    const removed = await visit.ledger.senderDomains.remove(id);
    const notice = `No mail is sent from ${removed.domain} any more.`;
    return { to: visit.href(PATHS.domains), notice };
  },
});

export const DOMAIN_PAGES = [domains, newDomain, domain];
export const DOMAIN_FORMS = [create, change, remove];
