/** Submit, attempt, authorize, capture, void, settle. */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { never } from '../../kernel/aggregate.ts';
import { currencyOf } from '../../kernel/currency.ts';
import { canonicalJson } from '../../kernel/fingerprint.ts';
import { percentOf } from '../../kernel/money.ts';
import { routeOf } from './balance.ts';
import { CREDENTIALS_REFUSED } from './codes.ts';
import type { CommandOf, Outcome, PaymentCommand, Rejection } from './command.ts';
import type { Event, Route } from './events.ts';
import { expiryOf } from './expiry.ts';
import { approvalFees, captureFees, declineFees } from './fees.ts';
import { isFreeTrial, type Order, Order as OrderSchema, orderIn } from './order.ts';
import { decideRefund } from './refund.ts';
import { settleLine } from './settlement.ts';
import { type Attempt, evolve, type Payment, type State } from './state.ts';
import { mayMove, type Status } from './status.ts';

type Decision = Either<Rejection, readonly Event[]>;

/** Checked in this order: TransactionExists, UnknownCurrency, AmountNotPositive. */
export function submit(state: State, command: CommandOf<'SubmitPayment'>): Decision {
  const { transactionId, route, blackListing, refused, at } = command;
  if (state !== null) {
    return sameOrder(state, command) ? right([]) : left({ type: 'TransactionExists' });
  }
  const { amountMinor, currency } = command;
  if (currencyOf(currency) === undefined) return left({ type: 'UnknownCurrency', currency });
  if (amountMinor <= 0n && !isFreeTrial(command)) {
    return left({ type: 'AmountNotPositive', amountMinor, currency });
  }
  const submitted: Event = { ...orderIn(command), type: 'PaymentSubmitted', transactionId, at };
  if (blackListing !== 0) {
    return right([
      submitted,
      { type: 'PaymentBlocked', blackListing, note: 'on the black list', at },
    ]);
  }
  if (route === null) return right([submitted]);
  const started = [submitted, attemptStarted(1, route, at)];
  return right(
    refused === undefined ? started : [...started, { type: 'PaymentFailed', note: refused, at }],
  );
}

/** Whether a payment was submitted with this order: the key of a repeat. */
function sameOrder(payment: Payment, order: Order): boolean {
  const keys = Object.keys(OrderSchema.shape) as (keyof Order)[];
  return keys.every((key) => canonicalJson(payment[key]) === canonicalJson(order[key]));
}

function attemptStarted(attempt: number, route: Route, at: string): Event {
  return { type: 'AttemptStarted', attempt, route, at };
}

export function decidePayment(
  payment: Payment,
  command: Exclude<PaymentCommand, { type: 'SubmitPayment' }>,
): Decision {
  switch (command.type) {
    case 'StartAttempt':
      return startAttempt(payment, command);
    case 'RecordOutcome':
      return recordOutcome(payment, command);
    case 'CompleteAction':
      return completeAction(payment, command);
    case 'ExpirePayment':
      return expire(payment, command);
    case 'RequestCapture':
      return requestCapture(payment, command);
    case 'RecordCapture':
      return recordCapture(payment, command);
    case 'RecordCaptureFailure':
      return recordCaptureFailure(payment, command);
    case 'RequestVoid':
      return requestVoid(payment, command);
    case 'RecordVoid':
      return recordVoid(payment, command);
    case 'RecordVoidFailure':
      return recordVoidFailure(payment, command);
    case 'SettlePayment':
      return settle(payment, command);
    case 'SettleLine':
      return settleLine(payment, command);
    case 'ReleaseReserve':
      return releaseReserve(payment, command);
    default:
      return never(command);
  }
}

function wrongStatus(payment: Payment, command: PaymentCommand): Decision {
  return left({ type: 'WrongStatus', status: payment.status, command: command.type });
}

/**
 * A further attempt starts only when the one before was declined and left the payment open.
 * Checked in this order: (a repeat), AttemptUnknown, WrongStatus.
 */
