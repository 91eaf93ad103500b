/** A payment: submission, attempts, capture, refunds, chargebacks and alerts. */

export * from './balance.ts';
export * from './codes.ts';
export type {
  Command,
  CommandOf,
  LateCaptureRefund,
  Outcome,
  RefundAdjustment,
  RefundItem,
  Rejection,
  SettlementDifference,
  SettlementKind,
  SettlementLine,
} from './command.ts';
export { begins, decide, streamOf } from './decide.ts';
export { alertDeadlineOf } from './dispute.ts';
export { type Event, type EventOf, events, Fee, Route, Terms } from './events.ts';
export * from './expiry.ts';
export * from './order.ts';
export { captureRefusal, voidRefusal } from './payment.ts';
export { leftBeyondLines, refundRefusal, shareOf, type Variant, variantsLeft } from './refund.ts';
export { type Movement, unsettledMovements } from './settlement.ts';
export * from './state.ts';
export * from './status.ts';
