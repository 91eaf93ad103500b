/** The columns of a settlement file, and what each line says. */
import { currencyOf, type Transaction, toMinor } from '@counterfoil/core';
import { holdsCardNumber } from '../gateways/card-number-in-text.ts';
import { Day } from '../input/texts.ts';
import { type CsvRow, contentInvalid, csvRows } from './csv-rows.ts';

export const COLUMNS = [
  'reference',
  'kind',
  'gatewayTransactionId',
  'arn',
  'amount',
  'currency',
  'fee',
  'settledDate',
] as const;
type Column = (typeof COLUMNS)[number];
const REQUIRED: readonly Column[] = ['reference', 'kind', 'amount', 'currency', 'settledDate'];

export const KINDS: readonly Transaction.SettlementKind[] = [
  'capture',
  'refund',
  'chargeback',
  'reversal',
  'reserve',
  'fee',
];

const MAX_TEXT = 128;
const TEXT = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;
const MAX_AMOUNT_CHARACTERS = 40;

/** A line that can be compared with the books. */
export interface ReadLine extends Transaction.SettlementLine {
  /** In a file. */
  readonly line: number | null;
  /** `yyyy-mm-dd`. */
  readonly settledDate: string;
  /** The ledger's id of the payment, where a gateway has said it. */
  readonly paymentId?: string;
}

/** A line that is not of the documented form, and why. */
export interface UnreadableLine {
  readonly line: number | null;
  readonly detail: string;
  /** Of a gateway's payout. */
  readonly reference?: string;
  readonly since?: string;
}

export type FileLine = ReadLine | UnreadableLine;

/** The lines of a file in its order. Refuses with `InputInvalid` where the header is not that of one. */
export async function* linesOf(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly FileLine[]> {
  let columns: readonly Column[] | undefined;
  for await (const rows of csvRows(content)) {
    const [first] = rows;
    if (first === undefined) continue;
    const lines = columns === undefined ? rows.slice(1) : rows;
    columns ??= columnsOf(first);
    const header = columns;
    yield lines.map((row) => lineOf(row, header));
  }
  if (columns === undefined) throw contentInvalid('must have a header');
}

function columnsOf({ cells }: CsvRow): readonly Column[] {
  const names = cells.map((cell) => cell.trim());
  const unknown = names.find((name) => !COLUMNS.includes(name as Column));
  if (unknown !== undefined) {
    const detail = `has an unknown column; known are ${COLUMNS.join(', ')}`;
    throw contentInvalid(detail, `content/1/${names.indexOf(unknown) + 1}`);
  }
  const columns = names as Column[];
  const missing = REQUIRED.find((name) => !columns.includes(name));
  if (missing !== undefined) throw contentInvalid(`must have the column ${missing}`);
  if (new Set(columns).size < columns.length) throw contentInvalid('has a column twice');
  if (!columns.includes('gatewayTransactionId') && !columns.includes('arn')) {
    throw contentInvalid('must have the column gatewayTransactionId or arn');
  }
  return columns;
}

function lineOf({ line, cells, isOpen }: CsvRow, columns: readonly Column[]): FileLine {
  if (isOpen) return { line, detail: 'opens a quote that is not closed before the file ends' };
  if (cells.length !== columns.length) {
    return { line, detail: `has ${cells.length} cells where the header has ${columns.length}` };
  }
  const texts: Record<Column, string> = { ...NOTHING };
  for (const [index, name] of columns.entries()) texts[name] = (cells[index] ?? '').trim();
  const fault = faultOf(texts);
  if (fault !== undefined) return { line, detail: fault };
  const { kind, reference, gatewayTransactionId, arn, currency, settledDate } = texts;
  const amountMinor = minorOf(texts.amount, currency);
  const feeMinor = texts.fee === '' ? 0n : minorOf(texts.fee, currency);
  if (amountMinor === undefined || amountMinor <= 0n) {
    return { line, detail: 'amount must be a positive decimal that the currency has' };
  }
  if (feeMinor === undefined || feeMinor < 0n) {
    return { line, detail: 'fee must be a decimal that the currency has' };
  }
  return {
    line,
    kind: kind as Transaction.SettlementKind,
    reference,
    gatewayTransactionId,
    arn,
    amountMinor,
    currency,
    feeMinor,
    settledDate,
  };
}

const NOTHING = Object.fromEntries(COLUMNS.map((name) => [name, ''])) as Record<Column, string>;

function faultOf(texts: Record<Column, string>): string | undefined {
  const { kind, reference, gatewayTransactionId, arn, currency, settledDate } = texts;
  if (reference === '') return 'reference is required';
  for (const text of [reference, gatewayTransactionId, arn]) {
    if (text.length > MAX_TEXT || !TEXT.test(text)) {
      return `reference and ids must be at most ${MAX_TEXT} printable characters`;
    }
  }
  if (holdsCardNumber(reference)) return 'reference must not hold a card number';
  if (!(KINDS as readonly string[]).includes(kind)) return `kind must be ${KINDS.join(', ')}`;
  if (gatewayTransactionId === '' && arn === '') return 'gatewayTransactionId or arn is required';
  if (currencyOf(currency) === undefined) return 'currency must be a code of ISO 4217';
  if (!Day.safeParse(settledDate).success) return 'settledDate must be a day such as 2026-02-28';
  return undefined;
}

function minorOf(text: string, currency: string): bigint | undefined {
  if (text.length > MAX_AMOUNT_CHARACTERS) return undefined;
  const minor = toMinor(text, currency);
  return minor._tag === 'Right' ? minor.right : undefined;
}
