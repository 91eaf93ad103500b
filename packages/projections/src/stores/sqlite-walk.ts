/** How SQLite answers a walk: which index leads, and how deep pages are reached without reading them. */
import type { SQLInputValue } from 'node:sqlite';
import type { Anchor, CollectionSpec, Condition, Walk, Walked } from '../read-model-store.ts';
import { hash64 } from './hash64.ts';
import { columnOf, indexOf } from './sqlite-schema.ts';
import type { Statements } from './sqlite-statements.ts';

/** Up to so many matches of a condition are gathered and sorted; beyond it an index keeps the order. */
const GATHER_LIMIT = 500;
/** How far conditions that are all broad are counted to find the narrowest. */
const PROBE_LIMIT = 20_000;
/** Values of one condition that are merged as lanes; with more, one scan in sort order is cheaper. */
const MAX_LANES = 64;

type Row = { id: number; key: string; sort: number };

/** One condition in SQL. */
interface Term {
  readonly field: string;
  readonly column: string;
  readonly values: readonly (bigint | number | string)[];
  readonly mayLead: boolean;
}

interface Filter {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** The rows to choose from: an index, and all that they must fulfil. */
interface Scan {
  readonly index: string;
  readonly filters: readonly Filter[];
}

export class Walker {
  readonly #statements: Statements;
  readonly #spec: CollectionSpec;
  readonly #part: number;
  readonly #walk: Walk;
  readonly #terms: readonly Term[];

  constructor(statements: Statements, spec: CollectionSpec, part: number, walk: Walk) {
    this.#statements = statements;
    this.#spec = spec;
    this.#part = part;
    this.#walk = walk;
    this.#terms = walk.where.map((condition) => termOf(spec, condition));
  }

  run(): readonly Walked[] {
    if (this.#terms.some(({ values }) => values.length === 0)) return [];
    const rows = this.#rows();
    const body = this.#statements.get(`SELECT body FROM ${this.#spec.name}_bodies WHERE id = ?`);
    return rows.map(({ id, key, sort }) => {
      const found = body.get(id) as { body: string };
      return { key, sort, body: found.body };
    });
  }

  #rows(): readonly Row[] {
    const { skip = 0, limit } = this.#walk;
    const lead = this.#lead();
    if (lead === undefined) return this.#ordered(this.#scan('sort', this.#terms), { skip, limit });
    if (lead.term.field === 'key' || lead.count < GATHER_LIMIT) {
      return this.#page(this.#scan(lead.term.field, this.#terms), { skip, limit });
    }
    if (lead.term.values.length === 1) {
      return this.#ordered(this.#scan(lead.term.field, this.#terms), { skip, limit });
    }
    // Lanes would have to be read to be skipped; a broad condition fills a scan in sort order anyway.
    if (skip > 0 || lead.term.values.length > MAX_LANES) {
      return this.#ordered(this.#scan('sort', this.#terms), { skip, limit });
    }
    return this.#merged(lead.term, limit);
  }

  /** The condition that the fewest documents fulfil, as far as counting pays. */
  #lead(): { term: Term; count: number } | undefined {
    const [first, ...others] = this.#terms.filter(({ mayLead }) => mayLead);
    if (first === undefined) return undefined;
    const byKey = this.#terms.find(({ field }) => field === 'key');
    if (byKey !== undefined) return { term: byKey, count: byKey.values.length };
    let best = { term: first, count: this.#count(first, GATHER_LIMIT) };
    for (const term of others) {
      if (best.count < GATHER_LIMIT) {
        const count = this.#count(term, best.count);
        if (count < best.count) best = { term, count };
      } else {
        const count = this.#count(term, GATHER_LIMIT);
        if (count < GATHER_LIMIT) best = { term, count };
      }
    }
    if (best.count < GATHER_LIMIT || others.length === 0) return best;
    best = { term: first, count: this.#count(first, PROBE_LIMIT) };
    for (const term of others) {
      const count = this.#count(term, best.count);
      if (count < best.count) best = { term, count };
    }
    return best;
  }

  /** How many documents fulfil one condition, counted in its index up to a limit. */
  #count(term: Term, limit: number): number {
    const { index, filters } = this.#scan(term.field, [term]);
    const { sql, values } = joined(filters);
    const row = this.#statements
      .get(
        `SELECT count(*) AS n FROM (SELECT 1 FROM ${this.#spec.name} INDEXED BY ${index} WHERE ${sql} LIMIT ?)`,
      )
      .get(...values, limit) as { n: number };
    return row.n;
  }

  /** Rows of an index that is in sort order. What is skipped is counted in it, not read. */
  #ordered(scan: Scan, { skip, limit }: { skip: number; limit: number }): readonly Row[] {
    if (skip === 0) return this.#page(scan, { skip, limit });
    const { name } = this.#spec;
    const { sql, values } = joined(scan.filters);
    const from = `FROM ${name} INDEXED BY ${scan.index} WHERE ${sql}`;
    const at = this.#statements
      .get(`SELECT sort ${from} ORDER BY sort DESC LIMIT 1 OFFSET ?`)
      .get(...values, skip) as { sort: number } | undefined;
    if (at === undefined) return [];
    const above = this.#statements
      .get(`SELECT count(*) AS n ${from} AND sort > ?`)
      .get(...values, at.sort) as { n: number };
    const bounded = {
      ...scan,
      filters: [...scan.filters, { sql: 'sort <= ?', values: [at.sort] }],
    };
    return this.#page(bounded, { skip: skip - above.n, limit });
  }

