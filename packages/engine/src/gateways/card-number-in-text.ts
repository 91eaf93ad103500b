/** Finds card numbers in free text, in any script and with any separators, in linear time. */
import { CARD_NUMBER_LENGTH, passesLuhn } from './card-number.ts';

const { min: MIN_LENGTH, max: MAX_LENGTH } = CARD_NUMBER_LENGTH;

const anyOf = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const SIXTEEN_ON = anyOf(16, MAX_LENGTH);
const ALL = anyOf(MIN_LENGTH, MAX_LENGTH);

/**
 * First digits of issuers (ISO/IEC 7812-1) and the lengths of their numbers. Includes networks that the
 * ledger does not charge.
 */
const ISSUED: readonly (readonly [first: string, last: string, lengths: readonly number[]])[] = [
  ['4', '4', [13, 16, 18, 19]],
  ['51', '55', [16]],
  ['2221', '2720', [16]],
  ['34', '34', [15]],
  ['37', '37', [15]],
  ['300', '305', [14, ...SIXTEEN_ON]],
  ['3095', '3095', [14, ...SIXTEEN_ON]],
  ['36', '36', [14, ...SIXTEEN_ON]],
  ['38', '39', [14, ...SIXTEEN_ON]],
  ['3528', '3589', SIXTEEN_ON],
  ['6011', '6011', SIXTEEN_ON],
  ['62', '62', SIXTEEN_ON],
  ['644', '649', SIXTEEN_ON],
  ['65', '65', SIXTEEN_ON],
  ['636', '639', SIXTEEN_ON],
  ['2200', '2205', SIXTEEN_ON],
  ['5018', '5018', ALL],
  ['5020', '5020', ALL],
  ['5038', '5038', ALL],
  ['5893', '5893', ALL],
  ['6304', '6304', ALL],
  ['6759', '6759', ALL],
  ['6761', '6763', ALL],
  ['506099', '506198', [16, 18, 19]],
  ['507865', '507964', [16, 18, 19]],
  ['508', '508', [16]],
  ['6062', '6062', [16]],
  ['81', '82', [16]],
  ['8600', '8600', [16]],
  ['9792', '9792', [16]],
  ['9860', '9860', [16]],
];

const RANGES = Map.groupBy(ISSUED, ([first]) => first.charAt(0));

/** Digits that one character can become in NFKC, such as a circled 20. */
const DIGITS_A_CHARACTER = 2;

/**
 * A fast pre-check: whether the text has enough digits for a card number. Nearly every text of a
 * request has not.
 */
export function hasDigitsOfCard(text: string): boolean {
  if (text.length * DIGITS_A_CHARACTER < MIN_LENGTH) return false;
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) digits += DIGITS_A_CHARACTER;
    // A percent sign may begin the escape of a digit.
    else if ((code >= 0x30 && code <= 0x39) || code === 0x25) digits += 1;
    if (digits >= MIN_LENGTH) return true;
  }
  return false;
}

/**
 * Whether the text contains a card number: digits of any script, separated by anything but letters,
 * with an issuer's prefix and length, that pass the Luhn check. It begins and ends with a group of
 * digits. The numbers in `known` (bare digits) are found within longer groups as well.
 *
 * Excluded: UUIDs, hexadecimal digests, phone numbers with `+`, and one or two decimal fractions such as
 * coordinates.
 */
export function holdsCardNumber(text: string, known: readonly string[] = []): boolean {
  if (!hasDigitsOfCard(text) || ID.test(text)) return false;
  return withoutIds(inAscii(unescaped(text)))
    .split(LETTERS)
    .some((piece) => standsIn(piece, known));
}

