/** Reports the outcome of every line of a sales file, and verifies that none is missing. */
import { toDecimal } from '@counterfoil/core';
import { LEFT_OUT, type LeftOutReason } from './left-out.ts';
import type { ImportPlan, LinePart } from './plan.ts';
import { CURRENCY, type SaleRecord } from './read-sales.ts';

export interface ReportGroup {
  readonly group: 'imported' | 'refunded' | LeftOutReason;
  readonly title: string;
  /** Whole lines in this group. */
  readonly lines: number;
  /** Parts of split lines. */
  readonly parts: number;
  readonly amountMinor: bigint;
}

export interface ImportReport {
  /** Imported, refunded, then every reason that occurs. */
  readonly groups: readonly ReportGroup[];
  /** Lines of the file without the header. */
  readonly lines: number;
  /** Lines in more than one part. */
  readonly splitLines: number;
  readonly amountMinor: bigint;
  /** Malformed lines without a readable amount: they count as 0. */
  readonly unreadableAmounts: number;
  readonly orders: {
    readonly count: number;
    readonly guests: number;
    readonly amountMinor: bigint;
  };
  readonly refunds: {
    readonly count: number;
    readonly cancellations: number;
    readonly amountMinor: bigint;
  };
  /** Unreadable lines and the other lines of their invoices, in file order. */
  readonly unread: readonly UnreadLine[];
}

export interface UnreadLine {
  readonly line: number;
  readonly why: string;
  /** The text of the line, truncated if long. */
  readonly text: string;
}

/** The plan does not account for the whole file: a bug of the planner; nothing is imported. */
export class PlanDoesNotAddUp extends Error {
  override readonly name = 'PlanDoesNotAddUp';
}

/**
 * Reconciles a plan with its records. Throws `PlanDoesNotAddUp` unless the parts of every line sum
 * to the line, those of all groups to the file, and the steps to their groups.
 */
export function reconcile(records: Iterable<SaleRecord>, plan: ImportPlan): ImportReport {
  const partsByLine = Map.groupBy(plan.parts, (part) => part.line);
  let lines = 0;
  let amountMinor = 0n;
  let unreadableAmounts = 0;
  const unread: UnreadLine[] = [];
  for (const record of records) {
    lines += 1;
    const why = whyUnread(record, partsByLine.get(record.line));
    if (why !== undefined) unread.push({ line: record.line, why, text: record.text });
    amountMinor += record.amountMinor ?? 0n;
    if (record.amountMinor === null) unreadableAmounts += 1;
    checkLine(record, partsByLine.get(record.line) ?? []);
  }
  demand(partsByLine.size === lines, `${partsByLine.size} lines planned of ${lines}`);

  const groups = groupsOf(plan.parts, partsByLine);
  const grouped = groups.reduce((total, group) => total + group.amountMinor, 0n);
  demand(grouped === amountMinor, `the groups come to ${grouped}, the file to ${amountMinor}`);
  const splitLines = [...partsByLine.values()].filter((parts) => parts.length > 1).length;
  const whole = groups.reduce((total, group) => total + group.lines, 0);
  demand(whole + splitLines === lines, `${whole} whole and ${splitLines} split lines of ${lines}`);

  const orders = plan.steps.filter((step) => step.kind === 'order');
  const refunds = plan.steps.filter((step) => step.kind === 'refund');
  const ordersMinor = sumOf(orders);
  const refundsMinor = sumOf(refunds);
  const imported = amountOf(groups, 'imported');
  const refunded = amountOf(groups, 'refunded');
  demand(ordersMinor === imported, `orders of ${ordersMinor} from lines of ${imported}`);
  demand(refundsMinor === -refunded, `refunds of ${refundsMinor} from lines of ${refunded}`);
  return {
    groups,
    lines,
    splitLines,
    amountMinor,
    unreadableAmounts,
    orders: {
      count: orders.length,
      guests: orders.filter((order) => order.buyer.customerId === null).length,
      amountMinor: ordersMinor,
    },
    refunds: {
      count: refunds.length,
      cancellations: new Set(refunds.map((refund) => refund.invoice)).size,
      amountMinor: refundsMinor,
    },
    unread,
  };
}

function whyUnread(record: SaleRecord, parts: readonly LinePart[] = []): string | undefined {
  if (record.kind === 'malformed') return record.problem;
  const isOfSuch = parts.some(
    ({ outcome }) => outcome.kind === 'left-out' && outcome.reason === 'invoice-malformed',
  );
  return isOfSuch ? LEFT_OUT['invoice-malformed'] : undefined;
}

