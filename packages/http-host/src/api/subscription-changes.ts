/** Changes of subscriptions: freeze, unfreeze, end, replace card or plan. */
import { plainDecimal, Subscription } from '@counterfoil/core';
import type { TenantLedger } from '@counterfoil/engine';
import { checkCadence } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import type { ErrorCode } from '../http/errors.ts';
import { withConfirmation } from './confirmation.ts';
import { cadenceMembers, RebillAmount } from './payment-plans.ts';
import { CardInput } from './payment-request.ts';
import { apiSlice, rows } from './slice.ts';
import { SubscriptionAnswer, subscriptionAnswer } from './subscription-body.ts';
import { SubscriptionParams } from './subscriptions.ts';
import { eitherOf, type FaceServices, ledgerFor, NothingInput, text } from './wire.ts';

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

function subscriptionChangeEndpoints(services: FaceServices): Endpoint[] {
  return [
    freeze(services),
    unfreeze(services),
    unsubscribe(services),
    changeCard(services),
    changePlan(services),
  ];
}

/** The subscription as a read would return it. */
async function answer(
  { subscriptions }: TenantLedger,
  { principal: { tenantId } }: RequestContext,
  { subscription, message }: { subscription: Subscription.Subscription; message: string },
) {
  const names = await subscriptions.names();
  return {
    status: 200,
    body: subscriptionAnswer(subscription, { tenantId, names, message }),
    stream: Subscription.streamOf({ tenantId, subscriptionId: subscription.subscriptionId }),
    subject: { tenantId, sandbox: subscription.sandbox, customerId: subscription.customerId },
  };
}

function freeze(services: FaceServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'freezeSubscription',
    action: 'subscriptions.freeze',
    path: '/v1/subscriptions/{id}/freeze',
    summary: 'Freeze a subscription',
    description:
      'Stops billing until it is unfrozen; a new card alone does not unfreeze it. No effect on a frozen subscription.',
    access: FREEZING,
    body: FreezeInput,
    rejections: REJECTIONS,
    async handle(context, { params: { id }, body }) {
      const { idempotencyKey } = context;
      const ledger = ledgerFor(services, context);
      const subscription = await ledger.subscriptions.freeze(id, { ...body, idempotencyKey });
      return answer(ledger, context, { subscription, message: 'The subscription is frozen' });
    },
  });
}

function unfreeze(services: FaceServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'unfreezeSubscription',
    action: 'subscriptions.unfreeze',
    path: '/v1/subscriptions/{id}/unfreeze',
    summary: 'Unfreeze a subscription',
    description:
      'Resumes billing at its next regular date; charges that fell due while it was frozen are skipped.',
    access: FREEZING,
    body: NothingInput,
    rejections: REJECTIONS,
    async handle(context, { params: { id } }) {
      const { idempotencyKey } = context;
      const ledger = ledgerFor(services, context);
      const subscription = await ledger.subscriptions.unfreeze(id, { idempotencyKey });
      return answer(ledger, context, { subscription, message: 'The subscription is billed' });
    },
  });
}

function unsubscribe(services: FaceServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'endSubscription',
    action: 'subscriptions.unsubscribe',
    path: '/v1/subscriptions/{id}/unsubscribe',
    summary: 'End a subscription',
    description: 'Ends it for good. Ended already, it stays as it is.',
    access: ENDING,
    body: EndInput,
    rejections: REJECTIONS,
    async handle(context, { params: { id }, body }) {
      const { idempotencyKey } = context;
      const { sendUserCommunication: notifyCustomer = false } = body ?? {};
      const ledger = ledgerFor(services, context);
      const before = await ledger.subscriptions.get(id);
      const subscription = await ledger.subscriptions.unsubscribe(id, {
        idempotencyKey,
        notifyCustomer,
      });
      const message = await withConfirmation('The subscription has ended', ledger, {
        asked: notifyCustomer && Subscription.isActive(before),
        sandbox: subscription.sandbox,
      });
      return answer(ledger, context, { subscription, message });
    },
  });
}

function changeCard(services: FaceServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'changeSubscriptionCard',
    action: 'subscriptions.changeCard',
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
      const { idempotencyKey } = context;
      const ledger = ledgerFor(services, context);
      const subscription = await ledger.subscriptions.changeCard(id, { ...body, idempotencyKey });
      return answer(ledger, context, { subscription, message: 'The card is kept' });
    },
  });
}

function changePlan(services: FaceServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'changeSubscriptionPlan',
    action: 'subscriptions.changePlan',
    path: '/v1/subscriptions/{id}/plan',
    summary: 'Change the plan',
    description:
      'Holds from the next charge on, which keeps its date; the ones after it follow by `frequency` or `interval`. Another interval of the calendar keeps the day of the month. The amount is in the currency of the subscription.',
    access: WRITING,
    body: PlanChange,
    rejections: [...REJECTIONS, 'amount_precision', 'amount_not_positive'],
    async handle(context, { params: { id }, body }) {
      const { idempotencyKey } = context;
      const { rebillAmount, frequency: frequencyDays, ...same } = body;
      const ledger = ledgerFor(services, context);
      const subscription = await ledger.subscriptions.changePlan(id, {
        ...same,
        frequencyDays,
        rebillAmount: rebillAmount === undefined ? undefined : plainDecimal(rebillAmount),
        idempotencyKey,
      });
      return answer(ledger, context, { subscription, message: 'The plan is kept' });
    },
  });
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
