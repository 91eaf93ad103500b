/** The decisions about a payment, each handed to the part of the story that it belongs to. */
import { type Either, left } from 'fp-ts/lib/Either.js';
import {
  type StreamName,
  streamName,
  type TenantId,
  type TransactionId,
} from '../../kernel/ids.ts';
import type { Command, Rejection } from './command.ts';
import { decideDispute } from './dispute.ts';
import type { Event } from './events.ts';
import { decidePayment, submit } from './payment.ts';
import { decideRefund } from './refund.ts';
import type { State } from './state.ts';

/**
 * Every command but `SubmitPayment` is refused with `TransactionUnknown` before anything else is
 * looked at. The order of the further checks is written at each part.
 */
export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  if (command.type === 'SubmitPayment') return submit(state, command);
  if (state === null) return left({ type: 'TransactionUnknown' });
  switch (command.type) {
    case 'RequestRefund':
    case 'RecordRefund':
    case 'RecordRefundFailure':
    case 'RecordRefundReversal':
    case 'RecordNetworkRefund':
      return decideRefund(state, command);
    case 'OpenChargeback':
    case 'MoveChargeback':
    case 'ReceiveAlert':
    case 'MoveAlert':
      return decideDispute(state, command);
    default:
      return decidePayment(state, command);
  }
}

export function streamOf(command: {
  readonly tenantId: TenantId;
  readonly transactionId: TransactionId;
}): StreamName {
  return streamName('transaction', command.tenantId, command.transactionId);
}

/** A payment is submitted once, and hardly ever again. */
export function begins({ type }: Command): boolean {
  return type === 'SubmitPayment';
}
