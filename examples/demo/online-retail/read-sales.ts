/** Parses the lines of an Online Retail CSV into typed sales or reported problems. */
import { MAX_AMOUNT_MINOR, toMinor } from '@counterfoil/core';
import { parse } from 'csv-parse/sync';

/** All amounts of the data set are pounds sterling; minor units are pence. */
export const CURRENCY = 'GBP';

const COLUMNS = [
  'InvoiceNo',
  'StockCode',
  'Description',
  'Quantity',
  'InvoiceDate',
  'UnitPrice',
  'CustomerID',
  'Country',
] as const;

/** `A` invoices write off a bad debt, `C` invoices cancel items of earlier ones. */
export type InvoiceKind = 'sale' | 'cancellation' | 'bad-debt';

export interface SaleLine {
  readonly kind: 'sale-line';
  /** The line number; the header is line 1. */
  readonly line: number;
  /** With its letter: `536365`, `C536379`. */
  readonly invoice: string;
  readonly invoiceKind: InvoiceKind;
  /** The digits of the invoice, which are the order's id. */
  readonly invoiceNumber: number;
  /** As written; `85123A` and `85123a` are the same item. */
  readonly stockCode: string;
  /** Empty when missing. */
  readonly description: string;
  /** Negative on cancellations and corrections, never 0. */
  readonly quantity: number;
  /** The date of the invoice, taken as GMT. */
  readonly at: string;
  readonly unitPriceMinor: bigint;
  /** Quantity times unit price, both integers: no rounding. */
  readonly amountMinor: bigint;
  readonly customerId: number | null;
  /** The country name as in the data set. */
  readonly country: string;
  /** The text of the line, truncated if long. */
  readonly text: string;
}

/** A line that cannot be parsed. */
export interface MalformedLine {
  readonly kind: 'malformed';
  readonly line: number;
  readonly problem: string;
  /** Null when the invoice number is unreadable. */
  readonly invoice: string | null;
  /** The text of the line, truncated if long. */
  readonly text: string;
  /** Set when quantity and price are readable and another field is not. */
  readonly quantity: number | null;
  readonly amountMinor: bigint | null;
}

export type SaleRecord = SaleLine | MalformedLine;

/** Lines parsed per batch. */
const BLOCK_LINES = 1_000;
/** Bounds the memory for a file without line ends. */
const MAX_LINE_CHARS = 65_536;
const SHOWN_CHARS = 200;
/** The data set is of 2009 to 2011; years far from it are errors. */
const YEARS = { first: 2000, last: 2099 };

/** The input is not a sales file. The message is one line, for the user. */
export class NotASalesFile extends Error {
  override readonly name = 'NotASalesFile';
}

/**
 * Yields the records of a CSV in file order. Throws `NotASalesFile` when the header does not match
 * or a line exceeds 65,536 characters.
 */
export async function* readSales(
  bytes: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<SaleRecord, void, undefined> {
  let block: string[] = [];
  let firstLine = 1;
  for await (const text of linesOf(bytes)) {
    if (firstLine === 1) {
      checkHeader(text);
      firstLine = 2;
      continue;
    }
    block.push(text);
    if (block.length < BLOCK_LINES) continue;
    yield* recordsOf(block, firstLine);
    firstLine += block.length;
    block = [];
  }
  if (firstLine === 1) checkHeader('');
  yield* recordsOf(block, firstLine);
}

async function* linesOf(bytes: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  // The decoder strips a byte order mark, and joins characters split between chunks.
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield lineWithin(line);
    lineWithin(rest);
  }
  rest += decoder.decode();
  if (rest !== '') yield lineWithin(rest);
}

