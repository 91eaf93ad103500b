/** Webhooks: what was sent to an endpoint, each try of it, and sending it again. */
import { randomUUID } from 'node:crypto';
import { WebhookEndpoints } from '@counterfoil/core';
import { DeliveryStatus, type WebhookEndpointView } from '@counterfoil/engine';
import { IN_ORDER, inOrder, spanOfDays } from '@counterfoil/engine/input';
import { z } from 'zod';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { bounded, Day, Uuid } from '../../api/wire.ts';
import { addressWith } from '../list-address.ts';
import { consoleForm, consolePage, type Visit } from '../slice.ts';
import { EndpointParams, endpointOf, hrefOf } from './endpoints.ts';
import {
  DELIVERY_STATES,
  ENDPOINT_STATES,
  nameOf,
  PATH,
  READ,
  shownReason,
  WRITE,
} from './words.ts';

const PAGE_SIZE = 25;
const TYPES = WebhookEndpoints.EVENT_TYPES.filter((type) => type !== '*');
const DeliveryParams = EndpointParams.extend({ deliveryId: Uuid });
const Place = z.strictObject({ createdAt: z.iso.datetime(), id: z.string().max(64) });

const filters = {
  status: DeliveryStatus.optional(),
  type: z.enum([...TYPES, 'webhook.test']).optional(),
  dateFrom: Day.optional(),
  dateTo: Day.optional(),
};
const Listed = z.object({ ...filters, after: bounded(1_000).optional() }).refine(inOrder, IN_ORDER);

/** An endpoint, and what was sent to it. */
const endpoint = consolePage({
  path: `${PATH}/{id}`,
  title: 'Webhook endpoint',
  scope: READ,
  params: EndpointParams,
  query: Listed,
  isList: true,
  template: '/webhooks/endpoint',
  async load(visit, { params: { id }, query }) {
    const found = await endpointOf(visit, id);
    // A form that is shown again has none.
    const { after, ...filter } = query ?? {};
    return {
      title: nameOf(found),
      endpoint: found,
      state: ENDPOINT_STATES[found.status],
      mayChange: visit.may(WRITE),
      addresses: { list: visit.href(PATH), endpoint: hrefOf(visit, id) },
      actions: Object.fromEntries(
        ['settings', 'pause', 'resume', 'test', 'replay'].map((name) => [
          name,
          hrefOf(visit, id, `/${name}`),
        ]),
      ),
      // The same form sends one message, however often it is sent.
      hidden: { messageId: randomUUID() },
      sent: found.direction === 'out' ? await sentTo(visit, found, { after, filter }) : undefined,
    };
  },
});

interface Asked {
  readonly after: string | undefined;
  readonly filter: Omit<z.output<typeof Listed>, 'after'>;
}

async function sentTo(visit: Visit, { id }: WebhookEndpointView, { after, filter }: Asked) {
  const { status, type, dateFrom, dateTo } = filter;
  const { webhooks } = visit.ledger;
  const [page, dead] = await Promise.all([
    webhooks.deliveries(id, {
      limit: PAGE_SIZE,
      status,
      types: type && [type],
      ...spanOfDays({ dateFrom, dateTo }),
      ...(after !== undefined && { after: inCursor(after, Place) }),
    }),
    webhooks.deliveries(id, { limit: 1, status: 'dead' }),
  ]);
  const base = hrefOf(visit, id);
  return {
    filter,
    isFiltered: Object.keys(filter).length > 0,
    statuses: Object.entries(DELIVERY_STATES).map(([value, { text }]) => ({ value, label: text })),
    types: [...TYPES, 'webhook.test'],
    hasDead: dead.items.length > 0,
    deliveries: page.items.map((each) => ({
      ...each,
      state: DELIVERY_STATES[each.status],
      reason: shownReason(each.reason),
      href: hrefOf(visit, id, `/deliveries/${each.id}`),
    })),
    first: after === undefined ? undefined : addressWith(base, filter),
    next: page.end && addressWith(base, { ...filter, after: cursorOf(page.end) }),
  };
}

