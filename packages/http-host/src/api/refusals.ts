/** Maps refusals of the engine to code, text and pointers. */

import { toDecimal } from '@counterfoil/core';
import {
  type Refusal as EngineRefusal,
  type RefusalCode,
  type Refused,
  refusalOf,
  type UnknownReference,
} from '@counterfoil/engine';
import {
  type ErrorCode,
  type ErrorDetail,
  isTransient,
  type Refusal,
  refuse,
} from '../http/errors.ts';

interface Row<Each> {
  readonly code: ErrorCode;
  /** A sentence with the facts; absent where the title of the code is enough. */
  readonly text?: string | ((facts: Each) => string);
  readonly errors?: (facts: Each) => readonly ErrorDetail[];
}

type Of<Code extends RefusalCode> = Extract<EngineRefusal, { type: Code }>;
type Rows<Code extends RefusalCode = RefusalCode> = { readonly [Each in Code]: Row<Of<Each>> };

const AMOUNT_FAULTS = {
  NotAnAmount: 'Not an amount that can be booked',
  TooManyDecimals: 'Has more decimals than the currency',
  AmountTooLarge: 'Larger than any amount that is taken',
} as const;

const PAYMENTS = {
  TransactionUnknown: { code: 'not_found' },
  TransactionExists: { code: 'duplicate' },
  UnknownCurrency: {
    code: 'currency_unknown',
    text: ({ currency }) => `${currency} is not a currency of ISO 4217`,
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
      ['/card', '/token'].map((pointer) => ({ pointer, detail: 'Send either card or token' })),
  },
  CardInvalid: {
    code: 'card_invalid',
    errors: ({ faults }) =>
      faults.map(({ field, detail }) => ({ pointer: `/card/${field}`, detail })),
  },
  AmountInvalid: {
    code: 'amount_precision',
    errors: ({ field, reason }) => [{ pointer: `/${field}`, detail: AMOUNT_FAULTS[reason] }],
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
  GatewayBusy: { code: 'overloaded', text: 'Too many calls of the gateway are under way' },
  GatewayUnknown: { code: 'gateway_error' },
} as const satisfies Partial<Rows>;

const REFUNDS = {
  RefundExists: { code: 'duplicate' },
  RefundUnknown: { code: 'not_found' },
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
} as const satisfies Partial<Rows>;

const CUSTOMERS = {
  CustomerUnknown: { code: 'not_found' },
  CustomerExists: { code: 'duplicate' },
  CustomerErased: { code: 'customer_erased' },
  EmailTaken: {
    code: 'duplicate',
    text: 'The email belongs to another customer',
    errors: () => [{ pointer: '/email', detail: 'Belongs to another customer' }],
  },
  TooManyEmails: {
    code: 'limit_reached',
    text: ({ max }) => `A customer can have ${max} emails in all`,
  },
  PaymentMethodUnknown: { code: 'not_found' },
  PaymentMethodExists: { code: 'duplicate' },
  TooManyPaymentMethods: {
    code: 'limit_reached',
    text: ({ max }) => `A customer can have ${max} payment methods; remove one first`,
  },
  ErasureNotRequested: { code: 'internal_error' },
} as const satisfies Partial<Rows>;

const SUBSCRIPTIONS = {
  SubscriptionUnknown: { code: 'not_found' },
  SubscriptionExists: { code: 'duplicate' },
  RebillAmountNotPositive: {
    code: 'amount_not_positive',
    text: 'The amount of a rebill must be greater than zero',
  },
  SubscriptionInactive: {
    code: 'subscription_state',
    text: ({ unsubscribedAt }) => `The subscription ended at ${unsubscribedAt}`,
  },
  SubscriptionIsFrozen: {
    code: 'subscription_state',
    text: ({ frozenAt }) => `The subscription is frozen since ${frozenAt}`,
  },
  RebillNotDue: { code: 'subscription_state', text: 'The rebill is not due yet' },
  RebillOutOfOrder: {
    code: 'subscription_state',
    text: ({ cycle, attempt, nextCycle, nextAttempt }) =>
      `Try ${nextAttempt} of cycle ${nextCycle} is next, not ${attempt} of ${cycle}`,
  },
  RebillUnknown: { code: 'not_found' },
} as const satisfies Partial<Rows>;

const TENANTS = {
  TenantUnknown: { code: 'not_found' },
  TenantExists: { code: 'duplicate' },
  KeyUnknown: { code: 'not_found' },
  KeyExists: { code: 'duplicate' },
  KeyNotActive: { code: 'key_not_active' },
  ExpiryInThePast: {
    code: 'invalid_request',
    text: ({ expiresAt }) => `The expiry ${expiresAt} has passed`,
  },
  OverlapOutOfRange: {
    code: 'invalid_request',
    text: ({ max }) => `The overlap is 0 to ${max} days`,
  },
  LeadKeyNeedsApplication: {
    code: 'invalid_request',
    text: 'A lead key is bound to an application',
  },
  RetriesNotAscending: {
    code: 'invalid_request',
    text: ({ retryAfterDays }) =>
      `The days of retries must ascend, not ${retryAfterDays.join(', ')}`,
  },
  MerchantAccountUnknown: { code: 'not_found' },
  MerchantAccountExists: { code: 'duplicate' },
  DefaultCurrencyNotHeld: {
    code: 'invalid_request',
    text: ({ currency }) => `currencies does not hold the default currency ${currency}`,
  },
  FeeTooFine: {
    code: 'amount_precision',
    text: ({ field, currency }) => `${field} has more decimals than ${currency}`,
  },
  ReservedApplicationId: {
    code: 'invalid_request',
    text: ({ applicationId }) =>
      `An application of your own has an id from 100 on, not ${applicationId}`,
  },
  ReferenceUnknown: {
    code: 'reference_unknown',
    errors: ({ references }) =>
      references.map((each) => ({ pointer: `/${each.field}`, detail: textOfReference(each) })),
  },
  CompanyRequired: {
    code: 'reference_unknown',
    errors: () => [{ pointer: '/companyId', detail: 'Name one of your companies' }],
  },
} as const satisfies Partial<Rows>;

const CLOCK = {
  ClockCannotGoBack: atNow(({ now }) => `The clock only goes forward, and it is ${now}`),
  ClockMoveTooLong: atNow(
    ({ now, maxYears }) => `The clock moves at most ${maxYears} years at once, and it is ${now}`,
  ),
  ClockBeyondEnd: atNow(({ end }) => `The clock goes no further than ${end}`),
  ClockHeldUp: {
    code: 'overloaded',
    text: ({ reason, now }) => `${reason}; the test clock stands at ${now}`,
  },
} as const satisfies Partial<Rows>;

/** The response to an append or a commit may have been lost. */
const MAY_BE_DONE = 'repeat under the same Idempotency-Key, for it may have been done';

const EVERYWHERE = {
  IdempotencyKeyReused: { code: 'idempotency_key_reused' },
  ConcurrentUpdate: { code: 'concurrent_update' },
  StaleRowVersion: {
    code: 'stale_row_version',
    text: ({ current, rowVersion }) => `rowVersion is ${current}, not ${rowVersion}`,
  },
  BlockSizeOutOfRange: { code: 'internal_error' },
  SequenceExhausted: { code: 'internal_error' },
  PageOutOfReach: { code: 'page_out_of_reach' },
  StreamBusy: { code: 'overloaded', text: 'Too many concurrent requests for the same stream' },
  ReadModelsBehind: {
    code: 'overloaded',
    text: 'The read models are behind; repeat in a moment',
  },
  ReadModelsBuilding: {
    code: 'overloaded',
    text: 'The read models are being built; repeat in a moment',
  },
  LogUnavailable: {
    code: 'overloaded',
    text: `The log cannot be reached at the moment; ${MAY_BE_DONE}`,
  },
  LogReadOnly: {
    code: 'overloaded',
    text: 'The log takes no events at the moment; nothing was done',
  },
  DatabaseUnavailable: {
    code: 'overloaded',
    text: `A database does not answer at the moment; ${MAY_BE_DONE}`,
  },
  SharedDatabaseUnavailable: {
    code: 'overloaded',
    text: 'The shared database is unavailable; nothing was done',
  },
} as const satisfies Partial<Rows>;

/** Every refusal of the engine: the table does not compile while one is missing. */
export const REFUSALS: Rows = {
  ...PAYMENTS,
  ...REFUNDS,
  ...CUSTOMERS,
  ...SUBSCRIPTIONS,
  ...TENANTS,
  ...CLOCK,
  ...EVERYWHERE,
};

const RETRY = { 'Retry-After': '1' };

/** Converts a refusal of the engine to one of the interface. */
export function wireRefusal(refusal: EngineRefusal): Refusal {
  const { code, text, errors } = REFUSALS[refusal.type] as Row<EngineRefusal>;
  return refuse(code, typeof text === 'function' ? text(refusal) : text, {
    ...(errors !== undefined && { errors: errors(refusal) }),
    ...(code !== 'gateway_error' && isTransient(code) && { headers: RETRY }),
  });
}

/** Converts an error of the engine; undefined for a defect. */
export function wireRefusalOf(error: unknown): Refusal | undefined {
  const refused: Refused | undefined = refusalOf(error);
  return refused && wireRefusal(refused.refusal);
}

function atNow<Code extends RefusalCode>(detailOf: (facts: Of<Code>) => string): Row<Of<Code>> {
  return {
    code: 'invalid_request',
    text: detailOf,
    errors: (facts) => [{ pointer: '/now', detail: detailOf(facts) }],
  };
}

function textOfReference({ field, id, companyId }: UnknownReference): string {
  const unknown = `There is no ${field} ${id}`;
  return companyId === undefined ? unknown : `${unknown} of company ${companyId}`;
}

function money(minor: bigint, currency: string): string {
  return `${toDecimal(minor, currency)} ${currency}`;
}
