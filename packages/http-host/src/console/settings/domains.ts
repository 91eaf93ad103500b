/** Settings: the domains that mail may be sent from. */
import { DkimPrivateKey, DkimSelector, DomainName } from '@counterfoil/engine';
import { z } from 'zod';
import { text } from '../../api/wire.ts';
import { SeenVersion, Ticked } from '../fields.ts';
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

const domain = consolePage({
  path: `${PATHS.domains}/{id}`,
  title: 'Domain',
  scope: READ,
  params: Id,
  template: '/settings/domain',
  async load(visit, { params: { id } }) {
    const found = await visit.ledger.senderDomains.get(id);
    return {
      tabs: tabsOf(visit, PATHS.domains),
      back: visit.href(PATHS.domains),
      title: found.domain,
      domain: found,
      mayChange: visit.may(WRITE),
      action: visit.href(`${PATHS.domains}/${id}`),
      removal: visit.href(`${PATHS.domains}/${id}/remove`),
    };
  },
});

const change = consoleForm({
  name: 'change-domain',
  path: `${PATHS.domains}/{id}`,
  scope: WRITE,
  params: Id,
  body: z.object({
    includeSubdomains: Ticked,
    status: z.enum(['authorized', 'disabled']),
    ...dkim,
    rowVersion: SeenVersion,
  }),
  page: domain,
  async act(visit, { params: { id }, body }) {
    await visit.ledger.senderDomains.change(id, body);
    return { to: visit.href(PATHS.domains), notice: 'The domain is changed.' };
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
