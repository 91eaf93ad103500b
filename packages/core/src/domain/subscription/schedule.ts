/** What will happen to a subscription and when, as far as its plan and the dunning policy say. */
import type { Dunning } from '../tenant.ts';
import { dueAt, failedTriesAt, later, MAX_FAILED_TRIES, type Subscription } from './state.ts';

/** A charge to come. Amounts are minor units of the subscription's currency. */
export interface ScheduledCharge {
  readonly cycle: number;
  readonly attempt: number;
  readonly at: string;
  readonly amountMinor: bigint;
}

export type ScheduledMail = Dunning['mails'][number];

/** One thing that follows when the next charge is declined softly, and the tries after it too. */
export interface DunningStep {
  readonly at: string;
  readonly action: 'retry' | 'freeze';
  /** The try that is made, or the one whose failure freezes. */
  readonly attempt: number;
  /** What the subscriber is told when this happens, should it fail too. */
  readonly mail: ScheduledMail | null;
}

export interface Schedule {
  /** Empty when inactive or frozen. */
  readonly charges: readonly ScheduledCharge[];
  /** Empty when nothing will be charged. */
  readonly ifDeclined: readonly DunningStep[];
}

/** The next `count` charges, each on time, and what happens if the first of them is declined. */
export function scheduleOf(subscription: Subscription, dunning: Dunning, count: number): Schedule {
  const { cycle, attempt, rebillAt, rebillAmountMinor: amountMinor, pending } = subscription;
  if (rebillAt === null) return { charges: [], ifDeclined: [] };
  const tried = pending === null ? attempt + 1 : attempt;
  const charges = Array.from({ length: count }, (_, index) => ({
    cycle: cycle + index,
    attempt: index === 0 ? tried : 1,
    at: index === 0 ? rebillAt : dueAt(subscription, cycle + index),
    amountMinor,
  }));
  return { charges, ifDeclined: dunningSteps(subscription, dunning, { tried, rebillAt }) };
}

function dunningSteps(
  subscription: Subscription,
  { retryAfterDays, mails }: Dunning,
  { tried, rebillAt }: { tried: number; rebillAt: string },
): DunningStep[] {
  const first = subscription.firstFailedAt ?? rebillAt;
  const left = MAX_FAILED_TRIES - failedTriesAt(subscription, rebillAt) - 1;
  const days = retryAfterDays.slice(tried - 1).slice(0, Math.max(0, left));
  const mailAbout = (mail: ScheduledMail) => (mails.includes(mail) ? mail : null);
  const retries = days.map((day, index) => ({
    at: later(first, day),
    action: 'retry' as const,
    attempt: tried + index + 1,
    mail: mailAbout(index === days.length - 1 ? 'frozen' : 'rebill-failed'),
  }));
  const last = retries.at(-1);
  const freeze = {
    at: last?.at ?? rebillAt,
    action: 'freeze' as const,
    attempt: last?.attempt ?? tried,
    mail: mailAbout('frozen'),
  };
  return [...retries, freeze];
}
