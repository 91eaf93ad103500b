/** How subscriptions are shown: their state, how often they are charged, and why they stopped. */
import { type Subscription, toDecimal } from '@counterfoil/core';
import { type SubscriptionStatus, subscriptionStatusOf } from '@counterfoil/projections';
import { shownMoney } from '../shown.ts';

type Found = Subscription.Subscription;

export const STATES = {
  active: { text: 'Active', tone: 'good' },
  frozen: { text: 'Frozen', tone: 'warn' },
  ended: { text: 'Ended', tone: 'neutral' },
} as const satisfies Record<SubscriptionStatus, object>;

export function stateOf(subscription: Found) {
  return STATES[subscriptionStatusOf(subscription)];
}

/** `every month`, `every 30 days`. */
export function cadenceText({ interval, intervalCount }: Subscription.Cadence): string {
  return intervalCount === 1 ? `every ${interval}` : `every ${intervalCount} ${interval}s`;
}

/** Of each charge. */
export function amountText({ rebillAmountMinor, currency }: Found): string {
  return shownMoney(toDecimal(rebillAmountMinor, currency), currency);
}

const FREEZE_REASONS: Readonly<Record<Subscription.FreezeReason, string>> = {
  'hard-decline': 'The bank refused the card for good',
  'authentication-required': 'The bank asks for the customer to confirm the payment',
  'insufficient-funds': 'The account of the card was not covered',
  'retries-exhausted': 'All retries were declined',
  'network-limit': 'The card failed as often as its network allows',
  'no-card': 'There is no card',
  'card-removed': 'The customer removed the card',
  admin: 'A user froze it',
};

const END_REASONS: Readonly<Record<Subscription.UnsubscribeReason, string>> = {
  'customer-service': 'Asked for',
  chargeback: 'A chargeback',
  'confirmed-fraud': 'Confirmed fraud',
  erasure: 'The customer was erased',
};

export function freezeReasonText({ freezeReason }: Found): string {
  return freezeReason === null ? '' : FREEZE_REASONS[freezeReason];
}

export function endReasonText({ unsubscribeReason }: Found): string {
  return unsubscribeReason === null ? '' : END_REASONS[unsubscribeReason];
}
