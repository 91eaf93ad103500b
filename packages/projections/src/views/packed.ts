/** A compact JSON for values of a zod schema: arrays in the order of the schema's fields, no names. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';

/** Writes and reads values of one schema. What it reads it has written: nothing is validated again. */
export interface Packed<Value> {
  readonly encode: (value: Value) => string;
  readonly decode: (text: string) => Value;
  /** Changes with the names, the order or the types of the fields: text of another shape is not readable. */
  readonly shape: string;
}

/** How one type is converted; `undefined` where JSON has it as it is. */
interface Turn {
  readonly pack: (value: never) => unknown;
  readonly unpack: (packed: never) => unknown;
}

interface Described {
  readonly turn: Turn | undefined;
  readonly shape: string;
  /** Of an object whose fields are all written as they are, without arrays or objects: how many there are. */
  readonly flatFields?: number | undefined;
}

/** Hex digits of a shape's digest. */
const SHAPE_DIGITS = 12;

/** Makes an object of the values of its fields, in their order. */
// biome-ignore lint/suspicious/noExplicitAny: each value has the type of the field that it becomes
type Make<Value> = (values: readonly any[]) => Value;

/**
 * Makes the compact codec of a schema of objects, arrays, nullables, bigint codecs and plain JSON
 * values. A third of the size of named JSON and twice as fast to read: a read model keeps millions.
 * `make` writes the object out, for what is read most: one that grows field by field costs three times as
 * much. Throws a `RangeError` where it has other fields than the schema, or has them in another order.
 */
export function packed<Schema extends z.ZodType>(
  schema: Schema,
  make?: Make<z.output<Schema>>,
): Packed<z.output<Schema>> {
  const { turn, shape, flatFields } = describe(schema as unknown as AnySchema, make);
  const digest = createHash('sha256').update(shape).digest('hex').slice(0, SHAPE_DIGITS);
  const read = flatFields === undefined ? JSON.parse : (text: string) => readFlat(text, flatFields);
  return {
    encode: (value) => JSON.stringify(turn === undefined ? value : turn.pack(value as never)),
    decode: (text) => {
      const value: unknown = read(text);
      return (turn === undefined ? value : turn.unpack(value as never)) as z.output<Schema>;
    },
    shape: digest,
  };
}

/** What is read of a schema's definition. */
interface AnySchema {
  readonly def: {
    readonly type: string;
    readonly shape?: Readonly<Record<string, AnySchema>>;
    readonly element?: AnySchema;
    readonly innerType?: AnySchema;
    readonly out?: AnySchema;
  };
}

const BIGINT: Turn = {
  pack: (value: bigint) => value.toString(),
  unpack: (text: string) => BigInt(text),
};
const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'enum', 'literal']);

function describe({ def }: AnySchema, make?: Make<unknown>): Described {
  if (PLAIN.has(def.type)) return { turn: undefined, shape: def.type };
  if (def.type === 'object' && def.shape !== undefined) return describeObject(def.shape, make);
  if (def.type === 'array' && def.element !== undefined) return describeArray(def.element);
  if (def.type === 'nullable' && def.innerType !== undefined) {
    const { turn, shape } = describe(def.innerType);
    return { turn: turn === undefined ? undefined : orNull(turn), shape: `${shape}?` };
  }
  if (def.type === 'pipe' && def.out?.def.type === 'bigint')
    return { turn: BIGINT, shape: 'bigint' };
  throw new RangeError(`a ${def.type} cannot be packed`);
}

function orNull({ pack, unpack }: Turn): Turn {
  return {
    pack: (value) => (value === null ? null : pack(value)),
    unpack: (value) => (value === null ? null : unpack(value)),
  };
}

function describeArray(element: AnySchema): Described {
  const { turn, shape } = describe(element);
  if (turn === undefined) return { turn: undefined, shape: `[${shape}]` };
  const { pack, unpack } = turn;
  return {
    turn: {
      pack: (values: readonly never[]) => values.map((value) => pack(value)),
      unpack: (values: readonly never[]) => values.map((value) => unpack(value)),
    },
    shape: `[${shape}]`,
  };
}

