/** What a card form can know of a card without asking: its network, and whether its fields can be right. */

export interface Network {
  /** Prefixes, each as its first and last value; both of the same length. */
  readonly ranges: readonly (readonly [first: string, last: string])[];
  readonly lengths: readonly number[];
  readonly cvvLength: 3 | 4;
  /** Digits of the groups in which the number is shown. */
  readonly groups: readonly number[];
}

const FOURS = [4, 4, 4, 4, 3] as const;
const PLAIN = { lengths: [16], cvvLength: 3, groups: FOURS } as const;

/** The networks, by the names that the interface has for them. */
export const NETWORKS = {
  NetworkA: { ...PLAIN, ranges: [['4', '4']], lengths: [13, 16, 19] },
  NetworkB: {
    ...PLAIN,
    ranges: [
      ['51', '55'],
      ['2221', '2720'],
    ],
  },
  NetworkC: {
    ranges: [
      ['34', '34'],
      ['37', '37'],
    ],
    lengths: [15],
    cvvLength: 4,
    groups: [4, 6, 5],
  },
  NetworkD: {
    ...PLAIN,
    ranges: [
      ['6011', '6011'],
      ['644', '649'],
      ['65', '65'],
    ],
    lengths: [16, 19],
  },
  NetworkE: { ...PLAIN, ranges: [['3528', '3589']], lengths: [16, 19] },
  NetworkF: {
    ranges: [
      ['36', '36'],
      ['38', '38'],
      ['300', '305'],
    ],
    lengths: [14, 16, 19],
    cvvLength: 3,
    groups: [4, 6, 9],
  },
} as const satisfies Record<string, Network>;
export type NetworkName = keyof typeof NETWORKS;

const SHORTEST = 12;
const LONGEST = 19;

/** The network of a number or of its beginning; undefined while that is not clear. */
export function networkOf(digits: string): NetworkName | undefined {
  for (const [name, { ranges }] of Object.entries(NETWORKS)) {
    const isOne = ranges.some(
      ([first, last]) =>
        digits.length >= first.length &&
        digits.slice(0, first.length) >= first &&
        digits.slice(0, first.length) <= last,
    );
    if (isOne) return name as NetworkName;
  }
  return undefined;
}

function detailsOf(digits: string): Network | undefined {
  const name = networkOf(digits);
  return name && NETWORKS[name];
}

/** Digits as they stand in a text, as many as a card has at most. */
export function digitsOf(text: string): string {
  return text.replace(/\D/g, '').slice(0, LONGEST);
}

export function longestOf(digits: string): number {
  return Math.max(...(detailsOf(digits)?.lengths ?? [LONGEST]));
}

export function cvvLengthOf(digits: string): number | undefined {
  return detailsOf(digits)?.cvvLength;
}

/** In groups, with spaces between them. */
export function grouped(digits: string): string {
  const parts: string[] = [];
  let rest = digits;
  for (const length of detailsOf(digits)?.groups ?? FOURS) {
    if (rest !== '') parts.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return parts.join(' ');
}

export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits.at(-1 - index));
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled - (doubled > 9 ? 9 : 0);
  }
  return digits !== '' && sum % 10 === 0;
}

export type Fault = 'missing' | 'incomplete' | 'wrong' | 'past';

export function numberFault(digits: string): Fault | undefined {
  if (digits === '') return 'missing';
  const lengths = detailsOf(digits)?.lengths;
  const isComplete = lengths ? lengths.includes(digits.length) : digits.length >= SHORTEST;
  if (isComplete && passesLuhn(digits)) return undefined;
  return digits.length < Math.min(...(lengths ?? [SHORTEST])) ? 'incomplete' : 'wrong';
}

export interface Expiry {
  readonly expMonth: number;
  readonly expYear: number;
}

/** Of `12 / 30`, `12/2030` or `1230`; undefined of what is no month of a year. */
export function expiryOf(text: string): Expiry | undefined {
  const found = /^(\d{1,2})[/\-.]?(\d{2}|\d{4})$/.exec(text.replace(/\s/g, ''));
  if (found === null) return undefined;
  const expMonth = Number(found[1]);
  const year = Number(found[2]);
  const expYear = year < 100 ? 2000 + year : year;
  return expMonth >= 1 && expMonth <= 12 ? { expMonth, expYear } : undefined;
}

/** A card is good until the end of its month. */
export function expiryFault(text: string, now: Date): Fault | undefined {
  if (text.trim() === '') return 'missing';
  const expiry = expiryOf(text);
  if (expiry === undefined) return text.replace(/\D/g, '').length < 4 ? 'incomplete' : 'wrong';
  const { expMonth, expYear } = expiry;
  const present = now.getUTCFullYear() * 12 + now.getUTCMonth();
  return expYear * 12 + expMonth - 1 < present ? 'past' : undefined;
}

/** As it is typed: `1`, `12 / `, `12 / 3`. */
export function shownExpiry(text: string, isDeleting: boolean): string {
  const digits = text.replace(/\D/g, '').slice(0, 6);
  const padded = /^[2-9]/.test(digits) ? `0${digits}` : digits;
  if (isDeleting && padded.length <= 2) return padded;
  return padded.length < 2 ? padded : `${padded.slice(0, 2)} / ${padded.slice(2)}`;
}

export function cvvFault(cvv: string, digits: string): Fault | undefined {
  if (cvv === '') return 'missing';
  if (!/^\d+$/.test(cvv)) return 'wrong';
  const length = cvvLengthOf(digits);
  if (length === undefined) return cvv.length < 3 ? 'incomplete' : undefined;
  if (cvv.length === length) return undefined;
  return cvv.length < length ? 'incomplete' : 'wrong';
}
