/** Giving money back: the one gate through which refunds of every source pass. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { never } from '../../kernel/decider.ts';
import { allocate, divideHalfEven } from '../../kernel/money.ts';
import { holdsMoney, insideRefundWindow, remainingMinor, routeOf } from './balance.ts';
import { APPLICATION_KIND } from './codes.ts';
import type { CommandOf, RefundCommand, RefundItem, Rejection } from './command.ts';
import type { Event, EventOf } from './events.ts';
import { lineTotalMinor } from './order.ts';
import type { Payment } from './state.ts';

type Decision = Either<Rejection, readonly Event[]>;
type Items = EventOf<'RefundRequested'>['items'];

export function decideRefund(payment: Payment, command: RefundCommand): Decision {
  switch (command.type) {
    case 'RequestRefund':
      return requestRefund(payment, command);
    case 'RecordRefund':
      return recordRefund(payment, command);
    case 'RecordRefundFailure':
      return recordRefundFailure(payment, command);
    case 'RecordNetworkRefund':
      return recordNetworkRefund(payment, command);
    default:
      return never(command);
  }
}

/**
 * Checked in this order: (a repeat) or RefundExists, ChildExists, NotRefundable, RequestUnderWay,
 * RefundBlockedByChargeback, NothingLeftToRefund, RefundWindowClosed, AmountNotPositive,
 * RefundExceedsRemaining, then the items: RefundItemsNotAllowed, RefundItemsRequired,
 * RefundItemUnknown, RefundQuantityExceeded, AmountNotPositive (of an item), RefundItemsIncomplete.
 */
function requestRefund(payment: Payment, command: CommandOf<'RequestRefund'>): Decision {
  const { refundId, policy, source, notifyCustomer, requestedBy, at } = command;
  const { status, currency } = payment;
  const before = payment.refunds.find((refund) => refund.refundId === refundId);
  if (before !== undefined) {
    const same = isFull(command) || before.amountMinor === command.amountMinor;
    return same && before.source !== 'RDR' ? right([]) : left({ type: 'RefundExists', refundId });
  }
  if (isChildId(payment, refundId)) return left({ type: 'ChildExists', id: refundId });
  if (status !== 'Captured' && status !== 'Settled') return left({ type: 'NotRefundable', status });
  if (payment.pendingVoidId !== null) return left({ type: 'RequestUnderWay', request: 'void' });
  if (payment.chargebacks.some(holdsMoney)) return left({ type: 'RefundBlockedByChargeback' });
  const remaining = remainingMinor(payment);
  if (remaining === 0n) return left({ type: 'NothingLeftToRefund' });
  if (!insideRefundWindow(payment, policy, at)) {
    return left({ type: 'RefundWindowClosed', refundWindowDays: policy.refundWindowDays });
  }
  const amountMinor = isFull(command) ? remaining : (command.amountMinor ?? 0n);
  if (amountMinor < 0n) return left({ type: 'AmountNotPositive', amountMinor, currency });
  if (amountMinor > remaining) {
    return left({
      type: 'RefundExceedsRemaining',
      requestedMinor: amountMinor,
      remainingMinor: remaining,
      currency,
    });
  }
  const items = itemsOf(payment, command.items, amountMinor, remaining);
  if ('type' in items) return left(items);
  return right([
    {
      type: 'RefundRequested',
      refundId,
      amountMinor,
      items,
      source,
      notifyCustomer,
      requestedBy,
      at,
    },
  ]);
}

/** 0 or nothing asks for the whole remaining balance. */
function isFull({ amountMinor }: CommandOf<'RequestRefund'>): boolean {
  return amountMinor === undefined || amountMinor === 0n;
}

/** Whether an id is taken by a child of the payment, or by the payment itself. */
export function isChildId(payment: Payment, id: string): boolean {
  return (
    payment.transactionId === id ||
    payment.refunds.some((refund) => refund.refundId === id) ||
    payment.chargebacks.some((chargeback) => chargeback.chargebackId === id) ||
    payment.alerts.some((alert) => alert.alertId === id)
  );
}

/** What an ecommerce refund gives back of each variant; a full one without a list gives all that is left. */
function itemsOf(
  payment: Payment,
  asked: readonly RefundItem[],
  amountMinor: bigint,
  remaining: bigint,
): Items | Rejection {
  if (payment.applicationKind !== APPLICATION_KIND.Ecommerce) {
    return asked.length === 0 ? [] : { type: 'RefundItemsNotAllowed' };
  }
  if (asked.length === 0) {
    if (amountMinor < remaining) return { type: 'RefundItemsRequired' };
    return allItemsLeft(payment, amountMinor);
  }
  const variants = variantsLeft(payment);
  const items: Items = [];
  const quantities = new Map<number, number>();
  for (const { storefrontVariantId, quantity, amountMinor: given, restock } of asked) {
    const variant = variants.get(storefrontVariantId);
    if (variant === undefined) return { type: 'RefundItemUnknown', storefrontVariantId };
    const requested = (quantities.get(storefrontVariantId) ?? 0) + quantity;
    if (requested > variant.left) {
      return {
        type: 'RefundQuantityExceeded',
        storefrontVariantId,
        requested,
        remaining: variant.left,
      };
    }
    const share = divideHalfEven(variant.paidMinor * BigInt(quantity), BigInt(variant.ordered));
    const itemMinor = given ?? share;
    if (itemMinor < 0n) {
      return { type: 'AmountNotPositive', amountMinor: itemMinor, currency: payment.currency };
    }
    quantities.set(storefrontVariantId, requested);
    items.push({ storefrontVariantId, quantity, amountMinor: itemMinor, restock });
  }
  const itemsMinor = items.reduce((total, item) => total + item.amountMinor, 0n);
  const { currency } = payment;
  return itemsMinor === amountMinor
    ? items
    : { type: 'RefundItemsIncomplete', itemsMinor, amountMinor, currency };
}