function describeObject(
  fields: Readonly<Record<string, AnySchema>>,
  make?: Make<unknown>,
): Described {
  const entries = Object.entries(fields).map(([name, schema]) => ({ name, ...describe(schema) }));
  const shape = `{${entries.map(({ name, shape }) => `${name}:${shape}`).join(',')}}`;
  const names = entries.map(({ name }) => name);
  const turned = entries.flatMap(({ turn }, at) => (turn === undefined ? [] : [{ at, turn }]));
  if (make !== undefined) checkMade(make, names);
  const made = make ?? growing(names);
  const isFlat = turned.length === 0 && entries.every(({ shape }) => !shape.startsWith('['));
  const flatFields = isFlat ? names.length : undefined;
  return {
    turn: { pack: packing(names, turned), unpack: unpacking(made, turned) },
    shape,
    flatFields,
  };
}

/** A field that JSON does not hold as it is, by its place in the array. */
interface TurnedField {
  readonly at: number;
  readonly turn: Turn;
}

/** Each field has to take the value in its own place. */
function checkMade(make: Make<unknown>, names: readonly string[]): void {
  const made = Object.entries(make(names) as object);
  const isInPlace = made.every(([name, value], at) => name === names[at] && value === name);
  if (made.length === names.length && isInPlace) return;
  throw new RangeError('an object that is written out has other fields than its schema');
}

function growing(names: readonly string[]): Make<unknown> {
  return (values) => {
    const value: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at += 1) value[names[at] as string] = values[at];
    return value;
  };
}

function unpacking(make: Make<unknown>, turned: readonly TurnedField[]): Turn['unpack'] {
  return (values: unknown[]) => {
    for (const { at, turn } of turned) values[at] = turn.unpack(values[at] as never);
    return make(values);
  };
}

function packing(names: readonly string[], turned: readonly TurnedField[]): Turn['pack'] {
  return (value: Readonly<Record<string, unknown>>) => {
    const values = names.map((name) => value[name]);
    for (const { at, turn } of turned) values[at] = turn.pack(values[at] as never);
    return values;
  };
}

const QUOTE = '"'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);
/** Integers of so many digits are exact. */
const MAX_DIGITS = 15;
/** The first letters of `true`, `false` and `null`. */
const [T, F, N] = [...'tfn'].map((letter) => letter.charCodeAt(0));

/**
 * Reads an array of texts, numbers, booleans and nulls as `JSON.stringify` has written it, in a third of
 * the time of `JSON.parse`, which looks each short text up in a table of all that there are. Leaves to it
 * what has escapes, fractions or negative numbers.
 */
function readFlat(text: string, fields: number): unknown {
  // Of its full length: an array that grows is copied several times.
  const values: unknown[] = new Array(fields);
  let count = 0;
  const end = text.length - 1;
  const isArray = text[0] === '[' && text[end] === ']' && text[end - 1] !== ',';
  if (!isArray || text.includes('\\')) return JSON.parse(text);
  for (let at = 1; at < end; at += 1) {
    const first = text.charCodeAt(at);
    let value: unknown;
    if (first === QUOTE) {
      const close = text.indexOf('"', at + 1);
      value = text.slice(at + 1, close);
      at = close + 1;
    } else if (first >= ZERO && first <= NINE) {
      let number = first - ZERO;
      const start = at;
      for (at += 1; ; at += 1) {
        const digit = text.charCodeAt(at) - ZERO;
        if (!(digit >= 0 && digit <= 9)) break;
        number = number * 10 + digit;
      }
      if (at - start > MAX_DIGITS) return JSON.parse(text);
      value = number;
    } else if (first === N && text.startsWith('null', at)) {
      value = null;
      at += 'null'.length;
    } else if (first === F && text.startsWith('false', at)) {
      value = false;
      at += 'false'.length;
    } else if (first === T && text.startsWith('true', at)) {
      value = true;
      at += 'true'.length;
    } else {
      return JSON.parse(text);
    }
    if (text.charCodeAt(at) !== COMMA && at !== end) return JSON.parse(text);
    values[count] = value;
    count += 1;
  }
  return count === fields ? values : JSON.parse(text);
}
