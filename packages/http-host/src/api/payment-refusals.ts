/** What callers are answered when a payment or a refund is refused. */
import { MAX_AMOUNT_MINOR, toDecimal } from '@counterfoil/core';
import { rows } from './slice.ts';

export const PAYMENT_REFUSALS = rows({
  TransactionUnknown: { code: 'not_found' },
  TransactionExists: { code: 'duplicate' },
  UnknownCurrency: {
    code: 'currency_unknown',
    text: ({ currency }) => `${currency} is not a currency of ISO 4217`,
    errors: () => [{ pointer: '/currency', detail: 'Not a currency of ISO 4217' }],
  },
  AmountNotPositive: { code: 'amount_not_positive', text: 'The amount must be greater than zero' },
  WrongStatus: {
    code: 'payment_state',
    text: ({ status }) => `The status ${status} does not allow this`,
  },
  AttemptUnknown: { code: 'payment_state' },
  RequestUnderWay: {
    code: 'payment_state',
    text: ({ request }) => `A ${request} of this payment is under way`,
  },
  RequestFailedBefore: {
    code: 'payment_state',
    text: ({ request }) => `The gateway refused this ${request} before; try again with a new key`,
  },
  RequestUnknown: { code: 'payment_state' },
  CaptureExceedsAuthorization: {
    code: 'capture_exceeds_authorized',
    text: ({ requestedMinor, authorizedMinor, currency }) =>
      `${money(requestedMinor, currency)} is more than the ${money(authorizedMinor, currency)} authorized`,
  },
  VoidAfterRefund: {
    code: 'payment_state',
    text: 'Money of this payment has been given back; it can only be refunded further',
  },
  ReleaseExceedsReserve: { code: 'payment_state' },
  ChargebackUnknown: { code: 'not_found' },
  AlertUnknown: { code: 'not_found' },
  ChildExists: { code: 'duplicate' },
  CustomerMismatch: {
    code: 'customer_mismatch',
    errors: ({ customerId }) => [
      { pointer: '/customer/id', detail: `${customerId} is not who has this email` },
    ],
  },
  EmailInvalid: {
    code: 'invalid_request',
    errors: () => [{ pointer: '/email', detail: 'must be an email address' }],
  },
  CardOrToken: {
    code: 'invalid_request',
    errors: () =>
      ['/card', '/token', '/gatewayToken'].map((pointer) => ({
        pointer,
        detail: 'Send one of card, token and gatewayToken',
      })),
  },
  CardInvalid: {
    code: 'card_invalid',
    errors: ({ faults }) =>
      faults.map(({ field, detail }) => ({ pointer: `/card/${field}`, detail })),
  },
  AmountInvalid: {
    code: 'invalid_request',
    errors: ({ field, currency, reason }) => [
      {
        pointer: pointerOf(field),
        detail:
          reason === 'NotAnAmount'
            ? 'Not an amount that can be booked'
            : `At most ${money(MAX_AMOUNT_MINOR, currency)}`,
      },
    ],
  },
  AmountTooFine: {
    code: 'amount_precision',
    errors: ({ field, currency, decimals }) => [
      { pointer: pointerOf(field), detail: `${currency} has ${decimals} decimals` },
    ],
  },
  AmountNotTaken: {
    code: 'invalid_request',
    errors: ({ amountMinor, currency }) => [
      {
        pointer: '/amount',
        detail: `The gateway of the payment does not move ${money(amountMinor, currency)}`,
      },
    ],
  },
  TokenUnknown: {
    code: 'token_unknown',
    errors: () => [{ pointer: '/token', detail: 'No card that this customer may pay with has it' }],
  },
  NoMerchantAccount: {
    code: 'no_merchant_account',
    errors: ({ skipped }) =>
      skipped.map(({ merchantAccountId, reason }) => ({
        pointer: '/merchantAccountId',
        detail: `${merchantAccountId}: ${reason}`,
      })),
  },
  OverMonthlyCap: { code: 'no_merchant_account' },
  PaymentBusy: { code: 'overloaded', text: 'Another host is processing this payment' },
  GatewayFailed: { code: 'gateway_error' },
  CredentialsRefused: {
    code: 'gateway_error',
    text: ({ merchantAccountId }) =>
      `The gateway refuses the credentials of merchant account ${merchantAccountId}`,
  },
  GatewayBusy: { code: 'overloaded', text: 'Too many calls of the gateway are under way' },
  GatewayUnknown: { code: 'gateway_error' },
});

export const REFUND_REFUSALS = rows({
  RefundExists: { code: 'duplicate' },
  RefundUnknown: { code: 'not_found' },
  NotAPayment: {
    code: 'not_refundable',
    text: ({ paymentId }) => `Only payments are refunded; this belongs to ${paymentId}`,
  },
  NotRefundable: {
    code: 'not_refundable',
    text: ({ status }) => `A transaction in status ${status} cannot be refunded`,
  },
  RefundBlockedByChargeback: {
    code: 'not_refundable',
    text: 'A chargeback holds the money of this transaction',
  },
  RefundWindowClosed: {
    code: 'not_refundable',
    text: ({ refundWindowDays }) => `The refund window of ${refundWindowDays} days has passed`,
  },
  NothingLeftToRefund: { code: 'not_refundable', text: 'Nothing is left to refund' },
  RefundExceedsRemaining: {
    code: 'refund_exceeds_refundable',
    text: ({ requestedMinor, remainingMinor, currency }) =>
      `${money(requestedMinor, currency)} is more than the ${money(remainingMinor, currency)} that can still be refunded`,
  },
  RefundItemsNotAllowed: {
    code: 'refund_items_invalid',
    text: 'refundItems applies to ecommerce transactions only',
  },
  RefundItemsRequired: { code: 'refund_items_required' },
  RefundItemUnknown: {
    code: 'refund_items_invalid',
    text: ({ storefrontVariantId }) =>
      `StorefrontVariantId ${storefrontVariantId} is not part of the order`,
  },
  RefundQuantityExceeded: {
    code: 'refund_items_invalid',
    text: ({ storefrontVariantId, requested, remaining }) =>
      `Quantity ${requested} of StorefrontVariantId ${storefrontVariantId} is more than the ${remaining} left to refund`,
  },
  RefundItemExceedsLine: {
    code: 'refund_items_invalid',
    text: ({ storefrontVariantId, requestedMinor, remainingMinor, currency }) =>
      `${money(requestedMinor, currency)} for StorefrontVariantId ${storefrontVariantId} is more than the ${money(remainingMinor, currency)} left of its line`,
  },
  RefundAdjustmentExceedsOrder: {
    code: 'refund_items_invalid',
    text: ({ requestedMinor, remainingMinor, currency }) =>
      `Adjustments of ${money(requestedMinor, currency)} are more than the ${money(remainingMinor, currency)} left of the order beyond its lines`,
  },
  RefundItemsIncomplete: {
    code: 'refund_items_required',
    text: ({ itemsMinor, amountMinor, currency }) =>
      `refundItems add up to ${money(itemsMinor, currency)}, not to the amount of ${money(amountMinor, currency)}`,
  },
});

/** The place in a body: parts of a refund have other names there. */
function pointerOf(field: string): string {
  return `/${field.replace(/^items\/(\d+)\/amount$/, 'refundItems/$1/Amount')}`;
}

function money(minor: bigint, currency: string): string {
  return `${toDecimal(minor, currency)} ${currency}`;
}
