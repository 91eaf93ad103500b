/** The Transaction record of the Customer Service detail, for a payment and for each of its children. */
import { Transaction, toDecimal, toMajor } from '@counterfoil/core';
import { amountMinorOf, latest, voidedMinorOf } from './payment-records.ts';
import type { ReferenceNames } from './reference-names.ts';
import { nameIn } from './search-record.ts';

const { ALERT_SOURCE, ALERT_TYPE, APPLICATION_KIND, REFUND_SOURCE, STATUS_ID } = Transaction;

/** The contract's record. Empty: '' and 0; `completed` and `originalMessageId` are null instead. */
export interface TransactionRecord {
  readonly gateway: string;
  readonly messageID: string;
  readonly orderId: number;
  readonly sent: string;
  readonly email: string;
  readonly application: string;
  readonly applicationID: number;
  readonly customerID: number;
  readonly shortcodeID: number;
  readonly billingCode: string;
  readonly data: string;
  readonly status: string;
  readonly statusID: number;
  readonly success: boolean;
  readonly completed: string | null;
  readonly premium: number;
  readonly currency: string;
  readonly pricePointID: number;
  readonly pricePoint: string;
  readonly priceVal: number;
  readonly product: string;
  readonly productID: number;
  readonly campaign: string;
  readonly campaignID: number;
  readonly shopId: number;
  readonly storeName: string;
  readonly storeDomain: string;
  readonly storeRootDomain: string;
  readonly merchantAccountId: number;
  readonly midName: string;
  readonly mid: string;
  readonly companyId: number;
  readonly company: string;
  readonly parentCompanyId: number;
  readonly parentCompany: string;
  readonly bin: string;
  readonly last4: number;
  readonly sessionId: string;
  readonly name: string;
  readonly refundable: boolean;
  readonly refunded: boolean;
  readonly hasAlert: boolean;
  readonly chargedBack: boolean;
  readonly attempt: number;
  readonly authOnly: boolean;
  readonly paymentNumber: number;
  readonly totalAttempt: number;
  readonly refundSource: number;
  readonly alertType: number;
  readonly alertSource: number;
  readonly originalMessageId: string | null;
  readonly originalApplicationId: number;
  readonly originalApplication: string;
  readonly storeCurrency: string;
  readonly blackListing: number;
  readonly alertSourceName: string;
  readonly alertTypeName: string;
  readonly refundSourceName: string;
  readonly walletPayA: boolean;
  readonly walletPayB: boolean;
  readonly serviceSession: string;
  readonly partnerSession: string;
  readonly cardBrandId: number;
  readonly cardBrand: string;
  /** Of a chargeback: whether it took money that had been given back already, or was on its way. */
  readonly exceedsCaptured?: boolean;
  /** Of a chargeback: what had been refunded when it came, pending refunds included. */
  readonly refundedBefore?: number;
  readonly childTransactions: readonly TransactionRecord[];
}

export interface RenderContext {
  readonly tenantId: number;
  readonly names: ReferenceNames;
  /** The present (ISO 8601, GMT): `refundable` depends on it. */
  readonly now: string;
}

/** The payment's record with its children, in the order of their `sent`. */
export function renderPayment(
  payment: Transaction.Payment,
  context: RenderContext,
): TransactionRecord {
  const root = rootRecord(payment, context);
  const children = [
    ...(payment.voided === null ? [] : [voidRecord(root, payment, payment.voided)]),
    ...payment.refunds.map((refund) => refundRecord(root, refund)),
    ...payment.chargebacks.map((chargeback) => chargebackRecord(root, chargeback)),
    ...payment.alerts.map((alert) => alertRecord(root, alert)),
  ];
  if (children.length === 0) return root;
  children.sort((a, b) => (a.sent < b.sent ? -1 : a.sent > b.sent ? 1 : 0));
  return { ...root, childTransactions: children };
}

