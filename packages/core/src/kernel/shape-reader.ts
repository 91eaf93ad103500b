/** Reads values of the shape of a zod schema, far faster than the schema: types are checked, ranges are not. */
import type { z } from 'zod';

/** Reads a value of JSON in place. Answers undefined when it has not the shape. */
export type ShapeReader = (value: unknown) => unknown;

/** What is read of a schema's definition. */
interface AnySchema {
  readonly def: {
    readonly type: string;
    readonly shape?: Readonly<Record<string, AnySchema>>;
    readonly element?: AnySchema;
    readonly innerType?: AnySchema;
    readonly entries?: Readonly<Record<string, string | number>>;
    readonly values?: readonly unknown[];
    readonly in?: AnySchema;
    readonly out?: AnySchema;
  };
}

const INTEGER_TEXT = /^-?\d+$/;

/**
 * The reader of a schema of strict objects, arrays, nullables, bigint codecs and plain values;
 * undefined for any other.
 */
export function shapeReaderOf(schema: z.ZodType): ShapeReader | undefined {
  return readerOf(schema as unknown as AnySchema);
}

function readerOf({ def }: AnySchema): ShapeReader | undefined {
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
      return (value) => (typeof value === def.type ? value : undefined);
    case 'enum':
      return def.entries === undefined ? undefined : memberOf(Object.values(def.entries));
    case 'literal':
      return def.values === undefined ? undefined : memberOf(def.values);
    case 'nullable':
      return def.innerType === undefined ? undefined : nullable(readerOf(def.innerType));
    case 'array':
      return def.element === undefined ? undefined : arrayOf(readerOf(def.element));
    case 'object':
      return def.shape === undefined ? undefined : objectOf(def.shape);
    case 'pipe':
      return def.in?.def.type === 'string' && def.out?.def.type === 'bigint' ? bigint : undefined;
    default:
      return undefined;
  }
}

function bigint(value: unknown): unknown {
  return typeof value === 'string' && INTEGER_TEXT.test(value) ? BigInt(value) : undefined;
}

function memberOf(members: readonly unknown[]): ShapeReader {
  const known = new Set(members);
  return (value) => (known.has(value) ? value : undefined);
}

function nullable(inner: ShapeReader | undefined): ShapeReader | undefined {
  return inner && ((value) => (value === null ? null : inner(value)));
}

function arrayOf(element: ShapeReader | undefined): ShapeReader | undefined {
  return (
    element &&
    ((values) => {
      if (!Array.isArray(values)) return undefined;
      for (let index = 0; index < values.length; index += 1) {
        const read = element(values[index]);
        if (read === undefined) return undefined;
        values[index] = read;
      }
      return values;
    })
  );
}

function objectOf(shape: Readonly<Record<string, AnySchema>>): ShapeReader | undefined {
  const fields: [name: string, read: ShapeReader][] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const read = readerOf(schema);
    if (read === undefined) return undefined;
    fields.push([name, read]);
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const object = value as Record<string, unknown>;
    for (const [name, readField] of fields) {
      const given = object[name];
      const read = readField(given);
      if (read === undefined) return undefined;
      if (read !== given) object[name] = read;
    }
    // All fields are there: with none beside them there are as many.
    return Object.keys(object).length === fields.length ? object : undefined;
  };
}
