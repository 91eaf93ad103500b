/** Every reason why a payment's command is refused, in the order of precedence that the domain documents. */
import { Transaction, type TransactionId } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import { answer, ask, type Command } from '../payment-commands.ts';
import { type Event, happened, idOf, past, route, transactionId } from '../payment-story.ts';
import { plan } from '../subscription-samples.ts';
import { whenOf } from '../when.ts';

const when = whenOf(Transaction);

type Rejection = Transaction.Rejection;
type Row = readonly [past: readonly Event[], command: Command, rejection: Rejection];

const currency = 'GBP';
const LATE = '2027-01-01T00:00:00.000Z';
const refund = (n = 1): TransactionId => idOf('refund', n);
const item = (storefrontVariantId: number, quantity: number, amountMinor?: bigint) => ({
  storefrontVariantId,
  quantity,
  restock: false,
  ...(amountMinor === undefined ? {} : { amountMinor }),
});
const shipping = (amountMinor: bigint) => ({ kind: 'shipping', amountMinor }) as const;
const wrongStatus = (status: Transaction.Status, command: Command['type']): Rejection => ({
  type: 'WrongStatus',
  status,
  command,
});

const notPositive = (amountMinor: bigint): Rejection => ({
  type: 'AmountNotPositive',
  amountMinor,
  currency,
});
const differs = (difference: Transaction.SettlementDifference): Rejection => ({
  type: 'SettlementDiffers',
  difference,
  id: null,
});
const exceedsRemaining = (requestedMinor: bigint, remainingMinor: bigint): Rejection => ({
  type: 'RefundExceedsRemaining',
  requestedMinor,
  remainingMinor,
  currency,
});
const underWay = (request: 'capture' | 'void'): Rejection => ({ type: 'RequestUnderWay', request });
const notAsked = (request: 'capture' | 'void'): Rejection => ({ type: 'RequestUnknown', request });
const childExists = (id: TransactionId): Rejection => ({ type: 'ChildExists', id });
const noAttempt = (attempt: number): Rejection => ({ type: 'AttemptUnknown', attempt });

const trial = { subscriptionId: 91, ...plan, trialDays: 14 };
const voiding = [...past.captured, happened.voidRequested()];
const capturing = [...past.authorized, happened.captureRequested()];
const releasing = [...past.authorized, happened.voidRequested()];
const acting = [...past.processing, happened.actionRequired()];
const ordered = past.capturedEcommerce;
const opened = happened.chargebackOpened();
const disputed = [...past.captured, opened];
const alerted = [...past.captured, happened.alertReceived()];
const refunded = [...past.captured, happened.refundRequested(), happened.refunded()];

