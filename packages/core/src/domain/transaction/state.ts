/** The state of a payment. */
import { z } from 'zod';
import { never } from '../../kernel/aggregate.ts';
import { Instant, Minor } from '../../kernel/event-schema.ts';
import { TransactionId } from '../../kernel/ids.ts';
import { type Event, type EventOf, events, type Fee, Route } from './events.ts';
import { orderFields, orderIn } from './order.ts';

const note = z.string();

const Attempt = z.strictObject({
  attempt: z.int(),
  route: Route,
  startedAt: Instant,
  outcome: z.enum(['pending', 'approved', 'declined', 'failed', 'unknown', 'action-required']),
  declineCode: z.string(),
  note,
});
export type Attempt = z.output<typeof Attempt>;

const Refund = z.strictObject({
  refundId: TransactionId,
  status: z.enum(['RefundPending', 'Refunded', 'RefundFailed']),
  amountMinor: Minor,
  items: events.RefundRequested.schema.shape.items,
  adjustments: events.RefundRequested.schema.shape.adjustments,
  source: events.RefundRequested.schema.shape.source,
  reason: events.RefundRequested.schema.shape.reason,
  /** The alert that an RDR credit answers. */
  alertId: TransactionId.nullable(),
  notifyCustomer: z.boolean(),
  requestedBy: z.string(),
  requestedAt: Instant,
  completedAt: Instant.nullable(),
  /** When a refund that had been paid failed. */
  reversedAt: Instant.nullable(),
  gatewayTransactionId: z.string(),
  arn: z.string(),
  note,
});
export type Refund = z.output<typeof Refund>;

const Chargeback = z.strictObject({
  chargebackId: TransactionId,
  provider: z.string(),
  reference: z.string(),
  status: z.enum([
    'ChargebackOpen',
    'ChargebackUnderReview',
    'ChargebackWon',
    'ChargebackLost',
    'ChargebackAccepted',
    'ChargebackWithdrawn',
  ]),
  amountMinor: Minor,
  beyondCapturedMinor: Minor,
  /** What had been refunded, or was being refunded, when it was opened. */
  refundedBeforeMinor: Minor,
  reasonCode: z.string(),
  arn: z.string(),
  note,
  openedAt: Instant,
  respondBy: Instant.nullable(),
  changedAt: Instant,
  completedAt: Instant.nullable(),
});
export type Chargeback = z.output<typeof Chargeback>;

const Alert = z.strictObject({
  alertId: TransactionId,
  provider: z.string(),
  reference: z.string(),
  source: events.AlertReceived.schema.shape.source,
  alertType: events.AlertReceived.schema.shape.alertType,
  status: z.enum(['AlertOpen', 'AlertResolved', 'AlertDeclined', 'AlertExpired']),
  amountMinor: Minor,
  arn: z.string(),
  deadline: Instant.nullable(),
  note,
  receivedAt: Instant,
  changedAt: Instant,
  completedAt: Instant.nullable(),
});
export type Alert = z.output<typeof Alert>;

const Void = z.strictObject({
  voidId: TransactionId,
  /** What had been captured; 0 for an authorization. */
  amountMinor: Minor,
  requestedAt: Instant,
  completedAt: Instant,
  note,
});
export type Void = z.output<typeof Void>;

/** What a line of a settlement file settled. */
export const Settled = z.strictObject({
  kind: z.enum(['capture', ...events.MovementSettled.schema.shape.kind.options]),
  /** The refund or the chargeback. */
  id: TransactionId.nullable(),
  reference: z.string(),
  currency: z.string(),
  /** What reached the bank; negative where it was taken back. */
  bankMinor: Minor,
});
export type Settled = z.output<typeof Settled>;

