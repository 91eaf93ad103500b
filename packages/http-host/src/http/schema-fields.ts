/** Flattens a JSON Schema into rows: one per field, nested ones under dotted names. */
import { counted } from '@counterfoil/engine';
import type { OpenApiDocument } from './openapi.ts';

/** The subset of JSON Schema that zod emits. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** One row of a table of fields. */
export interface Field {
  /** `items[].Quantity` for a field of the elements of a list. */
  readonly name: string;
  /** Of a parameter: path, query or header. */
  readonly where?: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** Deeper fields are left to the document; a schema may also be recursive. */
const MAX_DEPTH = 4;

const MAX_SAFE = Number.MAX_SAFE_INTEGER;

/** The schemas of a document by reference. */
export class Schemas {
  readonly #byRef: ReadonlyMap<string, Schema>;

  constructor(document: OpenApiDocument) {
    this.#byRef = new Map(
      Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => [
        `#/components/schemas/${name}`,
        schema as Schema,
      ]),
    );
  }

  /** Resolves a `$ref`; keywords beside it (a description) take precedence. */
  resolve(schema: Schema): Schema {
    const target = schema.$ref === undefined ? undefined : this.#byRef.get(schema.$ref);
    return target === undefined ? schema : { ...this.resolve(target), ...withoutRef(schema) };
  }

  /** The type in short: `integer`, `string (date-time) or null`, `list of string`. */
  typeOf(schema: Schema): string {
    const { type, format, anyOf, oneOf, enum: values, const: value, items } = this.resolve(schema);
    if (value !== undefined) return JSON.stringify(value);
    if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' | ');
    const options = anyOf ?? (type === undefined ? oneOf : undefined);
    if (options !== undefined) {
      return [...new Set(options.map((option) => this.typeOf(option)))].join(' or ');
    }
    if (items !== undefined) return `list of ${this.typeOf(items)}`;
    const name = typeof type === 'string' ? type : (type?.join(' or ') ?? 'any');
    return format === undefined ? name : `${name} (${format})`;
  }

  /** The given example, or one assembled from those of the fields. */
  example(schema: Schema | undefined, depth = 0): unknown {
    if (schema === undefined) return undefined;
    const { example, examples, properties, required, items, ...rest } = this.resolve(schema);
    if (example !== undefined) return example;
    if (examples?.[0] !== undefined) return examples[0];
    if (properties !== undefined && depth < MAX_DEPTH) {
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([name, each]) => required?.includes(name) || this.#hasExample(each))
          .map(([name, each]) => [name, this.example(each, depth + 1)]),
      );
    }
    if (items !== undefined) return [this.example(items, depth + 1)];
    return placeholder(this.resolve(rest.anyOf?.[0] ?? rest.oneOf?.[0] ?? rest));
  }

  #hasExample(schema: Schema): boolean {
    const { example, examples } = this.resolve(schema);
    return example !== undefined || examples !== undefined;
  }
}

/** The rows of an object's fields, or of a list's elements; none for other types. */
export function fieldsOf(schema: Schema | undefined, schemas: Schemas): Field[] {
  return schema === undefined ? [] : rowsOf(schema, { prefix: '', depth: 0, schemas });
}

interface Walk {
  readonly prefix: string;
  readonly depth: number;
  readonly schemas: Schemas;
}

function rowsOf(schema: Schema, { prefix, depth, schemas }: Walk): Field[] {
  if (depth === MAX_DEPTH) return [];
  const resolved = schemas.resolve(schema);
  if (resolved.items !== undefined) {
    return rowsOf(resolved.items, {
      prefix: prefix === '' ? '[].' : prefix.replace(/\.$/, '[].'),
      depth,
      schemas,
    });
  }
  // Alternatives beside fields only say which of them are required.
  const parts = resolved.allOf ?? resolved.anyOf ?? resolved.oneOf;
  if (parts !== undefined && resolved.properties === undefined) {
    const rows = parts.flatMap((part) => rowsOf(part, { prefix, depth, schemas }));
    return [...new Map(rows.map((row) => [row.name, row])).values()];
  }
  return Object.entries(resolved.properties ?? {}).flatMap(([name, each]) => [
    {
      name: prefix + name,
      type: schemas.typeOf(each),
      required: resolved.required?.includes(name) ?? false,
      description: descriptionOf(schemas.resolve(each)),
    },
    ...rowsOf(each, { prefix: `${prefix}${name}.`, depth: depth + 1, schemas }),
  ]);
}

/** The description, followed by the bounds. */
function descriptionOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema;
  const bounds: string[] = [];
  if (minimum !== undefined && minimum > -MAX_SAFE) bounds.push(`at least ${minimum}`);
  if (maximum !== undefined && maximum < MAX_SAFE) bounds.push(`at most ${maximum}`);
  if (minLength !== undefined && minLength > 1)
    bounds.push(`at least ${counted(minLength, 'character')}`);
  if (maxLength !== undefined) bounds.push(`at most ${counted(maxLength, 'character')}`);
  if (maxItems !== undefined) bounds.push(`at most ${counted(maxItems, 'element')}`);
  if (schema.default !== undefined) bounds.push(`default ${JSON.stringify(schema.default)}`);
  return [schema.description, bounds.join(', ')].filter((text) => !!text).join(' · ');
}

const PLACEHOLDERS: Readonly<Record<string, unknown>> = {
  string: 'text',
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'agent@example.com',
  uuid: '01980a3c-5b1e-7c1f-8d5a-2f6b7c8d9e0f',
  'date-time': '2025-01-31T12:00:00Z',
  date: '2025-01-31',
  uri: 'https://example.com/',
};

function placeholder({ type, format, enum: values, const: value }: Schema): unknown {
  if (value !== undefined) return value;
  if (values !== undefined) return values[0];
  if (format !== undefined && FORMATS[format] !== undefined) return FORMATS[format];
  return PLACEHOLDERS[(typeof type === 'string' ? type : type?.[0]) ?? 'string'] ?? null;
}

function withoutRef({ $ref: _, ...rest }: Schema): Schema {
  return rest;
}
