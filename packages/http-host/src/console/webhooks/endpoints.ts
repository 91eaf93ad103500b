/** Webhooks: the endpoints of the tenant, and who sends it signed messages. */
import { WebhookEndpoints } from '@counterfoil/core';
import type { WebhookEndpointView } from '@counterfoil/engine';
import { z } from 'zod';
import { bounded, text, Uuid } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { Before, changedOnce, chosenIn, chosenText, compared, type Texts } from '../compared.ts';
import { Chosen, SeenVersion, Ticked } from '../fields.ts';
import { type Again, consoleForm, consolePage, type Outcome, type Visit } from '../slice.ts';
import { ENDPOINT_STATES, nameOf, PATH, READ, WRITE } from './words.ts';

const NEW = '/webhooks/new-endpoint';
const NEW_SOURCE = '/webhooks/new-source';
const OVERLAPS = ['0', '1', '7'] as const;
const MAX_URL = WebhookEndpoints.MAX_URL_LENGTH;
export const EndpointParams = z.object({ id: Uuid });

const Description = text(200).default('');
const EventTypes = Chosen.pipe(z.array(z.enum(WebhookEndpoints.EVENT_TYPES)));
/** None chosen: all of them. */
const outFields = { url: bounded(MAX_URL), eventTypes: EventTypes, ordered: Ticked };

export function hrefOf(visit: Visit, id: string, rest = ''): string {
  return visit.href(`${PATH}/${id}${rest}`);
}

/** Refuses an endpoint of the other data. */
export async function endpointOf(visit: Visit, id: string): Promise<WebhookEndpointView> {
  const found = await visit.ledger.webhookEndpoints.get(id);
  if (found.environment !== visit.environment) throw refuse('not_found');
  return found;
}

/** All of this environment, the oldest first. */
export async function endpointsOf({ ledger, environment }: Visit): Promise<WebhookEndpointView[]> {
  const found: WebhookEndpointView[] = [];
  let after: string | undefined;
  do {
    const page = await ledger.webhookEndpoints.list({ ...(after !== undefined && { after }) });
    found.push(...page.items.filter((each) => each.environment === environment));
    after = page.next;
  } while (after !== undefined);
  return found;
}

const list = consolePage({
  path: PATH,
  title: 'Webhooks',
  scope: READ,
  template: '/webhooks/list',
  async load(visit) {
    const all = await endpointsOf(visit);
    const rows = await Promise.all(
      all.map(async (each) => ({
        ...each,
        name: nameOf(each),
        href: hrefOf(visit, each.id),
        state: ENDPOINT_STATES[each.status],
        newest: await newestOf(visit, each),
      })),
    );
    return {
      endpoints: rows.filter(({ direction }) => direction === 'out'),
      sources: rows.filter(({ direction }) => direction === 'in'),
      newHref: visit.may(WRITE) ? visit.href(NEW) : undefined,
      newSourceHref: visit.may(WRITE) ? visit.href(NEW_SOURCE) : undefined,
    };
  },
});

/** At most so many that were given up are counted of an endpoint. */
const MOST_DEAD = 20;

/** The newest delivery, and how many were given up: `20+` for more. */
async function newestOf({ ledger }: Visit, { id, direction }: WebhookEndpointView) {
  if (direction === 'in') return undefined;
  const [all, dead] = await Promise.all([
    ledger.webhooks.deliveries(id, { limit: 1 }),
    ledger.webhooks.deliveries(id, { limit: MOST_DEAD + 1, status: 'dead' }),
  ]);
  const count = dead.items.length;
  return {
    at: all.items[0]?.createdAt,
    dead: count > MOST_DEAD ? `${MOST_DEAD}+` : String(count || ''),
  };
}

/** What the fields of an endpoint may be. */
const fieldChoices = {
  eventTypes: WebhookEndpoints.EVENT_TYPES.filter((type) => type !== '*'),
};

const newEndpoint = consolePage({
  path: NEW,
  title: 'New endpoint',
  scope: WRITE,
  template: '/webhooks/new-endpoint',
  load: async (visit) => ({
    ...fieldChoices,
    back: visit.href(PATH),
    action: visit.href(NEW),
  }),
});

const create = consoleForm({
  name: 'create-webhook-endpoint',
  path: NEW,
  scope: WRITE,
  body: z.object({ ...outFields, description: Description }),
  page: newEndpoint,
  async act(visit, { body: { eventTypes, ...given } }) {
    const made = await visit.ledger.webhookEndpoints.create({
      ...given,
      direction: 'out',
      environment: visit.environment,
      eventTypes: eventTypes.length === 0 ? ['*'] : eventTypes,
    });
    return shownOnce(visit, made, 'Your new endpoint');
  },
});

const newSource = consolePage({
  path: NEW_SOURCE,
  title: 'New source',
  scope: WRITE,
  template: '/webhooks/new-source',
  load: async (visit) => ({ back: visit.href(PATH), action: visit.href(NEW_SOURCE) }),
});

const createSource = consoleForm({
  name: 'create-webhook-source',
  path: NEW_SOURCE,
  scope: WRITE,
  body: z.object({ source: WebhookEndpoints.SourceName, description: Description }),
  page: newSource,
  async act(visit, { body }) {
    const { environment } = visit;
    const made = await visit.ledger.webhookEndpoints.create({
      ...body,
      direction: 'in',
      environment,
    });
    return shownOnce(visit, made, 'Your new source');
  },
});

