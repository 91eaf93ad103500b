/** What the engine refuses with: a code and its facts, without a status or a text of any interface. */
import type { Rejection, Routing, TransactionId } from '@counterfoil/core';
import type { CardFault } from './gateways/card-number.ts';

/** A reference of a request to something that is defined for the tenant. */
export interface UnknownReference {
  readonly field: string;
  readonly id: number;
  /** Where the reference exists, but belongs to another company than this one. */
  readonly companyId?: number;
}

/** Where an argument of a call is wrong, and why: never its content. */
export interface InputFault {
  /** `plans/0/name`; empty for an argument that is no object. */
  readonly path: string;
  readonly detail: string;
}

/** Refusals of the use cases themselves. */
export type UseCaseRefusal =
  /** Another type, form or length than a call takes, an unknown member, or a card number in a text. */
  | { readonly type: 'InputInvalid'; readonly faults: readonly InputFault[] }
  /** The command id names another command. */
  | { readonly type: 'IdempotencyKeyReused' }
  | { readonly type: 'ReferenceUnknown'; readonly references: readonly UnknownReference[] }
  /** The tenant has several companies, and nothing says which of them is meant. */
  | { readonly type: 'CompanyRequired' }
  /** The customer id is not that of the customer with this email. */
  | { readonly type: 'CustomerMismatch'; readonly customerId: number }
  /** A masked secret stands where none is kept that it could mean. */
  | {
      readonly type: 'CredentialMasked';
      readonly currency: string;
      readonly field: 'apiKey' | 'username' | 'password' | 'emailAddress';
    }
  | { readonly type: 'EmailTaken' }
  /** The id is that of a child of this payment; only payments are refunded. */
  | { readonly type: 'NotAPayment'; readonly paymentId: TransactionId }
  | { readonly type: 'EmailInvalid' }
  /** The test environment has sandbox data only. */
  | { readonly type: 'LiveDataForbidden' }
  /** Both of them were given, or neither. */
  | { readonly type: 'CardOrToken' }
  | { readonly type: 'CardInvalid'; readonly faults: readonly CardFault[] }
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
  | { readonly type: 'TokenUnknown' }
  /** No merchant account takes the payment: each that was tried, with its reason. */
  | {
      readonly type: 'NoMerchantAccount';
      readonly skipped: readonly Pick<
        Routing.Routing['skipped'][number],
        'merchantAccountId' | 'reason'
      >[];
    }
  | { readonly type: 'PageOutOfReach' }
  /** Another password, an email that is not known, a wrong code, or a user who is not active. */
  | { readonly type: 'SignInRefused' }
  /** The password is right, and a code is missing. */
  | { readonly type: 'SecondFactorRequired' }
  /** It was used, has expired or was replaced. */
  | { readonly type: 'LinkUnknown' }
  | { readonly type: 'PasswordTooWeak'; readonly min: number; readonly max: number }
  /** A search for mitigation needs one of these groups of filters. */
  | { readonly type: 'SearchTooBroad' }
  /** More months than `max`, or a first one after the last. */
  | {
      readonly type: 'MonthsOutOfRange';
      readonly from: string;
      readonly to: string;
      readonly months: number;
      readonly max: number;
    }
  | { readonly type: 'ClockCannotGoBack'; readonly now: string }
  | { readonly type: 'ClockMoveTooLong'; readonly now: string; readonly maxYears: number }
  | { readonly type: 'ClockBeyondEnd'; readonly end: string };

/** Refusals that say nothing of the request: the same one may be accepted later. */
export type TransientRefusal =
  /** The ledger is closed, and nothing was done; or `begun`, and the call may have been done. */
  | { readonly type: 'LedgerClosed'; readonly begun: boolean }
  /** Other processes kept changing the same stream; nothing was done. */
  | { readonly type: 'ConcurrentUpdate' }
  /** Commands on the same stream take too long; nothing was done. */
  | { readonly type: 'StreamBusy' }
  /** Another process works on the same payment; nothing was done. */
  | { readonly type: 'PaymentBusy' }
  /** Too many failed sign-ins in a row. */
  | { readonly type: 'SignInDelayed'; readonly retryAt: string }
  | { readonly type: 'ReadModelsBehind' }
  | { readonly type: 'ReadModelsBuilding' }
  /** The log or a database could not be reached: the work may have been done. */
  | { readonly type: 'LogUnavailable' }
  | { readonly type: 'DatabaseUnavailable' }
  /** The log takes no events, for want of room or rights; nothing was done. */
  | { readonly type: 'LogReadOnly' }
  | { readonly type: 'SharedDatabaseUnavailable' }
  /** The gateway did not answer a question, refused the connection, or answered something unintelligible. */
  | { readonly type: 'GatewayFailed'; readonly gatewayId: number }
  /** Too many calls of the gateway are under way; this one was not sent. */
  | { readonly type: 'GatewayBusy'; readonly gatewayId: number }
  /** The ledger was opened without this gateway; nothing was done. */
  | { readonly type: 'GatewayUnknown'; readonly gatewayId: number }
  | { readonly type: 'ClockHeldUp'; readonly reason: string; readonly now: string };

export type Refusal = Rejection | UseCaseRefusal | TransientRefusal;

export type RefusalCode = Refusal['type'];

/** Every transient code: the compiler refuses this table while one is missing. */
const TRANSIENT = {
  LedgerClosed: true,
  ConcurrentUpdate: true,
  StreamBusy: true,
  PaymentBusy: true,
  SignInDelayed: true,
  ReadModelsBehind: true,
  ReadModelsBuilding: true,
  LogUnavailable: true,
  DatabaseUnavailable: true,
  LogReadOnly: true,
  SharedDatabaseUnavailable: true,
  GatewayFailed: true,
  GatewayBusy: true,
  GatewayUnknown: true,
  ClockHeldUp: true,
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
