/** JSON shared by several slices: amounts, ids, text, and the caller. */
import {
  isEmail,
  MAX_AMOUNT_MINOR,
  type TenantId,
  type Transaction,
  type TransactionId,
  toDecimal,
  toMinor,
} from '@counterfoil/core';
import {
  type Acting,
  type Caller,
  idOfKey,
  type TenantLedger,
  type TenantLedgers,
} from '@counterfoil/engine';
import {
  CurrencyCode as AnyCurrencyCode,
  bounded,
  Day,
  EmailText,
  Id,
  IpAddress,
  pattern,
  text,
  Uuid,
} from '@counterfoil/engine/input';
import { z } from 'zod';
import { callerOf } from '../http/caller.ts';
import type { Principal, RequestContext } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';

export { bounded, callerOf, Day, Id, IpAddress, pattern, text, Uuid };

/** Allows any number of decimals of a second. */
const MAX_INSTANT_LENGTH = 64;

export const Email = EmailText.refine(isEmail, 'must be an email address').meta({
  format: 'email',
  example: 'ada@example.com',
});
export const CurrencyCode = AnyCurrencyCode.meta({
  description: 'Currency code of ISO 4217',
  example: 'GBP',
});

/** Bodies of Customer Service may repeat the caller, who is named in the headers anyway. */
export const optionalClaims = {
  parentCompanyId: Id.optional().meta({ description: 'The tenant id; equals ClientId' }),
  userEmail: Email.optional().meta({ description: 'The agent; equals the UserEmail header' }),
};

/** For the document, beyond the schema: exactly one of these members, or groups of members, is required. */
export function eitherOf(...groups: readonly (string | readonly string[])[]) {
  return { oneOf: groups.map((group) => ({ required: [group].flat() })) };
}

/** Operations without fields accept the empty object that many clients send. */
export const NothingInput = z.object({}).meta({ id: 'NoFields' }).optional();

/** The largest amount that a JSON number represents exactly in every currency. */
export const MAX_AMOUNT = 9_999_999_999_999;

export const Amount = z.number().min(0).max(MAX_AMOUNT).meta({
  description: 'In major units, with no more decimals than the currency has',
  example: 19.99,
});

export const Instant = bounded(MAX_INSTANT_LENGTH)
  .check(z.iso.datetime({ offset: true }))
  .transform((at) => new Date(at).toISOString());

/**
 * Query parameters are text. The document describes them by `meaning`, for example as a bounded
 * number, so it admits exactly what `meaning` does.
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
/** The number syntax of JSON, with a bounded length. */
const NumberText = pattern(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/, {
  max: 32,
  detail: 'must be a number',
}).transform(Number);
/** A list is a repeated name, or its elements joined by commas. */
const ListText = z
  .union([z.string(), z.array(z.string())])
  .transform((given) =>
    (Array.isArray(given) ? given : [given]).flatMap((each) => each.split(',')),
  );

export const QueryBoolean = inQuery(BooleanText, z.boolean());

export function queryInteger<Meaning extends z.ZodType<number, number>>(meaning: Meaning) {
  return inQuery(IntegerText, meaning);
}

/** The page size: its maximum and its default. */
export function queryLimit({ max, fallback }: { max: number; fallback: number }) {
  // zod omits a default from the document where the parsed type differs.
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

/** Parses an amount of the body; an error points to its place in the body. */
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

export interface FaceServices {
  readonly ledgers: TenantLedgers;
}

/** The ledger of the caller. What an endpoint passes to it was checked by the endpoint's schemas. */
export function ledgerFor({ ledgers }: FaceServices, context: RequestContext): TenantLedger {
  return ledgers.unchecked(new Requester(context));
}

/** Reads have no use for the caller, which costs more than the rest. */
class Requester implements Acting {
  readonly tenantId: TenantId;
  readonly environment: Acting['environment'];
  readonly #context: RequestContext;

  constructor(context: RequestContext) {
    const { tenantId, environment } = context.principal;
    this.tenantId = tenantId;
    this.environment = environment;
    this.#context = context;
  }

  get caller(): Caller {
    return callerOf(this.#context);
  }
}

/** The id of what a request creates: derived from its Idempotency-Key and target; random without a key. */
export function idOf(
  { principal, idempotencyKey }: RequestContext,
  operation: string,
  actsOn: readonly string[] = [],
): TransactionId {
  return idOfKey(principal, operation, { key: idempotencyKey, actsOn });
}

/** Whether a request is about sandbox data. A test key never reaches live data. */
export function sandboxOf({ environment }: Principal, asked: boolean | undefined): boolean {
  if (environment === 'live') return asked ?? false;
  if (asked === false) throw refuse('live_data_forbidden');
  return true;
}

/** Data that this key may not see is not found. */
export function checkVisible(principal: Principal, payment: Transaction.Payment): void {
  if (principal.environment === 'test' && !payment.sandbox) throw refuse('not_found');
}
