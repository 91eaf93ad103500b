/** The search records that follow from a payment: its own, and one for each child. */
import { Transaction } from '@counterfoil/core';
import type { StoredRecord } from './search-record.ts';

const { ALERT_SOURCE, ALERT_TYPE, APPLICATION_KIND, REFUND_SOURCE, STATUS_ID } = Transaction;

/** Without the window: that part of the flag depends on the clock and is judged when it is shown. */
const ANY_TIME: Transaction.RefundPolicy = { refundWindowDays: 0, forceAllowRefunds: true };
const NO_TIME = '1970-01-01T00:00:00.000Z';

/** The payment's own record first, then its children in the order in which they came. */
export function recordsOf(tenantId: number, payment: Transaction.Payment): readonly StoredRecord[] {
  const root = rootRecord(tenantId, payment);
  return [
    root,
    ...(payment.voided === null ? [] : [voidRecord(root, payment, payment.voided)]),
    ...payment.refunds.map((refund) => refundRecord(root, refund)),
    ...payment.chargebacks.map((chargeback) => chargebackRecord(root, chargeback)),
    ...payment.alerts.map((alert) => alertRecord(root, alert)),
  ];
}

/** What the record of a payment shows as its amount: what was taken, before that what was asked. */
export function amountMinorOf(payment: Transaction.Payment): bigint {
  return Transaction.takenMinor(payment) || payment.amountMinor;
}

/** The payment's record shows the source of its latest refund, and its latest alert. */
export function latest(payment: Transaction.Payment): {
  readonly refundSourceId: number;
  readonly alertTypeId: number;
  readonly alertSourceId: number;
} {
  const refund = payment.refunds.findLast(({ status }) => status !== 'RefundFailed');
  const alert = payment.alerts.at(-1);
  return {
    refundSourceId: refund === undefined ? REFUND_SOURCE.None : REFUND_SOURCE[refund.source],
    alertTypeId: alert === undefined ? ALERT_TYPE.None : ALERT_TYPE[alert.alertType],
    alertSourceId: alert === undefined ? ALERT_SOURCE.None : ALERT_SOURCE[alert.source],
  };
}

function rootRecord(tenantId: number, payment: Transaction.Payment): StoredRecord {
  const route = Transaction.routeOf(payment);
  return {
    tenantId,
    transactionId: payment.transactionId,
    originalTransactionId: null,
    sandbox: payment.sandbox,
    orderId: payment.orderId,
    customerId: payment.customerId,
    sentMs: Date.parse(payment.submittedAt),
    completedMs: msOf(payment.completedAt),
    changedMs: changedMsOf(payment),
    email: payment.email,
    firstName: payment.firstName,
    lastName: payment.lastName,
    statusId: STATUS_ID[payment.status],
    currency: payment.currency,
    amountMinor: Number(amountMinorOf(payment)),
    askedMinor: Number(payment.amountMinor),
    applicationId: payment.applicationId,
    kind: payment.applicationKind,
    originalApplicationId: 0,
    companyId: payment.companyId,
    shopId: payment.shopId,
    campaignId: payment.campaignId,
    affiliateId: payment.affiliateId,
    productId: payment.productId,
    subscriptionId: payment.subscriptionId,
    paymentNumber: payment.paymentNumber,
    attempt: payment.attempt,
    merchantAccountId: route?.merchantAccountId ?? null,
    gateway: route?.gateway ?? '',
    mid: route?.mid ?? '',
    midName: route?.midName ?? '',
    descriptor: route?.descriptor ?? '',
    authCode: payment.authCode,
    gatewayTransactionId: payment.gatewayTransactionId,
    arn: payment.arn,
    bin: payment.card?.bin ?? '',
    last4: payment.card?.last4 ?? '',
    binCountry: payment.card?.binCountry ?? '',
    ipCountry: payment.session?.ipCountryCode ?? '',
    refunded: Transaction.isRefunded(payment),
    mayRefund: Transaction.isRefundable(payment, ANY_TIME, NO_TIME),
    capturedMs: msOf(payment.capturedAt),
    hasAlert: Transaction.hasAlert(payment),
    chargedBack: Transaction.isChargedBack(payment),
    ...latest(payment),
  };
}