function checkLine(record: SaleRecord, parts: readonly LinePart[]): void {
  const { line } = record;
  demand(parts.length > 0, `line ${line} is not planned`);
  const quantity = parts.reduce((total, part) => total + part.quantity, 0);
  const amountMinor = sumOf(parts);
  demand(quantity === (record.quantity ?? 0), `the parts of line ${line} hold ${quantity} items`);
  demand(
    amountMinor === (record.amountMinor ?? 0n),
    `those of line ${line} come to ${amountMinor}`,
  );
}

function groupsOf(
  parts: readonly LinePart[],
  partsByLine: ReadonlyMap<number, readonly LinePart[]>,
): readonly ReportGroup[] {
  const titles: Readonly<Record<ReportGroup['group'], string>> = {
    imported: 'imported: items of orders',
    refunded: 'refunded: items of earlier orders',
    ...LEFT_OUT,
  };
  const byGroup = Map.groupBy(parts, ({ outcome }) =>
    outcome.kind === 'left-out' ? outcome.reason : outcome.kind,
  );
  return (Object.keys(titles) as ReportGroup['group'][]).flatMap((group) => {
    const ofGroup = byGroup.get(group);
    if (ofGroup === undefined) return [];
    const whole = ofGroup.filter((part) => partsByLine.get(part.line)?.length === 1).length;
    return [
      {
        group,
        title: titles[group],
        lines: whole,
        parts: ofGroup.length - whole,
        amountMinor: sumOf(ofGroup),
      },
    ];
  });
}

function amountOf(groups: readonly ReportGroup[], name: ReportGroup['group']): bigint {
  return groups.find(({ group }) => group === name)?.amountMinor ?? 0n;
}

function sumOf(amounts: readonly { readonly amountMinor: bigint }[]): bigint {
  return amounts.reduce((total, { amountMinor }) => total + amountMinor, 0n);
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new PlanDoesNotAddUp(what);
}

/** Renders the report as a text table with notes. */
export function renderReport(report: ImportReport): string {
  const { orders, refunds, splitLines, unreadableAmounts } = report;
  const parts = report.groups.reduce((total, group) => total + group.parts, 0);
  const rows = report.groups.map(({ title, lines, parts, amountMinor }) => [
    title,
    counted(lines),
    parts === 0 ? '' : counted(parts),
    pounds(amountMinor),
  ]);
  const total = [
    'total, equal to the file',
    counted(report.lines - splitLines),
    parts === 0 ? '' : counted(parts),
    pounds(report.amountMinor),
  ];
  const table = tableOf(['What became of the lines', 'lines', 'parts', CURRENCY], [...rows, total]);
  const notes = [
    `${counted(orders.count)} orders, ${counted(orders.guests)} of them by guests: ${pounds(orders.amountMinor)} ${CURRENCY}.`,
    `${counted(refunds.count)} refunds for ${counted(refunds.cancellations)} cancellations: ${pounds(refunds.amountMinor)} ${CURRENCY}, each at the price`,
    'of the cancellation, as that is the money that went back; never more than the order has left.',
    `${counted(report.lines)} lines: ${counted(report.lines - splitLines)} whole, ${counted(splitLines)} split into ${counted(parts)} parts.`,
  ];
  if (unreadableAmounts > 0) {
    notes.push(`${counted(unreadableAmounts)} malformed lines have no readable amount.`);
  }
  for (const { line, why, text } of report.unread) {
    notes.push(`Line ${line} is left out, ${why}: ${text}`);
  }
  return [...table, '', ...notes, ''].join('\n');
}

/** The first column is left-aligned, the others right-aligned; the last row is the total. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((title, column) =>
    [title, ...rows.map((row) => row[column] ?? '')].reduce(
      (max, cell) => Math.max(max, cell.length),
      0,
    ),
  );
  const write = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [write(head), rule, ...rows.slice(0, -1).map(write), rule, ...rows.slice(-1).map(write)];
}

function counted(count: number): string {
  return grouped(String(count));
}

function pounds(minor: bigint): string {
  return grouped(toDecimal(minor, CURRENCY));
}

/** Thousands separators, independent of the locale. */
function grouped(digits: string): string {
  const [, decimals = ''] = digits.split('.');
  const { length: minimumFractionDigits } = decimals;
  // Formatting a string keeps every digit; a number would not.
  return new Intl.NumberFormat('en-GB', { minimumFractionDigits }).format(digits as `${number}`);
}
