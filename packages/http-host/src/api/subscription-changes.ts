/** Changes of subscriptions: freeze, unfreeze, end, replace card or plan. */
import { Subscription } from '@counterfoil/core';
import {
  instrumentOf,
  type References,
  type SubscriptionRequest,
  type Subscriptions,
  withoutSecrets,
} from '@counterfoil/engine';
import { cadenceOf, checkCadence } from '@counterfoil/engine/input';
import type { Confirmations } from '@counterfoil/engine/mail';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import type { ErrorCode } from '../http/errors.ts';
import { cadenceMembers, RebillAmount } from './payment-plans.ts';
import { CardInput } from './payment-request.ts';
import { apiSlice, rows } from './slice.ts';
import { SubscriptionAnswer, subscriptionAnswer } from './subscription-body.ts';
import { SubscriptionParams, visibleSubscription } from './subscriptions.ts';
import { callerOf, eitherOf, idOf, minorOf, NothingInput, text } from './wire.ts';

const TAG = 'Subscriptions';

const FreezeInput = z
  .object({ note: text(1_000).optional().meta({ description: 'Why, for the record' }) })
  .meta({ id: 'SubscriptionFreezeInput' })
  .optional();

const EndInput = z
  .object({
    sendUserCommunication: z
      .boolean()
      .optional()
      .meta({ description: 'Mail the customer a confirmation' }),
  })
  .meta({ id: 'SubscriptionEndInput' })
  .optional();

const CardChange = z
  .object({
    card: CardInput.optional(),
    token: text(255).optional().meta({ description: 'Of a card used before, instead of `card`' }),
  })
  .meta({ id: 'SubscriptionCardInput', ...eitherOf('card', 'token') });

const PlanChange = z
  .object({
    name: text(200).min(1).optional(),
    description: text(500).optional(),
    rebillAmount: RebillAmount.optional(),
    ...cadenceMembers,
  })
  .superRefine(checkCadence({ daysName: 'frequency', optional: true }))
  .meta({ id: 'SubscriptionPlanInput', description: 'What is absent stays as it is' });

const REJECTIONS = [
  'not_found',
  'subscription_state',
  'concurrent_update',
] as const satisfies readonly ErrorCode[];

const access = (scope: string) => ({ kind: 'api-key', scope, requiresUserEmail: false }) as const;
const FREEZING = access('subscriptions:freeze');
const ENDING = access('subscriptions:unsubscribe');
const WRITING = access('subscriptions:write');

const ACTING = {
  method: 'POST',
  tag: TAG,
  params: SubscriptionParams,
  responses: { 200: { description: 'The subscription', schema: SubscriptionAnswer } },
  idempotency: 'money',
} as const;

export interface SubscriptionChangeServices {
  readonly subscriptions: Subscriptions;
  readonly confirmations: Confirmations;
  readonly references: References;
  readonly now: () => string;
}

function subscriptionChangeEndpoints(services: SubscriptionChangeServices): Endpoint[] {
  return [
    freeze(services),
    unfreeze(services),
    unsubscribe(services),
    changeCard(services),
    changePlan(services),
  ];
}

/** The subscription, if the key may see it. */
async function found(
  { subscriptions }: SubscriptionChangeServices,
  context: RequestContext,
  asked: { operation: string; id: number; content: unknown },
): Promise<{ request: SubscriptionRequest; subscription: Subscription.Subscription }> {
  const { principal } = context;
  const { operation, id, content } = asked;
  const subscription = await visibleSubscription(subscriptions, principal, id);
  const requestId = idOf(context, operation, [String(id)]);
  const { tenantId } = principal;
  return { subscription, request: { tenantId, subscriptionId: id, requestId, content } };
}

/** The subscription as a read would return it. */
async function answer(
  { references }: SubscriptionChangeServices,
  { principal: { tenantId } }: RequestContext,
  { subscription, message }: { subscription: Subscription.Subscription; message: string },
) {
  const names = await references.names(tenantId);
  return {
    status: 200,
    body: subscriptionAnswer(subscription, { tenantId, names, message }),
    stream: Subscription.streamOf({ tenantId, subscriptionId: subscription.subscriptionId }),
    subject: { tenantId, sandbox: subscription.sandbox, customerId: subscription.customerId },
  };
}

function freeze(services: SubscriptionChangeServices): Endpoint {
  const operation = 'freezeSubscription';
  return endpoint({
    ...ACTING,
    operationId: operation,
    path: '/v1/subscriptions/{id}/freeze',
    summary: 'Freeze a subscription',
    description:
      'Stops billing until it is unfrozen; a new card alone does not unfreeze it. No effect on a frozen subscription.',
    access: FREEZING,
    body: FreezeInput,
    rejections: REJECTIONS,
    async handle(context, { params: { id }, body }) {
      const { request } = await found(services, context, { operation, id, content: [id, body] });
      const subscription = await services.subscriptions.freeze(
        request,
        body?.note ?? '',
        callerOf(context),
      );
      return answer(services, context, { subscription, message: 'The subscription is frozen' });
    },
  });
}