const delivery = consolePage({
  path: `${PATH}/{id}/deliveries/{deliveryId}`,
  title: 'Delivery',
  scope: READ,
  params: DeliveryParams,
  template: '/webhooks/delivery',
  async load(visit, { params: { id, deliveryId }, again }) {
    const to = await endpointOf(visit, id);
    const found = await visit.ledger.webhooks.delivery(id, deliveryId);
    return {
      title: found.type,
      delivery: found,
      state: DELIVERY_STATES[found.status],
      reason: shownReason(found.reason),
      body: JSON.stringify(found.body, null, 2),
      attempts: found.attemptLog
        .map((each) => ({
          ...each,
          reason: shownReason(each.error),
          tone: each.status !== null && each.status >= 200 && each.status < 300 ? 'good' : 'bad',
        }))
        .toReversed(),
      endpoint: { name: nameOf(to), href: hrefOf(visit, id) },
      list: visit.href(PATH),
      mayReplay: visit.may(WRITE) && to.status !== 'disabled',
      hidden: { seen: again?.values['seen'] ?? found.changedAt },
      action: hrefOf(visit, id, `/deliveries/${deliveryId}/replay`),
    };
  },
});

const replay = consoleForm({
  name: 'replay-webhook',
  path: `${PATH}/{id}/deliveries/{deliveryId}/replay`,
  scope: WRITE,
  params: DeliveryParams,
  body: z.object({
    /** When the delivery had changed last when the page was shown. */
    seen: bounded(64),
  }),
  page: delivery,
  async act(visit, { params: { id, deliveryId }, body: { seen } }) {
    await endpointOf(visit, id);
    const to = hrefOf(visit, id, `/deliveries/${deliveryId}`);
    const { changedAt } = await visit.ledger.webhooks.delivery(id, deliveryId);
    if (changedAt !== seen) {
      return { to, notice: 'It was not sent again: it has changed since. This is how it is now.' };
    }
    await visit.ledger.webhooks.replay(id, deliveryId);
    return { to, notice: 'It is sent again, under the same id.' };
  },
});

const replayDead = consoleForm({
  name: 'replay-dead-webhooks',
  path: `${PATH}/{id}/replay`,
  scope: WRITE,
  params: EndpointParams,
  page: endpoint,
  async act(visit, { params: { id } }) {
    const { createdAt: since } = await endpointOf(visit, id);
    const { replayed, next } = await visit.ledger.webhooks.replayRange(id, { since });
    const more = next === null ? '' : ' There are more: do it again for those.';
    const count = replayed === 1 ? 'One is' : `${replayed} are`;
    return { to: hrefOf(visit, id), notice: `${count} sent again.${more}` };
  },
});

const test = consoleForm({
  name: 'test-webhook',
  path: `${PATH}/{id}/test`,
  scope: WRITE,
  params: EndpointParams,
  body: z.object({ messageId: Uuid }),
  page: endpoint,
  async act(visit, { params: { id }, body }) {
    await endpointOf(visit, id);
    const made = await visit.ledger.webhooks.test(id, body);
    return {
      to: hrefOf(visit, id, `/deliveries/${made.id}`),
      notice: 'The test is on its way. Reload the page to see what became of it.',
    };
  },
});

const TURNS = {
  pause: 'It is paused. What happens meanwhile is kept for it.',
  resume: 'It is active.',
} as const;

const turns = (['pause', 'resume'] as const).map((turn) =>
  consoleForm({
    name: `${turn}-webhook-endpoint`,
    path: `${PATH}/{id}/${turn}`,
    scope: WRITE,
    params: EndpointParams,
    page: endpoint,
    async act(visit, { params: { id } }) {
      await endpointOf(visit, id);
      await visit.ledger.webhookEndpoints[turn](id);
      return { to: hrefOf(visit, id), notice: TURNS[turn] };
    },
  }),
);

export const DELIVERY_PAGES = [endpoint, delivery];
export const DELIVERY_FORMS = [replay, replayDead, test, ...turns];
