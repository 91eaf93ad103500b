/** The plans of a payment's subscriptions, in requests and responses. */
import { Subscription, type Transaction, toMajor } from '@counterfoil/core';
import { z } from 'zod';
import { refuse } from '../http/errors.ts';
import { MAX_AMOUNT, minorOf, text } from './wire.ts';

/** The charge of each cycle: more than 0. */
export const RebillAmount = z.number().gt(0).max(MAX_AMOUNT).meta({
  description:
    'Charged for each cycle, in major units, with no more decimals than the currency has',
  example: 19.99,
});
export const Frequency = z.int().min(1).max(Subscription.MAX_FREQUENCY_DAYS).meta({
  description: 'Days between two charges',
  example: 30,
});

export const PlanInput = z
  .object({
    name: text(200).min(1).meta({ description: 'Name of the club', example: 'Tea club' }),
    description: text(500).optional(),
    rebillAmount: RebillAmount,
    frequency: Frequency,
    trialDays: z.int().min(0).max(Subscription.MAX_TRIAL_DAYS).optional().meta({
      description:
        'Days from the capture to the first charge of the plan; 0 or absent: the payment itself pays the first cycle',
    }),
  })
  .meta({
    id: 'SubscriptionInput',
    description:
      'A subscription that starts when the payment is captured, in the currency of the payment and billed to its card',
  });
type PlanInput = z.output<typeof PlanInput>;

interface Planned {
  readonly subscription?: PlanInput | undefined;
}

/** The plans of a payment and of its items, at most two. Amounts are in the payment's currency. */
export function plansOf(
  { subscription, items = [] }: Planned & { readonly items?: readonly Planned[] | undefined },
  currency: string,
): Subscription.Plan[] {
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
  return asked.map(({ plan, pointer }) => ({
    name: plan.name,
    description: plan.description ?? '',
    rebillAmountMinor: minorOf(plan.rebillAmount, currency, `${pointer}/rebillAmount`),
    frequencyDays: plan.frequency,
    trialDays: plan.trialDays ?? 0,
  }));
}

export const PlanBody = z
  .object({
    id: z.int().meta({ description: 'The subscriber id' }),
    name: z.string(),
    description: z.string(),
    rebillAmount: z.number().meta({ description: 'In major units of the currency' }),
    frequency: z.int().meta({ description: 'Days between two charges' }),
    trialDays: z.int(),
    started: z.boolean().meta({ description: 'false until the payment is captured' }),
  })
  .meta({ id: 'PaymentSubscription' });

export function planBodies({
  plans,
  currency,
  capturedAt,
}: Transaction.Payment): z.input<typeof PlanBody>[] {
  return plans.map((plan) => ({
    id: plan.subscriptionId,
    name: plan.name,
    description: plan.description,
    rebillAmount: toMajor(plan.rebillAmountMinor, currency),
    frequency: plan.frequencyDays,
    trialDays: plan.trialDays,
    started: capturedAt !== null,
  }));
}
