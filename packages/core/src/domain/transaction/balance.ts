/** What follows from a payment as it stands: balances, the money-out rule, and flags. */
import type { Route } from './events.ts';
import type { Chargeback, Payment } from './state.ts';
import type { Status } from './status.ts';

/** The account that the payment was last routed to; undefined before the first attempt. */
export function routeOf(payment: Payment): Route | undefined {
  return payment.attempts.at(-1)?.route;
}

/** What was captured, also where a void has given it up since. */
export function takenMinor({ capturedMinor, voided }: Payment): bigint {
  return voided === null ? capturedMinor : voided.amountMinor;
}

function sum<Item extends { readonly amountMinor: bigint }>(items: readonly Item[]): bigint {
  return items.reduce((total, item) => total + item.amountMinor, 0n);
}

/** Refunds that were paid, RDR credits among them. */
export function refundedMinor(payment: Payment): bigint {
  return sum(payment.refunds.filter((refund) => refund.status === 'Refunded'));
}

/** Refunds on their way: their amount is reserved until the gateway has answered. */
export function pendingRefundMinor(payment: Payment): bigint {
  return sum(payment.refunds.filter((refund) => refund.status === 'RefundPending'));
}

const HOLDING: ReadonlySet<Status> = new Set([
  'ChargebackOpen',
  'ChargebackUnderReview',
  'ChargebackLost',
  'ChargebackAccepted',
]);

/** Whether a chargeback has the money, or may still get it. */
export function holdsMoney(chargeback: Chargeback): boolean {
  return HOLDING.has(chargeback.status);
}

/** Whether a chargeback took money that had been given back already, or was on its way. */
export function exceedsCaptured({ beyondCapturedMinor }: Chargeback): boolean {
  return beyondCapturedMinor > 0n;
}

/** Whether a chargeback, of whatever amount, has money of the payment or may still get it. */
export function isDisputed({ chargebacks }: Payment): boolean {
  return chargebacks.some(holdsMoney);
}

/** What chargebacks hold of the payment. */
export function disputedMinor(payment: Payment): bigint {
  return sum(payment.chargebacks.filter(holdsMoney));
}

/**
 * The money-out rule, for refunds, alerts, RDR and chargebacks alike: what may still leave. Paid and
 * pending refunds, RDR credits and chargebacks that hold money never exceed the capture by our doing;
 * a chargeback that comes on top of them is recorded, and leaves nothing.
 */
export function remainingMinor(payment: Payment): bigint {
  const rest =
    payment.capturedMinor -
    refundedMinor(payment) -
    pendingRefundMinor(payment) -
    disputedMinor(payment);
  return rest > 0n ? rest : 0n;
}

/**
 * Whether what was asked for may still be sent to the gateway. A chargeback that came meanwhile may be
 * about that very money, and what the network has credited is gone: we must not send it as well.
 */
export function mayStillLeave(payment: Payment): boolean {
  const outMinor = refundedMinor(payment) + pendingRefundMinor(payment);
  return !isDisputed(payment) && outMinor <= payment.capturedMinor;
}

/** What decides, outside the payment itself, whether it may still be refunded. */
export interface RefundPolicy {
  /** Days after the capture in which a refund is allowed; the tenant's setting. */
  readonly refundWindowDays: number;
  /** The merchant account's `forceAllowRefunds`: lifts the window, and nothing else. */
  readonly forceAllowRefunds: boolean;
}

const DAY_MS = 86_400_000;

export function insideRefundWindow(payment: Payment, policy: RefundPolicy, now: string): boolean {
  const { capturedAt } = payment;
  return (
    capturedAt === null || isWithinRefundWindow(Date.parse(capturedAt), policy, Date.parse(now))
  );
}

/** The same of a capture alone. */
export function isWithinRefundWindow(
  capturedMs: number,
  { refundWindowDays, forceAllowRefunds }: RefundPolicy,
  nowMs: number,
): boolean {
  return forceAllowRefunds || nowMs - capturedMs <= refundWindowDays * DAY_MS;
}

/** The flag `refundable` of the payment's own record. */
export function isRefundable(payment: Payment, policy: RefundPolicy, now: string): boolean {
  return (
    (payment.status === 'Captured' || payment.status === 'Settled') &&
    payment.pendingVoid === null &&
    payment.capturedMinor > refundedMinor(payment) + pendingRefundMinor(payment) &&
    !isDisputed(payment) &&
    insideRefundWindow(payment, policy, now)
  );
}

/** The flag `refunded`: paid refunds equal the capture. */
export function isRefunded(payment: Payment): boolean {
  const taken = takenMinor(payment);
  return taken > 0n && refundedMinor(payment) >= taken;
}

/** Whether it was refunded by itself, because it was found captured too late. */
export function isRefundedLate(payment: Payment): boolean {
  return payment.refunds.some(({ reason }) => reason === 'late-capture');
}

/** The flag `chargedBack`: stays true once set, won or not. */
export function isChargedBack(payment: Payment): boolean {
  return payment.chargebacks.length > 0;
}

/** The flag `hasAlert`: an alert came, or the network credited the customer (RDR). */
export function hasAlert(payment: Payment): boolean {
  return payment.alerts.length > 0 || payment.refunds.some((refund) => refund.source === 'RDR');
}
