/** What follows from what happened: events of one aggregate become commands to others. */
import type * as Customer from './domain/customer.ts';
import type * as Lead from './domain/lead.ts';
import { AUTHENTICATION_REQUIRED } from './domain/subscription/decide.ts';
import { NOT_ASKED } from './domain/subscription/events.ts';
import type * as Subscription from './domain/subscription/index.ts';
import type { Settings } from './domain/tenant.ts';
import { isRefundedLate } from './domain/transaction/balance.ts';
import { NEVER_RECEIVED } from './domain/transaction/codes.ts';
import type { Event, EventOf } from './domain/transaction/events.ts';
import { isRebill } from './domain/transaction/order.ts';
import type { Payment } from './domain/transaction/state.ts';
import type { TenantId } from './kernel/ids.ts';

/**
 * A command and its name: the same event always gives the same command under the same name, so that
 * executing it again has no further effect.
 */
export type FollowUp =
  | { readonly to: 'subscription'; readonly command: Subscription.Command; readonly name: Name }
  | { readonly to: 'customer'; readonly command: Customer.Command; readonly name: Name }
  | { readonly to: 'lead'; readonly command: Lead.Sighting; readonly name: Name };
type Name = readonly string[];

/** What the policies use beside the event. */
export interface PolicyFacts {
  readonly tenantId: TenantId;
  /**
   * Of the event's stream. What the order said is used, and of a payment with plans or a session what
   * was captured, and whether it was refunded in the same append.
   */
  readonly payment: Payment;
  readonly settings: Settings;
  /** `allowInsufficientFundsRetries` of the account of the subscription that the payment renews. */
  readonly retryInsufficientFunds: boolean;
}

/** The events of payments that anything follows from. */
export const FOLLOWED: ReadonlySet<Event['type']> = new Set([
  'PaymentCaptured',
  'PaymentDeclined',
  'PaymentFailed',
  'PaymentBlocked',
  'AuthorizationExpired',
  'ChargebackOpened',
  'AlertReceived',
]);

/** Everything that follows from an event of a payment, in the order of execution. */
export function followUpsOf(event: Event, facts: PolicyFacts): readonly FollowUp[] {
  return [...subscriptionFollowUps(event, facts), ...purchaseFollowUps(event, facts)];
}

/** What follows for subscriptions: nothing, where `subscriptionsOf` the payment is empty. */
export function subscriptionFollowUps(event: Event, facts: PolicyFacts): readonly FollowUp[] {
  switch (event.type) {
    case 'PaymentCaptured':
      return afterCapture(event, facts);
    case 'PaymentDeclined':
      return rebillFailed(event, facts);
    case 'PaymentFailed':
      return rebillFailed({ ...event, declineCode: codeOfFailure(event), hard: false }, facts);
    case 'PaymentBlocked':
      return rebillFailed({ ...event, declineCode: 'blocked', hard: true }, facts);
    case 'AuthorizationExpired':
      // The customer has not acted, who for most rebills is not there.
      return rebillFailed({ ...event, declineCode: AUTHENTICATION_REQUIRED, hard: true }, facts);
    case 'ChargebackOpened':
      return afterDispute('chargeback', event, facts);
    case 'AlertReceived':
      return event.alertType === 'ConfirmedFraud'
        ? afterDispute('confirmed-fraud', event, facts)
        : [];
    default:
      return [];
  }
}

function codeOfFailure({ note }: EventOf<'PaymentFailed'>): string {
  if (note === NEVER_RECEIVED) return 'never_received';
  return NOT_ASKED.find((reason) => reason === note) ?? 'processing_error';
}

/** The payment starts the subscriptions of its plans, or renews the one that it is a rebill of. */
function afterCapture(event: EventOf<'PaymentCaptured'>, facts: PolicyFacts): FollowUp[] {
  const { tenantId, payment } = facts;
  const { at, amountMinor, merchantAccountId } = event;
  const { transactionId } = payment;
  const attempt = tryOf(payment);
  if (attempt !== undefined) {
    const { subscriptionId } = attempt;
    const command = { type: 'RecordRenewal', tenantId, ...attempt, amountMinor, at } as const;
    return [toSubscription(command, [transactionId, 'renewal', String(subscriptionId)])];
  }
  // Nobody knows by now that the payment succeeded, and its money goes back.
  if (isRefundedLate(payment)) return [];
  return payment.plans.map(({ subscriptionId, ...plan }) =>
    toSubscription(
      {
        type: 'StartSubscription',
        tenantId,
        subscriptionId,
        transactionId,
        sandbox: payment.sandbox,
        customerId: payment.customerId,
        email: payment.email,
        orderId: payment.orderId,
        companyId: payment.companyId,
        merchantAccountId,
        currency: payment.currency,
        plan,
        card: payment.card,
        at,
      },
      [transactionId, 'start', String(subscriptionId)],
    ),
  );
}

