/** How SQLite answers a walk: which index leads, and how deep pages are reached without reading them. */
import type { Anchor, CollectionSpec, Walk, Walked } from '../read-model-store.ts';
import { type Checksums, locationIn } from './checksums.ts';
import { type Term, termOf } from './field-values.ts';
import {
  ANYWHERE,
  type Bounds,
  boundsOf,
  type Filter,
  type Scan,
  scanOf,
  selection,
  startingAfter,
} from './sqlite-scan.ts';
import { columnOf, eraOf, erasOf, indexOf, startOfEra } from './sqlite-schema.ts';
import type { Statements } from './sqlite-statements.ts';

/** The most matches of several values that are gathered and sorted; beyond it an index keeps the order. */
const GATHER_LIMIT = 500;
/** Matches that are gathered in the time that it takes to begin one more lane. */
const GATHERED_A_LANE = 40;
/** With fewer values, their lanes are begun at once. */
const MIN_GATHERED = 4;
/** With so many values, to look into one era costs more than a statement of its own. */
const MIN_LONG_LIST = 16;
/** How far conditions that are all broad are counted to find the narrowest. */
const PROBE_LIMIT = 4_000;
/** Values of one condition that are merged as lanes; with more, one scan in sort order is cheaper. */
const MAX_LANES = 64;
/** With fewer values to merge, nothing is looked for in sort order first. */
const MIN_DENSE_LANES = 4;
/** Documents that are looked at in a third of the time that it takes to begin one more lane. */
const LOOKED_AT_A_LANE = 5;
/** Lanes whose entries are counted to skip them; with more, they are counted in sort order. */
const MAX_SKIPPED_LANES = 16;
/** Rows looked at before the one that is skipped to. */
const MAX_TIES_SEEN = 32;

/** What an index says of a document. Its key stands with its body: only what has the same place is compared by it. */
type Row = { id: number; sort: number };

/** Of tuples of these columns. */
function rowsOf(tuples: unknown): readonly Row[] {
  return (tuples as readonly [number, number][]).map(([id, sort]) => ({ id, sort }));
}

type OrRange = NonNullable<Walk['orRange']>;

interface Window {
  readonly skip: number;
  readonly limit: number;
}

/** What is walked: one partition of a collection. */
export interface Walkable {
  readonly statements: Statements;
  readonly checksums: Checksums;
  readonly spec: CollectionSpec;
  readonly part: number;
}

export class Walker {
  readonly #statements: Statements;
  readonly #spec: CollectionSpec;
  readonly #part: number;
  readonly #walk: Walk;
  readonly #terms: readonly Term[];
  readonly #checksums: Checksums;

  constructor({ statements, checksums, spec, part }: Walkable, walk: Walk) {
    this.#statements = statements;
    this.#checksums = checksums;
    this.#spec = spec;
    this.#part = part;
    this.#walk = walk;
    this.#terms = walk.where.map((condition) => termOf(spec, condition, columnOf));
  }

