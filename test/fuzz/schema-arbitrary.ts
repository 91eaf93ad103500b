/** Values that a JSON Schema of the document admits, as arbitraries of fast-check. */
import fc from 'fast-check';
import type { Documented } from '../http-host/documented.ts';

// biome-ignore lint/suspicious/noExplicitAny: schemas and values are whatever the document says
export type Json = any;

/** What to put at a place instead of what the schema alone would. */
export interface Override {
  /** `always` also where the schema does not ask for it. */
  readonly presence: 'as-schema' | 'always' | 'never';
  readonly values?: fc.Arbitrary<Json>;
}

/** By the place where the value stands: `/items/*\/UnitPrice` for a field of every element. */
export type Overrides = Readonly<Record<string, Override>>;

export const ABSENT: Override = { presence: 'never' };

export function always(values: fc.Arbitrary<Json>): Override {
  return { presence: 'always', values };
}

export function maybe(values: fc.Arbitrary<Json>): Override {
  return { presence: 'as-schema', values };
}

/** More elements are sent by a mutation that means to; an ordinary list is short. */
const USUAL_ELEMENTS = 4;
const UNBOUNDED_LENGTH = 40;

const MAX_SAFE = Number.MAX_SAFE_INTEGER;
/** Some longer numbers look like those of cards, and are refused. */
const NO_CARD = 99_999_999_999_999;

/** Fields that no schema knows: the host ignores them, whatever their names. */
const STRANGE_NAMES = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'x', '', 'ключ'];

export class SchemaArbitraries {
  readonly #documented: Documented;
  /** Texts by their schema: fast-check prepares for long before it makes the first one. */
  readonly #texts = new Map<string, fc.Arbitrary<string>>();

  constructor(documented: Documented) {
    this.#documented = documented;
  }

  /** The schema itself, references followed. */
  resolve(schema: Json): Json {
    return this.#documented.resolve(schema);
  }

  /** The values of a schema that stands at `place` of the whole. */
  of(schema: Json, overrides: Overrides = {}, place = ''): fc.Arbitrary<Json> {
    const given = overrides[place]?.values;
    if (given !== undefined) return given;
    const resolved = this.#documented.resolve(schema);
    if ('const' in resolved) return fc.constant(resolved.const);
    if (resolved.enum !== undefined) return fc.constantFrom(...resolved.enum);
    const options = optionsOf(resolved);
    const isGroup = resolved.properties !== undefined && !Array.isArray(resolved.type);
    if (options !== undefined && !isGroup) {
      return fc.oneof(...options.map((each: Json) => this.of(each, overrides, place)));
    }
    switch (resolved.type) {
      case 'object':
        return this.#objects(resolved, overrides, place);
      case 'array':
        return this.#arrays(resolved, overrides, place);
      case 'string':
        return this.#textsOf(resolved);
      case 'integer':
        return integers(resolved);
      case 'number':
        return numbers(resolved);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      default:
        return readableJson(2);
    }
  }

  #textsOf({ format, pattern, minLength, maxLength }: Json): fc.Arbitrary<string> {
    const schema = { format, pattern, minLength, maxLength };
    const key = JSON.stringify(schema);
    const made = this.#texts.get(key) ?? texts(schema);
    this.#texts.set(key, made);
    return made;
  }

  #objects(schema: Json, overrides: Overrides, place: string): fc.Arbitrary<Json> {
    if (schema.oneOf !== undefined) return this.#eitherOf(schema, overrides, place);
    const required: readonly string[] = schema.required ?? [];
    const fields = Object.entries<Json>(schema.properties ?? {}).filter(
      ([name]) => overrides[`${place}/${name}`]?.presence !== 'never',
    );
    const isAlways = (name: string) =>
      required.includes(name) || overrides[`${place}/${name}`]?.presence === 'always';
    const known = fc.record(
      Object.fromEntries(
        fields.map(([name, each]) => [name, this.of(each, overrides, `${place}/${name}`)]),
      ),
      {
        requiredKeys: fields.map(([name]) => name).filter(isAlways),
      },
    );
    if (schema.additionalProperties === false) return known;
    const { additionalProperties: more } = schema;
    const strange = fc.dictionary(
      fc.constantFrom(...namesOf(schema.propertyNames ?? {})),
      typeof more === 'object' ? this.of(more, overrides, `${place}/*`) : readableJson(1),
      { maxKeys: 2 },
    );
    return fc.oneof(
      { weight: 7, arbitrary: known },
      {
        weight: 1,
        arbitrary: fc.tuple(strange, known).map(([more, value]) => ({ ...more, ...value })),
      },
    );
  }

  /** Beside fields, alternatives say which of them is required, and the others are not sent. */
  #eitherOf({ oneOf, ...schema }: Json, overrides: Overrides, place: string): fc.Arbitrary<Json> {
    // The first member distinguishes a group.
    const groups: string[][] = oneOf.map(({ required }: Json) => required);
    const marks = groups.map(([mark]) => mark);
    const presenceOf = ([mark]: string[]) => overrides[`${place}/${mark}`]?.presence ?? 'as-schema';
    const open = groups.filter((group) => presenceOf(group) !== 'never');
    const asked = open.filter((group) => presenceOf(group) === 'always');
    return fc.oneof(
      ...(asked.length > 0 ? asked : open).map((group) => {
        const required = [...(schema.required ?? []), ...group];
        const properties = Object.fromEntries(
          Object.entries(schema.properties).filter(
            ([each]) => group.includes(each) || !marks.includes(each),
          ),
        );
        return this.#objects({ ...schema, required, properties }, overrides, place);
      }),
    );
  }

  #arrays(schema: Json, overrides: Overrides, place: string): fc.Arbitrary<Json> {
    return fc.array(this.of(schema.items ?? {}, overrides, `${place}/*`), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? USUAL_ELEMENTS, USUAL_ELEMENTS),
    });
  }
}