function rootRecord(
  payment: Transaction.Payment,
  { tenantId, names, now }: RenderContext,
): TransactionRecord {
  const route = Transaction.routeOf(payment);
  const shop = names.shop(payment.shopId);
  const isEcommerce = payment.applicationKind === APPLICATION_KIND.Ecommerce;
  const pricePoint = names.pricePoint(payment.pricePointId);
  const amountMinor = amountMinorOf(payment);
  const { refundSourceId, alertTypeId, alertSourceId } = latest(payment);
  const brandId = payment.card?.brandId ?? 0;
  const policy = names.refundPolicy(route?.merchantAccountId ?? null);
  return {
    gateway: route?.gateway ?? '',
    messageID: payment.transactionId,
    orderId: payment.orderId,
    sent: payment.submittedAt,
    email: payment.email,
    application: names.application(payment.applicationId),
    applicationID: payment.applicationId,
    customerID: payment.customerId,
    shortcodeID: pricePoint?.shortcodeId ?? 0,
    billingCode: pricePoint?.billingCode ?? '',
    data: payment.note,
    status: payment.status,
    statusID: STATUS_ID[payment.status],
    success: Transaction.succeeded(payment.status),
    completed: payment.completedAt,
    premium: pricePoint?.premium ?? 0,
    currency: payment.currency,
    pricePointID: payment.pricePointId ?? 0,
    pricePoint:
      pricePoint === undefined
        ? priceText(amountMinor, payment.currency)
        : priceText(pricePoint.amountMinor, pricePoint.currency),
    priceVal: toMajor(amountMinor, payment.currency),
    product: names.product(payment.productId),
    productID: payment.productId ?? 0,
    campaign: names.campaign(payment.campaignId),
    campaignID: payment.campaignId ?? 0,
    shopId: payment.shopId ?? 0,
    storeName: shop.name,
    storeDomain: isEcommerce ? shop.domain : '',
    storeRootDomain: isEcommerce ? shop.rootDomain : '',
    merchantAccountId: route?.merchantAccountId ?? 0,
    midName: route?.midName ?? '',
    mid: route?.mid ?? '',
    companyId: payment.companyId,
    company: names.company(payment.companyId),
    parentCompanyId: tenantId,
    parentCompany: names.parentCompany,
    bin: payment.card?.bin ?? '',
    last4: Number(payment.card?.last4 ?? ''),
    sessionId: payment.session?.id ?? '',
    name: `${payment.firstName} ${payment.lastName}`.trim(),
    refundable: Transaction.isRefundable(payment, policy, now),
    refunded: Transaction.isRefunded(payment),
    hasAlert: Transaction.hasAlert(payment),
    chargedBack: Transaction.isChargedBack(payment),
    attempt: payment.attempt,
    authOnly: payment.captureMode === 'manual' && payment.capturedAt === null,
    paymentNumber: payment.paymentNumber,
    totalAttempt: payment.totalAttempt,
    refundSource: refundSourceId,
    alertType: alertTypeId,
    alertSource: alertSourceId,
    originalMessageId: null,
    originalApplicationId: 0,
    originalApplication: '',
    storeCurrency: shop.currency,
    blackListing: payment.blackListing,
    alertSourceName: nameIn(ALERT_SOURCE, alertSourceId),
    alertTypeName: nameIn(ALERT_TYPE, alertTypeId),
    refundSourceName: nameIn(REFUND_SOURCE, refundSourceId),
    walletPayA: payment.walletPayA,
    walletPayB: payment.walletPayB,
    serviceSession: payment.serviceSession,
    partnerSession: payment.partnerSession ?? '',
    cardBrandId: brandId,
    cardBrand: Transaction.CARD_BRAND[brandId] ?? '',
    childTransactions: [],
  };
}

function priceText(amountMinor: bigint, currency: string): string {
  return `${toDecimal(amountMinor, currency)} ${currency}`;
}

