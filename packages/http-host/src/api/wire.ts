/** What the JSON of several slices has in common: amounts, ids, text, and who is calling. */
import {
  isEmail,
  MAX_AMOUNT_MINOR,
  MAX_EMAIL_LENGTH,
  type Transaction,
  type TransactionId,
  toDecimal,
  toMinor,
} from '@counterfoil/core';
import { type Caller, idOfKey } from '@counterfoil/engine';
import { z } from 'zod';
import type { Principal, RequestContext } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';

/** No control characters, line separators or halves of characters: nothing that could break a line or a file. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;

/**
 * A string of bounded length. What is too long is not looked at any further, so that no pattern
 * ever runs over a megabyte; `endpoint` refuses a schema with a pattern that is not bounded so.
 */
export function bounded(maxLength: number): z.ZodString {
  return z.string().max(maxLength, { abort: true });
}

export function text(maxLength: number) {
  return bounded(maxLength).regex(PRINTABLE, 'must not contain control characters');
}

/** A string of one form; `detail` says which, after the name of the member. */
export function pattern(expression: RegExp, { max, detail }: { max: number; detail: string }) {
  return bounded(max).regex(expression, detail);
}

const UUID_LENGTH = 36;
const DATE_LENGTH = 10;
/** Room for any number of decimals that a clock gives. */
const MAX_INSTANT_LENGTH = 64;
const MAX_IP_LENGTH = 45;

export const Email = bounded(MAX_EMAIL_LENGTH)
  .refine(isEmail, 'must be an email address')
  .meta({ format: 'email', example: 'ada@example.com' });
export const Uuid = bounded(UUID_LENGTH).check(z.guid()).toLowerCase();
export const Id = z.int().positive();
export const Day = bounded(DATE_LENGTH).check(z.iso.date());
export const IpAddress = z.union([
  bounded(MAX_IP_LENGTH).check(z.ipv4()),
  bounded(MAX_IP_LENGTH).check(z.ipv6()),
]);
export const CurrencyCode = pattern(/^[A-Z]{3}$/, {
  max: 3,
  detail: 'must be three capital letters',
}).meta({ description: 'Currency code of ISO 4217', example: 'GBP' });

/** What the bodies of Customer Service may say of their sender; the headers say it anyway. */
export const optionalClaims = {
  parentCompanyId: Id.optional().meta({ description: 'The tenant id; equals ClientId' }),
  userEmail: Email.optional().meta({ description: 'The agent; equals the UserEmail header' }),
};

/** For the document, of what is asked beyond the schema: exactly one of these, members or groups of them. */
export function eitherOf(...groups: readonly (string | readonly string[])[]) {
  return { oneOf: groups.map((group) => ({ required: [group].flat() })) };
}

/** What takes no fields still takes the empty object that many clients send. */
export const NothingInput = z.object({}).meta({ id: 'NoFields' }).optional();

/** The largest amount that a JSON number carries exactly in every currency. */
export const MAX_AMOUNT = 9_999_999_999_999;

export const Amount = z.number().min(0).max(MAX_AMOUNT).meta({
  description: 'In major units, with no more decimals than the currency has',
  example: 19.99,
});

export const Instant = bounded(MAX_INSTANT_LENGTH)
  .check(z.iso.datetime({ offset: true }))
  .transform((at) => new Date(at).toISOString());

/**
 * A query carries texts. The document says what they mean, a number as a number with its bounds, so
 * that it admits what `meaning` does and nothing else.
 */
export function inQuery<Value, Meaning extends z.ZodType<unknown, Value>>(
  reading: z.ZodType<Value, string | string[]>,
  meaning: Meaning,
) {
  const { $schema: _, ...documented } = z.toJSONSchema(meaning, { io: 'input' });
  return reading.pipe(meaning).meta({
    override: ({ jsonSchema }) => {
      for (const name of Object.keys(jsonSchema)) delete jsonSchema[name as 'type'];
      Object.assign(jsonSchema, documented);
    },
  });
}

