/** What can happen to a subscription, from the order that starts it to the day it ends. */
import { z } from 'zod';
import { type EventsOf, event, Instant, Minor, type Upcast } from '../../kernel/event-schema.ts';
import { TransactionId } from '../../kernel/ids.ts';
import { Card } from '../transaction/order.ts';
import { dayOfMonth } from './dates.ts';
import { planFields, withInterval } from './plan.ts';

const at = Instant;
const cycle = z.int().min(2);
const attempt = z.int().positive();

/** What reports add up by. */
const counted = { sandbox: z.boolean(), currency: z.string().length(3) };

export const FreezeReason = z.enum([
  'hard-decline',
  'authentication-required',
  'insufficient-funds',
  'retries-exhausted',
  'network-limit',
  'no-card',
  'card-removed',
  'admin',
]);
export type FreezeReason = z.output<typeof FreezeReason>;

export const UnsubscribeReason = z.enum([
  'customer-service',
  'chargeback',
  'confirmed-fraud',
  'erasure',
]);
export type UnsubscribeReason = z.output<typeof UnsubscribeReason>;

/** Version 1 was counted in days only, to which the day of the month means nothing. */
const withAnchorDay: Upcast = (older) => ({
  ...withInterval(older),
  anchorDay: dayOfMonth(String(older['anchorAt'])),
});

/** Version 1 forgot the failures of a number that was left for another one. */
const withoutFormerFailures = (older: Record<string, unknown>) => ({ ...older, failedAt: [] });

/**
 * Why a try was put on record without a gateway being asked: `no_merchant_account` no account takes it
 * at the moment; `no_card` the person was erased; `card_removed` the customer removed the card;
 * `subscription_closed` it ended or was frozen before the payment went out; `never_received` the gateway
 * does not know the payment, as where a host was killed before it sent it. They stand in the place of a
 * decline code, and say nothing of the card.
 */
export const NOT_ASKED = [
  'no_merchant_account',
  'no_card',
  'card_removed',
  'subscription_closed',
  'never_received',
] as const;
export type NotAsked = (typeof NOT_ASKED)[number];

export const events = {
  /** The order was paid. Cycle 1 is that payment; cycle 2 is charged at `rebillAt`. */
  SubscriptionStarted: event(
    {
      subscriptionId: z.int().positive(),
      ...counted,
      customerId: z.int().positive(),
      email: z.string().max(320),
      orderId: z.int().positive(),
      /** The payment that started it. */
      transactionId: TransactionId,
      companyId: z.int().positive(),
      merchantAccountId: z.int().positive(),
      ...planFields,
      card: Card.nullable(),
      realStartAt: Instant,
      rebillAt: Instant,
      at,
    },
    { upcasts: [withInterval], erased: { email: '', card: null } },
  ),
  /** The intent to charge; durable before the payment is submitted under `transactionId`. */
  RebillDue: event({
    cycle,
    attempt,
    totalAttempt: attempt,
    transactionId: TransactionId,
    amountMinor: Minor,
    at,
  }),
  /** The cycle is paid. `rebillAt` is null when the subscription ended or froze meanwhile. */
  SubscriptionRenewed: event({
    ...counted,
    cycle,
    attempt,
    transactionId: TransactionId,
    amountMinor: Minor,
    nextCycle: cycle,
    rebillAt: Instant.nullable(),
    at,
  }),
  /** `retryAt` is null when the cycle is tried no more. */
  RebillFailed: event({
    cycle,
    attempt,
    transactionId: TransactionId,
    declineCode: z.string(),
    hard: z.boolean(),
    retryAt: Instant.nullable(),
    at,
  }),
  SubscriptionFrozen: event({ ...counted, reason: FreezeReason, note: z.string().max(1000), at }),
  /** Billing goes on with `cycle` at `rebillAt`. */
  SubscriptionUnfrozen: event({
    ...counted,
    reason: z.enum(['admin', 'new-card', 'authenticated']),
    cycle,
    rebillAt: Instant,
    at,
  }),
  SubscriptionUnsubscribed: event({
    ...counted,
    reason: UnsubscribeReason,
    requestedBy: z.string().max(320),
    notifyCustomer: z.boolean(),
    at,
  }),
  /** From now on cycle `anchorCycle` is due at `anchorAt`, and the later ones follow by the plan. */
  PlanChanged: event(
    {
      name: planFields.name,
      description: planFields.description,
      rebillAmountMinor: planFields.rebillAmountMinor,
      interval: planFields.interval,
      intervalCount: planFields.intervalCount,
      anchorCycle: cycle,
      anchorAt: Instant,
      anchorDay: z.int().min(1).max(31),
      at,
    },
    { upcasts: [withAnchorDay] },
  ),
  CardChanged: event(
    {
      customerId: z.int().positive(),
      sandbox: z.boolean(),
      card: Card.nullable(),
      /** It has the number of the card before: its other date, say, or another token for it. */
      sameNumber: z.boolean(),
      /** When this number failed before it was left for another one, as far as the networks count. */
      failedAt: z.array(Instant),
      at,
    },
    { upcasts: [withoutFormerFailures], erased: { card: null } },
  ),
};
export type Event = EventsOf<typeof events>;
export type EventOf<Type extends Event['type']> = Extract<Event, { type: Type }>;
