/** What providers report of a chargeback or an alert: kept also while no payment matches it. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant, Minor } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId, TransactionId } from '../kernel/ids.ts';
import { events as transactionEvents } from './transaction/events.ts';

/** The statuses that can be reported, in the order of a dispute's life. */
export const REPORTED = {
  chargeback: [
    'ChargebackOpen',
    'ChargebackUnderReview',
    'ChargebackWon',
    'ChargebackLost',
    'ChargebackAccepted',
    'ChargebackWithdrawn',
  ],
  alert: ['AlertOpen', 'AlertResolved', 'AlertDeclined', 'AlertExpired'],
} as const;
const ReportedStatus = z.enum([...REPORTED.chargeback, ...REPORTED.alert]);
export type ReportedStatus = z.output<typeof ReportedStatus>;

/** How the payment was found; `hand`: by whoever works on the queue. */
const MatchedBy = z.enum(['transactionId', 'gatewayTransactionId', 'arn', 'orderId', 'hand']);
export type MatchedBy = z.output<typeof MatchedBy>;

/** By what the payment can be found; each may be missing. */
const Places = z.strictObject({
  transactionId: TransactionId.nullable(),
  gatewayTransactionId: z.string(),
  arn: z.string(),
  orderId: z.int().nullable(),
});
export type Places = z.output<typeof Places>;

const { source: alertSource, alertType } = transactionEvents.AlertReceived.schema.shape;

const claim = {
  kind: z.enum(['chargeback', 'alert']),
  provider: z.string(),
  reference: z.string(),
  sandbox: z.boolean(),
  currency: z.string().length(3),
  amountMinor: Minor,
  reasonCode: z.string(),
  /** Of alerts. */
  alertType: alertType.nullable(),
  alertSource: alertSource.nullable(),
  openedAt: Instant,
  respondBy: Instant.nullable(),
};
export const Claim = z.strictObject(claim);
export type Claim = z.output<typeof Claim>;

const reported = {
  places: Places,
  status: ReportedStatus,
  note: z.string().max(1000),
  at: Instant,
};

export const events = {
  DisputeReported: event({ disputeId: TransactionId, ...claim, ...reported }),
  DisputeUpdated: event(reported),
  DisputeMatched: event({ transactionId: TransactionId, matchedBy: MatchedBy, at: Instant }),
};
export type Event = EventsOf<typeof events>;

interface Addressed {
  readonly tenantId: TenantId;
  readonly disputeId: TransactionId;
  readonly at: string;
}

export type Command = Addressed &
  (
    | {
        readonly type: 'ReportDispute';
        readonly claim: Claim;
        readonly places: Places;
        readonly status: ReportedStatus;
        readonly note: string;
      }
    | {
        readonly type: 'MatchDispute';
        readonly transactionId: TransactionId;
        readonly matchedBy: MatchedBy;
      }
  );

export type Rejection =
  | { readonly type: 'DisputeUnknown' }
  /** The same reference was reported before with another amount, currency or kind of alert. */
  | { readonly type: 'DisputeDiffers'; readonly field: 'amount' | 'currency' | 'alert' }
  | { readonly type: 'DisputeMatchedBefore'; readonly transactionId: TransactionId };

export interface Dispute extends Claim {
  readonly disputeId: TransactionId;
  readonly places: Places;
  /** Each that was reported, once, in the order in which they came. */
  readonly statuses: readonly ReportedStatus[];
  /** The payment; null while none matches. */
  readonly transactionId: TransactionId | null;
  readonly matchedBy: MatchedBy | null;
  /** Of the last report. */
  readonly note: string;
  readonly reportedAt: string;
}
export type State = Dispute | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  if (event.type === 'DisputeReported') {
    const { type: _, status, at, ...rest } = event;
    return { ...rest, statuses: [status], transactionId: null, matchedBy: null, reportedAt: at };
  }
  if (state === null) throw new Error(`${event.type} without a dispute`);
  switch (event.type) {
    case 'DisputeUpdated': {
      const { places, status, note } = event;
      const statuses = state.statuses.includes(status)
        ? state.statuses
        : [...state.statuses, status];
      return { ...state, statuses, note, places: merged(state.places, places) };
    }
    case 'DisputeMatched':
      return { ...state, transactionId: event.transactionId, matchedBy: event.matchedBy };
    default:
      return never(event);
  }
}

/** What was not known before. */
function merged(known: Places, more: Places): Places {
  return {
    transactionId: known.transactionId ?? more.transactionId,
    gatewayTransactionId: known.gatewayTransactionId || more.gatewayTransactionId,
    arn: known.arn || more.arn,
    orderId: known.orderId ?? more.orderId,
  };
}

const FINAL: ReadonlySet<ReportedStatus> = new Set([
  'ChargebackWon',
  'ChargebackLost',
  'ChargebackAccepted',
  'ChargebackWithdrawn',
  'AlertResolved',
  'AlertDeclined',
  'AlertExpired',
]);

/** The status that the reports come to, whatever their order: the first final one wins. */
export function statusOf({ kind, statuses }: Pick<Dispute, 'kind' | 'statuses'>): ReportedStatus {
  const final = statuses.find((status) => FINAL.has(status));
  if (final !== undefined) return final;
  if (statuses.includes('ChargebackUnderReview')) return 'ChargebackUnderReview';
  return kind === 'chargeback' ? 'ChargebackOpen' : 'AlertOpen';
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  switch (command.type) {
    case 'ReportDispute':
      return report(state, command);
    case 'MatchDispute':
      return match(state, command);
    default:
      return never(command);
  }
}

/** Checked in this order: DisputeDiffers, (a repeat). */
function report(
  state: State,
  command: Extract<Command, { type: 'ReportDispute' }>,
): Either<Rejection, readonly Event[]> {
  const { disputeId, claim: claimed, places, status, note, at } = command;
  if (state === null) {
    return right([{ type: 'DisputeReported', disputeId, ...claimed, places, status, note, at }]);
  }
  const field = differenceOf(state, claimed);
  if (field !== undefined) return left({ type: 'DisputeDiffers', field });
  const known = merged(state.places, places);
  const isRepeat =
    state.statuses.includes(status) &&
    (Object.keys(known) as (keyof Places)[]).every((name) => known[name] === state.places[name]);
  return right(isRepeat ? [] : [{ type: 'DisputeUpdated', places, status, note, at }]);
}

function differenceOf(known: Claim, other: Claim): 'amount' | 'currency' | 'alert' | undefined {
  if (known.amountMinor !== other.amountMinor) return 'amount';
  if (known.currency !== other.currency) return 'currency';
  const isSame = known.alertType === other.alertType && known.alertSource === other.alertSource;
  return isSame ? undefined : 'alert';
}

/** Checked in this order: DisputeUnknown, (a repeat), DisputeMatchedBefore. */
function match(
  state: State,
  { transactionId, matchedBy, at }: Extract<Command, { type: 'MatchDispute' }>,
): Either<Rejection, readonly Event[]> {
  if (state === null) return left({ type: 'DisputeUnknown' });
  if (state.transactionId === transactionId) return right([]);
  if (state.transactionId !== null) {
    return left({ type: 'DisputeMatchedBefore', transactionId: state.transactionId });
  }
  return right([{ type: 'DisputeMatched', transactionId, matchedBy, at }]);
}

export function streamOf(command: {
  readonly tenantId: TenantId;
  readonly disputeId: TransactionId;
}): StreamName {
  return streamName('dispute', command.tenantId, command.disputeId);
}
