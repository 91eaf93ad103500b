/** What banks, cardholders and Stripe itself do later, at a test's word. */
import type Stripe from 'stripe';
import { move } from './balance.ts';
import { escalate, loseDispute, openDispute, winDispute } from './disputes.ts';
import { failPayout, type PayoutParts, payOut, reconcile } from './payouts.ts';
import { failRefund } from './refunds.ts';
import type { AccountState } from './state.ts';
import { warnOfFraud } from './warnings.ts';

export interface DisputeRequest {
  /** The id of a charge or of a PaymentIntent. */
  readonly of: string;
  /** What was captured if not given. */
  readonly amount?: number;
  /** `fraudulent` if not given. */
  readonly reason?: string;
  /** An inquiry moves no money. */
  readonly inquiry?: boolean;
  readonly networkReasonCode?: string;
}

export interface BankControls {
  /** The bank sends a refund back. */
  failRefund(refund: string, reason?: string): void;
  /** Answers with the dispute's id. */
  createDispute(request: DisputeRequest): string;
  /** An inquiry becomes a dispute: the money is withdrawn. */
  escalateDispute(dispute: string): void;
  /** The money is reinstated, with `returnFee` the fee too; an inquiry is closed. */
  winDispute(dispute: string, options?: { readonly returnFee?: boolean }): void;
  loseDispute(dispute: string): void;
  /** @param of - A charge or a PaymentIntent. Answers with the warning's id. */
  createEarlyFraudWarning(of: string, fraudType?: string): string;
  /** Pays out what is available of a currency; undefined where that is nothing. */
  createPayout(payout: PayoutParts & { readonly account?: string }): string | undefined;
  /** Ends the reconciliation of a payout that was made with `reconciled: false`. */
  reconcilePayout(payout: string): void;
  failPayout(payout: string): void;
  /** A fee of Stripe's own, apart from payments. */
  chargeFee(fee: {
    readonly amount: number;
    readonly currency: string;
    readonly description: string;
  }): void;
  /** What was uploaded. */
  fileContent(file: string): Uint8Array;
}

export function bankControls(parts: {
  readonly states: () => readonly AccountState[];
  readonly account: string;
  readonly runDue: () => void;
}): BankControls {
  const states = parts.states;
  const owning = <T>(find: (state: AccountState) => T | undefined): [AccountState, T] => {
    for (const state of states()) {
      const found = find(state);
      if (found !== undefined) return [state, found];
    }
    throw new Error('The server has no such object');
  };
  const chargeOf = (of: string) =>
    owning((state): Stripe.Charge | undefined => {
      const intent = state.paymentIntents.find(of);
      return state.charges.find(intent === undefined ? of : String(intent.latest_charge));
    });
  const disputeOf = (id: string) => owning((state) => state.disputes.find(id));
  const payoutOf = (id: string) => owning((state) => state.payouts.find(id));
  const stateOf = (account: string): AccountState => {
    const [state] = owning((each) =>
      each.account.id === account && !each.livemode ? each : undefined,
    );
    return state;
  };
  return {
    failRefund(id, reason) {
      const [state, refund] = owning((each) => each.refunds.find(id));
      failRefund(state, refund, reason);
    },
    createDispute({ of, reason = 'fraudulent', inquiry = false, ...rest }) {
      const [state, charge] = chargeOf(of);
      return openDispute(state, charge, { reason, inquiry, ...rest }).id;
    },
    escalateDispute: (id) => escalate(...disputeOf(id)),
    winDispute: (id, options) => winDispute(...disputeOf(id), options),
    loseDispute: (id) => loseDispute(...disputeOf(id)),
    createEarlyFraudWarning(of, fraudType = 'misc') {
      const [state, charge] = chargeOf(of);
      return warnOfFraud(state, charge, fraudType).id;
    },
    createPayout({ account = parts.account, ...payout }) {
      parts.runDue();
      return payOut(stateOf(account), payout)?.id;
    },
    reconcilePayout: (id) => reconcile(...payoutOf(id)),
    failPayout: (id) => failPayout(...payoutOf(id)),
    chargeFee({ amount, currency, description }) {
      const state = stateOf(parts.account);
      move(state, {
        type: 'stripe_fee',
        category: 'fee',
        amount: -amount,
        currency,
        source: null,
        description,
      });
    },
    fileContent(id) {
      const [, content] = owning((state) => state.fileContents.get(id));
      return content;
    },
  };
}
