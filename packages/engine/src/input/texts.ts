/** Texts, ids and days of bounded length: what every interface may send. */
import { MAX_EMAIL_LENGTH } from '@counterfoil/core';
import { z } from 'zod';

/** Excludes control characters, line separators and lone surrogates. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;

/** The same with a character that is not a space. */
const NAME = /^ *[^\s\p{Cc}\p{Cs}][^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;

/**
 * A string of bounded length. A longer one is not validated further, so that no pattern runs over a
 * megabyte.
 */
export function bounded(maxLength: number): z.ZodString {
  return z.string().max(maxLength, { abort: true });
}

export function text(maxLength: number) {
  return bounded(maxLength).regex(PRINTABLE, 'must not contain control characters');
}

/** A string that matches an expression; `detail` describes the form, after the name of the member. */
export function pattern(expression: RegExp, { max, detail }: { max: number; detail: string }) {
  return bounded(max).regex(expression, detail);
}

/** A text that says something: not empty, and not only spaces. */
export function name(maxLength: number) {
  return pattern(NAME, {
    max: maxLength,
    detail: 'must not be empty, nor hold control characters',
  });
}

const UUID_LENGTH = 36;
const DATE_LENGTH = 10;
const MAX_IP_LENGTH = 45;
/** Allows any number of decimals of a second. */
const MAX_INSTANT_LENGTH = 64;
const INSTANT_LENGTH = '2026-02-28T12:00:00.000Z'.length;

/** The form of the address is left to the use cases. */
export const EmailText = bounded(MAX_EMAIL_LENGTH);
export const Uuid = bounded(UUID_LENGTH).check(z.guid()).toLowerCase();
export const Id = z.int().positive();
export const Day = bounded(DATE_LENGTH).check(z.iso.date());
/** In GMT, as records have it. By its offset it may leave the years of four digits, which no record can hold. */
export const Instant = bounded(MAX_INSTANT_LENGTH)
  .check(z.iso.datetime({ offset: true }))
  .transform((at) => new Date(at).toISOString())
  .refine((at) => at.length === INSTANT_LENGTH, 'must be of the years 0000 to 9999, in GMT');
export const IpAddress = z.union([
  bounded(MAX_IP_LENGTH).check(z.ipv4()),
  bounded(MAX_IP_LENGTH).check(z.ipv6()),
]);
export const CurrencyCode = pattern(/^[A-Z]{3}$/, {
  max: 3,
  detail: 'must be three capital letters',
});
export const Month = pattern(/^(19|2\d)\d\d-(0[1-9]|1[0-2])$/, {
  max: 7,
  detail: 'must be a month such as 2026-02',
});

/** `dateFrom` after `dateTo` is an error, not an empty range. */
export function inOrder({
  dateFrom,
  dateTo,
}: {
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
}) {
  return dateFrom === undefined || dateTo === undefined || dateFrom <= dateTo;
}
export const IN_ORDER = { message: 'must not be after dateTo', path: ['dateFrom'] };

const LAST_DAY = '9999-12-31';
const DAY_MS = 86_400_000;

/** The instants of days, both included; nothing ends the last day that a date can name. */
export function spanOfDays({
  dateFrom,
  dateTo,
}: {
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
}) {
  const since = dateFrom && new Date(dateFrom).toISOString();
  const isOpen = dateTo === undefined || dateTo === LAST_DAY;
  const until = isOpen ? undefined : new Date(Date.parse(dateTo) + DAY_MS).toISOString();
  return { since, until };
}

/** `inOrder` of a range named `from` and `to`. */
export function daysInOrder({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return inOrder({ dateFrom: from, dateTo: to });
}
export const DAYS_IN_ORDER = { message: 'must not be after to', path: ['from'] };

/** Always names the same effect. Undefined, and nothing else, means a new one. */
export const IdempotencyKey = name(255);
export const keyed = { idempotencyKey: IdempotencyKey.optional() };
