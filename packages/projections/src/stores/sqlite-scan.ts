/** What SQLite reads for a walk: from which index, within which bounds, and by which conditions. */
import type { SQLInputValue } from 'node:sqlite';
import type { Anchor, Walk } from '../read-model-store.ts';
import type { Term } from './field-values.ts';
import { eraOf, erasOf, indexOf } from './sqlite-schema.ts';

export interface Filter {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** The rows to choose from: where they are, bounds of `sort` (both included), and what else they must fulfil. */
export interface Scan extends Bounds {
  readonly source: string;
  /** Whether the source goes from era to era. */
  readonly byEra: boolean;
  /** Whether the source has the rows in descending order of `sort`, without sorting them. */
  readonly isInOrder: boolean;
  readonly filters: readonly Filter[];
}

/** Bounds of `sort`, both included. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

export const ANYWHERE: Bounds = { low: Number.MIN_SAFE_INTEGER, high: Number.MAX_SAFE_INTEGER };

export function boundsOf({ from = ANYWHERE.low, to = ANYWHERE.high }: Walk): Bounds {
  return { low: from, high: to };
}

interface Wanted {
  /** The collection, and its partition. */
  readonly name: string;
  readonly part: number;
  /** The field whose index leads. */
  readonly lead: string;
  readonly terms: readonly Term[];
  readonly bounds: Bounds;
}

export function scanOf({ name, part, lead, terms, bounds }: Wanted): Scan {
  const filters: Filter[] = [{ sql: 'part = ?', values: [part] }];
  for (const { column, values } of terms) {
    const [only] = values;
    filters.push(
      values.length === 1 && only !== undefined
        ? { sql: `${column} = ?`, values: [only] }
        : { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [jsonOf(values)] },
    );
  }
  const byEra = lead !== 'key' && lead !== 'sort';
  const isLeadByOne = terms.some(({ field, values }) => field === lead && values.length === 1);
  const index = lead === 'key' ? `sqlite_autoindex_${name}_1` : indexOf(name, lead);
  const indexed = `${name} INDEXED BY ${index}`;
  return {
    // A cross join, so that the eras are gone through in the order that is asked for.
    source: byEra
      ? `${erasOf(name)} CROSS JOIN ${indexed} ON part = of_part AND era = no`
      : indexed,
    byEra,
    isInOrder: lead === 'sort' || (byEra && isLeadByOne),
    ...bounds,
    filters,
  };
}

export function startingAfter(scan: Scan, { sort, key }: Anchor): Scan {
  const high = Math.min(scan.high, sort);
  return {
    ...scan,
    high,
    filters: [...scan.filters, { sql: '(sort < ? OR key > ?)', values: [sort, key] }],
  };
}

interface Selection extends Filter {
  /** The terms of ORDER BY that are descending. */
  readonly order: string;
}

/**
 * What stands after FROM. One lower and one upper bound of `sort`: of two on one side, SQLite would use
 * one and test the other row by row.
 */
export function selection({ source, byEra, low, high, filters }: Scan): Selection {
  const all = [...filters];
  // Bounds that bound nothing would be compared for each era.
  if (low > ANYWHERE.low || high < ANYWHERE.high) {
    all.push({ sql: 'sort BETWEEN ? AND ?', values: [low, high] });
    if (byEra) all.push({ sql: 'no BETWEEN ? AND ?', values: [eraOf(low), eraOf(high)] });
  }
  return {
    sql: `${source} WHERE ${all.map(({ sql }) => sql).join(' AND ')}`,
    order: byEra ? 'no DESC, sort DESC' : 'sort DESC',
    values: all.flatMap(({ values }) => values),
  };
}

function jsonOf(values: Term['values']): string {
  const texts = values.map((value) =>
    typeof value === 'string' ? JSON.stringify(value) : String(value),
  );
  return `[${texts.join(',')}]`;
}
