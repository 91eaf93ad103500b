/** Capture, void and refund at the gateway, each to its outcome. */
import { Transaction, type TransactionId } from '@counterfoil/core';
import type { FollowUpRequest, FollowUpResult } from '../gateways/payment-gateway.ts';
import { refused } from '../refusal.ts';
import {
  NO_ANSWER,
  type NotFound,
  type Payment,
  PaymentAtGateway,
  type Run,
} from './payment-at-gateway.ts';

export interface FollowUpRun extends Run {
  /** The outcome of a refund or void that the gateway does not know and that must not be sent again. */
  readonly notFound?: NotFound;
}

interface Intent {
  readonly kind: 'capture' | 'void' | 'refund';
  readonly id: TransactionId;
  readonly amountMinor: bigint;
  readonly requestedAt: string;
}

const NOT_SENT = {
  result: 'refused',
  note: 'the gateway never received it, and a chargeback or a network credit has taken the money',
} as const;

export class FollowUps extends PaymentAtGateway<FollowUpRun> {
  async capture(): Promise<Payment> {
    // Nothing else happens to an authorization while it is captured.
    const { pendingCapture, changedAt: requestedAt } = this.payment;
    if (pendingCapture === null) return this.payment;
    const { captureId, amountMinor } = pendingCapture;
    const answer = await this.#ask({ kind: 'capture', id: captureId, amountMinor, requestedAt });
    if (answer === NO_ANSWER) return this.payment;
    return this.record(
      answer.result === 'done'
        ? { type: 'RecordCapture', captureId, ...receiptOf(answer) }
        : { type: 'RecordCaptureFailure', captureId, note: answer.note },
      [captureId, answer.result],
    );
  }

  async void(): Promise<Payment> {
    const { pendingVoid, capturedMinor, authorizedMinor } = this.payment;
    if (pendingVoid === null) return this.payment;
    const { voidId, requestedAt } = pendingVoid;
    const amountMinor = capturedMinor || authorizedMinor;
    const answer = await this.#ask({ kind: 'void', id: voidId, amountMinor, requestedAt });
    if (answer === NO_ANSWER) return this.payment;
    const type = answer.result === 'done' ? 'RecordVoid' : 'RecordVoidFailure';
    return this.record({ type, voidId, note: answer.note }, [voidId, answer.result]);
  }

  async refund(refundId: TransactionId): Promise<Transaction.Refund> {
    const { status, amountMinor, requestedAt } = this.#refundOf(refundId);
    if (status !== 'RefundPending') return this.#refundOf(refundId);
    const answer = await this.#ask({ kind: 'refund', id: refundId, amountMinor, requestedAt });
    if (answer === NO_ANSWER) return this.#refundOf(refundId);
    await this.record(
      answer.result === 'done'
        ? { type: 'RecordRefund', refundId, ...receiptOf(answer) }
        : { type: 'RecordRefundFailure', refundId, note: answer.note },
      [refundId, answer.result],
    );
    return this.#refundOf(refundId);
  }

  #refundOf(refundId: TransactionId): Transaction.Refund {
    const refund = this.payment.refunds.find((each) => each.refundId === refundId);
    if (refund === undefined) throw refused({ type: 'TransactionUnknown' });
    return refund;
  }

  async #ask({
    kind,
    id,
    amountMinor,
    requestedAt,
  }: Intent): Promise<FollowUpResult | typeof NO_ANSWER> {
    const { gateway, payment } = this;
    const { sentBefore = false, notFound = 'unknown' } = this.run;
    const request: FollowUpRequest = {
      ...(await this.addressed()),
      idempotencyKey: `${payment.transactionId}/${kind}/${id}`,
      firstSentAgoMs: sentBefore ? this.agoMs(requestedAt) : 0,
      transactionId: id,
      gatewayTransactionId: payment.gatewayTransactionId,
      amountMinor,
    };
    const maySend = kind === 'capture' || Transaction.mayStillLeave(payment);
    if (sentBefore || !maySend) {
      const found = await this.answered(gateway.findFollowUp(kind, request));
      if (found !== undefined) return found;
    }
    if (!maySend) return notFound === 'failed' ? NOT_SENT : NO_ANSWER;
    return this.answered(gateway[kind](request));
  }
}

function receiptOf({ gatewayTransactionId, arn, note }: FollowUpResult & { result: 'done' }) {
  return { gatewayTransactionId, arn, note };
}
