/** The disputes queue: chargebacks and alerts, and reports that no payment matches, those that press most first. */
import { Dispute, Transaction, toMajor } from '@counterfoil/core';
import { z } from 'zod';
import type { DerivedDocument, Projection, Recorded, States } from '../projection.ts';
import type { Anchor, Condition, ReadModelStore } from '../read-model-store.ts';
import {
  DISPUTE_QUEUE,
  DISPUTE_STATES,
  DISPUTES,
  keyOf,
  liveModel,
  PAYMENTS,
  TRANSACTIONS,
  UNMATCHED_DISPUTES,
} from './live-model.ts';
import { packed } from './packed.ts';
import { readPayment } from './payment-reading.ts';
import { partitionOf } from './search-record.ts';
import { type OpenWorkPage, type OpenWorkQuery, workPage } from './work-list.ts';

/** Raised when the documents mean something else though their shapes are the same. */
const MEANING = 1;

const { chargeback, alert } = Dispute.REPORTED;
/** `Unmatched`: reported, and not in any books. */
export const QUEUE_STATUS = ['Unmatched', ...chargeback, ...alert] as const;
export type QueueStatus = (typeof QUEUE_STATUS)[number];

const text = z.string();
const State = z.strictObject({
  disputeId: text,
  transactionId: text.nullable(),
  kind: z.enum(['chargeback', 'alert']),
  provider: text,
  reference: text,
  sandbox: z.boolean(),
  status: z.enum(QUEUE_STATUS),
  merchantAccountId: z.int().nullable(),
  currency: text,
  amountMinor: z.number(),
  exceedsCaptured: z.boolean(),
  reasonCode: text,
  arn: text,
  alertType: text,
  alertSource: text,
  openedAt: text,
  deadline: text.nullable(),
  note: text,
  changedAt: text,
  /** While it matches no payment: when it was first reported. */
  reportedAt: text.nullable(),
});
type State = z.output<typeof State>;

const stored = packed(State);

type DisputeEvent = Extract<
  Transaction.Event,
  { readonly chargebackId: string } | { readonly type: `Alert${string}` }
>;
const TYPES: readonly (DisputeEvent['type'] | Dispute.Event['type'])[] = [
  'DisputeReported',
  'DisputeUpdated',
  'DisputeMatched',
  'ChargebackOpened',
  'ChargebackUnderReview',
  'ChargebackWon',
  'ChargebackLost',
  'ChargebackAccepted',
  'ChargebackWithdrawn',
  'AlertReceived',
  'AlertResolved',
  'AlertDeclined',
  'AlertExpired',
];

const FIELDS = { status: 'integer', kind: 'stored', merchantAccountId: 'integer' } as const;

export const disputes: Projection<State> = {
  name: DISPUTES,
  version: `${MEANING}-${stored.shape}`,
  categories: new Set(['transaction', 'dispute']),
  types: new Set(TYPES),
  stateCollection: DISPUTE_STATES,
  collections: [
    { name: DISPUTE_STATES, kind: 'keyed' },
    { name: DISPUTE_QUEUE, kind: 'walked', fields: FIELDS },
    { name: UNMATCHED_DISPUTES, kind: 'keyed' },
  ],

  needs: (record) => [stateKeyOf(record)],

  apply(record, states: States<State>) {
    const key = stateKeyOf(record);
    const state = changed(states.get(key), record);
    return { states: [[key, state]] };
  },

  encode: stored.encode,
  decode: stored.decode,

  derive(key, state) {
    const tenantId = Number(key.slice(0, key.indexOf('/')));
    const { disputeId, sandbox, reportedAt } = state;
    const isOpen = state.status === 'Unmatched' && reportedAt !== null;
    const documents: DerivedDocument[] = [
      {
        collection: DISPUTE_QUEUE,
        // A place never changes for a key, and the books may know the deadline better than the report.
        key: isOpen ? `${key}/reported` : key,
        body: stored.encode(state),
        place: {
          partition: partitionOf(tenantId, sandbox),
          sort: urgencyOf(state),
          fields: {
            status: QUEUE_STATUS.indexOf(state.status),
            kind: KIND[state.kind],
            merchantAccountId: state.merchantAccountId,
          },
        },
      },
    ];
    if (isOpen) {
      const waiting: UnmatchedDispute = { tenantId, disputeId, reportedAt };
      documents.push({
        collection: UNMATCHED_DISPUTES,
        key: `${reportedAt}/${tenantId}/${disputeId}`,
        body: JSON.stringify(waiting),
      });
    }
    return documents;
  },
};

