/** The part of the port by which a gateway says what it has paid out, line by line. */
import type { Transaction } from '@counterfoil/core';
import type { AccountContext } from './gateway-account.ts';

/** Money that the gateway has sent to the bank of an account. */
export interface GatewayPayout {
  readonly id: string;
  /** By the gateway's clock (ISO 8601, GMT). */
  readonly madeAt: string;
  /** The day on which the bank has it (`yyyy-mm-dd`). */
  readonly settledDate: string;
  /**
   * `waiting`: it is on its way, or its lines are not known yet. `unlisted`: the gateway never says what it
   * is made of.
   */
  readonly status: 'waiting' | 'listed' | 'unlisted';
  readonly currency: string;
  /** Negative where it was taken from the bank. Null where the ledger does not have such an amount. */
  readonly amountMinor: bigint | null;
}

interface PayoutPart {
  /** Unique in the account. */
  readonly reference: string;
  /** What it adds to the payout, after fees. Null where the ledger does not have such an amount. */
  readonly netMinor: bigint | null;
}

/** A part of a payout. */
export type GatewayPayoutLine =
  | (PayoutPart & {
      readonly type: 'movement';
      readonly kind: Transaction.SettlementKind;
      /** The ledger's id of the payment, from what the gateway keeps with it; empty where it has none. */
      readonly paymentId: string;
      /** Of the capture, the refund, or the payment of a chargeback; empty for what is about no payment. */
      readonly gatewayTransactionId: string;
      /** Positive, before fees. */
      readonly amountMinor: bigint;
      /** One that the ledger has (ISO 4217). */
      readonly currency: string;
      readonly feeMinor: bigint;
    })
  /** An earlier payout that came back: its lines were listed with it. */
  | (PayoutPart & { readonly type: 'returned-payout' })
  /** What cannot be said as a line of a settlement file. */
  | (PayoutPart & { readonly type: 'other'; readonly detail: string });

export interface PayoutPage {
  readonly payouts: readonly GatewayPayout[];
  /** `after` of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

export interface PayoutLinePage {
  readonly lines: readonly GatewayPayoutLine[];
  readonly next: string | undefined;
}

export interface GatewaySettlements {
  /** Accounts with the same text get the same payouts; undefined for one that cannot be asked. Pure. */
  scopeOf(context: AccountContext): string | undefined;
  /** Those that were made at a time or later, in any order. */
  payouts(
    from: { readonly since: string; readonly after?: string },
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<PayoutPage>;
  /** What a listed payout is made of. */
  linesOf(
    payoutId: string,
    from: { readonly after?: string },
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<PayoutLinePage>;
}