function startAttempt(payment: Payment, command: CommandOf<'StartAttempt'>): Decision {
  const { attempt, route, at } = command;
  const { status, attempts } = payment;
  if (attempt >= 1 && attempt <= attempts.length) return right([]);
  if (attempt !== attempts.length + 1) return left({ type: 'AttemptUnknown', attempt });
  const open =
    status === 'Created' || (status === 'Processing' && attempts.at(-1)?.outcome === 'declined');
  return open ? right([attemptStarted(attempt, route, at)]) : wrongStatus(payment, command);
}

/** Checked in this order: AttemptUnknown, (a repeat), WrongStatus. */
function recordOutcome(payment: Payment, command: CommandOf<'RecordOutcome'>): Decision {
  const { attempt, outcome } = command;
  const last = payment.attempts.at(-1);
  if (last === undefined || attempt > last.attempt) {
    return left({ type: 'AttemptUnknown', attempt });
  }
  if (isKnown(payment, attempt, outcome)) return right([]);
  const expected = payment.status === 'Processing' && isOpenTo(last, outcome);
  // An unknown outcome is resolved by the gateway's answer; a customer who fails the action is declined.
  const waits = payment.status === 'Unknown' || payment.status === 'RequiresAction';
  const resolves = waits && mayMove(payment.status, statusOf(outcome));
  if (attempt !== last.attempt || !(expected || resolves)) return wrongStatus(payment, command);
  const events = outcomeEvents(payment, last, outcome);
  return right([...events, ...lateRefund(payment, events, command)]);
}

const MINUTE_MS = 60_000;

/**
 * The refund of a capture that was found too late. It is requested in the append of the capture, so
 * that it happens once; where the money-out rule refuses it, the capture is kept.
 */
function lateRefund(
  payment: Payment,
  events: readonly Event[],
  { lateCapture, outcome, tenantId, transactionId }: CommandOf<'RecordOutcome'>,
): readonly Event[] {
  if (lateCapture === undefined || outcome.result !== 'captured') return [];
  const { afterMinutes, ...asked } = lateCapture;
  const waitedMs = Date.parse(outcome.at) - Date.parse(payment.unknownSince ?? payment.changedAt);
  if (waitedMs <= afterMinutes * MINUTE_MS) return [];
  const captured = events.reduce<State>(evolve, payment);
  if (captured === null) return [];
  const requested = decideRefund(captured, {
    type: 'RequestRefund',
    tenantId,
    transactionId,
    ...asked,
    items: [],
    source: 'System',
    reason: 'late-capture',
    notifyCustomer: true,
    requestedBy: 'system',
    at: outcome.at,
  });
  return isLeft(requested) ? [] : requested.right;
}

/** An attempt takes one outcome; a soft decline may still become final, when no account is left to try. */
function isOpenTo(attempt: Attempt, outcome: Outcome): boolean {
  return (
    attempt.outcome === 'pending' ||
    (attempt.outcome === 'declined' && outcome.result === 'declined')
  );
}

const STATUS_OF_RESULT = {
  authorized: 'Authorized',
  captured: 'Captured',
  declined: 'Declined',
  failed: 'Failed',
  unknown: 'Unknown',
  'action-required': 'RequiresAction',
} as const satisfies Record<Outcome['result'], Status>;

function statusOf(outcome: Outcome): Status {
  return STATUS_OF_RESULT[outcome.result];
}

/** The same answer of the gateway a second time: from a retry, a sweeper, or another host. */
function isKnown(payment: Payment, attempt: number, outcome: Outcome): boolean {
  const recorded = payment.attempts.find((each) => each.attempt === attempt)?.outcome;
  switch (outcome.result) {
    case 'authorized':
    case 'captured':
      return (
        recorded === 'approved' &&
        (payment.capturedAt !== null || outcome.result === 'authorized') &&
        payment.gatewayTransactionId === outcome.gatewayTransactionId
      );
    case 'declined':
      return recorded === 'declined' && (payment.status === 'Declined' || outcome.retryElsewhere);
    default:
      return recorded === outcome.result;
  }
}