function unfreeze(services: SubscriptionChangeServices): Endpoint {
  const operation = 'unfreezeSubscription';
  return endpoint({
    ...ACTING,
    operationId: operation,
    path: '/v1/subscriptions/{id}/unfreeze',
    summary: 'Unfreeze a subscription',
    description:
      'Resumes billing at its next regular date; charges that fell due while it was frozen are skipped.',
    access: FREEZING,
    body: NothingInput,
    rejections: REJECTIONS,
    async handle(context, { params: { id } }) {
      const { request } = await found(services, context, { operation, id, content: [id] });
      const subscription = await services.subscriptions.unfreeze(request, callerOf(context));
      return answer(services, context, { subscription, message: 'The subscription is billed' });
    },
  });
}

function unsubscribe(services: SubscriptionChangeServices): Endpoint {
  const operation = 'endSubscription';
  return endpoint({
    ...ACTING,
    operationId: operation,
    path: '/v1/subscriptions/{id}/unsubscribe',
    summary: 'End a subscription',
    description: 'Ends it for good. Ended already, it stays as it is.',
    access: ENDING,
    body: EndInput,
    rejections: REJECTIONS,
    async handle(context, { params: { id }, body }) {
      const asked = body?.sendUserCommunication ?? false;
      const { request, subscription: before } = await found(services, context, {
        operation,
        id,
        content: [id, body],
      });
      const caller = callerOf(context);
      const subscription = await services.subscriptions.unsubscribe(request, asked, caller);
      const message = services.confirmations.messageWith('The subscription has ended', {
        asked: asked && Subscription.isActive(before),
        sandbox: subscription.sandbox,
      });
      return answer(services, context, { subscription, message });
    },
  });
}

function changeCard(services: SubscriptionChangeServices): Endpoint {
  const operation = 'changeSubscriptionCard';
  return endpoint({
    ...ACTING,
    operationId: operation,
    path: '/v1/subscriptions/{id}/card',
    summary: 'Bill another card',
    description:
      'Later charges go to this card. A subscription that was frozen because its charges failed is unfrozen, and the present cycle is charged within seconds; what an administrator froze stays frozen.',
    access: WRITING,
    body: CardChange,
    rejections: [
      ...REJECTIONS,
      'card_invalid',
      'token_unknown',
      'no_merchant_account',
      'gateway_error',
    ],
    async handle(context, { params: { id }, body }) {
      const instrument = () => instrumentOf(body, services.now());
      const content = [id, withoutSecrets(body)];
      const { request } = await found(services, context, { operation, id, content });
      const caller = callerOf(context);
      const subscription = await services.subscriptions.changeCard(request, instrument, caller);
      return answer(services, context, { subscription, message: 'The card is kept' });
    },
  });
}

function changePlan(services: SubscriptionChangeServices): Endpoint {
  const operation = 'changeSubscriptionPlan';
  return endpoint({
    ...ACTING,
    operationId: operation,
    path: '/v1/subscriptions/{id}/plan',
    summary: 'Change the plan',
    description:
      'Holds from the next charge on, which keeps its date; the ones after it follow by `frequency` or `interval`. Another interval of the calendar keeps the day of the month. The amount is in the currency of the subscription.',
    access: WRITING,
    body: PlanChange,
    rejections: [...REJECTIONS, 'amount_precision', 'amount_not_positive'],
    async handle(context, { params: { id }, body }) {
      const content = [id, body];
      const { request, subscription: before } = await found(services, context, {
        operation,
        id,
        content,
      });
      const subscription = await services.subscriptions.changePlan(
        request,
        planOf(body, before.currency),
        callerOf(context),
      );
      return answer(services, context, { subscription, message: 'The plan is kept' });
    },
  });
}

function planOf(
  { name, description, rebillAmount, frequency, ...plan }: z.output<typeof PlanChange>,
  currency: string,
) {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(rebillAmount !== undefined && {
      rebillAmountMinor: minorOf(rebillAmount, currency, '/rebillAmount'),
    }),
    ...cadenceOf(frequency, plan),
  };
}

const REFUSALS = rows({
  SubscriptionUnknown: { code: 'not_found' },
  SubscriptionExists: { code: 'duplicate' },
  RebillAmountNotPositive: {
    code: 'amount_not_positive',
    text: 'The amount of a rebill must be greater than zero',
  },
  SubscriptionInactive: {
    code: 'subscription_state',
    text: ({ unsubscribedAt }) => `The subscription ended at ${unsubscribedAt}`,
  },
  SubscriptionIsFrozen: {
    code: 'subscription_state',
    text: ({ frozenAt }) => `The subscription is frozen since ${frozenAt}`,
  },
  RebillNotDue: { code: 'subscription_state', text: 'The rebill is not due yet' },
  RebillOutOfOrder: {
    code: 'subscription_state',
    text: ({ cycle, attempt, nextCycle, nextAttempt }) =>
      `Try ${nextAttempt} of cycle ${nextCycle} is next, not ${attempt} of ${cycle}`,
  },
  RebillUnknown: { code: 'not_found' },
});

export const SUBSCRIPTION_CHANGES = apiSlice(subscriptionChangeEndpoints, REFUSALS);