const LETTERS = /[A-Za-z]+/;
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;
const NOT_ASCII = /[^\0-\x7f]/gu;
const DIGIT = /^\p{Nd}$/u;
const LETTER = /^\p{L}$/u;
/** Letters that act as separators: invisible ones, and marks such as the long vowel mark. */
const MARK = /^[\p{Lm}\p{DI}]$/u;
/** Most texts with as many digits are one. */
const ID = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/;
const UUID = /\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\b/g;
/** At least as long as an MD5. */
const DIGEST = /\b[0-9A-Fa-f]{32,}\b/g;
const HEX_LETTER = /[A-Fa-f]/;

/** Decodes percent escapes, as in a URL. */
function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ESCAPES, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return ' ';
    }
  });
}

/** Maps each digit to ASCII, each letter to a letter, anything else to itself or a space. */
function inAscii(text: string): string {
  // One character at a time: normalizing a long text is not linear.
  return text.replace(NOT_ASCII, (character) =>
    Array.from(character.normalize('NFKC'), asciiOf).join(''),
  );
}

function asciiOf(character: string): string {
  if (character <= '\x7f') return character;
  if (DIGIT.test(character)) return String(digitValue(character.codePointAt(0) ?? 0));
  return LETTER.test(character) && !MARK.test(character) ? 'x' : ' ';
}

/** Unicode orders the decimal digits of every script in runs of ten from zero. */
function digitValue(codePoint: number): number {
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(codePoint - before - 1))) before += 1;
  return before % 10;
}

function withoutIds(text: string): string {
  // To `\b` a low line is part of a word.
  const words = text.replaceAll('_', ' ');
  return words.replace(UUID, 'x').replace(DIGEST, (word) => (HEX_LETTER.test(word) ? 'x' : word));
}

/** Whether a text without letters contains a card number. */
function standsIn(piece: string, known: readonly string[]): boolean {
  const groups = piece.match(/\d+/g) ?? [];
  const digits = groups.join('');
  if (digits.length < MIN_LENGTH) return false;
  if (known.some((number) => digits.includes(number))) return true;
  if (arePhones(piece) || areDecimals(piece)) return false;
  return groupsHold(digits, groups);
}

function groupsHold(digits: string, groups: readonly string[]): boolean {
  let begin = 0;
  for (const [first, group] of groups.entries()) {
    const start = begin + paddingOf(group);
    const lengths = lengthsAt(digits, start);
    let end = begin;
    begin += group.length;
    for (let last = first; lengths.length > 0 && last < groups.length; last += 1) {
      end += groups[last]?.length ?? 0;
      if (end - start > MAX_LENGTH) break;
      if (lengths.includes(end - start) && passesLuhn(digits.slice(start, end))) return true;
    }
  }
  return false;
}

/** The leading zeros before a possible card number. */
function paddingOf(group: string): number {
  const zeros = group.length - group.replace(/^0+/, '').length;
  return group.length - zeros < MIN_LENGTH ? 0 : zeros;
}

/** The possible lengths of a card number that starts here. */
function lengthsAt(digits: string, start: number): readonly number[] {
  const ranges = RANGES.get(digits.charAt(start)) ?? [];
  return ranges.flatMap(([first, last, lengths]) => {
    const prefix = digits.slice(start, start + first.length);
    return first <= prefix && prefix <= last ? lengths : [];
  });
}

/** ITU-T E.164: at most 15 digits. At least seven for an international number. */
const PHONE_DIGITS = { min: 7, max: 15 };

/** Whether the text is only phone numbers, each with `+`. */
function arePhones(piece: string): boolean {
  const [before = '', ...phones] = piece.split('+');
  return (
    phones.length > 0 &&
    !/\d/.test(before) &&
    phones.every((phone) => {
      const { length } = phone.replace(/\D/g, '');
      return /^\d/.test(phone) && length >= PHONE_DIGITS.min && length <= PHONE_DIGITS.max;
    })
  );
}

/** Whether the text is one or two decimal fractions (coordinates). */
function areDecimals(piece: string): boolean {
  const numbers = piece.split(/[^\d.]+/).filter((each) => each !== '');
  return numbers.length <= 2 && numbers.every((each) => /^\d{1,3}\.\d+$/.test(each));
}