/**
 * By command, in the documented order. Each row breaks its own rule and, wherever a command can,
 * those that stand below it as well: the first one is told.
 */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  SubmitPayment: [
    [past.created, ask.submit({ currency: 'XXX', amountMinor: 0n }), { type: 'TransactionExists' }],
    [
      [],
      ask.submit({ currency: 'XXX', amountMinor: 0n }),
      { type: 'UnknownCurrency', currency: 'XXX' },
    ],
    [[], ask.submit({ amountMinor: 0n }), notPositive(0n)],
    ...[
      { plans: [{ ...trial, trialDays: 0 }] },
      { plans: [trial, { ...trial, subscriptionId: 92, trialDays: 0 }] },
      { plans: [trial], captureMode: 'manual' as const },
    ].map((order): Row => [[], ask.submit({ ...order, amountMinor: 0n }), notPositive(0n)]),
    [[], ask.submit({ plans: [trial], amountMinor: -1n }), notPositive(-1n)],
    [[], ask.submit({ amountMinor: -1n, blackListing: 1 }), notPositive(-1n)],
  ],
  StartAttempt: [
    [past.captured, ask.startAttempt(3), noAttempt(3)],
    [past.captured, ask.startAttempt(2), wrongStatus('Captured', 'StartAttempt')],
    [
      past.processing,
      ask.startAttempt(2, { ...route, merchantAccountId: 32 }),
      wrongStatus('Processing', 'StartAttempt'),
    ],
    [past.processing, ask.startAttempt(0), noAttempt(0)],
    [
      [...past.processing, happened.declined()],
      ask.startAttempt(2),
      wrongStatus('Declined', 'StartAttempt'),
    ],
  ],
  RecordOutcome: [
    [past.created, ask.recordOutcome(answer.captured), noAttempt(1)],
    [past.captured, ask.recordOutcome(answer.failed, 2), noAttempt(2)],
    [past.captured, ask.recordOutcome(answer.failed), wrongStatus('Captured', 'RecordOutcome')],
    [
      [...past.processing, happened.softDeclined(), happened.attempted(2)],
      ask.recordOutcome(answer.captured, 1),
      wrongStatus('Processing', 'RecordOutcome'),
    ],
    [
      [...past.processing, happened.unknown()],
      ask.recordOutcome(answer.actionRequired),
      wrongStatus('Unknown', 'RecordOutcome'),
    ],
    [acting, ask.recordOutcome(answer.captured), wrongStatus('RequiresAction', 'RecordOutcome')],
    [acting, ask.recordOutcome(answer.authorized), wrongStatus('RequiresAction', 'RecordOutcome')],
    [
      [...past.processing, happened.softDeclined()],
      ask.recordOutcome(answer.captured),
      wrongStatus('Processing', 'RecordOutcome'),
    ],
    [
      past.authorized,
      ask.recordOutcome(answer.captured),
      wrongStatus('Authorized', 'RecordOutcome'),
    ],
    [
      past.captured,
      ask.recordOutcome({ ...answer.captured, gatewayTransactionId: 'gateway-9' }),
      wrongStatus('Captured', 'RecordOutcome'),
    ],
  ],
  CompleteAction: [[past.created, ask.completeAction(), wrongStatus('Created', 'CompleteAction')]],
  ExpirePayment: [
    [voiding, ask.expire(), wrongStatus('Captured', 'ExpirePayment')],
    [capturing, ask.expire(), underWay('capture')],
    [releasing, ask.expire(), underWay('void')],
  ],
  RequestCapture: [
    [
      [
        ...past.authorized,
        happened.captureRequested(1n),
        happened.captureFailed(),
        happened.expired(),
      ],
      ask.capture(0n),
      { type: 'RequestFailedBefore', request: 'capture' },
    ],
    [voiding, ask.capture(0n), wrongStatus('Captured', 'RequestCapture')],
    [releasing, ask.capture(0n), underWay('void')],
    [
      [...past.authorized, happened.captureRequested(1n, 2)],
      ask.capture(20_000n),
      underWay('capture'),
    ],
    [past.authorized, ask.capture(0n), notPositive(0n)],
    [
      past.authorized,
      ask.capture(10_001n),
      {
        type: 'CaptureExceedsAuthorization',
        requestedMinor: 10_001n,
        authorizedMinor: 10_000n,
        currency,
      },
    ],
  ],
  RecordCapture: [
    [past.authorized, ask.recordCapture(), notAsked('capture')],
    [capturing, ask.recordCapture(2), notAsked('capture')],
  ],
  RecordCaptureFailure: [[past.captured, ask.recordCaptureFailure(), notAsked('capture')]],
  RequestVoid: [
    [
      [...voiding, happened.voidFailed(), happened.refundRequested(), happened.settled()],
      ask.void(),
      { type: 'RequestFailedBefore', request: 'void' },
    ],
    [[...past.settled, opened], ask.void(), wrongStatus('Settled', 'RequestVoid')],
    [[...voiding, opened], ask.void(2), underWay('void')],
    [capturing, ask.void(), underWay('capture')],
    [[...past.captured, happened.refundRequested()], ask.void(), { type: 'VoidAfterRefund' }],
    [refunded, ask.void(), { type: 'VoidAfterRefund' }],
    [disputed, ask.void(), { type: 'VoidAfterRefund' }],
  ],
  RecordVoid: [[past.captured, ask.recordVoid(), notAsked('void')]],
  RecordVoidFailure: [[voiding, ask.recordVoidFailure(2), notAsked('void')]],
  SettlePayment: [
    [releasing, ask.settle(0n), wrongStatus('Authorized', 'SettlePayment')],
    [past.settled, ask.settle(0n, 'payout-2'), wrongStatus('Settled', 'SettlePayment')],
    [voiding, ask.settle(0n), underWay('void')],
    [past.captured, ask.settle(0n), notPositive(0n)],
  ],
  SettleLine: [
    [past.authorized, ask.settleLine(), differs({ type: 'missing' })],
    [voiding, ask.settleLine(), differs({ type: 'missing' })],
    [
      past.captured,
      ask.settleLine({ currency: 'USD', amountMinor: 1n, feeMinor: 1n }),
      differs({ type: 'currency', expected: 'GBP' }),
    ],
    [
      past.captured,
      ask.settleLine({ amountMinor: 1n, feeMinor: 1n }),
      differs({ type: 'amount', expectedMinor: 10_000n }),
    ],
    [past.settled, ask.settleLine({ feeMinor: 1n }), differs({ type: 'fee', expectedMinor: 0n })],
    [past.settled, ask.settleLine(), differs({ type: 'settled', reference: 'payout-1' })],
  ],
  ReleaseReserve: [
    [past.captured, ask.releaseReserve(0n), notPositive(0n)],
    [
      [...past.authorized, happened.captured({ reserveMinor: 500n })],
      ask.releaseReserve(501n),
      { type: 'ReleaseExceedsReserve', requestedMinor: 501n, heldMinor: 500n, currency },
    ],
    [
      past.created,
      ask.releaseReserve(1n),
      { type: 'ReleaseExceedsReserve', requestedMinor: 1n, heldMinor: 0n, currency },
    ],
  ],
  RequestRefund: [
    [
      [...past.captured, happened.refundRequested({ amountMinor: 6_000n }), opened],
      ask.refund({ amountMinor: 3_000n }),
      { type: 'RefundExists', refundId: refund() },
    ],
    [
      [...past.captured, happened.networkRefunded({ refundId: refund() })],
      ask.refund(),
      { type: 'RefundExists', refundId: refund() },
    ],
    [disputed, ask.refund({ refundId: idOf('chargeback') }), childExists(idOf('chargeback'))],
    [past.authorized, ask.refund({ refundId: transactionId }), childExists(transactionId)],
    [
      alerted,
      ask.refund({ refundId: idOf('alert'), amountMinor: -1n }),
      childExists(idOf('alert')),
    ],
    [releasing, ask.refund({ amountMinor: -1n }), { type: 'NotRefundable', status: 'Authorized' }],
    [[...voiding, happened.voided()], ask.refund(), { type: 'NotRefundable', status: 'Voided' }],
    [[...voiding, opened], ask.refund({ at: LATE }), underWay('void')],
    [disputed, ask.refund({ at: LATE }), { type: 'RefundBlockedByChargeback' }],
    [
      refunded,
      ask.refund({ refundId: refund(2), amountMinor: 1n, at: LATE }),
      { type: 'NothingLeftToRefund' },
    ],
    [
      past.captured,
      ask.refund({ amountMinor: 20_000n, at: LATE }),
      { type: 'RefundWindowClosed', refundWindowDays: 180 },
    ],
    [past.captured, ask.refund({ amountMinor: -1n, items: [item(1, 1)] }), notPositive(-1n)],
    [
      past.captured,
      ask.refund({ amountMinor: 10_001n, items: [item(1, 1)] }),
      exceedsRemaining(10_001n, 10_000n),
    ],
    [past.captured, ask.refund({ items: [item(9, 99)] }), { type: 'RefundItemsNotAllowed' }],
    [ordered, ask.refund({ amountMinor: 9_999n }), { type: 'RefundItemsRequired' }],
    [
      ordered,
      ask.refund({ amountMinor: 1n, items: [item(3, 1, -1n), item(1, 99)] }),
      { type: 'RefundItemUnknown', storefrontVariantId: 3 },
    ],
    [
      ordered,
      ask.refund({ amountMinor: 1n, items: [item(1, 2), item(1, 1, -1n)] }),
      { type: 'RefundQuantityExceeded', storefrontVariantId: 1, requested: 3, remaining: 2 },
    ],
    [
      ordered,
      ask.refund({ items: [item(1, 1, 4_001n), item(9, 1)], adjustments: [shipping(9_999n)] }),
      {
        type: 'RefundItemExceedsLine',
        storefrontVariantId: 1,
        requestedMinor: 4_001n,
        remainingMinor: 4_000n,
        currency,
      },
    ],
    [
      ordered,
      ask.refund({ amountMinor: 1n, items: [], adjustments: [shipping(9_999n), shipping(-1n)] }),
      notPositive(-1n),
    ],
    [
      ordered,
      ask.refund({ amountMinor: 1n, items: [], adjustments: [shipping(1_000n), shipping(501n)] }),
      {
        type: 'RefundAdjustmentExceedsOrder',
        requestedMinor: 1_501n,
        remainingMinor: 1_500n,
        currency,
      },
    ],
    [past.captured, ask.refund({ adjustments: [shipping(1n)] }), { type: 'RefundItemsNotAllowed' }],
    [
      ordered,
      ask.refund({ amountMinor: 4_000n, items: [item(1, 1, -1n), item(2, 1, 4_001n)] }),
      notPositive(-1n),
    ],
    [
      ordered,
      ask.refund({ amountMinor: 4_001n, items: [item(1, 2)] }),
      { type: 'RefundItemsIncomplete', itemsMinor: 4_000n, amountMinor: 4_001n, currency },
    ],
  ],
  RecordRefund: [
    [past.captured, ask.recordRefund(), { type: 'RefundUnknown', refundId: refund() }],
    [
      [...past.captured, happened.refundRequested(), happened.refundFailed()],
      ask.recordRefund(),
      wrongStatus('RefundFailed', 'RecordRefund'),
    ],
  ],
  RecordRefundFailure: [
    [past.captured, ask.recordRefundFailure(), { type: 'RefundUnknown', refundId: refund() }],
    [refunded, ask.recordRefundFailure(), wrongStatus('Refunded', 'RecordRefundFailure')],
  ],
  RecordRefundReversal: [
    [past.captured, ask.recordRefundReversal(), { type: 'RefundUnknown', refundId: refund() }],
    [
      [...past.captured, happened.networkRefunded({ amountMinor: 4_000n })],
      ask.recordRefundReversal(9),
      { type: 'RefundUnknown', refundId: refund(9) },
    ],
  ],
  RecordNetworkRefund: [
    [
      [...refunded, happened.voidRequested(), happened.voided()],
      ask.recordNetworkRefund({ refundId: refund() }),
      childExists(refund()),
    ],
    [
      [...past.captured, happened.networkRefunded({ amountMinor: 4_000n })],
      ask.recordNetworkRefund({ amountMinor: 5_000n }),
      childExists(refund(9)),
    ],
    [
      past.authorized,
      ask.recordNetworkRefund({ amountMinor: 0n }),
      { type: 'NotRefundable', status: 'Authorized' },
    ],
    [refunded, ask.recordNetworkRefund({ amountMinor: 0n }), notPositive(0n)],
    [refunded, ask.recordNetworkRefund({ amountMinor: 1n }), exceedsRemaining(1n, 0n)],
  ],
  OpenChargeback: [
    [
      past.authorized,
      ask.openChargeback({ chargebackId: transactionId, amountMinor: 0n }),
      childExists(transactionId),
    ],
    [
      past.authorized,
      ask.openChargeback({ amountMinor: 0n }),
      wrongStatus('Authorized', 'OpenChargeback'),
    ],
    [past.captured, ask.openChargeback({ amountMinor: 0n }), notPositive(0n)],
  ],
  MoveChargeback: [
    [
      past.captured,
      ask.moveChargeback('ChargebackWon'),
      { type: 'ChargebackUnknown', chargebackId: idOf('chargeback') },
    ],
    [
      disputed,
      ask.moveChargeback('ChargebackWon'),
      wrongStatus('ChargebackOpen', 'MoveChargeback'),
    ],
  ],
  ReceiveAlert: [
    [
      past.authorized,
      ask.receiveAlert({ alertId: transactionId, amountMinor: 0n }),
      childExists(transactionId),
    ],
    [
      past.authorized,
      ask.receiveAlert({ amountMinor: 0n }),
      wrongStatus('Authorized', 'ReceiveAlert'),
    ],
    [past.captured, ask.receiveAlert({ amountMinor: -1n }), notPositive(-1n)],
    [past.captured, ask.receiveAlert({ amountMinor: 0n }), notPositive(0n)],
  ],
  MoveAlert: [
    [
      past.captured,
      ask.moveAlert('AlertResolved'),
      { type: 'AlertUnknown', alertId: idOf('alert') },
    ],
    [
      [...alerted, happened.alertMoved('AlertExpired')],
      ask.moveAlert('AlertResolved'),
      wrongStatus('AlertExpired', 'MoveAlert'),
    ],
  ],
};

