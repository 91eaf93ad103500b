/** Chargebacks and alerts. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { never } from '../../kernel/aggregate.ts';
import { remainingMinor, routeOf, takenMinor } from './balance.ts';
import { ANSWER_DAYS } from './codes.ts';
import type { CommandOf, DisputeCommand, Rejection } from './command.ts';
import type { Event } from './events.ts';
import { alertFees, chargebackFees } from './fees.ts';
import { isChildId } from './refund.ts';
import type { Payment } from './state.ts';
import { mayMove } from './status.ts';

type Decision = Either<Rejection, readonly Event[]>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function decideDispute(payment: Payment, command: DisputeCommand): Decision {
  switch (command.type) {
    case 'OpenChargeback':
      return openChargeback(payment, command);
    case 'MoveChargeback':
      return moveChargeback(payment, command);
    case 'ReceiveAlert':
      return receiveAlert(payment, command);
    case 'MoveAlert':
      return moveAlert(payment, command);
    default:
      return never(command);
  }
}

/**
 * The bank has already taken the money, so a chargeback beyond a refund is recorded, with the part that
 * was given back twice.
 * Checked in this order: (a repeat), ChildExists, WrongStatus, AmountNotPositive.
 */
function openChargeback(payment: Payment, command: CommandOf<'OpenChargeback'>): Decision {
  const {
    chargebackId,
    provider = '',
    reference,
    amountMinor,
    reasonCode,
    arn,
    note,
    at,
  } = command;
  const { openedAt = at, respondBy = respondByOf(payment, command, openedAt) } = command;
  const { sandbox, currency, status } = payment;
  if (payment.chargebacks.some(isSame(provider, reference))) return right([]);
  if (isChildId(payment, chargebackId)) return left({ type: 'ChildExists', id: chargebackId });
  const route = routeOf(payment);
  if ((status !== 'Captured' && status !== 'Settled') || route === undefined) {
    return left({ type: 'WrongStatus', status, command: command.type });
  }
  if (amountMinor <= 0n) return left({ type: 'AmountNotPositive', amountMinor, currency });
  const beyond = amountMinor - remainingMinor(payment);
  const { merchantAccountId } = route;
  return right([
    {
      type: 'ChargebackOpened',
      chargebackId,
      provider,
      reference,
      sandbox,
      merchantAccountId,
      currency,
      amountMinor,
      reasonCode,
      arn,
      beyondCapturedMinor: beyond > 0n ? beyond : 0n,
      openedAt,
      respondBy,
      note,
      fees: chargebackFees(route.terms),
      at,
    },
  ]);
}

/** Whether a dispute has been recorded already. */
function isSame(provider: string, reference: string) {
  return (each: { readonly provider: string; readonly reference: string }) =>
    each.provider === provider && each.reference === reference;
}

function respondByOf(
  { card }: Payment,
  { answerDays = Object.values(ANSWER_DAYS) }: CommandOf<'OpenChargeback'>,
  openedAt: string,
): string {
  const days = answerDays[card?.brandId ?? 0] ?? 0;
  return new Date(Date.parse(openedAt) + days * DAY_MS).toISOString();
}

/** Checked in this order: ChargebackUnknown, (a repeat), WrongStatus. */
function moveChargeback(payment: Payment, command: CommandOf<'MoveChargeback'>): Decision {
  const { chargebackId, to, note, at } = command;
  const chargeback = payment.chargebacks.find((each) => each.chargebackId === chargebackId);
  const route = routeOf(payment);
  if (chargeback === undefined || route === undefined) {
    return left({ type: 'ChargebackUnknown', chargebackId });
  }
  const { status, amountMinor } = chargeback;
  if (status === to) return right([]);
  if (!mayMove(status, to)) return left({ type: 'WrongStatus', status, command: command.type });
  if (to === 'ChargebackWon' || to === 'ChargebackWithdrawn') {
    const { sandbox, currency } = payment;
    const { merchantAccountId } = route;
    return right([
      { type: to, chargebackId, sandbox, merchantAccountId, currency, amountMinor, note, at },
    ]);
  }
  return right([{ type: to, chargebackId, note, at }]);
}

/** Hours in which a source wants its answer; the others set no deadline. */
const ANSWER_HOURS: Readonly<Record<string, number>> = { AlertProvider: 24, CDRN: 72 };

/** When an alert must be answered; null where its source sets no deadline. */
export function alertDeadlineOf(source: string | null, sentAt: string): string | null {
  const hours = ANSWER_HOURS[source ?? ''];
  return hours === undefined ? null : new Date(Date.parse(sentAt) + hours * HOUR_MS).toISOString();
}

/** Checked in this order: (a repeat), ChildExists, WrongStatus, AmountNotPositive. */
function receiveAlert(payment: Payment, command: CommandOf<'ReceiveAlert'>): Decision {
  const { alertId, provider = '', reference, source, alertType, amountMinor, arn } = command;
  const { note, at, sentAt = at } = command;
  const { sandbox, currency, status } = payment;
  if (payment.alerts.some(isSame(provider, reference))) return right([]);
  if (isChildId(payment, alertId)) return left({ type: 'ChildExists', id: alertId });
  const route = routeOf(payment);
  if (route === undefined || takenMinor(payment) === 0n) {
    return left({ type: 'WrongStatus', status, command: command.type });
  }
  if (amountMinor <= 0n) return left({ type: 'AmountNotPositive', amountMinor, currency });
  const { merchantAccountId } = route;
  return right([
    {
      type: 'AlertReceived',
      alertId,
      provider,
      reference,
      source,
      alertType,
      sandbox,
      merchantAccountId,
      currency,
      amountMinor,
      arn,
      deadline: alertDeadlineOf(source, sentAt),
      note,
      fees: alertFees(route.terms, source, payment),
      at,
    },
  ]);
}

/** Checked in this order: AlertUnknown, (a repeat), WrongStatus. */
function moveAlert(payment: Payment, command: CommandOf<'MoveAlert'>): Decision {
  const { alertId, to, note, at } = command;
  const alert = payment.alerts.find((each) => each.alertId === alertId);
  if (alert === undefined) return left({ type: 'AlertUnknown', alertId });
  if (alert.status === to) return right([]);
  if (!mayMove(alert.status, to)) {
    return left({ type: 'WrongStatus', status: alert.status, command: command.type });
  }
  return right([{ type: to, alertId, note, at }]);
}
