/** Finds the network of a card by ranges of its first digits (BIN). */
import { z } from 'zod';

/** The longest prefix that networks assign. */
const PREFIX_LENGTH = 8;
const UNKNOWN_BRAND_ID = 0;

const Prefix = z.string().regex(/^\d{1,8}$/, 'must be 1 to 8 digits');

/** All numbers that begin with `first`, with `last`, or with a prefix of that length in between. */
export const BinRange: z.ZodType<BinRange> = z
  .strictObject({ first: Prefix, last: Prefix, cardBrandId: z.int().min(0).max(6) })
  .refine(
    ({ first, last }) => first.length === last.length && first <= last,
    'first and last must have the same length, and first must not come after last',
  );

export interface BinRange {
  readonly first: string;
  readonly last: string;
  /** 1 to 6 are NetworkA to NetworkF, 0 is Unknown. */
  readonly cardBrandId: number;
}

/** Configuration that replaces `DEFAULT_BIN_RANGES`. */
export const BinRanges: z.ZodType<readonly BinRange[]> = z.array(BinRange);

export const DEFAULT_BIN_RANGES: readonly BinRange[] = [
  { first: '4', last: '4', cardBrandId: 1 },
  { first: '51', last: '55', cardBrandId: 2 },
  { first: '2221', last: '2720', cardBrandId: 2 },
  { first: '34', last: '34', cardBrandId: 3 },
  { first: '37', last: '37', cardBrandId: 3 },
  { first: '6011', last: '6011', cardBrandId: 4 },
  { first: '644', last: '649', cardBrandId: 4 },
  { first: '65', last: '65', cardBrandId: 4 },
  { first: '3528', last: '3589', cardBrandId: 5 },
  { first: '36', last: '36', cardBrandId: 6 },
  { first: '38', last: '38', cardBrandId: 6 },
  { first: '300', last: '305', cardBrandId: 6 },
];

/** Returns the cardBrandId of a card number or BIN. */
export type CardBrandOf = (digits: string) => number;

/** Where ranges overlap, the longer prefix wins. */
export function cardBrands(ranges: readonly BinRange[] = DEFAULT_BIN_RANGES): CardBrandOf {
  const bySpecificity = ranges
    .toSorted((one, other) => other.first.length - one.first.length)
    .map(({ first, last, cardBrandId }) => ({
      from: first.padEnd(PREFIX_LENGTH, '0'),
      to: last.padEnd(PREFIX_LENGTH, '9'),
      cardBrandId,
    }));
  return (digits) => {
    const prefix = digits.slice(0, PREFIX_LENGTH).padEnd(PREFIX_LENGTH, '0');
    const range = bySpecificity.find(({ from, to }) => from <= prefix && prefix <= to);
    return range?.cardBrandId ?? UNKNOWN_BRAND_ID;
  };
}