/** The alternatives of a schema: listed, or as a list of types; undefined where there are none. */
export function optionsOf(schema: Json): readonly Json[] | undefined {
  if (!Array.isArray(schema.type)) return schema.anyOf ?? schema.oneOf;
  return schema.type.map((type: string) => ({ ...schema, type }));
}

/** Halves of characters and the separators of lines: refused everywhere, beyond what a pattern says. */
const NOT_IN_TEXTS = /[\p{Cs}\u2028\u2029]/u;

function texts(schema: Json): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = UNBOUNDED_LENGTH, pattern } = schema;
  const fits = (text: string) =>
    !NOT_IN_TEXTS.test(text) &&
    [...text].length >= minLength &&
    [...text].length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, 'u').test(text));
  return textsBy(schema, { minLength, maxLength }).filter(fits);
}

function textsBy(
  { format, pattern }: Json,
  bounds: { minLength: number; maxLength: number },
): fc.Arbitrary<string> {
  switch (format) {
    case 'email':
      return fc.emailAddress();
    case 'uri':
      return fc.webUrl({ validSchemes: ['http', 'https'] });
    case 'uuid':
      return fc.uuid();
    case 'date':
      return days();
    case 'date-time':
      return fc
        .tuple(days(), fc.constantFrom('T00:00:00Z', 'T23:59:59.999999Z', 'T12:30:15+05:30'))
        .map((parts) => parts.join(''));
    case 'ipv4':
      return fc.ipV4();
    case 'ipv6':
      return fc.ipV6();
    default:
      // Almost any text fits a pattern that only rules out control characters.
      return pattern === undefined || pattern.startsWith('^[^\\x00-\\x1f')
        ? fc.oneof(
            fc.string({ ...bounds, unit: ANY_CHARACTER }),
            fc.string({ ...bounds, unit: 'grapheme' }),
            fc.constantFrom(...WORDS),
            fc.constant('x'.repeat(bounds.maxLength)),
          )
        : fc.stringMatching(new RegExp(pattern));
  }
}

/** Halves of characters among them, which are left out: no text in UTF-8 has them. */
const ANY_CHARACTER = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));

/** What has broken other services: quotes, templates, wildcards, numbers, names of the language. */
const WORDS = [
  '',
  ' ',
  "' OR 1=1 --",
  '%',
  '_',
  '\\',
  '*',
  '"',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '../../etc/passwd',
  '__proto__',
  'null',
  'NaN',
  '-0',
  '1e400',
  'ﷺ',
  '👩‍👩‍👧‍👦',
  'İstanbul',
  'ß',
  '\u202eabc',
  '\ufeff',
];

/** No body with a member `__proto__` is read at all: `raw-cases.ts` asks what becomes of those. */
function readableJson(maxDepth: number): fc.Arbitrary<Json> {
  return fc
    .jsonValue({ maxDepth })
    .filter((value) => !JSON.stringify(value).includes('"__proto__":'));
}

function days(): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2030, 0, 1) }),
      fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9999, 11, 31) }),
    )
    .map((at) => new Date(at).toISOString().slice(0, 10));
}

function namesOf({ enum: known = STRANGE_NAMES, pattern, minLength = 0 }: Json): string[] {
  const isMatched = (name: string) => pattern === undefined || new RegExp(pattern, 'u').test(name);
  return known.filter((name: string) => name.length >= minLength && isMatched(name));
}

function integers(schema: Json): fc.Arbitrary<number> {
  const { minimum = -MAX_SAFE, maximum = MAX_SAFE, exclusiveMinimum } = schema;
  const min = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1;
  return fc.oneof(
    fc.integer({ min, max: Math.max(min, Math.min(maximum, NO_CARD)) }),
    fc.integer({ min, max: Math.min(maximum, Math.max(min, 0) + 100) }),
    fc.constantFrom(min, maximum),
  );
}

function numbers(schema: Json): fc.Arbitrary<number> {
  const { exclusiveMinimum: above = Number.NEGATIVE_INFINITY, maximum: max = 1e300 } = schema;
  const { minimum: min = Math.max(above, -1e300) } = schema;
  return fc
    .oneof(
      fc.double({ min, max, noNaN: true }),
      fc
        .integer({ min: Math.max(min, -1_000_000), max: Math.min(max, 1_000_000) })
        .map((n) => n / 100),
      fc.constantFrom(...[min, max, 0, 1, 0.1].filter((each) => each >= min && each <= max)),
    )
    .filter((each) => each >= min && each > above && each <= max);
}
