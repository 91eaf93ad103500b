/** Reads of subscriptions: detail, schedule, all of them, and those of a customer. */
import type { Subscription } from '@counterfoil/core';
import type { TenantLedger } from '@counterfoil/engine';
import { renderSubscription, SUBSCRIPTION_STATUS } from '@counterfoil/projections';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { apiSlice } from './slice.ts';
import {
  ScheduleAnswer,
  SubscriptionAnswer,
  SubscriptionBody,
  scheduleAnswer,
  subscriptionAnswer,
} from './subscription-body.ts';
import {
  type FaceServices,
  Id,
  ledgerFor,
  QueryBoolean,
  queryInteger,
  queryLimit,
} from './wire.ts';

const SCOPE = 'subscriptions:read';
const ACCESS = { kind: 'api-key', scope: SCOPE, requiresUserEmail: false } as const;
const MAX_LIMIT = 100;
/** Charges of a schedule: three years of a monthly subscription. */
const MAX_CHARGES = 36;
const DEFAULT_CHARGES = 12;

export const SubscriptionParams = z.object({
  id: queryInteger(Id).meta({ description: 'The subscriber id' }),
});

const CustomerParams = z.object({ id: queryInteger(Id).meta({ description: 'The customer id' }) });

const pageFields = {
  success: z.literal(true),
  subscriptions: z.array(SubscriptionBody),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable().meta({ description: '`cursor` of the next page' }),
};
const SubscriptionList = z.object(pageFields).meta({ id: 'SubscriptionList' });
const CustomerSubscriptions = z.object(pageFields).meta({ id: 'CustomerSubscriptions' });

const paging = {
  sandbox: QueryBoolean.optional().meta({
    description: 'Absent: live data with a live key, test data with a test key',
  }),
  limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
  cursor: z.string().max(1_000).optional(),
};

function subscriptionEndpoints(services: FaceServices): Endpoint[] {
  return [
    listSubscriptions(services),
    getSubscription(services),
    getSchedule(services),
    listOfCustomer(services),
  ];
}

function listSubscriptions(services: FaceServices) {
  return endpoint({
    operationId: 'listSubscriptions',
    method: 'GET',
    path: '/v1/subscriptions',
    tag: 'Subscriptions',
    summary: 'List subscriptions',
    description:
      'All that ever started, the newest first, ended ones among them. All filters that are given must hold.',
    access: ACCESS,
    query: z.object({
      status: z.enum(SUBSCRIPTION_STATUS).optional().meta({
        description:
          '`active`: billed; `frozen`: no longer billed, until it is unfrozen; `ended`: unsubscribed. In the records an `active` one has `active` without `frozen`, a `frozen` one both, and an `ended` one no `active`',
      }),
      merchantAccountId: queryInteger(Id)
        .optional()
        .meta({ description: 'The merchant account that is billed at' }),
      ...paging,
    }),
    responses: { 200: { description: 'A page of subscriptions', schema: SubscriptionList } },
    rejections: ['live_data_forbidden', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { query: { cursor, ...asked } }) {
      const { subscriptions } = ledgerFor(services, context);
      const page = await subscriptions.list({ ...asked, ...placeIn(cursor) });
      return { status: 200, body: await pageBody(context, subscriptions, page) };
    },
  });
}

function placeIn(cursor: string | undefined): { readonly after?: number } {
  return cursor === undefined ? {} : { after: inCursor(cursor, Id) };
}

interface Page {
  readonly subscriptions: readonly Subscription.Subscription[];
  readonly moreResults: boolean;
}

async function pageBody(
  { principal: { tenantId } }: RequestContext,
  face: TenantLedger['subscriptions'],
  { subscriptions, moreResults: hasMore }: Page,
) {
  const names = await face.names();
  const last = subscriptions.at(-1)?.subscriptionId;
  return {
    success: true,
    subscriptions: subscriptions.map((each) => renderSubscription(each, { tenantId, names })),
    hasMore,
    nextCursor: hasMore && last !== undefined ? cursorOf(last) : null,
  };
}

function getSubscription(services: FaceServices) {
  return endpoint({
    operationId: 'getSubscription',
    method: 'GET',
    path: '/v1/subscriptions/{id}',
    tag: 'Subscriptions',
    summary: 'Read a subscription',
    description:
      'The subscription as its events have it at this moment, with the names of the company and the merchant account as they are now.',
    access: ACCESS,
    params: SubscriptionParams,
    responses: { 200: { description: 'The subscription', schema: SubscriptionAnswer } },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle(context, { params }) {
      const { tenantId } = context.principal;
      const { subscriptions } = ledgerFor(services, context);
      const subscription = await subscriptions.get(params.id);
      const names = await subscriptions.names();
      return { status: 200, body: subscriptionAnswer(subscription, { tenantId, names }) };
    },
  });
}

function getSchedule(services: FaceServices) {
  return endpoint({
    operationId: 'getSubscriptionSchedule',
    method: 'GET',
    path: '/v1/subscriptions/{id}/schedule',
    tag: 'Subscriptions',
    summary: 'What will be charged, and when',
    description:
      'The charges to come by the plan as it is now, and what happens if the next of them is declined, by the dunning settings of the tenant. A charge that is due is made within seconds of its date.',
    access: ACCESS,
    params: SubscriptionParams,
    query: z.object({
      count: queryLimit({ max: MAX_CHARGES, fallback: DEFAULT_CHARGES }).meta({
        description: 'The number of charges',
      }),
    }),
    responses: { 200: { description: 'The schedule', schema: ScheduleAnswer } },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle(context, { params, query }) {
      const { subscriptions } = ledgerFor(services, context);
      const schedule = await subscriptions.schedule(params.id, query);
      return { status: 200, body: scheduleAnswer(params.id, schedule) };
    },
  });
}

function listOfCustomer(services: FaceServices) {
  return endpoint({
    operationId: 'listCustomerSubscriptions',
    action: 'subscriptions.ofCustomer',
    method: 'GET',
    path: '/customers/{id}/subscriptions',
    tag: 'Customer Service',
    summary: 'The subscriptions of a customer',
    description: 'All that the customer ever had, the newest first, unsubscribed ones among them.',
    access: { ...ACCESS, requiresUserEmail: true },
    params: CustomerParams,
    query: z.object(paging),
    responses: { 200: { description: 'A page of subscriptions', schema: CustomerSubscriptions } },
    rejections: ['live_data_forbidden', 'not_found', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { params, query }) {
      const ledger = ledgerFor(services, context);
      const { cursor, ...asked } = query;
      const place = placeIn(cursor);
      const page = await ledger.subscriptions.ofCustomer(params.id, { ...asked, ...place });
      // A payer is registered shortly after the payment; an owner of a subscription is a customer
      // anyway.
      if (page.subscriptions.length === 0) await ledger.customers.get(params.id, asked);
      return { status: 200, body: await pageBody(context, ledger.subscriptions, page) };
    },
  });
}

export const SUBSCRIPTIONS = apiSlice(subscriptionEndpoints);
