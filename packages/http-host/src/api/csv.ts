/** Tables as CSV (RFC 4180), safe to open in a spreadsheet. */
import type { RawNumber } from '@counterfoil/core';

export const CSV_TYPE = 'text/csv';

export type Cell = string | number | boolean | RawNumber;

/** What spreadsheets would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

/** The header, unless it was written before, and the rows, each ended by CR LF. */
export function csvOf(
  header: readonly string[] | undefined,
  rows: Iterable<readonly Cell[]>,
): string {
  const lines = [...(header === undefined ? [] : [header]), ...rows].map((row) =>
    row.map(written).join(','),
  );
  return lines.map((line) => `${line}\r\n`).join('');
}

/** Numbers are written as in JSON; a text that a spreadsheet would run begins with an apostrophe. */
function written(cell: Cell): string {
  if (typeof cell === 'object') return cell.rawJSON;
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
