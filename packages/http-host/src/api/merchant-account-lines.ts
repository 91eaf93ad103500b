/** Merchant accounts as lines of a file: CSV (RFC 4180) with named columns, or JSON, one a line. */
import { isUtf8 } from 'node:buffer';
import { optionalFields, requiredFields } from '@counterfoil/engine';
import { definitionOf, innerTypeOf } from '@counterfoil/engine/input';
import { CsvError, parse } from 'csv-parse/sync';
import type { z } from 'zod';
import { Refusal, refuse } from '../http/errors.ts';
import { unknownName } from '../http/invalid-input.ts';
import { parseJson } from '../http/request-body.ts';
import { READ_ONLY_NAMES } from './merchant-account-body.ts';

export const MAX_LINES = 1_000;

/** A line that is no JSON. */
export class Unreadable {
  readonly detail: string;

  constructor(detail: string) {
    this.detail = detail;
  }
}

type Cell = 'text' | 'number' | 'boolean';

/** The columns that hold one value each. */
const COLUMNS: ReadonlyMap<string, Cell> = new Map<string, Cell>([
  // Compared with the tenant of the key.
  ['parentCompanyId', 'number'],
  ...Object.entries({ ...requiredFields, ...optionalFields })
    .filter(([name]) => name !== 'currencies')
    .map(([name, schema]) => [name, cellOf(schema)] as const),
]);
const CURRENCIES = 'currencies';
const CREDENTIALS: readonly string[] = ['apiKey', 'username', 'password', 'emailAddress'];

/** Columns that may be there; those of what cannot be set are ignored. */
export const COLUMN_NAMES: readonly string[] = [...COLUMNS.keys(), CURRENCIES, ...CREDENTIALS];

function cellOf(schema: z.core.$ZodType): Cell {
  const definition = definitionOf(schema);
  const inner = innerTypeOf(definition);
  if (inner !== undefined) return cellOf(inner);
  return definition.type === 'number' || definition.type === 'boolean' ? definition.type : 'text';
}

/** One object for each line that is not empty. Throws a Refusal for bytes that are no UTF-8. */
export function readJsonLines(bytes: Buffer): unknown[] {
  return linesIn(bytes).map(readJsonLine);
}

/** The lines that are not empty. Throws a Refusal for bytes that are no UTF-8. */
export function linesIn(bytes: Buffer): readonly string[] {
  if (!isUtf8(bytes)) throw refuse('invalid_utf8');
  const lines = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split('\n');
  return lines.filter((line) => line.trim() !== '');
}

function readJsonLine(line: string): unknown {
  try {
    return parseJson(Buffer.from(line));
  } catch (error) {
    if (error instanceof Refusal) return new Unreadable(error.message);
    throw error;
  }
}

/** One object for each record. Throws a Refusal for what is no CSV, and for columns that are not known. */
export function readCsv(bytes: Buffer): unknown[] {
  if (!isUtf8(bytes)) throw refuse('invalid_utf8');
  const [header = [], ...records] = recordsOf(bytes);
  checkHeader(header);
  return records.map((record) => accountOf(header, record));
}

function recordsOf(bytes: Buffer): string[][] {
  try {
    return parse(bytes, { bom: true, skip_empty_lines: true });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The parser's message may quote a secret.
    const at = typeof error['lines'] === 'number' ? ` at line ${error['lines']}` : '';
    throw invalid(`The CSV cannot be read${at}: a quote is open, or a record has another length`);
  }
}

function checkHeader(header: readonly string[]): void {
  for (const [index, name] of header.entries()) {
    if (header.indexOf(name) < index) throw invalid('A column stands twice in the header');
    if (COLUMN_NAMES.includes(name) || READ_ONLY_NAMES.has(name)) continue;
    throw invalid(unknownName(name, COLUMN_NAMES));
  }
}

function invalid(detail: string): Refusal {
  return refuse('invalid_request', undefined, { errors: [{ in: 'body', pointer: '', detail }] });
}

/** An empty cell is an absent member. */
function accountOf(header: readonly string[], record: readonly string[]): object {
  const cells = new Map(header.map((name, index) => [name, (record[index] ?? '').trim()]));
  const account: Record<string, unknown> = {};
  for (const [name, cell] of COLUMNS) {
    const text = cells.get(name) ?? '';
    if (text !== '') account[name] = cellValue(text, cell);
  }
  const secrets = CREDENTIALS.map((name) => [name, cells.get(name) ?? ''] as const);
  const gatewayCredentials = Object.fromEntries(secrets.filter(([, text]) => text !== ''));
  const codes = (cells.get(CURRENCIES) || (cells.get('defaultCurrency') ?? '')).split(/[;\s]+/);
  account[CURRENCIES] = codes
    .filter((currency) => currency !== '')
    .map((currency) => ({ currency, gatewayCredentials }));
  return account;
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** What is no number or boolean stays a text, which is then refused by name. */
function cellValue(text: string, cell: Cell): unknown {
  const lower = text.toLowerCase();
  if (cell === 'boolean' && (lower === 'true' || lower === 'false')) return lower === 'true';
  return cell === 'number' && NUMBER.test(text) ? Number(text) : text;
}
