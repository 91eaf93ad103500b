/** How an aggregate declares its events: one schema per type, from which type and codec both follow. */
import { z } from 'zod';
import type { StreamName } from './ids.ts';
import { SEALED, SUBJECT_FIELDS } from './personal-data.ts';

/** Minor units of a currency: a bigint inside, a decimal integer string in stored JSON. */
export const Minor = z.codec(z.string().regex(/^-?\d{1,24}$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (minor) => minor.toString(),
});

/** An instant: ISO 8601 in GMT with milliseconds, as `Date.toISOString` writes it. */
export const Instant = z.iso.datetime({ precision: 3 });

/** Turns the stored data of an older schema version into that of the next. */
export type Upcast = (data: Record<string, unknown>) => Record<string, unknown>;

/** The current schema of one event type, and the way up from each older version. */
export interface EventSchema<Shape extends z.core.$ZodLooseShape = z.core.$ZodLooseShape> {
  readonly schemaVersion: number;
  readonly schema: z.ZodObject<Shape, z.core.$strict>;
  /** `upcasts[0]` turns version 1 into version 2, and so on; its length is `schemaVersion - 1`. */
  readonly upcasts: readonly Upcast[];
  /** The personal fields, each with the value that is left once the person is erased. */
  readonly erased: ErasedFields<Shape>;
  readonly isPersonal: boolean;
}

/** Values that are the same in memory and in JSON: texts, numbers, null, empty lists. */
export type ErasedFields<Shape extends z.core.$ZodLooseShape> = Readonly<
  Partial<z.output<z.ZodObject<Shape, z.core.$strict>>>
>;

export type EventSchemas = Readonly<Record<string, EventSchema>>;

export interface EventDetails<Shape extends z.core.$ZodLooseShape> {
  readonly upcasts?: readonly Upcast[];
  /**
   * The personal fields; stored events have them encrypted, and have `customerId` and `sandbox` to
   * identify the person. After an erasure upcasts see these values too.
   */
  readonly erased?: ErasedFields<Shape>;
}

/** Declares an event in its current version. Stored names and meanings are never changed: add an upcast. */
export function event<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  details: EventDetails<Shape> = {},
): EventSchema<Shape> {
  const { upcasts = [], erased = {} as ErasedFields<Shape> } = details;
  const isPersonal = Object.keys(erased).length > 0;
  if (isPersonal) refuseWithoutSubject(shape, erased);
  const schema = z.strictObject(shape);
  return { schemaVersion: upcasts.length + 1, schema, upcasts, erased, isPersonal };
}

function refuseWithoutSubject(shape: z.core.$ZodLooseShape, erased: object): void {
  const missing = [...SUBJECT_FIELDS, ...Object.keys(erased)].filter((field) => !(field in shape));
  if (missing.length > 0) throw new Error(`a personal event lacks ${missing.join(', ')}`);
  const open = [SEALED, ...SUBJECT_FIELDS].filter((field) => field in erased);
  if (open.length > 0 || SEALED in shape) {
    throw new Error(`${SEALED}, ${SUBJECT_FIELDS.join(' and ')} cannot be personal fields`);
  }
}

/** The union of the events that a schema map declares, each tagged with its name. */
export type EventsOf<Schemas extends EventSchemas> = {
  [Type in keyof Schemas & string]: Readonly<{ type: Type } & z.output<Schemas[Type]['schema']>>;
}[keyof Schemas & string];

/** A stored event that this build does not know or cannot read. Names its stream and revision. */
export class DamagedEvent extends Error {
  override readonly name = 'DamagedEvent';
  readonly stream: StreamName;
  readonly revision: number;
  readonly eventType: string;

  constructor(at: { stream: StreamName; revision: number; type: string }, reason: string) {
    super(`event ${at.type} at ${at.stream}@${at.revision} cannot be read: ${reason}`);
    this.stream = at.stream;
    this.revision = at.revision;
    this.eventType = at.type;
  }
}