/** The whole of a payment. Read models store it through this schema (`z.encode`, `z.decode`). */
export const Payment = z.strictObject({
  transactionId: TransactionId,
  ...orderFields,
  submittedAt: Instant,
  changedAt: Instant,
  completedAt: Instant.nullable(),
  status: z.enum([
    'Created',
    'Processing',
    'RequiresAction',
    'Authorized',
    'Captured',
    'Settled',
    'Declined',
    'Failed',
    'Blocked',
    'Expired',
    'Unknown',
    'Voided',
  ]),
  blackListing: z.int(),
  attempts: z.array(Attempt),
  /** The accounts that could not try it after the last decline, and why. */
  skipped: Route.shape.skipped,
  nextAction: events.ActionRequired.schema.shape.nextAction.nullable(),
  authorizedMinor: Minor,
  /** Of an authorization that is captured by itself. */
  authorizedAt: Instant.nullable(),
  capturedMinor: Minor,
  capturedAt: Instant.nullable(),
  /** When its outcome first was unknown. */
  unknownSince: Instant.nullable(),
  /** Intents whose outcome is not known yet. */
  pendingCapture: z.strictObject({ captureId: TransactionId, amountMinor: Minor }).nullable(),
  pendingVoid: z.strictObject({ voidId: TransactionId, requestedAt: Instant }).nullable(),
  /** The captures and voids that the gateway refused, by id. */
  failedRequestIds: z.array(TransactionId),
  /** The capture that has ended: a repeat of it has no effect. */
  captureId: TransactionId.nullable(),
  /** What ended the payment, a transaction of its own. */
  voided: Void.nullable(),
  settledMinor: Minor,
  settlementReference: z.string(),
  settlements: z.array(Settled),
  /** Of its authorization and capture, in its own currency, less what a void gave back. */
  captureFeesMinor: Minor,
  /** By currency, all other fees but those of chargebacks in its own currency. */
  otherFees: z.array(z.strictObject({ currency: z.string(), amountMinor: Minor })),
  reserveHeldMinor: Minor,
  reserveReleasedMinor: Minor,
  /** Releases of the reserve that were made, by id. */
  releaseIds: z.array(TransactionId),
  authCode: z.string(),
  gatewayTransactionId: z.string(),
  arn: z.string(),
  declineCode: z.string(),
  note,
  refunds: z.array(Refund),
  chargebacks: z.array(Chargeback),
  alerts: z.array(Alert),
});
export type Payment = z.output<typeof Payment>;

/** Null before the payment is submitted. */
export type State = Payment | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  if (event.type === 'PaymentSubmitted') return submitted(event);
  if (state === null) throw new Error(`${event.type} without a payment`);
  const fees = 'fees' in event && event.fees.length > 0 ? charged(state, event) : undefined;
  return { ...state, ...changed(state, event), ...fees, changedAt: event.at };
}

function submitted(event: EventOf<'PaymentSubmitted'>): Payment {
  const { transactionId, at } = event;
  return {
    ...orderIn(event),
    transactionId,
    submittedAt: at,
    changedAt: at,
    completedAt: null,
    status: 'Created',
    blackListing: 0,
    attempts: [],
    skipped: [],
    nextAction: null,
    authorizedMinor: 0n,
    authorizedAt: null,
    capturedMinor: 0n,
    capturedAt: null,
    unknownSince: null,
    pendingCapture: null,
    pendingVoid: null,
    failedRequestIds: [],
    captureId: null,
    voided: null,
    settledMinor: 0n,
    settlementReference: '',
    settlements: [],
    captureFeesMinor: 0n,
    otherFees: [],
    reserveHeldMinor: 0n,
    reserveReleasedMinor: 0n,
    releaseIds: [],
    authCode: '',
    gatewayTransactionId: '',
    arn: '',
    declineCode: '',
    note: '',
    refunds: [],
    chargebacks: [],
    alerts: [],
  };
}

