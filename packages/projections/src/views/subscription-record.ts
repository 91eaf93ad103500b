/** A subscription as records show it: the contract's Subscription, and what else is known of it. */
import { Subscription, toMajor } from '@counterfoil/core';
import type { ReferenceNames } from './reference-names.ts';

/** The contract's record. Timestamps are GMT, amounts in major units; what has no name is ''. */
export interface SubscriptionRecord {
  readonly parentCompanyId: number;
  readonly companyId: number;
  readonly company: string;
  readonly id: number;
  readonly customerID: number;
  readonly subDate: string;
  readonly orderId: number;
  readonly active: boolean;
  readonly unsubDate: string | null;
  readonly subscription: string;
  readonly subscriptionDescription: string;
  readonly realStartDate: string;
  readonly rebillAmount: number;
  /** Days of the present cycle. */
  readonly frequency: number;
  readonly merchantAccountId: number;
  readonly midName: string;
  readonly mid: string;
  readonly frozen: boolean;
  readonly rebillDate: string | null;
}

/** The record of one subscription by itself: more of it than the contract's record has. */
export interface SubscriptionDetail extends SubscriptionRecord {
  readonly sandbox: boolean;
  readonly currency: string;
  /** How often it is charged: every `intervalCount` days, weeks, months or years. */
  readonly interval: Subscription.Interval;
  readonly intervalCount: number;
  readonly trialDays: number;
  /** The payment that started it. */
  readonly messageID: string;
  /** The `paymentNumber` of the charge that is next or under way. */
  readonly cycle: number;
  /** Tries of that cycle so far. */
  readonly attempt: number;
  /** Tries of all cycles, the starting payment among them. */
  readonly totalAttempt: number;
  /** The try whose outcome is not known yet. */
  readonly pendingMessageID: string | null;
  readonly frozenDate: string | null;
  readonly freezeReason: Subscription.FreezeReason | null;
  readonly unsubscribeReason: Subscription.UnsubscribeReason | null;
  readonly updatedAt: string;
}

/** Whose subscription it is, and what the things are called that it names by id. */
export interface SubscriptionContext {
  readonly tenantId: number;
  readonly names: ReferenceNames;
}

export function renderSubscription(
  subscription: Subscription.Subscription,
  { tenantId, names }: SubscriptionContext,
): SubscriptionRecord {
  const { companyId, currency, merchantAccountId } = subscription;
  const account = names.merchantAccount(merchantAccountId)?.settings;
  return {
    parentCompanyId: tenantId,
    companyId,
    company: names.company(companyId),
    id: subscription.subscriptionId,
    customerID: subscription.customerId,
    subDate: subscription.startedAt,
    orderId: subscription.orderId,
    active: Subscription.isActive(subscription),
    unsubDate: subscription.unsubscribedAt,
    subscription: subscription.name,
    subscriptionDescription: subscription.description,
    realStartDate: subscription.realStartAt,
    rebillAmount: toMajor(subscription.rebillAmountMinor, currency),
    frequency: Subscription.frequencyOf(subscription),
    merchantAccountId,
    midName: account?.title ?? '',
    mid: account?.mid ?? '',
    frozen: Subscription.isFrozen(subscription),
    rebillDate: subscription.rebillAt,
  };
}

export function renderSubscriptionDetail(
  subscription: Subscription.Subscription,
  context: SubscriptionContext,
): SubscriptionDetail {
  const { sandbox, currency, interval, intervalCount, trialDays } = subscription;
  const { cycle, attempt, totalAttempt } = subscription;
  const { freezeReason, unsubscribeReason } = subscription;
  return {
    ...renderSubscription(subscription, context),
    sandbox,
    currency,
    interval,
    intervalCount,
    trialDays,
    messageID: subscription.transactionId,
    cycle,
    attempt,
    totalAttempt,
    pendingMessageID: subscription.pending?.transactionId ?? null,
    frozenDate: subscription.frozenAt,
    freezeReason,
    unsubscribeReason,
    updatedAt: subscription.changedAt,
  };
}