interface Variant {
  readonly ordered: number;
  readonly left: number;
  readonly paidMinor: bigint;
}

/** Per variant: how many were ordered, how many are not refunded yet, and what was paid for all. */
function variantsLeft(payment: Payment): Map<number, Variant> {
  const variants = new Map<number, Variant>();
  for (const item of payment.items) {
    const before = variants.get(item.storefrontVariantId);
    variants.set(item.storefrontVariantId, {
      ordered: (before?.ordered ?? 0) + item.quantity,
      left: (before?.left ?? 0) + item.quantity,
      paidMinor: (before?.paidMinor ?? 0n) + lineTotalMinor(item),
    });
  }
  const standing = payment.refunds.filter((refund) => refund.status !== 'RefundFailed');
  for (const { storefrontVariantId, quantity } of standing.flatMap((refund) => refund.items)) {
    const variant = variants.get(storefrontVariantId);
    if (variant === undefined) continue;
    variants.set(storefrontVariantId, { ...variant, left: variant.left - quantity });
  }
  return variants;
}

function allItemsLeft(payment: Payment, amountMinor: bigint): Items {
  const left = [...variantsLeft(payment)].filter(([, variant]) => variant.left > 0);
  if (left.length === 0) return [];
  const weights = left.map(([, variant]) =>
    divideHalfEven(variant.paidMinor * BigInt(variant.left), BigInt(variant.ordered)),
  );
  const anyPaid = weights.some((weight) => weight > 0n);
  const even = left.map(() => 1n);
  const shares = allocate(amountMinor, anyPaid ? weights : even);
  return left.map(([storefrontVariantId, variant], index) => ({
    storefrontVariantId,
    quantity: variant.left,
    amountMinor: shares[index] ?? 0n,
    restock: false,
  }));
}

/** Checked in this order: RefundUnknown, (a repeat), WrongStatus. */
function recordRefund(payment: Payment, command: CommandOf<'RecordRefund'>): Decision {
  const { refundId, gatewayTransactionId, arn, note, at } = command;
  const refund = payment.refunds.find((each) => each.refundId === refundId);
  const route = routeOf(payment);
  if (refund === undefined || route === undefined) return left({ type: 'RefundUnknown', refundId });
  if (refund.status === 'Refunded') return right([]);
  if (refund.status === 'RefundFailed') {
    return left({ type: 'WrongStatus', status: refund.status, command: command.type });
  }
  const { sandbox, currency } = payment;
  return right([
    {
      type: 'Refunded',
      refundId,
      sandbox,
      merchantAccountId: route.merchantAccountId,
      currency,
      amountMinor: refund.amountMinor,
      gatewayTransactionId,
      arn,
      note,
      at,
    },
  ]);
}

/** Checked in this order: RefundUnknown, (a repeat), WrongStatus. */
function recordRefundFailure(
  payment: Payment,
  command: CommandOf<'RecordRefundFailure'>,
): Decision {
  const { refundId, note, at } = command;
  const refund = payment.refunds.find((each) => each.refundId === refundId);
  if (refund === undefined) return left({ type: 'RefundUnknown', refundId });
  if (refund.status === 'RefundFailed') return right([]);
  if (refund.status === 'Refunded') {
    return left({ type: 'WrongStatus', status: refund.status, command: command.type });
  }
  return right([{ type: 'RefundFailed', refundId, note, at }]);
}

/**
 * Checked in this order: (a repeat), ChildExists, NotRefundable, AmountNotPositive,
 * RefundExceedsRemaining. The window does not bind the network.
 */
function recordNetworkRefund(
  payment: Payment,
  command: CommandOf<'RecordNetworkRefund'>,
): Decision {
  const { refundId, alertId, amountMinor, arn, note, at } = command;
  const { status, sandbox, currency } = payment;
  const route = routeOf(payment);
  const before = payment.refunds.find((refund) => refund.refundId === refundId);
  if (before?.source === 'RDR' && before.amountMinor === amountMinor) return right([]);
  if (isChildId(payment, refundId)) return left({ type: 'ChildExists', id: refundId });
  if ((status !== 'Captured' && status !== 'Settled') || route === undefined) {
    return left({ type: 'NotRefundable', status });
  }
  if (amountMinor <= 0n) return left({ type: 'AmountNotPositive', amountMinor, currency });
  const remaining = remainingMinor(payment);
  if (amountMinor > remaining) {
    return left({
      type: 'RefundExceedsRemaining',
      requestedMinor: amountMinor,
      remainingMinor: remaining,
      currency,
    });
  }
  const { merchantAccountId } = route;
  return right([
    {
      type: 'NetworkRefunded',
      refundId,
      alertId,
      sandbox,
      merchantAccountId,
      currency,
      amountMinor,
      arn,
      note,
      at,
    },
  ]);
}