function lineWithin(line: string): string {
  if (line.length > MAX_LINE_CHARS) {
    throw new NotASalesFile(
      `a line of the sales file is longer than ${MAX_LINE_CHARS} characters: it is no CSV`,
    );
  }
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function checkHeader(text: string): void {
  if (text === COLUMNS.join(',')) return;
  throw new NotASalesFile(`${whatIsWrongWith(text)}: it must begin with ${COLUMNS.join(',')}`);
}

/** Describes a first line that is not the header. */
function whatIsWrongWith(text: string): string {
  if (text === '') return 'the sales file is empty, or begins with an empty line';
  if (NO_TEXT.test(text)) return 'the sales file is not text in UTF-8';
  if (text.replaceAll(SEPARATORS, ',') === COLUMNS.join(',')) {
    return 'the sales file has other separators than commas';
  }
  return `the sales file has no header; its first line is ${text.slice(0, SHOWN_CHARS)}`;
}

/** Not UTF-8 text: UTF-16 has zeros between its letters, invalid bytes become U+FFFD. */
const NO_TEXT = /[^\P{Cc}\t]|\ufffd/u;
const SEPARATORS = /[;\t|]/g;

function* recordsOf(block: readonly string[], firstLine: number): Generator<SaleRecord> {
  const fields = fieldsOf(block);
  for (const [index, text] of block.entries()) {
    yield recordOf(fields[index] ?? 'no fields', text, firstLine + index);
  }
}

type Fields = readonly string[];

/**
 * The fields of each line, or its parse error. No field of the data set spans lines: an unclosed
 * quote affects its own line only.
 */
function fieldsOf(block: readonly string[]): readonly (Fields | string)[] {
  try {
    const records = parseLines(block.join('\n'));
    // There are never more records than lines; equal counts mean one record per line.
    if (records.length === block.length) return records;
  } catch {
    // At least one line is invalid: parsing line by line finds it.
  }
  return block.map((line) => {
    try {
      const [fields, ...others] = parseLines(line);
      return others.length > 0 ? 'more than one record' : (fields ?? 'the line is empty');
    } catch (error) {
      return error instanceof Error ? error.message.replace(/ at line \d+/, '') : String(error);
    }
  });
}

function parseLines(text: string): readonly Fields[] {
  return parse(text, { relax_column_count: true, record_delimiter: '\n' });
}

function recordOf(fields: Fields | string, text: string, line: number): SaleRecord {
  const shown = text.slice(0, SHOWN_CHARS);
  const unread = {
    kind: 'malformed',
    line,
    text: shown,
    invoice: INVOICE_FIRST.exec(text)?.[1] ?? null,
    quantity: null,
    amountMinor: null,
  } as const;
  if (text === '') return { ...unread, problem: 'the line is empty' };
  if (typeof fields === 'string') return { ...unread, problem: fields };
  if (fields.length !== COLUMNS.length) {
    return { ...unread, problem: `${fields.length} fields instead of ${COLUMNS.length}` };
  }
  const [invoiceNo = '', stockCode = '', description = '', quantityText = ''] = fields;
  const [date = '', priceText = '', customer = '', country = ''] = fields.slice(4);

  const quantity = quantityOf(quantityText);
  if (typeof quantity === 'string') return { ...unread, problem: quantity };
  const unitPriceMinor = priceOf(priceText);
  if (typeof unitPriceMinor === 'string') return { ...unread, problem: unitPriceMinor };
  const amountMinor = BigInt(quantity) * unitPriceMinor;
  if (amountMinor > MAX_AMOUNT_MINOR || amountMinor < -MAX_AMOUNT_MINOR) {
    return { ...unread, problem: `the amount of the line is too large: ${amountMinor} pence` };
  }
  const counted = { ...unread, quantity, amountMinor };
  const invoice = invoiceOf(invoiceNo);
  if (typeof invoice === 'string') return { ...counted, problem: invoice };
  if (stockCode.trim() === '') return { ...counted, problem: 'no StockCode' };
  const at = instantOf(date);
  if (at === undefined)
    return {
      ...counted,
      problem: `InvoiceDate is not a date of ${YEARS.first} to ${YEARS.last}: ${date}`,
    };
  const customerId = customerOf(customer);
  if (typeof customerId === 'string') return { ...counted, problem: customerId };
  return {
    kind: 'sale-line',
    line,
    ...invoice,
    stockCode: stockCode.trim(),
    description: description.trim(),
    quantity,
    at,
    unitPriceMinor,
    amountMinor,
    customerId,
    country: country.trim(),
    text: shown,
  };
}

/** The invoice in the first field, whatever the other fields are. */
const INVOICE_FIRST = /^"?([A-Z]?[1-9]\d{0,14})"?,/;

function quantityOf(text: string): number | string {
  if (!/^-?\d{1,9}$/.test(text)) return `Quantity is not a whole number: ${text}`;
  const quantity = Number(text);
  return quantity === 0 ? 'Quantity is zero' : quantity;
}

/** Refuses fractions of a penny: an order's item has a price in pence. */
function priceOf(text: string): bigint | string {
  const minor = toMinor(text, CURRENCY);
  if (minor._tag === 'Right') return minor.right;
  return minor.left.type === 'TooManyDecimals'
    ? `UnitPrice is not a whole number of pence: ${text}`
    : `UnitPrice is not an amount: ${text}`;
}

const KIND_BY_LETTER: Readonly<Record<string, InvoiceKind>> = {
  '': 'sale',
  C: 'cancellation',
  A: 'bad-debt',
};

/** No leading zeros: two invoices must not share an order id. */
function invoiceOf(
  text: string,
): Pick<SaleLine, 'invoice' | 'invoiceKind' | 'invoiceNumber'> | string {
  const [, letter = '', digits = ''] = /^([A-Z]?)([1-9]\d{0,14})$/.exec(text) ?? [];
  const invoiceKind = KIND_BY_LETTER[letter];
  if (digits === '' || invoiceKind === undefined)
    return `InvoiceNo is not of a known form: ${text}`;
  return { invoice: text, invoiceKind, invoiceNumber: Number(digits) };
}

function customerOf(text: string): number | null | string {
  if (text === '') return null;
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : `CustomerID is not a number: ${text}`;
}

function instantOf(text: string): string | undefined {
  const [, day, month, year, hour, minute] =
    /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d):(\d\d)$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  if (Number(year) < YEARS.first || Number(year) > YEARS.last) return undefined;
  const written = `${year}-${month}-${day}T${hour}:${minute}:00.000Z`;
  const time = Date.parse(written);
  // `Date` normalizes 31 February to 3 March, and 24:00 to the next day.
  return Number.isNaN(time) || new Date(time).toISOString() !== written ? undefined : written;
}
