/** Values made wrong at one place: what the schemas refuse, and what only the rules of the business do. */
import type { Documented, Operation } from '../http-host/documented.ts';
import type { Input } from './inputs.ts';
import { JSON_TYPE, parametersIn } from './operations.ts';
import type { Json } from './schema-arbitrary.ts';
import type { WellFormed } from './well-formed.ts';

/** Values with one fault, and where it is. */
export interface Spoiled {
  readonly input: Input;
  /** JSON Pointer, as an answer should name it; '' for the whole body. */
  readonly pointer: string;
}

/** What is seldom right anywhere. */
const HOSTILE: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  5e-324,
  2 ** 53,
  '',
  'x',
  '\u0000',
  'line\nbreak',
  '\ud800',
  '9'.repeat(400),
  [],
  [null],
  [[]],
  {},
  { $gt: '' },
];

interface Place {
  readonly pointer: string;
  readonly schema: Json;
  readonly isOptional?: boolean;
  /** The value with something else at this place; `undefined` takes it away. */
  put(value: Json): Json;
}

/** Chooses by a number: the same number chooses the same again. */
function pickFrom<Value>(values: readonly Value[], pick: number): Value {
  return values[pick % values.length] as Value;
}

export class ValueSpoiler {
  readonly #documented: Documented;
  readonly #wellFormed: WellFormed;

  constructor(documented: Documented, wellFormed: WellFormed) {
    this.#documented = documented;
    this.#wellFormed = wellFormed;
  }

  /** The body with one value in it that its schema refuses. */
  inBody(operation: Operation, input: Input, pick: number): Spoiled {
    const schema = operation.node.requestBody.content[JSON_TYPE].schema;
    const body = input.body ?? {};
    const places = this.#placesIn(schema, body, { pointer: '', put: (value: Json) => value });
    for (let attempt = 0; attempt < places.length; attempt += 1) {
      const place = pickFrom(places, pick + attempt);
      const values = this.#wrongFor(place);
      for (let index = 0; index < values.length; index += 1) {
        const spoiled = {
          ...input,
          body: place.put(pickFrom(values, Math.floor(pick / 7) + index)),
        };
        if (
          spoiled.body !== undefined &&
          this.#wellFormed.faultsOf(operation, spoiled).length > 0
        ) {
          return { input: spoiled, pointer: place.pointer };
        }
      }
    }
    return { input: { ...input, body: [] }, pointer: '' };
  }

  /** One parameter of the query that its schema refuses. */
  inQuery(operation: Operation, input: Input, pick: number): Spoiled | undefined {
    const parameters = parametersIn(operation, 'query');
    for (let attempt = 0; attempt < parameters.length; attempt += 1) {
      const { name, schema } = pickFrom(parameters, pick + attempt);
      const others = input.query.filter(([each]) => each !== name);
      const wrong = textsFor(this.#documented.resolve(schema));
      for (let index = 0; index < wrong.length; index += 1) {
        const values = [pickFrom(wrong, Math.floor(pick / 7) + index)].flat();
        const query = [...others, ...values.map((value) => [name, value] as const)];
        const spoiled = { ...input, query };
        if (this.#wellFormed.faultsOf(operation, spoiled).length > 0) {
          return { input: spoiled, pointer: `/query/${name}` };
        }
      }
    }
    return undefined;
  }

  /** All places in a value, also those of fields that it leaves out. */
  #placesIn(
    given: Json,
    value: Json,
    { pointer, put, isOptional = false }: Omit<Place, 'schema'>,
  ): Place[] {
    const schema = this.#documented.resolve(given);
    const here: Place = { pointer, schema, put, isOptional };
    if (Array.isArray(value)) {
      const inside = value.flatMap((each, index) =>
        this.#placesIn(schema.items ?? {}, each, {
          pointer: `${pointer}/${index}`,
          put: (other) => put(value.with(index, other)),
        }),
      );
      return [here, ...inside];
    }
    if (typeof value !== 'object' || value === null) return [here];
    const inside = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, each]) =>
      this.#placesIn(each, value[name], {
        pointer: `${pointer}/${name}`,
        put: (other) => put(withMember(value, name, other)),
        isOptional: !(schema.required ?? []).includes(name),
      }),
    );
    const more = schema.additionalProperties === false ? strangersIn(schema, value) : [];
    const unknown = more.map((name) => ({
      pointer: `${pointer}/${name}`,
      schema: NO_MEMBER,
      put: (other: Json) => put(withMember(value, name, other)),
    }));
    return [here, ...inside, ...unknown];
  }

  /** The bounds overstepped by one, then what is seldom right anywhere; and nothing at all. */
  #wrongFor({ schema, isOptional = false }: Place): Json[] {
    if (schema === NO_MEMBER) return HOSTILE.filter((each) => each !== undefined);
    const { minimum, maximum, exclusiveMinimum, maxLength, maxItems, items } = schema;
    const beyond: Json[] = [undefined];
    if (minimum !== undefined) beyond.push(minimum - 1);
    if (exclusiveMinimum !== undefined) beyond.push(exclusiveMinimum);
    if (maximum !== undefined) beyond.push(maximum + 1, maximum * 10);
    if (maxLength !== undefined) beyond.push('x'.repeat(maxLength + 1));
    if (maxItems !== undefined) {
      const element = this.#documented.resolve(items ?? {}).type === 'integer' ? 1 : 'x';
      beyond.push(Array.from({ length: maxItems + 1 }, () => element));
    }
    // In a request null for an optional member means that it is absent.
    return [...beyond, ...HOSTILE.filter((each) => each !== null || !isOptional)];
  }
}

