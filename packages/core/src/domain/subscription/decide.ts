/** The decisions about a subscription: start, bill, retry, freeze, end. */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { never } from '../../kernel/aggregate.ts';
import { canonicalJson } from '../../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../../kernel/ids.ts';
import type { Command, CommandOf, Rejection } from './command.ts';
import { cycleAt, dayOfMonth, dueAt, gridFrom, isOfCalendar, later } from './dates.ts';
import type { Event, EventOf, FreezeReason, NotAsked } from './events.ts';
import {
  awaitsCustomer,
  failedTriesAt,
  isActive,
  isFrozen,
  MAX_FAILED_TRIES,
  type State,
  type Subscription,
  wasAsked,
} from './state.ts';

type Decision = Either<Rejection, readonly Event[]>;

/** The customer takes the card back: no later try with it is made. */
export const CARD_REMOVED = 'card_removed' satisfies NotAsked;

/** The gateways' code for insufficient funds. */
export const INSUFFICIENT_FUNDS = 'insufficient_funds';

/** The gateways' code for payments that the bank wants the customer for. */
export const AUTHENTICATION_REQUIRED = 'authentication_required';

/** However late a failure comes to light, the next try keeps so much distance. */
const LEAST_DAYS_BETWEEN_TRIES = 1;

/** Every command but `StartSubscription` is refused with `SubscriptionUnknown` first of all. */
export function decide(state: State, command: Command): Decision {
  if (command.type === 'StartSubscription') return start(state, command);
  if (state === null) return left({ type: 'SubscriptionUnknown' });
  switch (command.type) {
    case 'BeginRebill':
      return beginRebill(state, command);
    case 'RecordRenewal':
      return recordRenewal(state, command);
    case 'RecordRebillFailure':
      return recordFailure(state, command);
    case 'Freeze':
      return freeze(state, command);
    case 'Unfreeze':
      return unfreeze(state, command);
    case 'Unsubscribe':
      return unsubscribe(state, command);
    case 'ChangePlan':
      return changePlan(state, command);
    case 'ChangeCard':
      return changeCard(state, command);
    default:
      return never(command);
  }
}

/** Checked in this order: (a repeat), SubscriptionExists, RebillAmountNotPositive. */
function start(state: State, command: CommandOf<'StartSubscription'>): Decision {
  const { type: _, tenantId: __, plan, at, ...facts } = command;
  if (state !== null) {
    return state.transactionId === facts.transactionId
      ? right([])
      : left({ type: 'SubscriptionExists' });
  }
  const amountMinor = plan.rebillAmountMinor;
  if (amountMinor <= 0n) return left({ type: 'RebillAmountNotPositive', amountMinor });
  const { trialDays } = plan;
  const realStartAt = later(at, trialDays);
  // A trial is what the order paid for; without one it paid for the first cycle.
  const rebillAt = trialDays > 0 ? realStartAt : dueAt(gridFrom(plan, at), 2);
  return right([{ type: 'SubscriptionStarted', ...facts, ...plan, realStartAt, rebillAt, at }]);
}

function closed(state: Subscription): Rejection | undefined {
  const { unsubscribedAt, frozenAt } = state;
  if (unsubscribedAt !== null) return { type: 'SubscriptionInactive', unsubscribedAt };
  return frozenAt === null ? undefined : { type: 'SubscriptionIsFrozen', frozenAt };
}

/**
 * One try at a time, the next only when the one before has failed on record: so a cycle is charged
 * once, however many ask for it. Checked in this order: (a repeat), SubscriptionInactive,
 * SubscriptionIsFrozen, RebillOutOfOrder, RebillNotDue.
 */
function beginRebill(state: Subscription, command: CommandOf<'BeginRebill'>): Decision {
  const { cycle, attempt, transactionId, isCustomerPresent = false, at } = command;
  if (isBehind(state, command)) return right([]);
  const isAwaited = isCustomerPresent && awaitsCustomer(state);
  const reason = isAwaited ? undefined : closed(state);
  if (reason !== undefined) return left(reason);
  const nextAttempt = state.attempt + 1;
  if (state.pending !== null || cycle !== state.cycle || attempt !== nextAttempt) {
    const nextCycle = state.cycle;
    return left({ type: 'RebillOutOfOrder', cycle, attempt, nextCycle, nextAttempt });
  }
  const { rebillAt, rebillAmountMinor: amountMinor } = state;
  const isDue = isAwaited || (rebillAt !== null && rebillAt <= at);
  if (!isDue) return left({ type: 'RebillNotDue', rebillAt });
  if (state.card === null) return right([frozen(state, { reason: 'no-card', at })]);
  if (failedTriesAt(state, at) >= MAX_FAILED_TRIES) {
    return right([frozen(state, { reason: 'network-limit', at })]);
  }
  const totalAttempt = state.totalAttempt + 1;
  return right([
    { type: 'RebillDue', cycle, attempt, totalAttempt, transactionId, amountMinor, at },
  ]);
}

