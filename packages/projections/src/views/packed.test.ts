/** The compact codec: objects that are written out are those that grow field by field. */
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
