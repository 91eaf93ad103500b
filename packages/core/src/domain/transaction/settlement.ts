/** What the acquirer pays out or takes back for a payment, compared line by line with what was booked. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { routeOf } from './balance.ts';
import type {
  CommandOf,
  Rejection,
  SettlementDifference,
  SettlementKind,
  SettlementLine,
} from './command.ts';
import type { Event, Fee } from './events.ts';
import { chargebackFees } from './fees.ts';
import { addFee, type Payment, type Settled } from './state.ts';

type Decision = Either<Rejection, readonly Event[]>;

/** Money of a payment that the acquirer is to pay out or to take back. */
export interface Movement {
  readonly kind: SettlementKind;
  /** The refund or the chargeback; null for what is about the payment itself. */
  readonly id: Settled['id'];
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly feeMinor: bigint;
  /** What reaches the bank; negative where the acquirer takes it back. */
  readonly bankMinor: bigint;
  /** Several lines may settle it bit by bit. */
  readonly inParts: boolean;
  readonly gatewayTransactionId: string;
  readonly arn: string;
  /** When it was booked. */
  readonly at: string;
}

/** Checked in this order: missing, (a repeat), currency, amount, fee, settled. */
export function settleLine(payment: Payment, command: CommandOf<'SettleLine'>): Decision {
  const { line, at } = command;
  const route = routeOf(payment);
  const found = movementFor(payment, line);
  if (route === undefined || found === undefined) return differs({ type: 'missing' }, null);
  const difference = differenceOf(found, line);
  if (difference !== undefined) return differs(difference, found.id);
  const own = settledAs(payment, found);
  if (own.some(({ reference }) => reference === line.reference)) return right([]);
  const [before] = own;
  if (!found.inParts && before !== undefined) {
    return differs({ type: 'settled', reference: before.reference }, found.id);
  }
  const { reference, currency } = line;
  const books = {
    sandbox: payment.sandbox,
    merchantAccountId: route.merchantAccountId,
    currency,
    amountMinor: found.bankMinor,
    reference,
    at,
  };
  const { kind, id } = found;
  if (kind === 'capture') return right([{ type: 'PaymentSettled', ...books }]);
  return right([{ type: 'MovementSettled', kind, id, ...books }]);
}

function differs(difference: SettlementDifference, id: Movement['id']): Decision {
  return left({ type: 'SettlementDiffers', difference, id });
}

function differenceOf(found: Movement, line: SettlementLine): SettlementDifference | undefined {
  const { currency, amountMinor, feeMinor } = found;
  if (currency !== line.currency) return { type: 'currency', expected: currency };
  if (amountMinor !== line.amountMinor) return { type: 'amount', expectedMinor: amountMinor };
  return feeMinor === line.feeMinor ? undefined : { type: 'fee', expectedMinor: feeMinor };
}

/**
 * The movement that a line is about: the one that its reference settled, else the first that agrees and
 * is open, else the first that is open, else the first.
 */
function movementFor(payment: Payment, line: SettlementLine): Movement | undefined {
  const movements =
    line.kind === 'fee' || line.kind === 'reserve'
      ? partsFor(payment, line)
      : movementsOf(payment).filter((each) => isNamed(each, payment, line));
  const isOpen = (each: Movement) => each.inParts || settledAs(payment, each).length === 0;
  return (
    movements.find((each) =>
      settledAs(payment, each).some(({ reference }) => reference === line.reference),
    ) ??
    movements.find((each) => isOpen(each) && differenceOf(each, line) === undefined) ??
    movements.find(isOpen) ??
    movements[0]
  );
}

/** Acquirers name a refund or a chargeback by its own ids or by those of the payment. */
function isNamed(movement: Movement, payment: Payment, line: SettlementLine): boolean {
  const { gatewayTransactionId, arn } = line;
  return (
    movement.kind === line.kind &&
    [movement, payment].some(
      (each) =>
        (gatewayTransactionId !== '' && each.gatewayTransactionId === gatewayTransactionId) ||
        (arn !== '' && each.arn === arn),
    )
  );
}

function settledAs({ settlements }: Payment, { kind, id }: Movement): readonly Settled[] {
  return settlements.filter((each) => each.kind === kind && each.id === id);
}

/** The movements of a payment that no line has settled: what a settlement file is still to have. */
export function unsettledMovements(payment: Payment): readonly Movement[] {
  return movementsOf(payment).filter((each) => settledAs(payment, each).length === 0);
}

