/** An import plan: orders and refunds in chronological order, and the outcome of every line. */
import type { Transaction } from '@counterfoil/core';
import type { Buyer } from './address.ts';
import type { LeftOutReason } from './left-out.ts';
import type { CURRENCY, MalformedLine } from './read-sales.ts';
import type { PlannedProduct } from './storefront.ts';

/** An ecommerce order, paid with one captured payment at its own date. */
export interface OrderStep {
  readonly kind: 'order';
  /** Stable: ids and command ids are derived from it. `online-retail/invoice/536365` */
  readonly key: string;
  readonly at: string;
  readonly invoice: string;
  readonly orderId: number;
  readonly buyer: Buyer;
  readonly address: Transaction.Address;
  readonly currency: typeof CURRENCY;
  /** Positive: the sum of the items. */
  readonly amountMinor: bigint;
  /** One for each imported line, in the order of the file. */
  readonly items: readonly Transaction.LineItem[];
}

/** The refund of one order by one cancellation: a positive amount, with all its items. */
export interface RefundStep {
  readonly kind: 'refund';
  /** Stable. `online-retail/refund/C536379/536370` */
  readonly key: string;
  readonly at: string;
  /** The cancellation. */
  readonly invoice: string;
  readonly orderKey: string;
  readonly orderId: number;
  readonly currency: typeof CURRENCY;
  readonly amountMinor: bigint;
  /** One for each variant; the amounts add up to the refund's. */
  readonly items: readonly Required<Transaction.RefundItem>[];
}

export type ImportStep = OrderStep | RefundStep;

export type Outcome =
  | { readonly kind: 'imported'; readonly orderKey: string }
  | { readonly kind: 'refunded'; readonly refundKey: string; readonly orderKey: string }
  | { readonly kind: 'left-out'; readonly reason: LeftOutReason };

/** A line, or a part of one that was split; the parts of a line add up to it. */
export interface LinePart {
  readonly line: number;
  /** Signed as in the file. 0 for a malformed line without a readable amount. */
  readonly quantity: number;
  readonly amountMinor: bigint;
  readonly outcome: Outcome;
}

export interface ImportPlan {
  /** In chronological order; an order comes before every refund of it. */
  readonly steps: readonly ImportStep[];
  /** The outcome of every line, in file order. */
  readonly parts: readonly LinePart[];
  readonly malformed: readonly MalformedLine[];
  /** The products of the orders, by product id. */
  readonly products: readonly PlannedProduct[];
}