function outcomeEvents(payment: Payment, last: Attempt, outcome: Outcome): Event[] {
  const { attempt, route } = last;
  const { note, at } = outcome;
  const books = booksOf(payment, route);
  switch (outcome.result) {
    case 'authorized': {
      const { authCode, gatewayTransactionId } = outcome;
      const fees = approvalFees(route.terms, outcome);
      const { amountMinor } = payment;
      return [
        {
          type: 'PaymentAuthorized',
          ...books,
          amountMinor,
          authCode,
          gatewayTransactionId,
          note,
          fees,
          at,
        },
      ];
    }
    case 'captured':
      return [
        captured(payment, route, {
          ...outcome,
          amountMinor: payment.amountMinor,
          fees: approvalFees(route.terms, outcome),
        }),
      ];
    case 'declined': {
      const { declineCode, hard, gatewayTransactionId, retryElsewhere, skipped = [] } = outcome;
      // The attempt was charged for when it was declined, not when the payment was given up.
      const isFree = last.outcome === 'declined' || declineCode === CREDENTIALS_REFUSED;
      const fees = isFree ? [] : declineFees(route.terms);
      if (retryElsewhere && !hard && payment.status === 'Processing') {
        return [{ type: 'AttemptDeclined', attempt, ...books, declineCode, note, fees, at }];
      }
      return [
        {
          type: 'PaymentDeclined',
          ...books,
          cardBrandId: brandOf(payment),
          declineCode,
          hard,
          gatewayTransactionId,
          note,
          fees,
          skipped,
          at,
        },
      ];
    }
    case 'action-required':
      return [actionRequired(attempt, outcome)];
    case 'failed':
      return [{ type: 'PaymentFailed', note, at }];
    case 'unknown':
      return [{ type: 'OutcomeUnknown', note, at }];
    default:
      return never(outcome);
  }
}

function actionRequired(
  attempt: number,
  { nextAction, gatewayTransactionId, at }: Extract<Outcome, { result: 'action-required' }>,
): Event {
  return { type: 'ActionRequired', attempt, nextAction, gatewayTransactionId, at };
}

function booksOf({ sandbox, currency }: Payment, { merchantAccountId }: Route) {
  return { sandbox, merchantAccountId, currency };
}

function brandOf({ card }: Payment): number {
  return card?.brandId ?? 0;
}

function captured(
  payment: Payment,
  route: Route,
  facts: {
    amountMinor: bigint;
    authCode: string;
    gatewayTransactionId: string;
    arn: string;
    note: string;
    fees: ReturnType<typeof approvalFees>;
    at: string;
  },
): Event {
  const { terms } = route;
  const { amountMinor, authCode, gatewayTransactionId, arn, note, at } = facts;
  return {
    type: 'PaymentCaptured',
    ...booksOf(payment, route),
    cardBrandId: brandOf(payment),
    amountMinor,
    authCode,
    gatewayTransactionId,
    arn,
    note,
    fees: [...facts.fees, ...captureFees(terms, amountMinor, payment.currency)],
    reserveMinor: percentOf(amountMinor, terms.reservePercentage),
    at,
  };
}

function completeAction(payment: Payment, command: CommandOf<'CompleteAction'>): Decision {
  const attempt = payment.attempts.length;
  if (payment.status !== 'RequiresAction') {
    return payment.status === 'Created' ? wrongStatus(payment, command) : right([]);
  }
  return right([{ type: 'ActionCompleted', attempt, at: command.at }]);
}

/**
 * A capture or void whose outcome is not known yet may have moved the money: it is settled first.
 * Checked in this order: (a repeat), WrongStatus, RequestUnderWay, (another wait).
 */