describe.each(Object.entries(ROWS))('%s', (type, rows) => {
  const cases = rows.map(([before, command, rejection]) => ({
    code: rejection.type,
    before,
    command,
    rejection,
  }));

  it.each(cases)('$code', ({ before, command, rejection }) => {
    expect(command.type).toBe(type);
    when(before, command).thenRejected(rejection);
  });
});

const commands = Object.values(ROWS).flatMap((rows) => rows.map(([, command]) => command));
const later = commands.filter(({ type }) => type !== 'SubmitPayment');

it.each(later)('$type is refused before anything else when there is no payment', (command) =>
  when([], command).thenRejected({ type: 'TransactionUnknown' }),
);

/** The compiler refuses this list while a rejection is missing from it. */
const EVERY_REJECTION = Object.keys({
  TransactionUnknown: true,
  TransactionExists: true,
  UnknownCurrency: true,
  AmountNotPositive: true,
  WrongStatus: true,
  AttemptUnknown: true,
  RequestUnderWay: true,
  RequestFailedBefore: true,
  RequestUnknown: true,
  CaptureExceedsAuthorization: true,
  VoidAfterRefund: true,
  SettlementDiffers: true,
  ReleaseExceedsReserve: true,
  RefundExists: true,
  NotRefundable: true,
  RefundBlockedByChargeback: true,
  RefundWindowClosed: true,
  NothingLeftToRefund: true,
  RefundExceedsRemaining: true,
  RefundItemsNotAllowed: true,
  RefundItemsRequired: true,
  RefundItemUnknown: true,
  RefundQuantityExceeded: true,
  RefundItemExceedsLine: true,
  RefundAdjustmentExceedsOrder: true,
  RefundItemsIncomplete: true,
  RefundUnknown: true,
  ChargebackUnknown: true,
  AlertUnknown: true,
  ChildExists: true,
} satisfies Record<Rejection['type'], true>);

it('has a row for every rejection', () => {
  const codes = Object.values(ROWS).flatMap((rows) => rows.map(([, , { type }]) => type));
  expect([...new Set(['TransactionUnknown', ...codes])].sort()).toEqual(EVERY_REJECTION.sort());
});
