/** Matches each cancelled item to its sale: same customer, same item, newest first. */
import type { Transaction } from '@counterfoil/core';
import type { LeftOutReason } from './left-out.ts';
import type { LinePart, OrderStep, RefundStep } from './plan.ts';
import type { SaleLine } from './read-sales.ts';
import { isCharge, stockItemOf } from './stock-code.ts';

export interface Cancellation {
  readonly invoice: string;
  readonly at: string;
  readonly customerId: number | null;
  /** Of negative quantity and positive price. */
  readonly lines: readonly SaleLine[];
}

/** The orders so far, and their unrefunded items. */
export interface SoldItems {
  /** Orders are added, and cancellations applied, in chronological order. */
  add(order: OrderStep): void;
  /** Plans the refunds of a cancellation and deducts them. */
  cancel(cancellation: Cancellation): {
    readonly refunds: readonly RefundStep[];
    readonly parts: readonly LinePart[];
  };
}

interface Sold {
  readonly order: OrderStep;
  /** Of the whole payment: the refund limit is not per item. */
  leftMinor: bigint;
  readonly leftQuantities: Map<number, number>;
}

/** A quantity of one item that an order can refund at the price of the cancellation. */
interface Match {
  readonly sold: Sold;
  readonly line: SaleLine;
  readonly quantity: number;
  readonly amountMinor: bigint;
}

export function createSoldItems(): SoldItems {
  const byCustomerAndItem = new Map<string, Sold[]>();
  return {
    add(order) {
      const { customerId } = order.buyer;
      // Cancellations never name a guest.
      if (customerId === null) return;
      const leftQuantities = new Map<number, number>();
      for (const { storefrontVariantId, quantity } of order.items) {
        const before = leftQuantities.get(storefrontVariantId) ?? 0;
        leftQuantities.set(storefrontVariantId, before + quantity);
      }
      const sold = { order, leftMinor: order.amountMinor, leftQuantities };
      for (const variantId of leftQuantities.keys()) {
        const key = `${customerId}/${variantId}`;
        const others = byCustomerAndItem.get(key);
        if (others === undefined) byCustomerAndItem.set(key, [sold]);
        else others.push(sold);
      }
    },

    cancel(cancellation) {
      const matches: Match[] = [];
      const parts: LinePart[] = [];
      for (const line of cancellation.lines) {
        const { storefrontVariantId } = stockItemOf(line.stockCode);
        const key = `${cancellation.customerId}/${storefrontVariantId}`;
        const newestFirst = (byCustomerAndItem.get(key) ?? []).toReversed();
        const found = takeBack(line, newestFirst);
        matches.push(...found);
        parts.push(...partsOf(line, { found, newestFirst, cancellation }));
      }
      const byOrder = Map.groupBy(matches, (match) => match.sold.order);
      const refunds = [...byOrder].map(([order, ofOrder]) =>
        refundOf(order, { cancellation, matches: ofOrder }),
      );
      return { refunds, parts };
    },
  };
}

/**
 * Refunds use the price of the cancellation, not of the sale: that is what the shop paid out.
 * Limited to whole items within the payment's remaining amount.
 */
function takeBack(line: SaleLine, newestFirst: readonly Sold[]): readonly Match[] {
  const { storefrontVariantId } = stockItemOf(line.stockCode);
  const matches: Match[] = [];
  let wanted = -line.quantity;
  for (const sold of newestFirst) {
    if (wanted === 0) break;
    const left = sold.leftQuantities.get(storefrontVariantId) ?? 0;
    const affordable = sold.leftMinor / line.unitPriceMinor;
    const most = Math.min(wanted, left);
    const quantity = affordable < BigInt(most) ? Number(affordable) : most;
    if (quantity === 0) continue;
    const amountMinor = BigInt(quantity) * line.unitPriceMinor;
    sold.leftMinor -= amountMinor;
    sold.leftQuantities.set(storefrontVariantId, left - quantity);
    wanted -= quantity;
    matches.push({ sold, line, quantity, amountMinor });
  }
  return matches;
}

/** The matched parts, and the rest of the line with its reason. */
function partsOf(
  line: SaleLine,
  context: {
    readonly found: readonly Match[];
    readonly newestFirst: readonly Sold[];
    readonly cancellation: Cancellation;
  },
): readonly LinePart[] {
  const { found, newestFirst, cancellation } = context;
  const parts: LinePart[] = found.map(({ sold: { order }, quantity, amountMinor }) => ({
    line: line.line,
    quantity: -quantity,
    amountMinor: -amountMinor,
    outcome: {
      kind: 'refunded',
      refundKey: refundKeyOf(cancellation, order),
      orderKey: order.key,
    },
  }));
  const rest = found.reduce((quantity, match) => quantity + match.quantity, line.quantity);
  if (rest === 0) return parts;
  const reason = unmatchedReason(line, newestFirst);
  parts.push({
    line: line.line,
    quantity: rest,
    amountMinor: BigInt(rest) * line.unitPriceMinor,
    outcome: { kind: 'left-out', reason },
  });
  return parts;
}

/** In the order of `LEFT_OUT`. A sale with enough quantity lacked the amount. */
function unmatchedReason(line: SaleLine, candidates: readonly Sold[]): LeftOutReason {
  if (candidates.length === 0) {
    if (isCharge(line.stockCode)) return 'charge-without-sale';
    return line.customerId === null ? 'no-customer' : 'no-earlier-sale';
  }
  const { storefrontVariantId } = stockItemOf(line.stockCode);
  const someLeft = candidates.some(
    (sold) => (sold.leftQuantities.get(storefrontVariantId) ?? 0) > 0,
  );
  return someLeft ? 'more-than-paid' : 'more-than-sold';
}

function refundKeyOf({ invoice }: Cancellation, order: OrderStep): string {
  return `online-retail/refund/${invoice}/${order.invoice}`;
}

function refundOf(
  order: OrderStep,
  context: { readonly cancellation: Cancellation; readonly matches: readonly Match[] },
): RefundStep {
  const { cancellation, matches } = context;
  const items = new Map<number, Required<Transaction.RefundItem>>();
  for (const { line, quantity, amountMinor } of matches) {
    const { storefrontVariantId } = stockItemOf(line.stockCode);
    const before = items.get(storefrontVariantId);
    items.set(storefrontVariantId, {
      storefrontVariantId,
      quantity: (before?.quantity ?? 0) + quantity,
      amountMinor: (before?.amountMinor ?? 0n) + amountMinor,
      // Goods are restocked; postage is not.
      restock: !isCharge(line.stockCode),
    });
  }
  return {
    kind: 'refund',
    key: refundKeyOf(cancellation, order),
    at: cancellation.at,
    invoice: cancellation.invoice,
    orderKey: order.key,
    orderId: order.orderId,
    currency: order.currency,
    amountMinor: matches.reduce((total, match) => total + match.amountMinor, 0n),
    items: [...items.values()],
  };
}