/** Whether a try has been begun already; its outcome may be known too. */
function isBehind(state: Subscription, { cycle, attempt }: { cycle: number; attempt: number }) {
  return cycle < state.cycle || (cycle === state.cycle && attempt <= state.attempt);
}

function frozen(
  { sandbox, currency }: Subscription,
  { reason, note = '', at }: { reason: FreezeReason; note?: string; at: string },
): Event {
  return { type: 'SubscriptionFrozen', sandbox, currency, reason, note, at };
}

/** Whether this outcome is news. A try that was settled before has none; one never begun is refused. */
function awaits(
  state: Subscription,
  command: CommandOf<'RecordRenewal'> | CommandOf<'RecordRebillFailure'>,
): Either<Rejection, boolean> {
  const { transactionId } = command;
  if (state.pending?.transactionId === transactionId) return right(true);
  return isBehind(state, command) ? right(false) : left({ type: 'RebillUnknown', transactionId });
}

/**
 * What was charged is recorded even when the subscription ended or froze meanwhile. Cycles that
 * passed while this one was open are not charged: two cycles are never charged together. What the customer
 * has authenticated goes on.
 * Checked in this order: RebillUnknown, (a repeat).
 */
function recordRenewal(state: Subscription, command: CommandOf<'RecordRenewal'>): Decision {
  const news = awaits(state, command);
  if (isLeft(news)) return news;
  if (!news.right) return right([]);
  const { cycle, attempt, transactionId, amountMinor, at } = command;
  const { sandbox, currency } = state;
  // Once another cycle has become the next one, an outcome that comes late does not turn it back.
  const present = cycle === state.cycle ? cycle : state.cycle - 1;
  const nextCycle = Math.max(present, cycleAt(state, at)) + 1;
  const rebillAt = closed(state) === undefined ? dueAt(state, nextCycle) : null;
  const paid: Event = {
    type: 'SubscriptionRenewed',
    sandbox,
    currency,
    cycle,
    attempt,
    transactionId,
    amountMinor,
    nextCycle,
    rebillAt,
    at,
  };
  if (!awaitsCustomer(state)) return right([paid]);
  const next = { cycle: nextCycle, rebillAt: dueAt(state, nextCycle), at };
  return right([paid, unfrozen(state, { reason: 'authenticated', ...next })]);
}

/** Checked in this order: RebillUnknown, (a repeat). */
function recordFailure(state: Subscription, command: CommandOf<'RecordRebillFailure'>): Decision {
  const news = awaits(state, command);
  if (isLeft(news)) return news;
  if (!news.right) return right([]);
  const { cycle, attempt, transactionId, declineCode, hard, at } = command;
  const next = afterFailure(state, command);
  const retryAt = 'reason' in next ? null : next.retryAt;
  const failed: Event = {
    type: 'RebillFailed',
    cycle,
    attempt,
    transactionId,
    declineCode,
    hard,
    retryAt,
    at,
  };
  return right('reason' in next ? [failed, frozen(state, { ...next, at })] : [failed]);
}

type AfterFailure = { readonly retryAt: string | null } | { readonly reason: FreezeReason };

function afterFailure(
  state: Subscription,
  command: CommandOf<'RecordRebillFailure'>,
): AfterFailure {
  const { declineCode, hard, dunning, retryInsufficientFunds, at } = command;
  if (closed(state) !== undefined) return { retryAt: null };
  // The cycle was given up meanwhile: it is tried no more, and the next one keeps its date.
  const isGivenUp = command.cycle !== state.cycle;
  const isWithFormerCard = state.pending?.withFormerCard === true;
  if (declineCode === CARD_REMOVED && !isWithFormerCard && !isGivenUp) {
    return { reason: 'card-removed' };
  }
  // Neither says anything of the card on file, so that no retry of the dunning policy is used up.
  if (isWithFormerCard || !wasAsked(command)) {
    return { retryAt: isGivenUp ? null : later(at, LEAST_DAYS_BETWEEN_TRIES) };
  }
  if (hard) {
    const needsCustomer = declineCode === AUTHENTICATION_REQUIRED;
    return { reason: needsCustomer ? 'authentication-required' : 'hard-decline' };
  }
  if (isGivenUp) return { retryAt: null };
  if (declineCode === INSUFFICIENT_FUNDS && !retryInsufficientFunds) {
    return { reason: 'insufficient-funds' };
  }
  if (failedTriesAt(state, at) + 1 >= MAX_FAILED_TRIES) return { reason: 'network-limit' };
  const days = dunning.retryAfterDays[state.declines];
  if (days === undefined) return { reason: 'retries-exhausted' };
  const planned = later(state.firstFailedAt ?? at, days);
  const earliest = later(at, LEAST_DAYS_BETWEEN_TRIES);
  return planned > earliest ? { retryAt: planned } : { retryAt: earliest };
}

