/** The quick reader knows every event of the catalog, and takes nothing of another shape. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { catalog } from '../catalog.ts';
import { Minor } from './event-schema.ts';
import { shapeReaderOf } from './shape-reader.ts';

it.each([...catalog])('can read a %s', (_, { schema }) => {
  expect(shapeReaderOf(schema)).toBeTypeOf('function');
});

const Sample = z.strictObject({
  name: z.string(),
  count: z.int().nullable(),
  on: z.boolean(),
  colour: z.enum(['red', 'green']),
  kind: z.literal('sample'),
  amounts: z.array(z.strictObject({ amountMinor: Minor })),
});
const sample = {
  name: 'x',
  count: null,
  on: true,
  colour: 'red',
  kind: 'sample',
  amounts: [{ amountMinor: '-12' }],
};

it('turns what the schema turns', () => {
  const read = shapeReaderOf(Sample)?.(structuredClone(sample));
  expect(read).toEqual(z.decode(Sample, sample as never));
});

it.each([
  ['text', { name: 1 }],
  ['a number', { count: '1' }],
  ['a boolean', { on: null }],
  ['a member', { colour: 'blue' }],
  ['the literal', { kind: 'example' }],
  ['a list', { amounts: {} }],
  ['an object in a list', { amounts: [[]] }],
  ['digits', { amounts: [{ amountMinor: '1.5' }] }],
  ['nothing else', { more: undefined }],
])('wants %s', (_, other) => {
  expect(shapeReaderOf(Sample)?.({ ...structuredClone(sample), ...other })).toBeUndefined();
});

it('leaves alone what it does not know', () => {
  expect(shapeReaderOf(z.strictObject({ when: z.date() }))).toBeUndefined();
});
