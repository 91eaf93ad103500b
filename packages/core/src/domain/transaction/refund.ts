/** The decision on refunds of every source. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { never } from '../../kernel/aggregate.ts';
import { allocate, divideHalfEven } from '../../kernel/money.ts';
import {
  insideRefundWindow,
  isDisputed,
  type RefundPolicy,
  remainingMinor,
  routeOf,
} from './balance.ts';
import { APPLICATION_KIND } from './codes.ts';
import type {
  CommandOf,
  RefundAdjustment,
  RefundCommand,
  RefundItem,
  Rejection,
} from './command.ts';
import type { Event, EventOf } from './events.ts';
import { networkRefundFees } from './fees.ts';
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
    case 'RecordRefundReversal':
      return recordRefundReversal(payment, command);
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
 * RefundItemUnknown, RefundQuantityExceeded, AmountNotPositive (of an item), RefundItemExceedsLine; the
 * adjustments: AmountNotPositive, RefundAdjustmentExceedsOrder; and RefundItemsIncomplete.
 */
function requestRefund(payment: Payment, command: CommandOf<'RequestRefund'>): Decision {
  const { refundId, policy, source, reason = null, notifyCustomer, requestedBy, at } = command;
  const { currency } = payment;
  const before = payment.refunds.find((refund) => refund.refundId === refundId);
  if (before !== undefined) {
    const same = isFull(command) || before.amountMinor === command.amountMinor;
    return same && before.source !== 'RDR' ? right([]) : left({ type: 'RefundExists', refundId });
  }
  if (isChildId(payment, refundId)) return left({ type: 'ChildExists', id: refundId });
  const refusal = refundRefusal(payment, policy, at);
  if (refusal !== undefined) return left(refusal);
  const remaining = remainingMinor(payment);
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
  const parts = partsOf(payment, command, { amountMinor, remaining });
  if ('type' in parts) return left(parts);
  return right([
    {
      type: 'RefundRequested',
      refundId,
      amountMinor,
      ...parts,
      source,
      reason,
      notifyCustomer,
      requestedBy,
      at,
    },
  ]);
}

/** Why no refund, of whatever amount, can be asked for; undefined where one can. */
export function refundRefusal(
  payment: Payment,
  policy: RefundPolicy,
  now: string,
): Rejection | undefined {
  const { status } = payment;
  if (status !== 'Captured' && status !== 'Settled') return { type: 'NotRefundable', status };
  if (payment.pendingVoid !== null) return { type: 'RequestUnderWay', request: 'void' };
  if (isDisputed(payment)) return { type: 'RefundBlockedByChargeback' };
  if (remainingMinor(payment) === 0n) return { type: 'NothingLeftToRefund' };
  if (insideRefundWindow(payment, policy, now)) return undefined;
  return { type: 'RefundWindowClosed', refundWindowDays: policy.refundWindowDays };
}

/** 0 or nothing asks for the whole remaining balance. */
function isFull({ amountMinor }: CommandOf<'RequestRefund'>): boolean {
  return amountMinor === undefined || amountMinor === 0n;
}

/** Whether an id is taken by a child of the payment, or by the payment itself. */
export function isChildId(payment: Payment, id: string): boolean {
  return (
    payment.transactionId === id ||
    payment.voided?.voidId === id ||
    payment.refunds.some((refund) => refund.refundId === id) ||
    payment.chargebacks.some((chargeback) => chargeback.chargebackId === id) ||
    payment.alerts.some((alert) => alert.alertId === id)
  );
}

/** What a refund is made up of. */
type Parts = Pick<EventOf<'RefundRequested'>, 'items' | 'adjustments'>;

const NO_PARTS: Parts = { items: [], adjustments: [] };

