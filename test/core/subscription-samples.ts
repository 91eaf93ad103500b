/** One event of every type of a subscription, with every field filled. */
import type { Subscription, TransactionId } from '@counterfoil/core';

const at = '2026-01-02T03:04:05.678Z';
const later = '2026-02-01T03:04:05.678Z';
const transactionId = '0192f000-0000-7000-8000-000000000001' as TransactionId;
const counted = { sandbox: false, currency: 'GBP' } as const;

export const plan: Subscription.Plan = {
  name: 'Tea club',
  description: 'A tin of tea every month',
  rebillAmountMinor: 1_995n,
  interval: 'day',
  intervalCount: 30,
  trialDays: 14,
};

export const card = {
  token: 'tok_1',
  fingerprint: 'f00d',
  bin: '424242',
  last4: '0042',
  brandId: 1,
  expMonth: 12,
  expYear: 2030,
  binCountry: 'GB',
};

export const subscriptionSamples: readonly Subscription.Event[] = [
  {
    type: 'SubscriptionStarted',
    subscriptionId: 91,
    ...counted,
    customerId: 601,
    email: 'ada@example.com',
    orderId: 501,
    transactionId,
    companyId: 11,
    merchantAccountId: 31,
    ...plan,
    card,
    realStartAt: later,
    rebillAt: later,
    at,
  },
  {
    type: 'RebillDue',
    cycle: 2,
    attempt: 1,
    totalAttempt: 2,
    transactionId,
    amountMinor: 1_995n,
    at,
  },
  {
    type: 'SubscriptionRenewed',
    ...counted,
    cycle: 2,
    attempt: 1,
    transactionId,
    amountMinor: 1_995n,
    nextCycle: 3,
    rebillAt: later,
    at,
  },
  {
    type: 'RebillFailed',
    cycle: 2,
    attempt: 1,
    transactionId,
    declineCode: 'do_not_honor',
    hard: false,
    retryAt: later,
    at,
  },
  { type: 'SubscriptionFrozen', ...counted, reason: 'hard-decline', note: 'stolen card', at },
  { type: 'SubscriptionUnfrozen', ...counted, reason: 'admin', cycle: 3, rebillAt: later, at },
  {
    type: 'SubscriptionUnsubscribed',
    ...counted,
    reason: 'customer-service',
    requestedBy: 'agent@example.com',
    notifyCustomer: true,
    at,
  },
  {
    type: 'PlanChanged',
    name: 'Tea club',
    description: 'Two tins',
    rebillAmountMinor: 2_995n,
    interval: 'day',
    intervalCount: 28,
    anchorCycle: 3,
    anchorAt: later,
    anchorDay: 1,
    at,
  },
  {
    type: 'CardChanged',
    customerId: 601,
    sandbox: false,
    card,
    sameNumber: false,
    failedAt: [at],
    at,
  },
];
