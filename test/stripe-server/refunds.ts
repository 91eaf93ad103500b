/** Refunds: succeeded at once, pending, failing later; never more than was captured. */
import type Stripe from 'stripe';
import { move } from './balance.ts';
import { checkUnits } from './currencies.ts';
import { checkUndisputed } from './disputes.ts';
import { listOf, paging, timeRange, within } from './lists.ts';
import { integer, metadata, oneOf, text } from './params.ts';
import { invalidRequest } from './refusal.ts';
import { newRefund } from './releases.ts';
import { type Route, route } from './route.ts';
import type { AccountState } from './state.ts';
import { settleWarning } from './warnings.ts';

/** When pending refunds succeed, and those of the failing test card fail. */
const LATER_SECONDS = 86_400;

const refundReason = oneOf('duplicate', 'fraudulent', 'requested_by_customer');

export const refundRoutes: readonly Route[] = [
  route(
    'POST',
    '/v1/refunds',
    { amount: integer, charge: text, metadata, payment_intent: text, reason: refundReason },
    ({ state }, params) => createRefund(state, chargeToRefund(state, params), params),
  ),
  route('GET', '/v1/refunds/{refund}', {}, ({ state, id }) => state.refunds.get(id, 'id')),
  route('POST', '/v1/refunds/{refund}/cancel', {}, ({ state, id }) => {
    const refund = state.refunds.get(id, 'refund');
    if (refund.status !== 'requires_action') {
      throw invalidRequest(
        `Refund ${id} cannot be canceled: its status is ${refund.status}, only refunds that require an action can be canceled.`,
      );
    }
    giveBack(state, refund, 'canceled');
    return refund;
  }),
  route(
    'GET',
    '/v1/refunds',
    { ...paging, charge: text, payment_intent: text, created: timeRange },
    (call, { charge, payment_intent: intent, created, ...page }) => {
      const all = call.state.refunds.newestFirst();
      const rows = all.filter(
        (each) =>
          (charge === undefined || each.charge === charge) &&
          (intent === undefined || each.payment_intent === intent) &&
          within(each.created, created),
      );
      return listOf(call, rows, all, page);
    },
  ),
];

interface RefundParams {
  readonly amount: number | undefined;
  readonly metadata: Record<string, string> | undefined;
  readonly reason: Stripe.Refund.Reason | undefined;
}

function createRefund(
  state: AccountState,
  charge: Stripe.Charge,
  params: RefundParams,
): Stripe.Refund {
  const left = charge.amount - charge.amount_refunded;
  const amount = params.amount ?? left;
  checkUndisputed(state, charge);
  checkRefundable(charge, amount, left);
  const refund = newRefund(state, charge, {
    amount,
    reason: params.reason ?? null,
    metadata: params.metadata ?? {},
  });
  state.refunds.add(refund);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  begin(state, refund);
  settleWarning(state, charge);
  state.emit('refund.created', refund);
  state.emit('charge.refunded', charge);
  return refund;
}

function begin(state: AccountState, refund: Stripe.Refund): void {
  const charge = state.charges.get(String(refund.charge), 'charge');
  const { refunds } = state.cardOf(String(charge.payment_method)).card;
  if (state.plans.heldRefunds > 0) {
    state.plans.heldRefunds -= 1;
    refund.status = 'requires_action';
    return;
  }
  refund.balance_transaction = move(state, {
    type: 'refund',
    category: 'refund',
    amount: -refund.amount,
    currency: refund.currency,
    source: refund.id,
    description: `REFUND FOR CHARGE`,
  }).id;
  if (refunds === 'pending') {
    refund.status = 'pending';
    refund.pending_reason = 'processing';
    state.later(LATER_SECONDS, () => {
      if (refund.status !== 'pending') return;
      refund.status = 'succeeded';
      delete refund.pending_reason;
      announce(state, refund, 'pending');
    });
  }
  if (refunds === 'failLater') state.later(LATER_SECONDS, () => failRefund(state, refund));
}

/** The bank sent the money back: it returns to the balance. */
export function failRefund(
  state: AccountState,
  refund: Stripe.Refund,
  reason = 'lost_or_stolen_card',
): void {
  if (refund.status === 'failed' || refund.status === 'canceled') return;
  refund.failure_reason = reason;
  giveBack(state, refund, 'failed');
}

function giveBack(state: AccountState, refund: Stripe.Refund, status: 'failed' | 'canceled'): void {
  const before = refund.status;
  const charge = state.charges.get(String(refund.charge), 'charge');
  refund.status = status;
  delete refund.pending_reason;
  if (refund.balance_transaction !== null) {
    refund.failure_balance_transaction = move(state, {
      type: 'refund_failure',
      category: 'refund_failure',
      amount: refund.amount,
      currency: refund.currency,
      source: refund.id,
      description: 'REFUND FAILURE',
    }).id;
  }
  charge.amount_refunded -= refund.amount;
  charge.refunded = false;
  announce(state, refund, before);
  if (status === 'failed') state.emit('refund.failed', refund);
}

function announce(state: AccountState, refund: Stripe.Refund, before: string | null): void {
  state.emit('refund.updated', refund, { status: before });
  state.emit('charge.refund.updated', refund, { status: before });
}

function chargeToRefund(
  state: AccountState,
  given: { readonly charge: string | undefined; readonly payment_intent: string | undefined },
): Stripe.Charge {
  if (given.charge !== undefined) return state.charges.get(given.charge, 'charge', 400);
  if (given.payment_intent === undefined) {
    throw invalidRequest(
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  }
  const intent = state.paymentIntents.get(given.payment_intent, 'payment_intent', 400);
  const charge = intent.latest_charge;
  if (typeof charge !== 'string') {
    throw invalidRequest(
      `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      { param: 'payment_intent' },
    );
  }
  return state.charges.get(charge, 'charge', 400);
}

function checkRefundable(charge: Stripe.Charge, amount: number, left: number): void {
  if (charge.status !== 'succeeded') {
    throw invalidRequest(`Charge ${charge.id} has not succeeded; cannot issue a refund.`, {
      param: 'charge',
    });
  }
  if (!charge.captured) {
    throw invalidRequest(
      `Charge ${charge.id} has not been captured; cancel its PaymentIntent instead.`,
      { param: 'charge' },
    );
  }
  if (charge.refunded) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    });
  }
  if (amount < 1) {
    throw invalidRequest('This value must be greater than or equal to 1.', {
      param: 'amount',
      code: 'parameter_invalid_integer',
    });
  }
  if (amount > left) {
    const what = left === charge.amount ? 'charge amount' : 'unrefunded amount on charge';
    throw invalidRequest(`Refund amount (${amount}) is greater than ${what} (${left})`, {
      param: 'amount',
    });
  }
  checkUnits(amount, charge.currency, 'amount');
}
