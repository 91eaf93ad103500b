/** What a payment leaves to be done: intents to finish, alerts to answer, reserves to release, waits to end. */
import { Transaction } from '@counterfoil/core';
import type { DerivedDocument } from '../projection.ts';
import type { ReadModelStore } from '../read-model-store.ts';
import {
  ALERT_DEADLINES,
  CHARGEBACK_DEADLINES,
  EXPIRIES,
  OPEN_INTENTS,
  RESERVE_RELEASES,
  TRANSACTIONS,
} from './live-model.ts';
import { type OpenWorkPage, type OpenWorkQuery, workPage } from './work-list.ts';

/**
 * `payment`: submitted, under way or unknown, so the gateway is to be asked. `action`: the customer
 * has to act. The others: asked of the gateway, not answered yet.
 */
export type OpenReason = 'payment' | 'action' | 'capture' | 'void' | 'refund';

export interface OpenIntent {
  readonly tenantId: number;
  readonly transactionId: string;
  readonly sandbox: boolean;
  readonly status: Transaction.Payment['status'];
  readonly reasons: readonly OpenReason[];
  /** Refunds that wait for the gateway. */
  readonly refundIds: readonly string[];
  /** The payment's last event. */
  readonly changedAt: string;
}

export interface AlertDeadline {
  readonly tenantId: number;
  readonly transactionId: string;
  readonly alertId: string;
  readonly sandbox: boolean;
  readonly deadline: string;
}

/** A chargeback that nobody has answered. */
export interface ChargebackDeadline {
  readonly tenantId: number;
  readonly transactionId: string;
  readonly chargebackId: string;
  readonly sandbox: boolean;
  readonly respondBy: string;
}

/** A reserve whose hold ends at `dueAt`. */
export interface ReserveRelease {
  readonly tenantId: number;
  readonly transactionId: string;
  readonly sandbox: boolean;
  readonly dueAt: string;
}

/** An authorization, or a customer's action, that is waited for until `dueAt`. */
export interface PaymentExpiry {
  readonly tenantId: number;
  readonly transactionId: string;
  readonly sandbox: boolean;
  readonly of: Transaction.Expiry['of'];
  readonly dueAt: string;
}

const DAY_MS = 86_400_000;

const OPEN_STATUSES: ReadonlySet<Transaction.Payment['status']> = new Set([
  'Created',
  'Processing',
  'Unknown',
]);

/** Keys begin with an instant, so that key order is the order in which the work is due. */
export function openWorkOf(
  tenantId: number,
  payment: Transaction.Payment,
): readonly DerivedDocument[] {
  const { transactionId, sandbox, status, changedAt } = payment;
  const documents: DerivedDocument[] = [];
  const reasons = reasonsOf(payment);
  if (reasons.length > 0) {
    const refundIds = payment.refunds
      .filter((refund) => refund.status === 'RefundPending')
      .map(({ refundId }) => refundId);
    const intent: OpenIntent = {
      tenantId,
      transactionId,
      sandbox,
      status,
      reasons,
      refundIds,
      changedAt,
    };
    documents.push({
      collection: OPEN_INTENTS,
      key: `${changedAt}/${tenantId}/${transactionId}`,
      body: JSON.stringify(intent),
    });
  }
  for (const { alertId, deadline, status: alertStatus } of payment.alerts) {
    if (alertStatus !== 'AlertOpen' || deadline === null) continue;
    const due: AlertDeadline = { tenantId, transactionId, alertId, sandbox, deadline };
    documents.push({
      collection: ALERT_DEADLINES,
      key: `${deadline}/${tenantId}/${alertId}`,
      body: JSON.stringify(due),
    });
  }
  for (const { chargebackId, respondBy, status: moved } of payment.chargebacks) {
    if (moved !== 'ChargebackOpen' || respondBy === null) continue;
    const due: ChargebackDeadline = { tenantId, transactionId, chargebackId, sandbox, respondBy };
    documents.push({
      collection: CHARGEBACK_DEADLINES,
      key: `${respondBy}/${tenantId}/${chargebackId}`,
      body: JSON.stringify(due),
    });
  }
  const release = releaseOf(tenantId, payment);
  if (release !== undefined) {
    documents.push({
      collection: RESERVE_RELEASES,
      key: `${release.dueAt}/${tenantId}/${transactionId}`,
      body: JSON.stringify(release),
    });
  }
  const expiry = Transaction.expiryOf(payment);
  if (expiry !== undefined) {
    const { of, at: dueAt } = expiry;
    const waiting: PaymentExpiry = { tenantId, transactionId, sandbox, of, dueAt };
    documents.push({
      collection: EXPIRIES,
      key: `${dueAt}/${tenantId}/${transactionId}`,
      body: JSON.stringify(waiting),
    });
  }
  return documents;
}

function releaseOf(tenantId: number, payment: Transaction.Payment): ReserveRelease | undefined {
  const { transactionId, sandbox, capturedAt, reserveHeldMinor } = payment;
  const holdDays = Transaction.routeOf(payment)?.terms.reserveHoldDays;
  if (reserveHeldMinor === 0n || capturedAt === null || holdDays === undefined) return undefined;
  const dueAt = new Date(Date.parse(capturedAt) + holdDays * DAY_MS).toISOString();
  return { tenantId, transactionId, sandbox, dueAt };
}

function reasonsOf(payment: Transaction.Payment): readonly OpenReason[] {
  const reasons: OpenReason[] = [];
  if (OPEN_STATUSES.has(payment.status)) reasons.push('payment');
  if (payment.status === 'RequiresAction') reasons.push('action');
  if (payment.pendingCapture !== null) reasons.push('capture');
  if (payment.pendingVoid !== null) reasons.push('void');
  if (payment.refunds.some(({ status }) => status === 'RefundPending')) reasons.push('refund');
  return reasons;
}

/** Payments of all tenants with an open intent, those that have waited longest first. */
export function openIntents(
  store: ReadModelStore,
  query: OpenWorkQuery,
): Promise<OpenWorkPage<OpenIntent>> {
  return page(store, OPEN_INTENTS, query);
}

/** Open alerts of all tenants, the nearest deadline first. */
export function alertDeadlines(
  store: ReadModelStore,
  query: OpenWorkQuery,
): Promise<OpenWorkPage<AlertDeadline>> {
  return page(store, ALERT_DEADLINES, query);
}

/** Open chargebacks of all tenants, the nearest date first. */
export function chargebackDeadlines(
  store: ReadModelStore,
  query: OpenWorkQuery,
): Promise<OpenWorkPage<ChargebackDeadline>> {
  return page(store, CHARGEBACK_DEADLINES, query);
}

/** Reserves that are held, those whose hold ends first in front. */
export function reserveReleases(
  store: ReadModelStore,
  query: OpenWorkQuery,
): Promise<OpenWorkPage<ReserveRelease>> {
  return page(store, RESERVE_RELEASES, query);
}

/** Payments that wait to be captured or acted on, those that expire first in front. */
export function paymentExpiries(
  store: ReadModelStore,
  query: OpenWorkQuery,
): Promise<OpenWorkPage<PaymentExpiry>> {
  return page(store, EXPIRIES, query);
}

function page<Work>(
  store: ReadModelStore,
  collection: string,
  query: OpenWorkQuery,
): Promise<OpenWorkPage<Work>> {
  return workPage(store, { projection: TRANSACTIONS, collection }, query);
}