/** The items of an ecommerce refund; a full one without a list gives all that is left. */
function partsOf(
  payment: Payment,
  { items: asked, adjustments = [] }: CommandOf<'RequestRefund'>,
  { amountMinor, remaining }: { readonly amountMinor: bigint; readonly remaining: bigint },
): Parts | Rejection {
  const isListed = asked.length + adjustments.length > 0;
  if (payment.applicationKind !== APPLICATION_KIND.Ecommerce) {
    return isListed ? { type: 'RefundItemsNotAllowed' } : NO_PARTS;
  }
  const variants = variantsLeft(payment);
  if (!isListed) {
    if (amountMinor < remaining) return { type: 'RefundItemsRequired' };
    return allThatIsLeft(variants, amountMinor);
  }
  const items = itemsOf(payment, variants, asked);
  if ('type' in items) return items;
  const beyond = adjustmentsOf(payment, variants, adjustments);
  if ('type' in beyond) return beyond;
  const { currency } = payment;
  const itemsMinor = sum(items) + sum(beyond);
  return itemsMinor === amountMinor
    ? { items, adjustments: beyond }
    : { type: 'RefundItemsIncomplete', itemsMinor, amountMinor, currency };
}

function itemsOf(
  { currency }: Payment,
  variants: Map<number, Variant>,
  asked: readonly RefundItem[],
): Items | Rejection {
  const items: Items = [];
  const taken = new Map<number, { readonly quantity: number; readonly amountMinor: bigint }>();
  for (const { storefrontVariantId, quantity, amountMinor: given, restock } of asked) {
    const variant = variants.get(storefrontVariantId);
    if (variant === undefined) return { type: 'RefundItemUnknown', storefrontVariantId };
    const before = taken.get(storefrontVariantId) ?? { quantity: 0, amountMinor: 0n };
    const requested = before.quantity + quantity;
    if (requested > variant.left) {
      return {
        type: 'RefundQuantityExceeded',
        storefrontVariantId,
        requested,
        remaining: variant.left,
      };
    }
    const leftMinor = variant.leftMinor - before.amountMinor;
    const amountMinor = given ?? shareOf({ ...variant, leftMinor }, quantity);
    if (amountMinor < 0n) return { type: 'AmountNotPositive', amountMinor, currency };
    if (amountMinor > leftMinor) {
      return {
        type: 'RefundItemExceedsLine',
        storefrontVariantId,
        requestedMinor: amountMinor,
        remainingMinor: leftMinor,
        currency,
      };
    }
    taken.set(storefrontVariantId, {
      quantity: requested,
      amountMinor: before.amountMinor + amountMinor,
    });
    items.push({ storefrontVariantId, quantity, amountMinor, restock });
  }
  return items;
}

/** At most what is left of the order beyond its lines. */
function adjustmentsOf(
  payment: Payment,
  variants: Map<number, Variant>,
  asked: readonly RefundAdjustment[],
): Parts['adjustments'] | Rejection {
  const { currency } = payment;
  for (const { amountMinor } of asked) {
    if (amountMinor < 0n) return { type: 'AmountNotPositive', amountMinor, currency };
  }
  const remainingMinor = leftBeyondLines(payment, variants);
  const requestedMinor = sum(asked);
  return requestedMinor <= remainingMinor
    ? [...asked]
    : { type: 'RefundAdjustmentExceedsOrder', requestedMinor, remainingMinor, currency };
}

/** What the order comes to beyond its lines, such as shipping, and was not given back before. */
export function leftBeyondLines(
  payment: Payment,
  variants: ReadonlyMap<number, Variant> = variantsLeft(payment),
): bigint {
  let rest =
    payment.amountMinor - sum(standingRefunds(payment).flatMap((each) => each.adjustments));
  for (const { paidMinor, refundedMinor } of variants.values()) {
    rest -= paidMinor;
    // Items of older refunds may have taken more than was paid for them.
    if (refundedMinor > paidMinor) rest -= refundedMinor - paidMinor;
  }
  return rest > 0n ? rest : 0n;
}

function sum(parts: readonly { readonly amountMinor: bigint }[]): bigint {
  return parts.reduce((total, { amountMinor }) => total + amountMinor, 0n);
}