  run(): readonly Walked[] {
    if (this.#terms.some(({ values }) => values.length === 0)) return [];
    const { name } = this.#spec;
    const { partition } = this.#walk;
    const statement = this.#statements.tuples(
      `SELECT of_key, body, seal FROM ${name}_bodies WHERE id = ?`,
    );
    let before: Walked | undefined;
    return this.#rows().map(({ id, sort }) => {
      const sealed = statement.get(id) as unknown as [string, string, number] | undefined;
      if (sealed === undefined) throw this.#mislead(id);
      const [key, body, seal] = sealed;
      const where = locationIn(name, { partition, sort, key });
      const found = { key, sort, body: this.#checksums.verify(where, { body, seal }) };
      // An index that is out of order skips or repeats, and what it leads to may be sound.
      if (before !== undefined && !isInOrder(before, found)) throw this.#mislead(id);
      before = found;
      return found;
    });
  }

  #mislead(id: number): Error {
    return this.#checksums.damage(`an index of ${this.#spec.name} leads to ${id} by mistake`);
  }

  #comesBefore(a: Row, b: Row): boolean {
    return a.sort > b.sort || (a.sort === b.sort && this.#keyOf(a) < this.#keyOf(b));
  }

  #keyOf({ id }: Row): string {
    const found = this.#statements
      .tuples(`SELECT of_key FROM ${this.#spec.name}_bodies WHERE id = ?`)
      .get(id) as unknown as [string] | undefined;
    if (found === undefined) throw this.#mislead(id);
    return found[0];
  }

  #rows(): readonly Row[] {
    const { skip = 0, limit } = this.#walk;
    if (this.#walk.orRange === undefined) return this.#inRange({ skip, limit });
    const wanted = { skip: 0, limit: skip + limit };
    return [...this.#inRange(wanted), ...this.#outOfRange(this.#walk.orRange, wanted.limit)]
      .sort((a, b) => (this.#comesBefore(a, b) ? -1 : 1))
      .slice(skip, skip + limit);
  }

  /** The rows outside the bounds of `sort` whose other field lies within its own. */
  #outOfRange({ field, from, to }: OrRange, limit: number): readonly Row[] {
    const gathering = this.#terms.find(
      (term) =>
        term.mayLead &&
        (term.field === 'key' || this.#count(term, GATHER_LIMIT, ANYWHERE) < GATHER_LIMIT),
    );
    const scan = this.#scan(gathering?.field ?? field, this.#terms, ANYWHERE);
    const { low, high } = boundsOf(this.#walk);
    const filters: Filter[] = [
      ...scan.filters,
      { sql: `${columnOf(field)} BETWEEN ? AND ?`, values: [from, to] },
      { sql: 'sort NOT BETWEEN ? AND ?', values: [low, high] },
    ];
    return this.#page({ ...scan, filters }, { skip: 0, limit });
  }

  #inRange(window: Window): readonly Row[] {
    const { skip, limit } = window;
    const list = this.#onlyList();
    // A page of two or three values is merged sooner than it is known whether they have few matches.
    const isGathered = list !== undefined && (skip > 0 || list.values.length >= MIN_GATHERED);
    const few = isGathered ? this.#few(list, skip + limit) : undefined;
    if (few !== undefined) return few.slice(skip, skip + limit);
    const lead = list === undefined ? this.#lead() : { term: list, count: GATHER_LIMIT };
    if (lead === undefined) return this.#ordered([this.#scan('sort', this.#terms)], window);
    const { field, values } = lead.term;
    const gathered = Math.min(GATHER_LIMIT, GATHERED_A_LANE * values.length);
    if (field === 'key' || (values.length > 1 && lead.count < gathered)) {
      return this.#page(this.#scan(field, this.#terms), window);
    }
    // A broad condition of many values fills a scan in sort order sooner than its values are merged.
    if (values.length > (skip > 0 ? MAX_SKIPPED_LANES : MAX_LANES)) {
      return this.#ordered([this.#scan('sort', this.#terms)], window);
    }
    const near =
      skip === 0 && values.length >= MIN_DENSE_LANES ? this.#near(values.length, limit) : [];
    if (near.length === limit) return near;
    const others = this.#terms.filter((term) => term !== lead.term);
    const scans = values.map((value) =>
      this.#scan(field, [{ ...lead.term, values: [value] }, ...others]),
    );
    return this.#ordered(scans, window);
  }

  /** The condition, where it is the only one, of several values that an index leads to. */
  #onlyList(): Term | undefined {
    const [term, ...others] = this.#terms;
    const isList = others.length === 0 && term !== undefined && term.values.length > 1;
    return isList && term.mayLead && term.field !== 'key' ? term : undefined;
  }

  /**
   * The first rows of such a condition, in order, unless they are many: they are found in the
   * index, which has their order, and only the first are looked up.
   */
  #few(term: Term, wanted: number): readonly Row[] | undefined {
    const entries = this.#entries(term, wanted);
    if (entries === undefined) return;
    const first = firstOf(entries, wanted);
    const { name } = this.#spec;
    const rows = rowsOf(
      this.#statements
        .tuples(
          `SELECT id, sort FROM ${name}
           WHERE id IN (SELECT value FROM json_each(?)) ORDER BY sort DESC, key ASC`,
        )
        .all(JSON.stringify(first.map(({ id }) => id))),
    );
    const places = new Map(first.map(({ id, sort }) => [id, sort]));
    const areSound =
      rows.length === first.length && rows.every(({ id, sort }) => places.get(id) === sort);
    if (areSound) return rows;
    const ids = [...places.keys()].join();
    throw this.#checksums.damage(
      `the index ${indexOf(name, term.field)} leads to ${ids} by mistake`,
    );
  }

  /**
   * What the index says of the first rows, of whole eras from the newest on, so that they are as many
   * as are wanted where there are so many; undefined when that takes too many. For many values each
   * era is read alone: mostly the newest has enough, and every other takes a look for each value.
   */
  #entries(term: Term, wanted: number): readonly Row[] | undefined {
    const { values } = term;
    const most = Math.min(GATHER_LIMIT, GATHERED_A_LANE * values.length);
    const scan = this.#scan(term.field, this.#terms);
    if (values.length < MIN_LONG_LIST) {
      const found = this.#entriesIn(scan, most);
      const whole = found.length < most ? found : withoutLastEra(found);
      return whole === found || whole.length >= wanted ? whole : undefined;
    }
    const entries: Row[] = [];
    let { high } = scan;
    while (high >= scan.low && entries.length < wanted) {
      const newest = this.#newestEra({ ...scan, high });
      if (newest === undefined) break;
      const low = Math.max(scan.low, startOfEra(newest));
      entries.push(...this.#entriesIn({ ...scan, low, high }, most - entries.length));
      if (entries.length >= most) return undefined;
      high = low - 1;
    }
    return entries;
  }

  #newestEra({ low, high }: Bounds): number | undefined {
    const row = this.#statements
      .get(
        `SELECT max(no) AS no FROM ${erasOf(this.#spec.name)}
         WHERE of_part = ? AND no BETWEEN ? AND ?`,
      )
      .get(this.#part, eraOf(low), eraOf(high)) as { no: number | null };
    return row.no ?? undefined;
  }

  #entriesIn(scan: Scan, limit: number): readonly Row[] {
    const { sql, values } = selection(scan);
    const found = this.#statements
      .tuples(
        `SELECT json_group_array(id), json_group_array(sort)
         FROM (SELECT id, sort FROM ${sql} ORDER BY no DESC LIMIT ? + 0)`,
      )
      .get(...values, limit) as unknown as [string, string];
    return entriesOf(found);
  }

  /**
   * The matches among the next documents in sort order, so few that looking at all of them costs less
   * than to begin the lanes: a page of many values is mostly full before they end.
   */
  #near(lanes: number, limit: number): readonly Row[] {
    const scan = this.#scan('sort', this.#terms);
    const { sql, order, values } = selection({ ...scan, filters: scan.filters.slice(0, 1) });
    const edge = this.#statements
      .get(`SELECT sort FROM ${sql} ORDER BY ${order} LIMIT 1 OFFSET ?`)
      .get(...values, lanes * LOOKED_AT_A_LANE);
    // Whole values of `sort`, so that none of those that share the last one is left out.
    const low = edge === undefined ? scan.low : Math.max(scan.low, (edge['sort'] as number) + 1);
    return this.#page({ ...scan, low }, { skip: 0, limit });
  }

  /** The condition that the fewest documents fulfil, as far as counting pays. */
  #lead(): { term: Term; count: number } | undefined {
    const [first, ...others] = this.#terms.filter(({ mayLead }) => mayLead);
    if (first === undefined) return undefined;
    if (others.length === 0 && first.values.length === 1)
      return { term: first, count: PROBE_LIMIT };
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
  #count(term: Term, limit: number, bounds = boundsOf(this.#walk)): number {
    const { sql, values } = selection(this.#scan(term.field, [term], bounds));
    const [count] = this.#statements
      .tuples(`SELECT count(*) FROM (SELECT 1 FROM ${sql} LIMIT ? + 0)`)
      .get(...values, limit) as unknown as [number];
    return count;
  }

  /** The merged rows of indices in sort order. What is skipped is counted in them, not read. */
  #ordered(scans: readonly Scan[], { skip, limit }: Window): readonly Row[] {
    if (skip === 0) return this.#merged(scans, { skip, limit });
    const near = this.#sortsUpTo(scans, skip);
    const at = near.at(-1);
    if (at === undefined) return [];
    const first = near.indexOf(at);
    const above =
      first > 0 || near.length > skip
        ? skip - (near.length - 1 - first)
        : scans.reduce((sum, scan) => sum + this.#countOf({ ...scan, low: at + 1 }), 0);
    const rest = scans.map((scan) => ({ ...scan, high: at }));
    return this.#merged(rest, { skip: skip - above, limit });
  }

  /**
   * The sort value of the row that comes after so many others, and of a few before it: mostly they
   * tell how many rows share that value. Empty when there are not so many rows.
   */
  #sortsUpTo(scans: readonly Scan[], skip: number): readonly number[] {
    const before = Math.min(skip, MAX_TIES_SEEN);
    const lanes = scans.map((scan) => {
      const { sql, order, values } = selection(scan);
      return { sql: `SELECT sort FROM ${sql} ORDER BY ${order} LIMIT ? + 0`, values };
    });
    const [only, ...others] = lanes;
    const merged =
      others.length === 0 && only !== undefined
        ? only
        : {
            sql: `${lanes.map(({ sql }) => `SELECT * FROM (${sql})`).join(' UNION ALL ')}
                  ORDER BY sort DESC LIMIT ? + 0`,
            values: lanes.flatMap(({ values }) => [...values, skip + 1]),
          };
    const rows = this.#statements
      .get(`${merged.sql} OFFSET ?`)
      .all(...merged.values, before + 1, skip - before);
    return rows.length > before ? rows.map((row) => row['sort'] as number) : [];
  }

  #countOf(scan: Scan): number {
    const { sql, values } = selection(scan);
    const row = this.#statements.get(`SELECT count(*) AS n FROM ${sql}`).get(...values) as {
      n: number;
    };
    return row.n;
  }

  #page(scan: Scan, { skip, limit }: Window): readonly Row[] {
    const first = scan.isInOrder && skip === 0 ? this.#firstInOrder(scan, limit) : undefined;
    if (first !== undefined) return first;
    const { sql, order, values } = selection(scan);
    return rowsOf(
      this.#statements
        .tuples(`SELECT id, sort FROM ${sql} ORDER BY ${order}, key ASC LIMIT ? + 0 OFFSET ?`)
        .all(...values, limit, skip),
    );
  }

  /**
   * The first rows, as the index has them: to sort them by key besides takes as long again. Undefined
   * where two have the same place, which needs the order of their keys.
   */
  #firstInOrder(scan: Scan, limit: number): readonly Row[] | undefined {
    const { sql, order, values } = selection(scan);
    const rows = rowsOf(
      this.#statements
        .tuples(`SELECT id, sort FROM ${sql} ORDER BY ${order} LIMIT ? + 0`)
        .all(...values, limit + 1),
    );
    let areApart = true;
    let before: Row | undefined;
    for (const row of rows) {
      if (before !== undefined && row.sort > before.sort) {
        // What comes too early would hold up those behind it in a merge, and they would be left out.
        throw this.#checksums.damage(`an index of ${this.#spec.name} has no order`);
      }
      if (row.sort === before?.sort) areApart = false;
      before = row;
    }
    return areApart ? rows.slice(0, limit) : undefined;
  }

  /** Merges lanes that are each in order, reading of every one only as much as the page takes. */
  #merged(scans: readonly Scan[], window: Window): readonly Row[] {
    const [only, ...others] = scans;
    if (only === undefined) return [];
    if (others.length === 0) return this.#page(only, window);
    const wanted = window.skip + window.limit;
    const limit = Math.ceil(wanted / scans.length) + 1;
    const read = (scan: Scan) => (after: Row | undefined) => {
      const rest =
        after === undefined
          ? scan
          : startingAfter(scan, { sort: after.sort, key: this.#keyOf(after) });
      return this.#page(rest, { skip: 0, limit });
    };
    const lanes = scans.map((scan) => new Lane(read(scan), limit));
    const rows: Row[] = [];
    while (rows.length < wanted) {
      let next: Lane | undefined;
      for (const lane of lanes) {
        const row = lane.head();
        const best = next?.head();
        if (row !== undefined && (best === undefined || this.#comesBefore(row, best))) next = lane;
      }
      const row = next?.take();
      if (row === undefined) break;
      rows.push(row);
    }
    return rows.slice(window.skip);
  }

  #scan(lead: string, terms: readonly Term[], bounds = boundsOf(this.#walk)): Scan {
    const scan = scanOf({ name: this.#spec.name, part: this.#part, lead, terms, bounds });
    const { after } = this.#walk;
    return after === undefined ? scan : startingAfter(scan, after);
  }
}

function entriesOf([ids, sorts]: readonly [ids: string, sorts: string]): Row[] {
  const at: readonly number[] = JSON.parse(sorts);
  return (JSON.parse(ids) as readonly number[]).map((id, index) => ({ id, sort: at[index] ?? 0 }));
}

/** Entries come from the newest era on: the limit has cut the last one. */
function withoutLastEra(entries: readonly Row[]): readonly Row[] {
  const last = eraOf(entries.at(-1)?.sort ?? 0);
  return entries.filter(({ sort }) => eraOf(sort) > last);
}

/** The first in sort order, with all that share the last value of it. */
function firstOf(entries: readonly Row[], wanted: number): readonly Row[] {
  const last = entries.toSorted((a, b) => b.sort - a.sort)[wanted - 1];
  return last === undefined ? entries : entries.filter(({ sort }) => sort >= last.sort);
}

/** The rows of one value, read in chunks as they are taken. */
class Lane {
  readonly #read: (after: Row | undefined) => readonly Row[];
  readonly #chunk: number;
  #rows: readonly Row[];
  #next = 0;

  constructor(read: (after: Row | undefined) => readonly Row[], chunk: number) {
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

function isInOrder(a: Anchor, b: Anchor): boolean {
  return a.sort > b.sort || (a.sort === b.sort && a.key < b.key);
}
