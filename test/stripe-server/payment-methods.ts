/** Payment methods: cards by number or by the tokens of the published test cards. */
import { hash } from 'node:crypto';
import type Stripe from 'stripe';
import { addressOf, addressParam } from './address.ts';
import { cardError, declineFacts } from './card-errors.ts';
import {
  type CheckResult,
  cardOfNumber,
  cardOfToken,
  DECLINES,
  passesLuhn,
  type TestCard,
} from './cards.ts';
import {
  emptyable,
  integer,
  metadata,
  object,
  oneOf,
  type ParamsOf,
  required,
  text,
} from './params.ts';
import { invalidRequest, StripeRefusal } from './refusal.ts';
import { type Route, route } from './route.ts';
import type { AccountState, CardFacts } from './state.ts';

const TOKEN_EXPIRY = { expMonth: 12, expYear: 2034 };

const dataShape = {
  type: required(oneOf('card')),
  allow_redisplay: oneOf('always', 'limited', 'unspecified'),
  billing_details: object({
    address: addressParam,
    email: emptyable(text),
    name: emptyable(text),
    phone: emptyable(text),
  }),
  card: object({
    number: text,
    exp_month: integer,
    exp_year: integer,
    cvc: text,
    token: text,
  }),
  metadata,
};
/** As `payment_method_data` of an intent. */
export const paymentMethodData = object(dataShape);
export type PaymentMethodData = ParamsOf<typeof dataShape>;

export const paymentMethodRoutes: readonly Route[] = [
  route('POST', '/v1/payment_methods', dataShape, ({ state }, params) =>
    createPaymentMethod(state, params),
  ),
  route('GET', '/v1/payment_methods/{payment_method}', {}, ({ state, id }) =>
    paymentMethodOf(state, id, 'payment_method', 404),
  ),
  route(
    'POST',
    '/v1/payment_methods/{payment_method}/attach',
    { customer: required(text) },
    ({ state, id }, { customer }) => {
      state.customers.get(customer, 'customer', 400);
      const method = paymentMethodOf(state, id, 'payment_method', 404);
      return attach(state, method, customer);
    },
  ),
  route('POST', '/v1/payment_methods/{payment_method}/detach', {}, ({ state, id }) => {
    const method = paymentMethodOf(state, id, 'payment_method', 404);
    if (method.customer === null) {
      throw invalidRequest(
        'The payment method you provided is not attached to a customer so detachment is impossible.',
        { param: 'payment_method' },
      );
    }
    const customer = method.customer;
    method.customer = null;
    state.cardOf(method.id).spent = true;
    state.emit('payment_method.detached', method, { customer });
    return method;
  }),
];

/** A token makes a new payment method at each use. */
export function paymentMethodOf(
  state: AccountState,
  id: string,
  param: string,
  status: 400 | 404 = 400,
): Stripe.PaymentMethod {
  const card = cardOfToken(id);
  if (card === undefined) return state.paymentMethods.get(id, param, status);
  return addMethod(state, { card, cvcGiven: true, ...TOKEN_EXPIRY });
}

export function createPaymentMethod(
  state: AccountState,
  params: PaymentMethodData,
): Stripe.PaymentMethod {
  const given = params.card;
  if (given === undefined) {
    throw invalidRequest('Missing required param: card.', {
      param: 'card',
      code: 'parameter_missing',
    });
  }
  const { number, exp_month: expMonth, exp_year: expYear } = given;
  if (number === undefined) {
    throw invalidRequest('Missing required param: card[number].', {
      param: 'card[number]',
      code: 'parameter_missing',
    });
  }
  if (!state.plans.acceptsCardNumbers && state.request?.publishable !== true) {
    throw new StripeRefusal(
      402,
      'invalid_request_error',
      'Sending credit card numbers directly to the Stripe API is generally unsafe. To continue processing use Stripe.js, the Stripe mobile bindings, or Stripe Elements.',
    );
  }
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) {
    throw numberError('incorrect_number', 'Your card number is incorrect.', 'number');
  }
  if (expMonth === undefined || expMonth < 1 || expMonth > 12) {
    throw numberError(
      'invalid_expiry_month',
      "Your card's expiration month is invalid.",
      'exp_month',
    );
  }
  if (expYear === undefined || isPast(state, expYear, expMonth)) {
    throw numberError('invalid_expiry_year', "Your card's expiration year is invalid.", 'exp_year');
  }
  if (given.cvc !== undefined && !/^\d{3,4}$/.test(given.cvc)) {
    throw numberError('invalid_cvc', "Your card's security code is invalid.", 'cvc');
  }
  const card = cardOfNumber(number);
  if (card === undefined) {
    throw cardError(declineFacts(DECLINES.testModeLiveCard));
  }
  const parts = { card, cvcGiven: given.cvc !== undefined, expMonth, expYear };
  return addMethod(state, parts, params);
}

