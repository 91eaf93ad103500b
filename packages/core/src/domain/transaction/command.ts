/** What can be asked of a payment, and every reason why it may be refused. */
import type { TenantId, TransactionId } from '../../kernel/ids.ts';
import type { RefundPolicy } from './balance.ts';
import type { AlertSource, AlertType, RefundSource } from './codes.ts';
import type { EventOf, Route } from './events.ts';
import type { Order } from './order.ts';
import type { Status } from './status.ts';

export type RefundReason = EventOf<'RefundRequested'>['reason'];

/** Facts that a gateway's answer brings, whichever it is. */
interface Answer {
  readonly note: string;
  readonly at: string;
}

/** The outcome of an attempt, as the gateway reported it. */
export type Outcome =
  | (Answer & {
      readonly result: 'authorized' | 'captured';
      readonly authCode: string;
      readonly gatewayTransactionId: string;
      readonly arn: string;
      /** Whether the issuer compared the address: it has a fee of its own. */
      readonly avsChecked: boolean;
    })
  | (Answer & {
      readonly result: 'declined';
      readonly declineCode: string;
      readonly hard: boolean;
      readonly gatewayTransactionId: string;
      /** Another account will be tried: the attempt ends, the payment goes on. */
      readonly retryElsewhere: boolean;
      /** The accounts that will not try it, and why. */
      readonly skipped?: Route['skipped'];
    })
  | (Answer & {
      readonly result: 'action-required';
      readonly nextAction: { readonly type: string; readonly url: string };
      readonly gatewayTransactionId: string;
    })
  | (Answer & { readonly result: 'failed' | 'unknown' });

export interface RefundItem {
  readonly storefrontVariantId: number;
  readonly quantity: number;
  /** Absent: the share of what was paid for that quantity. */
  readonly amountMinor?: bigint;
  readonly restock: boolean;
}

/** What is given back of an ecommerce order beyond its lines. */
export interface RefundAdjustment {
  readonly kind: 'shipping' | 'other';
  readonly amountMinor: bigint;
}

/**
 * `reversal`: of a chargeback that was won or withdrawn. `reserve`: a part of the reserve that was
 * released. `fee`: of a decline or an alert, and every fee in another currency than the payment's.
 */
export type SettlementKind = 'capture' | EventOf<'MovementSettled'>['kind'];

/** One line of a settlement file, about one payment. Amounts are positive minor units of `currency`. */
export interface SettlementLine {
  readonly kind: SettlementKind;
  /** The acquirer's own, unique within the merchant account. */
  readonly reference: string;
  /** As the acquirer names the capture, the refund or the chargeback; empty where it does not. */
  readonly gatewayTransactionId: string;
  readonly arn: string;
  /** Before fees and reserve. */
  readonly amountMinor: bigint;
  readonly currency: string;
  /** What the acquirer kept of it. */
  readonly feeMinor: bigint;
}

/**
 * Why a line is not booked. `missing`: nothing of the payment is left to be settled that way. `settled`:
 * it was settled by the line with this reference. The others: what the books say instead.
 */
export type SettlementDifference =
  | { readonly type: 'missing' }
  | { readonly type: 'settled'; readonly reference: string }
  | { readonly type: 'currency'; readonly expected: string }
  | { readonly type: 'amount' | 'fee'; readonly expectedMinor: bigint };

/** The refund of a capture that is found more than `afterMinutes` after its outcome was unknown. */
export interface LateCaptureRefund {
  readonly afterMinutes: number;
  /** Derived from the payment: there is one. */
  readonly refundId: TransactionId;
  readonly policy: RefundPolicy;
}

