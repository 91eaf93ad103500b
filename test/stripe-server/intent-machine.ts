/** What a PaymentIntent goes through: confirmation, authentication, capture, cancellation. */
import type Stripe from 'stripe';
import { type CardErrorFacts, cardError, declineFacts } from './card-errors.ts';
import { DECLINES, type Decline } from './cards.ts';
import { CAPTURE_WITHIN_SECONDS, collect, tryCharge } from './charging.ts';
import { checkUnits } from './currencies.ts';
import { attach, spentError } from './payment-methods.ts';
import { invalidRequest, type StripeRefusal } from './refusal.ts';
import { release } from './releases.ts';
import type { AccountState, CardFacts } from './state.ts';

const CANCELABLE = [
  'requires_payment_method',
  'requires_capture',
  'requires_confirmation',
  'requires_action',
  'processing',
];
const CONFIRMABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

export interface Confirmation {
  readonly errorOnRequiresAction: boolean;
}

export function confirm(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  { errorOnRequiresAction }: Confirmation,
): void {
  if (!CONFIRMABLE.includes(intent.status)) throw unexpected(intent, 'confirm');
  if (intent.payment_method === null) {
    throw invalidRequest(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
      { code: 'payment_intent_unexpected_state', payment_intent: snapshot(intent) },
    );
  }
  const facts = state.factsOf(intent.id);
  const { method, card } = usable(state, intent);
  checkReturnUrl(intent, facts);
  const lacksAuthentication = !facts.authenticated && needsAuthentication(card, facts);
  if (lacksAuthentication && !facts.offSession) {
    if (errorOnRequiresAction) {
      throw failed(state, intent, declineFacts(DECLINES.authenticationRequired, { method }));
    }
    requireAction(state, intent, facts.returnUrl);
    return;
  }
  if (state.plans.heldConfirmations > 0) {
    state.plans.heldConfirmations -= 1;
    intent.status = 'processing';
    intent.next_action = null;
    state.emit('payment_intent.processing', intent);
    return;
  }
  charge(state, intent, {
    throwing: true,
    ...(lacksAuthentication ? { decline: DECLINES.authenticationRequired } : {}),
  });
}

/** The customer came back from the challenge, or its time is over. */
export function finishChallenge(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  passed: boolean,
): void {
  if (intent.status !== 'requires_action') return;
  intent.next_action = null;
  if (!passed) {
    const { method } = usable(state, intent);
    failed(state, intent, {
      code: 'payment_intent_authentication_failure',
      message:
        'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
      payment_method: structuredClone(method),
    });
    return;
  }
  state.factsOf(intent.id).authenticated = true;
  if (intent.confirmation_method === 'manual') {
    intent.status = 'requires_confirmation';
    return;
  }
  charge(state, intent, { throwing: false });
}

/** Ends what `holdProcessing` held. */
export function finishProcessing(state: AccountState, intent: Stripe.PaymentIntent): void {
  if (intent.status === 'processing') {
    charge(state, intent, { throwing: false });
  }
}

export function capture(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  given: number | undefined,
): void {
  if (intent.status !== 'requires_capture') throw unexpected(intent, 'capture');
  const amount = given ?? intent.amount_capturable;
  if (amount > intent.amount_capturable) {
    throw invalidRequest(
      'The payment_intent could not be captured because the requested capture amount is greater than the amount you can capture for this charge.',
      { param: 'amount_to_capture', code: 'amount_too_large' },
    );
  }
  if (amount < 1) {
    throw invalidRequest('This value must be greater than or equal to 1.', {
      param: 'amount_to_capture',
      code: 'parameter_invalid_integer',
    });
  }
  checkUnits(amount, intent.currency, 'amount_to_capture');
  const charge = chargeOf(state, intent);
  collect(state, charge, amount);
  if (amount < charge.amount) release(state, charge, charge.amount - amount, null);
  received(intent, amount);
  state.emit('charge.captured', charge);
  state.emit('payment_intent.succeeded', intent);
}

export function cancel(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  reason: Stripe.PaymentIntent.CancellationReason | null,
): void {
  if (!CANCELABLE.includes(intent.status)) throw unexpected(intent, 'cancel');
  if (intent.status === 'requires_capture') {
    const charge = chargeOf(state, intent);
    const expired = reason === 'automatic';
    release(state, charge, charge.amount, expired ? 'expired_uncaptured_charge' : null);
    if (expired) state.emit('charge.expired', charge);
  }
  intent.status = 'canceled';
  intent.canceled_at = state.now();
  intent.cancellation_reason = reason;
  intent.amount_capturable = 0;
  intent.next_action = null;
  state.emit('payment_intent.canceled', intent);
}