/** Checked in this order: SubscriptionInactive, (a repeat). */
function freeze(state: Subscription, { note, at }: CommandOf<'Freeze'>): Decision {
  const { unsubscribedAt } = state;
  if (unsubscribedAt !== null) return left({ type: 'SubscriptionInactive', unsubscribedAt });
  return isFrozen(state) ? right([]) : right([frozen(state, { reason: 'admin', note, at })]);
}

/**
 * Goes on with the first date of the grid that is not past. A cycle that was open is given up.
 * Checked in this order: SubscriptionInactive, (a repeat).
 */
function unfreeze(state: Subscription, { at }: CommandOf<'Unfreeze'>): Decision {
  const { unsubscribedAt } = state;
  if (unsubscribedAt !== null) return left({ type: 'SubscriptionInactive', unsubscribedAt });
  if (!isFrozen(state)) return right([]);
  const running = cycleAt(state, at);
  const isDueNow = dueAt(state, running) === at;
  const cycle = Math.max(firstFree(state), isDueNow ? running : running + 1);
  return right([unfrozen(state, { reason: 'admin', cycle, rebillAt: dueAt(state, cycle), at })]);
}

/** A try under way may still pay its cycle, which is then not charged again. */
function firstFree({ cycle, pending }: Subscription): number {
  return pending === null ? cycle : cycle + 1;
}

function unfrozen(
  { sandbox, currency }: Subscription,
  facts: Pick<EventOf<'SubscriptionUnfrozen'>, 'reason' | 'cycle' | 'rebillAt' | 'at'>,
): Event {
  return { type: 'SubscriptionUnfrozen', sandbox, currency, ...facts };
}

/** The first to ask ends it, for good. */
function unsubscribe(state: Subscription, command: CommandOf<'Unsubscribe'>): Decision {
  if (!isActive(state)) return right([]);
  const { reason, requestedBy, notifyCustomer, at } = command;
  const { sandbox, currency } = state;
  return right([
    {
      type: 'SubscriptionUnsubscribed',
      sandbox,
      currency,
      reason,
      requestedBy,
      notifyCustomer,
      at,
    },
  ]);
}

/** Checked in this order: SubscriptionInactive, RebillAmountNotPositive, (nothing to change). */
function changePlan(state: Subscription, command: CommandOf<'ChangePlan'>): Decision {
  const { unsubscribedAt } = state;
  if (unsubscribedAt !== null) return left({ type: 'SubscriptionInactive', unsubscribedAt });
  const { name, description, rebillAmountMinor, interval, intervalCount } = state;
  const before = { name, description, rebillAmountMinor, interval, intervalCount };
  const plan = { ...before, ...command.plan };
  const amountMinor = plan.rebillAmountMinor;
  if (amountMinor <= 0n) return left({ type: 'RebillAmountNotPositive', amountMinor });
  if (canonicalJson(plan) === canonicalJson(before)) return right([]);
  const anchorAt = dueAt(state, state.cycle);
  // Months counted from a short one keep the day that they were counted by before.
  const anchorDay = isOfCalendar(before) ? state.anchorDay : dayOfMonth(anchorAt);
  const anchor = { anchorCycle: state.cycle, anchorAt, anchorDay };
  return right([{ type: 'PlanChanged', ...plan, ...anchor, at: command.at }]);
}

/**
 * A new card takes a subscription that billing froze up again, and pays the running cycle at once.
 * What an administrator froze stays frozen. Checked in this order: SubscriptionInactive,
 * (nothing to change).
 */
function changeCard(state: Subscription, { card, at }: CommandOf<'ChangeCard'>): Decision {
  const { unsubscribedAt, customerId, sandbox, freezeReason, formerCards } = state;
  if (unsubscribedAt !== null) return left({ type: 'SubscriptionInactive', unsubscribedAt });
  // A card that was removed and kept again must be given again: it may be the very same.
  const isGivenAgain = freezeReason === 'card-removed';
  if (!isGivenAgain && canonicalJson(card) === canonicalJson(state.card)) return right([]);
  const { fingerprint } = card;
  const sameNumber = fingerprint !== '' && fingerprint === state.card?.fingerprint;
  // Alternating between two numbers is subject to the limit of each.
  const failedAt = formerCards.find((each) => each.fingerprint === fingerprint)?.failedAt ?? [];
  const changed: Event = {
    type: 'CardChanged',
    customerId,
    sandbox,
    card,
    sameNumber,
    failedAt,
    at,
  };
  if (freezeReason === null || freezeReason === 'admin') return right([changed]);
  const cycle = Math.max(firstFree(state), cycleAt(state, at));
  const due = dueAt(state, cycle);
  const rebillAt = due > at ? due : at;
  return right([changed, unfrozen(state, { reason: 'new-card', cycle, rebillAt, at })]);
}

export function streamOf(command: {
  readonly tenantId: TenantId;
  readonly subscriptionId: number;
}): StreamName {
  return streamName('subscription', command.tenantId, command.subscriptionId);
}

/** A subscription is started once, and hardly ever again. */
export function begins({ type }: Command): boolean {
  return type === 'StartSubscription';
}