interface PaymentCommands {
  /** Submits a payment; with a route its first attempt starts in the same append. */
  SubmitPayment: Order & {
    readonly route: Route | null;
    /** Mask of what is on the black list; anything but 0 blocks the payment. */
    readonly blackListing: number;
    /** Why no gateway is to be asked: the attempt on this route fails in the append that starts it. */
    readonly refused?: string;
  };
  /** `attempt` counts from 1 and names the try: the same one twice starts it once. */
  StartAttempt: { readonly attempt: number; readonly route: Route };
  RecordOutcome: {
    readonly attempt: number;
    readonly outcome: Outcome;
    /** For an outcome that was asked for: a capture that comes too late is refunded at once. */
    readonly lateCapture?: LateCaptureRefund;
  };
  /** The customer did what `nextAction` asked. */
  CompleteAction: unknown;
  /** The authorization, or the time to act, ran out. */
  ExpirePayment: {
    readonly note: string;
    /** The end of the wait that is meant; when the payment waits for another one by now, nothing happens. */
    readonly dueAt?: string;
  };
  /** Absent amount: all that was authorized. */
  RequestCapture: { readonly captureId: TransactionId; readonly amountMinor?: bigint };
  RecordCapture: {
    readonly captureId: TransactionId;
    readonly gatewayTransactionId: string;
    readonly arn: string;
    readonly note: string;
  };
  RecordCaptureFailure: { readonly captureId: TransactionId; readonly note: string };
  RequestVoid: { readonly voidId: TransactionId };
  RecordVoid: { readonly voidId: TransactionId; readonly note: string };
  RecordVoidFailure: { readonly voidId: TransactionId; readonly note: string };
  /** The acquirer paid out `amountMinor`. */
  SettlePayment: { readonly amountMinor: bigint; readonly reference: string };
  /** A line of a settlement file: books what the acquirer paid out or took back, where it agrees. */
  SettleLine: { readonly line: SettlementLine };
  /** Releases the reserve; a part of it when an amount is given. */
  ReleaseReserve: { readonly releaseId: TransactionId; readonly amountMinor?: bigint };
}

interface RefundCommands {
  RequestRefund: {
    readonly refundId: TransactionId;
    /** 0 or absent: the remaining balance. */
    readonly amountMinor?: bigint;
    readonly items: readonly RefundItem[];
    readonly adjustments?: readonly RefundAdjustment[];
    /** RDR is not asked for: the network moves that money by itself. */
    readonly source: Exclude<RefundSource, 'RDR'>;
    readonly reason?: RefundReason;
    readonly notifyCustomer: boolean;
    readonly requestedBy: string;
    readonly policy: RefundPolicy;
  };
  RecordRefund: {
    readonly refundId: TransactionId;
    readonly gatewayTransactionId: string;
    readonly arn: string;
    readonly note: string;
  };
  RecordRefundFailure: { readonly refundId: TransactionId; readonly note: string };
  /** The gateway says that a refund has failed, also one that it had paid before. */
  RecordRefundReversal: { readonly refundId: TransactionId; readonly note: string };
  /** The network credited the customer by itself (RDR). */
  RecordNetworkRefund: {
    readonly refundId: TransactionId;
    readonly alertId: TransactionId | null;
    readonly amountMinor: bigint;
    readonly arn: string;
    readonly note: string;
  };
}

interface DisputeCommands {
  OpenChargeback: {
    readonly chargebackId: TransactionId;
    /** Empty when absent: the gateway. References are unique for each provider. */
    readonly provider?: string;
    readonly reference: string;
    readonly amountMinor: bigint;
    readonly reasonCode: string;
    readonly arn: string;
    /** When the bank opened it; `at` when absent. */
    readonly openedAt?: string;
    /** By `answerDays` when absent. */
    readonly respondBy?: string;
    /** Days in which the networks want an answer, by `cardBrandId`; `ANSWER_DAYS` when absent. */
    readonly answerDays?: readonly number[];
    readonly note: string;
  };
  MoveChargeback: {
    readonly chargebackId: TransactionId;
    readonly to:
      | 'ChargebackUnderReview'
      | 'ChargebackWon'
      | 'ChargebackLost'
      | 'ChargebackAccepted'
      | 'ChargebackWithdrawn';
    readonly note: string;
  };
  ReceiveAlert: {
    readonly alertId: TransactionId;
    /** Empty when absent: the gateway. References are unique for each provider. */
    readonly provider?: string;
    readonly reference: string;
    readonly source: AlertSource;
    readonly alertType: AlertType;
    readonly amountMinor: bigint;
    readonly arn: string;
    /** When the source sent it, from which its time to answer counts; `at` when absent. */
    readonly sentAt?: string;
    readonly note: string;
  };
  /** The first final outcome wins. */
  MoveAlert: {
    readonly alertId: TransactionId;
    readonly to: 'AlertResolved' | 'AlertDeclined' | 'AlertExpired';
    readonly note: string;
  };
}

