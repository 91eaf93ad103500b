/** The commands that a payment of the stories may get, and what its gateway may answer. */
import type { Transaction } from '@counterfoil/core';
import {
  CAPTURED_AT,
  idOf,
  NOW,
  order,
  route,
  SUBMITTED_AT,
  tenantId,
  transactionId,
} from './payment-story.ts';

export type Command = Transaction.Command;

type Asked<Type extends Command['type']> = Partial<
  Omit<Transaction.CommandOf<Type>, 'type' | 'tenantId' | 'transactionId'>
>;
const addressed = { tenantId, transactionId, at: NOW };

/** The commands of a life, each with neutral facts that a story may overwrite. */
export const ask = {
  submit: (facts: Asked<'SubmitPayment'> = {}): Command => ({
    type: 'SubmitPayment',
    ...addressed,
    ...order,
    route,
    blackListing: 0,
    at: SUBMITTED_AT,
    ...facts,
  }),
  startAttempt: (attempt: number, on: Transaction.Route = route): Command => ({
    type: 'StartAttempt',
    ...addressed,
    attempt,
    route: on,
  }),
  recordOutcome: (outcome: Transaction.Outcome, attempt = 1): Command => ({
    type: 'RecordOutcome',
    ...addressed,
    attempt,
    outcome,
  }),
  completeAction: (): Command => ({ type: 'CompleteAction', ...addressed }),
  expire: (dueAt?: string): Command => ({
    type: 'ExpirePayment',
    ...addressed,
    note: 'ran out',
    ...(dueAt !== undefined && { dueAt }),
  }),
  capture: (amountMinor?: bigint, n = 1): Command => ({
    type: 'RequestCapture',
    ...addressed,
    captureId: idOf('capture', n),
    ...(amountMinor === undefined ? {} : { amountMinor }),
  }),
  recordCapture: (n = 1): Command => ({
    type: 'RecordCapture',
    ...addressed,
    captureId: idOf('capture', n),
    gatewayTransactionId: 'gateway-2',
    arn: 'arn-1',
    note: '',
  }),
  recordCaptureFailure: (n = 1): Command => ({
    type: 'RecordCaptureFailure',
    ...addressed,
    captureId: idOf('capture', n),
    note: 'refused',
  }),
  void: (n = 1): Command => ({ type: 'RequestVoid', ...addressed, voidId: idOf('void', n) }),
  recordVoid: (n = 1): Command => ({
    type: 'RecordVoid',
    ...addressed,
    voidId: idOf('void', n),
    note: '',
  }),
  recordVoidFailure: (n = 1): Command => ({
    type: 'RecordVoidFailure',
    ...addressed,
    voidId: idOf('void', n),
    note: 'too late',
  }),
  settle: (amountMinor = 10_000n, reference = 'payout-1'): Command => ({
    type: 'SettlePayment',
    ...addressed,
    amountMinor,
    reference,
  }),
  releaseReserve: (amountMinor?: bigint, n = 1): Command => ({
    type: 'ReleaseReserve',
    ...addressed,
    releaseId: idOf('release', n),
    ...(amountMinor === undefined ? {} : { amountMinor }),
  }),
  refund: (facts: Asked<'RequestRefund'> = {}): Command => ({
    type: 'RequestRefund',
    ...addressed,
    refundId: idOf('refund'),
    items: [],
    source: 'CustomerService',
    notifyCustomer: false,
    requestedBy: 'agent@example.com',
    policy: { refundWindowDays: 180, forceAllowRefunds: false },
    ...facts,
  }),
  recordRefund: (n = 1): Command => ({
    type: 'RecordRefund',
    ...addressed,
    refundId: idOf('refund', n),
    gatewayTransactionId: 'refund-1',
    arn: 'arn-2',
    note: '',
  }),
  recordRefundFailure: (n = 1): Command => ({
    type: 'RecordRefundFailure',
    ...addressed,
    refundId: idOf('refund', n),
    note: 'refused',
  }),
  recordNetworkRefund: (facts: Asked<'RecordNetworkRefund'> = {}): Command => ({
    type: 'RecordNetworkRefund',
    ...addressed,
    refundId: idOf('refund', 9),
    alertId: null,
    amountMinor: 10_000n,
    arn: 'arn-3',
    note: '',
    ...facts,
  }),
  openChargeback: (facts: Asked<'OpenChargeback'> = {}): Command => ({
    type: 'OpenChargeback',
    ...addressed,
    chargebackId: idOf('chargeback'),
    reference: 'case-1',
    amountMinor: 10_000n,
    reasonCode: '10.4',
    arn: 'arn-4',
    note: '',
    ...facts,
  }),
  moveChargeback: (to: Transaction.CommandOf<'MoveChargeback'>['to'], n = 1): Command => ({
    type: 'MoveChargeback',
    ...addressed,
    chargebackId: idOf('chargeback', n),
    to,
    note: '',
  }),
  receiveAlert: (facts: Asked<'ReceiveAlert'> = {}): Command => ({
    type: 'ReceiveAlert',
    ...addressed,
    alertId: idOf('alert'),
    reference: 'alert-1',
    source: 'CDRN',
    alertType: 'CustomerDispute',
    amountMinor: 10_000n,
    arn: '',
    note: '',
    ...facts,
  }),
  moveAlert: (to: Transaction.CommandOf<'MoveAlert'>['to'], n = 1): Command => ({
    type: 'MoveAlert',
    ...addressed,
    alertId: idOf('alert', n),
    to,
    note: '',
  }),
};

/** What the gateway may answer. */
export const answer = {
  captured: {
    result: 'captured',
    authCode: '123456',
    gatewayTransactionId: 'gateway-1',
    arn: 'arn-1',
    avsChecked: false,
    note: '',
    at: CAPTURED_AT,
  },
  authorized: {
    result: 'authorized',
    authCode: '123456',
    gatewayTransactionId: 'gateway-1',
    arn: '',
    avsChecked: false,
    note: '',
    at: SUBMITTED_AT,
  },
  declinedSoft: {
    result: 'declined',
    declineCode: '51',
    hard: false,
    gatewayTransactionId: 'gateway-1',
    retryElsewhere: true,
    note: 'insufficient funds',
    at: SUBMITTED_AT,
  },
  declinedHard: {
    result: 'declined',
    declineCode: '05',
    hard: true,
    gatewayTransactionId: 'gateway-1',
    retryElsewhere: true,
    note: 'do not honour',
    at: SUBMITTED_AT,
  },
  actionRequired: {
    result: 'action-required',
    nextAction: { type: 'redirect', url: 'https://example.com/3ds' },
    gatewayTransactionId: 'gateway-1',
    note: '',
    at: SUBMITTED_AT,
  },
  failed: { result: 'failed', note: 'bad request', at: SUBMITTED_AT },
  unknown: { result: 'unknown', note: 'timeout', at: SUBMITTED_AT },
} as const satisfies Record<string, Transaction.Outcome>;
