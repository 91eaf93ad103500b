/** Card numbers that are found in text, and what only looks like them. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { luhnCheckDigit } from './card-number.ts';
import { holdsCardNumber } from './card-number-in-text.ts';

/** First digits that issuers have, with the length of the number. */
const ISSUED = [
  ['4', 13],
  ['4', 16],
  ['4', 19],
  ['52', 16],
  ['2600', 16],
  ['37', 15],
  ['36', 14],
  ['6011', 16],
  ['6212', 18],
  ['3530', 16],
  ['5018', 12],
  ['6763', 19],
] as const;

const digit = fc.integer({ min: 0, max: 9 });
const cardNumber = fc
  .tuple(fc.constantFrom(...ISSUED), fc.array(digit, { minLength: 18, maxLength: 18 }))
  .map(([[prefix, length], rest]) => {
    const body = (prefix + rest.join('')).slice(0, length - 1);
    return body + luhnCheckDigit(body);
  });

/** Zeros of scripts: ASCII, Arabic-Indic, Devanagari, full-width, bold, segmented. */
const zero = fc.constantFrom(0x30, 0x660, 0x966, 0xff10, 0x1d7ce, 0x1fbf0);
const separator = fc.constantFrom(
  ...[
    '',
    ' ',
    '-',
    '.',
    '/',
    '_',
    ':',
    ', ',
    '\u00a0',
    '\u200b',
    '\u2014',
    '\ufe0f\u20e3',
    '\u3164',
  ],
  ...['\u30fc', '\u00ad', '%20', '%C2%A0', ' \u{1f4b3} ', '\u0336', '*', '+', '(', '\n'],
);
/** Every digit by itself, or groups of four; the same separator throughout, or any in each gap. */
const written = fc
  .record({
    number: cardNumber,
    zero,
    separators: fc.oneof(
      separator.map((one) => Array<string>(19).fill(one)),
      fc.array(
        separator.filter((each) => each !== ''),
        { minLength: 19, maxLength: 19 },
      ),
    ),
    group: fc.constantFrom(1, 4),
  })
  .map(({ number, zero, separators, group }) =>
    [...number]
      .map((each, at) => {
        const gap = at > 0 && at % group === 0 ? separators[at] : '';
        return gap + String.fromCodePoint(zero + Number(each));
      })
      .join(''),
  );
const around = fc.constantFrom('', 'card ', 'No.', 'x', '(12) ', 'Пан', ' 7 ', 'ab1c', '"');

describe('a card number in a text', () => {
  it('is found in any digits, with any separators, anywhere', () => {
    fc.assert(
      fc.property(around, written, around, (before, number, after) => {
        expect(holdsCardNumber(before + number + after)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['behind zeros', '0000004242424242424242'],
    ['in circled digits', '④②④②④②④②④②④②④②④②'],
    ['in an address', 'https://shop.example/?q=%EF%BC%94242%20%2D4242-4242-4242'],
    ['behind a phone number', '+44 20 7946 0958, 4242 4242 4242 4242'],
    ['as a span of a trace', `00-${'a'.repeat(32)}-4242424242424242-01`],
  ])('is found %s', (_where, text) => {
    expect(holdsCardNumber(text)).toBe(true);
  });

  it('that is known is found within a longer number too', () => {
    expect(holdsCardNumber('14242424242424242')).toBe(false);
    expect(holdsCardNumber('14242 42424-2424242', ['4242424242424242'])).toBe(true);
  });
});

const MANY = { numRuns: 5_000 };
const decimals = (count: number) =>
  fc.array(digit, { minLength: count, maxLength: count }).map((digits) => digits.join(''));

describe('no card number', () => {
  test.each([
    ['a wrong check digit', '4242424242424241'],
    ['no issuer', '9999999999999995'],
    ['letters between', '4242x4242x4242x4242'],
    ['a place', '40.712776, -74.005974'],
    ['a fraction', '4.242424242424242'],
    ['a phone', '+49 151 12345678'],
    ['phones', '+4915112345678, +44 20 7946 0958'],
    ['too long', '42424242424242424242424242424242'],
    [
      'a browser',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    ],
    ['a UUID before a low line', '95e9aecc-69da-4192-9544-55503064589c_secret_Qa'],
    ['a UUID after one', 'order_95e9aecc-69da-4192-9544-55503064589c'],
    ['a digest after one', 'sha_4192954455503064589a4192954455503064589c'],
    ['nothing', ''],
  ])('%s', (_what, text) => {
    expect(holdsCardNumber(text)).toBe(false);
  });

  test.each([
    ['a UUID', fc.uuid()],
    [
      'a digest',
      fc
        .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 40, maxLength: 64 })
        .filter((text) => /[a-f]/.test(text)),
    ],
    [
      'a date and time',
      fc
        .date({ noInvalidDate: true, min: new Date('1970-01-01'), max: new Date('2199-12-31') })
        .map((at) => at.toISOString()),
    ],
    [
      'the same with a space',
      fc
        .date({ noInvalidDate: true, min: new Date('1970-01-01'), max: new Date('2199-12-31') })
        .map((at) => at.toISOString().slice(0, 23).replace('T', ' ')),
    ],
    ['milliseconds', fc.integer({ min: 1e12, max: 1.99e12 }).map(String)],
    ['microseconds', fc.integer({ min: 1e15, max: 1.99e15 }).map(String)],
    [
      'a phone number',
      fc
        .tuple(
          digit.filter((each) => each > 0),
          fc.integer({ min: 6, max: 14 }).chain(decimals),
        )
        .map(([first, rest]) => `+${first}${rest.replace(/(\d{3})(?=\d)/g, '$1 ')}`),
    ],
    ['a number of up to 11 digits', fc.integer({ min: 1, max: 11 }).chain(decimals)],
    [
      'a place',
      fc
        .tuple(
          fc.float({ noNaN: true, min: -90, max: 90 }),
          fc.float({ noNaN: true, min: -180, max: 180 }),
        )
        .map(([north, east]) => `${north.toFixed(6)}, ${east.toFixed(6)}`),
    ],
    [
      'a key of order and time',
      fc.tuple(fc.nat(9_999_999), fc.uuid()).map(([order, id]) => `order-${order}-${id}`),
    ],
  ] as [string, fc.Arbitrary<string>][])('%s', (_what, text) => {
    fc.assert(
      fc.property(text, (each) => {
        expect(holdsCardNumber(each)).toBe(false);
      }),
      MANY,
    );
  });

  it('nor any field of the sales of the demo', () => {
    const file = new URL(
      '../../../../examples/demo/data/online-retail-2010-12.csv.gz',
      import.meta.url,
    );
    const fields = gunzipSync(readFileSync(file)).toString('utf8').split(/[,\n]/);
    expect(fields.length).toBeGreaterThan(1_000);
    expect(fields.filter((text) => holdsCardNumber(text))).toEqual([]);
  });
});
