/** What callers are told when the domain says no: the one way from a rejection to an error code. */
import {
  type Customer,
  type EmailClaim,
  type MerchantAccount,
  type MonthlyCap,
  never,
  type Reference,
  type Sequence,
  type Subscription,
  type Tenant,
  type Transaction,
  toDecimal,
} from '@counterfoil/core';
import { type ErrorCode, type Refusal, refuse } from '../http/errors.ts';

export type DomainRejection =
  | Customer.Rejection
  | EmailClaim.Rejection
  | MerchantAccount.Rejection
  | MonthlyCap.Rejection
  | Reference.Rejection
  | Sequence.Rejection
  | Subscription.Rejection
  | Tenant.Rejection
  | Transaction.Rejection;

/** Every rejection of every aggregate: the compiler refuses this table while one is missing. */
export const CODE_OF_REJECTION = {
  TransactionUnknown: 'not_found',
  TransactionExists: 'duplicate',
  UnknownCurrency: 'currency_unknown',
  AmountNotPositive: 'amount_not_positive',
  WrongStatus: 'payment_state',
  AttemptUnknown: 'payment_state',
  RequestUnderWay: 'payment_state',
  RequestFailedBefore: 'payment_state',
  RequestUnknown: 'payment_state',
  CaptureExceedsAuthorization: 'capture_exceeds_authorized',
  VoidAfterRefund: 'payment_state',
  ReleaseExceedsReserve: 'payment_state',
  RefundExists: 'duplicate',
  NotRefundable: 'not_refundable',
  RefundBlockedByChargeback: 'not_refundable',
  RefundWindowClosed: 'not_refundable',
  NothingLeftToRefund: 'not_refundable',
  RefundExceedsRemaining: 'refund_exceeds_refundable',
  RefundItemsNotAllowed: 'refund_items_invalid',
  RefundItemsRequired: 'refund_items_required',
  RefundItemUnknown: 'refund_items_invalid',
  RefundQuantityExceeded: 'refund_items_invalid',
  RefundItemExceedsLine: 'refund_items_invalid',
  RefundAdjustmentExceedsOrder: 'refund_items_invalid',
  RefundItemsIncomplete: 'refund_items_required',
  RefundUnknown: 'not_found',
  ChargebackUnknown: 'not_found',
  AlertUnknown: 'not_found',
  ChildExists: 'duplicate',
  TenantUnknown: 'not_found',
  TenantExists: 'duplicate',
  KeyUnknown: 'not_found',
  KeyExists: 'duplicate',
  KeyNotActive: 'key_not_active',
  ExpiryInThePast: 'invalid_request',
  OverlapOutOfRange: 'invalid_request',
  LeadKeyNeedsApplication: 'invalid_request',
  RetriesNotAscending: 'invalid_request',
  CustomerUnknown: 'not_found',
  CustomerExists: 'duplicate',
  CustomerErased: 'customer_erased',
  TooManyEmails: 'limit_reached',
  PaymentMethodUnknown: 'not_found',
  PaymentMethodExists: 'duplicate',
  TooManyPaymentMethods: 'limit_reached',
  ErasureNotRequested: 'internal_error',
  MerchantAccountUnknown: 'not_found',
  MerchantAccountExists: 'duplicate',
  StaleRowVersion: 'stale_row_version',
  DefaultCurrencyNotHeld: 'invalid_request',
  FeeTooFine: 'amount_precision',
  ReservedApplicationId: 'invalid_request',
  SubscriptionUnknown: 'not_found',
  SubscriptionExists: 'duplicate',
  RebillAmountNotPositive: 'amount_not_positive',
  SubscriptionInactive: 'subscription_state',
  SubscriptionIsFrozen: 'subscription_state',
  RebillNotDue: 'subscription_state',
  RebillOutOfOrder: 'subscription_state',
  RebillUnknown: 'not_found',
  OverMonthlyCap: 'no_merchant_account',
  BlockSizeOutOfRange: 'internal_error',
  SequenceExhausted: 'internal_error',
} as const satisfies Record<DomainRejection['type'], ErrorCode>;

export function refusalOf(rejection: DomainRejection): Refusal {
  return refuse(CODE_OF_REJECTION[rejection.type], messageOf(rejection));
}

