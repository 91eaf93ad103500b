/** Reads of subscriptions: detail, schedule, and those of a customer. */
import type { Subscription } from '@counterfoil/core';
import type { Customers, References, Subscriptions } from '@counterfoil/engine';
import { renderSubscription } from '@counterfoil/projections';
import { z } from 'zod';
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { apiSlice } from './slice.ts';
import {
  ScheduleAnswer,
  SubscriptionAnswer,
  SubscriptionBody,
  scheduleAnswer,
  subscriptionAnswer,
} from './subscription-body.ts';
import { Id, QueryBoolean, queryInteger, queryLimit, sandboxOf } from './wire.ts';

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

export interface SubscriptionReadServices {
  readonly subscriptions: Subscriptions;
  readonly customers: Customers;
  readonly references: References;
}

function subscriptionEndpoints(services: SubscriptionReadServices): Endpoint[] {
  return [getSubscription(services), getSchedule(services), listOfCustomer(services)];
}

/** Reads a subscription from its events; one that this key may not see is not found. */
export async function visibleSubscription(
  subscriptions: Subscriptions,
  { tenantId, environment }: Principal,
  subscriptionId: number,
): Promise<Subscription.Subscription> {
  const subscription = await subscriptions.get(tenantId, subscriptionId);
  if (environment === 'test' && !subscription.sandbox) throw refuse('not_found');
  return subscription;
}

function getSubscription({ subscriptions, references }: SubscriptionReadServices) {
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
    async handle({ principal }, { params }) {
      const { tenantId } = principal;
      const subscription = await visibleSubscription(subscriptions, principal, params.id);
      const names = await references.names(tenantId);
      return { status: 200, body: subscriptionAnswer(subscription, { tenantId, names }) };
    },
  });
}

function getSchedule({ subscriptions }: SubscriptionReadServices) {
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
    async handle({ principal }, { params, query }) {
      const subscription = await visibleSubscription(subscriptions, principal, params.id);
      const { tenantId } = principal;
      const schedule = await subscriptions.scheduleOf(tenantId, subscription, query.count);
      return { status: 200, body: scheduleAnswer(subscription, schedule) };
    },
  });
}

function listOfCustomer(services: SubscriptionReadServices) {
  const { subscriptions, customers, references } = services;
  return endpoint({
    operationId: 'listCustomerSubscriptions',
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
    async handle({ principal }, { params, query }) {
      const { tenantId } = principal;
      const customer = {
        tenantId,
        sandbox: sandboxOf(principal, query.sandbox),
        customerId: params.id,
      };
      const { limit, cursor } = query;
      const after = cursor === undefined ? {} : { after: inCursor(cursor, Id) };
      // One extra row tells whether there are more.
      const found = await subscriptions.ofCustomer({ ...customer, limit: limit + 1, ...after });
      // A payer is registered shortly after the payment; an owner of a subscription is a customer
      // anyway.
      if (found.length === 0) await customers.get(customer);
      const names = await references.names(tenantId);
      const shown = found.slice(0, limit);
      const hasMore = found.length > limit;
      const last = shown.at(-1)?.subscriptionId;
      return {
        status: 200,
        body: {
          success: true,
          subscriptions: shown.map((each) => renderSubscription(each, { tenantId, names })),
          hasMore,
          nextCursor: hasMore && last !== undefined ? cursorOf(last) : null,
        },
      };
    },
  });
}

export const SUBSCRIPTIONS = apiSlice(subscriptionEndpoints);