function changed(
  payment: Payment,
  event: Exclude<Event, { type: 'PaymentSubmitted' }>,
): Partial<Payment> {
  switch (event.type) {
    case 'PaymentBlocked':
      return { ...ended('Blocked', event), blackListing: event.blackListing };
    case 'AttemptStarted':
      return { status: 'Processing', attempts: [...payment.attempts, started(event)] };
    case 'AttemptDeclined':
      return { attempts: concluded(payment, 'declined', event), declineCode: event.declineCode };
    case 'ActionRequired':
      return {
        status: 'RequiresAction',
        nextAction: event.nextAction,
        gatewayTransactionId: event.gatewayTransactionId,
        attempts: concluded(payment, 'action-required'),
      };
    case 'ActionCompleted':
      return { status: 'Processing', nextAction: null, attempts: concluded(payment, 'pending') };
    case 'PaymentAuthorized':
      return {
        status: 'Authorized',
        authorizedMinor: event.amountMinor,
        authorizedAt: event.at,
        authCode: event.authCode,
        gatewayTransactionId: event.gatewayTransactionId,
        note: event.note,
        declineCode: '',
        nextAction: null,
        attempts: concluded(payment, 'approved', event),
      };
    case 'CaptureRequested':
      return { pendingCapture: { captureId: event.captureId, amountMinor: event.amountMinor } };
    case 'CaptureFailed':
      return {
        pendingCapture: null,
        failedRequestIds: [...payment.failedRequestIds, event.captureId],
        note: event.note,
      };
    case 'PaymentCaptured':
      return captured(payment, event);
    case 'PaymentDeclined':
      return {
        ...ended('Declined', event),
        declineCode: event.declineCode,
        gatewayTransactionId: event.gatewayTransactionId,
        nextAction: null,
        attempts: concluded(payment, 'declined', event),
        skipped: event.skipped,
      };
    case 'PaymentFailed':
      return { ...ended('Failed', event), attempts: concluded(payment, 'failed', event) };
    case 'OutcomeUnknown':
      return {
        status: 'Unknown',
        unknownSince: payment.unknownSince ?? event.at,
        note: event.note,
        attempts: concluded(payment, 'unknown', event),
      };
    case 'AuthorizationExpired':
      return { ...ended('Expired', event), nextAction: null };
    case 'VoidRequested':
      return { pendingVoid: { voidId: event.voidId, requestedAt: event.at } };
    case 'VoidFailed':
      return {
        pendingVoid: null,
        failedRequestIds: [...payment.failedRequestIds, event.voidId],
        note: event.note,
      };
    case 'PaymentVoided':
      return voided(payment, event);
    case 'PaymentSettled':
      return {
        status: 'Settled',
        settledMinor: event.amountMinor,
        settlementReference: event.reference,
        settlements: [...payment.settlements, settledBy(event)],
      };
    case 'MovementSettled':
      return { settlements: [...payment.settlements, settledBy(event)] };
    case 'ReserveReleased':
      return {
        reserveHeldMinor: payment.reserveHeldMinor - event.amountMinor,
        reserveReleasedMinor: payment.reserveReleasedMinor + event.amountMinor,
        releaseIds: [...payment.releaseIds, event.releaseId],
      };
    default:
      return childChanged(payment, event);
  }
}

function settledBy(event: EventOf<'PaymentSettled' | 'MovementSettled'>): Settled {
  const { reference, currency, amountMinor: bankMinor } = event;
  const of = event.type === 'PaymentSettled' ? CAPTURE : { kind: event.kind, id: event.id };
  return { ...of, reference, currency, bankMinor };
}

const CAPTURE = { kind: 'capture', id: null } as const;

/** What is charged with a capture or chargeback in the payment's currency is settled with it. */
function charged(
  payment: Payment,
  { type, fees }: Extract<Event, { fees: Fee[] }>,
): Pick<Payment, 'captureFeesMinor' | 'otherFees'> {
  let { captureFeesMinor, otherFees } = payment;
  for (const fee of fees) {
    if (fee.currency !== payment.currency) otherFees = addFee(otherFees, fee);
    else if (type === 'PaymentAuthorized' || type === 'PaymentCaptured')
      captureFeesMinor += fee.amountMinor;
    else if (type !== 'ChargebackOpened') otherFees = addFee(otherFees, fee);
  }
  return { captureFeesMinor, otherFees };
}

