/** Synthetic sales for tests, and the invariants of every plan, checked independently of the planner. */
import {
  type ImportPlan,
  type OrderStep,
  planImport,
  readSales,
  type SaleLine,
  type SaleRecord,
  stockItemOf,
} from '@counterfoil/demo';
import { expect } from 'vitest';

export const HEADER =
  'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country';

/** Reads lines under the header of the data set; the first is line 2. */
export async function read(...lines: readonly string[]): Promise<readonly SaleRecord[]> {
  return collect(readSales(chunks(`${[HEADER, ...lines].join('\n')}\n`)));
}

export async function* chunks(...parts: readonly (string | Uint8Array)[]) {
  yield* parts;
}

export async function collect(records: AsyncIterable<SaleRecord>): Promise<readonly SaleRecord[]> {
  const all: SaleRecord[] = [];
  for await (const record of records) all.push(record);
  return all;
}

/** `536365 85123A -6 @2.55 of 17850, 3rd 08:26`; a customer of `-` is none. */
export function line(sale: string): string {
  const [, invoice, code, quantity, price, customer, day, time] =
    /^(\S+) (\S+) (-?\d+) @(\S+) of (\S+), (\d+)\w\w (\S+)$/.exec(sale) ?? [];
  if (time === undefined) throw new Error(`not a sale: ${sale}`);
  const date = `${String(day).padStart(2, '0')}/12/2010 ${time}`;
  return `${invoice},${code},THING,${quantity},${date},${price},${customer === '-' ? '' : customer},France`;
}

export async function planOf(...sales: readonly string[]): Promise<ImportPlan> {
  return planImport(await read(...sales.map(line)));
}

/** What became of the lines, one text a part: `3: -2 for -500 no-earlier-sale`. */
export function fates(plan: ImportPlan): readonly string[] {
  return plan.parts.map(({ line, quantity, amountMinor, outcome }) => {
    const what = outcome.kind === 'left-out' ? outcome.reason : outcome.kind;
    const key =
      outcome.kind === 'refunded' ? ` ${outcome.refundKey.split('/').slice(2).join('<')}` : '';
    return `${line}: ${quantity} for ${amountMinor} ${what}${key}`;
  });
}

interface Shelf {
  readonly order: OrderStep;
  /** Where the order begins in the file. */
  readonly line: number;
  money: bigint;
  readonly quantities: Map<number, number>;
}

/**
 * Follows the parts of all cancellations in chronological order against the orders: the same
 * customer and item, sold before, from the newest order that could pay, never more than there is,
 * and nothing left out that some order could have taken back.
 */
export function expectMatchingToHold(records: Iterable<SaleRecord>, plan: ImportPlan): void {
  const lines = new Map([...records].map((record) => [record.line, record]));
  const shelves = shelvesOf(plan);
  const cancelled = plan.parts
    .map((part) => ({ part, line: lines.get(part.line) as SaleLine }))
    .filter(({ line }) => line.kind === 'sale-line' && line.invoiceKind === 'cancellation');
  const begins = new Map<string, { at: string; line: number }>();
  for (const { line } of cancelled) {
    const before = begins.get(line.invoice);
    begins.set(line.invoice, {
      at: before !== undefined && before.at < line.at ? before.at : line.at,
      line: before?.line ?? line.line,
    });
  }
  const begin = (line: SaleLine) => begins.get(line.invoice) ?? { at: '', line: 0 };
  cancelled.sort((a, b) => order(begin(a.line), begin(b.line)) || a.part.line - b.part.line);

  for (const { part, line } of cancelled) {
    const item = stockItemOf(line.stockCode).storefrontVariantId;
    const could = shelves.filter(
      (shelf) =>
        line.customerId !== null &&
        shelf.order.buyer.customerId === line.customerId &&
        order({ at: shelf.order.at, line: shelf.line }, begin(line)) < 0 &&
        (shelf.quantities.get(item) ?? 0) > 0 &&
        line.unitPriceMinor > 0n &&
        shelf.money >= line.unitPriceMinor,
    );
    const newest = could.at(-1);
    const { outcome } = part;
    if (outcome.kind === 'refunded') {
      expect(outcome.orderKey).toBe(newest?.order.key);
      if (newest === undefined) continue;
      newest.money += part.amountMinor;
      newest.quantities.set(item, (newest.quantities.get(item) ?? 0) + part.quantity);
      expect(newest.money >= 0n).toBe(true);
      expect(newest.quantities.get(item)).toBeGreaterThanOrEqual(0);
    } else if (line.quantity < 0) {
      const other = outcome.kind === 'left-out' && UNFIT.has(outcome.reason);
      if (!other) expect(could).toEqual([]);
    }
  }
}

/** Why a cancellation is left out, whatever order it could be matched with. */
const UNFIT: ReadonlySet<string> = new Set(['customer-differs', 'invoice-malformed']);

function order(a: { at: string; line: number }, b: { at: string; line: number }): number {
  return a.at === b.at ? a.line - b.line : a.at < b.at ? -1 : 1;
}

function shelvesOf(plan: ImportPlan): Shelf[] {
  const lineOf = new Map<string, number>();
  for (const { line, outcome } of plan.parts) {
    if (outcome.kind === 'imported' && !lineOf.has(outcome.orderKey))
      lineOf.set(outcome.orderKey, line);
  }
  return plan.steps
    .filter((step) => step.kind === 'order')
    .map((step) => {
      const quantities = new Map<number, number>();
      for (const { storefrontVariantId: id, quantity } of step.items) {
        quantities.set(id, (quantities.get(id) ?? 0) + quantity);
      }
      return { order: step, line: lineOf.get(step.key) ?? 0, money: step.amountMinor, quantities };
    });
}
