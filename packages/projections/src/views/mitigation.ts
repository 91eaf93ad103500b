/** What providers of chargeback mitigation see of transactions: fewer fields, and what became of the payment. */
import { Policies, Subscription, Transaction, toMajor } from '@counterfoil/core';
import type { ReadModelStore } from '../read-model-store.ts';
import { instant } from './instant.ts';
import { keyOf, liveModel, PAYMENTS, TRANSACTIONS } from './live-model.ts';
import { readPayment } from './payment-reading.ts';
import type { ReferenceView } from './reference.ts';
import { renderRecord, type SearchRecord, type StoredRecord } from './search-record.ts';
import { SubscriptionView } from './subscriptions.ts';
import { MAX_LIMIT, type SearchPage, type SearchQuery, SearchView } from './transactions-search.ts';

/** The fields of the search record that the Mitigation operations show (contract). */
const REDUCED = [
  'gateway',
  'transactionId',
  'orderId',
  'sent',
  'email',
  'sandbox',
  'applicationId',
  'status',
  'statusId',
  'success',
  'completed',
  'currency',
  'amount',
  'mid',
  'descriptor',
  'customerId',
  'authCode',
  'gatewayTransactionId',
  'firstName',
  'lastName',
  'bin',
  'last4',
  'refunded',
  'refundable',
  'hasAlert',
  'chargedBack',
  'originalTransactionId',
] as const satisfies readonly (keyof SearchRecord)[];

export type ReducedRecord = Pick<SearchRecord, (typeof REDUCED)[number]>;

/** A reduced record and what providers ask for besides. Of a child: what it is itself, and its payment's subscription. */
export interface MitigationRecord extends ReducedRecord {
  readonly arn: string;
  /** The last alert: `None` without any. */
  readonly alertType: string;
  readonly alertSource: string;
  /** In major units: what has been paid back. */
  readonly refundedAmount: number;
  /** When the last refund was paid; null without any. */
  readonly refundDate: string | null;
  /** When the last chargeback was opened; null without any. */
  readonly chargebackDate: string | null;
  /** The status of the last chargeback; empty without any. */
  readonly chargebackStatus: string;
  /** Whether a subscription that the payment started, or renewed, goes on. */
  readonly subscriptionActive: boolean;
}

export interface ReducedPage extends Omit<SearchPage, 'transactions'> {
  readonly transactions: readonly ReducedRecord[];
}

/** Queries for providers of chargeback mitigation. */
export class MitigationView {
  readonly #store: ReadModelStore;
  readonly #reference: ReferenceView;
  readonly #searches: SearchView;
  readonly #subscriptions: SubscriptionView;

  constructor(store: ReadModelStore, reference: ReferenceView) {
    this.#store = store;
    this.#reference = reference;
    this.#searches = new SearchView(store, reference);
    this.#subscriptions = new SubscriptionView(store);
  }

  /** A page of the transactions search, reduced. */
  async transactions(query: SearchQuery): Promise<ReducedPage> {
    const page = await this.#searches.search(query);
    return { ...page, transactions: page.transactions.map(reduced) };
  }

  /** The newest matches, 100 at most. */
  async search(query: SearchQuery): Promise<readonly MitigationRecord[]> {
    const { tenantId, now } = query;
    const { records } = await this.#searches.found({ ...query, limit: MAX_LIMIT });
    const names = await this.#reference.names(tenantId);
    const payments = await this.#paymentsOf(tenantId, records);
    const active = await this.#activeOf(tenantId, [...payments.values()]);
    const nowMs = Date.parse(now);
    return records.map((record) => {
      const payment = payments.get(rootIdOf(record));
      const subscriptionIds = payment === undefined ? [] : Policies.subscriptionsOf(payment);
      const shown = renderRecord(record, names, nowMs);
      return {
        ...reduced(shown),
        arn: record.arn,
        alertType: shown.alertType,
        alertSource: shown.alertSource,
        ...outcomeOf(record, payment),
        subscriptionActive: subscriptionIds.some((id) => active.has(id)),
      };
    });
  }

  /** The payments of those records that do not say all by themselves. */
  async #paymentsOf(
    tenantId: number,
    records: readonly StoredRecord[],
  ): Promise<ReadonlyMap<string, Transaction.Payment>> {
    const ids = [...new Set(records.filter(hasMore).map(rootIdOf))];
    if (ids.length === 0) return new Map();
    const model = await liveModel(this.#store, TRANSACTIONS);
    const bodies = await model.get(
      PAYMENTS,
      ids.map((id) => keyOf(tenantId, id)),
    );
    return new Map(
      bodies.map((body, index) => {
        // Only damage takes away the payment that a record belongs to.
        if (body === undefined) throw model.markDamaged(`the payment of ${ids[index]} is missing`);
        return [ids[index] ?? '', readPayment(body)];
      }),
    );
  }

  async #activeOf(
    tenantId: number,
    payments: readonly Transaction.Payment[],
  ): Promise<ReadonlySet<number>> {
    const ids = new Set(payments.flatMap((payment) => Policies.subscriptionsOf(payment)));
    const found = await this.#subscriptions.byIds(tenantId, [...ids]);
    return new Set(found.filter(Subscription.isActive).map(({ subscriptionId }) => subscriptionId));
  }
}

function rootIdOf({ transactionId, originalTransactionId }: StoredRecord): string {
  return originalTransactionId ?? transactionId;
}

function hasMore(record: StoredRecord): boolean {
  return (
    record.originalTransactionId !== null ||
    record.subscriptionId !== null ||
    record.chargedBack ||
    record.refundSourceId !== Transaction.REFUND_SOURCE.None
  );
}

type Outcome = Pick<
  MitigationRecord,
  'refundedAmount' | 'refundDate' | 'chargebackDate' | 'chargebackStatus'
>;

/** Refunds and chargebacks of a payment; of a child, itself. */
function outcomeOf(record: StoredRecord, payment: Transaction.Payment | undefined): Outcome {
  const isOwn = (id: string) =>
    record.originalTransactionId === null || record.transactionId === id;
  const refunds = (payment?.refunds ?? []).filter(
    ({ refundId, status }) => status === 'Refunded' && isOwn(refundId),
  );
  const paidAt = refunds.map(({ requestedAt, completedAt }) =>
    Date.parse(completedAt ?? requestedAt),
  );
  const chargeback = payment?.chargebacks.findLast(({ chargebackId }) => isOwn(chargebackId));
  const refundedMinor = refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  return {
    refundedAmount: toMajor(refundedMinor, record.currency),
    refundDate: paidAt.length === 0 ? null : instant(Math.max(...paidAt)),
    chargebackDate: chargeback?.openedAt ?? null,
    chargebackStatus: chargeback?.status ?? '',
  };
}

function reduced(record: SearchRecord): ReducedRecord {
  const kept: Partial<Record<keyof ReducedRecord, unknown>> = {};
  for (const field of REDUCED) kept[field] = record[field];
  return kept as ReducedRecord;
}