/** The bank is asked for nothing: cards that always fail do not attach. */
export function attach(
  state: AccountState,
  method: Stripe.PaymentMethod,
  customer: string,
): Stripe.PaymentMethod {
  const facts = state.cardOf(method.id);
  if (facts.spent) throw spentError();
  if (method.customer !== null && method.customer !== customer) {
    throw invalidRequest(
      'The payment method you provided has already been attached to a customer.',
      { param: 'payment_method' },
    );
  }
  const { decline, attaches } = facts.card;
  if (decline !== undefined && attaches !== true) {
    throw cardError(declineFacts(decline));
  }
  if (method.customer === null) {
    method.customer = customer;
    state.emit('payment_method.attached', method);
  }
  return method;
}

export function spentError(): StripeRefusal {
  return invalidRequest(
    'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.',
  );
}

export function checksOf(
  facts: CardFacts,
  address: Stripe.Address | null,
): Stripe.Charge.PaymentMethodDetails.Card.Checks {
  const { card, cvcGiven } = facts;
  const check = (given: boolean, result: CheckResult | undefined) =>
    given ? (result ?? 'pass') : null;
  return {
    address_line1_check: check(address?.line1 != null, card.line1Check),
    address_postal_code_check: check(address?.postal_code != null, card.postalCodeCheck),
    cvc_check: check(cvcGiven, card.cvcCheck),
  };
}

export function cardObject(
  card: TestCard,
  expiry: { readonly expMonth: number; readonly expYear: number },
): Stripe.PaymentMethod.Card {
  return {
    brand: card.brand,
    checks: null,
    country: card.country,
    display_brand: card.brand,
    exp_month: expiry.expMonth,
    exp_year: expiry.expYear,
    fingerprint: hash('sha256', card.number).slice(0, 16),
    funding: card.funding,
    generated_from: null,
    last4: card.number.slice(-4),
    networks: { available: [card.brand], preferred: null },
    regulated_status: 'unregulated',
    three_d_secure_usage: { supported: true },
    wallet: null,
  };
}

interface CardParts {
  readonly card: TestCard;
  readonly cvcGiven: boolean;
  readonly expMonth: number;
  readonly expYear: number;
}

function addMethod(
  state: AccountState,
  parts: CardParts,
  params?: PaymentMethodData,
): Stripe.PaymentMethod {
  const details = params?.billing_details;
  const facts: CardFacts = {
    card: parts.card,
    cvcGiven: parts.cvcGiven,
    setUp: false,
    spent: false,
  };
  const billing: Stripe.PaymentMethod.BillingDetails = {
    address: addressOf(details?.address),
    email: details?.email ?? null,
    name: details?.name ?? null,
    phone: details?.phone ?? null,
    tax_id: null,
  };
  const method: Stripe.PaymentMethod = {
    id: state.id('pm'),
    object: 'payment_method',
    allow_redisplay: params?.allow_redisplay ?? 'unspecified',
    billing_details: billing,
    card: { ...cardObject(parts.card, parts), checks: checksOf(facts, billing.address) },
    created: state.now(),
    customer: null,
    customer_account: null,
    livemode: state.livemode,
    metadata: params?.metadata ?? {},
    type: 'card',
  };
  state.cards.set(method.id, facts);
  return state.paymentMethods.add(method);
}

function isPast(state: AccountState, year: number, month: number): boolean {
  const today = new Date(state.now() * 1_000);
  const full = year < 100 ? 2_000 + year : year;
  return full * 12 + month < today.getUTCFullYear() * 12 + today.getUTCMonth() + 1;
}

function numberError(code: string, message: string, param: string): StripeRefusal {
  return new StripeRefusal(402, 'card_error', message, { code, param });
}
