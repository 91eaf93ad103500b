/** The messages that events become: their types, and what is said in them. */
import {
  categoryOf,
  Email,
  type Event,
  Lead,
  type StoredEvent,
  type StreamName,
  Subscription,
  Transaction,
  toMajor,
  type WebhookEndpoints,
} from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';

export type MessageType = Exclude<WebhookEndpoints.EventType, '*'>;

const TYPE_OF = {
  LeadPaid: 'customer_lead.paid',
  PaymentCaptured: 'payment.captured',
  PaymentDeclined: 'payment.declined',
  Refunded: 'refund.succeeded',
  NetworkRefunded: 'refund.succeeded',
  RefundFailed: 'refund.failed',
  RefundReversed: 'refund.failed',
  SubscriptionStarted: 'subscription.started',
  SubscriptionRenewed: 'subscription.renewed',
  SubscriptionFrozen: 'subscription.frozen',
  SubscriptionUnsubscribed: 'subscription.unsubscribed',
  ChargebackOpened: 'chargeback.opened',
  ChargebackWon: 'chargeback.closed',
  ChargebackLost: 'chargeback.closed',
  ChargebackAccepted: 'chargeback.closed',
  ChargebackWithdrawn: 'chargeback.closed',
  AlertReceived: 'alert.received',
  EmailFailed: 'email.failed',
} as const satisfies Partial<Record<Event['type'], MessageType>>;

/** The events that become messages. */
export const SENT_EVENTS: ReadonlySet<Event['type']> = new Set(
  Object.keys(TYPE_OF) as (keyof typeof TYPE_OF)[],
);

export function messageTypeOf(type: string): MessageType | undefined {
  return Object.hasOwn(TYPE_OF, type) ? TYPE_OF[type as keyof typeof TYPE_OF] : undefined;
}

/** Whom an event is about, and in which environment. */
export interface About {
  readonly sandbox: boolean;
  /** Null where no customer is known. */
  readonly customerId: number | null;
}

/** Undefined for a stream without what its events are about. */
export async function aboutOf(
  commands: CommandRunner,
  { stream }: Pick<StoredEvent, 'stream'>,
): Promise<About | undefined> {
  switch (categoryOf(stream)) {
    case 'lead':
      return (await commands.stateOf(Lead, stream)).lead ?? undefined;
    case 'email': {
      const failed = await commands.stateOf(Email, stream);
      return failed === null ? undefined : { sandbox: failed.sandbox, customerId: null };
    }
    case 'subscription':
      return (await commands.stateOf(Subscription, stream)) ?? undefined;
    default:
      return (await commands.stateOf(Transaction, stream)) ?? undefined;
  }
}

/**
 * What the message of an event says, from its stream as of that event: the same each time it is sent,
 * but without what was erased since. Throws where the log does not hold the event.
 */
export async function dataOf(
  commands: CommandRunner,
  { stream, revision }: { readonly stream: StreamName; readonly revision: number },
): Promise<object> {
  switch (categoryOf(stream)) {
    case 'lead': {
      const { event, state } = found(await commands.asOf(Lead, stream, revision), stream);
      return leadData(event, state);
    }
    case 'email': {
      const { state } = found(await commands.asOf(Email, stream, revision), stream);
      const { emailId: id, kind, reason, sandbox, at: failedAt } = there(state, stream);
      return { email: { id, kind, reason, sandbox, failedAt } };
    }
    case 'subscription': {
      const { event, state } = found(await commands.asOf(Subscription, stream, revision), stream);
      return subscriptionData(event, there(state, stream));
    }
    default: {
      const { event, state } = found(await commands.asOf(Transaction, stream, revision), stream);
      return paymentData(event, there(state, stream));
    }
  }
}

function found<At>(at: At | undefined, stream: StreamName): At {
  if (at === undefined) throw new Error(`${stream} has no such event`);
  return at;
}

function there<State>(state: State | null, stream: StreamName): State {
  if (state === null) throw new Error(`${stream} holds nothing`);
  return state;
}

function leadData(event: Lead.Event, { lead, paid }: Lead.State): object {
  if (event.type !== 'LeadPaid' || lead === null) throw new Error('a lead is not paid');
  const { transaction } = event;
  const { transactionId: id, orderId, amountMinor, currency, applicationId, source } = transaction;
  return {
    lead: {
      id: lead.leadId,
      session_id: lead.sessionId,
      email: lead.email,
      first_name: lead.firstName,
      last_name: lead.lastName,
      cfa_device: lead.cfaDevice,
      scans: lead.scans,
      status: 'paid',
      application_id: lead.applicationId,
      sandbox: lead.sandbox,
      created_at: lead.createdAt,
      updated_at: lead.updatedAt,
      paid_at: paid?.at ?? event.at,
    },
    transaction: {
      id,
      orderId,
      amount: toMajor(amountMinor, currency),
      currency,
      applicationId,
      sandbox: lead.sandbox,
      source,
      capturedAt: transaction.capturedAt,
    },
  };
}

