/** A subscription as its events have made it, and the dates that follow from it. */
import { z } from 'zod';
import { never } from '../../kernel/aggregate.ts';
import { Instant } from '../../kernel/event-schema.ts';
import { TransactionId } from '../../kernel/ids.ts';
import { dayOfMonth, daysOfCycle, gridFrom, later } from './dates.ts';
import {
  type Event,
  type EventOf,
  events,
  FreezeReason,
  NOT_ASKED,
  UnsubscribeReason,
} from './events.ts';
import type { Plan } from './plan.ts';

/** The days over which networks count the failed tries of a card, ... */
export const NETWORK_WINDOW_DAYS = 30;
/** ... and charge fines for more: the strictest of their limits. */
export const MAX_FAILED_TRIES = 15;

const { rebillAt: _rebillAt, at: _at, ...facts } = events.SubscriptionStarted.schema.shape;

/** How many recently failed card numbers are remembered after they were replaced. */
export const MAX_FORMER_CARDS = 20;

/** The whole of a subscription. Read models store it through this schema. */
export const Subscription = z.strictObject({
  ...facts,
  startedAt: Instant,
  /** The grid of the due dates: see `Grid`. */
  anchorCycle: z.int(),
  anchorAt: Instant,
  anchorDay: z.int(),
  unsubscribedAt: Instant.nullable(),
  unsubscribeReason: UnsubscribeReason.nullable(),
  frozenAt: Instant.nullable(),
  freezeReason: FreezeReason.nullable(),
  /** The cycle that is charged next, or that is being tried. */
  cycle: z.int(),
  /** Tries of that cycle that were begun. */
  attempt: z.int().nonnegative(),
  /** Tries of all cycles, the starting payment among them. */
  totalAttempt: z.int().positive(),
  /** The next charge; null when inactive or frozen. */
  rebillAt: Instant.nullable(),
  /** When the card first failed for the present cycle, and how often it has. */
  firstFailedAt: Instant.nullable(),
  declines: z.int().nonnegative(),
  /** The try whose outcome is not known yet. */
  pending: z
    .strictObject({
      transactionId: TransactionId,
      cycle: z.int(),
      attempt: z.int(),
      totalAttempt: z.int(),
      amountMinor: events.RebillDue.schema.shape.amountMinor,
      begunAt: Instant,
      /** The card was changed since: what comes of this try says nothing of the new one. */
      withFormerCard: z.boolean(),
    })
    .nullable(),
  /** When the present card failed last, the latest `MAX_FAILED_TRIES` since a charge succeeded. */
  failedAt: z.array(Instant),
  /** When the present card took the place of another; null while it is that of the order. */
  cardChangedAt: Instant.nullable(),
  /** Numbers that failed before others took their place: who comes back to one finds its failures. */
  formerCards: z.array(z.strictObject({ fingerprint: z.string(), failedAt: z.array(Instant) })),
  /** Cycles paid after the first. */
  renewals: z.int().nonnegative(),
  changedAt: Instant,
});
export type Subscription = z.output<typeof Subscription>;

/** Null before the order is paid. */
export type State = Subscription | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  if (event.type === 'SubscriptionStarted') return startedBy(event);
  if (state === null) throw new Error(`${event.type} without a subscription`);
  const changedAt = event.at;
  switch (event.type) {
    case 'RebillDue': {
      const { type: _type, at: begunAt, ...pending } = event;
      const { attempt, totalAttempt } = event;
      const begun = { ...pending, begunAt, withFormerCard: false };
      return { ...state, attempt, totalAttempt, pending: begun, changedAt };
    }
    case 'SubscriptionRenewed':
      return { ...atCycle(state, event.nextCycle), ...renewed(state, event), changedAt };
    case 'RebillFailed':
      return { ...failed(state, event), pending: null, changedAt };
    case 'SubscriptionFrozen':
      return {
        ...state,
        frozenAt: event.at,
        freezeReason: event.reason,
        rebillAt: null,
        changedAt,
      };
    case 'SubscriptionUnfrozen': {
      const { rebillAt } = event;
      const present = atCycle(state, event.cycle);
      return { ...present, frozenAt: null, freezeReason: null, rebillAt, changedAt };
    }
    case 'SubscriptionUnsubscribed':
      return {
        ...state,
        unsubscribedAt: event.at,
        unsubscribeReason: event.reason,
        rebillAt: null,
        changedAt,
      };
    case 'PlanChanged': {
      const { type: _type, at: _at, ...plan } = event;
      return { ...state, ...plan, changedAt };
    }
    case 'CardChanged': {
      const pending = state.pending && { ...state.pending, withFormerCard: true };
      const cardChangedAt = event.at;
      return { ...state, ...withCard(state, event), cardChangedAt, pending, changedAt };
    }
    default:
      return never(event);
  }
}

