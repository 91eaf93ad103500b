/** Random lives of a payment: commands drawn against its present state, and the events they led to. */

import fc from 'fast-check';
import { isLeft } from 'fp-ts/lib/Either.js';
import { remainingMinor } from '../domain/transaction/balance.ts';
import type {
  Command,
  CommandOf,
  Outcome,
  Rejection,
  SettlementLine,
} from '../domain/transaction/command.ts';
import { decide } from '../domain/transaction/decide.ts';
import type { Event, Route } from '../domain/transaction/events.ts';
import { lineTotalMinor } from '../domain/transaction/order.ts';
import { unsettledMovements } from '../domain/transaction/settlement.ts';
import { evolve, initial, type Payment, type State } from '../domain/transaction/state.ts';
import type { TenantId, TransactionId } from '../kernel/ids.ts';
import { route, submitPayment, transactionId } from './arbitraries.ts';

/** One command, what was decided on it, and the payment before and after. */
export interface Step {
  readonly command: Command;
  readonly before: State;
  readonly rejection: Rejection | undefined;
  readonly events: readonly Event[];
  readonly after: State;
}

export interface PaymentHistory {
  readonly steps: readonly Step[];
  /** All events of all steps, in order. */
  readonly events: readonly Event[];
  readonly state: State;
}

/** A drawn choice, made into a command once the state is known. It is small, so it shrinks well. */
export interface Move {
  /** Any command at all when true; else one that the state calls for. */
  readonly wild: boolean;
  readonly kind: number;
  readonly id: TransactionId;
  /** Chooses among what there is: refunds, chargebacks, items, answers. */
  readonly pick: number;
  /** In percent of what the amount may be: over 100 asks for too much. */
  readonly share: number;
  readonly elapsedMs: number;
  readonly route: Route;
}

const LONGEST_PAUSE_MS = 10 * 86_400_000;
const MOST_MOVES = 30;

export function move(): fc.Arbitrary<Move> {
  return fc.record({
    wild: fc.nat(7).map((n) => n === 7),
    kind: fc.nat(999),
    id: transactionId(),
    pick: fc.nat(999),
    share: fc.oneof(fc.constantFrom(0, 50, 60, 100), fc.integer({ min: 0, max: 120 })),
    elapsedMs: fc.nat(LONGEST_PAUSE_MS),
    route: route(),
  });
}

/** Histories of one payment from its submission on, at most `maxMoves` commands long. */
export function paymentHistory(maxMoves: number = MOST_MOVES): fc.Arbitrary<PaymentHistory> {
  return fc
    .tuple(submitPayment(), fc.array(move(), { maxLength: maxMoves, size: 'max' }))
    .map(([first, moves]) => play(first, moves));
}

/** A command that may well be accepted by this payment, or may not. */
export function commandFor(payment: Payment, tenantId: TenantId): fc.Arbitrary<Command> {
  return move().map((drawn) => commandOf(drawn, payment, tenantId, payment.changedAt));
}

function play(first: CommandOf<'SubmitPayment'>, moves: readonly Move[]): PaymentHistory {
  const steps = [stepOf(initial, first)];
  for (const drawn of moves) {
    const { after, command } = steps.at(-1) as Step;
    if (after === null) break;
    steps.push(stepOf(after, commandOf(drawn, after, first.tenantId, command.at)));
  }
  const events = steps.flatMap((step) => step.events);
  return { steps, events, state: (steps.at(-1) as Step).after };
}

function stepOf(before: State, command: Command): Step {
  const decided = decide(before, command);
  if (isLeft(decided)) {
    return { command, before, rejection: decided.left, events: [], after: before };
  }
  const events = decided.right;
  return { command, before, rejection: undefined, events, after: events.reduce(evolve, before) };
}

/** Turns a move into the command it stands for, on this payment and after this instant. */
export function commandOf(
  drawn: Move,
  payment: Payment,
  tenantId: TenantId,
  after: string,
): Command {
  const kinds = drawn.wild ? EVERY_KIND : fitting(payment);
  const kind = chosen(kinds, drawn.kind) ?? 'RequestRefund';
  const at = new Date(Date.parse(after) + drawn.elapsedMs).toISOString();
  const { transactionId } = payment;
  const body = BODIES[kind](payment, drawn, at);
  return { type: kind, tenantId, transactionId, at, ...body } as Command;
}

function chosen<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items[pick % Math.max(items.length, 1)];
}

const AFTER_CAPTURE: readonly Kind[] = [
  'RequestRefund',
  'RequestRefund',
  'RecordRefund',
  'RecordRefund',
  'RecordRefundFailure',
  'RecordRefundReversal',
  'RecordNetworkRefund',
  'OpenChargeback',
  'MoveChargeback',
  'MoveChargeback',
  'ReceiveAlert',
  'MoveAlert',
  'ReleaseReserve',
  'SettleLine',
];

