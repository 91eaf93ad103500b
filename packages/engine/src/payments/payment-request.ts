/** A payment as it is asked for. */
import type { Subscription, TenantId, Transaction, TransactionId } from '@counterfoil/core';
import type { Instrument } from './cards.ts';

/** The order fields given by the caller; the rest is looked up, allocated or derived. */
export type GivenOrder = Pick<
  Transaction.Order,
  | 'sandbox'
  | 'email'
  | 'firstName'
  | 'lastName'
  | 'amountMinor'
  | 'currency'
  | 'captureMode'
  | 'applicationId'
  | 'shopId'
  | 'campaignId'
  | 'affiliateId'
  | 'productId'
  | 'pricePointId'
  | 'walletPayA'
  | 'walletPayB'
  | 'partnerSession'
  | 'serviceSession'
  | 'items'
  | 'addresses'
  | 'session'
>;

export interface PaymentRequest {
  readonly tenantId: TenantId;
  readonly transactionId: TransactionId;
  /** The request as it was made: what distinguishes a repetition from another use of its id. */
  readonly content: unknown;
  /** Business time. Default: now. */
  readonly at?: string;
  readonly order: GivenOrder;
  /** What the payment subscribes to once it is captured. */
  readonly plans?: readonly Subscription.Plan[];
  readonly orderId?: number;
  readonly customerId?: number;
  readonly companyId?: number;
  readonly merchantAccountId?: number;
  readonly instrument: Instrument;
}

/** What names the company of a request, and other definitions. */
export type Referring = Pick<PaymentRequest, 'tenantId' | 'companyId' | 'merchantAccountId'> & {
  readonly order: Pick<
    GivenOrder,
    'applicationId' | 'shopId' | 'campaignId' | 'affiliateId' | 'productId' | 'pricePointId'
  >;
};

/** What recognises a payment that was submitted before, and all that a repetition needs. */
export type NamedPayment = Pick<PaymentRequest, 'tenantId' | 'transactionId' | 'content' | 'at'> & {
  readonly cvv?: string | undefined;
};
