/** How often a plan is charged, as callers say it: in days, or in intervals of the calendar. */
import { Subscription } from '@counterfoil/core';
import { z } from 'zod';

export const FrequencyDays = z.int().min(1).max(Subscription.MAX_FREQUENCY_DAYS);
export const PlanInterval = z.enum(Subscription.INTERVALS);
/** At most about ten years: 3650 days, 521 weeks, 120 months, 10 years. */
export const IntervalCount = z.int().min(1).max(Subscription.MAX_FREQUENCY_DAYS);

interface AskedInterval {
  readonly interval?: Subscription.Interval | undefined;
  /** 1 when absent. */
  readonly intervalCount?: number | undefined;
}

interface CadenceRule<DaysName extends string> {
  /** The member that counts in days. */
  readonly daysName: DaysName;
  /** Whether all may be absent. */
  readonly optional?: boolean;
}

/** Adds an issue unless exactly one of days and interval is given, within the bounds. */
export function checkCadence<DaysName extends string>({
  daysName,
  optional = false,
}: CadenceRule<DaysName>) {
  return (
    asked: AskedInterval & { readonly [Name in DaysName]?: number | undefined },
    context: z.RefinementCtx,
  ): void => {
    const { interval, intervalCount } = asked;
    const hasDays = asked[daysName] !== undefined;
    const fault = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (hasDays && interval !== undefined) {
      fault('interval', `must not be given beside ${daysName}`);
    } else if (interval === undefined && intervalCount !== undefined) {
      fault('intervalCount', 'must be given with interval only');
    } else if (interval !== undefined) {
      const most = Subscription.MAX_INTERVAL_COUNT[interval];
      if ((intervalCount ?? 1) > most)
        fault('intervalCount', `must be at most ${most} for ${interval}`);
    } else if (!hasDays && !optional) {
      fault(daysName, 'or interval must be given');
    }
  };
}

/** Undefined where neither is given. */
export function cadenceOf(
  days: number | undefined,
  { interval, intervalCount = 1 }: AskedInterval,
): Subscription.Cadence | undefined {
  if (days !== undefined) return { interval: 'day', intervalCount: days };
  return interval && { interval, intervalCount };
}
