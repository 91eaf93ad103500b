/** Settings: all keys of the tenant, and those of programs and of the email service one by one. */
import type { KeyView } from '@counterfoil/engine';
import { z } from 'zod';
import { checkScopes } from '../../api/keys.ts';
import { Day, text, Uuid } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { Chosen } from '../fields.ts';
import { addressWith } from '../list-address.ts';
import { optionsFor } from '../options.ts';
import { consoleForm, consolePage, type Outcome, type Visit } from '../slice.ts';
import { ApplicationId, applicationNames, leadKeysOf, NEW_LEAD_KEY, Origins } from './lead-keys.ts';
import { permissionsOf } from './roles.ts';
import { PATHS, tabsOf } from './tabs.ts';

const READ = 'keys:read';
const WRITE = 'keys:write';
const NEW = '/settings/new-key';
/** It stands in pages, which pay checkout sessions with it. */
const OF_PAGES = 'payment-publishable';
const NEEDED = 'A key for pages needs it';
const OVERLAPS = ['0', '1', '7'] as const;
const Id = z.object({ id: Uuid });

function stateOf({ revokedAt, expiresAt }: KeyView, now: string) {
  if (revokedAt !== null && revokedAt <= now) return { text: 'Revoked', tone: 'bad' };
  if (expiresAt !== null && expiresAt <= now) return { text: 'Expired', tone: 'bad' };
  if (revokedAt !== null) return { text: 'Ends soon', tone: 'warn' };
  return { text: 'Active', tone: 'good' };
}

const keys = consolePage({
  path: PATHS.keys,
  title: 'Keys',
  scope: READ,
  query: z.object({ after: text(64).optional(), afterLead: text(64).optional() }),
  isList: true,
  template: '/settings/keys',
  async load(visit, { query: { after, afterLead } }) {
    const page = await visit.ledger.keys.list({ ...(after !== undefined && { after }) });
    const leadKeys = await leadKeysOf(visit, afterLead);
    const now = visit.services.now();
    const base = visit.href(PATHS.keys);
    return {
      tabs: tabsOf(visit, PATHS.keys),
      keys: page.items.map((key) => ({
        ...key,
        state: stateOf(key, now),
        href: visit.href(`${PATHS.keys}/${key.id}`),
      })),
      next: page.next && addressWith(base, { after: page.next, afterLead }),
      leadKeys: leadKeys.rows,
      nextLead: leadKeys.next && addressWith(base, { after, afterLead: leadKeys.next }),
      newLeadHref: visit.may(WRITE) ? visit.href(NEW_LEAD_KEY) : undefined,
      newHref: visit.may(WRITE) ? visit.href(NEW) : undefined,
    };
  },
});

const newKey = consolePage({
  path: NEW,
  title: 'New key',
  scope: WRITE,
  template: '/settings/new-key',
  load: async (visit) => ({
    tabs: tabsOf(visit, PATHS.keys),
    back: visit.href(PATHS.keys),
    permissions: permissionsOf(visit),
    applications: (await optionsFor(visit)).applications,
    action: visit.href(NEW),
  }),
});

const create = consoleForm({
  name: 'create-key',
  path: NEW,
  scope: WRITE,
  body: z.object({
    label: text(200).min(1),
    kind: z.enum(['api', 'tenant', OF_PAGES]),
    environment: z.enum(['live', 'test']),
    scopes: Chosen,
    applicationId: ApplicationId.optional(),
    allowedOrigins: Origins,
    expires: Day.optional(),
  }),
  page: newKey,
  async act(visit, { body: { expires, scopes, applicationId, allowedOrigins, ...given } }) {
    checkScopes(scopes, visit.services.permissions);
    const { key } = await visit.ledger.keys.create({
      ...given,
      // The others have none.
      scopes: given.kind === 'api' ? scopes : [],
      ...(given.kind === OF_PAGES && pagesOf({ applicationId, allowedOrigins })),
      ...(expires !== undefined && { expiresAt: `${expires}T23:59:59.999Z` }),
    });
    return shownOnce(visit, 'Your new key', key);
  },
});

interface Pages {
  readonly applicationId: number | undefined;
  readonly allowedOrigins: readonly string[];
}

/** Whose sessions a key for pages pays, and where the pages are: without either it could do nothing. */
function pagesOf({ applicationId, allowedOrigins }: Pages) {
  const errors = [
    ...(applicationId === undefined ? [{ pointer: '/applicationId', detail: NEEDED }] : []),
    ...(allowedOrigins.length === 0 ? [{ pointer: '/allowedOrigins', detail: NEEDED }] : []),
  ];
  if (applicationId !== undefined && errors.length === 0) {
    return { applicationId, allowedOrigins: [...allowedOrigins] };
  }
  throw refuse('invalid_request', undefined, { errors });
}

function shownOnce(visit: Visit, title: string, key: string): Outcome {
  const data = { key, back: visit.href(PATHS.keys) };
  return { template: '/settings/shown-key', title, data };
}

const key = consolePage({
  path: `${PATHS.keys}/{id}`,
  title: 'Key',
  scope: READ,
  params: Id,
  template: '/settings/key',
  async load(visit, { params: { id } }) {
    const found = await visit.ledger.keys.get(id);
    const path = `${PATHS.keys}/${id}`;
    const { applicationId } = found;
    const names = await applicationNames(visit);
    return {
      tabs: tabsOf(visit, PATHS.keys),
      back: visit.href(PATHS.keys),
      title: found.label || 'Key',
      application: applicationId && (names.get(applicationId) ?? String(applicationId)),
      key: found,
      state: stateOf(found, visit.services.now()),
      successor: found.successorId && visit.href(`${PATHS.keys}/${found.successorId}`),
      mayChange: visit.may(WRITE) && found.revokedAt === null,
      overlaps: OVERLAPS,
      actions: { rotate: visit.href(`${path}/rotate`), revoke: visit.href(`${path}/revoke`) },
    };
  },
});

const rotate = consoleForm({
  name: 'rotate-key',
  path: `${PATHS.keys}/{id}/rotate`,
  scope: WRITE,
  params: Id,
  body: z.object({ overlapDays: z.enum(OVERLAPS).transform(Number) }),
  page: key,
  async act(visit, { params: { id }, body }) {
    const { key: made } = await visit.ledger.keys.rotate(id, body);
    return shownOnce(visit, 'The key in its place', made);
  },
});

const revoke = consoleForm({
  name: 'revoke-key',
  path: `${PATHS.keys}/{id}/revoke`,
  scope: WRITE,
  params: Id,
  page: key,
  async act(visit, { params: { id } }) {
    const { label, hint } = await visit.ledger.keys.revoke(id);
    return { to: visit.href(PATHS.keys), notice: `The key ${label || hint} is revoked.` };
  },
});

export const KEY_PAGES = [keys, newKey, key];
export const KEY_FORMS = [create, rotate, revoke];
