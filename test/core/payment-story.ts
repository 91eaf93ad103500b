/** A payment for tests: its order, its route, and its events. */
import type { TenantId, Transaction, TransactionId } from '@counterfoil/core';

export type Event = Transaction.Event;
type EventOf<Type extends Event['type']> = Transaction.EventOf<Type>;

export const tenantId = 1 as TenantId;
export const transactionId = '0192f000-0000-7000-8000-000000000001' as TransactionId;

/** The nth id of a kind of thing: `idOf('refund', 2)` is always the same. */
export function idOf(
  kind: 'capture' | 'void' | 'refund' | 'chargeback' | 'alert' | 'release',
  n: number = 1,
): TransactionId {
  const digit = { capture: 'a', void: 'b', refund: 'c', chargeback: 'd', alert: 'e', release: 'f' }[
    kind
  ];
  return `0192f000-0000-7000-8000-${digit}0000000000${n}` as TransactionId;
}

export const SUBMITTED_AT = '2026-01-01T00:00:00.000Z';
export const CAPTURED_AT = '2026-01-02T00:00:00.000Z';
export const NOW = '2026-01-10T12:00:00.000Z';

/** 100.00 GBP at the checkout of a shop that sells no line items. */
export const order: Transaction.Order = {
  sandbox: false,
  orderId: 501,
  customerId: 601,
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  amountMinor: 10_000n,
  currency: 'GBP',
  captureMode: 'automatic',
  applicationId: 1,
  applicationKind: 1,
  companyId: 11,
  pinnedMerchantAccountId: null,
  shopId: null,
  campaignId: null,
  affiliateId: null,
  productId: null,
  pricePointId: null,
  subscriptionId: null,
  plans: [],
  paymentNumber: 1,
  attempt: 1,
  totalAttempt: 1,
  card: null,
  walletPayA: false,
  walletPayB: false,
  partnerSession: null,
  serviceSession: 'session-1',
  items: [],
  addresses: [],
  session: null,
};

export function lineItem(
  storefrontVariantId: number,
  quantity: number,
  unitPriceMinor: bigint,
): Transaction.LineItem {
  return {
    storefrontVariantId,
    storefrontProductId: 7,
    quantity,
    unitPriceMinor,
    unitCostMinor: 0n,
    discountCodeId: 0,
    discountMinor: 0n,
    salesStrategyId: 0,
    customDiscountMinor: 0n,
  };
}

/** Two of variant 1 at 20.00, three of variant 2 at 15.00, and 15.00 for shipping: 100.00 GBP. */
export const ecommerceOrder: Transaction.Order = {
  ...order,
  applicationId: 2,
  applicationKind: 2,
  pinnedMerchantAccountId: 2,
  shopId: 21,
  items: [lineItem(1, 2, 2_000n), lineItem(2, 3, 1_500n)],
};

/** No fees and no reserve: what a story is about stands out. */
export const freeTerms: Transaction.Terms = {
  feeCurrency: 'GBP',
  discountRatePercentage: '0',
  gatewayTransactionFeeMinor: 0n,
  bankAuthFeeMinor: 0n,
  bankDeclineFeeMinor: 0n,
  bankAvsFeeMinor: 0n,
  customFeeMinor: 0n,
  customFeeApprovedOnlyMinor: 0n,
  chargebackFeeMinor: 0n,
  alertProviderFeeMinor: 0n,
  rdrFeeMinor: 0n,
  cdrnFeeMinor: 0n,
  reservePercentage: '0',
  reserveHoldDays: 180,
};

export const route: Transaction.Route = {
  merchantAccountId: 31,
  companyId: 11,
  gatewayId: 41,
  gateway: 'sandbox',
  mid: '123456',
  midName: 'Main',
  descriptor: 'EXAMPLE SHOP',
  terms: freeTerms,
  skipped: [],
};

export const books = { sandbox: false, merchantAccountId: 31, currency: 'GBP' };

