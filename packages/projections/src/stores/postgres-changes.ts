/** The changes of a commit as statements on whole columns, in rounds that have each document once. */
import type { Change, CollectionSpec, Document, Place } from '../read-model-store.ts';
import { storedValue } from './field-values.ts';
import { integerArray, textArray } from './postgres-arrays.ts';
import type { Statement } from './postgres-database.ts';
import { columnOf, fieldsOf, type Tables } from './postgres-schema.ts';

/** The documents of one collection in a round, by what is done with them. */
interface Done {
  readonly make: Document[];
  readonly share: Document[];
  readonly replace: Document[];
  readonly remove: string[];
}

/** What a round does to each collection; no document is in it twice. */
type Round = Map<string, Done>;

export interface Changes {
  readonly rounds: readonly Round[];
  /** Partitions that a document is written in, each once. */
  readonly partitions: readonly string[];
  /** Those of them that walks go through. */
  readonly touched: readonly string[];
}

/** A document that is made twice in one commit. */
export class MadeTwice extends Error {
  readonly collection: string;
  readonly key: string;

  constructor(collection: string, key: string) {
    super(`${collection} has ${key} twice`);
    this.collection = collection;
    this.key = key;
  }
}

/**
 * Sorts changes into rounds. A document that is changed again begins another round, so that statements
 * on whole columns do what one change after another would. Throws `MadeTwice`.
 */
export function changesOf(
  specs: ReadonlyMap<string, CollectionSpec>,
  changes: readonly Change[],
): Changes {
  const partitions = new Set<string>();
  const touched = new Set<string>();
  let round: Round = new Map();
  let present = new Map<string, boolean>();
  const rounds = [round];
  for (const change of changes) {
    const { collection, before, after, shared = false } = change;
    const spec = specs.get(collection);
    if (spec === undefined) throw new RangeError(`no collection ${collection}`);
    const document = after ?? before;
    if (document === undefined) continue;
    if (spec.kind !== 'keyed') {
      const { partition } = placeOf(document);
      partitions.add(partition);
      if (spec.kind === 'walked') touched.add(partition);
    }
    const id = `${collection}/${document.key}`;
    const known = present.get(id);
    const isMade = before === undefined;
    if (isMade && known === true) {
      if (shared) continue;
      throw new MadeTwice(collection, document.key);
    }
    if (known !== undefined) {
      round = new Map();
      rounds.push(round);
      present = new Map();
    }
    present.set(id, after !== undefined);
    sortIn(doneIn(round, collection), change);
  }
  return { rounds, partitions: [...partitions], touched: [...touched] };
}

function sortIn(done: Done, { before, after, shared }: Change): void {
  if (after === undefined) done.remove.push(before?.key ?? '');
  else if (before !== undefined) done.replace.push(after);
  else if (shared === true) done.share.push(after);
  else done.make.push(after);
}

function doneIn(round: Round, collection: string): Done {
  let done = round.get(collection);
  if (done === undefined) {
    done = { make: [], share: [], replace: [], remove: [] };
    round.set(collection, done);
  }
  return done;
}

/** One statement, and what must have come of it. */
export interface Step extends Statement {
  readonly collection: string;
  readonly does: keyof Done;
  /** How many rows it must write; anything when absent. */
  readonly expected?: number;
  readonly keys: readonly string[];
}

export interface Target {
  readonly tables: Tables;
  readonly specs: ReadonlyMap<string, CollectionSpec>;
  readonly partitionIds: ReadonlyMap<string, number>;
}

/** The statements of a commit, in order. */
export function stepsOf({ rounds }: Changes, target: Target): readonly Step[] {
  return rounds.flatMap((round) =>
    [...round].flatMap(([collection, done]) => {
      const spec = target.specs.get(collection);
      return spec === undefined ? [] : stepsIn(spec, done, target);
    }),
  );
}

function stepsIn(spec: CollectionSpec, done: Done, target: Target): readonly Step[] {
  const table = target.tables.of(spec.name);
  const steps: Step[] = [];
  const step = (does: keyof Done, keys: readonly string[], statement: Statement) => {
    if (keys.length === 0) return;
    const expected = does === 'make' || does === 'replace' ? { expected: keys.length } : {};
    steps.push({ ...statement, isNamed: true, collection: spec.name, does, keys, ...expected });
  };
  const keysOf = (documents: readonly Document[]) => documents.map(({ key }) => key);
  step('remove', done.remove, {
    text: `DELETE FROM ${table} WHERE key = ANY($1::text[])`,
    values: [textArray(done.remove)],
  });
  for (const does of ['make', 'share'] as const) {
    step(does, keysOf(done[does]), inserting(table, columnsOf(spec, done[does], target)));
  }
  const moved = columnsOf(spec, done.replace, target).filter(({ name }) => mayChange(name));
  step('replace', keysOf(done.replace), replacing(table, moved));
  return steps;
}

/** A column of a table with its values, a document each. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly values: Buffer;
}

function columnsOf(
  spec: CollectionSpec,
  documents: readonly Document[],
  { partitionIds }: Target,
): readonly Column[] {
  const texts = (name: string, of: (document: Document) => string): Column => {
    return { name, type: 'text[]', values: textArray(documents.map(of)) };
  };
  const integers = (name: string, of: (document: Document) => bigint | number | null): Column => {
    return { name, type: 'int8[]', values: integerArray(documents.map(of)) };
  };
  const columns = [texts('key', ({ key }) => key), texts('body', ({ body }) => body)];
  if (spec.kind === 'keyed') return columns;
  columns.push(
    integers('part', (document) => {
      const { partition } = placeOf(document);
      const id = partitionIds.get(partition);
      if (id === undefined) throw new Error(`the partition ${partition} has no number`);
      return id;
    }),
  );
  if (spec.kind === 'dictionary') return columns;
  columns.push(integers('sort', (document) => placeOf(document).sort));
  for (const field of fieldsOf(spec)) {
    columns.push(
      integers(columnOf(field), (document) =>
        storedValue(spec, field, placeOf(document).fields[field]),
      ),
    );
  }
  return columns;
}

/** The place of a document never changes. */
function mayChange(column: string): boolean {
  return column !== 'part' && column !== 'sort';
}

function inserting(table: string, columns: readonly Column[]): Statement {
  const names = columns.map(({ name }) => name).join(', ');
  return {
    text: `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${parametersOf(columns)})
      ON CONFLICT DO NOTHING`,
    values: columns.map(({ values }) => values),
  };
}

/** Columns that keep their value cost nothing: whether an index has to know is judged by the values. */
function replacing(table: string, columns: readonly Column[]): Statement {
  const others = columns.filter(({ name }) => name !== 'key');
  return {
    text: `UPDATE ${table} t SET ${others.map(({ name }) => `${name} = u.${name}`).join(', ')}
      FROM unnest(${parametersOf(columns)}) AS u (${columns.map(({ name }) => name).join(', ')})
      WHERE t.key = u.key`,
    values: columns.map(({ values }) => values),
  };
}

function parametersOf(columns: readonly Column[]): string {
  return columns.map(({ type }, index) => `$${index + 1}::${type}`).join(', ');
}

function placeOf({ place }: Document): Place {
  if (place === undefined) throw new RangeError('a document to be walked needs a place');
  return place;
}
