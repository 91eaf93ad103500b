/** How PostgreSQL answers a walk: one statement along one index, chosen here and not by the planner. */
import type { CollectionSpec, Walk } from '../read-model-store.ts';
import { type Term, termOf } from './field-values.ts';
import { escaped } from './postgres-arrays.ts';
import type { Statement } from './postgres-database.ts';
import { columnOf } from './postgres-schema.ts';

/** Values of one condition that are merged; with more, one scan in sort order is cheaper. */
const MAX_LANES = 2_000;
/** Values that are merged where much is skipped; each has to be counted through. */
const MAX_SKIPPED_LANES = 16;
/** The most matches that are counted to find the narrowest condition, and that are gathered and sorted. */
export const PROBE_LIMIT = 500;
/** Entries read before the one that is skipped to: mostly enough to count those with the same sort value. */
const TIES_SEEN = 32;
/** Fewer matches are passed over by reading them; more than the ties that are seen. */
const MANY_SKIPPED = 64;

/** Gathers the parameters of a statement. */
class Parameters {
  readonly values: unknown[] = [];

  /** Its place in the text. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

export interface Walkable {
  readonly table: string;
  readonly spec: CollectionSpec;
  readonly part: number;
}

/** How many documents fulfil each condition, up to the limit. */
export type Counts = ReadonlyMap<string, number>;

export class Walker {
  readonly #table: string;
  readonly #spec: CollectionSpec;
  readonly #part: number;
  readonly #walk: Walk;
  readonly #terms: readonly Term[];

  constructor({ table, spec, part }: Walkable, walk: Walk) {
    this.#table = table;
    this.#spec = spec;
    this.#part = part;
    this.#walk = walk;
    this.#terms = walk.where.map((condition) => termOf(spec, condition, columnOf));
  }

  /** Some condition has no value that a document could have. */
  get isEmpty(): boolean {
    return this.#terms.some(({ values }) => values.length === 0);
  }

  /** Asks how narrow each condition is; undefined when there is nothing to choose from. */
  probe(): Statement | undefined {
    const leaders = this.#leaders();
    const needed = this.#walk.orRange === undefined ? 2 : 1;
    if (leaders.length < needed || leaders.some(({ field }) => field === 'key')) return undefined;
    const parameters = new Parameters();
    const part = parameters.add(this.#part, 'int4');
    const parts = leaders.map(({ field, column, values }) => {
      const matches = `${column} = ANY(${parameters.add(values, 'int8[]')})`;
      return `SELECT '${field}', (SELECT count(*) FROM (
        SELECT FROM ${this.#table} WHERE part = ${part} AND ${matches} LIMIT ${PROBE_LIMIT}
      ) few), NULL`;
    });
    return { text: parts.join(' UNION ALL '), values: parameters.values };
  }

  page(counts: Counts): Statement {
    const { skip = 0, limit, orRange } = this.#walk;
    const parameters = new Parameters();
    const { values } = parameters;
    if (orRange === undefined) {
      const text = this.#inRange(counts, parameters, { skip, limit });
      return { text, values, isNamed: this.#terms.length < 2 };
    }
    const wanted = { skip: 0, limit: skip + limit };
    const text = `SELECT key, sort, body FROM (
        (${this.#inRange(counts, parameters, wanted)})
        UNION ALL (${this.#outOfRange(counts, parameters, wanted)})
      ) both_ranges ORDER BY sort DESC, key
      LIMIT ${parameters.add(limit, 'int8')} OFFSET ${parameters.add(skip, 'int8')}`;
    return { text, values };
  }

  #inRange(counts: Counts, parameters: Parameters, wanted: Wanted): string {
    const few = this.#few(counts);
    if (few !== undefined) {
      return this.#gathered(parameters, this.#matches(parameters, few, undefined), wanted);
    }
    const lead = this.#narrowest(counts);
    const most = wanted.skip >= MANY_SKIPPED ? MAX_SKIPPED_LANES : MAX_LANES;
    const tooMany = lead !== undefined && lead.values.length > most;
    return this.#ordered(parameters, tooMany ? undefined : lead, wanted);
  }

  /** The documents outside the bounds of `sort` whose other field lies within its own. */
  #outOfRange(counts: Counts, parameters: Parameters, wanted: Wanted): string {
    const matches = this.#matchesOutside(parameters, this.#few(counts));
    return this.#gathered(parameters, matches, wanted);
  }

