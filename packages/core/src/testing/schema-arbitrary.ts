/** From a schema to an arbitrary: whatever a stored event may hold, so that none is forgotten. */
import fc from 'fast-check';
import type { z } from 'zod';
import { Minor } from '../kernel/event-schema.ts';

/** What the walk reads of a zod definition; the kinds that the events of this project are made of. */
interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
}

interface Check {
  readonly check: string;
  readonly value?: number;
  readonly inclusive?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly length?: number;
  readonly pattern?: RegExp;
}

/** Long lists and texts only cost time: what their limits allow beyond these is not tried. */
const LONGEST_LIST = 3;
const LONGEST_TEXT = 40;
const LARGEST_MINOR = 10n ** 20n;
const FIRST_DATE = new Date('1970-01-01T00:00:00.000Z');
const LAST_DATE = new Date('9999-12-31T23:59:59.999Z');

/** Values that a schema accepts, as they are inside (decoded). Throws on a kind it does not know. */
export function valuesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  if (schema === Minor) return fc.bigInt({ min: -LARGEST_MINOR, max: LARGEST_MINOR });
  const definition = schema.def as unknown as Definition;
  const checks = (definition.checks ?? []).map((check) => check._zod.def);
  switch (definition.type) {
    case 'string':
      return textsOf(definition, checks);
    case 'number':
      return numbersOf(definition, checks);
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(definition.entries ?? {}));
    case 'nullable':
      return fc.option(valuesOf(part(definition.innerType)));
    case 'array':
      return fc.array(valuesOf(part(definition.element)), {
        minLength: lowest(checks, 'min_length') ?? 0,
        maxLength: Math.min(LONGEST_LIST, longest(checks) ?? LONGEST_LIST),
      });
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(definition.shape ?? {}).map(([key, field]) => [key, valuesOf(field)]),
        ),
        { noNullPrototype: true },
      );
    default:
      throw new Error(`no arbitrary for a schema of type ${definition.type}`);
  }
}

function part(schema: z.ZodType | undefined): z.ZodType {
  if (schema === undefined) throw new Error('a schema without its inner part');
  return schema;
}

function longest(checks: readonly Check[]): number | undefined {
  return checks.find(({ check }) => check === 'max_length')?.maximum;
}

function lowest(checks: readonly Check[], name: string): number | undefined {
  return checks.find(({ check }) => check === name)?.minimum;
}

function textsOf({ format }: Definition, checks: readonly Check[]): fc.Arbitrary<string> {
  if (format === 'guid') return fc.uuid();
  if (format === 'datetime') {
    return fc
      .date({ min: FIRST_DATE, max: LAST_DATE, noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  const pattern = checks.find((check) => check.pattern !== undefined)?.pattern;
  if (pattern !== undefined) return fc.stringMatching(pattern);
  const exact = checks.find(({ check }) => check === 'length_equals')?.length;
  const max = longest(checks) ?? LONGEST_TEXT;
  if (exact !== undefined) return fc.string({ minLength: exact, maxLength: exact });
  // A code point may take two of the UTF-16 units that zod counts.
  const minLength = lowest(checks, 'min_length') ?? 0;
  const maxLength = Math.max(minLength, Math.floor(Math.min(max, LONGEST_TEXT) / 2));
  return fc.string({ minLength, maxLength, unit: 'binary' });
}

function numbersOf({ format }: Definition, checks: readonly Check[]): fc.Arbitrary<number> {
  const whole = format === 'safeint';
  const bound = (name: string) => checks.find(({ check }) => check === name);
  const least = bound('greater_than');
  const most = bound('less_than');
  if (whole) {
    return fc.integer({
      min: (least?.value ?? Number.MIN_SAFE_INTEGER) + (least?.inclusive === false ? 1 : 0),
      max: (most?.value ?? Number.MAX_SAFE_INTEGER) - (most?.inclusive === false ? 1 : 0),
    });
  }
  return fc
    .double({
      noNaN: true,
      noDefaultInfinity: true,
      ...(least?.value === undefined ? {} : { min: least.value, minExcluded: !least.inclusive }),
      ...(most?.value === undefined ? {} : { max: most.value, maxExcluded: !most.inclusive }),
    })
    .map((value) => (value === 0 ? 0 : value));
}