const NO_MEMBER = {};

/** Names that an object does not have: one that is nearly right, and one that is not. */
function strangersIn({ properties = {} }: Json, value: Json): string[] {
  const near = Object.keys(properties).map((name) => name.toUpperCase());
  return [...near.slice(0, 2), 'unheard-of'].filter(
    (name) => !(name in properties) && !(name in value),
  );
}

function withMember(object: Json, name: string, value: Json): Json {
  if (value !== undefined) return { ...object, [name]: value };
  const { [name]: _, ...rest } = object;
  return rest;
}

/** Texts, or lists of texts, that a parameter might refuse. */
function textsFor({ maxLength, type }: Json): (string | string[])[] {
  const texts: (string | string[])[] = ['', ' ', 'x', '-1', '0', '1.5', '1e3', 'TRUE', 'gbp', '٣'];
  texts.push('9'.repeat(17), '99999999999999999999', '2024-02-30', '\u0000', 'a\nb');
  if (maxLength !== undefined) texts.push('x'.repeat(maxLength + 1));
  if (type === 'string') texts.push(['1', '2']);
  return texts;
}

/** A change that satisfies the schemas and breaks a rule of the business, with the code it deserves. */
export interface BrokenRule {
  readonly what: string;
  readonly code: string;
  change(body: Json): Json;
}

const CLUB = { name: 'club', rebillAmount: 10, frequency: 30 };
const MUG = { StorefrontVariantId: 1, StorefrontProductId: 1, Quantity: 1, UnitPrice: 1 };

const PAYMENT_RULES: readonly BrokenRule[] = [
  // A free trial may cost nothing, but there is nothing to capture later.
  rule('amount_not_positive', { amount: 0, capture: false }),
  rule('amount_precision', { amount: 1.001, currency: 'GBP', items: [] }),
  rule('amount_precision', { amount: 1.5, currency: 'JPY', items: [] }),
  rule('currency_unknown', { currency: 'ZZZ' }),
  // A plan of its own currency may have more decimals than this one, which is refused before.
  rule('no_merchant_account', {
    amount: 1,
    currency: 'CHF',
    items: [],
    subscription: undefined,
  }),
  rule('amount_precision', { subscription: { ...CLUB, rebillAmount: 0.001 }, currency: 'GBP' }),
  rule('amount_precision', {
    subscription: { ...CLUB, rebillAmount: 1.5 },
    currency: 'JPY',
    items: [],
    amount: 1,
  }),
  rule('invalid_request', {
    subscription: CLUB,
    currency: 'JPY',
    amount: 1,
    items: Array.from({ length: 2 }, () => ({ ...MUG, subscription: CLUB })),
  }),
  rule('invalid_request', { token: 'x' }),
  rule('invalid_request', { card: undefined }),
  rule('invalid_request', { orderId: 1_000_000_000 }),
  rule('customer_mismatch', { customer: { id: 2_147_483_647 } }),
  rule('invalid_request', { amount: 9_999_999_999_999, currency: 'KWD', items: [] }),
  rule('reference_unknown', { applicationId: 99 }),
  rule('reference_unknown', { shopId: Number.MAX_SAFE_INTEGER }),
  rule('reference_unknown', { merchantAccountId: 999 }),
  rule('reference_unknown', { companyId: 6 }),
  ...[
    '4242424242424241',
    '0',
    '',
    'x',
    '4242 4242 4242 4242 4242',
    '４２４２４２４２４２４２４２４２',
  ].map((number) => ({
    what: `card number ${number}`,
    code: 'card_invalid',
    change: (body: Json) => ({ ...body, card: { ...body.card, number } }),
  })),
  {
    what: 'an expired card',
    code: 'card_invalid',
    change: (body: Json) => ({ ...body, card: { ...body.card, expYear: 2001 } }),
  },
  {
    what: 'the card number in a name',
    code: 'card_invalid',
    change: (body: Json) => ({ ...body, customer: { firstName: `No. ${body.card.number}` } }),
  },
];

function rule(code: string, changes: Json): BrokenRule {
  return {
    what: JSON.stringify(changes),
    code,
    change: (body) => ({ ...body, ...changes }),
  };
}

const SEARCH_RULES: readonly BrokenRule[] = [
  rule('invalid_request', { dateFrom: '2024-02-02', dateTo: '2024-02-01' }),
];

/** The rules that a body of this operation can break. */
export function rulesOf({ id }: Operation): readonly BrokenRule[] {
  if (id === 'createPayment' || id === 'submitCard') return PAYMENT_RULES;
  if (id === 'searchTransactions' || id === 'searchCustomerTransactions') return SEARCH_RULES;
  return [];
}