  #page(scan: Scan, { skip, limit }: { skip: number; limit: number }): readonly Row[] {
    const { sql, values } = joined(scan.filters);
    return this.#statements
      .get(
        `SELECT id, key, sort FROM ${this.#spec.name} INDEXED BY ${scan.index} WHERE ${sql}
         ORDER BY sort DESC, key ASC LIMIT ? OFFSET ?`,
      )
      .all(...values, limit, skip) as unknown as readonly Row[];
  }

  /** Merges the ordered matches of each value, reading of every lane only as much as the page takes. */
  #merged(lead: Term, limit: number): readonly Row[] {
    const others = this.#terms.filter((term) => term !== lead);
    const chunk = Math.ceil(limit / lead.values.length) + 1;
    const lanes = lead.values.map((value) => {
      const scan = this.#scan(lead.field, [{ ...lead, values: [value] }, ...others]);
      return new Lane(
        (after) =>
          this.#page(after === undefined ? scan : startingAfter(scan, after), {
            skip: 0,
            limit: chunk,
          }),
        chunk,
      );
    });
    const rows: Row[] = [];
    while (rows.length < limit) {
      let next: Lane | undefined;
      for (const lane of lanes) {
        const row = lane.head();
        if (row === undefined) continue;
        const best = next?.head();
        if (best === undefined || comesBefore(row, best)) next = lane;
      }
      const row = next?.take();
      if (row === undefined) break;
      rows.push(row);
    }
    return rows;
  }

  #scan(lead: string, terms: readonly Term[]): Scan {
    const { name } = this.#spec;
    const filters: Filter[] = [{ sql: 'part = ?', values: [this.#part] }];
    for (const { column, values } of terms) {
      const [only] = values;
      filters.push(
        values.length === 1 && only !== undefined
          ? { sql: `${column} = ?`, values: [only] }
          : { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [jsonOf(values)] },
      );
    }
    filters.push(...rangeOf(this.#walk));
    const { after } = this.#walk;
    const scan = {
      index: lead === 'key' ? `sqlite_autoindex_${name}_1` : indexOf(name, lead),
      filters,
    };
    return after === undefined ? scan : startingAfter(scan, after);
  }
}

/** The rows of one value, read in chunks as they are taken. */
class Lane {
  readonly #read: (after: Anchor | undefined) => readonly Row[];
  readonly #chunk: number;
  #rows: readonly Row[];
  #next = 0;

  constructor(read: (after: Anchor | undefined) => readonly Row[], chunk: number) {
    this.#read = read;
    this.#chunk = chunk;
    this.#rows = read(undefined);
  }

  head(): Row | undefined {
    return this.#rows[this.#next];
  }

  take(): Row | undefined {
    const row = this.head();
    this.#next += 1;
    if (
      row !== undefined &&
      this.#next === this.#rows.length &&
      this.#rows.length === this.#chunk
    ) {
      this.#rows = this.#read(row);
      this.#next = 0;
    }
    return row;
  }
}

function comesBefore(a: Row, b: Row): boolean {
  return a.sort > b.sort || (a.sort === b.sort && a.key < b.key);
}

function startingAfter(scan: Scan, { sort, key }: Anchor): Scan {
  const sql = 'sort <= ? AND (sort < ? OR key > ?)';
  return { ...scan, filters: [...scan.filters, { sql, values: [sort, sort, key] }] };
}

function rangeOf({ from, to, orRange }: Walk): readonly Filter[] {
  if (orRange !== undefined) {
    const low = from ?? Number.MIN_SAFE_INTEGER;
    const high = to ?? Number.MAX_SAFE_INTEGER;
    const column = columnOf(orRange.field);
    return [
      {
        sql: `(sort BETWEEN ? AND ? OR ${column} BETWEEN ? AND ?)`,
        values: [low, high, orRange.from, orRange.to],
      },
    ];
  }
  return [
    ...(from === undefined ? [] : [{ sql: 'sort >= ?', values: [from] }]),
    ...(to === undefined ? [] : [{ sql: 'sort <= ?', values: [to] }]),
  ];
}

function joined(filters: readonly Filter[]): Filter {
  return {
    sql: filters.map(({ sql }) => sql).join(' AND '),
    values: filters.flatMap(({ values }) => values),
  };
}

function termOf(spec: CollectionSpec, { field, anyOf }: Condition): Term {
  if (field === 'key') {
    const values = anyOf.filter((value) => typeof value === 'string');
    return { field, column: 'key', values, mayLead: true };
  }
  const kind = spec.fields?.[field];
  if (kind === undefined) {
    throw new RangeError(`${spec.name} cannot be walked by ${field}`);
  }
  const values =
    kind === 'text'
      ? anyOf.filter((value) => typeof value === 'string').map(hash64)
      : anyOf.filter((value) => Number.isSafeInteger(value));
  return { field, column: columnOf(field), values, mayLead: kind !== 'stored' };
}

function jsonOf(values: Term['values']): string {
  const texts = values.map((value) =>
    typeof value === 'string' ? JSON.stringify(value) : String(value),
  );
  return `[${texts.join(',')}]`;
}
