/** What payments and refunds are refused with, beside the rejections of the core. */
import type { Routing, TransactionId } from '@counterfoil/core';
import type { CardFault } from '../gateways/card-number.ts';

export type PaymentRefusal =
  /** The customer id is not that of the customer with this email. */
  | { readonly type: 'CustomerMismatch'; readonly customerId: number }
  /** The id is that of a child of this payment; only payments are refunded. */
  | { readonly type: 'NotAPayment'; readonly paymentId: TransactionId }
  /** Not exactly one of card, token and gateway token was given. */
  | { readonly type: 'CardOrToken' }
  | { readonly type: 'CardInvalid'; readonly faults: readonly CardFault[] }
  | { readonly type: 'TokenUnknown' }
  /** The payment's gateway does not move such a part, as where it has fewer decimals than the currency. */
  | { readonly type: 'AmountNotTaken'; readonly amountMinor: bigint; readonly currency: string }
  /** No merchant account takes the payment: each that was tried, with its reason. */
  | {
      readonly type: 'NoMerchantAccount';
      readonly skipped: readonly Pick<
        Routing.Routing['skipped'][number],
        'merchantAccountId' | 'reason'
      >[];
    };

/** The same request may be accepted later. */
export type TransientPaymentRefusal =
  /** Another process works on the same payment; nothing was done. */
  { readonly type: 'PaymentBusy' };