function expire(payment: Payment, command: CommandOf<'ExpirePayment'>): Decision {
  const { dueAt } = command;
  if (payment.status === 'Expired') return right([]);
  if (!mayMove(payment.status, 'Expired')) return wrongStatus(payment, command);
  const underWay = requestUnderWay(payment);
  if (underWay !== undefined) return left({ type: 'RequestUnderWay', request: underWay });
  if (dueAt !== undefined && expiryOf(payment)?.at !== dueAt) return right([]);
  return right([{ type: 'AuthorizationExpired', note: command.note, at: command.at }]);
}

/**
 * Checked in this order: (a repeat), RequestFailedBefore, WrongStatus, RequestUnderWay,
 * AmountNotPositive, CaptureExceedsAuthorization.
 */
function requestCapture(payment: Payment, command: CommandOf<'RequestCapture'>): Decision {
  const { captureId, at } = command;
  if (payment.pendingCapture?.captureId === captureId || payment.captureId === captureId) {
    return right([]);
  }
  if (payment.failedRequestIds.includes(captureId)) {
    return left({ type: 'RequestFailedBefore', request: 'capture' });
  }
  const refusal = captureRefusal(payment);
  if (refusal !== undefined) return left(refusal);
  const { authorizedMinor, currency } = payment;
  const amountMinor = command.amountMinor ?? authorizedMinor;
  if (amountMinor <= 0n) return left({ type: 'AmountNotPositive', amountMinor, currency });
  if (amountMinor > authorizedMinor) {
    return left({
      type: 'CaptureExceedsAuthorization',
      requestedMinor: amountMinor,
      authorizedMinor,
      currency,
    });
  }
  return right([{ type: 'CaptureRequested', captureId, amountMinor, at }]);
}

/** Why no capture can be asked for; undefined where one can. */
export function captureRefusal(payment: Payment): Rejection | undefined {
  const { status } = payment;
  if (status !== 'Authorized') return { type: 'WrongStatus', status, command: 'RequestCapture' };
  const request = requestUnderWay(payment);
  return request && { type: 'RequestUnderWay', request };
}

function requestUnderWay(payment: Payment): 'capture' | 'void' | undefined {
  if (payment.pendingCapture !== null) return 'capture';
  return payment.pendingVoid === null ? undefined : 'void';
}

function recordCapture(payment: Payment, command: CommandOf<'RecordCapture'>): Decision {
  if (payment.captureId === command.captureId) return right([]);
  const pending = payment.pendingCapture;
  const route = routeOf(payment);
  if (pending?.captureId !== command.captureId || route === undefined) {
    return left({ type: 'RequestUnknown', request: 'capture' });
  }
  const { gatewayTransactionId, arn, note, at } = command;
  return right([
    captured(payment, route, {
      amountMinor: pending.amountMinor,
      authCode: payment.authCode,
      gatewayTransactionId: gatewayTransactionId || payment.gatewayTransactionId,
      arn,
      note,
      fees: [],
      at,
    }),
  ]);
}

function recordCaptureFailure(
  payment: Payment,
  command: CommandOf<'RecordCaptureFailure'>,
): Decision {
  const { captureId, note, at } = command;
  if (payment.failedRequestIds.includes(captureId)) return right([]);
  if (payment.pendingCapture?.captureId !== captureId) {
    return left({ type: 'RequestUnknown', request: 'capture' });
  }
  return right([{ type: 'CaptureFailed', captureId, note, at }]);
}

/** Checked in this order: (a repeat), RequestFailedBefore, WrongStatus, RequestUnderWay, VoidAfterRefund. */
function requestVoid(payment: Payment, command: CommandOf<'RequestVoid'>): Decision {
  const { voidId, at } = command;
  if (payment.pendingVoid?.voidId === voidId || payment.voided?.voidId === voidId) return right([]);
  if (payment.failedRequestIds.includes(voidId)) {
    return left({ type: 'RequestFailedBefore', request: 'void' });
  }
  const refusal = voidRefusal(payment);
  if (refusal !== undefined) return left(refusal);
  return right([{ type: 'VoidRequested', voidId, at }]);
}