/** Totals by currency, with one more. */
export function addFee(
  totals: Payment['otherFees'],
  { currency, amountMinor }: Payment['otherFees'][number],
): Payment['otherFees'] {
  const before = totals.find((each) => each.currency === currency)?.amountMinor ?? 0n;
  const others = totals.filter((each) => each.currency !== currency);
  return [...others, { currency, amountMinor: before + amountMinor }];
}

type ChildEvent = Extract<
  Event,
  { refundId: TransactionId } | { chargebackId: TransactionId } | { alertId: TransactionId }
>;

function childChanged(payment: Payment, event: ChildEvent): Partial<Payment> {
  switch (event.type) {
    case 'RefundRequested':
    case 'NetworkRefunded':
      return { refunds: [...payment.refunds, refundOf(event)] };
    case 'Refunded':
      return {
        refunds: withChanged(payment.refunds, isRefund(event), {
          status: 'Refunded',
          completedAt: event.at,
          gatewayTransactionId: event.gatewayTransactionId,
          arn: event.arn,
          note: event.note,
        }),
      };
    case 'RefundFailed':
      return {
        refunds: withChanged(payment.refunds, isRefund(event), {
          status: 'RefundFailed',
          completedAt: event.at,
          note: event.note,
        }),
      };
    case 'RefundReversed':
      return {
        refunds: withChanged(payment.refunds, isRefund(event), {
          status: 'RefundFailed',
          reversedAt: event.at,
          note: event.note,
        }),
      };
    case 'ChargebackOpened':
      return { chargebacks: [...payment.chargebacks, chargebackOf(payment, event)] };
    case 'ChargebackUnderReview':
    case 'ChargebackWon':
    case 'ChargebackLost':
    case 'ChargebackAccepted':
    case 'ChargebackWithdrawn':
      return {
        chargebacks: withChanged(
          payment.chargebacks,
          ({ chargebackId }) => chargebackId === event.chargebackId,
          {
            status: event.type,
            note: event.note,
            changedAt: event.at,
            completedAt: event.type === 'ChargebackUnderReview' ? null : event.at,
          },
        ),
      };
    case 'AlertReceived':
      return { alerts: [...payment.alerts, alertOf(event)] };
    case 'AlertResolved':
    case 'AlertDeclined':
    case 'AlertExpired':
      return {
        alerts: withChanged(payment.alerts, ({ alertId }) => alertId === event.alertId, {
          status: event.type,
          note: event.note,
          changedAt: event.at,
          completedAt: event.at,
        }),
      };
    default:
      return never(event);
  }
}

function isRefund({ refundId }: { readonly refundId: TransactionId }) {
  return (refund: Refund) => refund.refundId === refundId;
}

/** Searched from the end: what changes is nearly always the newest. */
function withChanged<Child>(
  children: Child[],
  isIt: (child: Child) => boolean,
  facts: Partial<Child>,
): Child[] {
  const at = children.findLastIndex(isIt);
  const child = children[at];
  return child === undefined ? children : children.with(at, { ...child, ...facts });
}

function ended(
  status: Payment['status'],
  { note, at }: { note: string; at: string },
): Partial<Payment> {
  return { status, note, completedAt: at };
}

function started({ attempt, route, at }: EventOf<'AttemptStarted'>): Attempt {
  return { attempt, route, startedAt: at, outcome: 'pending', declineCode: '', note: '' };
}

/** Writes the outcome into the attempt under way, which is always the last one. */
function concluded(
  payment: Payment,
  outcome: Attempt['outcome'],
  { note = '', declineCode = '' }: { note?: string; declineCode?: string } = {},
): Attempt[] {
  const last = payment.attempts.at(-1);
  if (last === undefined) return payment.attempts;
  return [...payment.attempts.slice(0, -1), { ...last, outcome, note, declineCode }];
}

