/** Reads of subscriptions: detail, schedule, and those of a customer. */
import { renderSubscription } from '@counterfoil/projections';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
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

const SubscriptionList = z
  .object({
    success: z.literal(true),
    subscriptions: z.array(SubscriptionBody),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().meta({ description: '`cursor` of the next page' }),
  })
  .meta({ id: 'CustomerSubscriptions' });

function subscriptionEndpoints(services: FaceServices): Endpoint[] {
  return [getSubscription(services), getSchedule(services), listOfCustomer(services)];
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
    query: z.object({
      sandbox: QueryBoolean.optional().meta({
        description: 'Absent: live data with a live key, test data with a test key',
      }),
      limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
      cursor: z.string().max(1_000).optional(),
    }),
    responses: { 200: { description: 'A page of subscriptions', schema: SubscriptionList } },
    rejections: ['live_data_forbidden', 'not_found', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { params, query }) {
      const { tenantId } = context.principal;
      const ledger = ledgerFor(services, context);
      const { cursor, ...asked } = query;
      const after = cursor === undefined ? {} : { after: inCursor(cursor, Id) };
      const page = await ledger.subscriptions.ofCustomer(params.id, { ...asked, ...after });
      const { subscriptions, moreResults: hasMore } = page;
      // A payer is registered shortly after the payment; an owner of a subscription is a customer
      // anyway.
      if (subscriptions.length === 0) await ledger.customers.get(params.id, asked);
      const names = await ledger.subscriptions.names();
      const last = subscriptions.at(-1)?.subscriptionId;
      return {
        status: 200,
        body: {
          success: true,
          subscriptions: subscriptions.map((each) => renderSubscription(each, { tenantId, names })),
          hasMore,
          nextCursor: hasMore && last !== undefined ? cursorOf(last) : null,
        },
      };
    },
  });
}

export const SUBSCRIPTIONS = apiSlice(subscriptionEndpoints);