/** What a child has in common with its payment, and none of what the payment says of itself. */
function childRecord(root: StoredRecord): StoredRecord {
  return {
    ...root,
    originalTransactionId: root.transactionId,
    originalApplicationId: root.applicationId,
    askedMinor: null,
    authCode: '',
    gatewayTransactionId: '',
    arn: '',
    refunded: false,
    mayRefund: false,
    capturedMs: null,
    hasAlert: false,
    chargedBack: false,
    refundSourceId: REFUND_SOURCE.None,
    alertTypeId: ALERT_TYPE.None,
    alertSourceId: ALERT_SOURCE.None,
  };
}

/** What a void gave up: the capture, or the authorization. */
export function voidedMinorOf(
  { authorizedMinor }: Transaction.Payment,
  { amountMinor }: Transaction.Void,
): bigint {
  return amountMinor || authorizedMinor;
}

function voidRecord(
  root: StoredRecord,
  payment: Transaction.Payment,
  voided: Transaction.Void,
): StoredRecord {
  return {
    ...childRecord(root),
    transactionId: voided.voidId,
    applicationId: APPLICATION_KIND.Void,
    kind: APPLICATION_KIND.Void,
    sentMs: Date.parse(voided.requestedAt),
    completedMs: Date.parse(voided.completedAt),
    changedMs: later(voided.requestedAt, voided.completedAt),
    statusId: STATUS_ID.Voided,
    amountMinor: Number(voidedMinorOf(payment, voided)),
  };
}

function refundRecord(root: StoredRecord, refund: Transaction.Refund): StoredRecord {
  return {
    ...childRecord(root),
    transactionId: refund.refundId,
    applicationId: APPLICATION_KIND.Refund,
    kind: APPLICATION_KIND.Refund,
    sentMs: Date.parse(refund.requestedAt),
    completedMs: msOf(refund.completedAt),
    changedMs: later(refund.requestedAt, refund.completedAt),
    statusId: STATUS_ID[refund.status],
    amountMinor: Number(refund.amountMinor),
    gatewayTransactionId: refund.gatewayTransactionId,
    arn: refund.arn,
    refunded: refund.status === 'Refunded',
    refundSourceId: REFUND_SOURCE[refund.source],
  };
}

function chargebackRecord(root: StoredRecord, chargeback: Transaction.Chargeback): StoredRecord {
  return {
    ...childRecord(root),
    transactionId: chargeback.chargebackId,
    applicationId: APPLICATION_KIND.Chargeback,
    kind: APPLICATION_KIND.Chargeback,
    sentMs: Date.parse(chargeback.openedAt),
    completedMs: msOf(chargeback.completedAt),
    changedMs: later(chargeback.openedAt, chargeback.changedAt),
    statusId: STATUS_ID[chargeback.status],
    amountMinor: Number(chargeback.amountMinor),
    arn: chargeback.arn,
    chargedBack: true,
  };
}

function alertRecord(root: StoredRecord, alert: Transaction.Alert): StoredRecord {
  return {
    ...childRecord(root),
    transactionId: alert.alertId,
    applicationId: APPLICATION_KIND.Alert,
    kind: APPLICATION_KIND.Alert,
    sentMs: Date.parse(alert.receivedAt),
    completedMs: msOf(alert.completedAt),
    changedMs: later(alert.receivedAt, alert.changedAt),
    statusId: STATUS_ID[alert.status],
    amountMinor: Number(alert.amountMinor),
    arn: alert.arn,
    hasAlert: true,
    alertTypeId: ALERT_TYPE[alert.alertType],
    alertSourceId: ALERT_SOURCE[alert.source],
  };
}

/** When the last of its refunds, chargebacks and alerts came or changed. */
function changedMsOf({ refunds, chargebacks, alerts }: Transaction.Payment): number | null {
  const changes = [
    ...refunds.map(({ requestedAt, completedAt }) => completedAt ?? requestedAt),
    ...chargebacks.map(({ changedAt }) => changedAt),
    ...alerts.map(({ changedAt }) => changedAt),
  ];
  return changes.length === 0 ? null : Math.max(...changes.map((at) => Date.parse(at)));
}

/** Null for what has not changed since it was sent: that is found by its date alone. */
function later(sent: string, changed: string | null): number | null {
  return changed === null || changed === sent ? null : Date.parse(changed);
}

function msOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}