/** The events of a life, each with neutral facts that a story may overwrite. */
export const happened = {
  submitted: (facts: Partial<EventOf<'PaymentSubmitted'>> = {}): Event => ({
    type: 'PaymentSubmitted',
    transactionId,
    ...order,
    at: SUBMITTED_AT,
    ...facts,
  }),
  blocked: (): Event => ({
    type: 'PaymentBlocked',
    blackListing: 3,
    note: 'on the black list',
    at: SUBMITTED_AT,
  }),
  attempted: (attempt = 1, on: Transaction.Route = route): Event => ({
    type: 'AttemptStarted',
    attempt,
    route: on,
    at: SUBMITTED_AT,
  }),
  softDeclined: (attempt = 1): Event => ({
    type: 'AttemptDeclined',
    attempt,
    ...books,
    declineCode: '51',
    note: 'insufficient funds',
    fees: [],
    at: SUBMITTED_AT,
  }),
  actionRequired: (attempt = 1): Event => ({
    type: 'ActionRequired',
    attempt,
    nextAction: { type: 'redirect', url: 'https://example.com/3ds' },
    gatewayTransactionId: 'gateway-1',
    at: SUBMITTED_AT,
  }),
  actionCompleted: (attempt = 1): Event => ({
    type: 'ActionCompleted',
    attempt,
    at: SUBMITTED_AT,
  }),
  authorized: (facts: Partial<EventOf<'PaymentAuthorized'>> = {}): Event => ({
    type: 'PaymentAuthorized',
    ...books,
    amountMinor: 10_000n,
    authCode: '123456',
    gatewayTransactionId: 'gateway-1',
    note: '',
    fees: [],
    at: SUBMITTED_AT,
    ...facts,
  }),
  captureRequested: (amountMinor = 10_000n, n = 1): Event => ({
    type: 'CaptureRequested',
    captureId: idOf('capture', n),
    amountMinor,
    at: SUBMITTED_AT,
  }),
  captureFailed: (n = 1): Event => ({
    type: 'CaptureFailed',
    captureId: idOf('capture', n),
    note: 'refused',
    at: SUBMITTED_AT,
  }),
  captured: (facts: Partial<EventOf<'PaymentCaptured'>> = {}): Event => ({
    type: 'PaymentCaptured',
    ...books,
    cardBrandId: 0,
    amountMinor: 10_000n,
    authCode: '123456',
    gatewayTransactionId: 'gateway-1',
    arn: 'arn-1',
    note: '',
    fees: [],
    reserveMinor: 0n,
    at: CAPTURED_AT,
    ...facts,
  }),
  declined: (): Event => ({
    type: 'PaymentDeclined',
    ...books,
    cardBrandId: 0,
    declineCode: '05',
    hard: true,
    gatewayTransactionId: 'gateway-1',
    note: 'do not honour',
    fees: [],
    skipped: [],
    at: SUBMITTED_AT,
  }),
  failed: (): Event => ({ type: 'PaymentFailed', note: 'bad request', at: SUBMITTED_AT }),
  unknown: (): Event => ({ type: 'OutcomeUnknown', note: 'timeout', at: SUBMITTED_AT }),
  expired: (): Event => ({ type: 'AuthorizationExpired', note: 'ran out', at: SUBMITTED_AT }),
  voidRequested: (n = 1): Event => ({ type: 'VoidRequested', voidId: idOf('void', n), at: NOW }),
  voidFailed: (n = 1): Event => ({
    type: 'VoidFailed',
    voidId: idOf('void', n),
    note: 'too late',
    at: NOW,
  }),
  voided: (facts: Partial<EventOf<'PaymentVoided'>> = {}): Event => ({
    type: 'PaymentVoided',
    voidId: idOf('void'),
    ...books,
    amountMinor: 10_000n,
    reserveMinor: 0n,
    reversedFees: [],
    note: '',
    at: NOW,
    ...facts,
  }),
  settled: (amountMinor = 10_000n): Event => ({
    type: 'PaymentSettled',
    ...books,
    amountMinor,
    reference: 'payout-1',
    at: NOW,
  }),
  movementSettled: (facts: Partial<EventOf<'MovementSettled'>> = {}): Event => ({
    type: 'MovementSettled',
    kind: 'refund',
    id: idOf('refund'),
    ...books,
    amountMinor: -10_000n,
    reference: 'line-2',
    at: NOW,
    ...facts,
  }),
  reserveReleased: (amountMinor: bigint, n = 1): Event => ({
    type: 'ReserveReleased',
    releaseId: idOf('release', n),
    ...books,
    amountMinor,
    at: NOW,
  }),
  refundRequested: (facts: Partial<EventOf<'RefundRequested'>> = {}): Event => ({
    type: 'RefundRequested',
    refundId: idOf('refund'),
    amountMinor: 10_000n,
    items: [],
    adjustments: [],
    source: 'CustomerService',
    reason: null,
    notifyCustomer: false,
    requestedBy: 'agent@example.com',
    at: NOW,
    ...facts,
  }),
  refunded: (facts: Partial<EventOf<'Refunded'>> = {}): Event => ({
    type: 'Refunded',
    refundId: idOf('refund'),
    ...books,
    amountMinor: 10_000n,
    gatewayTransactionId: 'refund-1',
    arn: 'arn-2',
    note: '',
    at: NOW,
    ...facts,
  }),
  refundFailed: (n = 1): Event => ({
    type: 'RefundFailed',
    refundId: idOf('refund', n),
    note: 'refused',
    at: NOW,
  }),
  refundReversed: (n = 1): Event => ({
    type: 'RefundReversed',
    refundId: idOf('refund', n),
    ...books,
    amountMinor: 10_000n,
    note: 'sent back',
    at: NOW,
  }),
  networkRefunded: (facts: Partial<EventOf<'NetworkRefunded'>> = {}): Event => ({
    type: 'NetworkRefunded',
    refundId: idOf('refund', 9),
    alertId: null,
    ...books,
    amountMinor: 10_000n,
    arn: 'arn-3',
    note: '',
    fees: [],
    at: NOW,
    ...facts,
  }),
  chargebackOpened: (facts: Partial<EventOf<'ChargebackOpened'>> = {}): Event => ({
    type: 'ChargebackOpened',
    chargebackId: idOf('chargeback'),
    provider: '',
    reference: 'case-1',
    ...books,
    amountMinor: 10_000n,
    reasonCode: '10.4',
    arn: 'arn-4',
    beyondCapturedMinor: 0n,
    openedAt: facts.at ?? NOW,
    respondBy: '2026-01-30T12:00:00.000Z',
    note: '',
    fees: [],
    at: NOW,
    ...facts,
  }),
  chargebackMoved: (
    type: 'ChargebackUnderReview' | 'ChargebackLost' | 'ChargebackAccepted',
    n = 1,
  ): Event => ({ type, chargebackId: idOf('chargeback', n), note: '', at: NOW }),
  chargebackReversed: (type: 'ChargebackWon' | 'ChargebackWithdrawn', n = 1): Event => ({
    type,
    chargebackId: idOf('chargeback', n),
    ...books,
    amountMinor: 10_000n,
    note: '',
    at: NOW,
  }),
  alertReceived: (facts: Partial<EventOf<'AlertReceived'>> = {}): Event => ({
    type: 'AlertReceived',
    alertId: idOf('alert'),
    provider: '',
    reference: 'alert-1',
    source: 'CDRN',
    alertType: 'CustomerDispute',
    ...books,
    amountMinor: 10_000n,
    arn: '',
    deadline: '2026-01-13T12:00:00.000Z',
    note: '',
    fees: [],
    at: NOW,
    ...facts,
  }),
  alertMoved: (type: 'AlertResolved' | 'AlertDeclined' | 'AlertExpired'): Event => ({
    type,
    alertId: idOf('alert'),
    note: '',
    at: NOW,
  }),
};

/** Pasts that many stories begin with. */
export const past = {
  created: [happened.submitted()],
  processing: [happened.submitted(), happened.attempted()],
  authorized: [happened.submitted(), happened.attempted(), happened.authorized()],
  captured: [happened.submitted(), happened.attempted(), happened.captured()],
  capturedEcommerce: [
    happened.submitted(ecommerceOrder),
    happened.attempted(),
    happened.captured(),
  ],
  settled: [happened.submitted(), happened.attempted(), happened.captured(), happened.settled()],
};