type Commands = PaymentCommands & RefundCommands & DisputeCommands;

/** Every command names its payment and the business time at which it holds. */
interface Addressed {
  readonly tenantId: TenantId;
  readonly transactionId: TransactionId;
  readonly at: string;
}

export type CommandOf<Type extends keyof Commands> = Addressed & {
  readonly type: Type;
} & Commands[Type];
export type PaymentCommand = {
  [Type in keyof PaymentCommands]: CommandOf<Type>;
}[keyof PaymentCommands];
export type RefundCommand = {
  [Type in keyof RefundCommands]: CommandOf<Type>;
}[keyof RefundCommands];
export type DisputeCommand = {
  [Type in keyof DisputeCommands]: CommandOf<Type>;
}[keyof DisputeCommands];
export type Command = PaymentCommand | RefundCommand | DisputeCommand;

export type Rejection =
  | { readonly type: 'TransactionUnknown' }
  | { readonly type: 'TransactionExists' }
  | { readonly type: 'UnknownCurrency'; readonly currency: string }
  | { readonly type: 'AmountNotPositive'; readonly amountMinor: bigint; readonly currency: string }
  /** The command does not fit the status that the payment or the child has. */
  | { readonly type: 'WrongStatus'; readonly status: Status; readonly command: Command['type'] }
  | { readonly type: 'AttemptUnknown'; readonly attempt: number }
  | { readonly type: 'RequestUnderWay'; readonly request: 'capture' | 'void' }
  /** This capture or void has failed before; a new try takes a new id. */
  | { readonly type: 'RequestFailedBefore'; readonly request: 'capture' | 'void' }
  | { readonly type: 'RequestUnknown'; readonly request: 'capture' | 'void' }
  | {
      readonly type: 'CaptureExceedsAuthorization';
      readonly requestedMinor: bigint;
      readonly authorizedMinor: bigint;
      readonly currency: string;
    }
  | { readonly type: 'VoidAfterRefund' }
  /** `id`: the refund or the chargeback that the line was compared with. */
  | {
      readonly type: 'SettlementDiffers';
      readonly difference: SettlementDifference;
      readonly id: TransactionId | null;
    }
  | {
      readonly type: 'ReleaseExceedsReserve';
      readonly requestedMinor: bigint;
      readonly heldMinor: bigint;
      readonly currency: string;
    }
  | { readonly type: 'RefundExists'; readonly refundId: TransactionId }
  | { readonly type: 'NotRefundable'; readonly status: Status }
  | { readonly type: 'RefundBlockedByChargeback' }
  | { readonly type: 'RefundWindowClosed'; readonly refundWindowDays: number }
  | { readonly type: 'NothingLeftToRefund' }
  | {
      readonly type: 'RefundExceedsRemaining';
      readonly requestedMinor: bigint;
      readonly remainingMinor: bigint;
      readonly currency: string;
    }
  | { readonly type: 'RefundItemsNotAllowed' }
  | { readonly type: 'RefundItemsRequired' }
  | { readonly type: 'RefundItemUnknown'; readonly storefrontVariantId: number }
  | {
      readonly type: 'RefundQuantityExceeded';
      readonly storefrontVariantId: number;
      readonly requested: number;
      readonly remaining: number;
    }
  | {
      readonly type: 'RefundItemExceedsLine';
      readonly storefrontVariantId: number;
      readonly requestedMinor: bigint;
      readonly remainingMinor: bigint;
      readonly currency: string;
    }
  | {
      readonly type: 'RefundAdjustmentExceedsOrder';
      readonly requestedMinor: bigint;
      readonly remainingMinor: bigint;
      readonly currency: string;
    }
  | {
      readonly type: 'RefundItemsIncomplete';
      readonly itemsMinor: bigint;
      readonly amountMinor: bigint;
      readonly currency: string;
    }
  | { readonly type: 'RefundUnknown'; readonly refundId: TransactionId }
  | { readonly type: 'ChargebackUnknown'; readonly chargebackId: TransactionId }
  | { readonly type: 'AlertUnknown'; readonly alertId: TransactionId }
  /** An id that is in use for another child of this payment. */
  | { readonly type: 'ChildExists'; readonly id: TransactionId };
