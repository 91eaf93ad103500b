/** The compact codec: objects that are written out are those that grow field by field. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { packed } from './packed.ts';

const Line = z.strictObject({ name: z.string(), count: z.int().nullable() });
const Order = z.strictObject({
  id: z.string(),
  totalMinor: z.codec(z.string(), z.bigint(), { decode: BigInt, encode: String }),
  lines: z.array(Line),
});

const order = { id: 'one', totalMinor: 12n, lines: [{ name: 'tea', count: null }] };

it('reads what it has written, written out or not', () => {
  const growing = packed(Order);
  const writtenOut = packed(Order, ([id, totalMinor, lines]) => ({ id, totalMinor, lines }));
  expect(writtenOut.shape).toBe(growing.shape);
  const text = growing.encode(order);
  expect(text).toBe('["one","12",[["tea",null]]]');
  expect(writtenOut.encode(order)).toBe(text);
  expect(growing.decode(text)).toEqual(order);
  expect(writtenOut.decode(text)).toEqual(order);
});

it.each<[string, (values: readonly string[]) => object]>([
  ['a field of another place', ([totalMinor, id, lines]) => ({ id, totalMinor, lines })],
  ['another order', ([id, totalMinor, lines]) => ({ totalMinor, id, lines })],
  ['a field too few', ([id, totalMinor]) => ({ id, totalMinor })],
  ['a field too many', ([id, totalMinor, lines]) => ({ id, totalMinor, lines, more: 'more' })],
])('refuses an object with %s', (_, make) => {
  expect(() => packed(Order, make as never)).toThrow(RangeError);
});

const Flat = z.strictObject({
  text: z.string(),
  number: z.number(),
  isSo: z.boolean(),
  maybe: z.string().nullable(),
});
const flat = packed(Flat, ([text, number, isSo, maybe]) => ({ text, number, isSo, maybe }));

const nested = packed(
  z.strictObject({
    before: Flat.nullable(),
    lists: z.array(z.array(z.number())),
    amounts: z.array(Order.shape.totalMinor),
    inner: z.strictObject({ objects: z.array(Flat), after: z.string() }),
  }),
);

it('reads all objects that it has written', () => {
  const text = () =>
    fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'",[]\\\n1') }));
  const number = () =>
    fc.oneof(
      fc.integer(),
      fc.maxSafeNat().map((value) => value * 4_099),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
    );
  const objects = fc.record({
    text: text(),
    number: number(),
    isSo: fc.boolean(),
    maybe: fc.option(text()),
  });
  fc.assert(
    fc.property(objects, (object) => {
      expect(flat.decode(flat.encode(object))).toEqual(object);
    }),
  );
  const few = { maxLength: 3 };
  const nests = fc.record({
    before: fc.option(objects),
    lists: fc.array(fc.array(number(), few), few),
    amounts: fc.array(fc.bigInt()),
    inner: fc.record({ objects: fc.array(objects, few), after: text() }),
  });
  fc.assert(
    fc.property(nests, (nest) => {
      expect(nested.decode(nested.encode(nest))).toEqual(nest);
    }),
    { numRuns: 30 },
  );
});

it.each(['', '[', '[]', '["a",]', '["a', '["a" 1]', '["a",12', '["a",tru]', '["a",1]x', '["\\"'])(
  'refuses %s as text of an object',
  (text) => {
    expect(() => flat.decode(text)).toThrow(SyntaxError);
  },
);
