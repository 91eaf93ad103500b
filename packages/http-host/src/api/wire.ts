/** JSON shared by several slices: amounts, ids, text, and the caller. */
import { isEmail, type TenantId } from '@counterfoil/core';
import type { Acting, Caller, TenantLedger, TenantLedgers } from '@counterfoil/engine';
import {
  CurrencyCode as AnyCurrencyCode,
  bounded,
  Day,
  DEFAULT_MONTHS,
  EmailText,
  Id,
  Instant,
  IpAddress,
  MAX_MONTHS,
  Month,
  pattern,
  text,
  Uuid,
} from '@counterfoil/engine/input';
import { z } from 'zod';
import { callerOf } from '../http/caller.ts';
import type { RequestContext } from '../http/endpoint.ts';

export { bounded, Day, Id, Instant, IpAddress, pattern, text, Uuid };

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

/** The range of a report. */
export const months = {
  from: Month.optional().meta({
    description: `The first month. Absent: ${DEFAULT_MONTHS} months in all`,
    example: '2026-01',
  }),
  to: Month.optional().meta({
    description: `The last month, included. Absent: the present one. At most ${MAX_MONTHS} months`,
    example: '2026-12',
  }),
};

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

  noteSubject = (id: unknown): void => this.#context.noteSubject(id);

  get caller(): Caller {
    return callerOf(this.#context);
  }
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Without the form that IPv4 addresses have on a socket of IPv6. */
export function addressOf({ remoteAddress = '' }: RequestContext): string {
  return MAPPED.exec(remoteAddress)?.[1] ?? remoteAddress;
}
