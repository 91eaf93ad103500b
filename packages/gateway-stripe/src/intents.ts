/** PaymentIntents and SetupIntents as the results of charges. The same object always gives the same result. */
import { type ChargeResult, GatewayTimeout } from '@counterfoil/engine/gateways';
import type Stripe from 'stripe';
import { type DeclineFacts, declineOf } from './declines.ts';

/** Read with `expand: ['latest_charge']`. Throws `GatewayTimeout` while the outcome is open. */
export function resultOfPayment(intent: Stripe.PaymentIntent): ChargeResult {
  const { id, status, capture_method: method, latest_charge: charge } = intent;
  switch (status) {
    case 'requires_action':
      return actionRequired(id, intent.next_action?.redirect_to_url?.url);
    case 'requires_confirmation':
      // The customer has acted, or was never asked to: no money has moved.
      return actionRequired(id, undefined);
    case 'requires_capture':
      return approved('authorized', id, charge);
    case 'succeeded':
      return approved(method === 'manual' ? 'authorized' : 'captured', id, charge);
    case 'canceled':
      return wasAuthorized(charge)
        ? approved('authorized', id, charge)
        : { result: 'failed', note: 'the payment was canceled at Stripe' };
    case 'requires_payment_method':
      return declined(id, intent.last_payment_error);
    default:
      throw new GatewayTimeout(`Stripe is still at work on ${id}: ${status}`);
  }
}

/** The verification of a card: no money moves. */
export function resultOfSetup(intent: Stripe.SetupIntent): ChargeResult {
  const { id, status } = intent;
  switch (status) {
    case 'succeeded':
      return { ...NO_FACTS, result: 'captured', gatewayTransactionId: id };
    case 'requires_action':
      return actionRequired(id, intent.next_action?.redirect_to_url?.url);
    case 'requires_payment_method':
    case 'requires_confirmation':
      return declined(id, intent.last_setup_error);
    case 'canceled':
      return { result: 'failed', note: 'the verification was canceled at Stripe' };
    default:
      throw new GatewayTimeout(`Stripe is still at work on ${id}: ${status}`);
  }
}

const NO_FACTS = { authCode: '', arn: '', avsChecked: false, note: '' } as const;

function approved(
  result: 'authorized' | 'captured',
  gatewayTransactionId: string,
  charge: Stripe.PaymentIntent['latest_charge'],
): ChargeResult {
  const card = typeof charge === 'object' ? charge?.payment_method_details?.card : undefined;
  const { address_line1_check: line1, address_postal_code_check: postalCode } = card?.checks ?? {};
  const authCode = card?.authorization_code ?? '';
  const avsChecked = isCompared(line1) || isCompared(postalCode);
  const note = noteOf(card);
  return { ...NO_FACTS, result, gatewayTransactionId, authCode, avsChecked, note };
}

/** What the record has no field of its own for. */
function noteOf(card: Stripe.Charge.PaymentMethodDetails.Card | undefined): string {
  const { address_line1_check, address_postal_code_check, cvc_check } = card?.checks ?? {};
  const facts = {
    cvc: cvc_check,
    'address line': address_line1_check,
    'postal code': address_postal_code_check,
    funding: card?.funding,
    '3-D Secure': card?.three_d_secure?.result,
  };
  return Object.entries(facts)
    .flatMap(([name, fact]) => (fact == null ? [] : [`${name} ${fact}`]))
    .join(', ');
}

function isCompared(check: string | null | undefined): boolean {
  return check === 'pass' || check === 'fail';
}

function wasAuthorized(charge: Stripe.PaymentIntent['latest_charge']): boolean {
  return charge !== null && typeof charge === 'object' && charge.status === 'succeeded';
}

function actionRequired(
  gatewayTransactionId: string,
  url: string | null | undefined,
): ChargeResult {
  const note = 'the customer has to authenticate';
  return {
    result: 'action-required',
    gatewayTransactionId,
    nextAction: { type: '3ds', url: url ?? '' },
    note,
  };
}

function declined(
  gatewayTransactionId: string,
  error: (DeclineFacts & { readonly message?: string }) | null,
): ChargeResult {
  if (error === null) return { result: 'failed', note: 'Stripe has not tried the card' };
  const { declineCode, hard } = declineOf(error);
  return { result: 'declined', declineCode, hard, gatewayTransactionId, note: error.message ?? '' };
}