  /** The condition that leads where it leads to few documents. */
  #few(counts: Counts): Term | undefined {
    const lead = this.#narrowest(counts);
    const isFew =
      lead?.field === 'key' ||
      (lead !== undefined && (counts.get(lead.field) ?? PROBE_LIMIT) < PROBE_LIMIT);
    return isFew ? lead : undefined;
  }

  #narrowest(counts: Counts): Term | undefined {
    const leaders = this.#leaders();
    const narrowness = ({ field }: Term) => (field === 'key' ? -1 : (counts.get(field) ?? 0));
    return [...leaders].sort((a, b) => narrowness(a) - narrowness(b))[0];
  }

  #leaders(): readonly Term[] {
    return this.#terms.filter(({ mayLead }) => mayLead);
  }

  /** The few that match, all of them read and sorted. */
  #gathered(parameters: Parameters, matches: string, { skip, limit }: Wanted): string {
    return `SELECT key, sort, body FROM ${this.#table} WHERE ${matches}
      ORDER BY sort DESC, key LIMIT ${parameters.add(limit, 'int8')} OFFSET ${parameters.add(skip, 'int8')}`;
  }

  /** Along the index of one condition, a lane for each of its values; or of the plain order. */
  #ordered(parameters: Parameters, lead: Term | undefined, { skip, limit }: Wanted): string {
    const isMerged = lead !== undefined && lead.values.length > 1;
    const lanes = isMerged ? parameters.add(lead.values, 'int8[]') : undefined;
    const matches = this.#matches(parameters, lead, isMerged ? 'lane.value' : undefined);
    const scan = { lanes, matches };
    const window = {
      limit: parameters.add(limit, 'int8'),
      skip: parameters.add(skip, 'int8'),
      wanted: isMerged || skip >= MANY_SKIPPED ? parameters.add(skip + limit, 'int8') : '',
    };
    return skip < MANY_SKIPPED ? this.#page(scan, window) : this.#farPage(scan, window);
  }

  #page({ lanes, matches }: Scan, { limit, skip, wanted }: Window): string {
    if (lanes === undefined) {
      return `SELECT key, sort, body FROM ${this.#table} WHERE ${matches}
        ORDER BY sort DESC, key LIMIT ${limit} OFFSET ${skip}`;
    }
    return `SELECT r.key, r.sort, r.body FROM unnest(${lanes}) AS lane (value) CROSS JOIN LATERAL (
        SELECT key, sort, body FROM ${this.#table} WHERE ${matches}
        ORDER BY sort DESC, key LIMIT ${wanted}
      ) r ORDER BY r.sort DESC, r.key LIMIT ${limit} OFFSET ${skip}`;
  }

  /**
   * What is skipped is counted in the index, and not read: first the place that is skipped to, with
   * those just before it, then the page from there on. All in one statement, so of one moment.
   */
  #farPage({ lanes, matches }: Scan, { limit, skip, wanted }: Window): string {
    const table = this.#table;
    const before = TIES_SEEN;
    const across = (columns: string, condition: string, order: string) =>
      lanes === undefined
        ? `SELECT ${columns} FROM ${table} WHERE ${matches} AND ${condition} ${order}`
        : `SELECT r.* FROM unnest(${lanes}) AS lane (value) CROSS JOIN LATERAL (
             SELECT ${columns} FROM ${table} WHERE ${matches} AND ${condition} ${order}
           ) r`;
    return `WITH near AS MATERIALIZED (
        SELECT sort FROM (${across('sort', 'true', `ORDER BY sort DESC LIMIT ${wanted}`)}) scan
        ORDER BY sort DESC LIMIT ${before} + 1 OFFSET ${skip} - ${before}
      ), at AS MATERIALIZED (
        SELECT min(sort) AS sort FROM near HAVING count(*) = ${before} + 1
      ), ties AS MATERIALIZED (
        SELECT count(*) AS n FROM near WHERE sort = (SELECT sort FROM at)
      ), above AS MATERIALIZED (
        SELECT CASE WHEN (SELECT n FROM ties) <= ${before}
          THEN ${skip} - greatest((SELECT n FROM ties) - 1, 0)
          ELSE (SELECT count(*) FROM (${across('sort', 'sort > (SELECT sort FROM at)', '')}) more)
        END AS n
      )
      SELECT key, sort, body FROM (
        ${across(
          'key, sort, body',
          'sort <= (SELECT sort FROM at)',
          `ORDER BY sort DESC, key LIMIT ${skip} - (SELECT n FROM above) + ${limit}`,
        )}
      ) rest ORDER BY sort DESC, key LIMIT ${limit} OFFSET ${skip} - (SELECT n FROM above)`;
  }

  /** Whether the index of the one that leads has the other behind its order. */
  #isCompanion({ field, values }: Term, lead: Term | undefined): boolean {
    if (lead === undefined || values.length !== 1) return false;
    return this.#spec.companions?.[lead.field]?.includes(field) ?? false;
  }

  /**
   * What stands after WHERE. Only the columns of the index that leads are written plainly: `0 +` hides
   * the others from the planner, which would choose between indices by what it remembers of the table.
   */
  #matches(parameters: Parameters, lead: Term | undefined, lane: string | undefined): string {
    const { from, to } = this.#walk;
    const part = parameters.add(this.#part, 'int4');
    const isByKey = lead?.field === 'key';
    const all = [
      lead === undefined ? `(part + 0) = ${part}` : `${isByKey ? '(0 + part)' : 'part'} = ${part}`,
      ...this.#equalities(parameters, lead, lane),
    ];
    const sort = isByKey ? '(0 + sort)' : 'sort';
    if (from !== undefined) all.push(`${sort} >= ${parameters.add(from, 'int8')}`);
    if (to !== undefined) all.push(`${sort} <= ${parameters.add(to, 'int8')}`);
    return [...all, ...this.#afterStart(parameters, sort)].join(' AND ');
  }

  /** The same for what lies outside the bounds of `sort`; without a condition that leads, along the index of the other field. */
  #matchesOutside(parameters: Parameters, lead: Term | undefined): string {
    const { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER, orRange } = this.#walk;
    if (orRange === undefined) return 'false';
    const column = columnOf(orRange.field);
    const between = (shown: string, bounds: readonly number[]) =>
      `${shown} BETWEEN ${bounds.map((each) => parameters.add(each, 'int8')).join(' AND ')}`;
    return [
      `${lead?.field === 'key' ? '(0 + part)' : 'part'} = ${parameters.add(this.#part, 'int4')}`,
      ...this.#equalities(parameters, lead, undefined),
      between(lead === undefined ? column : `(0 + ${column})`, [orRange.from, orRange.to]),
      `NOT ${between('(0 + sort)', [from, to])}`,
      ...this.#afterStart(parameters, '(0 + sort)'),
    ].join(' AND ');
  }

  #equalities(
    parameters: Parameters,
    lead: Term | undefined,
    lane: string | undefined,
  ): readonly string[] {
    return this.#terms.map((term) => {
      const isLead = term === lead;
      if (isLead && lane !== undefined) return `${term.column} = ${lane}`;
      return equality(parameters, term, isLead || this.#isCompanion(term, lead));
    });
  }

  #afterStart(parameters: Parameters, sort: string): readonly string[] {
    const { after } = this.#walk;
    if (after === undefined) return [];
    const at = parameters.add(after.sort, 'int8');
    const key = parameters.add(escaped(after.key), 'text');
    return [`${sort} <= ${at} AND (sort < ${at} OR key > ${key})`];
  }
}

interface Wanted {
  readonly skip: number;
  readonly limit: number;
}

interface Scan {
  readonly lanes: string | undefined;
  readonly matches: string;
}

/** Places of parameters; `wanted` is both together, where it is needed. */
interface Window {
  readonly limit: string;
  readonly skip: string;
  readonly wanted: string;
}

function equality(
  parameters: Parameters,
  { field, column, values }: Term,
  isPlain: boolean,
): string {
  if (field === 'key') {
    const keys = values.map((value) => escaped(String(value)));
    return `${column} = ANY(${parameters.add(keys, 'text[]')})`;
  }
  const shown = isPlain ? column : `(0 + ${column})`;
  const [only] = values;
  return values.length === 1
    ? `${shown} = ${parameters.add(only, 'int8')}`
    : `${shown} = ANY(${parameters.add(values, 'int8[]')})`;
}