function shownOnce(
  visit: Visit,
  { id, signingSecret, direction }: { id: string; signingSecret: string; direction: string },
  title: string,
): Outcome {
  const back = hrefOf(visit, id);
  return { template: '/webhooks/secret', title, data: { signingSecret, direction, back } };
}

const OUT_FIELDS = [
  { name: 'url', label: 'URL' },
  {
    name: 'eventTypes',
    label: 'Events',
    shown: (types: string) => chosenIn(types).join(', ') || 'All',
  },
  { name: 'ordered', label: 'Order', shown: (ordered: string) => ORDERS[ordered] ?? '' },
];
const DESCRIPTION = { name: 'description', label: 'Description' };
const ORDERS: Readonly<Record<string, string>> = {
  '': 'Each as soon as it can be',
  yes: 'Events about one subject one after the other',
};

/** The fields of the form, which for a source is the description alone. */
function comparedFields({ direction }: WebhookEndpointView) {
  return direction === 'out' ? [...OUT_FIELDS, DESCRIPTION] : [DESCRIPTION];
}

function textsOf({ url, eventTypes, ordered, description }: WebhookEndpointView): Texts {
  return {
    url: url ?? '',
    eventTypes: chosenText(eventTypes.filter((type) => type !== '*')),
    ordered: ordered ? 'yes' : '',
    description,
  };
}

function enteredOf({ url, eventTypes, ordered, description }: Again['values']): Texts {
  return {
    url: String(url ?? ''),
    eventTypes: chosenText(eventTypes),
    ordered: String(ordered ?? ''),
    description: String(description ?? ''),
  };
}

const CHANGE = 'change-webhook-endpoint';

const settings = consolePage({
  path: `${PATH}/{id}/settings`,
  title: 'Settings of the endpoint',
  scope: WRITE,
  params: EndpointParams,
  template: '/webhooks/settings',
  async load(visit, { params: { id }, again }) {
    const endpoint = await endpointOf(visit, id);
    const { values, conflicts, before } = compared({
      fields: comparedFields(endpoint),
      now: textsOf(endpoint),
      again: again?.name === CHANGE ? again : undefined,
      enteredOf,
    });
    return {
      ...fieldChoices,
      endpoint,
      values: { ...values, eventTypes: chosenIn(values['eventTypes'] ?? '') },
      conflicts,
      hidden: { before },
      name: nameOf(endpoint),
      overlaps: OVERLAPS,
      addresses: { list: visit.href(PATH), endpoint: hrefOf(visit, id) },
      actions: {
        change: hrefOf(visit, id, '/settings'),
        rotate: hrefOf(visit, id, '/rotate'),
        remove: hrefOf(visit, id, '/remove'),
      },
    };
  },
});

const change = consoleForm({
  name: CHANGE,
  path: `${PATH}/{id}/settings`,
  scope: WRITE,
  params: EndpointParams,
  body: z.object({
    ...outFields,
    url: outFields.url.optional(),
    description: Description,
    before: Before,
  }),
  page: settings,
  async act(visit, { params: { id }, body: { before, url, eventTypes, ordered, description } }) {
    const endpoint = await endpointOf(visit, id);
    const { direction, status, rowVersion } = endpoint;
    const out = {
      ...(url !== undefined && { url }),
      eventTypes: eventTypes.length === 0 ? (['*'] as const).slice() : eventTypes,
      ordered,
    };
    return changedOnce(visit, {
      fields: comparedFields(endpoint),
      before,
      entered: enteredOf({
        url: url ?? '',
        eventTypes,
        ordered: ordered ? 'yes' : '',
        description,
      }),
      now: textsOf(endpoint),
      what: direction === 'out' ? 'endpoint' : 'source',
      to: hrefOf(visit, id),
      act: () =>
        visit.ledger.webhookEndpoints.change(id, {
          description,
          rowVersion,
          ...(direction === 'out' && out),
          // To be sent to again is asked for by a button of its own.
          ...(status === 'disabled' && { status: 'paused' as const }),
        }),
    });
  },
});

const rotate = consoleForm({
  name: 'rotate-webhook-secret',
  path: `${PATH}/{id}/rotate`,
  scope: WRITE,
  params: EndpointParams,
  body: z.object({ overlapDays: z.enum(OVERLAPS).transform(Number), rowVersion: SeenVersion }),
  page: settings,
  async act(visit, { params: { id }, body: { overlapDays, rowVersion } }) {
    // Sent twice, it would end the secret that the receiver still has.
    if ((await endpointOf(visit, id)).rowVersion !== rowVersion) {
      throw refuse(
        'stale_row_version',
        'The endpoint has changed since the page was shown, and its secret was not replaced. Look at it as it is now, and do it again.',
      );
    }
    const made = await visit.ledger.webhookEndpoints.rotate(id, { overlapDays });
    return shownOnce(visit, made, 'The secret in its place');
  },
});

const remove = consoleForm({
  name: 'remove-webhook-endpoint',
  path: `${PATH}/{id}/remove`,
  scope: WRITE,
  params: EndpointParams,
  page: settings,
  async act(visit, { params: { id } }) {
    await endpointOf(visit, id);
    const removed = await visit.ledger.webhookEndpoints.remove(id);
    return { to: visit.href(PATH), notice: `${nameOf(removed)} is removed.` };
  },
});

export const ENDPOINT_PAGES = [list, newEndpoint, newSource, settings];
export const ENDPOINT_FORMS = [create, createSource, change, rotate, remove];