/** What is ordered of a variant, and what of it is not refunded yet. */
export interface Variant {
  readonly ordered: number;
  readonly left: number;
  readonly paidMinor: bigint;
  readonly refundedMinor: bigint;
  readonly leftMinor: bigint;
}

/** Refunds that were paid, or are on their way. */
function standingRefunds({ refunds }: Payment): readonly Payment['refunds'][number][] {
  return refunds.filter(({ status }) => status !== 'RefundFailed');
}

/** What a quantity gives back by itself: its share of what was paid, at most what is left. */
export function shareOf(
  { paidMinor, ordered, leftMinor }: Pick<Variant, 'paidMinor' | 'ordered' | 'leftMinor'>,
  quantity: number,
): bigint {
  const share = divideHalfEven(paidMinor * BigInt(quantity), BigInt(ordered));
  return share < leftMinor ? share : leftMinor;
}

/** Per variant, whatever lines it stands in: how many and how much was ordered, and is not refunded yet. */
export function variantsLeft(payment: Payment): Map<number, Variant> {
  const variants = new Map<number, Variant>();
  for (const item of payment.items) {
    const before = variants.get(item.storefrontVariantId);
    const ordered = (before?.ordered ?? 0) + item.quantity;
    const paidMinor = (before?.paidMinor ?? 0n) + lineTotalMinor(item);
    const nothingBack = { left: ordered, refundedMinor: 0n, leftMinor: paidMinor };
    variants.set(item.storefrontVariantId, { ordered, paidMinor, ...nothingBack });
  }
  for (const item of standingRefunds(payment).flatMap(({ items }) => items)) {
    const variant = variants.get(item.storefrontVariantId);
    if (variant === undefined) continue;
    const refundedMinor = variant.refundedMinor + item.amountMinor;
    const leftMinor = variant.paidMinor > refundedMinor ? variant.paidMinor - refundedMinor : 0n;
    const left = variant.left - item.quantity;
    variants.set(item.storefrontVariantId, { ...variant, left, refundedMinor, leftMinor });
  }
  return variants;
}

/** What is left of each line, and the rest beyond them; less than that is shared by the lines. */
function allThatIsLeft(variants: Map<number, Variant>, amountMinor: bigint): Parts {
  const left = [...variants].filter(([, variant]) => variant.left > 0);
  const weights = left.map(([, { leftMinor }]) => leftMinor);
  const linesMinor = weights.reduce((total, each) => total + each, 0n);
  const beyondMinor = amountMinor > linesMinor ? amountMinor - linesMinor : 0n;
  const shares = beyondMinor > 0n ? weights : allocate(amountMinor, weights);
  return {
    items: left.map(([storefrontVariantId, variant], index) => ({
      storefrontVariantId,
      quantity: variant.left,
      amountMinor: shares[index] ?? 0n,
      restock: false,
    })),
    adjustments: beyondMinor > 0n ? [{ kind: 'other', amountMinor: beyondMinor }] : [],
  };
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

/** Checked in this order: RefundUnknown, also of what the network paid, and (a repeat). */
function recordRefundReversal(
  payment: Payment,
  { refundId, note, at }: CommandOf<'RecordRefundReversal'>,
): Decision {
  const refund = payment.refunds.find((each) => each.refundId === refundId);
  const route = routeOf(payment);
  if (refund === undefined || refund.source === 'RDR' || route === undefined) {
    return left({ type: 'RefundUnknown', refundId });
  }
  if (refund.status === 'RefundFailed') return right([]);
  if (refund.status === 'RefundPending')
    return right([{ type: 'RefundFailed', refundId, note, at }]);
  const { sandbox, currency } = payment;
  const { merchantAccountId } = route;
  const { amountMinor } = refund;
  const books = { sandbox, merchantAccountId, currency, amountMinor };
  return right([{ type: 'RefundReversed', refundId, ...books, note, at }]);
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
      fees: networkRefundFees(route.terms, payment),
      at,
    },
  ]);
}
