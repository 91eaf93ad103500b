/** One try to charge a card: the charge object, the decline or the money. */
import type Stripe from 'stripe';
import { move, processingFee } from './balance.ts';
import { DECLINES, type Decline } from './cards.ts';
import { openDispute } from './disputes.ts';
import { cardObject, checksOf } from './payment-methods.ts';
import type { AccountState, CardFacts } from './state.ts';
import { warnOfFraud } from './warnings.ts';

const DAY_SECONDS = 86_400;
/** An authorization that is not captured in this time is released. */
export const CAPTURE_WITHIN_SECONDS = 7 * DAY_SECONDS;

export interface Try {
  readonly intent: Stripe.PaymentIntent;
  readonly method: Stripe.PaymentMethod;
  readonly facts: CardFacts;
  readonly capture: boolean;
  readonly authenticated: boolean;
  /** Because of the flow, not of the card. */
  readonly decline?: Decline;
}

export interface Outcome {
  readonly charge: Stripe.Charge;
  readonly decline: Decline | undefined;
}

export function tryCharge(state: AccountState, attempt: Try): Outcome {
  const decline = attempt.decline ?? declineOf(state, attempt.facts);
  const charge = state.charges.add(newCharge(state, attempt, decline));
  attempt.intent.latest_charge = charge.id;
  if (decline !== undefined) {
    state.emit('charge.failed', charge);
    return { charge, decline };
  }
  if (attempt.capture) {
    const bookLater = attempt.intent.capture_method === 'automatic_async';
    collect(state, charge, charge.amount, { bookLater });
  }
  state.emit('charge.succeeded', charge);
  return { charge, decline };
}

/** Captures an amount, and does what the card is known to bring later. */
export function collect(
  state: AccountState,
  charge: Stripe.Charge,
  amount: number,
  { bookLater = false }: { readonly bookLater?: boolean } = {},
): void {
  charge.captured = true;
  charge.amount_captured = amount;
  if (!bookLater) {
    book(state, charge);
    return;
  }
  state.later(0, () => {
    book(state, charge);
    state.emit('charge.updated', charge, { balance_transaction: null });
  });
}

function book(state: AccountState, charge: Stripe.Charge): void {
  const { card } = state.cardOf(String(charge.payment_method));
  const { dispute, earlyFraudWarning } = card;
  const { amount_captured: amount, currency } = charge;
  charge.balance_transaction = move(state, {
    type: 'charge',
    category: 'charge',
    amount,
    currency,
    source: charge.id,
    description: charge.description,
    fee: { amount: processingFee(amount, currency), description: 'Stripe processing fees' },
    availableAtOnce: card.bypassesPending === true,
  }).id;
  if (dispute !== undefined) state.later(0, () => openDispute(state, charge, dispute));
  if (earlyFraudWarning) state.later(0, () => warnOfFraud(state, charge, 'misc'));
}

function declineOf(state: AccountState, facts: CardFacts): Decline | undefined {
  const planned = state.plans.declines[0];
  if (planned !== undefined) {
    planned.times -= 1;
    if (planned.times === 0) state.plans.declines.shift();
    return planned;
  }
  if (state.livemode) return DECLINES.liveModeTestCard;
  const { decline } = facts.card;
  if (decline?.code === 'incorrect_cvc' && !facts.cvcGiven) return undefined;
  return decline;
}

function newCharge(
  state: AccountState,
  { intent, method, facts, capture, authenticated }: Try,
  decline: Decline | undefined,
): Stripe.Charge {
  const id = state.id('ch');
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: intent.application_fee_amount,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: descriptorOf(state, intent),
    captured: false,
    created: state.now(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: state.livemode,
    metadata: { ...intent.metadata },
    on_behalf_of: intent.on_behalf_of,
    outcome: outcomeOf(facts, decline),
    paid: decline === undefined,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: {
      type: 'card',
      card: cardDetails(state, { intent, method, facts, capture, authenticated }, decline),
    },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: decline === undefined ? `${state.url()}/receipts/${id}` : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: decline === undefined ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: intent.transfer_group,
  };
}

function outcomeOf(facts: CardFacts, decline: Decline | undefined): Stripe.Charge.Outcome {
  const blocked = decline?.blocked === true;
  return {
    advice_code: decline?.adviceCode ?? null,
    network_advice_code: decline?.networkAdviceCode ?? null,
    network_decline_code: decline?.networkDeclineCode ?? null,
    network_status: outcomeStatus(decline),
    reason: decline?.declineCode ?? null,
    risk_level: facts.card.risk ?? 'normal',
    risk_score: facts.card.risk === undefined ? 11 : 90,
    seller_message: decline === undefined ? 'Payment complete.' : decline.message,
    type: blocked ? 'blocked' : decline === undefined ? 'authorized' : 'issuer_declined',
  };
}

function outcomeStatus(decline: Decline | undefined): string {
  if (decline === undefined) return 'approved_by_network';
  return decline.blocked ? 'not_sent_to_network' : 'declined_by_network';
}

function cardDetails(
  state: AccountState,
  { intent, method, facts, capture, authenticated }: Try,
  decline: Decline | undefined,
): Stripe.Charge.PaymentMethodDetails.Card {
  const shown = method.card ?? cardObject(facts.card, { expMonth: 12, expYear: 2034 });
  const approved = decline === undefined;
  return {
    amount_authorized: approved ? intent.amount : null,
    authorization_code: approved ? state.id('auth').slice(-6).toUpperCase() : null,
    brand: shown.brand,
    ...(capture || !approved ? {} : { capture_before: state.now() + CAPTURE_WITHIN_SECONDS }),
    checks: checksOf(facts, method.billing_details.address),
    country: shown.country,
    electronic_commerce_indicator: null,
    exp_month: shown.exp_month,
    exp_year: shown.exp_year,
    fingerprint: shown.fingerprint ?? null,
    funding: shown.funding,
    installments: null,
    last4: shown.last4,
    mandate: null,
    network: shown.brand,
    network_token: { used: false },
    network_transaction_id: approved ? state.id('ntx').slice(-15) : null,
    regulated_status: 'unregulated',
    three_d_secure: authenticated
      ? {
          authentication_flow: 'challenge',
          electronic_commerce_indicator: '05',
          exemption_indicator: null,
          result: 'authenticated',
          result_reason: null,
          transaction_id: state.id('tds').slice(-15),
          version: '2.2.0',
        }
      : null,
    transaction_link_id: null,
    wallet: null,
  };
}

function descriptorOf(state: AccountState, intent: Stripe.PaymentIntent): string {
  const prefix = state.account.settings?.card_payments?.statement_descriptor_prefix ?? 'TEST';
  const suffix = intent.statement_descriptor_suffix;
  return suffix === null ? prefix : `${prefix}* ${suffix}`.slice(0, 22);
}