/** The commands that a payment in this state is likely to get. */
function fitting(payment: Payment): readonly Kind[] {
  if (payment.pendingCapture !== null) {
    return ['RecordCapture', 'RecordCapture', 'RecordCaptureFailure', 'ExpirePayment'];
  }
  if (payment.pendingVoid !== null) {
    return ['RecordVoid', 'RecordVoidFailure', 'RecordNetworkRefund', 'OpenChargeback'];
  }
  switch (payment.status) {
    case 'Created':
      return ['StartAttempt'];
    case 'Processing':
      return payment.attempts.at(-1)?.outcome === 'declined'
        ? ['StartAttempt', 'StartAttempt', 'RecordOutcome']
        : ['RecordOutcome'];
    case 'RequiresAction':
      return ['CompleteAction', 'CompleteAction', 'ExpirePayment', 'RecordOutcome'];
    case 'Unknown':
      return ['RecordOutcome'];
    case 'Authorized':
      return ['RequestCapture', 'RequestCapture', 'RequestCapture', 'RequestVoid', 'ExpirePayment'];
    case 'Captured':
      return [...AFTER_CAPTURE, 'SettlePayment', 'RequestVoid'];
    case 'Settled':
    case 'Voided':
      return AFTER_CAPTURE;
    default:
      return EVERY_KIND;
  }
}

type Kind = Exclude<Command['type'], 'SubmitPayment'>;
type Body<Type extends Kind> = Omit<CommandOf<Type>, 'type' | 'tenantId' | 'transactionId' | 'at'>;

const BODIES: {
  readonly [Type in Kind]: (payment: Payment, drawn: Move, at: string) => Body<Type>;
} = {
  StartAttempt: ({ attempts }, { route, wild, pick }) => ({
    attempt: wild ? pick % 4 : attempts.length + 1,
    route,
  }),
  RecordOutcome: ({ attempts }, drawn, at) => ({
    attempt: drawn.wild ? drawn.pick % 4 : attempts.length,
    outcome: outcomeOf(drawn, at),
  }),
  CompleteAction: () => ({}),
  ExpirePayment: () => ({ note: 'ran out' }),
  RequestCapture: ({ authorizedMinor }, { id, share }) => ({
    captureId: id,
    ...(share === 100 ? {} : { amountMinor: shareOf(authorizedMinor, share) }),
  }),
  RecordCapture: ({ pendingCapture }, { id, pick }) => ({
    captureId: pendingCapture?.captureId ?? id,
    gatewayTransactionId: pick % 2 === 0 ? '' : `capture-${pick}`,
    arn: `arn-${pick}`,
    note: '',
  }),
  RecordCaptureFailure: ({ pendingCapture }, { id }) => ({
    captureId: pendingCapture?.captureId ?? id,
    note: 'refused',
  }),
  RequestVoid: (_, { id }) => ({ voidId: id }),
  RecordVoid: ({ pendingVoid }, { id }) => ({ voidId: pendingVoid?.voidId ?? id, note: '' }),
  RecordVoidFailure: ({ pendingVoid }, { id }) => ({
    voidId: pendingVoid?.voidId ?? id,
    note: 'late',
  }),
  SettlePayment: ({ capturedMinor }, { pick, share }) => ({
    amountMinor: shareOf(capturedMinor, share),
    reference: `payout-${pick}`,
  }),
  SettleLine: (payment, drawn) => ({ line: settlementLineFor(payment, drawn) }),
  ReleaseReserve: ({ reserveHeldMinor }, { id, share }) => ({
    releaseId: id,
    ...(share === 100 ? {} : { amountMinor: shareOf(reserveHeldMinor, share) }),
  }),
  RequestRefund: (payment, drawn) => ({
    refundId: drawn.id,
    ...refundAmount(payment, drawn),
    source: chosen(['CustomerService', 'Admin', 'AlertProvider'] as const, drawn.pick) ?? 'Admin',
    notifyCustomer: drawn.pick % 2 === 0,
    requestedBy: 'agent@example.com',
    policy: { refundWindowDays: 180, forceAllowRefunds: drawn.pick % 5 === 0 },
  }),
  RecordRefund: ({ refunds }, { id, pick }) => ({
    refundId: chosen(refunds, pick)?.refundId ?? id,
    gatewayTransactionId: `refund-${pick}`,
    arn: '',
    note: '',
  }),
  RecordRefundFailure: ({ refunds }, { id, pick }) => ({
    refundId: chosen(refunds, pick)?.refundId ?? id,
    note: 'refused',
  }),
  RecordRefundReversal: ({ refunds }, { id, pick }) => ({
    refundId: chosen(refunds, pick)?.refundId ?? id,
    note: 'sent back',
  }),
  RecordNetworkRefund: (payment, { id, pick, share }) => ({
    refundId: id,
    alertId: chosen(payment.alerts, pick)?.alertId ?? null,
    amountMinor: shareOf(remainingMinor(payment), share),
    arn: '',
    note: '',
  }),
  OpenChargeback: ({ capturedMinor }, { id, pick, share }) => ({
    chargebackId: id,
    reference: `case-${pick}`,
    amountMinor: shareOf(capturedMinor, share),
    reasonCode: '10.4',
    arn: '',
    note: '',
  }),
  MoveChargeback: ({ chargebacks }, { id, pick, share }) => ({
    chargebackId: chosen(chargebacks, pick)?.chargebackId ?? id,
    to: chosen(CHARGEBACK_MOVES, share) ?? 'ChargebackLost',
    note: '',
  }),
  ReceiveAlert: ({ capturedMinor }, { id, pick, share }) => ({
    alertId: id,
    reference: `alert-${pick}`,
    source: chosen(['AlertProvider', 'CDRN', 'RDR', 'Manual'] as const, pick) ?? 'Manual',
    alertType: pick % 3 === 0 ? 'ConfirmedFraud' : 'CustomerDispute',
    amountMinor: shareOf(capturedMinor, share),
    arn: '',
    note: '',
  }),
  MoveAlert: ({ alerts }, { id, pick, share }) => ({
    alertId: chosen(alerts, pick)?.alertId ?? id,
    to: chosen(ALERT_MOVES, share) ?? 'AlertResolved',
    note: '',
  }),
};

