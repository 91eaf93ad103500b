/** What a settlement line is about: payments by gateway transaction id or arn, and what no line has settled. */
import { Transaction } from '@counterfoil/core';
import type { ReadModelStore } from '../read-model-store.ts';
import { keyOf, liveModel, PAYMENTS, RECORDS, TRANSACTIONS } from './live-model.ts';
import { readPayment } from './payment-reading.ts';
import { partitionOf, storedRecord } from './search-record.ts';

/** Values of one walk: as many as an index is asked for at once. */
const VALUES = 64;
/** Records of one walk: an id names a payment and a few children. */
const MATCHES = 1_000;
const SCAN_PAGE = 1_000;
/** A payment may be captured, and a chargeback won, so long after it came. */
const LEAD_MS = 30 * 86_400_000;

const { APPLICATION_KIND, STATUS_ID } = Transaction;

export interface SettlementBooks {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly merchantAccountId: number;
}

export type AcquirerIdField = 'gatewayTransactionId' | 'arn';

/** The payments of an account by an id of theirs, or of one of their refunds and chargebacks. */
export async function paymentsByAcquirerId(
  store: ReadModelStore,
  books: SettlementBooks,
  { field, values }: { readonly field: AcquirerIdField; readonly values: readonly string[] },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const model = await liveModel(store, TRANSACTIONS);
  const partition = partitionOf(books.tenantId, books.sandbox);
  const asked = new Set(values);
  const found = new Map<string, string[]>();
  const all = [...asked];
  for (let from = 0; from < all.length; from += VALUES) {
    const anyOf = all.slice(from, from + VALUES);
    const where = [{ field, anyOf }];
    const rows = await model.walk({ collection: RECORDS, partition, where, limit: MATCHES });
    for (const { body } of rows) {
      const record = storedRecord.decode(body);
      const value = record[field];
      // Indices may keep hashes.
      if (!asked.has(value) || record.merchantAccountId !== books.merchantAccountId) continue;
      const payment = record.originalTransactionId ?? record.transactionId;
      const payments = found.get(value) ?? [];
      if (!payments.includes(payment)) found.set(value, [...payments, payment]);
    }
  }
  return found;
}

export interface UnsettledMovement extends Transaction.Movement {
  readonly transactionId: string;
}

/** What was booked in a period (milliseconds, both included) and no line has settled, page by page. */
export async function* unsettledIn(
  store: ReadModelStore,
  { tenantId, sandbox, merchantAccountId }: SettlementBooks,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<readonly UnsettledMovement[]> {
  const model = await liveModel(store, TRANSACTIONS);
  const walk = {
    collection: RECORDS,
    partition: partitionOf(tenantId, sandbox),
    where: [{ field: 'merchantAccountId', anyOf: [merchantAccountId] }],
    limit: SCAN_PAGE,
    from: from - LEAD_MS,
    to,
  };
  let after: { sort: number; key: string } | undefined;
  do {
    const rows = await model.walk({ ...walk, ...(after !== undefined && { after }) });
    const payments = new Set<string>();
    for (const { body } of rows) {
      const { originalTransactionId, transactionId, ...record } = storedRecord.decode(body);
      if (mayBeUnsettled(record)) payments.add(originalTransactionId ?? transactionId);
    }
    const keys = [...payments].map((id) => keyOf(tenantId, id));
    const bodies = keys.length === 0 ? [] : await model.get(PAYMENTS, keys);
    yield bodies.flatMap((body) => (body === undefined ? [] : unsettledOf(body, { from, to })));
    const last = rows.at(-1);
    after =
      rows.length < SCAN_PAGE || last === undefined
        ? undefined
        : { sort: last.sort, key: last.key };
  } while (after !== undefined);
}

/**
 * A capture says itself whether it is settled; whether a refund or a chargeback is, its payment says, and
 * whether a refund that failed had been paid.
 */
function mayBeUnsettled({ kind, statusId }: { kind: number; statusId: number }): boolean {
  if (kind === APPLICATION_KIND.Refund) return statusId !== STATUS_ID.RefundPending;
  return kind === APPLICATION_KIND.Chargeback || statusId === STATUS_ID.Captured;
}

function unsettledOf(
  body: string,
  { from, to }: { readonly from: number; readonly to: number },
): UnsettledMovement[] {
  const payment = readPayment(body);
  const { transactionId } = payment;
  return Transaction.unsettledMovements(payment)
    .filter(({ at }) => Date.parse(at) >= from && Date.parse(at) <= to)
    .map((movement) => ({ ...movement, transactionId }));
}