function subscriptionData(event: Subscription.Event, state: Subscription.Subscription): object {
  const { subscriptionId: id, orderId, customerId, companyId, currency, sandbox } = state;
  const subscription = {
    id,
    orderId,
    customerId,
    companyId,
    name: state.name,
    rebillAmount: toMajor(state.rebillAmountMinor, currency),
    currency,
    sandbox,
    rebillDate: state.rebillAt,
    frozenDate: state.frozenAt,
    unsubDate: state.unsubscribedAt,
  };
  switch (event.type) {
    case 'SubscriptionStarted':
      return { subscription, paymentId: event.transactionId };
    case 'SubscriptionRenewed': {
      const { cycle, attempt, transactionId: paymentId } = event;
      const amount = toMajor(event.amountMinor, currency);
      return { subscription, paymentId, amount, paymentNumber: cycle, attempt };
    }
    case 'SubscriptionFrozen':
    case 'SubscriptionUnsubscribed':
      return { subscription, reason: event.reason };
    default:
      throw new Error(`nothing is sent about ${event.type}`);
  }
}

function paymentData(event: Transaction.Event, state: Transaction.Payment): object {
  const payment = paymentOf(state);
  const { currency } = state;
  switch (event.type) {
    case 'PaymentCaptured':
      return { payment };
    case 'PaymentDeclined':
      return { payment, declineCode: event.declineCode, hard: event.hard };
    case 'Refunded':
    case 'NetworkRefunded':
    case 'RefundFailed':
    case 'RefundReversed': {
      const refund = state.refunds.find(({ refundId }) => refundId === event.refundId);
      if (refund === undefined) throw new Error('a payment lacks its refund');
      const { refundId: id, status, source, reason, requestedAt, completedAt } = refund;
      const amount = toMajor(refund.amountMinor, currency);
      const facts = { id, status, amount, currency, source, reason, requestedAt, completedAt };
      return { refund: facts, payment };
    }
    case 'ChargebackOpened':
    case 'ChargebackWon':
    case 'ChargebackLost':
    case 'ChargebackAccepted':
    case 'ChargebackWithdrawn': {
      const { chargebackId } = event;
      const chargeback = state.chargebacks.find((each) => each.chargebackId === chargebackId);
      if (chargeback === undefined) throw new Error('a payment lacks its chargeback');
      const { status, reference, reasonCode, openedAt, respondBy, completedAt } = chargeback;
      const amount = toMajor(chargeback.amountMinor, currency);
      const exceedsCaptured = Transaction.exceedsCaptured(chargeback);
      const facts = { status, amount, currency, reference, reasonCode, exceedsCaptured };
      const dates = { openedAt, respondBy, completedAt };
      return { chargeback: { id: chargebackId, ...facts, ...dates }, payment };
    }
    case 'AlertReceived': {
      const { alertId: id, source, alertType, reference, deadline, at: receivedAt } = event;
      const amount = toMajor(event.amountMinor, currency);
      const facts = { id, source, alertType, reference, amount, currency, deadline, receivedAt };
      return { alert: facts, payment };
    }
    default:
      throw new Error(`nothing is sent about ${event.type}`);
  }
}

/** Ids and amounts, and nothing of the person. */
function paymentOf(payment: Transaction.Payment) {
  const { transactionId: id, status, currency, sandbox, orderId, customerId } = payment;
  const { companyId, applicationId, partnerSession, subscriptionId, paymentNumber } = payment;
  return {
    id,
    status,
    amount: toMajor(payment.amountMinor, currency),
    capturedAmount: toMajor(Transaction.takenMinor(payment), currency),
    refundedAmount: toMajor(Transaction.refundedMinor(payment), currency),
    currency,
    sandbox,
    orderId,
    customerId,
    companyId,
    applicationId,
    merchantAccountId: Transaction.routeOf(payment)?.merchantAccountId ?? null,
    partnerSession,
    subscriptionId,
    paymentNumber,
    createdAt: payment.submittedAt,
    capturedAt: payment.capturedAt,
  };
}