/** Why no void can be asked for; undefined where one can. */
export function voidRefusal(payment: Payment): Rejection | undefined {
  const { status } = payment;
  if (!mayMove(status, 'Voided')) return { type: 'WrongStatus', status, command: 'RequestVoid' };
  const request = requestUnderWay(payment);
  if (request !== undefined) return { type: 'RequestUnderWay', request };
  const moneyIsOut =
    payment.refunds.some((refund) => refund.status !== 'RefundFailed') ||
    payment.chargebacks.length > 0;
  return moneyIsOut ? { type: 'VoidAfterRefund' } : undefined;
}

function recordVoid(payment: Payment, command: CommandOf<'RecordVoid'>): Decision {
  const { voidId, note, at } = command;
  if (payment.voided?.voidId === voidId) return right([]);
  const route = routeOf(payment);
  if (payment.pendingVoid?.voidId !== voidId || route === undefined) {
    return left({ type: 'RequestUnknown', request: 'void' });
  }
  const amountMinor = payment.capturedMinor;
  const reserveMinor = payment.reserveHeldMinor;
  const books = booksOf(payment, route);
  const reversedFees = captureFees(route.terms, amountMinor, payment.currency);
  return right([
    { type: 'PaymentVoided', voidId, ...books, amountMinor, reserveMinor, reversedFees, note, at },
  ]);
}

function recordVoidFailure(payment: Payment, command: CommandOf<'RecordVoidFailure'>): Decision {
  const { voidId, note, at } = command;
  if (payment.failedRequestIds.includes(voidId)) return right([]);
  if (payment.pendingVoid?.voidId !== voidId) {
    return left({ type: 'RequestUnknown', request: 'void' });
  }
  return right([{ type: 'VoidFailed', voidId, note, at }]);
}

/** Checked in this order: (a repeat), WrongStatus, RequestUnderWay, AmountNotPositive. */
function settle(payment: Payment, command: CommandOf<'SettlePayment'>): Decision {
  const { amountMinor, reference, at } = command;
  const route = routeOf(payment);
  if (payment.status === 'Settled' && payment.settlementReference === reference) return right([]);
  if (!mayMove(payment.status, 'Settled') || route === undefined)
    return wrongStatus(payment, command);
  if (payment.pendingVoid !== null) return left({ type: 'RequestUnderWay', request: 'void' });
  if (amountMinor <= 0n) {
    return left({ type: 'AmountNotPositive', amountMinor, currency: payment.currency });
  }
  return right([
    { type: 'PaymentSettled', ...booksOf(payment, route), amountMinor, reference, at },
  ]);
}

/** Checked in this order: (a repeat, nothing held), AmountNotPositive, ReleaseExceedsReserve. */
function releaseReserve(payment: Payment, command: CommandOf<'ReleaseReserve'>): Decision {
  const { releaseId } = command;
  if (payment.releaseIds.includes(releaseId)) return right([]);
  const heldMinor = payment.reserveHeldMinor;
  const route = routeOf(payment);
  const amountMinor = command.amountMinor ?? heldMinor;
  const { currency } = payment;
  if (heldMinor === 0n && command.amountMinor === undefined) return right([]);
  if (amountMinor <= 0n) return left({ type: 'AmountNotPositive', amountMinor, currency });
  if (amountMinor > heldMinor || route === undefined) {
    return left({
      type: 'ReleaseExceedsReserve',
      requestedMinor: amountMinor,
      heldMinor,
      currency,
    });
  }
  return right([
    { type: 'ReserveReleased', releaseId, ...booksOf(payment, route), amountMinor, at: command.at },
  ]);
}