/** Everything that is settled as a whole. */
function movementsOf(payment: Payment): readonly Movement[] {
  const { currency, capturedMinor, capturedAt, refunds, chargebacks } = payment;
  const whole = { currency, inParts: false } as const;
  const movements: Movement[] = [];
  // A void under way may end either way.
  if (capturedAt !== null && payment.status !== 'Voided' && payment.pendingVoid === null) {
    const feeMinor = payment.captureFeesMinor;
    const reserveMinor = payment.reserveHeldMinor + payment.reserveReleasedMinor;
    movements.push({
      ...whole,
      kind: 'capture',
      id: null,
      amountMinor: capturedMinor,
      feeMinor,
      bankMinor: capturedMinor - feeMinor - reserveMinor,
      gatewayTransactionId: payment.gatewayTransactionId,
      arn: payment.arn,
      at: capturedAt,
    });
  }
  for (const refund of refunds) {
    if (refund.status !== 'Refunded' && refund.reversedAt === null) continue;
    const { refundId, amountMinor, gatewayTransactionId, arn, completedAt, reversedAt } = refund;
    const named = { ...whole, id: refundId, amountMinor, feeMinor: 0n, gatewayTransactionId, arn };
    const at = completedAt ?? refund.requestedAt;
    movements.push({ ...named, kind: 'refund', bankMinor: -amountMinor, at });
    if (reversedAt === null) continue;
    movements.push({ ...named, kind: 'reversal', bankMinor: amountMinor, at: reversedAt });
  }
  for (const chargeback of chargebacks) {
    const { chargebackId, status, amountMinor, arn, openedAt, completedAt } = chargeback;
    const named = { ...whole, id: chargebackId, amountMinor, gatewayTransactionId: '', arn };
    const feeMinor = chargebackFeeOf(payment);
    const bankMinor = -amountMinor - feeMinor;
    movements.push({ ...named, kind: 'chargeback', feeMinor, bankMinor, at: openedAt });
    if (status !== 'ChargebackWon' && status !== 'ChargebackWithdrawn') continue;
    const at = completedAt ?? openedAt;
    movements.push({ ...named, kind: 'reversal', feeMinor: 0n, bankMinor: amountMinor, at });
  }
  return movements;
}

/** In the payment's currency: one in another is settled by a line of its own. */
function chargebackFeeOf(payment: Payment): bigint {
  const route = routeOf(payment);
  const fees = route === undefined ? [] : chargebackFees(route.terms);
  return fees
    .filter(({ currency }) => currency === payment.currency)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** What is left of the fees, or of the released reserve: a line may settle a part of it. */
function partsFor(payment: Payment, line: SettlementLine): readonly Movement[] {
  const { kind, currency } = line;
  const isReserve = kind === 'reserve';
  const booked = isReserve
    ? { currency: payment.currency, amountMinor: payment.reserveReleasedMinor }
    : feesToSettle(payment).find((each) => each.currency === currency);
  if (booked === undefined || booked.amountMinor <= 0n) return [];
  const part = {
    kind,
    id: null,
    currency: booked.currency,
    feeMinor: 0n,
    inParts: true,
    gatewayTransactionId: payment.gatewayTransactionId,
    arn: payment.arn,
    at: payment.changedAt,
  };
  const ofPart = (amountMinor: bigint): Movement => ({
    ...part,
    amountMinor,
    bankMinor: isReserve ? amountMinor : -amountMinor,
  });
  const same = payment.settlements.filter(
    (each) => each.kind === kind && each.currency === currency,
  );
  const before = same.find(({ reference }) => reference === line.reference);
  if (before !== undefined) return [ofPart(isReserve ? before.bankMinor : -before.bankMinor)];
  const settledMinor = same.reduce((sum, { bankMinor }) => sum + bankMinor, 0n);
  const leftMinor = booked.amountMinor - (isReserve ? settledMinor : -settledMinor);
  if (leftMinor <= 0n) return [];
  const isPart = line.amountMinor > 0n && line.amountMinor <= leftMinor;
  return [ofPart(isPart ? line.amountMinor : leftMinor)];
}

/** Fees that no line of a capture or chargeback holds; those of an authorization that came to nothing too. */
function feesToSettle({
  otherFees,
  captureFeesMinor,
  currency,
  capturedAt,
  status,
}: Payment): readonly Pick<Fee, 'currency' | 'amountMinor'>[] {
  const isCaptured = capturedAt !== null && status !== 'Voided';
  if (isCaptured || captureFeesMinor === 0n) return otherFees;
  return addFee([...otherFees], { currency, amountMinor: captureFeesMinor });
}
