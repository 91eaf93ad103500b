/** Reads CSV (RFC 4180) as it comes, row by row; a byte order mark and either end of line are accepted. */
import { refused } from '../refusal.ts';

/** Of one row: more is not a table of the documented form. */
const MAX_ROW_CHARACTERS = 65_536;
const BYTE_ORDER_MARK = '\uFEFF';

export interface CsvRow {
  /** Of its first line in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** The file ends within quotes: everything from this line on is in this row. */
  readonly isOpen?: true;
}

/** Refuses with `InputInvalid` what is not UTF-8, and rows without an end. */
export async function* csvRows(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly CsvRow[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const rows = new RowReader();
  try {
    for await (const bytes of content) yield rows.read(decoder.decode(bytes, { stream: true }));
    yield rows.read(decoder.decode());
    yield rows.end();
  } catch (error) {
    throw error instanceof TypeError ? contentInvalid('must be UTF-8') : error;
  }
}

export function contentInvalid(detail: string, path = 'content') {
  return refused({ type: 'InputInvalid', faults: [{ path, detail }] });
}

/** Splits text into rows; what follows the last end of line waits for more. */
class RowReader {
  #rest = '';
  #line = 1;
  #isFirst = true;

  read(more: string): readonly CsvRow[] {
    const text = this.#rest + this.#withoutMark(more);
    const rows: CsvRow[] = [];
    let from = 0;
    while (true) {
      const end = endOfRow(text, from);
      if (end < 0) break;
      rows.push(this.#row(text.slice(from, end)));
      from = end + 1;
    }
    this.#rest = text.slice(from);
    if (this.#rest.length > MAX_ROW_CHARACTERS) {
      throw contentInvalid(`must have rows of at most ${MAX_ROW_CHARACTERS} characters`);
    }
    return rows.filter(({ cells }) => cells.length > 1 || cells[0] !== '');
  }

  end(): readonly CsvRow[] {
    if (this.#rest === '') return [];
    const rows = this.read('\n');
    if (this.#rest === '') return rows;
    return [...rows, { line: this.#line, cells: [], isOpen: true }];
  }

  #withoutMark(text: string): string {
    if (!this.#isFirst || text === '') return text;
    this.#isFirst = false;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  #row(text: string): CsvRow {
    const row = text.endsWith('\r') ? text.slice(0, -1) : text;
    const line = this.#line;
    this.#line += 1;
    if (!row.includes('"')) return { line, cells: row.split(',') };
    this.#line += row.split('\n').length - 1;
    return { line, cells: quotedCells(row) };
  }
}

/** The end of line outside quotes; -1 when it has not come yet. */
function endOfRow(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  const quote = text.indexOf('"', from);
  if (end < 0 || quote < 0 || quote > end) return end;
  let isQuoted = false;
  for (let index = quote; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\n' && !isQuoted) return index;
  }
  return -1;
}

/** Two quotes within quotes are one; anything beside quotes is taken as it is. */
function quotedCells(row: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let index = 0; index < row.length; index += 1) {
    const character = row.charAt(index);
    if (character === '"') {
      if (isQuoted && row[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else isQuoted = !isQuoted;
    } else if (character === ',' && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  return [...cells, cell];
}