function toSubscription(command: Subscription.Command, name: Name): FollowUp {
  return { to: 'subscription', command, name };
}

/** The try of a cycle that a payment is. One that starts subscriptions is none, whatever its application says. */
function tryOf(payment: Payment) {
  const { subscriptionId, plans, paymentNumber, attempt, transactionId } = payment;
  if (subscriptionId === null || plans.length > 0 || !isRebill(payment)) return undefined;
  return { subscriptionId, cycle: paymentNumber, attempt, transactionId };
}

function rebillFailed(
  {
    declineCode,
    hard,
    at,
  }: { readonly declineCode: string; readonly hard: boolean; readonly at: string },
  { tenantId, payment, settings, retryInsufficientFunds }: PolicyFacts,
): FollowUp[] {
  const attempt = tryOf(payment);
  if (attempt === undefined) return [];
  const { dunning } = settings;
  return [
    toSubscription(
      {
        type: 'RecordRebillFailure',
        tenantId,
        ...attempt,
        declineCode,
        hard,
        dunning,
        retryInsufficientFunds,
        at,
      },
      [payment.transactionId, 'rebill-failure', String(attempt.subscriptionId)],
    ),
  ];
}

/** A customer who disputes a payment is not charged for the next one. */
function afterDispute(
  reason: 'chargeback' | 'confirmed-fraud',
  { at }: { readonly at: string },
  { tenantId, payment, settings }: PolicyFacts,
): FollowUp[] {
  if (!settings.unsubscribeOnDispute) return [];
  const asked = { reason, requestedBy: 'system', notifyCustomer: false, at } as const;
  return subscriptionsOf(payment).map((subscriptionId) =>
    toSubscription({ type: 'Unsubscribe', tenantId, subscriptionId, ...asked }, [
      payment.transactionId,
      reason,
      String(subscriptionId),
    ]),
  );
}

/** The subscriptions that a payment starts, or the one that it renews. */
export function subscriptionsOf({
  plans,
  subscriptionId,
}: Pick<Payment, 'plans' | 'subscriptionId'>): readonly number[] {
  if (plans.length > 0) return plans.map((plan) => plan.subscriptionId);
  return subscriptionId === null ? [] : [subscriptionId];
}

/**
 * A captured payment may be that of a lead, which is found by its session. One whose money went back at
 * once pays none.
 */
function leadFollowUps(
  { at }: Pick<Event, 'at'>,
  { tenantId, payment }: Pick<PolicyFacts, 'tenantId' | 'payment'>,
): readonly FollowUp[] {
  const { transactionId, sandbox, partnerSession: sessionId, applicationId } = payment;
  const { orderId, currency, capturedMinor: amountMinor } = payment;
  if (sessionId === null || sessionId === '' || amountMinor === 0n) return [];
  if (isRefundedLate(payment)) return [];
  const transaction = {
    source: '',
    transactionId,
    orderId: orderId === null ? null : String(orderId),
    applicationId,
    amountMinor,
    currency,
    capturedAt: at,
  };
  const command = {
    type: 'SeeTransaction',
    tenantId,
    sandbox,
    sessionId,
    transaction,
    at,
  } as const;
  return [{ to: 'lead', command, name: [transactionId, 'lead'] }];
}

/**
 * Updates the customer from the order: contact data, and the card that was charged. Not for a rebill,
 * which would add a card again that the customer has removed since.
 */
export function purchaseFollowUps(
  event: Pick<Event, 'type' | 'at'>,
  { tenantId, payment }: Pick<PolicyFacts, 'tenantId' | 'payment'>,
): readonly FollowUp[] {
  if (event.type !== 'PaymentCaptured' || tryOf(payment) !== undefined) return [];
  const { transactionId, sandbox, customerId, email, firstName, lastName, addresses, card } =
    payment;
  return [
    {
      to: 'customer',
      command: {
        type: 'RecordPurchase',
        tenantId,
        sandbox,
        customerId,
        email,
        firstName,
        lastName,
        phone: addresses.find(({ phone }) => phone !== '')?.phone ?? '',
        addresses,
        card,
        paymentMethodId: transactionId,
        orderedAt: payment.submittedAt,
        at: event.at,
      },
      name: [transactionId, 'purchase'],
    },
    ...leadFollowUps(event, { tenantId, payment }),
  ];
}

/** A payment does not subscribe a customer who requested erasure before it was captured. */
export function erasureFollowUps(
  { at }: { readonly at: string },
  { tenantId, payment }: Pick<PolicyFacts, 'tenantId' | 'payment'>,
): readonly FollowUp[] {
  const asked = {
    reason: 'erasure',
    requestedBy: 'system',
    notifyCustomer: false,
    at,
  } as const;
  return payment.plans.map(({ subscriptionId }) =>
    toSubscription({ type: 'Unsubscribe', tenantId, subscriptionId, ...asked }, [
      payment.transactionId,
      'erasure',
      String(subscriptionId),
    ]),
  );
}
