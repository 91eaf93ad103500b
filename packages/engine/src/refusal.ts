/** What the engine refuses with: a code and its facts, without a status or a text of any interface. */
import type { Rejection } from '@counterfoil/core';
import { type SliceRefusal, TRANSIENT_IN_SLICES, type TransientSliceRefusal } from './refusals.ts';

/** Where an argument of a call is wrong, and why: never its content. */
export interface InputFault {
  /** `plans/0/name`; empty for an argument that is no object. */
  readonly path: string;
  readonly detail: string;
}

/** Refusals of all use cases. */
type CommonRefusal =
  /** Another type, form or length than a call takes, an unknown member, or a card number in a text. */
  | { readonly type: 'InputInvalid'; readonly faults: readonly InputFault[] }
  /** The command id names another command. */
  | { readonly type: 'IdempotencyKeyReused' }
  /** The test environment has sandbox data only. */
  | { readonly type: 'LiveDataForbidden' }
  /** `field` names the amount in what was asked for. */
  | {
      readonly type: 'AmountInvalid';
      readonly field: string;
      readonly currency: string;
      readonly reason: 'NotAnAmount' | 'AmountTooLarge';
    }
  | {
      readonly type: 'AmountTooFine';
      readonly field: string;
      readonly currency: string;
      readonly decimals: number;
    }
  | { readonly type: 'PageOutOfReach' };

/** Refusals that say nothing of the request: the same one may be accepted later. */
type TransientRefusal =
  /** The ledger is closed, and nothing was done; or `begun`, and the call may have been done. */
  | { readonly type: 'LedgerClosed'; readonly begun: boolean }
  /** Other processes kept changing the same stream; nothing was done. */
  | { readonly type: 'ConcurrentUpdate' }
  /** Commands on the same stream take too long; nothing was done. */
  | { readonly type: 'StreamBusy' }
  | { readonly type: 'ReadModelsBehind' }
  | { readonly type: 'ReadModelsBuilding' }
  /** The log or a database could not be reached: the work may have been done. */
  | { readonly type: 'LogUnavailable' }
  | { readonly type: 'DatabaseUnavailable' }
  /** The log takes no events, for want of room or rights; nothing was done. */
  | { readonly type: 'LogReadOnly' }
  | { readonly type: 'SharedDatabaseUnavailable' };

export type Refusal =
  | Rejection
  | CommonRefusal
  | TransientRefusal
  | SliceRefusal
  | TransientSliceRefusal;

export type RefusalCode = Refusal['type'];

/** Every transient code: the compiler refuses this table while one is missing. */
const TRANSIENT = {
  ...TRANSIENT_IN_SLICES,
  LedgerClosed: true,
  ConcurrentUpdate: true,
  StreamBusy: true,
  ReadModelsBehind: true,
  ReadModelsBuilding: true,
  LogUnavailable: true,
  DatabaseUnavailable: true,
  LogReadOnly: true,
  SharedDatabaseUnavailable: true,
} as const satisfies Record<TransientRefusal['type'], true>;

/** Defects of the ledger and not of a request: what follows the log stops there, and passes none over. */
const DEFECTS: ReadonlySet<string> = new Set<Rejection['type']>([
  'ErasureNotRequested',
  'BlockSizeOutOfRange',
  'SequenceExhausted',
]);

/**
 * An expected refusal, thrown by every use case. `code` identifies it; `refusal` has the facts. It
 * has no stack: it is an answer, not a defect.
 */
export class Refused<Of extends Refusal = Refusal> extends Error {
  override readonly name = 'Refused';
  readonly code: Of['type'];
  readonly refusal: Of;

  constructor(refusal: Of) {
    // A refusal is made for every bad request: collecting a stack for each would cost more than the rest.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(textOf(refusal));
    Error.stackTraceLimit = stackTraceLimit;
    this.code = refusal.type;
    this.refusal = refusal;
  }

  /** Whether the same request may be accepted later. */
  get isTransient(): boolean {
    return Object.hasOwn(TRANSIENT, this.code) || DEFECTS.has(this.code);
  }
}

/** `throw refused({ type: 'TransactionUnknown' })`. */
export function refused<Of extends Refusal>(refusal: Of): Refused<Of> {
  return new Refused(refusal);
}

/** The code and its facts, for logs: `RefundExceedsRemaining {"requestedMinor":"500",...}`. */
function textOf({ type, ...facts }: Refusal): string {
  if (Object.keys(facts).length === 0) return type;
  const shown = JSON.stringify(facts, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return `${type} ${shown}`;
}