interface ChildFacts {
  readonly id: string;
  readonly kind: keyof typeof Transaction.APPLICATION_KIND;
  readonly status: Transaction.Status;
  readonly amountMinor: bigint;
  readonly sent: string;
  readonly completed: string | null;
  readonly note: string;
}

/** What a child has in common with its payment, with its own facts in place of the payment's. */
function childRecord(root: TransactionRecord, facts: ChildFacts): TransactionRecord {
  const kind = APPLICATION_KIND[facts.kind];
  return {
    ...root,
    messageID: facts.id,
    sent: facts.sent,
    application: Transaction.APPLICATION_KIND_NAME[kind] ?? '',
    applicationID: kind,
    data: facts.note,
    status: facts.status,
    statusID: STATUS_ID[facts.status],
    // The void has done what it is for, and with it the payment has come to nothing.
    success: facts.kind === 'Void' || Transaction.succeeded(facts.status),
    completed: facts.completed,
    pricePoint: priceText(facts.amountMinor, root.currency),
    priceVal: toMajor(facts.amountMinor, root.currency),
    refundable: false,
    refunded: facts.status === 'Refunded',
    hasAlert: facts.kind === 'Alert',
    chargedBack: facts.kind === 'Chargeback',
    authOnly: false,
    refundSource: REFUND_SOURCE.None,
    alertType: ALERT_TYPE.None,
    alertSource: ALERT_SOURCE.None,
    refundSourceName: nameIn(REFUND_SOURCE, REFUND_SOURCE.None),
    alertTypeName: nameIn(ALERT_TYPE, ALERT_TYPE.None),
    alertSourceName: nameIn(ALERT_SOURCE, ALERT_SOURCE.None),
    originalMessageId: root.messageID,
    originalApplicationId: root.applicationID,
    originalApplication: root.application,
    childTransactions: [],
  };
}

function voidRecord(
  root: TransactionRecord,
  payment: Transaction.Payment,
  voided: Transaction.Void,
): TransactionRecord {
  return childRecord(root, {
    id: voided.voidId,
    kind: 'Void',
    status: 'Voided',
    amountMinor: voidedMinorOf(payment, voided),
    sent: voided.requestedAt,
    completed: voided.completedAt,
    note: voided.note,
  });
}

function refundRecord(root: TransactionRecord, refund: Transaction.Refund): TransactionRecord {
  const refundSource = REFUND_SOURCE[refund.source];
  return {
    ...childRecord(root, {
      id: refund.refundId,
      kind: 'Refund',
      status: refund.status,
      amountMinor: refund.amountMinor,
      sent: refund.requestedAt,
      completed: refund.completedAt,
      note: refund.note,
    }),
    refundSource,
    refundSourceName: nameIn(REFUND_SOURCE, refundSource),
  };
}

function chargebackRecord(
  root: TransactionRecord,
  chargeback: Transaction.Chargeback,
): TransactionRecord {
  return {
    ...childRecord(root, {
      id: chargeback.chargebackId,
      kind: 'Chargeback',
      status: chargeback.status,
      amountMinor: chargeback.amountMinor,
      sent: chargeback.openedAt,
      completed: chargeback.completedAt,
      note: chargeback.note,
    }),
    exceedsCaptured: Transaction.exceedsCaptured(chargeback),
    refundedBefore: toMajor(chargeback.refundedBeforeMinor, root.currency),
  };
}

function alertRecord(root: TransactionRecord, alert: Transaction.Alert): TransactionRecord {
  const alertType = ALERT_TYPE[alert.alertType];
  const alertSource = ALERT_SOURCE[alert.source];
  return {
    ...childRecord(root, {
      id: alert.alertId,
      kind: 'Alert',
      status: alert.status,
      amountMinor: alert.amountMinor,
      sent: alert.receivedAt,
      completed: alert.completedAt,
      note: alert.note,
    }),
    alertType,
    alertSource,
    alertTypeName: nameIn(ALERT_TYPE, alertType),
    alertSourceName: nameIn(ALERT_SOURCE, alertSource),
  };
}