/** Mostly what is open, now and then with another amount or without what it is about. */
function settlementLineFor(payment: Payment, { pick, share, wild }: Move): SettlementLine {
  const open = chosen(unsettledMovements(payment), pick);
  const amountMinor = open?.amountMinor ?? payment.reserveReleasedMinor;
  return {
    kind: open?.kind ?? (pick % 2 === 0 ? 'reserve' : 'fee'),
    reference: `line-${pick}`,
    gatewayTransactionId: open?.gatewayTransactionId || payment.gatewayTransactionId,
    arn: open?.arn ?? '',
    amountMinor: wild ? shareOf(amountMinor, share) : amountMinor,
    currency: payment.currency,
    feeMinor: open?.feeMinor ?? 0n,
  };
}

const EVERY_KIND = Object.keys(BODIES) as Kind[];

const CHARGEBACK_MOVES = [
  'ChargebackUnderReview',
  'ChargebackWon',
  'ChargebackLost',
  'ChargebackAccepted',
  'ChargebackWithdrawn',
] as const;

const ALERT_MOVES = ['AlertResolved', 'AlertDeclined', 'AlertExpired'] as const;

function shareOf(minor: bigint, percent: number): bigint {
  return (minor * BigInt(percent)) / 100n;
}

/** A part of an ecommerce order comes with one of its items, and what is more than its line as shipping. */
function refundAmount(
  payment: Payment,
  { pick, share, wild }: Move,
): Pick<CommandOf<'RequestRefund'>, 'amountMinor' | 'items' | 'adjustments'> {
  if (share === 100) return { items: [] };
  const remaining = remainingMinor(payment);
  const amountMinor = shareOf(remaining, share);
  const item = chosen(payment.items, pick);
  if (item === undefined || wild || amountMinor === 0n) return { amountMinor, items: [] };
  const { storefrontVariantId } = item;
  const beyondMinor = amountMinor - lineTotalMinor(item);
  const beyond = { kind: 'shipping', amountMinor: beyondMinor > 0n ? beyondMinor : 0n } as const;
  const itemMinor = amountMinor - beyond.amountMinor;
  return {
    amountMinor,
    items: [
      { storefrontVariantId, quantity: 1 + (pick % 2), amountMinor: itemMinor, restock: true },
    ],
    ...(beyond.amountMinor > 0n && { adjustments: [beyond] }),
  };
}

/** Approvals come most often: a payment that was not taken has little left to live for. */
const RESULTS = [
  'captured',
  'captured',
  'captured',
  'captured',
  'authorized',
  'authorized',
  'declined',
  'action-required',
  'unknown',
  'failed',
] as const satisfies readonly Outcome['result'][];

function outcomeOf({ pick, share }: Move, at: string): Outcome {
  const result = chosen(RESULTS, pick) ?? 'failed';
  const answer = { note: result, at };
  const gatewayTransactionId = `gateway-${pick}`;
  switch (result) {
    case 'authorized':
    case 'captured':
      return {
        ...answer,
        result,
        authCode: '123456',
        gatewayTransactionId,
        arn: '',
        avsChecked: share % 2 === 0,
      };
    case 'declined':
      return {
        ...answer,
        result,
        declineCode: '51',
        hard: share > 80,
        gatewayTransactionId,
        retryElsewhere: share > 40,
      };
    case 'action-required':
      return {
        ...answer,
        result,
        gatewayTransactionId,
        nextAction: { type: 'redirect', url: 'https://example.com/3ds' },
      };
    default:
      return { ...answer, result };
  }
}
