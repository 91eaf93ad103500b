/** The bodies of subscriptions: list element, detail and schedule. */
import { Subscription, toMajor } from '@counterfoil/core';
import { renderSubscriptionDetail, type SubscriptionContext } from '@counterfoil/projections';
import { z } from 'zod';
import { At, UuidText } from './answer-fields.ts';
import { cadenceFields } from './payment-plans.ts';

const money = z.number().meta({ description: 'In major units of the currency' });

const recordFields = {
  parentCompanyId: z.int(),
  companyId: z.int(),
  company: z.string(),
  id: z.int().meta({ description: 'The subscriber id' }),
  customerID: z.int(),
  subDate: At,
  orderId: z.int().meta({ description: 'The order that started it' }),
  active: z.boolean().meta({ description: 'false: unsubscribed' }),
  unsubDate: At.nullable().meta({ description: 'ISO 8601, GMT; null while active' }),
  subscription: z.string().meta({ description: 'Name of the club' }),
  subscriptionDescription: z.string(),
  realStartDate: At.meta({ description: 'ISO 8601, GMT: the start, after any trial' }),
  rebillAmount: money,
  frequency: z.number().meta({
    description:
      'Days of the present cycle, which ends with the next charge; during a trial, of the cycle after it',
  }),
  merchantAccountId: z.number(),
  midName: z.string(),
  mid: z.string(),
  frozen: z.boolean().meta({ description: 'true: no longer billed, until it is unfrozen' }),
  rebillDate: At.nullable().meta({
    description: 'ISO 8601, GMT: the next charge; null when inactive or frozen',
  }),
};

export const SubscriptionBody = z.object(recordFields).meta({ id: 'Subscription' });

export const SubscriptionAnswer = z
  .object({
    success: z.literal(true),
    message: z.string().meta({ description: 'What was done' }),
    ...recordFields,
    sandbox: z.boolean(),
    currency: z.string(),
    ...cadenceFields,
    trialDays: z.int(),
    messageID: UuidText.meta({ description: 'The payment that started it' }),
    cycle: z.int().meta({
      description: 'The `paymentNumber` of the charge that is next or under way; 1 started it',
    }),
    attempt: z.int().meta({ description: 'Tries of that cycle so far' }),
    totalAttempt: z.int().meta({
      description: 'Tries of all cycles, the starting payment among them',
    }),
    pendingMessageID: UuidText.nullable().meta({
      description: 'The payment that is the try under way',
    }),
    frozenDate: At.nullable(),
    freezeReason: z.enum(Subscription.FreezeReason.options).nullable(),
    unsubscribeReason: z.enum(Subscription.UnsubscribeReason.options).nullable(),
    updatedAt: At,
  })
  .meta({ id: 'SubscriptionDetail' });

/** The response to a request that read or changed a subscription. */
export function subscriptionAnswer(
  subscription: Subscription.Subscription,
  { message = '', ...context }: SubscriptionContext & { readonly message?: string },
): z.input<typeof SubscriptionAnswer> {
  return { success: true, message, ...renderSubscriptionDetail(subscription, context) };
}

const ScheduledCharge = z
  .object({
    date: At,
    paymentNumber: z.int32(),
    attempt: z.int32().meta({ description: 'The try of its cycle' }),
    amount: money,
  })
  .meta({ id: 'ScheduledCharge' });

const FailingCharge = ScheduledCharge.extend({
  reason: z.literal(Subscription.CARD_REMOVED).meta({
    description: 'Why: the customer removed the card. The gateway is not asked',
  }),
})
  .nullable()
  .meta({
    id: 'FailingCharge',
    description:
      'The next charge after `charges`, when it is known that it will fail: it freezes the subscription, unless it is given a card before',
  });

const DeclinedTry = z
  .object({
    date: At,
    attempt: z.int32(),
    action: z.enum(['retry', 'freeze']).meta({ description: 'What its decline leads to' }),
    retryDate: At.nullable(),
    mail: z
      .enum(['renewed', 'rebill-failed', 'frozen'])
      .nullable()
      .meta({ description: 'The mail that its decline sends, by the dunning settings' }),
  })
  .meta({ id: 'DeclinedTry' });

export const ScheduleAnswer = z
  .object({
    success: z.literal(true),
    id: z.int().meta({ description: 'The subscriber id' }),
    currency: z.string(),
    charges: z.array(ScheduledCharge).meta({
      description:
        'If every charge is approved; empty when inactive, frozen or without a card. Once the customer has removed the card, at most the charge that is under way',
    }),
    nextFailure: FailingCharge,
    ifDeclined: z.array(DeclinedTry).meta({
      description:
        'If the first of the charges (or `nextFailure`) fails and every retry too: each of these tries. A decline that must not be repeated freezes at once',
    }),
  })
  .meta({ id: 'SubscriptionSchedule' });

function scheduledCharge(
  { at, cycle, attempt, amountMinor }: Subscription.ScheduledCharge,
  currency: string,
): z.input<typeof ScheduledCharge> {
  return { date: at, paymentNumber: cycle, attempt, amount: toMajor(amountMinor, currency) };
}

export function scheduleAnswer(
  id: number,
  {
    charges,
    nextFailure,
    ifDeclined,
    currency,
  }: Subscription.Schedule & Pick<Subscription.Subscription, 'currency'>,
): z.input<typeof ScheduleAnswer> {
  return {
    success: true,
    id,
    currency,
    charges: charges.map((charge) => scheduledCharge(charge, currency)),
    nextFailure: nextFailure && {
      ...scheduledCharge(nextFailure, currency),
      reason: nextFailure.reason,
    },
    ifDeclined: ifDeclined.map((step) => ({
      date: step.at,
      attempt: step.attempt,
      action: step.action,
      retryDate: step.retryAt,
      mail: step.mail,
    })),
  };
}
