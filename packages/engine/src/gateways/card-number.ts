/** Local validation of a card: number, expiry and CVV. */
import type { CardDetails } from './payment-gateway.ts';

const MIN_LENGTH = 12;
const MAX_LENGTH = 19;
/** How many digits a card number has. */
export const CARD_NUMBER_LENGTH = { min: MIN_LENGTH, max: MAX_LENGTH } as const;
const VISIBLE_DIGITS = 4;
const CENTURY = 2000;
/** Later years are typing errors. */
const MAX_YEARS_AHEAD = 50;

/** Digits, with at most one space or dash between two. */
const AS_TYPED = /^\d(?:[ -]?\d)*$/;

/** Why a card is invalid: the field, never its content. */
export interface CardFault {
  readonly field: 'number' | 'expMonth' | 'expYear' | 'cvv';
  readonly detail: string;
}

/** A valid card, normalized: bare digits and a year of four digits. */
export type CheckedCard =
  | { readonly valid: true; readonly card: CardDetails }
  | { readonly valid: false; readonly faults: readonly CardFault[] };

/** Reports all faults, in the order number, expMonth, expYear, cvv. */
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

/** The bare digits of a typed card number; undefined when it is invalid. */
export function cardDigits(typed: string): string | undefined {
  // Checked first: avoids running the expression on very long texts.
  if (typed.length > 2 * MAX_LENGTH || !AS_TYPED.test(typed)) return undefined;
  const digits = typed.replace(/[ -]/g, '');
  const fits = digits.length >= MIN_LENGTH && digits.length <= MAX_LENGTH;
  return fits && passesLuhn(digits) ? digits : undefined;
}

/** Whether the last digit is the check digit of the others. */
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

/** A card is valid to the end of its month, in GMT. */
export function isExpired(
  { expMonth, expYear }: { readonly expMonth: number; readonly expYear: number },
  now: Date,
): boolean {
  // Months count from 0 here: this is the first instant of the next month.
  return now.getTime() >= Date.UTC(expYear, expMonth, 1);
}

export function isCvv(text: string): boolean {
  return /^\d{3,4}$/.test(text);
}

/**
 * A card number for errors and logs: its last four digits. An invalid number is masked completely, as it
 * may be a mistyped card number.
 */
export function maskCardNumber(typed: string): string {
  const digits = cardDigits(typed);
  return digits === undefined ? '****' : `****${digits.slice(-VISIBLE_DIGITS)}`;
}

/** `30` means 2030. */
function fullYear(year: number): number {
  return isWhole(year, 0, 99) ? CENTURY + year : year;
}

function isWhole(value: number, from: number, to: number): boolean {
  return Number.isInteger(value) && value >= from && value <= to;
}