export function chargeOf(state: AccountState, intent: Stripe.PaymentIntent): Stripe.Charge {
  return state.charges.get(String(intent.latest_charge), 'charge');
}

export function snapshot(intent: Stripe.PaymentIntent): Stripe.PaymentIntent {
  return structuredClone(intent);
}

/** Charges the card; a decline is thrown where a caller waits for the answer. */
function charge(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  how: { readonly throwing: boolean; readonly decline?: Decline },
): void {
  const facts = state.factsOf(intent.id);
  const { method, card } = usable(state, intent);
  const manual = intent.capture_method === 'manual';
  const outcome = tryCharge(state, {
    intent,
    method,
    facts: card,
    capture: !manual,
    authenticated: facts.authenticated,
    ...(how.decline === undefined ? {} : { decline: how.decline }),
  });
  intent.next_action = null;
  facts.authenticated = false;
  if (outcome.decline !== undefined) {
    const shown = declineFacts(outcome.decline, { charge: outcome.charge.id, method });
    const refusal = failed(state, intent, shown);
    if (how.throwing) throw refusal;
    return;
  }
  intent.last_payment_error = null;
  keepMethod(state, intent, method, card);
  if (!manual) {
    received(intent, intent.amount);
    state.emit('payment_intent.succeeded', intent);
    return;
  }
  intent.status = 'requires_capture';
  intent.amount_capturable = intent.amount;
  state.emit('payment_intent.amount_capturable_updated', intent);
  state.later(CAPTURE_WITHIN_SECONDS, () => {
    if (intent.status === 'requires_capture') cancel(state, intent, 'automatic');
  });
}

function received(intent: Stripe.PaymentIntent, amount: number): void {
  intent.status = 'succeeded';
  intent.amount_received = amount;
  intent.amount_capturable = 0;
}

function failed(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  { message, ...facts }: CardErrorFacts,
): StripeRefusal {
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_payment_error = {
    ...facts,
    message,
    type:
      facts.code === 'payment_intent_authentication_failure'
        ? 'invalid_request_error'
        : 'card_error',
  };
  state.emit('payment_intent.payment_failed', intent);
  return cardError({ message, ...facts, payment_intent: snapshot(intent) });
}

function keepMethod(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  card: CardFacts,
): void {
  const customer = intent.customer;
  if (intent.setup_future_usage !== null && typeof customer === 'string') {
    if (intent.setup_future_usage === 'off_session') card.setUp = true;
    attach(state, method, customer);
  } else if (method.customer === null) {
    card.spent = true;
  }
}

function usable(state: AccountState, intent: Stripe.PaymentIntent) {
  const method = state.paymentMethods.get(String(intent.payment_method), 'payment_method', 400);
  const card = state.cardOf(method.id);
  if (card.spent) throw spentError();
  if (method.customer !== null && method.customer !== intent.customer) {
    throw invalidRequest(
      `The PaymentMethod ${method.id} belongs to a customer. Please include the customer in the \`customer\` parameter.`,
      { param: 'payment_method' },
    );
  }
  return { method, card };
}

function needsAuthentication(
  { card, setUp }: CardFacts,
  facts: { readonly offSession: boolean; readonly requestsAuthentication: boolean },
): boolean {
  switch (card.authentication) {
    case 'always':
      return true;
    case 'unlessSetUp':
      return !setUp;
    case 'onSession':
      return !facts.offSession;
    case 'onRequest':
      return facts.requestsAuthentication && !facts.offSession;
    default:
      return false;
  }
}

function checkReturnUrl(
  intent: Stripe.PaymentIntent,
  facts: { readonly offSession: boolean; readonly returnUrl: string | null },
): void {
  const automatic = intent.automatic_payment_methods;
  const redirects = automatic?.enabled === true && automatic.allow_redirects !== 'never';
  if (!redirects || facts.offSession || facts.returnUrl !== null) return;
  throw invalidRequest(
    "This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`. If you don't want to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents.",
  );
}

function requireAction(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  returnUrl: string | null,
): void {
  intent.status = 'requires_action';
  intent.next_action =
    returnUrl === null
      ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
      : {
          type: 'redirect_to_url',
          redirect_to_url: { return_url: returnUrl, url: `${state.url()}/challenge/${intent.id}` },
        };
  state.emit('payment_intent.requires_action', intent);
}

function unexpected(intent: Stripe.PaymentIntent, verb: string): StripeRefusal {
  const reason =
    verb === 'confirm' && intent.status === 'succeeded'
      ? 'it has already succeeded after being previously confirmed'
      : `it has a status of ${intent.status}`;
  return invalidRequest(`You cannot ${verb} this PaymentIntent because ${reason}.`, {
    code: 'payment_intent_unexpected_state',
    payment_intent: snapshot(intent),
  });
}
