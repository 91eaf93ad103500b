/** SetupIntents: a card kept for later, authenticated where the bank wants it. */
import type Stripe from 'stripe';
import { type CardErrorFacts, cardError, declineFacts } from './card-errors.ts';
import { boolean, emptyable, list, metadata, object, oneOf, required, text } from './params.ts';
import {
  attach,
  createPaymentMethod,
  paymentMethodData,
  paymentMethodOf,
} from './payment-methods.ts';
import { invalidRequest, type StripeRefusal } from './refusal.ts';
import { type Route, route } from './route.ts';
import type { AccountState } from './state.ts';

export const setupIntentRoutes: readonly Route[] = [
  route(
    'POST',
    '/v1/setup_intents',
    {
      allowed_payment_method_types: list(oneOf('card')),
      automatic_payment_methods: object({
        enabled: required(boolean),
        allow_redirects: oneOf('always', 'never'),
      }),
      confirm: boolean,
      customer: text,
      description: emptyable(text),
      metadata,
      payment_method: text,
      payment_method_data: paymentMethodData,
      return_url: text,
      usage: oneOf('off_session', 'on_session'),
      use_stripe_sdk: boolean,
    },
    ({ state }, params) => {
      const { allowed_payment_method_types: allowed, automatic_payment_methods: automatic } =
        params;
      const enabled = automatic?.enabled ?? allowed === undefined;
      const intent = newSetupIntent(state, {
        automatic: enabled
          ? { enabled, allow_redirects: automatic?.allow_redirects ?? 'always' }
          : null,
        allowed: allowed === undefined ? null : [...allowed],
        description: params.description ?? null,
        metadata: params.metadata ?? {},
        usage: params.usage ?? 'off_session',
      });
      if (params.customer !== undefined) {
        intent.customer = state.customers.get(params.customer, 'customer', 400).id;
      }
      if (params.payment_method !== undefined) {
        intent.payment_method = paymentMethodOf(state, params.payment_method, 'payment_method').id;
      }
      if (params.payment_method_data !== undefined) {
        intent.payment_method = createPaymentMethod(state, params.payment_method_data).id;
      }
      if (intent.payment_method !== null) intent.status = 'requires_confirmation';
      state.setupIntents.add(intent);
      state.setupReturns.set(intent.id, params.return_url ?? null);
      state.emit('setup_intent.created', intent);
      if (params.confirm === true) confirmSetup(state, intent);
      return intent;
    },
  ),
  route('GET', '/v1/setup_intents/{intent}', { client_secret: text }, ({ state, id }) =>
    state.setupIntents.get(id, 'intent'),
  ),
];

function confirmSetup(state: AccountState, intent: Stripe.SetupIntent): void {
  if (intent.payment_method === null) {
    throw invalidRequest(
      "You cannot confirm this SetupIntent because it's missing a payment method. Update the SetupIntent with a payment method and then confirm it again.",
      { code: 'setup_intent_unexpected_state', setup_intent: structuredClone(intent) },
    );
  }
  const returnUrl = state.setupReturns.get(intent.id) ?? null;
  const redirects = intent.automatic_payment_methods?.allow_redirects === 'always';
  if (redirects && returnUrl === null) {
    throw invalidRequest(
      'This SetupIntent is configured to accept payment methods that might redirect your customer: you must provide a `return_url`.',
    );
  }
  const { card } = state.cardOf(String(intent.payment_method));
  const { authentication } = card;
  if (authentication === undefined || authentication === 'onRequest') {
    keep(state, intent, true);
    return;
  }
  intent.status = 'requires_action';
  intent.next_action =
    returnUrl === null
      ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
      : {
          type: 'redirect_to_url',
          redirect_to_url: { return_url: returnUrl, url: `${state.url()}/challenge/${intent.id}` },
        };
  state.emit('setup_intent.requires_action', intent);
}

/** The customer came back from the challenge. */
export function finishSetup(
  state: AccountState,
  intent: Stripe.SetupIntent,
  passed: boolean,
): void {
  if (intent.status !== 'requires_action') return;
  intent.next_action = null;
  if (passed) {
    keep(state, intent, false);
    return;
  }
  failed(state, intent, {
    code: 'setup_intent_authentication_failure',
    message:
      'The latest attempt to set up the payment method has failed because authentication failed.',
  });
}

function keep(state: AccountState, intent: Stripe.SetupIntent, throwing: boolean): void {
  const method = state.paymentMethods.get(String(intent.payment_method), 'payment_method', 400);
  const facts = state.cardOf(method.id);
  const { decline, attaches } = facts.card;
  if (decline !== undefined && attaches !== true) {
    const refusal = failed(state, intent, declineFacts(decline, { method }));
    if (throwing) throw refusal;
    return;
  }
  if (typeof intent.customer === 'string') attach(state, method, intent.customer);
  facts.setUp = intent.usage === 'off_session';
  intent.status = 'succeeded';
  intent.last_setup_error = null;
  state.emit('setup_intent.succeeded', intent);
}

function failed(
  state: AccountState,
  intent: Stripe.SetupIntent,
  { message, ...facts }: CardErrorFacts,
): StripeRefusal {
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  const type = facts.decline_code === undefined ? 'invalid_request_error' : 'card_error';
  intent.last_setup_error = { ...facts, message, type };
  state.emit('setup_intent.setup_failed', intent);
  return cardError({ message, ...facts, setup_intent: structuredClone(intent) });
}

function newSetupIntent(
  state: AccountState,
  parts: {
    readonly automatic: Stripe.SetupIntent.AutomaticPaymentMethods | null;
    readonly allowed: Stripe.SetupIntent.AllowedPaymentMethodType[] | null;
    readonly description: string | null;
    readonly metadata: Record<string, string>;
    readonly usage: string;
  },
): Stripe.SetupIntent {
  const id = state.id('seti');
  return {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: parts.allowed,
    application: null,
    automatic_payment_methods: parts.automatic,
    cancellation_reason: null,
    client_secret: `${id}_secret_${state.id('s').slice(-25)}`,
    created: state.now(),
    customer: null,
    description: parts.description,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: state.livemode,
    mandate: null,
    metadata: parts.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: parts.usage,
  };
}
