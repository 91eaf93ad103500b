/** The data of an event between memory and stored JSON: both ways compiled by zod from the one schema. */
import { z } from 'zod';
import type { EventSchema } from './event-schema.ts';

/** Kinds of values that are the same in memory and in JSON. */
const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'enum', 'literal']);

type Data = Record<string, unknown>;

export interface EventCodec {
  /** From what JSON gave; validates all of it. */
  readonly read: (stored: unknown) => z.ZodSafeParseResult<Data>;
  /** From an event, its type beside its data, to what JSON takes; validates all of it, and throws. */
  readonly write: (event: unknown) => Data;
}

const codecs = new WeakMap<EventSchema, EventCodec>();

/** The codec of an event, compiled when it is first asked for: that takes a millisecond. */
export function codecOf(event: EventSchema): EventCodec {
  const known = codecs.get(event);
  if (known !== undefined) return known;
  const stored = z.compile(event.schema);
  const written = z.compile(writtenSchema(event));
  const codec: EventCodec = {
    read: (value) => stored.safeParse(value),
    write: (value) => written.parse(value) as Data,
  };
  codecs.set(event, codec);
  return codec;
}

/**
 * What decodes an event into its stored form, as `z.encode` encodes it: with the same checks on
 * each side of each codec. zod compiles what it decodes, not what it encodes, and looks twice at
 * all that it encodes.
 */
export function writtenSchema({ schema }: EventSchema): z.ZodType {
  // The type is kept beside the data. JSON leaves out what is undefined.
  const type = z.string().transform(() => undefined);
  return z.clone(schema, { ...schema.def, shape: { ...reversedShape(schema), type } });
}

function reversedShape({ shape }: { readonly shape: z.core.$ZodLooseShape }) {
  const fields = Object.entries(shape).map(([name, field]) => [name, reversed(field)]);
  return Object.fromEntries(fields) as Record<string, z.ZodType>;
}

function reversed(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodCodec) return z.invertCodec(schema);
  if (schema instanceof z.ZodObject) {
    return z.clone(schema, { ...schema.def, shape: reversedShape(schema) });
  }
  if (schema instanceof z.ZodArray) {
    return z.clone(schema, { ...schema.def, element: reversed(schema.element) });
  }
  if (schema instanceof z.ZodNullable) {
    return z.clone(schema, { ...schema.def, innerType: reversed(schema.unwrap()) });
  }
  const { type } = schema._zod.def;
  if (!PLAIN.has(type)) throw new Error(`an event cannot have a field of the kind ${type}`);
  return schema as z.ZodType;
}
