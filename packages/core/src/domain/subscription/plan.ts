/** What a subscriber agreed to: the club, its price, and how often it is charged. */
import { z } from 'zod';
import { Minor, type Upcast } from '../../kernel/event-schema.ts';
import { DAYS_OF_WEEK, INTERVALS, type Interval } from './dates.ts';

export const MAX_FREQUENCY_DAYS = 3650;
export const MAX_TRIAL_DAYS = 3650;

/** The longest time between two charges: about ten years. */
export const MAX_INTERVAL_COUNT: Readonly<Record<Interval, number>> = {
  day: MAX_FREQUENCY_DAYS,
  week: Math.floor(MAX_FREQUENCY_DAYS / DAYS_OF_WEEK),
  month: 120,
  year: 10,
};

export const planFields = {
  /** Name of the club, as the subscriber reads it. */
  name: z.string().min(1).max(200),
  description: z.string().max(500),
  /** Charged for each cycle, in minor units of the subscription's currency. */
  rebillAmountMinor: Minor,
  /** Days and weeks are of 24 hours each, months and years are those of the calendar. */
  interval: z.enum(INTERVALS),
  /** Intervals between two charges. */
  intervalCount: z.int().min(1).max(MAX_FREQUENCY_DAYS),
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

/** Plans were counted in days only. */
export const withInterval: Upcast = ({ frequencyDays, ...older }) => ({
  ...older,
  interval: 'day',
  intervalCount: frequencyDays,
});