/** A sentence with the facts of the rejection; undefined where the code's own title says it all. */
function messageOf(rejection: DomainRejection): string | undefined {
  switch (rejection.type) {
    case 'UnknownCurrency':
      return `${rejection.currency} is not a currency of ISO 4217`;
    case 'AmountNotPositive':
      return 'The amount must be greater than zero';
    case 'WrongStatus':
      return `The status ${rejection.status} does not allow this`;
    case 'RequestUnderWay':
      return `A ${rejection.request} of this payment is under way`;
    case 'RequestFailedBefore':
      return `The gateway refused this ${rejection.request} before; try again with a new key`;
    case 'CaptureExceedsAuthorization': {
      const { requestedMinor, authorizedMinor, currency } = rejection;
      return `${money(requestedMinor, currency)} is more than the ${money(authorizedMinor, currency)} authorized`;
    }
    case 'VoidAfterRefund':
      return 'Money of this payment has been given back; it can only be refunded further';
    case 'NotRefundable':
      return `A transaction in status ${rejection.status} cannot be refunded`;
    case 'RefundBlockedByChargeback':
      return 'A chargeback holds the money of this transaction';
    case 'RefundWindowClosed':
      return `The refund window of ${rejection.refundWindowDays} days has passed`;
    case 'NothingLeftToRefund':
      return 'Nothing is left to refund';
    case 'RefundExceedsRemaining': {
      const { requestedMinor, remainingMinor, currency } = rejection;
      return `${money(requestedMinor, currency)} is more than the ${money(remainingMinor, currency)} that can still be refunded`;
    }
    case 'RefundItemsNotAllowed':
      return 'refundItems applies to ecommerce transactions only';
    case 'RefundItemUnknown':
      return `StorefrontVariantId ${rejection.storefrontVariantId} is not part of the order`;
    case 'RefundQuantityExceeded': {
      const { storefrontVariantId, requested, remaining } = rejection;
      return `Quantity ${requested} of StorefrontVariantId ${storefrontVariantId} is more than the ${remaining} left to refund`;
    }
    case 'RefundItemExceedsLine': {
      const { storefrontVariantId, requestedMinor, remainingMinor, currency } = rejection;
      return `${money(requestedMinor, currency)} for StorefrontVariantId ${storefrontVariantId} is more than the ${money(remainingMinor, currency)} left of its line`;
    }
    case 'RefundAdjustmentExceedsOrder': {
      const { requestedMinor, remainingMinor, currency } = rejection;
      return `Adjustments of ${money(requestedMinor, currency)} are more than the ${money(remainingMinor, currency)} left of the order beyond its lines`;
    }
    case 'RefundItemsIncomplete': {
      const { itemsMinor, amountMinor, currency } = rejection;
      return `refundItems add up to ${money(itemsMinor, currency)}, not to the amount of ${money(amountMinor, currency)}`;
    }
    case 'TooManyEmails':
      return `A customer can have ${rejection.max} emails in all`;
    case 'TooManyPaymentMethods':
      return `A customer can have ${rejection.max} payment methods; remove one first`;
    case 'StaleRowVersion':
      return `rowVersion is ${rejection.current}, not ${rejection.rowVersion}`;
    case 'FeeTooFine':
      return `${rejection.field} has more decimals than ${rejection.currency}`;
    case 'DefaultCurrencyNotHeld':
      return `currencies does not hold the default currency ${rejection.currency}`;
    case 'ReservedApplicationId':
      return `An application of your own has an id from 100 on, not ${rejection.applicationId}`;
    case 'ExpiryInThePast':
      return `The expiry ${rejection.expiresAt} has passed`;
    case 'OverlapOutOfRange':
      return `The overlap is 0 to ${rejection.max} days`;
    case 'LeadKeyNeedsApplication':
      return 'A lead key is bound to an application';
    case 'RetriesNotAscending':
      return `The days of retries must ascend, not ${rejection.retryAfterDays.join(', ')}`;
    case 'RebillAmountNotPositive':
      return 'The amount of a rebill must be greater than zero';
    case 'SubscriptionInactive':
      return `The subscription ended at ${rejection.unsubscribedAt}`;
    case 'SubscriptionIsFrozen':
      return `The subscription is frozen since ${rejection.frozenAt}`;
    case 'RebillNotDue':
      return 'The rebill is not due yet';
    case 'RebillOutOfOrder':
      return `Try ${rejection.nextAttempt} of cycle ${rejection.nextCycle} is next, not ${rejection.attempt} of ${rejection.cycle}`;
    case 'SubscriptionUnknown':
    case 'SubscriptionExists':
    case 'RebillUnknown':
    case 'TransactionUnknown':
    case 'TransactionExists':
    case 'AttemptUnknown':
    case 'RequestUnknown':
    case 'ReleaseExceedsReserve':
    case 'RefundExists':
    case 'RefundItemsRequired':
    case 'RefundUnknown':
    case 'ChargebackUnknown':
    case 'AlertUnknown':
    case 'ChildExists':
    case 'TenantUnknown':
    case 'TenantExists':
    case 'KeyUnknown':
    case 'KeyExists':
    case 'KeyNotActive':
    case 'CustomerUnknown':
    case 'CustomerExists':
    case 'CustomerErased':
    case 'PaymentMethodUnknown':
    case 'PaymentMethodExists':
    case 'ErasureNotRequested':
    case 'MerchantAccountUnknown':
    case 'MerchantAccountExists':
    case 'OverMonthlyCap':
    case 'BlockSizeOutOfRange':
    case 'SequenceExhausted':
      return undefined;
    default:
      return never(rejection);
  }
}

function money(minor: bigint, currency: string): string {
  return `${toDecimal(minor, currency)} ${currency}`;
}