const BooleanText = z.enum(['true', 'false']).transform((given) => given === 'true');
const IntegerText = pattern(/^-?\d{1,16}$/, { max: 17, detail: 'must be an integer' }).transform(
  Number,
);
/** As in JSON, and not longer than any number needs to be. */
const NumberText = pattern(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/, {
  max: 32,
  detail: 'must be a number',
}).transform(Number);
/** A list is a name repeated, or its elements joined by commas. */
const ListText = z
  .union([z.string(), z.array(z.string())])
  .transform((given) =>
    (Array.isArray(given) ? given : [given]).flatMap((each) => each.split(',')),
  );

export const QueryBoolean = inQuery(BooleanText, z.boolean());

export function queryInteger<Meaning extends z.ZodType<number, number>>(meaning: Meaning) {
  return inQuery(IntegerText, meaning);
}

/** How long a page may be at most, and is when nothing is said. */
export function queryLimit({ max, fallback }: { max: number; fallback: number }) {
  // zod leaves a default out of the document where what is read is of another type.
  const meaning = z.int().min(1).max(max).meta({ default: fallback });
  return queryInteger(meaning).default(fallback);
}

export function queryTexts<Meaning extends z.ZodType<string[], string[]>>(meaning: Meaning) {
  return inQuery(ListText, meaning);
}

export function queryIntegers<Meaning extends z.ZodType<number[], number[]>>(meaning: Meaning) {
  return inQuery(ListText.pipe(z.array(IntegerText)), meaning);
}

export function queryNumbers<Meaning extends z.ZodType<number[], number[]>>(meaning: Meaning) {
  return inQuery(ListText.pipe(z.array(NumberText)), meaning);
}

/** Reads an amount of the body; what is wrong with it is refused at its place in the body. */
export function minorOf(amount: number, currency: string, pointer: string): bigint {
  const minor = toMinor(amount, currency);
  if (minor._tag === 'Right') return minor.right;
  switch (minor.left.type) {
    case 'UnknownCurrency':
      throw refuse('currency_unknown', `${currency} is not a currency of ISO 4217`, {
        errors: [{ pointer: '/currency', detail: 'Not a currency of ISO 4217' }],
      });
    case 'TooManyDecimals':
      throw refuse('amount_precision', undefined, {
        errors: [
          { pointer, detail: `${currency} has ${minor.left.exponent} decimals; got ${amount}` },
        ],
      });
    case 'AmountTooLarge':
      throw refuse('invalid_request', undefined, {
        errors: [
          { pointer, detail: `At most ${toDecimal(MAX_AMOUNT_MINOR, currency)} ${currency}` },
        ],
      });
    case 'NotAnAmount':
      throw refuse('invalid_request', undefined, {
        errors: [{ pointer, detail: 'Not an amount that can be booked' }],
      });
  }
}

/** Who the events will say has done it. */
export function callerOf({ principal, requestId, traceparent }: RequestContext): Caller {
  return {
    actor: principal.actor ?? `key:${principal.keyId}`,
    keyId: principal.keyId,
    requestId,
    ...(traceparent !== undefined && { traceparent }),
  };
}

/**
 * The id of what a request brings about: named for ever by its Idempotency-Key and by what it acts
 * on, new without a key.
 */
export function idOf(
  { principal, idempotencyKey }: RequestContext,
  operation: string,
  actsOn: readonly string[] = [],
): TransactionId {
  return idOfKey(principal, operation, { key: idempotencyKey, actsOn });
}

/** Whether the data of a request is the sandbox's. A test key never touches live data. */
export function sandboxOf({ environment }: Principal, asked: boolean | undefined): boolean {
  if (environment === 'live') return asked ?? false;
  if (asked === false) throw refuse('live_data_forbidden');
  return true;
}

/** What this key may not see is not there. */
export function checkVisible(principal: Principal, payment: Transaction.Payment): void {
  if (principal.environment === 'test' && !payment.sandbox) throw refuse('not_found');
}
