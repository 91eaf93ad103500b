/** Money: whole minor units inside, decimals on the wire, and no cent lost between them. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { currencyOf } from './currency.ts';

/** Largest amount taken from outside, in minor units: what a JSON number carries exactly. */
export const MAX_AMOUNT_MINOR = 999_999_999_999_999n;

export type MoneyRejection =
  | { readonly type: 'UnknownCurrency'; readonly currency: string }
  | { readonly type: 'NotAnAmount'; readonly amount: string }
  | {
      readonly type: 'TooManyDecimals';
      readonly amount: string;
      readonly currency: string;
      readonly exponent: number;
    }
  | { readonly type: 'AmountTooLarge'; readonly amount: string };

/** As many digits as the largest and the smallest double written out; what is longer is no amount. */
const DECIMAL = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?$/;
const EXPONENTIAL = /^(-?)(\d)(?:\.(\d+))?e([+-]\d{1,3})$/;

/**
 * Reads a wire amount (`12.5`, `"12.50"`) into minor units. Trailing zeros do not count as decimals;
 * any other digit beyond the currency's exponent is refused, never rounded.
 */
export function toMinor(amount: number | string, currency: string): Either<MoneyRejection, bigint> {
  const known = currencyOf(currency);
  if (known === undefined) return left({ type: 'UnknownCurrency', currency });
  const text = String(amount);
  const parts = DECIMAL.exec(typeof amount === 'number' ? plainDecimal(amount) : text);
  if (parts === null) return left({ type: 'NotAnAmount', amount: text });
  const [, sign, whole = '', decimals = ''] = parts;
  const fraction = withoutTrailingZeros(decimals);
  if (fraction.length > known.exponent) {
    return left({ type: 'TooManyDecimals', amount: text, currency, exponent: known.exponent });
  }
  const minor = BigInt(whole + fraction.padEnd(known.exponent, '0'));
  if (minor > MAX_AMOUNT_MINOR) return left({ type: 'AmountTooLarge', amount: text });
  return right(sign === '-' ? -minor : minor);
}

/** `500` is `5`, and `0` is nothing. */
export function withoutTrailingZeros(decimals: string): string {
  let end = decimals.length;
  while (decimals[end - 1] === '0') end -= 1;
  return decimals.slice(0, end);
}

/** `1e-7` is how JavaScript writes small and large numbers; this writes them out. */
export function plainDecimal(amount: number): string {
  const text = String(amount);
  const parts = EXPONENTIAL.exec(text);
  if (parts === null) return text;
  const [, sign = '', head = '', tail = '', power = '0'] = parts;
  const digits = head + tail;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Writes minor units as a decimal text with all the currency's digits: `1250n` GBP is `12.50`. */
export function toDecimal(minor: bigint, currency: string): string {
  const exponent = exponentOf(currency);
  const digits = (minor < 0n ? -minor : minor).toString().padStart(exponent + 1, '0');
  const sign = minor < 0n ? '-' : '';
  if (exponent === 0) return sign + digits;
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** Minor units as a JSON number in major units: the double nearest to the exact decimal. */
export function toMajor(minor: bigint, currency: string): number {
  const units = Number(minor);
  // Both are then exact, and a division is rounded correctly: the same double as by parsing the text.
  if (Number.isSafeInteger(units)) return units / 10 ** exponentOf(currency);
  return Number(toDecimal(minor, currency));
}

/** A number as `JSON.stringify` writes it where a double would round it: made by `JSON.rawJSON`. */
export interface RawNumber {
  readonly rawJSON: string;
}

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => RawNumber };

/**
 * Minor units as a JSON number in major units, exact at any size. For totals: a single amount is never
 * larger than a double holds.
 */
export function toExactMajor(minor: bigint, currency: string): number | RawNumber {
  return minor <= MAX_AMOUNT_MINOR && minor >= -MAX_AMOUNT_MINOR
    ? toMajor(minor, currency)
    : rawJSON(toDecimal(minor, currency));
}

/** The double nearest to a total, for calculations. */
export function nearestNumber(total: number | RawNumber): number {
  return typeof total === 'number' ? total : Number(total.rawJSON);
}

function exponentOf(currency: string): number {
  const known = currencyOf(currency);
  if (known === undefined) throw new RangeError(`not a currency of ISO 4217: ${currency}`);
  return known.exponent;
}

/** Percentages are kept as decimal texts with at most this many decimals. */
export const PERCENT_DECIMALS = 6;
const PERCENT = /^\d{1,3}(?:\.\d{1,6})?$/;

/**
 * `percent` of an amount (`"2.9"` is 2.9 %), rounded half to even in minor units.
 * Throws on a percentage that `merchant-account` would not have accepted.
 */
export function percentOf(minor: bigint, percent: string): bigint {
  if (!PERCENT.test(percent)) throw new RangeError(`not a percentage: ${percent}`);
  const [whole = '0', decimals = ''] = percent.split('.');
  const millionths = BigInt(whole + decimals.padEnd(PERCENT_DECIMALS, '0'));
  return divideHalfEven(minor * millionths, 100n * 10n ** BigInt(PERCENT_DECIMALS));
}

/** Division rounded to the nearest integer, ties to the even one. The divisor is positive. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n;
  const magnitude = negative ? -dividend : dividend;
  let quotient = magnitude / divisor;
  const twiceRest = 2n * (magnitude % divisor);
  if (twiceRest > divisor || (twiceRest === divisor && quotient % 2n === 1n)) quotient += 1n;
  return negative ? -quotient : quotient;
}

/**
 * Splits an amount by weights without losing or making a unit: shares are rounded towards zero, and
 * the units left over go one each to the shares with the largest remainders, the first ones first.
 */
export function allocate(minor: bigint, weights: readonly bigint[]): readonly bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  if (sum <= 0n || weights.some((weight) => weight < 0n)) {
    throw new RangeError('weights must be non-negative with a positive sum');
  }
  const sign = minor < 0n ? -1n : 1n;
  const magnitude = minor * sign;
  const shares = weights.map((weight) => (magnitude * weight) / sum);
  let rest = magnitude - shares.reduce((total, share) => total + share, 0n);
  const byRemainder = weights
    .map((weight, index) => ({ index, remainder: (magnitude * weight) % sum }))
    .sort((a, b) =>
      a.remainder === b.remainder ? a.index - b.index : a.remainder < b.remainder ? 1 : -1,
    );
  for (const { index } of byRemainder) {
    if (rest === 0n) break;
    shares[index] = (shares[index] ?? 0n) + 1n;
    rest -= 1n;
  }
  return shares.map((share) => share * sign);
}
