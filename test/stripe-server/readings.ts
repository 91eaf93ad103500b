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
  const sum = (amounts: readonly number[]) =>
    amounts.reduce((total, each) => total + BigInt(each), 0n);
  const charges = () => all((state) => state.charges.newestFirst());
  const refunds = () => all((state) => state.refunds.newestFirst());
  return {
    takenMinor: (currency) =>
      sum(
        charges()
          .filter((charge) => charge.currency === currency && charge.captured)
          .map((charge) => charge.amount_captured),
      ),
    refundedMinor: (currency) =>
      sum(
        refunds()
          .filter((refund) => refund.currency === currency && isGivenBack(refund))
          .map((refund) => refund.amount),
      ),
    paymentIntents: () => all((state) => state.paymentIntents.newestFirst()),
    charges,
    refunds,
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