function startedBy(event: EventOf<'SubscriptionStarted'>): Subscription {
  const { type: _type, at, rebillAt, ...rest } = event;
  return {
    ...rest,
    startedAt: at,
    anchorCycle: 2,
    anchorAt: rebillAt,
    anchorDay: dayOfMonth(event.realStartAt),
    unsubscribedAt: null,
    unsubscribeReason: null,
    frozenAt: null,
    freezeReason: null,
    cycle: 2,
    attempt: 0,
    totalAttempt: 1,
    rebillAt,
    firstFailedAt: null,
    declines: 0,
    pending: null,
    failedAt: [],
    cardChangedAt: null,
    formerCards: [],
    renewals: 0,
    changedAt: at,
  };
}

/** Another cycle has had no try yet. */
function atCycle(state: Subscription, cycle: number): Subscription {
  return cycle === state.cycle
    ? state
    : { ...state, cycle, attempt: 0, firstFailedAt: null, declines: 0 };
}

function renewed({ renewals }: Subscription, { rebillAt }: EventOf<'SubscriptionRenewed'>) {
  return { pending: null, failedAt: [], renewals: renewals + 1, rebillAt };
}

function failed(state: Subscription, event: EventOf<'RebillFailed'>): Subscription {
  const { cycle, retryAt: rebillAt, at } = event;
  // A cycle that was given up while its try was under way has no say in the one that is next.
  const next = cycle === state.cycle ? { ...state, rebillAt } : state;
  if (state.pending?.withFormerCard === true || !wasAsked(event)) return next;
  const failedAt = [...state.failedAt, at].slice(-MAX_FAILED_TRIES);
  if (cycle !== state.cycle) return { ...next, failedAt };
  const { firstFailedAt, declines } = state;
  return { ...next, failedAt, firstFailedAt: firstFailedAt ?? at, declines: declines + 1 };
}

/** Whether a failure is the card's: a gateway was asked. */
export function wasAsked({ declineCode }: { readonly declineCode: string }): boolean {
  return !(NOT_ASKED as readonly string[]).includes(declineCode);
}

/** The networks count by the number: a new date or token of the same one is no new card. */
function withCard(state: Subscription, { card, sameNumber, failedAt }: EventOf<'CardChanged'>) {
  if (sameNumber) return { card };
  const others = state.formerCards.filter(({ fingerprint }) => fingerprint !== card?.fingerprint);
  const left = state.card?.fingerprint ?? '';
  if (left !== '' && state.failedAt.length > 0) {
    others.push({ fingerprint: left, failedAt: state.failedAt });
  }
  return { card, failedAt, formerCards: others.slice(-MAX_FORMER_CARDS) };
}

export function isActive({ unsubscribedAt }: Subscription): boolean {
  return unsubscribedAt === null;
}

export function isFrozen({ frozenAt }: Subscription): boolean {
  return frozenAt !== null;
}

/** The bank wants the customer to authenticate the payment of the cycle: it can be paid with them alone. */
export function awaitsCustomer(subscription: Subscription): boolean {
  return isActive(subscription) && subscription.freezeReason === 'authentication-required';
}

/** Days of a plan's first cycle, once the order is paid at an instant. */
export function firstDaysOf(plan: Plan, paidAt: string): number {
  return daysOfCycle(gridFrom(plan, later(paidAt, plan.trialDays)), 1);
}

/** Days of the cycle that ends with the next charge; during a trial, of the cycle that begins with it. */
export function frequencyOf(subscription: Subscription): number {
  const { cycle, trialDays } = subscription;
  const isInTrial = cycle === 2 && trialDays > 0;
  return daysOfCycle(subscription, isInTrial ? cycle : cycle - 1);
}

/** Failed tries of the present card in the networks' window that ends at `at`. */
export function failedTriesAt({ failedAt }: Pick<Subscription, 'failedAt'>, at: string): number {
  const since = later(at, -NETWORK_WINDOW_DAYS);
  return failedAt.filter((failed) => failed > since).length;
}