function captured(payment: Payment, event: EventOf<'PaymentCaptured'>): Partial<Payment> {
  return {
    status: 'Captured',
    authorizedMinor: payment.authorizedMinor === 0n ? event.amountMinor : payment.authorizedMinor,
    capturedMinor: event.amountMinor,
    capturedAt: event.at,
    completedAt: event.at,
    pendingCapture: null,
    captureId: payment.pendingCapture?.captureId ?? null,
    reserveHeldMinor: event.reserveMinor,
    authCode: event.authCode,
    gatewayTransactionId: event.gatewayTransactionId,
    arn: event.arn,
    note: event.note,
    declineCode: '',
    nextAction: null,
    attempts: concluded(payment, 'approved', event),
  };
}

function voided(payment: Payment, event: EventOf<'PaymentVoided'>): Partial<Payment> {
  const { voidId, amountMinor, note, at } = event;
  const requestedAt = payment.pendingVoid?.requestedAt ?? at;
  return {
    status: 'Voided',
    completedAt: payment.completedAt ?? at,
    capturedMinor: 0n,
    pendingVoid: null,
    voided: { voidId, amountMinor, requestedAt, completedAt: at, note },
    reserveHeldMinor: payment.reserveHeldMinor - event.reserveMinor,
    captureFeesMinor: event.reversedFees.reduce(
      (sum, { amountMinor }) => sum - amountMinor,
      payment.captureFeesMinor,
    ),
    note,
  };
}

function refundOf(event: EventOf<'RefundRequested' | 'NetworkRefunded'>): Refund {
  const common = {
    refundId: event.refundId,
    amountMinor: event.amountMinor,
    requestedAt: event.at,
  };
  if (event.type === 'RefundRequested') {
    return {
      ...common,
      status: 'RefundPending',
      items: event.items,
      adjustments: event.adjustments,
      source: event.source,
      reason: event.reason,
      alertId: null,
      notifyCustomer: event.notifyCustomer,
      requestedBy: event.requestedBy,
      completedAt: null,
      reversedAt: null,
      gatewayTransactionId: '',
      arn: '',
      note: '',
    };
  }
  return {
    ...common,
    status: 'Refunded',
    items: [],
    adjustments: [],
    source: 'RDR',
    reason: null,
    alertId: event.alertId,
    notifyCustomer: false,
    requestedBy: '',
    completedAt: event.at,
    reversedAt: null,
    gatewayTransactionId: '',
    arn: event.arn,
    note: event.note,
  };
}

function chargebackOf(payment: Payment, event: EventOf<'ChargebackOpened'>): Chargeback {
  return {
    chargebackId: event.chargebackId,
    provider: event.provider,
    reference: event.reference,
    status: 'ChargebackOpen',
    amountMinor: event.amountMinor,
    beyondCapturedMinor: event.beyondCapturedMinor,
    refundedBeforeMinor: payment.refunds.reduce(
      (sum, { status, amountMinor }) => (status === 'RefundFailed' ? sum : sum + amountMinor),
      0n,
    ),
    reasonCode: event.reasonCode,
    arn: event.arn,
    note: event.note,
    openedAt: event.openedAt,
    respondBy: event.respondBy,
    changedAt: event.at,
    completedAt: null,
  };
}

function alertOf(event: EventOf<'AlertReceived'>): Alert {
  return {
    alertId: event.alertId,
    provider: event.provider,
    reference: event.reference,
    source: event.source,
    alertType: event.alertType,
    status: 'AlertOpen',
    amountMinor: event.amountMinor,
    arn: event.arn,
    deadline: event.deadline,
    note: event.note,
    receivedAt: event.at,
    changedAt: event.at,
    completedAt: null,
  };
}
