/** What can be said about a card before anyone is asked: its number, its month, its cvv. */
import type { CardDetails } from './payment-gateway.ts';

const MIN_LENGTH = 12;
const MAX_LENGTH = 19;
/** How many digits a card number has. */
export const CARD_NUMBER_LENGTH = { min: MIN_LENGTH, max: MAX_LENGTH } as const;
const VISIBLE_DIGITS = 4;
const CENTURY = 2000;
/** No issuer prints a month further away; it is a slip of the keyboard. */
const MAX_YEARS_AHEAD = 50;

/** Digits, with at most one space or dash between two of them. */
const AS_TYPED = /^\d(?:[ -]?\d)*$/;

/** Why a card cannot be right. Says which field, never what was in it. */
export interface CardFault {
  readonly field: 'number' | 'expMonth' | 'expYear' | 'cvv';
  readonly detail: string;
}

/** A card that could exist, in one spelling: bare digits and a year of four digits. */
export type CheckedCard =
  | { readonly valid: true; readonly card: CardDetails }
  | { readonly valid: false; readonly faults: readonly CardFault[] };

/** Finds every fault at once, in the order number, expMonth, expYear, cvv. */
export function checkCard(card: CardDetails, now: Date): CheckedCard {
  const number = cardDigits(card.number);
  const expYear = fullYear(card.expYear);
  const faults: CardFault[] = [];
  if (number === undefined) faults.push({ field: 'number', detail: 'is not a card number' });
  const inCalendar = isWhole(card.expMonth, 1, 12);
  if (!inCalendar) faults.push({ field: 'expMonth', detail: 'must be a month from 1 to 12' });
  if (!isWhole(expYear, CENTURY, now.getUTCFullYear() + MAX_YEARS_AHEAD)) {
    faults.push({ field: 'expYear', detail: 'is not a year that a card can bear' });
  } else if (inCalendar && isExpired({ expMonth: card.expMonth, expYear }, now)) {
    faults.push({ field: 'expYear', detail: 'the card has expired' });
  }
  if (!isCvv(card.cvv)) faults.push({ field: 'cvv', detail: 'must be 3 or 4 digits' });
  return number === undefined || faults.length > 0
    ? { valid: false, faults }
    : { valid: true, card: { ...card, number, expYear } };
}

/** The bare digits of a card number as typed; undefined when it cannot be one. */
export function cardDigits(typed: string): string | undefined {
  // Before the expression runs: nobody types this much, and a megabyte is not worth a look.
  if (typed.length > 2 * MAX_LENGTH || !AS_TYPED.test(typed)) return undefined;
  const digits = typed.replace(/[ -]/g, '');
  const fits = digits.length >= MIN_LENGTH && digits.length <= MAX_LENGTH;
  return fits && passesLuhn(digits) ? digits : undefined;
}

/** Whether the last of the digits is the check digit of the others. */
export function passesLuhn(digits: string): boolean {
  return luhnSum(digits, 1) % 10 === 0;
}

/** The digit that makes `digits` followed by it pass the Luhn check. */
export function luhnCheckDigit(digits: string): string {
  return String((10 - (luhnSum(digits, 2) % 10)) % 10);
}

/** ISO/IEC 7812-1, annex B; `lastWeight` is 1 when the last digit is the check digit, else 2. */
function luhnSum(digits: string, lastWeight: 1 | 2): number {
  let sum = 0;
  let doubled = lastWeight === 2;
  for (let index = digits.length - 1; index >= 0; index -= 1) {
    const digit = digits.charCodeAt(index) - 48;
    const weighed = doubled ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
    doubled = !doubled;
  }
  return sum;
}

/** A card is good to the end of its month, in GMT. */
export function isExpired(
  { expMonth, expYear }: { readonly expMonth: number; readonly expYear: number },
  now: Date,
): boolean {
  // Months count from 0 here, so that this is the first instant of the month after.
  return now.getTime() >= Date.UTC(expYear, expMonth, 1);
}

export function isCvv(text: string): boolean {
  return /^\d{3,4}$/.test(text);
}

/**
 * What an error or a log may show of a card number: its last four digits, and of anything that is
 * no card number nothing, for a mistyped number is still nearly the number.
 */
export function maskCardNumber(typed: string): string {
  const digits = cardDigits(typed);
  return digits === undefined ? '****' : `****${digits.slice(-VISIBLE_DIGITS)}`;
}

/** `30` means 2030, as it is embossed. */
function fullYear(year: number): number {
  return isWhole(year, 0, 99) ? CENTURY + year : year;
}

function isWhole(value: number, from: number, to: number): boolean {
  return Number.isInteger(value) && value >= from && value <= to;
}