const KIND = { chargeback: 20, alert: 30 } as const;

/** Above every other: money that left twice is to be asked back. */
const EXCEEDING = 4e15;
/** After every deadline. */
const NO_DEADLINE_MS = 3e15;

/** Greater for what is to be answered sooner. */
function urgencyOf({ exceedsCaptured, deadline }: State): number {
  const deadlineMs = deadline === null ? NO_DEADLINE_MS : Date.parse(deadline);
  return (exceedsCaptured ? EXCEEDING : 0) - deadlineMs;
}

function stateKeyOf({ tenantId, stream, event }: Recorded): string {
  if ('chargebackId' in event) return keyOf(tenantId, event.chargebackId);
  if ('alertId' in event && event.alertId !== null) return keyOf(tenantId, event.alertId);
  return keyOf(tenantId, stream.slice(`dispute-${tenantId}-`.length));
}

function changed(state: State | undefined, { stream, tenantId, event }: Recorded): State {
  const happened = event as DisputeEvent | Dispute.Event;
  const transactionId = stream.slice(`transaction-${tenantId}-`.length);
  switch (happened.type) {
    case 'DisputeReported':
      return reported(state, happened);
    case 'ChargebackOpened': {
      const { respondBy: deadline, beyondCapturedMinor, ...facts } = happened;
      return {
        ...factsOf(facts),
        disputeId: facts.chargebackId,
        transactionId,
        kind: 'chargeback',
        status: 'ChargebackOpen',
        exceedsCaptured: beyondCapturedMinor > 0n,
        reasonCode: facts.reasonCode,
        alertType: '',
        alertSource: '',
        openedAt: facts.openedAt,
        deadline,
      };
    }
    case 'AlertReceived': {
      const { deadline, alertType, source: alertSource, ...facts } = happened;
      return {
        ...factsOf(facts),
        disputeId: facts.alertId,
        transactionId,
        kind: 'alert',
        status: 'AlertOpen',
        exceedsCaptured: false,
        reasonCode: '',
        alertType,
        alertSource,
        openedAt: state?.openedAt ?? facts.at,
        deadline,
      };
    }
    default:
      if (state === undefined) throw new Error(`${happened.type} without a dispute`);
      return moved(state, happened);
  }
}

/** What the books say of either. */
function factsOf(
  event: Pick<
    Transaction.EventOf<'ChargebackOpened'>,
    | 'provider'
    | 'reference'
    | 'sandbox'
    | 'merchantAccountId'
    | 'currency'
    | 'amountMinor'
    | 'arn'
    | 'note'
    | 'at'
  >,
) {
  const { provider, reference, sandbox, merchantAccountId, currency, arn, note, at } = event;
  const known = { provider, reference, sandbox, merchantAccountId, currency, arn, note };
  return { ...known, amountMinor: Number(event.amountMinor), changedAt: at, reportedAt: null };
}

function reported(
  state: State | undefined,
  event: Extract<Dispute.Event, { type: 'DisputeReported' }>,
): State {
  if (state !== undefined) return state;
  const { disputeId, kind, provider, reference, sandbox, currency, reasonCode, places } = event;
  return {
    disputeId,
    transactionId: null,
    kind,
    provider,
    reference,
    sandbox,
    status: 'Unmatched',
    merchantAccountId: null,
    currency,
    amountMinor: Number(event.amountMinor),
    exceedsCaptured: false,
    reasonCode,
    arn: places.arn,
    alertType: event.alertType ?? '',
    alertSource: event.alertSource ?? '',
    openedAt: event.openedAt,
    deadline: event.respondBy ?? Transaction.alertDeadlineOf(event.alertSource, event.openedAt),
    note: event.note,
    changedAt: event.at,
    reportedAt: event.at,
  };
}

function moved(
  state: State,
  event: Exclude<
    DisputeEvent | Dispute.Event,
    { type: 'DisputeReported' | 'ChargebackOpened' | 'AlertReceived' }
  >,
): State {
  switch (event.type) {
    case 'DisputeUpdated':
      return { ...state, note: event.note || state.note };
    case 'DisputeMatched':
      return { ...state, transactionId: event.transactionId };
    default:
      return { ...state, status: event.type, note: event.note, changedAt: event.at };
  }
}

/** A report that no payment matches yet. */
export interface UnmatchedDispute {
  readonly tenantId: number;
  readonly disputeId: string;
  readonly reportedAt: string;
}

