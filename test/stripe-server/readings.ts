/** What tests read of a running server. */
import type Stripe from 'stripe';
import type { Api, SeenRequest } from './server.ts';
import type { AccountState } from './state.ts';

export interface Readings {
  /** Captured, in Stripe's units of the currency (`usd`), over all accounts. */
  takenMinor(currency: string): bigint;
  /** Given back by refunds that did not fail, in the same units. */
  refundedMinor(currency: string): bigint;
  /** Copies, newest first, over all accounts. */
  paymentIntents(): readonly Stripe.PaymentIntent[];
  charges(): readonly Stripe.Charge[];
  refunds(): readonly Stripe.Refund[];
  disputes(): readonly Stripe.Dispute[];
  balanceTransactions(): readonly Stripe.BalanceTransaction[];
  payouts(): readonly Stripe.Payout[];
  events(): readonly Stripe.EventBase[];
  /** What was asked, oldest first. */
  requests(): readonly SeenRequest[];
  /** What did not hold to the published document; empty without `STRIPE_OPENAPI`. */
  mismatches(): readonly string[];
  /** For a test that sends what the document forbids. */
  forgetMismatches(): void;
}

export function readingsOf(api: Api, states: () => readonly AccountState[]): Readings {
  const all = <T>(read: (state: AccountState) => readonly T[]): readonly T[] =>
    structuredClone(states().flatMap(read));
  const sum = <T>(read: (state: AccountState) => readonly T[], amount: (row: T) => number) =>
    states()
      .flatMap(read)
      .reduce((total, row) => total + BigInt(amount(row)), 0n);
  return {
    takenMinor: (currency) =>
      sum(
        (state) => state.charges.newestFirst(),
        (charge) => (charge.currency === currency ? charge.amount_captured : 0),
      ),
    refundedMinor: (currency) =>
      sum(
        (state) => state.refunds.newestFirst(),
        (refund) => (refund.currency === currency && isGivenBack(refund) ? refund.amount : 0),
      ),
    paymentIntents: () => all((state) => state.paymentIntents.newestFirst()),
    charges: () => all((state) => state.charges.newestFirst()),
    refunds: () => all((state) => state.refunds.newestFirst()),
    disputes: () => all((state) => state.disputes.newestFirst()),
    balanceTransactions: () => all((state) => state.balanceTransactions.newestFirst()),
    payouts: () => all((state) => state.payouts.newestFirst()),
    events: () => all((state) => state.events.newestFirst()),
    requests: () => [...api.requests],
    mismatches: () => [...api.mismatches],
    forgetMismatches() {
      api.mismatches.length = 0;
    },
  };
}

/** Released authorizations moved nothing. */
function isGivenBack(refund: Stripe.Refund): boolean {
  return (
    refund.balance_transaction !== null &&
    (refund.status === 'succeeded' || refund.status === 'pending')
  );
}
