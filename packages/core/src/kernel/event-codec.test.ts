/** Compiled or not, an event is judged and written the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalog, type Event } from '../catalog.ts';
import * as arbitraries from '../testing/arbitraries.ts';
import { codecOf, writtenSchema } from './event-codec.ts';
import { type EventSchema, event, Minor } from './event-schema.ts';

/** The first address of an email that is drawn takes seconds on a busy machine. */
const TIMEOUT_MS = 60_000;

/** As zod does without compiling anything. */
const plain = {
  read: ({ schema }: EventSchema, value: unknown) => z.safeDecode(schema, value as never),
  write({ schema }: EventSchema, value: unknown) {
    const { type: _, ...data } = value as Event;
    return z.safeEncode(schema, data as never);
  },
};

function written(known: EventSchema, value: unknown) {
  try {
    return { success: true, data: JSON.parse(JSON.stringify(codecOf(known).write(value))) };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { success: false };
  }
}

describe.each([...catalog])('%s', { timeout: TIMEOUT_MS }, (type, known) => {
  it('is compiled whole, both ways', () => {
    expect(() => z.compile(known.schema, { strict: true })).not.toThrow();
    expect(() => z.compile(writtenSchema(known), { strict: true })).not.toThrow();
  });

  it('is read and written as zod would', () => {
    fc.assert(
      fc.property(arbitraries.eventOf(type), (any) => {
        const expected = plain.write(known, any);
        expect(written(known, any)).toEqual(expected);
        expect(codecOf(known).read(expected.data)).toEqual(plain.read(known, expected.data));
      }),
      { numRuns: 20 },
    );
  });

  it('is refused as zod would, whatever one of its values becomes', () => {
    fc.assert(
      fc.property(arbitraries.eventOf(type), fc.nat(), wrong, (any, nth, value) => {
        const bad = replaced(any, nth, value);
        expect(written(known, bad).success).toBe(plain.write(known, bad).success);
        const stored = replaced(plain.write(known, any).data, nth, value);
        expect(codecOf(known).read(stored).success).toBe(plain.read(known, stored).success);
      }),
      { numRuns: 100 },
    );
  });
});

const wrong = fc.constantFrom<unknown>(
  ...[undefined, null, true, 0, -1, 7, 1.5, Number.NaN, 2 ** 60, 5n, 10n ** 30n, '', '-12'],
  ...['GBP', '1e3', 'x'.repeat(3_000), '2026-01-01T00:00:00.000Z', '2026-02-30T00:00:00.000Z'],
  ...['0192F000-0000-7000-8000-00000000000F', [], [1], {}, { amountMinor: 1n }, new Date(0)],
);

/** Another value in the nth place, of those that are taken and of one free place in each object. */
function replaced<Whole>(whole: Whole, nth: number, value: unknown): Whole {
  const copy = structuredClone(whole);
  const places = placesIn(copy);
  const place = places[nth % places.length];
  if (place !== undefined) place.holder[place.name] = value;
  return copy;
}

type Holder = Record<string, unknown>;

function placesIn(holder: unknown): { readonly holder: Holder; readonly name: string }[] {
  if (typeof holder !== 'object' || holder === null) return [];
  const taken = Object.keys(holder).filter((name) => name !== 'type');
  const names = Array.isArray(holder) ? taken : [...taken, 'more'];
  return names.flatMap((name) => [
    { holder: holder as Holder, name },
    ...placesIn((holder as Holder)[name]),
  ]);
}

it('writes what is in lists and what may be missing', () => {
  const known = event({ some: z.array(z.strictObject({ minor: Minor.nullable() })) });
  const some = [{ minor: 5n }, { minor: null }];
  expect(written(known, { type: 'Sample', some })).toEqual({
    success: true,
    data: { some: [{ minor: '5' }, { minor: null }] },
  });
});

it('takes no field of a kind that it could not write', () => {
  const known = event({ when: z.date() });
  expect(() => codecOf(known)).toThrow('date');
});
