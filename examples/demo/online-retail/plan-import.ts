/**
 * Plans how sales become orders and refunds. Pure: equal lines give an equal plan, and every line
 * is accounted for before anything is written.
 */
import { MAX_AMOUNT_MINOR, type Transaction } from '@counterfoil/core';
import { addressOf, buyerOf } from './address.ts';
import { type Cancellation, createSoldItems } from './cancellation.ts';
import type { LeftOutReason } from './left-out.ts';
import type { ImportPlan, ImportStep, LinePart, OrderStep } from './plan.ts';
import { CURRENCY, type MalformedLine, type SaleLine, type SaleRecord } from './read-sales.ts';
import { assertInjective, stockItemOf } from './stock-code.ts';
import { productsOf } from './storefront.ts';

/** An order has at most so many items. */
const MAX_ITEMS = 1_000;

interface Invoice {
  readonly first: SaleLine;
  /** The earliest of its lines' dates. */
  readonly at: string;
  readonly lines: readonly SaleLine[];
}

export function planImport(records: Iterable<SaleRecord>): ImportPlan {
  const malformed: MalformedLine[] = [];
  const sales: SaleLine[] = [];
  for (const record of records) {
    if (record.kind === 'malformed') malformed.push(record);
    else sales.push(record);
  }
  const parts: LinePart[] = malformed.map(({ line, quantity, amountMinor }) => ({
    line,
    quantity: quantity ?? 0,
    amountMinor: amountMinor ?? 0n,
    outcome: { kind: 'left-out', reason: 'malformed' },
  }));
  const steps: ImportStep[] = [];
  // Part of an invoice would be a different order.
  const unsure = new Set(malformed.map(({ invoice }) => invoice));
  const importedLines: SaleLine[] = [];
  const sold = createSoldItems();
  // One pass: a cancellation only matches earlier sales.
  for (const invoice of invoicesOf(sales)) {
    if (unsure.has(invoice.first.invoice)) {
      parts.push(...invoice.lines.map((line) => leftOut(line, 'invoice-malformed')));
      continue;
    }
    const kept = invoice.lines.filter((line) => {
      const reason = unfitReason(line, invoice);
      if (reason !== undefined) parts.push(leftOut(line, reason));
      return reason === undefined;
    });
    if (invoice.first.invoiceKind === 'cancellation') {
      const { refunds, parts: cancelled } = sold.cancel(cancellationOf(invoice, kept));
      steps.push(...refunds);
      parts.push(...cancelled);
      continue;
    }
    const order = planOrder(invoice, kept);
    parts.push(...order.parts);
    if (order.step === undefined) continue;
    steps.push(order.step);
    importedLines.push(...kept);
    sold.add(order.step);
  }
  const codes = new Set(sales.map((sale) => sale.stockCode));
  assertInjective([...codes].map(stockItemOf));
  parts.sort((a, b) => a.line - b.line);
  return { steps, parts, malformed, products: productsOf(importedLines) };
}

/**
 * By time, and within a minute in file order, in which invoices were issued. Lines with the same
 * number form one invoice, wherever they are.
 */
function invoicesOf(sales: readonly SaleLine[]): readonly Invoice[] {
  const byNumber = Map.groupBy(sales, (sale) => sale.invoice);
  const invoices = [...byNumber.values()].flatMap((lines) => {
    const [first] = lines;
    if (first === undefined) return [];
    const [at = first.at] = lines.map((line) => line.at).sort();
    return [{ first, at, lines }];
  });
  return invoices.sort((a, b) =>
    a.at === b.at ? a.first.line - b.first.line : a.at < b.at ? -1 : 1,
  );
}

/** Why a line is excluded by itself, regardless of its invoice. */
function unfitReason(line: SaleLine, { first }: Invoice): LeftOutReason | undefined {
  if (line.invoiceKind === 'bad-debt') return 'bad-debt';
  if (line.customerId !== first.customerId) return 'customer-differs';
  if (line.unitPriceMinor < 0n) return 'negative-price';
  if (line.invoiceKind === 'sale') {
    return line.quantity < 0 ? 'correction-without-sale' : undefined;
  }
  if (line.quantity > 0) return 'charge-on-cancellation';
  return line.unitPriceMinor === 0n ? 'zero-price-cancellation' : undefined;
}

function planOrder(
  { first, at }: Invoice,
  lines: readonly SaleLine[],
): { readonly step?: OrderStep; readonly parts: readonly LinePart[] } {
  const amountMinor = lines.reduce((total, line) => total + line.amountMinor, 0n);
  const refused = refusedReason(lines, amountMinor);
  if (refused !== undefined) return { parts: lines.map((line) => leftOut(line, refused)) };
  const orderKey = `online-retail/invoice/${first.invoice}`;
  const step: OrderStep = {
    kind: 'order',
    key: orderKey,
    at,
    invoice: first.invoice,
    orderId: first.invoiceNumber,
    buyer: buyerOf(first),
    address: addressOf(first),
    currency: CURRENCY,
    amountMinor,
    items: lines.map(itemOf),
  };
  const parts = lines.map(({ line, quantity, amountMinor }) => ({
    line,
    quantity,
    amountMinor,
    outcome: { kind: 'imported', orderKey } as const,
  }));
  return { step, parts };
}

function refusedReason(lines: readonly SaleLine[], amountMinor: bigint): LeftOutReason | undefined {
  if (amountMinor === 0n) return 'zero-total-invoice';
  if (lines.length > MAX_ITEMS) return 'too-many-items';
  return amountMinor > MAX_AMOUNT_MINOR ? 'too-much-money' : undefined;
}

/** A line at price zero on a paid invoice is a free item. */
function itemOf({ stockCode, quantity, unitPriceMinor }: SaleLine): Transaction.LineItem {
  const { storefrontVariantId, storefrontProductId } = stockItemOf(stockCode);
  return {
    storefrontVariantId,
    storefrontProductId,
    quantity,
    unitPriceMinor,
    unitCostMinor: 0n,
    discountCodeId: 0,
    discountMinor: 0n,
    salesStrategyId: 0,
    customDiscountMinor: 0n,
  };
}

function cancellationOf({ first, at }: Invoice, lines: readonly SaleLine[]): Cancellation {
  return { invoice: first.invoice, at, customerId: first.customerId, lines };
}

function leftOut(line: SaleLine, reason: LeftOutReason): LinePart {
  const { quantity, amountMinor } = line;
  return { line: line.line, quantity, amountMinor, outcome: { kind: 'left-out', reason } };
}