/** Of all tenants, those that have waited longest first. */
export function unmatchedDisputes(
  store: ReadModelStore,
  query: OpenWorkQuery,
): Promise<OpenWorkPage<UnmatchedDispute>> {
  return workPage(store, { projection: DISPUTES, collection: UNMATCHED_DISPUTES }, query);
}

/** One of the queue, with what is known of its payment. Amounts in major units; what is not known is null or ''. */
export interface DisputeRecord
  extends Omit<State, 'amountMinor' | 'reportedAt' | 'exceedsCaptured'> {
  readonly amount: number;
  /** Whether it took money that had been given back already, or was on its way. */
  readonly exceedsCaptured: boolean;
  /** What had been refunded when it came. */
  readonly refundedBefore: number;
  readonly orderId: number | null;
  readonly email: string;
  readonly mid: string;
  readonly midName: string;
}

export interface DisputeQuery {
  readonly tenantId: number;
  readonly sandbox: boolean;
  /** All when absent. */
  readonly statuses?: readonly QueueStatus[];
  readonly kind?: State['kind'];
  readonly merchantAccountIds?: readonly number[];
  /** Due by then (ISO 8601, GMT); chargebacks that exceed the capture besides. */
  readonly dueBy?: string;
  readonly limit: number;
  /** `end` of the page before. */
  readonly after?: Anchor;
}

export interface DisputePage {
  readonly disputes: readonly DisputeRecord[];
  readonly moreResults: boolean;
  readonly end: Anchor | undefined;
}

/** Queries over the disputes queue. */
export class DisputeView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** Chargebacks that exceed the capture first, then the nearest deadline. */
  async list(query: DisputeQuery): Promise<DisputePage> {
    const { tenantId, sandbox, statuses, kind, merchantAccountIds, dueBy, limit, after } = query;
    const where: Condition[] = [];
    if (statuses !== undefined && statuses.length > 0) {
      const anyOf = statuses.map((status) => QUEUE_STATUS.indexOf(status));
      where.push({ field: 'status', anyOf });
    }
    if (kind !== undefined) where.push({ field: 'kind', anyOf: [KIND[kind]] });
    if (merchantAccountIds !== undefined && merchantAccountIds.length > 0) {
      where.push({ field: 'merchantAccountId', anyOf: merchantAccountIds });
    }
    const model = await liveModel(this.#store, DISPUTES);
    const rows = await model.walk({
      collection: DISPUTE_QUEUE,
      partition: partitionOf(tenantId, sandbox),
      where,
      ...(dueBy !== undefined && { from: -Date.parse(dueBy) }),
      ...(after !== undefined && { after }),
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      disputes: await this.#rendered(
        tenantId,
        page.map(({ body }) => stored.decode(body)),
      ),
      moreResults: rows.length > limit,
      end: last && { sort: last.sort, key: last.key },
    };
  }

  /** Undefined when the tenant has none of that id. */
  async dispute(tenantId: number, disputeId: string): Promise<DisputeRecord | undefined> {
    const model = await liveModel(this.#store, DISPUTES);
    const [body] = await model.get(DISPUTE_STATES, [keyOf(tenantId, disputeId)]);
    if (body === undefined) return undefined;
    return (await this.#rendered(tenantId, [stored.decode(body)]))[0];
  }

  async #rendered(tenantId: number, states: readonly State[]): Promise<readonly DisputeRecord[]> {
    const ids = [...new Set(states.flatMap(({ transactionId }) => transactionId ?? []))];
    const model = await liveModel(this.#store, TRANSACTIONS);
    const keys = ids.map((id) => keyOf(tenantId, id));
    const bodies = ids.length === 0 ? [] : await model.get(PAYMENTS, keys);
    // The read models advance apart: a payment may not be there yet.
    const payments = new Map(
      bodies.flatMap((body, index) =>
        body === undefined ? [] : [[ids[index], readPayment(body)] as const],
      ),
    );
    return states.map((state) => rendered(state, payments.get(state.transactionId ?? undefined)));
  }
}

function rendered(
  { amountMinor, reportedAt: _, ...state }: State,
  payment: Transaction.Payment | undefined,
): DisputeRecord {
  const major = (minor: bigint) => toMajor(minor, state.currency);
  const own = payment?.chargebacks.find(({ chargebackId }) => chargebackId === state.disputeId);
  const route = payment && Transaction.routeOf(payment);
  return {
    ...state,
    amount: major(BigInt(amountMinor)),
    refundedBefore: major(own?.refundedBeforeMinor ?? 0n),
    orderId: payment?.orderId ?? null,
    email: payment?.email ?? '',
    mid: route?.mid ?? '',
    midName: route?.midName ?? '',
  };
}
