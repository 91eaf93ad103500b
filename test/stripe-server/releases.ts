/** Authorized money that is given back uncaptured: Stripe shows it as a refund that moved nothing. */
import type Stripe from 'stripe';
import type { AccountState } from './state.ts';

export function release(
  state: AccountState,
  charge: Stripe.Charge,
  amount: number,
  reason: 'expired_uncaptured_charge' | null,
): void {
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  state.refunds.add(newRefund(state, charge, { amount, reason, metadata: {} }));
  state.emit('charge.refunded', charge);
}

export interface RefundParts {
  readonly amount: number;
  readonly reason: Stripe.Refund.Reason | null;
  readonly metadata: Record<string, string>;
}

export function newRefund(
  state: AccountState,
  charge: Stripe.Charge,
  { amount, reason, metadata }: RefundParts,
): Stripe.Refund {
  return {
    id: state.id('re'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: state.now(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: { type: 'card', card: { type: 'refund' } },
    metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}
