/** The transactions read model: a payment each, its search records, and the work it leaves open. */
import { Transaction } from '@counterfoil/core';
import { walkedByCustomer } from '../erasing.ts';
import type { DerivedDocument, Projection, Recorded, States } from '../projection.ts';
import {
  ALERT_DEADLINES,
  CHARGEBACK_DEADLINES,
  DESCRIPTORS,
  EXPIRIES,
  keyOf,
  OPEN_INTENTS,
  PAYMENTS,
  RECORDS,
  RESERVE_RELEASES,
  TRANSACTIONS,
  UNANSWERED,
} from './live-model.ts';
import { openWorkOf } from './open-work.ts';
import { packed } from './packed.ts';
import { recordsOf } from './payment-records.ts';
import {
  folded,
  partitionOf,
  placeOf,
  RECORD_COMPANIONS,
  RECORD_FIELDS,
  storedRecord,
} from './search-record.ts';
import { unansweredOf } from './unanswered.ts';

/** Raised when the documents mean something else though their shapes are the same. */
const MEANING = 6;

export const storedPayment = packed(Transaction.Payment);

export const transactions: Projection<Transaction.Payment> = {
  name: TRANSACTIONS,
  version: `${MEANING}-${storedPayment.shape}-${storedRecord.shape}`,
  categories: new Set(['transaction']),
  stateCollection: PAYMENTS,
  collections: [
    { name: PAYMENTS, kind: 'keyed' },
    { name: RECORDS, kind: 'walked', fields: RECORD_FIELDS, companions: RECORD_COMPANIONS },
    { name: DESCRIPTORS, kind: 'dictionary' },
    { name: OPEN_INTENTS, kind: 'keyed' },
    { name: UNANSWERED, kind: 'keyed' },
    { name: ALERT_DEADLINES, kind: 'keyed' },
    { name: CHARGEBACK_DEADLINES, kind: 'keyed' },
    { name: RESERVE_RELEASES, kind: 'keyed' },
    { name: EXPIRIES, kind: 'keyed' },
  ],

  needs(record) {
    return record.revision === 0 ? [] : [paymentKeyOf(record)];
  },

  apply(record, states: States<Transaction.Payment>) {
    const key = paymentKeyOf(record);
    const payment = Transaction.evolve(states.get(key) ?? null, record.event as Transaction.Event);
    if (payment === null) throw new Error('no payment came of the event');
    return { states: [[key, payment]] };
  },

  encode: storedPayment.encode,
  decode: storedPayment.decode,

  derive(key, payment) {
    const tenantId = Number(key.slice(0, key.indexOf('/')));
    const documents: DerivedDocument[] = [];
    for (const record of recordsOf(tenantId, payment)) {
      documents.push({
        collection: RECORDS,
        key: keyOf(tenantId, record.transactionId),
        body: storedRecord.encode(record),
        place: placeOf(record),
      });
    }
    const partition = partitionOf(tenantId, payment.sandbox);
    // Of every attempt, not of the last alone: which one is seen as the last depends on the batch.
    const descriptors = new Set(payment.attempts.map(({ route }) => folded(route.descriptor)));
    for (const descriptor of descriptors) {
      if (descriptor === '') continue;
      documents.push({
        collection: DESCRIPTORS,
        key: `${partition}/${descriptor}`,
        body: descriptor,
        place: { partition, sort: 0, fields: {} },
        shared: true,
      });
    }
    documents.push(...openWorkOf(tenantId, payment), ...unansweredOf(tenantId, payment));
    return documents;
  },

  erasing: {
    find: walkedByCustomer({ collection: RECORDS, stateKeyOf: paymentKeyOfDocument }),
    erase: (payment) => ({ ...payment, ...Transaction.events.PaymentSubmitted.erased }),
  },
};

/** Of the payment, also for the record of one of its children. */
function paymentKeyOfDocument({ body }: { readonly body: string }): string {
  const { tenantId, transactionId, originalTransactionId } = storedRecord.decode(body);
  return keyOf(tenantId, originalTransactionId ?? transactionId);
}

/** `transaction-<tenant>-<id>` → `<tenant>/<id>`. */
function paymentKeyOf({ stream, tenantId }: Recorded): string {
  return keyOf(tenantId, stream.slice(`transaction-${tenantId}-`.length));
}
