/** The plans of a payment's subscriptions, in requests and responses. */
import { plainDecimal, Subscription, Transaction, toMajor } from '@counterfoil/core';
import type { PaymentSubmission } from '@counterfoil/engine';
import {
  checkCadence,
  FrequencyDays,
  IntervalCount,
  minorOf,
  PlanInterval,
} from '@counterfoil/engine/input';
import { z } from 'zod';
import { refuse } from '../http/errors.ts';
import { eitherOf, MAX_AMOUNT, text } from './wire.ts';

/** The charge of each cycle: more than 0. */
export const RebillAmount = z.number().gt(0).max(MAX_AMOUNT).meta({
  description:
    'Charged for each cycle, in major units, with no more decimals than the currency has',
  example: 19.99,
});

/** How often: a frequency in days, or an interval of the calendar. */
export const cadenceMembers = {
  frequency: FrequencyDays.optional().meta({
    description: 'Days between two charges; or `interval`',
    example: 30,
  }),
  interval: PlanInterval.optional().meta({
    description:
      'Instead of `frequency`. Months and years are those of the calendar: the dates are counted from the start (or the end of the trial), on its day of the month, or on the last day of a shorter month',
  }),
  intervalCount: IntervalCount.optional().meta({
    description:
      'With `interval`: how many of them are between two charges, 1 when absent; at most 3650 days, 521 weeks, 120 months or 10 years',
  }),
};

export const PlanInput = z
  .object({
    name: text(200).min(1).meta({ description: 'Name of the club', example: 'Tea club' }),
    description: text(500).optional(),
    rebillAmount: RebillAmount,
    ...cadenceMembers,
    trialDays: z.int().min(0).max(Subscription.MAX_TRIAL_DAYS).optional().meta({
      description:
        'Days from the capture to the first charge of the plan; 0 or absent: the payment itself pays the first cycle',
    }),
  })
  .superRefine(checkCadence({ daysName: 'frequency' }))
  .meta({
    id: 'SubscriptionInput',
    ...eitherOf('frequency', 'interval'),
    description:
      'A subscription that starts when the payment is captured, in the currency of the payment and billed to its card',
  });
type PlanInput = z.output<typeof PlanInput>;
type Submitted = NonNullable<PaymentSubmission['plans']>[number];

interface Planned {
  readonly subscription?: PlanInput | undefined;
}

/** The plans of a payment and of its items, at most two. */
export function plansOf(
  { subscription, items = [] }: Planned & { readonly items?: readonly Planned[] | undefined },
  currency: string,
): Submitted[] {
  const asked = [
    { plan: subscription, pointer: '/subscription' },
    ...items.map((item, index) => ({
      plan: item.subscription,
      pointer: `/items/${index}/subscription`,
    })),
  ].filter((each): each is { plan: PlanInput; pointer: string } => each.plan !== undefined);
  const beyond = asked[Subscription.MAX_PLANS];
  if (beyond !== undefined) {
    const detail = `A payment starts at most ${Subscription.MAX_PLANS} subscriptions`;
    throw refuse('invalid_request', undefined, { errors: [{ pointer: beyond.pointer, detail }] });
  }
  return asked.map(({ plan, pointer }) => {
    const { frequency: frequencyDays, rebillAmount, ...same } = plan;
    // Where it stands in the body is known here alone.
    minorOf(rebillAmount, currency, `${pointer.slice(1)}/rebillAmount`);
    return { ...same, frequencyDays, rebillAmount: plainDecimal(rebillAmount) };
  });
}

/** How often a plan is charged, in answers. */
export const cadenceFields = {
  interval: z.enum(Subscription.INTERVALS).meta({
    description: '`day` with `frequency` as its count, where the plan was given in days',
  }),
  intervalCount: z.int().meta({ description: 'Intervals between two charges' }),
};

export const PlanBody = z
  .object({
    id: z.int().meta({ description: 'The subscriber id' }),
    name: z.string(),
    description: z.string(),
    rebillAmount: z.number().meta({ description: 'In major units of the currency' }),
    frequency: z.int().meta({ description: 'Days of the first cycle' }),
    ...cadenceFields,
    trialDays: z.int(),
    started: z.boolean().meta({ description: 'false until the payment is captured' }),
  })
  .meta({ id: 'PaymentSubscription' });

export function planBodies(payment: Transaction.Payment): z.input<typeof PlanBody>[] {
  const { plans, currency, capturedAt, submittedAt } = payment;
  return plans.map((plan) => ({
    id: plan.subscriptionId,
    name: plan.name,
    description: plan.description,
    rebillAmount: toMajor(plan.rebillAmountMinor, currency),
    frequency: Subscription.firstDaysOf(plan, capturedAt ?? submittedAt),
    interval: plan.interval,
    intervalCount: plan.intervalCount,
    trialDays: plan.trialDays,
    started: capturedAt !== null && !Transaction.isRefundedLate(payment),
  }));
}
