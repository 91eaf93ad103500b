/** Settings: the lead keys of the tenant, each a publishable key for pages and a secret one for servers. */
import { type LeadKeyView, Origin, type ShownLeadKey } from '@counterfoil/engine';
import { Id } from '@counterfoil/engine/input';
import { z } from 'zod';
import { MAX_ORIGINS } from '../../api/keys.ts';
import { bounded, text, Uuid } from '../../api/wire.ts';
import { Before, changedOnce, compared, type Texts } from '../compared.ts';
import { optionsFor } from '../options.ts';
import { type Again, consoleForm, consolePage, type Outcome, type Visit } from '../slice.ts';
import { PATHS, tabsOf } from './tabs.ts';

const READ = 'keys:read';
const WRITE = 'keys:write';
export const NEW_LEAD_KEY = '/settings/new-lead-key';
const OF_LEADS = '/settings/lead-keys';
const OVERLAPS = ['0', '1', '7'] as const;
const MAX_ORIGINS_TEXT = 30_000;
const Params = z.object({ id: Uuid });

const Label = text(200);
/** As a form has it. */
export const ApplicationId = bounded(16)
  .regex(/^\d+$/, 'must be a number')
  .transform(Number)
  .pipe(Id);
/** One in each line. */
export const Origins = bounded(MAX_ORIGINS_TEXT)
  .default('')
  .transform(originsIn)
  .pipe(z.array(Origin).max(MAX_ORIGINS));

function originsIn(lines: string): string[] {
  return lines.split(/\s/).filter(Boolean);
}

export function stateOf({ revokedAt }: LeadKeyView, now: string) {
  if (revokedAt === null) return { text: 'Active', tone: 'good' };
  return revokedAt <= now ? { text: 'Revoked', tone: 'bad' } : { text: 'Ends soon', tone: 'warn' };
}

/** A page of them, for the list of all keys. */
export async function leadKeysOf(visit: Visit, after: string | undefined) {
  const listing = after === undefined ? {} : { after };
  const { items, next } = await visit.ledger.keys.listLeadKeys(listing);
  const names = await applicationNames(visit);
  const now = visit.services.now();
  const rows = items.map((key) => ({
    ...key,
    application: names.get(key.applicationId) ?? String(key.applicationId),
    state: stateOf(key, now),
    href: visit.href(`${OF_LEADS}/${key.id}`),
  }));
  return { rows, next };
}

export async function applicationNames(visit: Visit): Promise<ReadonlyMap<number, string>> {
  const { applications = [] } = await optionsFor(visit);
  return new Map(applications.map(({ value, label }) => [Number(value), label]));
}

const newLeadKey = consolePage({
  path: NEW_LEAD_KEY,
  title: 'New lead key',
  scope: WRITE,
  template: '/settings/new-lead-key',
  load: async (visit) => ({
    tabs: tabsOf(visit, PATHS.keys),
    back: visit.href(PATHS.keys),
    applications: (await optionsFor(visit)).applications,
    action: visit.href(NEW_LEAD_KEY),
  }),
});

const create = consoleForm({
  name: 'create-lead-key',
  path: NEW_LEAD_KEY,
  scope: WRITE,
  body: z.object({
    label: Label.min(1),
    applicationId: ApplicationId,
    environment: z.enum(['live', 'test']),
    allowedOrigins: Origins,
  }),
  page: newLeadKey,
  async act(visit, { body }) {
    const made = await visit.ledger.keys.createLeadKey(body);
    return shownOnce(visit, 'Your new lead key', made);
  },
});

function shownOnce(
  visit: Visit,
  title: string,
  { publishableKey, secretKey }: ShownLeadKey,
): Outcome {
  const data = { publishableKey, secretKey, back: visit.href(PATHS.keys) };
  return { template: '/settings/shown-lead-key', title, data };
}

const COMPARED = [
  { name: 'label', label: 'What it is for' },
  { name: 'allowedOrigins', label: 'Pages' },
];

function textsOf({ label, allowedOrigins }: Pick<LeadKeyView, 'label' | 'allowedOrigins'>): Texts {
  return { label, allowedOrigins: allowedOrigins.join('\n') };
}

function enteredOf({ label = '', allowedOrigins = '' }: Again['values']): Texts {
  return textsOf({ label: String(label), allowedOrigins: originsIn(String(allowedOrigins)) });
}

const CHANGE = 'change-lead-key';

const leadKey = consolePage({
  path: `${OF_LEADS}/{id}`,
  title: 'Lead key',
  scope: READ,
  params: Params,
  template: '/settings/lead-key',
  async load(visit, { params: { id }, again }) {
    const found = await visit.ledger.keys.getLeadKey(id);
    const names = await applicationNames(visit);
    const path = `${OF_LEADS}/${id}`;
    const { values, conflicts, before } = compared({
      fields: COMPARED,
      now: textsOf(found),
      again: again?.name === CHANGE ? again : undefined,
      enteredOf,
    });
    return {
      tabs: tabsOf(visit, PATHS.keys),
      back: visit.href(PATHS.keys),
      title: found.label || 'Lead key',
      key: found,
      application: names.get(found.applicationId) ?? String(found.applicationId),
      state: stateOf(found, visit.services.now()),
      given: values,
      conflicts,
      hidden: { before },
      mayChange: visit.may(WRITE) && found.revokedAt === null,
      overlaps: OVERLAPS,
      actions: {
        change: visit.href(path),
        rotate: visit.href(`${path}/rotate`),
        revoke: visit.href(`${path}/revoke`),
      },
    };
  },
});

const change = consoleForm({
  name: CHANGE,
  path: `${OF_LEADS}/{id}`,
  scope: WRITE,
  params: Params,
  body: z.object({ label: Label.default(''), allowedOrigins: Origins, before: Before }),
  page: leadKey,
  async act(visit, { params: { id }, body: { before, ...given } }) {
    const { keys } = visit.ledger;
    const found = await keys.getLeadKey(id);
    return changedOnce(visit, {
      fields: COMPARED,
      before,
      entered: textsOf(given),
      now: textsOf(found),
      what: 'key',
      to: visit.href(`${OF_LEADS}/${id}`),
      act: () => keys.changeLeadKey(id, { ...given, rowVersion: found.rowVersion }),
    });
  },
});

const rotate = consoleForm({
  name: 'rotate-lead-key',
  path: `${OF_LEADS}/{id}/rotate`,
  scope: WRITE,
  params: Params,
  body: z.object({ overlapDays: z.enum(OVERLAPS).transform(Number) }),
  page: leadKey,
  async act(visit, { params: { id }, body }) {
    const made = await visit.ledger.keys.rotateLeadKey(id, body);
    return shownOnce(visit, 'The keys in their place', made);
  },
});

const revoke = consoleForm({
  name: 'revoke-lead-key',
  path: `${OF_LEADS}/{id}/revoke`,
  scope: WRITE,
  params: Params,
  page: leadKey,
  async act(visit, { params: { id } }) {
    const { label, secretHint } = await visit.ledger.keys.revokeLeadKey(id);
    const notice = `The lead key ${label || secretHint} is revoked.`;
    return { to: visit.href(PATHS.keys), notice };
  },
});

export const LEAD_KEY_PAGES = [newLeadKey, leadKey];
export const LEAD_KEY_FORMS = [create, change, rotate, revoke];
