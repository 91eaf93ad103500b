/** What a subscriber agreed to: the club, its price, and how often it is charged. */
import { z } from 'zod';
import { Minor } from '../../kernel/event-schema.ts';

export const MAX_FREQUENCY_DAYS = 3650;
export const MAX_TRIAL_DAYS = 3650;

export const planFields = {
  /** Name of the club, as the subscriber reads it. */
  name: z.string().min(1).max(200),
  description: z.string().max(500),
  /** Charged for each cycle, in minor units of the subscription's currency. */
  rebillAmountMinor: Minor,
  /** Days of 24 hours between two charges. */
  frequencyDays: z.int().min(1).max(MAX_FREQUENCY_DAYS),
  /** Days from the order to the first charge of the plan; 0: the order pays the first cycle. */
  trialDays: z.int().min(0).max(MAX_TRIAL_DAYS),
};

/** A plan as an order carries it, with the subscription that it starts once the order is paid. */
export const OrderedPlan = z.strictObject({
  subscriptionId: z.int().positive(),
  ...planFields,
});
export type OrderedPlan = z.output<typeof OrderedPlan>;
export type Plan = Omit<OrderedPlan, 'subscriptionId'>;

/** The most subscriptions that one payment starts. */
export const MAX_PLANS = 2;
